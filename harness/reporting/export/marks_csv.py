"""A run's marks as CSV, a submission a row, for a spreadsheet."""

from collections.abc import Callable
from fractions import Fraction

from harness.common.csv_tables import csv_text
from harness.common.words import rounded
from harness.model.plan import Plan
from harness.model.result import RunResult, SubmissionResult
from harness.reporting.export.exporter import text_exporter
from harness.reporting.view import words

MARKS_CSV = "marks.csv"


def marks_csv(run: RunResult, plan: Plan) -> str:
    """Return every submission with its marks; a missing mark is an empty cell."""
    return csv_header(plan) + "".join(csv_row(result, plan) for result in run.submissions)


def csv_header(plan: Plan) -> str:
    """Return the first line of `marks_csv`."""
    late = _LATE if plan.assignment.late is not None else {}
    return csv_text([[*_BEFORE, *(slot.title for slot in plan.assignment.manual), *late, *_AFTER]])


def csv_row(result: SubmissionResult, plan: Plan) -> str:
    """Return a submission's line."""
    given = {part.slot.id: part.mark for part in result.manual}
    slots = (_mark(given.get(slot.id)) for slot in plan.assignment.manual)
    late = _LATE if plan.assignment.late is not None else {}
    parts = ([cell(result) for cell in part.values()] for part in (_BEFORE, late, _AFTER))
    before, lateness, after = parts
    return csv_text([[*before, *slots, *lateness, *after]])


def _mark(mark: Fraction | None) -> str:
    return "" if mark is None else rounded(mark)


# The columns before those of marks by hand, those where late work is graded, and the others.
_BEFORE: dict[str, Callable[[SubmissionResult], str]] = {
    "id": lambda result: result.id,
    "student": lambda result: result.student.id if result.student else "",
    "name": lambda result: result.student.name if result.student else "",
    "email": lambda result: result.student.email if result.student else "",
    "status": lambda result: result.status.value,
    "flagged": lambda result: "yes" if result.flagged else "",
    "handed in": lambda result: result.handed_in,
    "attempt": lambda result: str(result.attempt) if result.attempt is not None else "",
    "mark": lambda result: _mark(result.mark),
    "out of": lambda result: rounded(result.out_of),
}
_LATE: dict[str, Callable[[SubmissionResult], str]] = {
    "before lateness": lambda result: _mark(result.reached),
    "late": lambda result: str(result.late.begun or "") if result.late else "",
    "slip days": lambda result: str(result.late.slip_days or "") if result.late else "",
    "late marks": lambda result: _mark(result.late_marks if result.late else None),
}
_AFTER: dict[str, Callable[[SubmissionResult], str]] = {
    "adjustment": lambda result: _mark(result.adjustment.marks if result.adjustment else None),
    "reason": lambda result: result.adjustment.reason if result.adjustment else "",
    "total": lambda result: _mark(result.total),
    "total out of": lambda result: rounded(result.total_out_of),
    "comment": lambda result: result.comment,
    "override": lambda result: _mark(result.override.mark if result.override else None),
    "override reason": lambda result: result.override.reason if result.override else "",
    "excused": lambda result: result.excused,
    "comments on lines": lambda result: "\n".join(map(words.on_line, result.line_comments)),
}

EXPORTER = text_exporter("csv", "marks, one submission a row", marks_csv, may_be_anonymous=True)
