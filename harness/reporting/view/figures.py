"""Computes statistics of a class, one submission at a time, and finds submissions that need
attention.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeVar

from harness.model.plan import Plan, Scenario
from harness.model.policy import Severity
from harness.model.result import SubmissionResult, SubmissionStatus
from harness.model.verdict import TO_REVIEW, Cause, Explanation, VerdictKind, rule_in_words, stated
from harness.policy.rules import finding_kind
from harness.reporting.view.marks import unmarked
from harness.reporting.view.words import VERDICT, percent
from harness.results.student_view import FunctionTally, by_function

_MAX_STUDENTS = 60  # submissions named in a list
_MAX_TEXTS = 100  # messages counted separately
_MAX_BARS = 12

# (function, mistake), such as ("play", "returns None").
_Blame = tuple[str, str]
_NOBODY: _Blame = ("", "")

K = TypeVar("K")


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts submissions with something in common: a cause, a mistake in several functions, a
    finding, failing scenarios, or a reason for review.

    Its memory does not grow with the class.
    """

    kind: str = ""  # rule of an explanation or finding, or the reason for attention
    functions: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...] = ()  # scenarios of the group, or of groups that fail together
    count: int = 0
    graded: int = 0  # number of submissions counted
    marks: Fraction = Fraction(0)  # total marks lost
    students: list[str] = field(default_factory=list)  # ids of the first submissions
    students_hash: int = 0  # equal for the same submissions in the same order
    _reasons: Counter[Explanation | None] = field(default_factory=Counter)
    _causes: Counter[_Blame] = field(default_factory=Counter)

    def add(
        self,
        student: str,
        why: Explanation | None = None,
        marks: Fraction = Fraction(0),
        cause: _Blame | None = None,
    ) -> None:
        """Count one submission, with the explanation, its lost marks and its cause (see
        `cause`).
        """
        self.count += 1
        self.marks += marks
        self.students_hash = hash((self.students_hash, student))
        if len(self.students) < _MAX_STUDENTS:
            self.students.append(student)
        self._reasons[why] += 1
        if len(self._reasons) > _MAX_TEXTS:
            # Drop rare messages to limit memory.
            self._reasons = Counter(dict(self._reasons.most_common(_MAX_TEXTS // 2)))
        if cause is not None and (cause in self._causes or len(self._causes) < _MAX_TEXTS):
            self._causes[cause] += 1

    @property
    def message(self) -> str:
        """Return the sentence that applies to more than half of the submissions; "" if there is
        none.
        """
        why = _majority(self._reasons, self.count)
        if why is None:
            return ""
        return why.message

    @property
    def cause(self) -> _Blame:
        """Return (function, mistake) to blame in more than half of the submissions; both may be
        "".
        """
        return _majority(self._causes, self.count) or _NOBODY

    @property
    def blamed_for(self) -> int:
        """Return the number of submissions with this `cause`."""
        return self._causes[self.cause]

    @property
    def groups(self) -> list[str]:
        """Return the names of the groups that its scenarios belong to."""
        return list(dict.fromkeys(scenario.group for scenario in self.scenarios))

    @property
    def is_joined(self) -> bool:
        """Return whether it combines several groups that fail together."""
        return len(self.groups) > 1

    @property
    def failing_functions(self) -> list[str]:
        """Return the functions that its scenarios test."""
        return list(dict.fromkeys(scenario.function for scenario in self.scenarios))

    @property
    def clauses(self) -> list[str]:
        """Return the ids of the sheet's clauses that its scenarios test."""
        clauses: dict[str, None] = {}
        for scenario in self.scenarios:
            clauses.update(dict.fromkeys(scenario.clauses))
        return list(clauses)


def _majority(counts: Counter[K], total: int) -> K | None:
    """Return the key that accounts for more than half of `total`; None if there is none."""
    for key, count in counts.items():
        if 2 * count > total:
            return key
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar of the histogram: marks from `low` up to, but not including, `high`, and their number.

    The last bar includes `high`.
    """

    low: Fraction
    high: Fraction
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """A histogram of a class's marks."""

    count: int
    mean: Fraction
    median: Fraction
    lowest: Fraction
    highest: Fraction
    bars: tuple[Bar, ...]
    median_bar: int | None  # index of the bar that contains the median

    @property
    def tallest(self) -> int:
        """Return the number of marks in the tallest bar; 1 without bars."""
        return max((bar.count for bar in self.bars), default=1)


@dataclass(slots=True)
class FunctionMean:
    """A class's marks for one function, counted one submission at a time."""

    function: str
    count: int = 0
    points: Fraction = Fraction(0)
    out_of: Fraction = Fraction(0)
    lost_by_all: Fraction = Fraction(0)

    @property
    def share(self) -> int:
        """Return the average percentage of the points reached."""
        if not self.out_of:
            return 100
        return percent(self.points, self.out_of)

    @property
    def lost(self) -> Fraction:
        """Return the average marks lost by each submission."""
        return self.lost_by_all / self.count


def mean_mark(marks: Sequence[Fraction]) -> Fraction | None:
    """Return the exact mean; None without marks."""
    if not marks:
        return None
    return sum(marks, Fraction(0)) / len(marks)


def distribution(given: Iterable[Fraction], out_of: Fraction) -> Distribution | None:
    """Return the histogram of these marks; None if there are none."""
    marks = sorted(given)
    if not marks:
        return None
    count = _bar_count(out_of)
    edges = [place * out_of / count for place in range(count)]
    edges.append(max(out_of, marks[-1]))  # extra credit may exceed the maximum
    tally = Counter(bar_of(mark, out_of) for mark in marks)
    bars: list[Bar] = []
    for place in range(count):
        bars.append(Bar(low=edges[place], high=edges[place + 1], count=tally[place]))
    median = statistics.median(marks)
    return Distribution(
        count=len(marks),
        mean=statistics.mean(marks),
        median=median,
        lowest=marks[0],
        highest=marks[-1],
        bars=tuple(bars),
        median_bar=bar_of(median, out_of),
    )


def _bar_count(out_of: Fraction) -> int:
    """Return the number of bars.

    Bars are half a mark or one mark wide if that gives a whole number of at most twelve bars;
    otherwise there are ten.
    """
    if out_of <= 0:
        return 0
    for count in (2 * out_of, out_of):
        if count.denominator == 1 and count <= _MAX_BARS:
            return int(count)
    return 10


def bar_of(mark: Fraction, out_of: Fraction) -> int | None:
    """Return the index of the bar that contains a mark; None without bars."""
    count = _bar_count(out_of)
    if not count:
        return None
    return min(int(mark * count / out_of), count - 1)


def function_names(plan: Plan) -> tuple[str, ...]:
    """Return the functions that can earn marks, in the assignment's order."""
    graded = {scenario.function for scenario in plan.scenarios if not scenario.informational}
    named = [signature.name for signature in plan.assignment.functions]
    others = [scenario.function for scenario in plan.scenarios]
    return tuple(name for name in dict.fromkeys([*named, *others]) if name in graded)


def worths(plan: Plan) -> dict[str, Fraction]:
    """Return the maximum marks for each function."""
    points: defaultdict[str, Fraction] = defaultdict(Fraction)
    for scenario in plan.scenarios:
        if not scenario.informational and not scenario.extra_credit:
            points[scenario.function] += scenario.points
    out_of = sum(points.values())
    if not out_of:
        return {}
    marks = plan.assignment.functionality_marks
    return {name: marks * points_of_it / out_of for name, points_of_it in points.items()}


def tallies(result: SubmissionResult, plan: Plan) -> tuple[FunctionTally, ...]:
    """Return the scenarios and points of each function; empty if nothing was run."""
    if not was_run(result):
        return ()
    return by_function(plan, result)


def was_run(result: SubmissionResult) -> bool:
    """Return whether any scenario was run.

    An unreadable file, for example, has verdicts that only say "not run".
    """
    outcomes = result.scenarios
    return any(outcome.verdict.kind is not VerdictKind.UNREADABLE for outcome in outcomes)


def share(tally: FunctionTally) -> int:
    """Return the percentage of a function's points that were reached; extra credit may
    exceed 100.
    """
    if tally.out_of:
        return percent(tally.points, tally.out_of)
    return 100 if tally.points else 0


class Means:
    """Statistics of a class's marks for each function.

    `marks` is the maximum mark for functionality.
    """

    def __init__(self, marks: Fraction) -> None:
        self._marks = marks
        self._of_function: dict[str, FunctionMean] = {}

    def add(self, tallies: Sequence[FunctionTally]) -> None:
        """Count one submission. Submissions without a mark have no tallies."""
        points = sum(tally.out_of for tally in tallies)
        if not points:
            return
        for tally in tallies:
            mean = self._of_function.setdefault(tally.function, FunctionMean(tally.function))
            mean.count += 1
            mean.points += tally.points
            mean.out_of += tally.out_of
            lost = max(tally.out_of - tally.points, Fraction(0))
            mean.lost_by_all += lost * self._marks / points

    def means(self) -> list[FunctionMean]:
        """Return the functions, the one that costs the class most marks first."""
        return sorted(self._of_function.values(), key=lambda mean: -mean.lost)


_MAX_SCENARIOS = 25
GOOD = Fraction(3, 4)  # share of the functionality mark that makes a submission "good"
MIN_GOOD = 8  # with fewer good submissions, no scenario is doubted


class FailingCounter:
    """Counts, for each group of scenarios, the submissions that fail at least one of them."""

    def __init__(self, plan: Plan) -> None:
        groups: defaultdict[str, list[Scenario]] = defaultdict(list)
        self._group_of: dict[str, str] = {}  # keyed by scenario id
        for scenario in plan.scenarios:
            if not scenario.informational:
                groups[scenario.group].append(scenario)
                self._group_of[scenario.id] = scenario.group
        self._failed: dict[str, Tally] = {}
        self._failed_by_good: dict[str, Tally] = {}
        for group, members in groups.items():
            self._failed[group] = Tally(scenarios=tuple(members))
            self._failed_by_good[group] = Tally(scenarios=tuple(members))
        self.good = 0  # submissions with at least 75 % of the marks for functionality

    def add(self, result: SubmissionResult) -> None:
        if not was_run(result):
            return
        blames = _blame_by_scenario(result)
        graded: set[str] = set()
        failing: dict[str, tuple[Explanation | None, _Blame]] = {}  # first failure in this group
        for outcome in result.scenarios:
            group = self._group_of.get(outcome.scenario_id)
            if group is None or outcome.verdict.kind is VerdictKind.HARNESS_ERROR:
                continue
            graded.add(group)
            if not outcome.verdict.passed and group not in failing:
                blame = blames.get(outcome.scenario_id, _NOBODY)
                failing[group] = (outcome.verdict.explanation, blame)
        is_good = result.mark is not None and result.mark >= GOOD * result.out_of
        self.good += is_good
        for group in graded:
            self._failed[group].graded += 1
        for group, (explanation, blame) in failing.items():
            self._failed[group].add(result.id, explanation, cause=blame)
            if is_good:
                self._failed_by_good[group].add(result.id, explanation, cause=blame)

    def most(self) -> list[Tally]:
        """Return at most 25 groups (or sets of groups that fail together), the most frequently
        failed first.
        """
        return _join(self._failed.values())[:_MAX_SCENARIOS]

    def doubtful(self) -> list[Tally]:
        """Return the groups that more than half of the otherwise good submissions fail: perhaps
        the scenario or the reference is wrong.

        Groups that fail together count as one.
        """
        if self.good < MIN_GOOD:
            return []
        failed = [replace(tally, graded=self.good) for tally in self._failed_by_good.values()]
        return _join(tally for tally in failed if 2 * tally.count > tally.graded)


def _blame_by_scenario(result: SubmissionResult) -> dict[str, _Blame]:
    """Return (function, mistake) to blame for each failing scenario, keyed by scenario id."""
    blames: dict[str, _Blame] = {}
    for cause in result.causes:
        blame = (cause.function, mistake(cause))
        for scenario in cause.scenarios:
            blames[scenario] = blame
    return blames


def mistake(cause: Cause) -> str:
    """Return the phrase that completes a sentence about a function's mistake."""
    hard_coded = cause.explanation.hard_coded
    words = rule_in_words(cause.rule)
    if hard_coded is None:
        return words
    return f"{words} to {hard_coded.number}"


def _join(tallies: Iterable[Tally]) -> list[Tally]:
    """Merge groups that fail for the same cause or the same submissions into one tally with all
    their scenarios.

    Its count is that of the largest group. The largest counts come first.
    """
    joined: dict[object, Tally] = {}
    for tally in sorted(tallies, key=lambda tally: -tally.count):
        same: object = tally.students_hash
        if tally.cause != _NOBODY:
            same = tally.cause
        key = (same, tally.graded)
        first = joined.setdefault(key, tally)
        if tally.count and first is not tally:
            joined[key] = replace(first, scenarios=first.scenarios + tally.scenarios)
    return [tally for tally in joined.values() if tally.count]


_MAX_KEYS = 5000  # causes or reasons counted separately

_REASONS = {
    SubmissionStatus.NEEDS_REVIEW: "needs review",
    SubmissionStatus.HARNESS_ERROR: "the harness failed",
    SubmissionStatus.UNREADABLE: "cannot be read",
}
_EARLIER = "the harness failed, so an earlier result is shown"
FLAGGED = "flagged"
NOT_MARKED = "marks by hand are missing"


class ClassCauses:
    """Counts the causes and findings of a class, and the submissions that need attention."""

    def __init__(self) -> None:
        self._causes: dict[tuple[str, str], Tally] = {}  # keyed by (function, rule)
        self._rules: dict[str, Tally] = {}
        self._findings: dict[Explanation, Tally] = {}
        self._for_a_person: dict[Explanation, Tally] = {}
        self._not_marked = Tally(kind=NOT_MARKED)
        self._same_files: defaultdict[str, list[str]] = defaultdict(list)
        self._some_by_hand = False

    def add(self, result: SubmissionResult) -> None:
        self._add_reasons(result)
        self._add_causes(result)
        stated_once = dict.fromkeys((finding.rule, finding.message) for finding in result.findings)
        for rule, message in stated_once:
            why = stated(rule, message)
            self._findings.setdefault(why, Tally(kind=rule)).add(result.id, why)
        if result.files:
            self._same_files[result.source_digest].append(result.id)

    def _add_reasons(self, result: SubmissionResult) -> None:
        """Count the reasons why the submission needs attention or marks by hand."""
        missing = unmarked(result)
        if len(missing) < len(result.manual):
            self._some_by_hand = True
        if missing and result.mark is not None:
            self._not_marked.add(result.id)
        for kind, message in dict.fromkeys(reasons(result)):
            is_told_apart = len(self._for_a_person) < _MAX_KEYS
            reason = stated(kind, message if is_told_apart else "")
            self._for_a_person.setdefault(reason, Tally(kind=kind)).add(result.id, reason)

    def _add_causes(self, result: SubmissionResult) -> None:
        """Count the submission once for each function with a rule, and once for each rule."""
        by_function: defaultdict[tuple[str, str], list[Cause]] = defaultdict(list)
        by_rule: defaultdict[str, list[Cause]] = defaultdict(list)
        for cause in result.causes:
            key = (cause.function, cause.rule)
            if key not in self._causes and len(self._causes) >= _MAX_KEYS:
                continue
            functions = (cause.function,) if cause.function else ()
            self._causes.setdefault(key, Tally(kind=cause.rule, functions=functions))
            by_function[key].append(cause)
            by_rule[cause.rule].append(cause)
        for key, causes in by_function.items():
            self._causes[key].add(result.id, causes[0].explanation, _at_stake(causes))
        for rule, causes in by_rule.items():
            why = stated(rule, mistake(causes[0]))
            self._rules.setdefault(rule, Tally(kind=rule)).add(result.id, why, _at_stake(causes))

    def causes(self) -> list[Tally]:
        """Return the causes, the one that costs most marks first.

        Each is about one function and rule, or about one rule in several functions.
        """
        wide = self._wide()
        found = list(wide.values())
        for (_, rule), tally in self._causes.items():
            if rule not in wide:
                found.append(tally)
        found.sort(key=lambda cause: (-cause.marks, -cause.count, cause.functions, cause.kind))
        return found

    def places(self) -> dict[tuple[str, str], int]:
        """Return the index in `causes` of each (function, rule)."""
        wide = self._wide()
        place_of: dict[tuple[tuple[str, ...], str], int] = {}
        for place, cause in enumerate(self.causes()):
            place_of[cause.functions, cause.kind] = place
        found: dict[tuple[str, str], int] = {}
        for (function, rule), tally in self._causes.items():
            shown_as = wide.get(rule, tally)  # part of a mistake in several functions
            found[function, rule] = place_of[shown_as.functions, rule]
        return found

    def findings(self) -> list[Tally]:
        """Return the findings counted by rule and sentence, the most frequent first."""
        return sorted(self._findings.values(), key=lambda tally: (-tally.count, tally.kind))

    def _wide(self) -> dict[str, Tally]:
        """Return mistakes such as a hard-coded size, keyed by rule: several submissions made them,
        at least one of these in several functions.

        Rules that name no mistake are left out.
        """
        from harness.judging.explain.rules import is_general  # noqa: PLC0415  (where some fail)

        functions: defaultdict[str, list[str]] = defaultdict(list)
        times: Counter[str] = Counter()
        for (function, rule), tally in sorted(self._causes.items(), key=lambda item: item[0]):
            if function:
                functions[rule].append(function)
                times[rule] += tally.count
        wide: dict[str, Tally] = {}
        for rule, tally in self._rules.items():
            if 1 < tally.count < times[rule] and not is_general(rule):
                wide[rule] = replace(tally, functions=tuple(functions[rule]))
        return wide

    def for_a_person(self) -> list[Tally]:
        """Return the submissions that need attention, grouped by reason.

        Missing marks by hand are a reason only once the first marks were given.
        """
        kinds = [*_REASONS.values(), _EARLIER]

        def order(tally: Tally) -> tuple[int, str, int]:
            place = len(kinds)
            if tally.kind in kinds:
                place = kinds.index(tally.kind)
            return place, tally.kind, -tally.count

        found = sorted(self._for_a_person.values(), key=order)
        if self._some_by_hand and self._not_marked.count:
            found.append(self._not_marked)
        return found

    def same_files(self) -> list[list[str]]:
        """Return the groups of students who submitted identical files, the largest first."""
        same = (names for names in self._same_files.values() if len(names) > 1)
        return sorted(same, key=lambda names: (-len(names), names))


def _at_stake(causes: Iterable[Cause]) -> Fraction:
    return sum((cause.marks_at_stake for cause in causes), Fraction(0))


def reasons(result: SubmissionResult) -> Iterator[tuple[str, str]]:
    """Yield (kind, details) for each reason why a submission needs attention.

    There are none once a person has marked it as done.
    """
    if result.reviewed or result.excused:
        return
    kind_of_status = _REASONS.get(result.status)
    if kind_of_status is not None:
        over = result.over_budget
        if over is not None:
            yield kind_of_status, f"{over}; {over.go_on(result.id)}"
            return
        yield kind_of_status, _trouble(result)
    if not result.flagged:
        return
    is_explained = kind_of_status is not None
    if result.earlier:
        is_explained = True
        yield _EARLIER, ""
    for finding in result.findings:
        if finding.consequence.severity is not Severity.NOTE:
            is_explained = True
            yield finding_kind(finding.rule).title, finding.message
    kinds = {outcome.verdict.kind for outcome in result.scenarios}
    for kind in sorted(kinds & TO_REVIEW):
        is_explained = True
        yield VERDICT[kind], ""
    if not is_explained:
        yield FLAGGED, ""


def _trouble(result: SubmissionResult) -> str:
    if result.problem or result.unparsable is None:
        return result.problem
    return result.unparsable.reason
