"""A second run into the same folder, of the class or of a part of it: what it runs again, what it
refuses, and what it never loses.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from harness.results.store import Store
from tests.cli.test_grade_interrupted import with_workers_killed
from tests.tiny_course import Course, results, rows, submission


def marks(course: Course) -> dict[str, Any]:
    return {each["id"]: each["mark"] for each in results(course.report)["submissions"]}


def test_only_grades_some_and_keeps_the_others(graded: Course) -> None:
    before = marks(graded)
    reference = graded.path("reference/tiny/a1.py").read_text(encoding="utf-8")
    graded.write("submissions/tiny/prints_total/a1.py", reference)
    graded.write("submissions/tiny/hard_coded_5/a1.py", reference)
    outcome = graded.ok("grade", "submissions/tiny", "--only", "prints_total")
    assert "tiny: 1 submission, " in outcome.err
    assert marks(graded) == before | {"prints_total": 6.0}
    assert results(graded.report)["run"]["complete"] is True
    assert len(list(graded.report.glob("submissions/*.html"))) == len(before)


def test_a_part_named_by_its_path_with_only_is_added_as_well(graded: Course) -> None:
    before = marks(graded)
    cohort = results(graded.report)["run"]["cohort"]
    graded.ok("grade", "submissions/tiny/perfect", "--only", "perfect")
    assert marks(graded) == before
    run = results(graded.report)["run"]
    assert (run["complete"], run["cohort"]) == (True, cohort)


def test_a_part_without_only_is_refused_and_nothing_is_lost(graded: Course) -> None:
    before = (graded.report / "results.json").read_bytes()
    line = graded.refusal("grade", "submissions/tiny/perfect")
    assert "4 submissions that would be lost" in line
    assert "--only ID" in line
    assert (graded.report / "results.json").read_bytes() == before
    graded.ok("grade", "submissions/tiny/perfect", "--out", "reports/one")


def test_some_of_a_class_that_was_never_graded_is_no_complete_run(course: Course) -> None:
    course.ok("grade", "submissions/tiny", "--only", "perfect", "--only", "syntax_error")
    assert marks(course) == {"perfect": 6.0, "syntax_error": 0.0}
    assert results(course.report)["run"]["complete"] is False
    rest = course.run("grade", "submissions/tiny")
    assert ", 2 graded before" in rest.err
    assert results(course.report)["run"]["complete"] is True


def test_what_cannot_be_is_one_line(graded: Course) -> None:
    unknown = graded.run("grade", "submissions/tiny", "--only", "perfekt")
    assert unknown.err == "error: no submission has the id 'perfekt'. Hint: there is perfect\n"
    both = graded.run("grade", "submissions/tiny", "--only", "perfect", "--fresh")
    assert (both.status, both.err.count("\n")) == (2, 1)
    graded.edit("specs/tiny/total.yaml", "call: total([])\n", "call: total([])\n    points: 8\n")
    other = graded.run("grade", "submissions/tiny", "--only", "perfect")
    assert (other.status, "graded with other scenarios" in other.err) == (2, True)


def leave_only(course: Course, *names: str) -> None:
    """A class of these, so that a whole class is quickly graded again."""
    for folder in course.path("submissions/tiny").iterdir():
        if folder.is_dir() and folder.name not in names:
            shutil.rmtree(folder)


def observed(course: Course) -> set[str]:
    return {row[0] for row in rows(course.report, "observation")}


def test_other_provided_files_run_again(graded: Course, tmp_path: Path) -> None:
    leave_only(graded, "perfect")
    before = observed(graded)
    till = graded.path("reference/tiny/till.py").read_text(encoding="utf-8")
    (tmp_path / "till.py").write_text(f"{till}\nNEW = 1\n", encoding="utf-8")
    graded.ok("grade", "submissions/tiny", "--support", tmp_path)
    assert len(observed(graded) - before) == 13


def test_another_interpreter_runs_again(graded: Course) -> None:
    leave_only(graded, "perfect")
    before = observed(graded)
    graded.ok("grade", "submissions/tiny", "--python", sys.executable)
    assert len(observed(graded) - before) == 13
    graded.ok("grade", "submissions/tiny")
    assert len(observed(graded) - before) == 13  # the first interpreter's are still there


def test_our_own_failure_is_no_mark_and_does_not_take_an_earlier_one_away(graded: Course) -> None:
    leave_only(graded, "missing_total")
    right = graded.path("reference/tiny/a1.py").read_text(encoding="utf-8")
    graded.write("submissions/tiny/new/a1.py", right)
    graded.edit("specs/tiny/total.yaml", "call: total([])\n", "call: total([])\n    points: 8\n")
    complaint, killed = with_workers_killed(graded, "submissions/tiny")
    assert killed >= 2
    for name in ("missing_total", "new"):
        assert f"{name}: could not be graded: worker died" in complaint
    kept = submission(graded.report, "missing_total")
    assert (kept["status"], kept["mark"], kept["earlier"]) == ("graded", 5.08, True)
    assert kept["flagged"]
    assert kept["notes"][-1].startswith("the harness failed on this submission")
    failed = submission(graded.report, "new")
    assert (failed["status"], failed["mark"]) == ("harness_error", None)
    again = graded.run("grade", "submissions/tiny")
    assert (again.status, "graded before" in again.err) == (0, False)
    found = submission(graded.report, "missing_total")
    assert (found["mark"], found["earlier"], found["notes"]) == (3.3, False, [])
    assert submission(graded.report, "new")["mark"] == 6.0


def test_a_run_that_is_being_written_is_left_alone(graded: Course) -> None:
    with Store.open(graded.report / "run.sqlite"):
        second = graded.run("grade", "submissions/tiny")
    assert (second.status, second.out) == (2, "")
    assert second.err == (
        f"error: {graded.report / 'run.sqlite'}: another run is writing these results. "
        "Hint: wait for it or choose another folder with --out\n"
    )
