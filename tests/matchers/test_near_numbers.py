"""Numbers of any size and kind are compared without an exception, with a tolerance or without."""

from itertools import product

import pytest

from harness.matchers.comparison import (
    is_near,
    same,
    same_shown,
    with_equal_lines,
    with_tolerated,
)
from harness.matchers.kinds.equal_to import EqualData
from harness.matchers.kinds.values import Approximately
from harness.matchers.numbers import contains_near, line_difference
from harness.model.expectation import Floats, TextRules
from harness.model.values import Value, ValueKind

NAN, INF = float("nan"), float("inf")
LARGEST = 1.7e308
NUMBERS = [
    *(0, 1, -(10**308), 10**309, 10**4000, True, False),
    *(0.0, -0.0, 5e-324, 1.5, LARGEST, -LARGEST, INF, -INF, NAN),
    *(0j, complex(LARGEST, LARGEST), complex(-LARGEST, LARGEST), complex(1.5, -0.0)),
    *(complex(INF, INF), complex(NAN, INF), complex(NAN, NAN)),
]
VALUES = [
    *map(Value.of, NUMBERS),
    Value(ValueKind.INT, "9" * 5000),  # more digits than Python reads
    Value(ValueKind.FLOAT, "one"),
    Value(ValueKind.COMPLEX, "one"),
    Value.of([complex(LARGEST, LARGEST), 10**4000, NAN]),
]
WIDTHS = [0.0, 1e-9, LARGEST, INF]
TOLERANCES = [None, *(Floats(within=within) for within in WIDTHS)]


@pytest.mark.parametrize("floats", TOLERANCES)
def test_every_pair_of_numbers_is_compared(floats: Floats | None) -> None:
    for expected, actual in product(VALUES, repeat=2):
        if expected.text == actual.text and expected == actual:
            assert same(expected, actual, floats)
        assert same(expected, actual, floats) is same(actual, expected, floats)
        assert with_tolerated(expected, actual, floats) in (expected, actual)
        assert type(EqualData(value=expected, floats=floats).accepts(actual)) is bool
        assert type(same_shown(expected.source(), actual.source(), floats)) is bool


def test_approximately_takes_any_number() -> None:
    for value, number, within in product(VALUES, (0.0, LARGEST, INF, NAN), WIDTHS):
        assert type(Approximately(number=number, within=within).accepts(value)) is bool


@pytest.mark.parametrize(
    ("one", "other", "within", "near"),
    [
        (complex(LARGEST, LARGEST), 0j, 1.0, False),
        (complex(LARGEST, LARGEST), complex(-LARGEST, 0), LARGEST, False),
        (10**4000, 1.5, 1.0, False),
        (LARGEST, -LARGEST, 1.0, False),
        (1.5, 1.25, 0.25, True),
        (1 + 1j, 1 + 1.5j, 0.5, True),
        (NAN, NAN, INF, False),
        (INF, 0.0, LARGEST, False),
    ],
)
def test_numbers_too_large_for_a_float_are_not_near(
    one: complex, other: complex, within: float, near: bool
) -> None:
    assert is_near(one, other, within) is near


def test_a_number_of_thousands_of_groups_is_looked_through_once() -> None:
    """With groups without end each comma began another look at all that follow: a minute."""
    groups = "1" + ",111" * 60_000
    assert line_difference("1.5", groups, 0.1) == (1, 1)
    assert not contains_near("1.5", groups, 0.1)


def test_a_grouped_number_that_is_too_long_is_text() -> None:
    longest = "1" + ",111" * 99
    assert line_difference(f"{longest}.5", f"{longest}.4", 0.5) is None
    assert line_difference(f"{longest},111.5", f"{longest},111.4", 0.5) is not None


def test_lines_of_floats_are_compared_with_a_bounded_part_of_the_expected_ones() -> None:
    """All pairs of these lines would take ten minutes."""
    expected = [f"{number}.5" for number in range(1000)]
    actual = [*reversed(expected), *(f"{-number}.75" for number in range(1, 60_000))]
    shown = with_equal_lines(expected, actual, TextRules(within=0.01))
    assert shown == actual


def test_a_near_line_elsewhere_is_found() -> None:
    rules = TextRules(within=0.01)
    assert with_equal_lines(["1.5", "2.5"], ["2.501", "1.501"], rules) == ["2.5", "1.5"]
