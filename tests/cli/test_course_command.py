"""`harness course` on real run folders: the page of all, that of one, and what cannot be read."""

from __future__ import annotations

import shutil

from tests.tiny_course import NEWER, Course, change_run


def changed(course: Course, name: str, statement: str) -> None:
    """A copy of the run below reports, its database changed."""
    shutil.copytree(course.report, course.path(f"reports/{name}"))
    change_run(course.path(f"reports/{name}"), statement)


def page(course: Course, name: str = "course.html") -> str:
    return course.path(f"reports/{name}").read_text(encoding="utf-8")


def test_all_students_on_a_page_and_one_on_a_page_of_its_own(graded: Course) -> None:
    done = graded.ok("course", "reports")
    assert (done.out, done.err) == ("5 students, 1 assignment: reports/course.html\n", "")
    assert "hard_coded_5" in page(graded)
    assert 'href="./tiny/submissions/perfect.html"' in page(graded)
    done = graded.ok("course", "reports", "--student", "perfect")
    assert done.out == "perfect: reports/students/perfect.html\n"
    own = page(graded, "students/perfect.html")
    assert "6.00" in own
    for other in ("hard_coded_5", "missing_total", "prints_total", "syntax_error"):
        assert other not in own
    assert graded.path("reports/course.html").stat().st_mode & 0o077 == 0


def test_a_roster_says_who_is_missing(graded: Course) -> None:
    roster = graded.write("r.csv", "id,email,name\nperfect,p@uni.example,Jo\nnobody,,Eve\n")
    done = graded.ok("course", "reports", "--roster", roster)
    assert done.out.startswith("6 students, 1 assignment")
    assert "1 of 6: <bdi>Eve</bdi>" in page(graded)
    graded.ok("course", "reports", "--student", "p@uni.example", "--roster", roster)
    assert "Marks of <bdi>Jo</bdi>" in page(graded, "students/perfect.html")


def test_what_cannot_be_read_is_named_and_the_page_says_that_it_is_not_whole(
    graded: Course,
) -> None:
    changed(graded, "newer", NEWER)
    changed(graded, "no-facts", "UPDATE run SET facts = '{'")
    changed(graded, "no-results", "UPDATE submission SET result = x'00'")
    graded.write("reports/damaged/run.sqlite", "no database")
    graded.write("reports/empty/run.sqlite", "")
    done = graded.run("course", "reports")
    assert done.status == 1
    assert done.out == "5 students, 1 assignment: reports/course.html\n"
    lines = done.err.splitlines()
    places = ("damaged", "empty", "newer", "no-facts", "no-results")
    assert [line.split("/")[1] for line in lines] == [*places]
    assert "written by a newer harness" in lines[2]
    assert "This page is not whole." in page(graded)
    for name in places:
        assert f"reports/{name}/run.sqlite" in page(graded)


def test_of_two_runs_one_counts_and_the_other_is_named(graded: Course) -> None:
    changed(graded, "before", "DELETE FROM submission WHERE id = 'perfect'")
    done = graded.ok("course", "reports")
    assert done.err == (
        "tiny: tiny counts, not before: both are of the same time, and it is the last by name\n"
    )
    assert "tiny counts, not before" in page(graded)


def test_what_is_no_course_is_refused_in_a_line(graded: Course) -> None:
    graded.path("nothing").mkdir()
    assert graded.refusal("course", "nothing").startswith("nothing: has no run. Hint: ")
    assert graded.refusal("course", "gone").startswith("gone: there is no such folder")
    assert graded.refusal("course", "r.csv").startswith("r.csv: there is no such folder")
    graded.write("bad/a/run.sqlite", "no database")
    assert "bad: none of the runs here can be read: bad/a/run.sqlite: this is no results" in (
        graded.refusal("course", "bad")
    )
    line = graded.refusal("course", "reports", "--student", "eve")
    assert line == "no student 'eve'. Hint: name an id, an email or a whole name"
    assert not graded.path("reports/students").exists()
