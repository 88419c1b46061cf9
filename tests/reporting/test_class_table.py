"""The class as a terminal shows it: nothing is cropped, and no number is broken."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from harness.model.plan import ManualSlot
from harness.model.result import ManualMark, RunResult
from harness.model.submission import Student
from harness.reporting.terminal.tables import show_submission, summary_table
from tests.reporting.pages_read import on_terminal
from tests.reporting.report_samples import FACTS, MANY_FAULTS, PERFECT, PLAN, UNREADABLE
from tests.reporting.test_late_marks import TWO_DAYS

STYLE = ManualSlot(id="style", title="Code style", out_of=Fraction(4))
CLEO = Student(id="9", name="Cleo Annabelle Larsen-Okafor")
WAITING = (ManualMark(slot=STYLE),)
CLASS = RunResult(
    facts=FACTS,
    submissions=(
        replace(MANY_FAULTS, student=CLEO, late=TWO_DAYS, manual=WAITING),
        replace(PERFECT, id="a-very-" + "long-" * 9 + "id", manual=WAITING),
        replace(UNREADABLE, manual=WAITING),
    ),
)


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_every_number_is_whole_at_every_width(width: int) -> None:
    text = on_terminal(summary_table(CLASS, PLAN), width)
    assert max(map(len, text.splitlines())) <= width
    for whole in ("0.00/10", "6.46/10", "0.88/6", "3/12", "12/12", "check_win 0/2", "main 0/1"):
        assert re.search(rf"(?<![\w/.]){re.escape(whole)}(?![\w/.])", text), whole
    assert "mark so far" in text
    assert "2 days (-20 %), 1 slip day" in " ".join(text.split())


def test_there_is_a_line_a_row_where_there_is_room() -> None:
    text = on_terminal(summary_table(CLASS, PLAN), 220)
    assert len(text.splitlines()) == 1 + len(CLASS.submissions)


def test_one_submission_begins_with_the_name_and_the_mark_that_counts() -> None:
    first, *rest = on_terminal(show_submission(CLASS.submissions[0], PLAN)).splitlines()  # type: ignore[index]
    assert first.startswith("many-faults Cleo Annabelle Larsen-Okafor")
    assert "0.00/10 so far" in first
    assert rest[0].startswith("0.88 functionality + Code style (not marked yet, of 4) - 0.88 late")
