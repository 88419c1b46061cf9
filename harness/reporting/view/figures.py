"""A class in numbers: distribution, shares per function, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.model.student_view import FunctionTally, by_function
from harness.model.verdict import VerdictKind
from harness.reporting.view.words import percent

MOST_STUDENTS = 60  # named
_MOST_TEXTS = 100  # told apart
_MOST_BARS = 12
_MOST_EXAMPLES = 5


class Tally:
    """Counted one submission at a time; of a class of any size as much is held as of a small one.

    `students` are the ids of the first of them, `marks` what they lose together.
    """

    __slots__ = ("_texts", "count", "marks", "students")

    def __init__(self) -> None:
        self.count = 0
        self.marks = Fraction(0)
        self.students: list[str] = []
        self._texts: Counter[str] = Counter()

    def add(self, student: str, text: str = "", marks: Fraction = Fraction(0)) -> None:
        """Count one submission, and the sentence that says why."""
        self.count += 1
        self.marks += marks
        if len(self.students) < MOST_STUDENTS:
            self.students.append(student)
        self._texts[text] += 1
        if len(self._texts) > _MOST_TEXTS:  # the rare ones are forgotten
            self._texts = Counter(dict(self._texts.most_common(_MOST_TEXTS // 2)))

    def usual(self) -> str:
        """The sentence that holds for more than half of them; empty where none does."""
        text, holds_for = max(self._texts.items(), key=lambda item: item[1], default=("", 0))
        return text if 2 * holds_for > self.count else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Marks from `low` up to (for the last bar: and including) `high`, and how many there are."""

    low: Fraction
    high: Fraction
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The marks of a class, in marks."""

    count: int
    mean: Fraction
    median: Fraction
    lowest: Fraction
    highest: Fraction
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionMean:
    """What a class earned with a function: the mean share in percent, and the marks that each
    submission lost by it on the average."""

    function: str
    share: int
    lost: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingTally:
    """One kind of finding: its sentence once, how many submissions have it, and the first few."""

    rule: str
    message: str
    count: int
    examples: tuple[str, ...]


def distribution(given: Iterable[Fraction], out_of: Fraction) -> Distribution | None:
    """The marks' distribution; None when there is no mark."""
    marks = sorted(given)
    if not marks:
        return None
    middle = len(marks) // 2
    median = marks[middle] if len(marks) % 2 else (marks[middle - 1] + marks[middle]) / 2
    return Distribution(
        count=len(marks),
        mean=sum(marks, Fraction(0)) / len(marks),
        median=median,
        lowest=marks[0],
        highest=marks[-1],
        bars=_bars(marks, out_of),
    )


def _bars(marks: list[Fraction], top: Fraction) -> tuple[Bar, ...]:
    if top <= 0:
        return ()
    count = 10
    for step in (Fraction(1, 2), Fraction(1)):
        if (top / step).denominator == 1 and top / step <= _MOST_BARS:
            count = int(top / step)
            break
    width = top / count
    tally = Counter(min(int(mark / width), count - 1) for mark in marks)
    edges = [i * width for i in range(count)] + [max(top, marks[-1])]  # extra credit goes beyond
    return tuple(Bar(low=edges[i], high=edges[i + 1], count=tally[i]) for i in range(count))


def function_names(plan: Plan) -> tuple[str, ...]:
    """The functions with a share of the marks, in the assignment's order."""
    graded = {scenario.function for scenario in plan.scenarios if not scenario.informational}
    named = [signature.name for signature in plan.assignment.functions]
    others = [scenario.function for scenario in plan.scenarios]
    return tuple(name for name in dict.fromkeys([*named, *others]) if name in graded)


def tallies(result: SubmissionResult, plan: Plan) -> tuple[FunctionTally, ...]:
    """Each function's scenarios and points; none where nothing was run."""
    return by_function(plan, result) if was_run(result) else ()


def was_run(result: SubmissionResult) -> bool:
    """Whether any scenario was run: an unreadable file, for one, has only verdicts that say so."""
    return any(o.verdict.kind is not VerdictKind.UNREADABLE for o in result.scenarios)


def share(tally: FunctionTally) -> int:
    """A function's share of its points in whole percent (extra credit may exceed 100)."""
    return percent(tally.points, tally.out_of) if tally.out_of else 100 * bool(tally.points)


class Means:
    """What a class earned with each function, counted one submission at a time. Marks are out of
    `marks` for functionality."""

    def __init__(self, marks: Fraction) -> None:
        self._marks = marks
        self._count = 0
        self._points: dict[str, Fraction] = {}
        self._out_of: dict[str, Fraction] = {}
        self._lost: dict[str, Fraction] = {}

    def add(self, tallies: Iterable[FunctionTally]) -> None:
        """Count one submission; no tallies where nothing of it was run."""
        found = list(tallies)
        whole = sum((tally.out_of for tally in found), Fraction(0))
        if not whole:
            return
        self._count += 1
        for tally in found:
            lost = max(tally.out_of - tally.points, Fraction(0)) * self._marks / whole
            for sums, value in (
                (self._points, tally.points),
                (self._out_of, tally.out_of),
                (self._lost, lost),
            ):
                sums[tally.function] = sums.get(tally.function, Fraction(0)) + value

    def found(self) -> tuple[FunctionMean, ...]:
        """Each function, the one that costs the class most first."""
        found = [
            FunctionMean(
                function=function,
                share=percent(self._points[function], out_of) if out_of else 100,
                lost=self._lost[function] / self._count,
            )
            for function, out_of in self._out_of.items()
        ]
        return tuple(sorted(found, key=lambda mean: -mean.lost))


class Findings:
    """Findings with the same rule and sentence together, counted one submission at a time."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, str], Tally] = {}

    def add(self, result: SubmissionResult) -> None:
        """Count one submission."""
        for key in {(finding.rule, finding.message): None for finding in result.findings}:
            self._tallies.setdefault(key, Tally()).add(result.id)

    def found(self) -> tuple[FindingTally, ...]:
        """All of them, most widespread first."""
        found = [
            FindingTally(
                rule=rule,
                message=message,
                count=tally.count,
                examples=tuple(tally.students[:_MOST_EXAMPLES]),
            )
            for (rule, message), tally in self._tallies.items()
        ]
        return tuple(sorted(found, key=lambda tally: (-tally.count, tally.rule)))
