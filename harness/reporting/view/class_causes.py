"""What went wrong in a class: the causes of all submissions, joined; and who needs a person."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from harness.model.causes import Cause
from harness.model.result import SubmissionResult, SubmissionStatus

_MOST_STUDENTS = 60  # named for a cause
_MOST_MESSAGES = 50  # told apart for a cause: the most frequent one is shown
_MOST_KEYS = 5000  # causes told apart in a class

_FOR_A_PERSON = {
    SubmissionStatus.NEEDS_REVIEW: "needs review",
    SubmissionStatus.HARNESS_ERROR: "the harness failed",
    SubmissionStatus.UNREADABLE: "cannot be read",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCause:
    """One cause that `count` submissions have, and what they lose by it together. `students` are
    the ids of the first of them, `message` the most frequent sentence."""

    function: str
    rule: str
    message: str
    count: int
    marks: Fraction
    students: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForAPerson:
    """A submission that a person must look at, and why."""

    id: str
    reason: str


@dataclass(slots=True)
class _Joined:
    count: int = 0
    marks: Fraction = Fraction(0)
    students: list[str] = field(default_factory=list)
    messages: Counter[str] = field(default_factory=Counter)


class ClassCauses:
    """Counted one submission at a time; of a class of any size as much is held as of a small one,
    but for the names of who needs a person."""

    def __init__(self) -> None:
        self._joined: dict[tuple[str, str], _Joined] = {}
        self._for_a_person: list[ForAPerson] = []

    def add(self, result: SubmissionResult) -> None:
        """Count one submission."""
        reason = _FOR_A_PERSON.get(result.status, "flagged" if result.flagged else "")
        if reason:
            self._for_a_person.append(ForAPerson(id=result.id, reason=reason))
        merged: dict[tuple[str, str], Cause] = {}
        for cause in result.causes:
            key = (cause.function, cause.rule)
            if key in self._joined or len(self._joined) < _MOST_KEYS:
                self._joined.setdefault(key, _Joined()).marks += cause.marks_at_stake
                merged.setdefault(key, cause)
        for key, cause in merged.items():
            joined = self._joined[key]
            joined.count += 1
            if len(joined.students) < _MOST_STUDENTS:
                joined.students.append(result.id)
            if cause.message in joined.messages or len(joined.messages) < _MOST_MESSAGES:
                joined.messages[cause.message] += 1

    def found(self) -> tuple[ClassCause, ...]:
        """All causes, the one that costs the class most first."""
        found = [
            ClassCause(
                function=function,
                rule=rule,
                message=min(joined.messages, key=lambda m: (-joined.messages[m], m)),
                count=joined.count,
                marks=joined.marks,
                students=tuple(joined.students),
            )
            for (function, rule), joined in self._joined.items()
        ]
        return tuple(sorted(found, key=lambda c: (-c.marks, -c.count, c.function, c.rule)))

    def for_a_person(self) -> tuple[ForAPerson, ...]:
        """Who needs a person, in the order of ids."""
        return tuple(self._for_a_person)
