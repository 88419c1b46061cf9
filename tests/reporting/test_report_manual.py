"""Marks that a person gives, on every page that shows a mark."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from rich.console import Console

from harness.model.plan import ManualSlot
from harness.model.result import ManualMark, SubmissionStatus
from harness.model.verdict import Verdict, VerdictKind
from harness.reporting.html.submission_pages import feedback_page, submission_page
from harness.reporting.terminal.tables import show_submission
from harness.results.student_view import student_view
from tests.reporting.pages_read import assert_inert
from tests.reporting.report_samples import MANY_FAULTS, PLAN, result

STYLE = ManualSlot(id="style", title="Code <b>style", out_of=Fraction(4), clause="5.2")
REST = ManualSlot(id="rest", title="The rest", out_of=Fraction(1, 2))
RESULT = replace(
    MANY_FAULTS, manual=(ManualMark(slot=STYLE), ManualMark(slot=REST, mark=Fraction(1, 3)))
)
FAILED = Verdict(kind=VerdictKind.FAILED)
NOT_YET = "arked by hand: Code <b>style (clause 5.2): not marked yet (out of 4)"
GIVEN = "arked by hand: The rest: 0.33 of 0.5"


@pytest.mark.parametrize(
    "page",
    [submission_page(RESULT, PLAN), feedback_page(student_view(RESULT, PLAN))],
    ids=["lecturer", "student"],
)
def test_the_pages_show_them(page: str) -> None:
    escaped = NOT_YET.replace("<b>", "&lt;b&gt;")
    assert page.count(f"<li><bdi>M{escaped}</bdi></li>") == 1
    assert page.count(f"<li><bdi>M{GIVEN}</bdi></li>") == 1
    assert_inert(page)


def test_the_terminal_shows_them() -> None:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(show_submission(RESULT, PLAN))
    assert f"m{NOT_YET}\nm{GIVEN}\n" in capture.get()


def test_the_terminal_keeps_what_takes_no_marks_apart() -> None:
    lenient = result("ada", {"check_input/a-leading-zero": FAILED})
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(show_submission(lenient, PLAN))
    assert "✗" not in capture.get()
    assert capture.get().endswith("costs no marks, but differs: check_input: a leading zero\n")


def test_the_terminal_says_why_there_is_no_mark() -> None:
    why = "the attempt of noon was in time"
    withheld = replace(
        RESULT, status=SubmissionStatus.NEEDS_REVIEW, mark=None, scenarios=(), notes=(why,)
    )
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(show_submission(withheld, PLAN))
    assert capture.get().splitlines()[1:3] == [why, ""]
    assert "function" not in capture.get()
