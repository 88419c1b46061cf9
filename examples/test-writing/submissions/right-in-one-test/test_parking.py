"""All in one test: it notices every fault, but tells only of the first."""

import pytest

import parking


def stays():
    yield from [(0, 0), (15, 0), (16, 200), (60, 200), (61, 400), (479, 1500)]
    yield from [(1439, 1500), (1440, 1500), (1456, 1700), (2880, 3000), (3000, 3400)]


def test_everything(tmp_path):
    for minutes, cents in stays():
        assert parking.fee(minutes) == cents
    with pytest.raises(ValueError) as caught:
        parking.fee(-1)
    assert caught.value.args == ("minutes below 0",)
    park = parking.CarPark(1)
    assert (park.free, park.enter("x"), park.free) == (1, 1, 0)
    with pytest.raises(ValueError):
        park.enter("X")
    assert park.enter("y") is None
    assert park.leave(1) == "x"
    for ticket in (1, 2):
        with pytest.raises(KeyError):
            park.leave(ticket)
    assert (park.free, park.enter("y"), park.free) == (1, 2, 0)
