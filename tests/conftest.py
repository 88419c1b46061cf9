from __future__ import annotations

from pathlib import Path

import pytest

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
