"""Exports a run's marks as CSV, one row for each submission."""

from fractions import Fraction

from harness.common.csv_tables import csv_text
from harness.common.words import rounded
from harness.model.plan import Plan
from harness.model.result import RunResult, SubmissionResult
from harness.model.submission import Student
from harness.reporting.export.exporter import text_exporter
from harness.reporting.view import words

MARKS_CSV = "marks.csv"


def marks_csv(run: RunResult, plan: Plan) -> str:
    """Return the CSV with the marks of every submission. A missing mark is an empty cell."""
    lines = [csv_header(plan)]
    for result in run.submissions:
        lines.append(csv_row(result, plan))
    return "".join(lines)


def csv_header(plan: Plan) -> str:
    """Return the header line of `marks_csv`."""
    columns = list(_BEFORE)
    for slot in plan.assignment.manual:
        columns.append(slot.title)
    if plan.assignment.late is not None:
        columns += _LATE
    columns += _AFTER
    return csv_text([columns])


def csv_row(result: SubmissionResult, plan: Plan) -> str:
    """Return the line for one submission."""
    given = {part.slot.id: part.mark for part in result.manual}
    cells = _before(result)
    for slot in plan.assignment.manual:
        cells.append(_mark(given.get(slot.id)))
    if plan.assignment.late is not None:
        cells += _late(result)
    cells += _after(result)
    return csv_text([cells])


def _mark(mark: Fraction | None) -> str:
    if mark is None:
        return ""
    return rounded(mark)


# Columns in three groups: before the marks by hand, about lateness, and after these. Each
# function below returns the cells of one group in this order.
_BEFORE = (
    *("id", "student", "name", "email", "status", "flagged", "handed in", "attempt", "mark"),
    "out of",
)
_LATE = ("before lateness", "late", "slip days", "late marks")
_AFTER = (
    *("adjustment", "reason", "total", "total out of", "comment", "override", "override reason"),
    *("excused", "comments on lines"),
)


def _before(result: SubmissionResult) -> list[str]:
    student = result.student or Student(id="")
    flagged = ""
    if result.flagged:
        flagged = "yes"
    attempt = ""
    if result.attempt is not None:
        attempt = str(result.attempt)
    return [
        result.id,
        student.id,
        student.name,
        student.email,
        result.status.value,
        flagged,
        result.handed_in,
        attempt,
        _mark(result.mark),
        rounded(result.out_of),
    ]


def _late(result: SubmissionResult) -> list[str]:
    late = result.late
    if late is None:
        return [_mark(result.reached), "", "", ""]
    begun = str(late.begun or "")
    slip_days = str(late.slip_days or "")
    return [_mark(result.reached), begun, slip_days, _mark(result.late_marks)]


def _after(result: SubmissionResult) -> list[str]:
    adjustment, reason = "", ""
    if result.adjustment is not None:
        adjustment = _mark(result.adjustment.marks)
        reason = result.adjustment.reason
    override, override_reason = "", ""
    if result.override is not None:
        override = _mark(result.override.mark)
        override_reason = result.override.reason
    comments = "\n".join(words.comments_on_lines(result))
    return [
        adjustment,
        reason,
        _mark(result.total),
        rounded(result.total_out_of),
        result.comment,
        override,
        override_reason,
        result.excused,
        comments,
    ]


EXPORTER = text_exporter("csv", "marks, one submission a row", marks_csv, may_be_anonymous=True)
