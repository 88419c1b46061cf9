"""Whole pages, as a reviewer can open them.

`UPDATE_GOLDEN=1 pytest tests/reporting/test_report_golden.py` writes them anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from harness.model.result import RunResult, SubmissionResult
from harness.reporting.html.submission_pages import feedback_page, submission_page
from harness.reporting.terminal.cards import explain_failures
from harness.reporting.terminal.tables import explain_scenario, show_submission, summary_table
from harness.results.student_view import student_view
from tests.reporting.pages_read import assert_inert
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


def _terminal(thing: RenderableType) -> str:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(thing)
    return _without_blanks(capture.get())


def _without_blanks(text: str) -> str:
    """No blanks at the ends of lines."""
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


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
    "summary.txt": lambda: _terminal(summary_table(RUN, PLAN)),
    "summary-unfinished.txt": lambda: _terminal(summary_table(UNFINISHED, PLAN)),
    "check.txt": lambda: _without_blanks(
        explain_failures(student_view(MANY_FAULTS, PLAN), 20, width=100)
    ),
    "check-syntax-error.txt": lambda: _without_blanks(
        explain_failures(student_view(UNREADABLE, PLAN), width=100)
    ),
    "check-perfect.txt": lambda: _without_blanks(
        explain_failures(student_view(PERFECT, PLAN), width=100)
    ),
    "show.txt": lambda: _terminal(show_submission(MANY_FAULTS, PLAN)),
    "scenario.txt": lambda: explain_scenario(MANY_FAULTS.scenarios[6], PLAN.scenarios[6]),
}


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str) -> None:
    made = PAGES[name]()
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(made, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == made


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
