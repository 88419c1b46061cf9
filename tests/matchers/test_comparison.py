"""Values without the differences that are allowed."""

from __future__ import annotations

import pytest

from harness.matchers.comparison import with_tolerated
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
