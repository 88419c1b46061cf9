from collections.abc import Iterator

import pytest

from tests.hostile.hostile_entries import Entry, corpus
from tests.hostile.hostile_machine import tiers_here
from tests.hostile.hostile_stage import Stage, staged
from tests.per_commit import per_commit

# Assignments to attack, and tests that attack them: no suites of ours.
collect_ignore = ["course"]
collect_ignore_glob = ["tests_*"]
_OF_TESTS = ("tests_read_source", "tests_know_the_run")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`entry`: every one, in the best tier here (`make hostile` runs all tiers). Tests that are
    handed in take seconds each, so most of them run before a release."""
    if "entry" in metafunc.fixturenames:
        kept = [entry for entry in corpus() if _is_quick(entry)]
        names = [entry.name for entry in corpus()]
        metafunc.parametrize("entry", per_commit(corpus(), *kept), ids=names)


def _is_quick(entry: Entry) -> bool:
    return entry.expect.entry_point != "tests" or entry.name in _OF_TESTS


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    tier = tiers_here()[-1]
    with staged(tier, tmp_path_factory.mktemp(str(tier)) / "course") as running:
        yield running
        assert running.honest_is_the_same()
