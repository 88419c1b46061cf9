"""Whole pages, as a reviewer can open them.

`UPDATE_GOLDEN=1 pytest tests/reporting/test_report_golden.py` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from harness.model.result import RunResult, SubmissionResult
from harness.reporting.html.submission_pages import feedback_page, submission_page
from harness.reporting.terminal.cards import explain_failures
from harness.reporting.terminal.tables import explain_scenario, show_submission, summary_table
from harness.results.student_view import student_view
from tests.reporting.pages_read import assert_golden, assert_inert, on_terminal, without_blanks
from tests.reporting.report_samples import (
    FACTS,
    IMPORT_ASKS,
    MANY_FAULTS,
    OUR_FAULT,
    PERFECT,
    PLAN,
    RUN,
    UNREADABLE,
    WRONG_NAME,
    class_page,
)

GOLDEN = Path(__file__).parent / "golden"
UNFINISHED = RunResult(
    facts=replace(
        FACTS,
        complete=False,
        finished="",
        python="3.11.7",
        notices=("No Python 3.12 was found; graded with the nearest one.",),
    ),
    submissions=(OUR_FAULT,),
)


def _feedback(result: SubmissionResult) -> str:
    return feedback_page(student_view(result, PLAN))


def _check(result: SubmissionResult, most: int = 3) -> str:
    return without_blanks(explain_failures(student_view(result, PLAN), most, width=100))


PAGES: dict[str, Callable[[], str]] = {
    "index.html": lambda: class_page(RUN, PLAN),
    "index-unfinished.html": lambda: class_page(UNFINISHED, PLAN),
    "index-empty.html": lambda: class_page(RunResult(facts=FACTS, submissions=()), PLAN),
    "submission-many-faults.html": lambda: submission_page(MANY_FAULTS, PLAN),
    "submission-perfect.html": lambda: submission_page(PERFECT, PLAN),
    "submission-our-fault.html": lambda: submission_page(OUR_FAULT, PLAN),
    "feedback-many-faults.html": lambda: _feedback(MANY_FAULTS),
    "feedback-perfect.html": lambda: _feedback(PERFECT),
    "feedback-asks-at-import.html": lambda: _feedback(IMPORT_ASKS),
    "feedback-syntax-error.html": lambda: _feedback(UNREADABLE),
    "feedback-wrong-name.html": lambda: _feedback(WRONG_NAME),
    "feedback-our-fault.html": lambda: _feedback(OUR_FAULT),
    "summary.txt": lambda: on_terminal(summary_table(RUN, PLAN)),
    "summary-unfinished.txt": lambda: on_terminal(summary_table(UNFINISHED, PLAN)),
    "check.txt": lambda: _check(MANY_FAULTS, 20),
    "check-syntax-error.txt": lambda: _check(UNREADABLE),
    "check-perfect.txt": lambda: _check(PERFECT),
    "show.txt": lambda: on_terminal(show_submission(MANY_FAULTS, PLAN)),
    "scenario.txt": lambda: explain_scenario(MANY_FAULTS.scenarios[6], PLAN.scenarios[6]),
}


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str) -> None:
    assert_golden(GOLDEN / name, PAGES[name]())


@pytest.mark.parametrize("name", [name for name in PAGES if name.endswith(".html")])
def test_structure(name: str) -> None:
    """One h1, no heading level skipped, a main part, table headers, a language."""
    page = assert_inert(PAGES[name](), scripts=1 if name.startswith("index") else 0)
    tags = [tag for tag, _ in page.elements]
    levels = [int(tag[1]) for tag in tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert tags.count("main") == 1
    assert ("html", {"lang": "en"}) in page.elements
    assert tags.count("table") <= tags.count("th")
    identifiers = [a["id"] for _, a in page.elements if "id" in a]
    assert len(identifiers) == len(set(identifiers))


def test_no_golden_is_left_over() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(PAGES)
