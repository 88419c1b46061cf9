"""When two values are the same, by type and tolerance, and when one is equal to another."""

from __future__ import annotations

import pytest

from harness.common.errors import HarnessError
from harness.matchers.comparison import same_shown, with_tolerated
from harness.matchers.kinds.equal_to import EqualTo
from harness.model.values import Value, ValueKind

DEEP = Value.of(0.1)
for _ in range(5000):
    DEEP = Value(ValueKind.LIST, items=(DEEP,))


@pytest.mark.parametrize(
    ("expected", "actual", "within", "left"),
    [
        (0.3, 0.31, 0.1, 0.3),
        (0.3, 0.31, None, 0.31),
        (0.3, 0.5, 0.1, 0.5),
        (1, 1.01, 0.1, 1.01),
        (1j, 1.01j, 0.1, 1j),
        ([0.3, 1.0], [0.31, 2.0, 0.31], 0.1, [0.3, 2.0, 0.31]),
        ([0.3, 1.0], [0.31], 0.1, [0.3]),
        ([0.3], (0.31,), 0.1, (0.31,)),
        ({"a": 0.3, "b": [1.0]}, {"b": [1.01], "a": 0.31}, 0.1, {"b": [1.0], "a": 0.3}),
        ({"a": 0.3}, {"b": 0.31}, 0.1, {"b": 0.31}),
        ({0.3}, {0.31}, 0.1, {0.31}),
    ],
)
def test_numbers_that_are_near_enough_are_the_expected_ones(
    expected: object, actual: object, within: float | None, left: object
) -> None:
    assert with_tolerated(Value.of(expected), Value.of(actual), within) == Value.of(left)


def test_it_goes_no_deeper_than_what_is_expected() -> None:
    assert with_tolerated(Value.of([[0.1]]), DEEP, 0.1).items[0].items[0] is DEEP.items[0].items[0]


@pytest.mark.parametrize(
    ("expected", "actual", "within", "agrees"),
    [
        ("A(0.3)", "A(0.30000000000000004)", 1e-9, True),
        ("A(0.3)", "A(0.30000000000000004)", None, False),
        ("A(0.3)", "A(0.4)", 1e-9, False),
        ("A(-0.3, 1e-20)", "A(-0.30000000000000004, -2e-21)", 1e-9, True),
        ("A(0.3)", "B(0.30000000000000004)", 1e-9, False),
        ("A(3)", "A(3.0)", 1e-9, False),
        ("A(0.3)", "A(0.30000000000000004, 1.0)", 1e-9, False),
        ("v1.0", "v1.00000000001", 1e-9, False),
        ("1e999", "2e999", 1e-9, False),
        ("1" * 200_000, "2" * 200_000, 1e-9, False),
    ],
)
def test_texts_of_values_may_differ_in_floats_that_are_near_enough(
    expected: str, actual: str, within: float | None, agrees: bool
) -> None:
    assert same_shown(expected, actual, within) is agrees


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
