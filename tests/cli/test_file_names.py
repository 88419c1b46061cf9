"""Which assignment a file belongs to, and copies of it, by its name alone."""

from __future__ import annotations

import shutil

import pytest

from tests.tiny_course import Course

RIGHT = "7 of 7 visible checks passed"


@pytest.fixture
def two(course: Course) -> Course:
    """A second assignment, which asks for game.py and an archive."""
    shutil.copytree(course.path("reference/tiny"), course.path("reference/other"))
    course.write(
        "specs/other/assignment.yaml",
        "title: Other\ncourse: C\npython: '3.12'\n"
        "submission: {files: [game.py], archive: other.zip}\nfunctionality_marks: 1\n",
    )
    course.write("game.py", "")
    course.write("a1.py", course.path("reference/tiny/a1.py").read_text("utf-8"))
    return course


@pytest.mark.parametrize("name", ["a1.py", "a1 (1).py", "a1-2.py", "a1(1).py", "a1 copy.py"])
def test_check_finds_the_assignment_by_the_name(two: Course, name: str) -> None:
    if name != "a1.py":
        two.path("a1.py").rename(two.path(name))
    outcome = two.run("check", name)
    assert (outcome.status, outcome.out.strip()) == (0, RIGHT), outcome.err
    said = f"note: {name} was graded as a1.py\n" in outcome.err
    assert said == (name != "a1.py")


def test_two_that_ask_for_it_are_listed(two: Course) -> None:
    two.edit("specs/other/assignment.yaml", "game.py", "a1.py")
    assert (
        two.refusal("check", "a1.py")
        == "several assignments ask for a1.py: other, tiny. Hint: --assignment other | tiny"
    )


def test_none_asks_for_it(two: Course) -> None:
    two.write("x.py", "")
    outcome = two.run("check", "x.py")
    assert outcome.err == (
        "error: the path does not say which assignment it is. Hint: --assignment other | tiny\n"
    )


def test_files_of_two_assignments(two: Course) -> None:
    assert two.run("check", "a1.py", "game.py").err.startswith("error: the path does not say which")


def test_a_broken_assignment_is_no_candidate(two: Course) -> None:
    two.write("specs/other/assignment.yaml", "submission: [\n")
    assert two.run("check", "a1.py").out.strip() == RIGHT


def test_grade_takes_a_copy_with_a_note(two: Course) -> None:
    two.write("class/ada/a1 (1).py", two.path("a1.py").read_text("utf-8"))
    two.write("class/bob/a1.py", "")
    outcome = two.ok("grade", "class", "--assignment", "tiny", "--only", "ada")
    page = (two.report / "submissions" / "ada.html").read_text("utf-8")
    assert "a1 (1).py was graded as a1.py" in page
    assert "6.00" in outcome.out
