"""A report folder that version 0.1 wrote is shown, compared, exported and graded on."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harness.results import RunSnapshot, read_snapshot
from tests.tiny_course import Course, results

OLD = Path(__file__).parents[1] / "fixtures" / "run_of_version_0_1"
MARKS = {"hard_coded_5": 4.62, "prints_total": 3.69, "syntax_error": 0.0}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The folder: its database from its text, and its results.json."""
    folder = tmp_path / "old"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "run.sqlite")) as database:
        database.executescript((OLD / "run.sql").read_text(encoding="utf-8"))
    shutil.copy(OLD / "results.json", folder)
    return folder


def without_path(snapshot: RunSnapshot) -> tuple[object, ...]:
    return (snapshot.assignment, snapshot.complete, snapshot.made_with, snapshot.entries)


def test_its_database_and_its_results_json_say_the_same(old: Path) -> None:
    stored, written = read_snapshot(old), read_snapshot(old / "results.json")
    assert without_path(stored) == without_path(written)
    assert {entry.id: float(entry.mark or 0) for entry in stored.entries} == MARKS
    failed = [each.id for each in stored.entries[1].scenarios if each.verdict != "passed"]
    assert len(failed) == 5


def test_it_is_shown_compared_and_exported(course: Course, old: Path) -> None:
    shown = course.run("show", old)
    assert (shown.status, "prints_total" in shown.out) == (0, True)
    same = course.run("compare", old, old / "results.json")
    assert same.out == "0 marks changed, 0 up and 0 down; 3 submissions as before.\n"
    for form, part in (("csv", "prints_total"), ("junit", "<testsuite"), ("json", '"causes"')):
        exported = course.run("export", old, "--to", form)
        assert (exported.status, exported.err) == (0, "")
        assert part in exported.out


def test_version_1_of_results_json_is_written_as_it_was(course: Course, old: Path) -> None:
    exported = course.run("export", old, "--to", "json", "--schema", "1")
    assert (exported.status, exported.err) == (0, "")
    found = json.loads(exported.out)
    for entry in found["submissions"]:
        assert entry.pop("isolation") == "alone"  # a key that was added since
    assert found == json.loads((OLD / "results.json").read_text(encoding="utf-8"))
    newest = json.loads(course.run("export", old, "--to", "json").out)
    assert (newest["schema_version"], len(newest["scenarios"])) == (2, 13)
    other = course.run("export", old, "--to", "csv", "--schema", "1")
    assert (other.status, other.err) == (2, "--schema is not for --to csv\n")


def test_it_is_graded_on(course: Course, old: Path) -> None:
    for name in ("perfect", "missing_total"):
        shutil.rmtree(course.path(f"submissions/tiny/{name}"))
    outcome = course.run("grade", "submissions/tiny", "--out", old)
    assert outcome.status == 0, outcome.err
    assert {each["id"]: each["mark"] for each in results(old)["submissions"]} == MARKS
