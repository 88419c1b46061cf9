"""Numbers of any size and kind are compared without an exception, with a tolerance or without."""

from itertools import product

import pytest

from harness.matchers.comparison import is_near, same, same_shown, with_tolerated
from harness.matchers.kinds.equal_to import EqualData
from harness.matchers.kinds.values import Approximately
from harness.model.expectation import Floats
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
def test_what_is_too_far_for_a_float_is_not_near(
    one: complex, other: complex, within: float, near: bool
) -> None:
    assert is_near(one, other, within) is near
