from collections.abc import Iterator

import pytest

from tests.hostile.hostile_entries import corpus
from tests.hostile.hostile_machine import tiers_here
from tests.hostile.hostile_stage import Stage, staged

collect_ignore = ["course"]  # an assignment to attack, not a suite


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`entry`: every one, in the best tier here (`make hostile` runs all tiers)."""
    if "entry" in metafunc.fixturenames:
        metafunc.parametrize("entry", corpus(), ids=[entry.name for entry in corpus()])


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    tier = tiers_here()[-1]
    with staged(tier, tmp_path_factory.mktemp(str(tier)) / "course") as running:
        yield running
        assert running.honest_is_the_same()
