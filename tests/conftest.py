from __future__ import annotations

from pathlib import Path

import pytest

from harness.execution import find_interpreter, try_tier
from harness.model.result import Tier
from tests.tiny_course import FIXTURE, Course

collect_ignore = ["fixtures"]  # an assignment for tests to use, not a suite of its own
TESTS = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slowest package comes first, so that a parallel run does not end with it alone."""
    items.sort(key=lambda item: not item.path.is_relative_to(TESTS / "soak"))


@pytest.fixture(scope="session")
def graded_once(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The tiny course after `harness grade`; not to be changed."""
    course = Course.copy(FIXTURE, tmp_path_factory.mktemp("graded") / "course")
    outcome = course.run("grade", "submissions/tiny")
    assert outcome.status == 0, outcome.err
    return course


@pytest.fixture
def graded(graded_once: Course, tmp_path: Path) -> Course:
    """A copy of one's own of the graded course, report and all."""
    return Course.copy(graded_once.root, tmp_path / "course")


@pytest.fixture
def course(graded: Course) -> Course:
    """A copy of one's own without a report; what was compiled is kept."""
    for path in sorted(graded.path("reports").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return graded


@pytest.fixture(scope="session")
def strong_here() -> bool:
    """Whether this machine offers the strong tier: tried once, by the first test that asks."""
    return not try_tier(find_interpreter("3.12"), Tier.STRONG).shortcoming


@pytest.fixture
def tier(request: pytest.FixtureRequest, strong_here: bool) -> Tier:
    """The tier that a test is parametrised with, indirectly, where this machine offers it."""
    wanted: Tier = request.param
    if wanted is Tier.STRONG and not strong_here:
        pytest.skip("this machine refuses the namespaces of the strong tier")
    return wanted
