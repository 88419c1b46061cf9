"""The assignment that a module is about: its `ASSIGNMENT`."""

from __future__ import annotations

import pytest

from harness.model.plan import Plan
from harness.model.specification import Specification
from tests.shipped import shipped


@pytest.fixture(scope="module")
def specification(request: pytest.FixtureRequest) -> Specification:
    return shipped(request.module.ASSIGNMENT)


@pytest.fixture(scope="module")
def plan(specification: Specification) -> Plan:
    return specification.plan
