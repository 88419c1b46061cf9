import inspect
import os
import sys

import pytest

import parking


def looks():
    """Yield texts that a test may have found."""
    yield lambda: inspect.getsource(parking)
    yield lambda: inspect.getsource(parking.fee)
    yield lambda: open("parking.py").read()
    yield lambda: open(parking.__file__).read()
    yield lambda: repr(parking.fee.__code__.co_consts)
    yield lambda: repr(parking.fee.__globals__)
    yield lambda: repr(parking.CarPark.enter.__code__.co_code)
    yield lambda: parking.FREE_MINUTES.__class__.__mro__ and parking.sys
    yield lambda: os.listdir("/proc/1/fd")


@pytest.mark.parametrize("number", range(9))
def test_looks(number):
    with pytest.raises((OSError, AttributeError, TypeError, NameError)):
        list(looks())[number]()


def test_messages():
    try:
        parking.fee("x")
    except TypeError as error:
        trace = error.__traceback__
        while trace is not None:
            assert "parking" not in trace.tb_frame.f_code.co_filename.rpartition("/")[2].replace(
                "test_parking", ""
            )
            trace = trace.tb_next


def test_nothing_else_differs():
    names = [name for name in dir(parking) if not name.startswith("_")]
    assert len(names) == 2
    assert str(parking.fee) and hash(parking.CarPark(1)) is not None
