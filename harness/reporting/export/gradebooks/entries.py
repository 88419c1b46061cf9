"""What a gradebook takes from each submission."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from harness.common.rounding import rounded
from harness.model.result import RunResult, SubmissionResult
from harness.reporting.export.exporter import Marks
from harness.reporting.view import words


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookEntry:
    """One submission. `mark` is its text, rounded once; without a mark it is empty and `why` says
    the reason, `waits` which marks a person has yet to give. `out_of` is the maximum of the marks
    that go out, `total_out_of` that of the whole assignment where it is another. `student_id`,
    `email` and `name` are empty where the source does not have them."""

    id: str
    student_id: str
    email: str
    name: str
    mark: str
    out_of: Fraction
    total_out_of: Fraction | None = None
    why: str = ""
    waits: str = ""
    comment: str = ""

    @property
    def shown(self) -> str:
        """The submission for a message."""
        return f"{self.id} ({self.name})" if self.name and self.name != self.id else self.id


def gradebook_entries(run: RunResult, marks: Marks = Marks.TOTAL) -> tuple[GradebookEntry, ...]:
    """Every submission of a run. Only what is graded or unreadable has a mark."""
    return tuple(_entry(result, marks) for result in run.submissions)


def _entry(result: SubmissionResult, marks: Marks) -> GradebookEntry:
    total = marks is Marks.TOTAL
    mark = result.total if total else result.mark
    student = result.student
    return GradebookEntry(
        id=result.id,
        student_id=student.id if student else result.id,
        email=student.email if student else "",
        name=student.name if student else "",
        mark="" if mark is None else rounded(mark),
        out_of=result.total_out_of if total else result.out_of,
        total_out_of=result.total_out_of,
        why="" if mark is not None else _why(result),
        waits=", ".join(_missing(result)) if mark is None and result.mark is not None else "",
        comment=result.comment,
    )


def _why(result: SubmissionResult) -> str:
    if result.mark is None:
        return words.STATUS[result.status]
    return f"no mark yet for {', '.join(_missing(result))}"


def _missing(result: SubmissionResult) -> list[str]:
    return [part.slot.title for part in result.manual if part.mark is None]
