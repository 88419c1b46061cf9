"""Arrays and data frames of a program, from its process to the parent."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.execution import Driver, Interpreter, find_interpreter
from harness.execution.piped import PipedDriver
from harness.model.observation import Tier
from harness.model.stimulus import Limits
from tests.execution.small_world import call, observe

numpy = pytest.importorskip("numpy", reason="the extra data is not installed")
pytest.importorskip("pandas", reason="the extra data is not installed")
ENOUGH = Limits(cpu_seconds=5, wall_seconds=20, memory_mib=512, output_kib=8)
PROGRAM = """\
import numpy as np
import pandas as pd
def f(what):
    frame = pd.DataFrame({"n": [1, 2], "s": ["x", None]}, index=["p", "q"])
    return {
        "array": np.array([[1, 2], [3, 4]], dtype="int32"),
        "number": np.float64(1.5),
        "frame": frame,
        "series": frame["n"],
        "missing": [pd.NA, pd.NaT],
        "large": np.zeros((200, 200)),
        "drawn": np.random.rand(2),
        "inside": {"a": (np.int64(3),)},
    }[what]
"""
SEEN = {
    "array": "ndarray(dtype='int32', shape=(2, 2), items=[[1, 2], [3, 4]])",
    "number": "float64(1.5)",
    "series": "Series(name='n', dtype='int64', index=['p', 'q'], items=[1, 2])",
    "large": "<too large to compare: more than 20000 parts>",
    "inside": "{'a': (int64(3),)}",
}


def with_packages() -> Interpreter:
    """The interpreter of the tests, if it is one that the harness finds, with NumPy and pandas."""
    import sys  # noqa: PLC0415

    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found = find_interpreter(version)
    if found.version.rpartition(".")[0] != version:
        pytest.skip(f"there is no Python {version} here")
    return replace(found, library=Path(numpy.__file__).parents[1])


@pytest.fixture(scope="module")
def data_driver() -> Iterator[Driver]:
    with Driver(with_packages(), Tier.STANDARD) as running:
        yield running


@pytest.mark.process
@pytest.mark.parametrize("what", SEEN)
def test_a_value_is_seen_by_its_parts(data_driver: Driver, what: str) -> None:
    value = observe(data_driver, PROGRAM, call(f"f({what!r})"), ENOUGH).value
    assert value is not None
    assert value.source() == SEEN[what]


@pytest.mark.process
def test_a_frame_is_seen_by_its_rows(data_driver: Driver) -> None:
    value = observe(data_driver, PROGRAM, call("f('frame')"), ENOUGH).value
    assert value is not None
    said = value.source()
    assert said.startswith("DataFrame(columns=['n', 's'], dtypes=['int64', ")
    assert "index=['p', 'q'], rows=[[1, 'x'], [2, " in said


@pytest.mark.process
def test_drawn_numbers_are_the_same_each_time(data_driver: Driver) -> None:
    first, second = (observe(data_driver, PROGRAM, call("f('drawn')"), ENOUGH) for _ in range(2))
    assert first.value is not None
    assert first.value == second.value


@pytest.mark.process
def test_over_pipes_the_same_is_seen() -> None:
    with PipedDriver(with_packages()) as driver:
        value = observe(driver, PROGRAM, call("f('array')"), ENOUGH).value
    assert value is not None
    assert value.source() == SEEN["array"]


CHANGED = """\
import pandas as pd
def broken(*_, **__):
    raise ValueError
pd.DataFrame.itertuples = broken
def f():
    return pd.DataFrame({"n": [1]})
"""


@pytest.mark.process
def test_a_changed_package_costs_only_the_value(data_driver: Driver) -> None:
    value = observe(data_driver, CHANGED, call("f()"), ENOUGH).value
    assert value is not None
    assert value.source() == "DataFrame(<raises ValueError>)"
