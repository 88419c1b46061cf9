"""What a gradebook wants to know of each submission."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from harness.common.rounding import rounded
from harness.model.result import RunResult, SubmissionResult
from harness.reporting.view import words


class Marks(StrEnum):
    """Which marks go out: with what people give, or what the harness found alone."""

    TOTAL = "total"
    FUNCTIONALITY = "functionality"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookEntry:
    """One submission. `mark` is its text, rounded once, or empty: there is none, and `why` says
    the reason; `waits` for which marks a person has yet to give. `student_id`, `email` and `name`
    are empty where the source did not tell them."""

    id: str
    student_id: str
    email: str
    name: str
    mark: str
    out_of: Fraction
    why: str = ""
    waits: str = ""
    comment: str = ""

    @property
    def shown(self) -> str:
        """The submission for a message."""
        return f"{self.id} ({self.name})" if self.name and self.name != self.id else self.id


def gradebook_entries(run: RunResult, marks: Marks = Marks.TOTAL) -> tuple[GradebookEntry, ...]:
    """Every submission of a run. Only what is graded or unreadable has a mark."""
    return tuple(_standing(result, marks) for result in run.submissions)


def _standing(result: SubmissionResult, marks: Marks) -> GradebookEntry:
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
        why="" if mark is not None else _why(result),
        waits=", ".join(_missing(result)) if mark is None and result.mark is not None else "",
        comment=result.comment,
    )


def _why(result: SubmissionResult) -> str:
    if result.mark is None:
        return words.STATUS[result.status]
    return f"no mark yet for {', '.join(_missing(result))}"


def _missing(result: SubmissionResult) -> list[str]:
    return [given.slot.title for given in result.manual if given.mark is None]
