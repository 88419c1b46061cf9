"""Plain YAML scalars: what they are worth, and which may not stay plain."""

from __future__ import annotations

import pytest

from harness.assignment.document import ScalarError, is_literal, resolve

WORTH = [
    ("true", True), ("True", True), ("false", False), ("null", None),
    ("0", 0), ("12", 12), ("-3", -3), ("1.5", 1.5), ("-0.25", -0.25),
    ("r4", "r4"), ("y", "y"), ("n", "n"), ("a b", "a b"), ("-", "-"), ("r-1", "r-1"),
    ("X", "X"), ("nope", "nope"), ("check_input('a1')", "check_input('a1')"), ("1/3", "1/3"),
]  # fmt: skip
REFUSED = [
    "yes", "No", "ON", "off", "TRUE", "FALSE", "~", "Null", "NULL", "012", "017", "-07", "08",
    "0o17", "0x1F", "0b11", "1_000", "1_0.5", "1:30", "190:20:30.15", "2024-03-22",
    "2024-3-2 10:00:00", "1e3", "1.5e-3", "+1", "+1.5", ".5", "5.", "01.5", ".inf", "-.INF",
    ".nan", "=", "<<", "None", "(0, 0, 1)", "()", "1, 2", "b'x'", "1j", "...",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), WORTH)
def test_a_plain_scalar_is_worth(text: str, value: object) -> None:
    assert (type(resolve(text)), resolve(text)) == (type(value), value)


@pytest.mark.parametrize("text", REFUSED)
def test_an_ambiguous_scalar_is_refused(text: str) -> None:
    with pytest.raises(ScalarError) as caught:
        resolve(text)
    assert str(caught.value).startswith(f"{text} ")
    assert caught.value.hint


def test_a_python_literal_is_welcome_where_code_is_expected() -> None:
    assert resolve("(0, 1)", code=True) == "(0, 1)"


@pytest.mark.parametrize("text", ["", "a", "f(1)", "1 +", "[", "x.y", "-", "True or False"])
def test_not_a_literal(text: str) -> None:
    assert not is_literal(text)
