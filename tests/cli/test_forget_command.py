"""`harness forget` leaves nothing of a student; exempt.yaml says what does not count for whom."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from tests.tiny_course import Course, results, rows, submission

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
    course.ok("grade", "submissions/tiny", "--roster", "roster.csv")
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
    for name in ("similarity/1.html", "similarity.json", "study.html"):
        course.write(f"reports/tiny/{name}", WHO)
    before = results(course.report)["submissions"]
    done = course.run("forget", "reports/tiny", WHO)
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        f"{WHO} is forgotten; 5 submissions are left\n"
        "what similarity and fuzz found went too: run them again\n"
    )
    assert names(course.report) == []
    assert rows(course.report, "observation") == rows(course.report, "verdict") == set()
    after = results(course.report)["submissions"]
    assert after == [each for each in before if each["id"] != WHO]
    shutil.rmtree(course.path(f"submissions/tiny/{WHO}"))
    course.ok("grade", "submissions/tiny", "--roster", "roster.csv")
    assert results(course.report)["submissions"] == after


EXEMPT = """\
exempt:
  - student: prints_total
    scenarios: ["total/*", "main/*"]
    reason: the sheet's example was wrong
"""


def test_a_student_is_excused_without_running_anything_again(graded: Course) -> None:
    before = submission(graded.report, "prints_total")["mark"]
    others = [e for e in results(graded.report)["submissions"] if e["id"] != "prints_total"]
    graded.write("specs/tiny/exempt.yaml", EXEMPT)
    graded.ok("grade", "submissions/tiny")
    found = submission(graded.report, "prints_total")
    assert (before, found["mark"]) == (3.69, 6.0)
    note = "not counted: total/*, main/* (the sheet's example was wrong)"
    assert note in found["notes"]
    assert [e for e in results(graded.report)["submissions"] if e["id"] != "prints_total"] == others
    page = (graded.report / "feedback" / "prints_total.html").read_text("utf-8")
    assert "not counted: total/*, main/*" in page
    shown = graded.run("show", "reports/tiny", "prints_total").out
    rows = {row[0]: row[-1] for line in shown.splitlines() if len(row := line.split()) == 3}
    assert (rows["is_valid"], rows["total"]) == ("6/6", "0/0")


def test_who_is_excused_leaves_the_course_in_no_package(course: Course) -> None:
    course.write("specs/tiny/exempt.yaml", EXEMPT.replace("prints_total", "s-ada-4712"))
    for command, file in (("handout", "h.zip"), ("gradescope", "g.zip"), ("classroom50", "c")):
        assert course.run(command, "tiny", "-o", file).status == 0
    places = [course.path("h.zip"), course.path("g.zip"), course.path("c/grader.pyz")]
    with zipfile.ZipFile(course.path("h.zip")) as handout:
        places.append(course.path("selfcheck.pyz"))
        places[-1].write_bytes(handout.read("selfcheck.pyz"))
    for place in places:
        with zipfile.ZipFile(place) as archive:
            assert not [n for n in archive.namelist() if b"s-ada-4712" in archive.read(n)]


def test_mistakes_have_their_place(course: Course) -> None:
    course.write(
        "specs/tiny/exempt.yaml", "exempt:\n  - {scenarios: [total/none], reason: ''}\n  - {}\n"
    )
    outcome = course.run("grade", "submissions/tiny")
    assert outcome.status == 2
    lines = outcome.err.splitlines()
    assert all(line.startswith("error: specs/tiny/exempt.yaml:") for line in lines)
    course.write("specs/tiny/exempt.yaml", EXEMPT.replace("total/*", "totals/*"))
    outcome = course.run("grade", "submissions/tiny")
    assert outcome.err.startswith(
        "error: specs/tiny/exempt.yaml:3:17: exempt, item 1, scenarios, item 1: totals/* matches "
    )
