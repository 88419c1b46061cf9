from collections.abc import Iterator

import pytest

from harness.execution import AnyDriver, Driver, Interpreter, find_interpreter
from harness.execution.piped import PipedDriver
from harness.model.observation import Tier


@pytest.fixture(
    scope="session", params=["3.11", "3.12", pytest.param("3.13", marks=pytest.mark.release)]
)
def interpreter(request: pytest.FixtureRequest) -> Interpreter:
    """One of each minor version that is on this machine."""
    return installed(request.param)


def installed(version: str) -> Interpreter:
    """The interpreter of this version; where there is none, the test is skipped."""
    found = find_interpreter(version)
    if found.version.rpartition(".")[0] != version:
        pytest.skip(f"there is no Python {version} here")
    return found


@pytest.fixture(scope="session")
def driver(interpreter: Interpreter) -> Iterator[Driver]:
    with Driver(interpreter, Tier.STANDARD) as running:
        yield running


@pytest.fixture(
    scope="session", params=["best", pytest.param(Tier.STANDARD, marks=pytest.mark.release)]
)
def one_driver(request: pytest.FixtureRequest, strong_here: bool) -> Iterator[Driver]:
    """For what does not depend on the version, under the best tier that confines; `driver` has the
    standard one."""
    best = Tier.STRONG if strong_here else Tier.STANDARD
    tier = best if request.param == "best" else Tier.STANDARD
    with Driver(find_interpreter("3.11"), tier) as running:
        yield running


@pytest.fixture(scope="session")
def pipes(interpreter: Interpreter) -> Iterator[PipedDriver]:
    with PipedDriver(interpreter) as running:
        yield running


@pytest.fixture(params=["terminal", "pipes"])
def way(request: pytest.FixtureRequest, driver: Driver, pipes: PipedDriver) -> AnyDriver:
    """Each version on a terminal, and over pipes."""
    return driver if request.param == "terminal" else pipes


@pytest.fixture(scope="session")
def piped_driver() -> Iterator[PipedDriver]:
    """For what does not depend on the version, over pipes."""
    with PipedDriver(find_interpreter("3.12")) as running:
        yield running


@pytest.fixture(scope="session")
def portable_driver() -> Iterator[Driver]:
    with Driver(find_interpreter("3.11"), Tier.PORTABLE) as running:
        yield running
