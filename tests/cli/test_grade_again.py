"""What a second run into the same folder runs again, and what it never loses."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from harness.results.store import Store
from tests.cli.test_grade_interrupted import with_workers_killed
from tests.tiny_course import Course, rows, submission


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
    again = graded.run("grade", "submissions/tiny", "--support", tmp_path)
    assert again.status == 0, again.err
    assert len(observed(graded) - before) == 13


def test_another_interpreter_runs_again(graded: Course) -> None:
    leave_only(graded, "perfect")
    before = observed(graded)
    again = graded.run("grade", "submissions/tiny", "--python", sys.executable)
    assert again.status == 0, again.err
    assert len(observed(graded) - before) == 13
    back = graded.run("grade", "submissions/tiny")
    assert back.status == 0
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
