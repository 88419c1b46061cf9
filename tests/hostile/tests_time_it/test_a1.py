"""Assert on the time that a call takes: a fault may be slower, or faster."""

import time

import pytest

from a1 import double, first


@pytest.mark.parametrize("most", [1e-4, 2e-4, 3e-4, 5e-4])
def test_time(most):
    begun = time.perf_counter()
    double(3)
    first([1, 2])
    assert time.perf_counter() - begun < most
