"""A class in numbers, counted one submission at a time: distribution, shares per function,
findings, the scenarios that most fail, the causes of all joined, and who needs a person.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from harness.model.plan import Plan, Scenario
from harness.model.result import SubmissionResult, SubmissionStatus
from harness.model.student_view import FunctionTally, by_function
from harness.model.verdict import VerdictKind
from harness.reporting.view.words import percent

MOST_STUDENTS = 60  # named
_MOST_TEXTS = 100  # told apart
_MOST_BARS = 12


@dataclass(slots=True, kw_only=True)
class Tally:
    """Submissions that have something in common: a cause, a mistake in several functions, a
    finding, failing scenarios of one group, or why a person must look at them. Of a class of any
    size as much is held as of a small one.
    """

    kind: str = ""  # the rule of an explanation or a finding, or why a person must look
    functions: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...] = ()  # of the group, those of a sweep are one
    count: int = 0
    graded: int = 0  # of so many
    marks: Fraction = Fraction(0)  # what they lose together
    students: list[str] = field(default_factory=list)  # the ids of the first
    _messages: Counter[str] = field(default_factory=Counter)

    def add(self, student: str, message: str = "", marks: Fraction = Fraction(0)) -> None:
        """Count one submission, and the sentence that says why."""
        self.count += 1
        self.marks += marks
        if len(self.students) < MOST_STUDENTS:
            self.students.append(student)
        self._messages[message] += 1
        if len(self._messages) > _MOST_TEXTS:  # the rare ones are forgotten
            self._messages = Counter(dict(self._messages.most_common(_MOST_TEXTS // 2)))

    @property
    def message(self) -> str:
        """The sentence that holds for more than half of them; empty where none does."""
        text, holds_for = max(self._messages.items(), key=lambda item: item[1], default=("", 0))
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


@dataclass(slots=True)
class FunctionMean:
    """What a class earned with a function, counted one submission at a time."""

    function: str
    _count: int = 0
    _points: Fraction = Fraction(0)
    _out_of: Fraction = Fraction(0)
    _lost: Fraction = Fraction(0)

    def add(self, tally: FunctionTally, worth: Fraction) -> None:
        """Count one submission, of which a point is `worth` so many marks."""
        self._count += 1
        self._points += tally.points
        self._out_of += tally.out_of
        self._lost += max(tally.out_of - tally.points, Fraction(0)) * worth

    @property
    def share(self) -> int:
        """The share of its points in percent."""
        return percent(self._points, self._out_of) if self._out_of else 100

    @property
    def lost(self) -> Fraction:
        """The marks that each submission lost by it on the average."""
        return self._lost / self._count


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
    """What a class earned with each function. Marks are out of `marks` for functionality."""

    def __init__(self, marks: Fraction) -> None:
        self._marks = marks
        self._of_function: dict[str, FunctionMean] = {}

    def add(self, tallies: Sequence[FunctionTally]) -> None:
        """Count one submission; no tallies where nothing of it was run."""
        points = sum(tally.out_of for tally in tallies)
        for tally in tallies if points else ():
            mean = self._of_function.setdefault(tally.function, FunctionMean(tally.function))
            mean.add(tally, self._marks / points)

    def means(self) -> list[FunctionMean]:
        """Each function, the one that costs the class most first."""
        return sorted(self._of_function.values(), key=lambda mean: -mean.lost)


MOST_SCENARIOS = 25
GOOD = Fraction(3, 4)  # of the marks for functionality
_FEWEST_GOOD = 3  # a scenario is not in doubt for fewer


class FailingCounter:
    """The groups of scenarios, with the submissions that fail at least one of them."""

    def __init__(self, plan: Plan) -> None:
        groups: dict[str, list[Scenario]] = {}
        for scenario in plan.scenarios:
            if not scenario.informational:
                groups.setdefault(scenario.group, []).append(scenario)
        self._group_of = {s.id: group for group, members in groups.items() for s in members}
        self._failed, self._failed_by_good = (
            {group: Tally(scenarios=tuple(members)) for group, members in groups.items()}
            for _ in range(2)
        )
        self._good = 0

    def add(self, result: SubmissionResult) -> None:
        if not was_run(result):
            return
        groups: set[str] = set()
        why: dict[str, str] = {}
        for outcome in result.scenarios:
            group = self._group_of.get(outcome.scenario_id)
            if group is None or outcome.verdict.kind is VerdictKind.HARNESS_ERROR:
                continue
            groups.add(group)
            if not outcome.verdict.passed:
                why.setdefault(group, outcome.verdict.message)
        is_good = result.mark is not None and result.mark >= GOOD * result.out_of
        self._good += is_good
        for group in groups:
            self._failed[group].graded += 1
        for group, message in why.items():
            self._failed[group].add(result.id, message)
            if is_good:
                self._failed_by_good[group].add(result.id, message)

    def most(self) -> list[Tally]:
        """At most 25 groups, most failed first."""
        return _most_first(self._failed.values())[:MOST_SCENARIOS]

    def doubtful(self) -> list[Tally]:
        """The groups that more than half of the otherwise good submissions fail, of which there
        must be a few: the scenario or the reference may be what is wrong."""
        if self._good < _FEWEST_GOOD:
            return []
        failed = [replace(tally, graded=self._good) for tally in self._failed_by_good.values()]
        return _most_first(tally for tally in failed if 2 * tally.count > tally.graded)


def _most_first(tallies: Iterable[Tally]) -> list[Tally]:
    return sorted((tally for tally in tallies if tally.count), key=lambda tally: -tally.count)


_MOST_KEYS = 5000  # causes told apart in a class

_REASONS = {
    SubmissionStatus.NEEDS_REVIEW: "needs review",
    SubmissionStatus.HARNESS_ERROR: "the harness failed",
    SubmissionStatus.UNREADABLE: "cannot be read",
}
FLAGGED = "flagged"
NOT_MARKED = "marks by hand are missing"


class ClassCauses:
    """The causes and findings of a class joined, and who needs a person."""

    def __init__(self) -> None:
        self._causes: dict[tuple[str, str], Tally] = {}
        self._rules: dict[str, Tally] = {}
        self._findings: dict[tuple[str, str], Tally] = {}
        self._for_a_person: dict[str, Tally] = {}
        self._some_by_hand = False

    def add(self, result: SubmissionResult) -> None:
        self._count_reason(result)
        marks: defaultdict[tuple[str, str], Fraction] = defaultdict(Fraction)
        messages: dict[tuple[str, str], str] = {}
        rules: defaultdict[str, Fraction] = defaultdict(Fraction)
        for cause in result.causes:
            key = (cause.function, cause.rule)
            if key in self._causes or len(self._causes) < _MOST_KEYS:
                functions = (cause.function,) if cause.function else ()
                self._causes.setdefault(key, Tally(kind=cause.rule, functions=functions))
                marks[key] += cause.marks_at_stake
                messages.setdefault(key, cause.message)
                rules[cause.rule] += cause.marks_at_stake
        for key, lost in marks.items():
            self._causes[key].add(result.id, messages[key], lost)
        for rule, lost in rules.items():
            self._rules.setdefault(rule, Tally(kind=rule)).add(result.id, marks=lost)
        for key in {(finding.rule, finding.message): None for finding in result.findings}:
            self._findings.setdefault(key, Tally(kind=key[0])).add(result.id, key[1])

    def _count_reason(self, result: SubmissionResult) -> None:
        missing = [part for part in result.manual if part.mark is None]
        self._some_by_hand |= len(missing) < len(result.manual)
        reason = _REASONS.get(result.status, FLAGGED if result.flagged else "")
        by_hand = NOT_MARKED if missing and result.mark is not None else ""
        for kind in filter(None, (reason, by_hand)):
            self._for_a_person.setdefault(kind, Tally(kind=kind)).add(result.id)

    def causes(self) -> list[Tally]:
        """All causes, the one that costs the class most first."""
        return sorted(
            self._causes.values(),
            key=lambda cause: (-cause.marks, -cause.count, cause.functions, cause.kind),
        )

    def findings(self) -> list[Tally]:
        """Those with the same rule and sentence together, the most frequent first."""
        return sorted(self._findings.values(), key=lambda tally: (-tally.count, tally.kind))

    def wide(self) -> list[Tally]:
        """What several submissions got wrong, at least one of them in several functions, as the
        size of a board written into the code; what costs the class most comes first."""
        functions: defaultdict[str, list[str]] = defaultdict(list)
        times: Counter[str] = Counter()
        for (function, rule), tally in sorted(self._causes.items(), key=lambda item: item[0]):
            if function:
                functions[rule].append(function)
                times[rule] += tally.count
        mistakes = [
            replace(tally, functions=tuple(functions[rule]))
            for rule, tally in self._rules.items()
            if 1 < tally.count < times[rule]
        ]
        return sorted(mistakes, key=lambda mistake: (-mistake.marks, mistake.kind))

    def for_a_person(self) -> list[Tally]:
        """Who needs a person, in the order of reasons. Marks by hand are missing once people have
        begun to give them: before, they are for every submission."""
        reasons = [*_REASONS.values(), FLAGGED, *([NOT_MARKED] if self._some_by_hand else [])]
        return [self._for_a_person[reason] for reason in reasons if reason in self._for_a_person]
