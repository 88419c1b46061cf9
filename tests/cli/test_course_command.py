"""`harness course` on real run folders: the page of all, that of one, and what cannot be read."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.tiny_course import Course


@pytest.fixture
def course(graded_once: Course, tmp_path: Path) -> Course:
    return Course.copy(graded_once.root, tmp_path / "course")


def changed(course: Course, name: str, statement: str) -> None:
    """A copy of the run below reports, its database changed."""
    shutil.copytree(course.report, course.path(f"reports/{name}"))
    with closing(sqlite3.connect(course.path(f"reports/{name}/run.sqlite"))) as base, base:
        base.execute(statement)


def page(course: Course, name: str = "course.html") -> str:
    return course.path(f"reports/{name}").read_text(encoding="utf-8")


def test_all_students_on_a_page_and_one_on_a_page_of_its_own(course: Course) -> None:
    done = course.ok("course", "reports")
    assert (done.out, done.err) == ("5 students, 1 assignment: reports/course.html\n", "")
    assert "hard_coded_5" in page(course)
    assert 'href="./tiny/submissions/perfect.html"' in page(course)
    done = course.ok("course", "reports", "--student", "perfect")
    assert done.out == "perfect: reports/students/perfect.html\n"
    own = page(course, "students/perfect.html")
    assert "6.00" in own
    for other in ("hard_coded_5", "missing_total", "prints_total", "syntax_error"):
        assert other not in own
    assert course.path("reports/course.html").stat().st_mode & 0o077 == 0


def test_a_roster_says_who_is_missing(course: Course) -> None:
    roster = course.write("r.csv", "id,email,name\nperfect,p@uni.example,Jo\nnobody,,Eve\n")
    done = course.ok("course", "reports", "--roster", roster)
    assert done.out.startswith("6 students, 1 assignment")
    assert "1 of 6: <bdi>Eve</bdi>" in page(course)
    course.ok("course", "reports", "--student", "p@uni.example", "--roster", roster)
    assert "Marks of <bdi>Jo</bdi>" in page(course, "students/perfect.html")


def test_what_cannot_be_read_is_named_and_the_page_says_that_it_is_not_whole(
    course: Course,
) -> None:
    changed(course, "newer", "PRAGMA user_version = 99")
    changed(course, "no-facts", "UPDATE run SET facts = '{'")
    changed(course, "no-results", "UPDATE submission SET result = x'00'")
    course.write("reports/damaged/run.sqlite", "no database")
    course.write("reports/empty/run.sqlite", "")
    done = course.run("course", "reports")
    assert done.status == 1
    assert done.out == "5 students, 1 assignment: reports/course.html\n"
    lines = done.err.splitlines()
    places = ("damaged", "empty", "newer", "no-facts", "no-results")
    assert [line.split("/")[1] for line in lines] == [*places]
    assert "written by a newer harness" in lines[2]
    assert "This page is not whole." in page(course)
    for name in places:
        assert f"reports/{name}/run.sqlite" in page(course)


def test_of_two_runs_one_counts_and_the_other_is_named(course: Course) -> None:
    changed(course, "before", "DELETE FROM submission WHERE id = 'perfect'")
    done = course.ok("course", "reports")
    assert done.err == (
        "tiny: tiny counts, not before: both are of the same time, and it is the last by name\n"
    )
    assert "tiny counts, not before" in page(course)


def test_what_is_no_course_is_refused_in_a_line(course: Course) -> None:
    course.path("nothing").mkdir()
    assert course.refusal("course", "nothing").startswith("nothing: has no run. Hint: ")
    assert course.refusal("course", "gone").startswith("gone: there is no such folder")
    assert course.refusal("course", "r.csv").startswith("r.csv: there is no such folder")
    course.write("bad/a/run.sqlite", "no database")
    assert "bad: none of the runs here can be read: bad/a/run.sqlite: this is no results" in (
        course.refusal("course", "bad")
    )
    line = course.refusal("course", "reports", "--student", "eve")
    assert line == "no student 'eve'. Hint: name an id, an email or a whole name"
    assert not course.path("reports/students").exists()
