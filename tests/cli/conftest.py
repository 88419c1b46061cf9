from typing import Any

import pytest

from tests.tiny_course import FIXTURE, Course, results

CLASS = 6


def without_reference(course: Course) -> None:
    """Take the reference away, and what cannot be without one."""
    course.path("reference/tiny/a1.py").unlink()
    course.write("specs/tiny/mutants.yaml", "mutants: []\n")
    course.edit("specs/tiny/basket.yaml", "leaves: {basket: [4711, 5]}", "returns: null")


@pytest.fixture(scope="session")
def unhurried(graded_once: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class whose programs take a moment each, and its results in reports/tiny."""
    course = Course.copy(FIXTURE, tmp_path_factory.mktemp("class") / "course")
    # A slow and busy machine loads them in a tenth of their time too: they share a process on each.
    course.edit("specs/tiny/assignment.yaml", "policy:", "limits: {cpu_seconds: 10}\npolicy:")
    source = course.text("reference/tiny/a1.py")
    for number in range(CLASS):
        busy = f"\nfor _ in range({200_000 + number}):\n    pass\n"
        course.write(f"class/s{number}/a1.py", source.replace("\n\n\n", f"\n{busy}\n\n", 1))
    course.ok("grade", "class")
    return course


@pytest.fixture
def expected(unhurried: Course) -> dict[str, Any]:
    return results(unhurried.report)
