"""A run folder of version 0.1, as it was first stored, opens and is graded on: its database has one
record a submission of what people gave, and not yet a list of changes."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest

from tests.tiny_course import Course, results

OLD = Path(__file__).parents[1] / "fixtures" / "run_of_0_1"
PROGRAMS = ("perfect", "hard_coded_5", "syntax_error")
KEPT = ("id", "status", "mark", "out of", "Code style", "adjustment", "reason", "total", "comment")


@pytest.fixture
def old(course: Course) -> Course:
    """A course with the class that the old run graded, and the run in its place."""
    spec = course.path("specs/tiny/assignment.yaml")
    manual = "manual:\n  - {id: style, title: Code style, out_of: 4}\n"
    spec.write_text(spec.read_text(encoding="utf-8") + manual, encoding="utf-8")
    for name in PROGRAMS:
        shutil.copytree(course.path(f"submissions/tiny/{name}"), course.path(f"class/{name}"))
    shutil.copytree(OLD, course.report, dirs_exist_ok=True)
    return course


def rows(text: str) -> list[list[str]]:
    return [[row[column] for column in KEPT] for row in csv.DictReader(io.StringIO(text))]


AS_IT_WAS = rows((OLD / "marks.csv").read_text(encoding="utf-8"))


def test_it_is_read_as_it_is(old: Course) -> None:
    before = (old.report / "run.sqlite").read_bytes()
    assert rows(old.ok("export", old.report, "--to", "csv").out) == AS_IT_WAS
    shown = old.ok("show", old.report, "perfect").out
    assert "adjusted by -0.5: a day late" in shown
    assert "total: 9.00 of 10" in shown
    assert (old.report / "run.sqlite").read_bytes() == before


def test_it_is_graded_on_with_what_people_gave(old: Course) -> None:
    old.ok("grade", "class", "--assignment", "tiny")
    assert rows((old.report / "marks.csv").read_text(encoding="utf-8")) == AS_IT_WAS
    by_id = {one["id"]: one for one in results(old.report)["submissions"]}
    assert by_id["perfect"]["comment"] == "Short and clear."
    compared = old.ok("compare", OLD / "results.json", old.report).out
    assert "3 submissions as before, 0 changed, 0 new, 0 gone." in compared
