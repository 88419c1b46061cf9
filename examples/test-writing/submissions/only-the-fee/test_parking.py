import pytest

from parking import fee


@pytest.mark.parametrize(
    "minutes, cents",
    [
        (0, 0),
        (15, 0),
        (16, 200),
        (60, 200),
        (61, 400),
        (420, 1400),
        (421, 1500),
        (1439, 1500),
        (1440, 1500),
        (1441, 1700),
        (2880, 3000),
    ],
)
def test_fee(minutes, cents):
    assert fee(minutes) == cents


def test_minutes_below_0():
    with pytest.raises(ValueError, match="^minutes below 0$"):
        fee(-1)


