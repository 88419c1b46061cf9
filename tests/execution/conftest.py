from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.execution import Driver, Interpreter, find_interpreter, try_tier
from harness.model.result import Tier


def interpreters() -> list[Interpreter]:
    """One of each minor version that is on this machine."""
    found = [find_interpreter(version) for version in ("3.11", "3.12", "3.13")]
    return list({each.version: each for each in found}.values())


def confining_tiers() -> list[Tier]:
    """Those that this machine has: the strong one only where bubblewrap may work."""
    strong = try_tier(INTERPRETERS[0], Tier.STRONG)
    return [Tier.STANDARD] if strong.shortcoming else [Tier.STRONG, Tier.STANDARD]


INTERPRETERS = interpreters()
TIERS = confining_tiers()


@pytest.fixture(scope="session", params=INTERPRETERS, ids=lambda each: each.version)
def interpreter(request: pytest.FixtureRequest) -> Interpreter:
    chosen: Interpreter = request.param
    return chosen


@pytest.fixture(scope="session")
def driver(interpreter: Interpreter) -> Iterator[Driver]:
    with Driver(interpreter, Tier.STANDARD) as running:
        yield running


@pytest.fixture(scope="session", params=TIERS)
def one_driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """For what does not depend on the version, under each tier that confines."""
    with Driver(INTERPRETERS[0], request.param) as running:
        yield running


@pytest.fixture(scope="session")
def portable_driver() -> Iterator[Driver]:
    with Driver(INTERPRETERS[0], Tier.PORTABLE) as running:
        yield running
