"""What was rescued by the course's own module, and what was not, on every page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

from harness.model.result import SubmissionResult
from harness.model.verdict import Explanation, StandInOutcome
from harness.reporting.html.submission_pages import feedback_page, submission_page
from harness.reporting.terminal.tables import show_submission
from harness.results import student_view
from tests.reporting.pages_read import assert_inert
from tests.reporting.report_samples import (
    ACCEPTS,
    BOARD,
    HOURS,
    LABELS,
    PASSED,
    PLAN,
    REFUSES,
    failed,
    result,
)

WORKS = "With the <course>'s own module this works"
FAILS = "returned 1. This was with the course's own module in place of yours"
RESCUED = replace(
    PASSED,
    explanation=Explanation(rule="stand_in_passed", message=WORKS),
    stand_in=StandInOutcome.PASSED,
)
BEYOND = replace(failed("wrong_value", FAILS), stand_in=StandInOutcome.FAILED)
RESULT = result("ada", {HOURS.id: RESCUED, BOARD.id: RESCUED, REFUSES.id: BEYOND})
ONE = result("one", {LABELS.id: RESCUED})
NONE = result("none", {ACCEPTS.id: BEYOND})
COUNTED = "2 checks pass only with the course's own file in place of one"


def inside_html(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#39;")


@pytest.mark.parametrize("students", [False, True])
def test_a_page_says_what_was_rescued(students: bool) -> None:
    def page(of: SubmissionResult) -> str:
        view = student_view(of, PLAN)
        return feedback_page(view) if students else submission_page(of, PLAN)

    made = page(RESULT)
    assert_inert(made)
    assert made.count(f"<bdi>{inside_html(WORKS)}</bdi>") == 2
    assert inside_html(FAILS) in made
    assert inside_html(COUNTED) in made
    assert "1 check passes only with" in page(ONE)
    assert "There is nothing to fix" not in page(ONE)
    assert "only with the course" not in page(NONE)


def test_the_terminal_says_how_many() -> None:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(show_submission(RESULT, PLAN))
    assert f"{COUNTED} of the submission's\n" in capture.get()
