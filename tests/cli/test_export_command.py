"""`harness export` and `harness manual` on a real run."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest

from harness.cli.options import login_name
from harness.model.review import Change, Commented
from harness.results.store import Store, record
from tests.cli.test_bad_input import files_up_to, without_privilege
from tests.tiny_course import Course, results, submission

MANUAL = """\
manual:
  - {id: style, title: Code style, out_of: 4}
  - {id: report, title: The report, out_of: 2.5}
policy: policy.yaml
"""


@pytest.fixture(scope="module")
def with_slots_once(graded_once: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The tiny course with two manual slots, graded."""
    course = Course.copy(graded_once.root, tmp_path_factory.mktemp("slots") / "course")
    course.edit("specs/tiny/assignment.yaml", "policy: policy.yaml\n", MANUAL)
    assert course.run("grade", "submissions/tiny").status == 0
    return course


@pytest.fixture
def with_slots(with_slots_once: Course, tmp_path: Path) -> Course:
    return Course.copy(with_slots_once.root, tmp_path / "course")


def exported(course: Course, form: str, *more: str | Path) -> str:
    return course.ok("export", "reports/tiny", "--to", form, *more).out


def test_json_is_the_runs_own(graded_once: Course) -> None:
    own = (graded_once.report / "results.json").read_text(encoding="utf-8")
    assert exported(graded_once, "json") == own


def test_junit_counts(graded_once: Course) -> None:
    root = ElementTree.fromstring(exported(graded_once, "junit").split("\n", 1)[1])
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == [entry["id"] for entry in results(graded_once.report)["submissions"]]
    assert suites["perfect"].get("failures") == "0"
    assert suites["syntax_error"].get("failures") == suites["syntax_error"].get("tests") == "13"


def test_csv_into_a_file(graded_once: Course, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    assert exported(graded_once, "csv", "-o", path) == f"Wrote {path}\n"
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert {row["id"]: row["total"] for row in rows} == {
        "hard_coded_5": "4.62",
        "missing_total": "5.08",
        "perfect": "6.00",
        "prints_total": "3.69",
        "syntax_error": "0.00",
    }


def test_feedback_has_nothing_hidden(graded_once: Course, tmp_path: Path) -> None:
    path = tmp_path / "feedback.zip"
    exported(graded_once, "feedback", "-o", path)
    with zipfile.ZipFile(path) as archive:
        pages = {name: archive.read(name) for name in archive.namelist()}
    assert pages == {
        path.name: path.read_bytes() for path in (graded_once.report / "feedback").iterdir()
    }
    assert not any(b"4711" in page for page in pages.values())


def test_a_gradebook_by_id_and_what_is_left_over(graded_once: Course, tmp_path: Path) -> None:
    book = tmp_path / "book.csv"
    book.write_text(
        "Student,ID,SIS Login ID,A tiny till (9)\n"
        "x,1,perfect,\nx,2,missing_total,EX\nx,3,nobody,4\n",
        encoding="utf-8",
    )
    outcome = graded_once.ok("export", "reports/tiny", "--to", "canvas", "--gradebook", book)
    rows = list(csv.reader(io.StringIO(outcome.out, newline="")))
    assert [row[3] for row in rows] == ["A tiny till (9)", "6.00", "EX", "4"]
    assert outcome.err.splitlines() == [
        f"{book}:3: x is excused (EX); it stays so",
        f"{book}:4: x has no submission; the row stays",
        f"{book}: submission hard_coded_5 has no row (or more than one)",
        f"{book}: submission prints_total has no row (or more than one)",
        f"{book}: submission syntax_error has no row (or more than one)",
        f"{book}: --match FILE says which row is whose",
    ]


def test_before_anybody_gave_marks_that_is_one_line(with_slots: Course, tmp_path: Path) -> None:
    arguments = ("export", "reports/tiny", "--to", "blackboard")
    book = with_slots.write(
        "book.csv", "Username,A tiny till [Total Pts: 12.5 Score] |1\nperfect,\nnobody,\n"
    )
    said = "there is not one mark in this file: 5 submissions wait for Code style, The report; "
    said += "--marks functionality exports without the marks that people give"
    assert with_slots.run(*arguments).err.splitlines() == [said]
    assert with_slots.run(*arguments, "--gradebook", book).err.splitlines() == [
        f"{book}:3: nobody has no submission; the row stays",
        *(
            f"{book}: submission {each} has no row (or more than one)"
            for each in ("hard_coded_5", "missing_total", "prints_total", "syntax_error")
        ),
        f"{book}: --match FILE says which row is whose",
        said,
    ]


def test_marks_that_people_give(with_slots: Course) -> None:
    template = with_slots.path("marks.csv")
    exported(with_slots, "manual-marks", "-o", template)
    rows = list(csv.reader(template.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == [
        *("id", "name", "style (out of 4)", "report (out of 2.5)"),
        *("adjustment", "reason", "comment"),
    ]
    given = {"perfect": ["3.5", "1/3", "", "", "Nice."], "prints_total": ["2", "", "", "", ""]}
    given["missing_total"] = ["0", "0", "-5", "copied", ""]
    for row in rows[1:]:
        row[2:] = given.get(row[0], row[2:])
    with template.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    done = with_slots.run("manual", "reports/tiny", template)
    assert (done.status, done.err) == (0, "")
    assert done.out == "3 submissions changed; 2 of 5 have their whole mark\n"

    perfect = submission(with_slots.report, "perfect")
    assert (perfect["mark"], perfect["total"], perfect["total_out_of"]) == (6.0, 9.83, 12.5)
    assert submission(with_slots.report, "missing_total")["total"] == 0.08
    assert submission(with_slots.report, "prints_total")["total"] is None
    for folder in ("submissions", "feedback"):
        page = (with_slots.report / folder / "perfect.html").read_text(encoding="utf-8")
        assert "Total: 9.83 of 12.5" in page
        assert "Comment: Nice." in page

    book = with_slots.write(
        "book.csv", "Username,A tiny till [Total Pts: 12.5 Score] |1\nperfect,\nprints_total,\n"
    )
    outcome = with_slots.run("export", "reports/tiny", "--to", "blackboard", "--gradebook", book)
    assert outcome.out.splitlines()[1:] == ["perfect,9.83", "prints_total,"]
    line = f"{book}:3: prints_total has no mark: no mark yet for The report"
    assert outcome.err.splitlines()[0] == line
    alone = ("--gradebook", book, "--marks", "functionality")
    outcome = with_slots.run("export", "reports/tiny", "--to", "blackboard", *alone)
    assert outcome.out.splitlines()[1:] == ["perfect,6.00", "prints_total,3.69"]

    before = results(with_slots.report)
    for fresh in ([], ["--fresh"]):
        assert with_slots.run("grade", "submissions/tiny", *fresh).status == 0
        assert results(with_slots.report) == before
    again = with_slots.run("manual", "reports/tiny", template)
    assert again.out == "0 submissions changed; 2 of 5 have their whole mark\n"


def test_a_file_with_mistakes_is_refused_whole(with_slots: Course) -> None:
    before = results(with_slots.report)
    file = with_slots.write("m.csv", "id,style,adjustment,reason\nperfect,4\neve,1\nperfect,9,1\n")
    outcome = with_slots.run("manual", "reports/tiny", file)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.splitlines() == [
        f"error: {file}:3: there is no submission 'eve' in this run",
        f"error: {file}:4: perfect has a row above already",
    ]
    assert results(with_slots.report) == before
    assert exported(with_slots, "json") == (with_slots.report / "results.json").read_text("utf-8")


def test_an_incomplete_run_is_said_to_be_so(graded: Course) -> None:
    with closing(sqlite3.connect(graded.report / "run.sqlite")) as database, database:
        (facts,) = database.execute("SELECT facts FROM run").fetchone()
        half = json.dumps({**json.loads(facts), "complete": False})
        database.execute("UPDATE run SET facts = ?", (half,))
    outcome = graded.run("export", "reports/tiny", "--to", "csv")
    assert outcome.err == "this run is not complete: it is not a result. Grade again first\n"


def test_a_full_disk_leaves_the_old_file(graded: Course) -> None:
    path = graded.write("marks.xml", "the old file")
    arguments = ("export", "reports/tiny", "--to", "junit", "-o", path)
    outcome = graded.run(*arguments, before=files_up_to(1000))
    assert (outcome.status, outcome.out) == (2, "")
    hint = "Hint: free disk space and run the same command again"
    assert outcome.err == f"error: {path}: file too large. {hint}\n"
    assert path.read_text(encoding="utf-8") == "the old file"
    assert [each.name for each in graded.root.iterdir() if "tmp" in each.name] == []


def test_a_file_that_may_not_be_written(graded: Course) -> None:
    folder = graded.path("locked")
    folder.mkdir(mode=0o555)
    for command in (
        ("export", "reports/tiny", "--to", "csv"),
        ("compare", "reports/tiny", "reports/tiny", "--to", "csv"),
        ("handout", "tiny"),
    ):
        outcome = graded.run(*command, "-o", folder / "new", before=without_privilege)
        assert (outcome.status, outcome.out) == (2, "")
        hint = "Hint: choose a writable folder"
        assert outcome.err == f"error: {folder / 'new'}: permission denied. {hint}\n"
        assert list(folder.iterdir()) == []


def test_a_folder_that_may_not_be_written(with_slots: Course) -> None:
    file = with_slots.write("m.csv", "id,style\nperfect,4\n")
    before = results(with_slots.report)
    with_slots.report.chmod(0o555)
    try:
        refused = with_slots.run("manual", "reports/tiny", file, before=without_privilege)
        again = with_slots.run("export", "reports/tiny", "--to", "csv", before=without_privilege)
    finally:
        with_slots.report.chmod(0o755)
    assert (refused.status, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert results(with_slots.report) == before
    assert again.status == 0


def test_marks_do_not_come_in_while_another_run_writes(with_slots: Course) -> None:
    file = with_slots.write("m.csv", "id,style\nperfect,4\n")
    with Store.open(with_slots.report / "run.sqlite"):
        outcome = with_slots.run("manual", "reports/tiny", file)
    assert (outcome.status, outcome.out) == (2, "")
    assert "another run is writing these results" in outcome.err


def test_the_marks_of_two_tutors_are_put_together(with_slots: Course, tmp_path: Path) -> None:
    """Each has a copy of the report; what both changed to something else is named."""
    ben = tmp_path / "ben"
    shutil.copytree(with_slots.report, ben)
    sides = ((with_slots.report, "3", "missing_total"), (ben, "2", "prints_total"))
    for folder, mark, alone in sides:
        table = with_slots.write("m.csv", f"id,style\nperfect,{mark}\n{alone},1\n")
        assert with_slots.run("manual", folder, table).status == 0
    done = with_slots.run("manual", "reports/tiny", ben)
    who = login_name() or "somebody"
    assert done.err == (
        f"conflict: perfect: mark style: 3.00 by {who} here, 2.00 by {who} there; "
        "now 2.00, by the later changes\n"
    )
    assert done.out == "2 changes to 2 submissions taken; 0 of 5 have their whole mark\n"
    marks = {
        name: submission(with_slots.report, name)["manual"][0]["mark"]
        for name in ("perfect", "prints_total", "missing_total")
    }
    assert marks == {"perfect": 2.0, "prints_total": 1.0, "missing_total": 1.0}
    again = with_slots.run("manual", "reports/tiny", ben / "run.sqlite")
    assert (again.out.split(";")[0], again.err) == ("0 changes to 0 submissions taken", "")
    itself = with_slots.run("manual", "reports/tiny", "reports/tiny")
    assert itself.err == "error: reports/tiny: is the run itself\n"


def test_feedback_has_what_was_said_since_the_pages_were_written(with_slots: Course) -> None:
    said = Change(who="ann", assignment="", submission="perfect", action=Commented(text="Neat."))
    record(with_slots.report / "run.sqlite", [said])
    exported(with_slots, "feedback", "-o", with_slots.path("f.zip"))
    with zipfile.ZipFile(with_slots.path("f.zip")) as archive:
        assert b"Comment: Neat." in archive.read("perfect.html")
        assert b"Neat." not in archive.read("prints_total.html")
