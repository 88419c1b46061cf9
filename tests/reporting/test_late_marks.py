"""What lateness takes of a mark: exactly, and in every page and file that shows a mark."""

import csv
import io
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model.assignment import LateOf, LatePolicy, Period, TimeUnit
from harness.model.plan import ManualSlot
from harness.model.result import Adjustment, ManualMark, Override, SubmissionResult
from harness.model.review import Adjusted
from harness.model.submission import Lateness
from harness.reporting.export import exporters
from harness.reporting.export.anonymous import anonymous
from harness.reporting.export.exporter import ExportRequest, Marks
from harness.reporting.export.manual_marks import read_manual
from harness.reporting.export.marks_csv import marks_csv
from harness.reporting.terminal.tables import show_submission, summary_table
from harness.reporting.two_runs import comparison_table
from harness.reporting.view import words
from harness.results.comparing import compare_runs
from tests.reporting.pages_read import on_terminal, refusal
from tests.reporting.report_samples import PERFECT, PLAN, RUN, both_pages, class_page
from tests.reporting.test_manual_marks import NEW, OLD, SAME, sheet
from tests.results.test_results_json import plain

DUE = "2024-09-24T17:00:00+10:00"
STYLE = ManualSlot(id="style", title="Code style", out_of=Fraction(4))
COURSE = replace(PLAN, assignment=replace(PLAN.assignment, late=LatePolicy(slip_days=1)))
TWO_DAYS = Lateness(
    due=DUE, begun=Period(count=2, unit=TimeUnit.DAY), share=Fraction(1, 5), slip_days=1
)
OF_REACHED = replace(TWO_DAYS, of=LateOf.REACHED, slip_days=0)
AN_HOUR = replace(OF_REACHED, begun=Period(count=1, unit=TimeUnit.HOUR), share=Fraction(1, 200))
SLIP_ONLY = Lateness(due=DUE, slip_days=2)
FORGIVEN = Lateness(due=DUE)


def marked(
    mark: str | None = "4.5",
    style: str | None = "3",
    late: Lateness | None = TWO_DAYS,
    adjusted: str = "",
) -> SubmissionResult:
    given = ManualMark(slot=STYLE, mark=None if style is None else Fraction(style))
    return replace(
        PERFECT,
        mark=None if mark is None else Fraction(mark),
        manual=(given,),
        late=late,
        adjustment=Adjustment(marks=Fraction(adjusted), reason="ill") if adjusted else None,
    )


# Of a mark out of 6 and style out of 4: before lateness, what that takes, the total.
TOTALS = {
    "of the total": (marked(), ("7.5", "2", "5.5")),
    "of what is reached": (marked(late=OF_REACHED), ("7.5", "1.5", "6")),
    "a part of an hour": (marked(late=AN_HOUR), ("7.5", "0.0375", "7.4625")),
    "in time": (marked(late=None), ("7.5", "0", "7.5")),
    "slip days": (marked(late=SLIP_ONLY), ("7.5", "0", "7.5")),
    "never below 0": (marked("0.5", "1"), ("1.5", "1.5", "0")),
    "an adjustment is not lessened": (marked(adjusted="1"), ("7.5", "2", "6.5")),
    "nor lost below 0": (marked("0.5", "1", adjusted="1"), ("1.5", "1.5", "1")),
    "an adjustment below 0": (marked(late=None, adjusted="-9"), ("7.5", "0", "0")),
    "an adjustment above the maximum": (marked(late=None, adjusted="9"), ("7.5", "0", "10")),
    "nothing by hand": (replace(marked(late=None), manual=()), ("4.5", "0", "4.5")),
    "a mark put in its place": (
        replace(marked(), override=Override(mark=Fraction(6), reason="ours")),
        ("9", "2", "7"),
    ),
    "not marked yet": (marked(style=None), (None, None, None)),
    "no mark": (marked(None), (None, None, None)),
    "thirds": (marked("1/3", "1/3", OF_REACHED), ("2/3", "2/15", "8/15")),
}


@pytest.mark.parametrize(("result", "parts"), TOTALS.values(), ids=TOTALS)
def test_the_total(result: SubmissionResult, parts: tuple[str | None, ...]) -> None:
    exact = tuple(None if each is None else Fraction(each) for each in parts)
    assert (result.reached, result.late_marks, result.total) == exact


MARKS = st.fractions(0, 6, max_denominator=60)


@given(
    mark=MARKS,
    share=st.fractions(0, 1, max_denominator=1000),
    of=st.sampled_from(LateOf),
    adjusted=st.none() | st.fractions(-12, 12, max_denominator=8),
)
def test_the_late_deduction_and_the_mark_add_up_to_the_marks_reached(
    mark: Fraction, share: Fraction, of: LateOf, adjusted: Fraction | None
) -> None:
    late = replace(TWO_DAYS, share=share, of=of)
    result = marked(str(mark), "2", late, "" if adjusted is None else str(adjusted))
    taken = result.late_marks
    assert taken is not None
    assert result.reached == mark + 2
    assert 0 <= taken <= mark + 2
    left = mark + 2 - taken
    assert replace(result, adjustment=None).total == left
    assert result.total == max(Fraction(0), min(Fraction(10), left + (adjusted or 0)))


LINES = {
    "1 slip day used; counted as 2 days, minus 20 % of the total; "
    "7.50 before, 5.50 after": marked(),
    "counted as 1 hour, minus 0.5 % of the marks reached; 7.50 before, 7.46 after": marked(
        late=AN_HOUR
    ),
    "2 slip days used": marked(late=SLIP_ONLY),
    "within the grace period, no penalty": marked(late=FORGIVEN),
    "1 slip day used; counted as 2 days, minus 20 % of the total": marked(style=None),
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_the_account_in_every_place(line: str) -> None:
    result = LINES[line]
    said = f"ate: due 2024-09-24 17:00; {line}"
    assert f"l{said}" in words.account(result)
    assert words.whole_comment(replace(result, comment="Good.")) == f"L{said}\nGood."
    assert f"\nl{said}\n" in on_terminal(show_submission(result, COURSE), 200)
    for page in both_pages(result, COURSE):
        assert page.count(f"<li><bdi>L{said}</bdi></li>") == 1


def test_totals_stand_where_they_are_less_for_being_late() -> None:
    for result, is_less in ((marked(), True), (marked(late=SLIP_ONLY), False)):
        lecturers, students = both_pages(result, COURSE)
        mark, taken = ("5.50", "- 2.00 late (20 % of the total) ") if is_less else ("7.50", "")
        assert f"<b>{mark} <small>/ 10</small></b><span>mark (graded)" in lecturers
        assert f"<b>{mark}</b> of 10 marks" in students
        whole = f"4.50 functionality + 3.00 Code style {taken}= {mark} of 10"
        assert lecturers.count(whole) == students.count(whole) == 1
    alone = replace(marked(), manual=())
    run = replace(RUN, submissions=(replace(alone, late=FORGIVEN),))
    assert "<span>Functionality</span>" not in class_page(run, COURSE)
    run = replace(RUN, submissions=(alone,))
    assert '<td class="number">3.30</td>' in class_page(run, COURSE)
    assert "3.30" in on_terminal(summary_table(run, COURSE), 120).splitlines()[1]


def test_marks_csv_has_both_marks() -> None:
    run = replace(RUN, submissions=(marked(), marked(style=None), marked(late=SLIP_ONLY)))
    rows = list(csv.DictReader(io.StringIO(marks_csv(run, COURSE))))
    columns = ("before lateness", "late", "slip days", "late marks", "total")
    assert [[row[name] for name in columns] for row in rows] == [
        ["7.50", "2 days", "1", "2.00", "5.50"],
        ["", "2 days", "1", "", ""],
        ["7.50", "", "2", "0.00", "7.50"],
    ]
    assert "late marks" not in marks_csv(run, PLAN)


def test_results_json_has_both_marks_and_why() -> None:
    run = replace(RUN, submissions=(marked(), replace(marked(late=None), id="z")))
    late, in_time = plain(run, COURSE)["submissions"]
    assert late["late"] == {
        "due": DUE,
        "begun": {"count": 2, "unit": "day"},
        "slip_days": 1,
        "of": "total",
        "percent": 20.0,
        "before": 7.5,
        "marks": 2.0,
    }
    assert (late["mark"], late["total"]) == (4.5, 5.5)
    assert "late" not in in_time


LATE = replace(RUN, submissions=(marked(),))


@pytest.mark.parametrize(
    ("marks", "mark"),
    [(Marks.TOTAL, "5.50"), (Marks.BEFORE_LATENESS, "7.50"), (Marks.FUNCTIONALITY, "4.50")],
)
def test_a_gradebook_has_the_marks_that_are_asked_for(marks: Marks, mark: str) -> None:
    request = ExportRequest(run=LATE, plan=COURSE, folder=Path(), marks=marks)
    data = exporters()["canvas"].export(request).data.decode()
    assert data.splitlines()[-1].endswith(f",{mark}")


def test_anonymous_pages_show_no_individual_due_times() -> None:
    (hidden,) = anonymous(LATE).submissions
    assert hidden.late == replace(TWO_DAYS, due="")
    assert hidden.total == marked().total


def test_an_adjustment_by_hand_is_held_to_what_lateness_leaves() -> None:
    class_ = replace(RUN, submissions=(replace(marked(), id="ada"),))
    course = replace(COURSE, assignment=replace(COURSE.assignment, manual=(STYLE,)))
    rows = "id,adjustment,reason\nada,{},why"
    said = refusal(read_manual, sheet(rows.format(-6)), class_, course)
    assert said == "m.csv:2: an adjustment of -6 makes the total -0.5, not between 0 and 10"
    (change,) = read_manual(sheet(rows.format("4.5")), class_, course)
    assert change.action == Adjusted(adjustment=Adjustment(marks=Fraction(9, 2), reason="why"))


def test_lateness_is_enough_to_distinguish_two_runs() -> None:
    before = replace(SAME, total=Fraction(6))
    after = replace(before, total=Fraction(5), late='{"percent": 10}')
    found = compare_runs(replace(OLD, entries=(before,)), replace(NEW, entries=(after,)))
    assert "late: total 6.00 before, 5.00 now" in on_terminal(comparison_table(found), 200)
