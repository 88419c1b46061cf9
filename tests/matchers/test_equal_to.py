"""`{equals: …}`: which data is equal to which."""

from __future__ import annotations

import pytest

from harness.common.errors import HarnessError
from harness.matchers import EqualTo
from harness.model.values import Value, ValueKind

EQUAL = [
    ("2", "2.0"), ("2.0", "2"), ("1", "True"), ("[2, (0.5, 1)]", "[2.0, (0.5, True)]"),
    ("{1: 2.0}", "{1.0: 2}"), ("{1, 2.0}", "{2, 1.0}"), ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
    ("[1, True]", "[True, 1]"), ("0.0", "-0.0"), ("None", "None"), ("b'x'", "b'x'"), ("2j", "2j"),
]  # fmt: skip
DIFFERENT = [
    ("2", "2.5"), ("2", "'2'"), ("'x'", "b'x'"), ("[1]", "(1,)"), ("[1]", "[1, 1]"), ("0", "None"),
    ("{'a': 1}", "{'a': 2}"), ("{'a': 1}", "[('a', 1)]"), ("{1, 2}", "{1}"), ("2", "2.0000001"),
    ("9007199254740993", "9007199254740992.0"),
]  # fmt: skip


def equal(expected: str, actual: str) -> bool:
    matcher = EqualTo(expression="f()").resolved({"f()": Value.parse(expected)})
    return matcher.accepts(Value.parse(actual))


@pytest.mark.parametrize("pair", EQUAL)
def test_numbers_are_equal_whatever_their_types(pair: tuple[str, str]) -> None:
    assert equal(*pair)


@pytest.mark.parametrize("pair", DIFFERENT)
def test_data_of_another_kind_or_content_is_not_equal(pair: tuple[str, str]) -> None:
    assert not equal(*pair)


def test_a_set_is_no_frozenset() -> None:
    matcher = EqualTo(expression="{1}").resolved({})
    assert matcher.accepts(Value.of({1}))
    assert not matcher.accepts(Value.of(frozenset({1})))


def test_what_was_not_evaluated_is_no_failure_of_the_submission() -> None:
    matcher = EqualTo(expression="f()").resolved({})
    with pytest.raises(HarnessError, match="was not evaluated"):
        matcher.accepts(Value.of({1}))
    made = Value(ValueKind.OBJECT, "Box")
    assert not EqualTo(expression="Box()").resolved({"Box()": made}).accepts(Value.of(1))
