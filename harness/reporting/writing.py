"""Reports on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.model.plan import Plan, Visibility
from harness.model.result import RunResult, SubmissionResult
from harness.reporting import files, pages
from harness.results import results_json, student_view

ALWAYS = frozenset({Visibility.VISIBLE})
INDEX = "index.html"


def write_reports(
    run: RunResult, plan: Plan, folder: Path, *, visible: frozenset[Visibility] = ALWAYS
) -> Path:
    """Write every page of a run below `folder`; return the path of `index.html`.

    `visible` says which visibilities students may see by now. Raises OSError where the folder
    cannot be written; no page is ever left half written.
    """
    for result in run.submissions:
        write_submission(result, plan, folder, visible=visible)
    return write_index(run, plan, folder)


def mark_unfinished(run: RunResult, plan: Plan, folder: Path) -> None:
    """Where a report is there already, have its class page say that it is not complete, until
    `write_reports` has replaced all of it: pages of two runs must not pass for one report.

    Raises OSError.
    """
    if (folder / INDEX).exists():
        facts = replace(run.facts, complete=False, finished="")
        write_index(replace(run, facts=facts), plan, folder)


def write_results(run: RunResult, plan: Plan, folder: Path) -> Path:
    """Write `results.json`, whole or not at all; return its path. Raises OSError."""
    path = folder / "results.json"
    files.write(path, results_json(run, plan))
    return path


def write_submission(
    result: SubmissionResult,
    plan: Plan,
    folder: Path,
    *,
    visible: frozenset[Visibility] = ALWAYS,
) -> tuple[Path, Path]:
    """Write one submission's two pages; return the lecturer's and the student's path."""
    names = _page_paths(result.id)
    files.remember(folder, names)
    lecturers, students = (folder / name for name in names)
    files.write(lecturers, pages.submission_page(result, plan))
    files.write(students, pages.feedback_page(student_view(result, plan, visible=visible)))
    return lecturers, students


def write_index(run: RunResult, plan: Plan, folder: Path) -> Path:
    """Write the class page alone, for when the submissions' pages are there already. After a
    complete run, pages of submissions that are gone are removed."""
    if run.facts.complete:
        keep = {name for result in run.submissions for name in _page_paths(result.id)}
        files.remove_stale(folder, keep)
    index = folder / INDEX
    files.write(index, pages.class_page(run, plan))
    return index


def _page_paths(submission_id: str) -> tuple[str, str]:
    name = files.page_name(submission_id)
    return f"submissions/{name}", f"feedback/{name}"
