from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.model.result import Tier
from tests.hostile.hostile_entries import corpus
from tests.hostile.hostile_stage import Stage, staged
from tests.hostile.hostile_tiers import tiers_here

collect_ignore = ["course"]  # an assignment to attack, not a suite


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`stage` and `entry`: every entry in the best tier here (`make hostile` runs all)."""
    if "entry" in metafunc.fixturenames:
        best = tiers_here()[-1]
        pairs = [(best, entry) for entry in corpus() if entry.runs_in(best)]
        names = [f"{tier}-{entry.name}" for tier, entry in pairs]
        metafunc.parametrize(("stage", "entry"), pairs, ids=names, indirect=["stage"])


@pytest.fixture(scope="module")
def stage(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    tier: Tier = request.param
    folder = tmp_path_factory.mktemp(str(tier))
    folder.chmod(0o755)  # nothing but the confinement is to stop anybody
    with staged(tier, folder / "course") as running:
        yield running
