"""`harness forget`: nothing of a student is left in a report folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.tiny_course import Course, results, rows

WHO = "zephyrine4711"
PROGRAM = f'''
def total(prices):
    print("{WHO} prints")
    return sum(prices)
'''


@pytest.fixture(scope="module")
def graded_with_who(graded_once: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The tiny course with one more student, whose program prints a name, and a comment."""
    course = Course.copy(graded_once.root, tmp_path_factory.mktemp("forget") / "course")
    folder = course.path(f"submissions/tiny/{WHO}")
    shutil.copytree(course.path("submissions/tiny/perfect"), folder)
    for path in folder.iterdir():
        path.write_text(path.read_text() + PROGRAM, encoding="utf-8")
    course.write("roster.csv", "id\nperfect\n")
    done = course.run("grade", "submissions/tiny", "--roster", "roster.csv")
    assert done.status == 0, done.err
    given = course.write("m.csv", f"id,comment\n{WHO},well done {WHO}\n")
    assert course.run("manual", "reports/tiny", given).status == 0
    return course


def names(folder: Path) -> list[str]:
    """The files that have the student's name in them or are named by it."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(
        str(path.relative_to(folder))
        for path in found
        if WHO in path.name or WHO.encode() in path.read_bytes()
    )


def test_nothing_of_the_student_is_left(graded_with_who: Course) -> None:
    course = graded_with_who
    assert {"index.html", "marks.csv", "results.json"} <= set(names(course.report))
    before = results(course.report)["submissions"]
    done = course.run("forget", "reports/tiny", WHO)
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{WHO} is forgotten; 5 submissions are left\n"
    assert names(course.report) == []
    assert rows(course.report, "observation") == rows(course.report, "verdict") == set()
    after = results(course.report)["submissions"]
    assert after == [each for each in before if each["id"] != WHO]
    shutil.rmtree(course.path(f"submissions/tiny/{WHO}"))
    again = course.run("grade", "submissions/tiny", "--roster", "roster.csv")
    assert again.status == 0
    assert results(course.report)["submissions"] == after


WRONG = (
    (["reports/tiny", "nobody"], "reports/tiny: no submission has the id 'nobody'"),
    (["specs", "perfect"], "specs: there is no run here. Hint: name a report folder"),
)


@pytest.mark.parametrize(("arguments", "line"), WRONG)
def test_one_line_says_what_is_wrong(graded_once: Course, arguments: list[str], line: str) -> None:
    outcome = graded_once.run("forget", *arguments)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"error: {line}\n")
