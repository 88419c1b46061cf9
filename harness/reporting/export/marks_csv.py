"""A run's marks as CSV, a submission a row, for a spreadsheet."""

from __future__ import annotations

from fractions import Fraction

from harness.common.csv_tables import csv_text
from harness.common.words import rounded
from harness.model.plan import Plan
from harness.model.result import RunResult, SubmissionResult
from harness.reporting.export.exporter import text_exporter

MARKS_CSV = "marks.csv"


def marks_csv(run: RunResult, plan: Plan) -> str:
    """Every submission with its marks; a mark that is not there is an empty cell."""
    return csv_header(plan) + "".join(csv_row(result, plan) for result in run.submissions)


def csv_header(plan: Plan) -> str:
    """The first line of `marks_csv`."""
    slots = plan.assignment.manual
    header = (
        *("id", "student", "name", "email", "status", "flagged", "handed in", "attempt"),
        *("mark", "out of"),
        *(slot.title for slot in slots),
        *("adjustment", "reason", "total", "total out of", "comment"),
    )
    return csv_text([header])


def csv_row(result: SubmissionResult, plan: Plan) -> str:
    """A submission's line."""
    return csv_text([_row(result, [slot.id for slot in plan.assignment.manual])])


def _row(result: SubmissionResult, slots: list[str]) -> tuple[str, ...]:
    student, adjustment = result.student, result.adjustment
    given = {part.slot.id: part.mark for part in result.manual}
    return (
        result.id,
        student.id if student else "",
        student.name if student else "",
        student.email if student else "",
        result.status.value,
        "yes" if result.flagged else "",
        result.handed_in,
        str(result.attempt) if result.attempt is not None else "",
        _mark(result.mark),
        rounded(result.out_of),
        *(_mark(given.get(slot)) for slot in slots),
        _mark(adjustment.marks if adjustment else None),
        adjustment.reason if adjustment else "",
        _mark(result.total),
        rounded(result.total_out_of),
        result.comment,
    )


def _mark(mark: Fraction | None) -> str:
    return "" if mark is None else rounded(mark)


EXPORTER = text_exporter("csv", "marks, one submission a row", marks_csv, may_be_anonymous=True)
