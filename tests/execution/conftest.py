from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.execution import Driver, Interpreter, find_interpreter
from harness.model.result import Tier


def interpreters() -> list[Interpreter]:
    """One of each minor version that is on this machine."""
    found = [find_interpreter(version) for version in ("3.11", "3.12", "3.13")]
    return list({each.version: each for each in found}.values())


INTERPRETERS = interpreters()


@pytest.fixture(scope="session", params=INTERPRETERS, ids=lambda each: each.version)
def interpreter(request: pytest.FixtureRequest) -> Interpreter:
    chosen: Interpreter = request.param
    return chosen


@pytest.fixture(scope="session")
def driver(interpreter: Interpreter) -> Iterator[Driver]:
    with Driver(interpreter, Tier.STANDARD) as running:
        yield running


@pytest.fixture(scope="session")
def one_driver() -> Iterator[Driver]:
    """For what does not depend on the version."""
    with Driver(INTERPRETERS[0], Tier.STANDARD) as running:
        yield running


@pytest.fixture(scope="session")
def portable_driver() -> Iterator[Driver]:
    with Driver(INTERPRETERS[0], Tier.PORTABLE) as running:
        yield running
