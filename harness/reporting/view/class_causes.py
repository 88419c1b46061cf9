"""What went wrong in a class: the causes of all submissions, joined; and who needs a person."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction

from harness.model.result import SubmissionResult, SubmissionStatus
from harness.reporting.view.figures import Tally

_MOST_KEYS = 5000  # causes told apart in a class

_REASONS = {
    SubmissionStatus.NEEDS_REVIEW: "needs review",
    SubmissionStatus.HARNESS_ERROR: "the harness failed",
    SubmissionStatus.UNREADABLE: "cannot be read",
}
FLAGGED = "flagged"
NOT_MARKED = "marks by hand are missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCause:
    """One cause that `count` submissions have, and what they lose by it together. `students` are
    the ids of the first of them, `message` the sentence that holds for more than half of them, if
    one does."""

    function: str
    rule: str
    message: str
    count: int
    marks: Fraction
    students: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WideMistake:
    """A rule that explains causes in several functions, for `count` submissions in all."""

    rule: str
    functions: tuple[str, ...]
    count: int
    marks: Fraction
    students: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForAPerson:
    """Why a person must look at `count` submissions, and the ids of the first of them."""

    reason: str
    count: int
    students: tuple[str, ...]


class ClassCauses:
    """Counted one submission at a time; of a class of any size as much is held as of a small
    one."""

    def __init__(self) -> None:
        self._causes: dict[tuple[str, str], Tally] = {}
        self._rules: dict[str, Tally] = {}
        self._for_a_person: defaultdict[str, Tally] = defaultdict(Tally)
        self._some_by_hand = False

    def add(self, result: SubmissionResult) -> None:
        """Count one submission."""
        self._count_reason(result)
        marks: dict[tuple[str, str], Fraction] = {}
        messages: dict[tuple[str, str], str] = {}
        rules: dict[str, Fraction] = {}
        for cause in result.causes:
            key = (cause.function, cause.rule)
            if key in self._causes or len(self._causes) < _MOST_KEYS:
                self._causes.setdefault(key, Tally())
                marks[key] = marks.get(key, Fraction(0)) + cause.marks_at_stake
                messages.setdefault(key, cause.message)
                rules[cause.rule] = rules.get(cause.rule, Fraction(0)) + cause.marks_at_stake
        for key, lost in marks.items():
            self._causes[key].add(result.id, messages[key], lost)
        for rule, lost in rules.items():
            self._rules.setdefault(rule, Tally()).add(result.id, marks=lost)

    def _count_reason(self, result: SubmissionResult) -> None:
        reason = _REASONS.get(result.status, FLAGGED if result.flagged else "")
        if reason:
            self._for_a_person[reason].add(result.id)
        missing = [part for part in result.manual if part.mark is None]
        self._some_by_hand |= len(missing) < len(result.manual)
        if missing and result.mark is not None:
            self._for_a_person[NOT_MARKED].add(result.id)

    def found(self) -> tuple[ClassCause, ...]:
        """All causes, the one that costs the class most first."""
        found = [
            ClassCause(
                function=function,
                rule=rule,
                message=tally.usual(),
                count=tally.count,
                marks=tally.marks,
                students=tuple(tally.students),
            )
            for (function, rule), tally in self._causes.items()
        ]
        return tuple(sorted(found, key=lambda c: (-c.marks, -c.count, c.function, c.rule)))

    def wide(self) -> tuple[WideMistake, ...]:
        """What several submissions got wrong, at least one of them in several functions, as the
        size of a board written into the code; what costs the class most comes first."""
        functions: dict[str, list[str]] = {}
        times: Counter[str] = Counter()
        for (function, rule), tally in sorted(self._causes.items(), key=lambda item: item[0]):
            if function:
                functions.setdefault(rule, []).append(function)
                times[rule] += tally.count
        found = [
            WideMistake(
                rule=rule,
                functions=tuple(functions[rule]),
                count=tally.count,
                marks=tally.marks,
                students=tuple(tally.students),
            )
            for rule, tally in self._rules.items()
            if 1 < tally.count < times[rule]
        ]
        return tuple(sorted(found, key=lambda each: (-each.marks, each.rule)))

    def for_a_person(self) -> tuple[ForAPerson, ...]:
        """Who needs a person, in the order of reasons. Marks by hand are missing once people have
        begun to give them: before, they are for every submission."""
        reasons = [*_REASONS.values(), FLAGGED, *([NOT_MARKED] if self._some_by_hand else [])]
        return tuple(
            ForAPerson(reason=reason, count=tally.count, students=tuple(tally.students))
            for reason in reasons
            if (tally := self._for_a_person.get(reason)) is not None
        )
