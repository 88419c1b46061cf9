"""`harness compare` on real runs: whose mark changed, through what, and what is no run."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.tiny_course import Course


@pytest.fixture(scope="module")
def regraded(graded_once: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The graded course with its run in reports/old, graded again after some changes."""
    course = Course.copy(graded_once.root, tmp_path_factory.mktemp("again") / "course")
    shutil.copytree(course.report, course.path("reports/old"))
    anything = "returns: {any: true}\n    prints: {any: true}\n"
    course.edit("specs/tiny/total.yaml", "returns: 0\n", anything)
    changed = "submissions/tiny/hard_coded_5/a1.py"
    course.edit(changed, "basket.append(amount)", "basket.insert(0, amount)")
    shutil.copytree(course.path("submissions/tiny/perfect"), course.path("submissions/tiny/twin"))
    shutil.rmtree(course.path("submissions/tiny/missing_total"))
    assert course.run("grade", "submissions/tiny").status == 0
    return course


def table(course: Course, *arguments: str | Path) -> list[dict[str, str]]:
    outcome = course.run("compare", *arguments, "--to", "csv")
    assert (outcome.status, outcome.err) == (0, "")
    return list(csv.DictReader(outcome.out.splitlines()))


def test_every_changed_mark_has_its_reason(regraded: Course) -> None:
    rows = table(regraded, "reports/old", "reports/tiny")
    told = {row["submission"]: (row["change"], row["files"]) for row in rows}
    assert told == {
        "hard_coded_5": ("-0.93", "changed"),
        "missing_total": ("", "gone"),
        "prints_total": ("+0.46", "same"),
        "twin": ("", "new"),
    }
    (through,) = (row["through"] for row in rows if row["submission"] == "prints_total")
    assert through == "total/an-empty-basket: failed before, passed now (+0.46)"


def test_the_same_from_results_json(regraded: Course) -> None:
    folders = table(regraded, "reports/old", "reports/tiny")
    files = table(regraded, "reports/old/results.json", "reports/tiny/results.json")
    assert files == folders
    copied = regraded.write("elsewhere/results.json", "")
    shutil.copy(regraded.report / "results.json", copied)
    assert table(regraded, "reports/old/run.sqlite", "elsewhere") == folders


def test_a_results_json_of_an_earlier_harness_is_the_same_run(
    regraded: Course, tmp_path: Path
) -> None:
    old = json.loads((regraded.report / "results.json").read_text(encoding="utf-8"))
    for entry in old["submissions"]:
        for added in ("adjustment", "comment", "total", "total_out_of", "earlier"):
            del entry[added]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(old), encoding="utf-8")
    assert table(regraded, path, "reports/tiny") == []


def test_a_table_for_the_terminal(regraded: Course) -> None:
    outcome = regraded.run("compare", "reports/old", "reports/tiny")
    assert (outcome.status, outcome.err) == (0, "")
    assert "2 marks changed, 1 up and 1 down.\n" in outcome.out
    assert outcome.out.endswith("\n2 submissions as before, 2 changed, 1 new, 1 gone.\n")
    assert "Different in the two runs: the scenarios." in outcome.out
    assert "total/an-empty-basket: 1 pass it now, 0 no longer (files unchanged)." in outcome.out
    same = regraded.run("compare", "reports/old", "reports/old")
    assert same.out == "5 submissions as before, 0 changed, 0 new, 0 gone.\n"


def test_a_page_in_a_file(regraded: Course, tmp_path: Path) -> None:
    page = tmp_path / "changes.html"
    arguments = ("reports/old", "reports/tiny", "--to", "html", "-o", page)
    outcome = regraded.run("compare", *arguments)
    assert (outcome.status, outcome.out) == (0, f"Wrote {page}\n")
    assert "total/an-empty-basket" in page.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [page]


def test_an_incomplete_run_is_said_to_be_so(regraded: Course, tmp_path: Path) -> None:
    folder = tmp_path / "half"
    shutil.copytree(regraded.report, folder)
    with closing(sqlite3.connect(folder / "run.sqlite")) as database, database:
        (facts,) = database.execute("SELECT facts FROM run").fetchone()
        half = json.dumps({**json.loads(facts), "complete": False})
        database.execute("UPDATE run SET facts = ?", (half,))
    outcome = regraded.run("compare", "reports/old", folder)
    assert f"The new run ({folder}) is not complete: it is not a result." in outcome.out
    page = regraded.run("compare", "reports/old", folder, "--to", "html", "-o", tmp_path / "p.html")
    assert page.err == f"{folder}: this run is not complete: it is not a result\n"
