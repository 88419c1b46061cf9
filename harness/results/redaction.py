"""Causes as a student may read them: first each cause is redacted to its visible scenarios, then
the failing hidden scenarios are counted by function, and the counts are merged into the list.

Whatever a program does in a hidden scenario, it was asked with hidden arguments, and may let them
choose its exception, its line, its function to blame or the scenarios that fail alike. So of hidden
scenarios nothing is used here but the plan and whether they passed; everything else in a
`ShownCause` comes from visible scenarios, or from the submission's text (`Undefined`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from harness.model.assignment import Surroundings
from harness.model.plan import Clause, Plan, Scenario
from harness.model.result import ScenarioResult, SubmissionResult, Undefined
from harness.model.stimulus import Stimulus
from harness.model.verdict import Cause, CodePlace, Explanation, Suspect, Verdict, VerdictKind

_NO_FAILURE = frozenset({VerdictKind.PASSED, VerdictKind.UNREADABLE})
# Hidden failures that are not counted: students cannot fix a failure of the harness.
_NOT_COUNTED = _NO_FAILURE | {VerdictKind.HARNESS_ERROR}
MOST_ADVICE = 5  # of one cause


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCheck:
    """A scenario that its reader may see whole."""

    id: str
    name: str
    function: str
    clauses: tuple[Clause, ...]
    stimulus: Stimulus  # of a sample the smallest failing draw, the first when all passed
    verdict: Verdict
    points: Fraction
    out_of: Fraction
    draws: int = 1
    informational: bool = False
    extra_credit: bool = False
    description: str = ""

    @classmethod
    def of(
        cls, scenario: Scenario, result: ScenarioResult, clauses: tuple[Clause, ...] = ()
    ) -> ShownCheck:
        """Everything about a scenario that is not secret from its reader; `clauses` are those that
        it tests, where their texts are wanted."""
        return cls(
            id=scenario.id,
            name=scenario.name,
            function=scenario.function,
            clauses=clauses,
            stimulus=scenario.stimuli[result.verdict.draw or 0],
            verdict=result.verdict,
            points=result.points,
            out_of=result.out_of,
            draws=len(scenario.stimuli),
            informational=scenario.informational,
            extra_credit=scenario.extra_credit,
            description=scenario.description,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The lecturer's words about a hidden scenario for students who fail it (`visible: hint`)."""

    name: str
    hint: str = ""
    description: str = ""


def advice(scenario: Scenario, verdict: Verdict) -> Advice | None:
    """Return what a student may read of a hidden scenario that fails; None if that is nothing."""
    if not scenario.shows_hint or verdict.kind in _NOT_COUNTED:
        return None
    return Advice(name=scenario.name, hint=scenario.hint, description=scenario.description)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCause:
    """One thing to fix as its reader may see it."""

    function: str
    explanation: Explanation | None = None  # None where it would be about a hidden scenario
    checks: tuple[ShownCheck, ...] = ()  # the failing ones that may be shown, the clearest first
    hidden: int = 0  # how many others there are
    advice: tuple[Advice, ...] = ()  # on some of these
    varied: tuple[str, ...] = ()  # files with constants that scenarios change, of what is hidden
    blamed: bool = False
    place: CodePlace | None = None
    line: int | None = None
    raised_in: CodePlace | None = None
    raised_at: int | None = None
    suspects: tuple[Suspect, ...] = ()
    clauses: tuple[Clause, ...] = ()
    hint: str = ""
    together_with: tuple[str, ...] = ()
    marks: Fraction = Fraction(0)  # at stake; 0: none, or not known

    @property
    def message(self) -> str:
        return self.explanation.message if self.explanation else ""

    @property
    def count(self) -> int:
        """How many checks fail for it, hidden ones included."""
        return len(self.checks) + self.hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenTally:
    """The failing hidden scenarios of one function of the plan: how many, and what the plan and the
    submission's text say of them."""

    function: str
    count: int
    first: int  # where in the plan the first of them is
    clauses: tuple[Clause, ...]
    varied: tuple[str, ...]  # files with constants that scenarios of the function change
    marks: Fraction
    undefined: Undefined | None  # None: the submission's text defines the function
    advice: tuple[Advice, ...]  # at most `MOST_ADVICE`, no two that say the same


def shown_causes(
    result: SubmissionResult, plan: Plan, shown: Sequence[ShownCheck]
) -> tuple[ShownCause, ...]:
    """The causes as the reader of the `shown` checks may see them, most marks first; then failures
    that no cause explains, which are our own."""
    reader = _Reader(result, plan, shown)
    redacted = [cause for cause in map(reader.redact, result.causes) if cause is not None]
    redacted.sort(key=reader.first_of)
    explained = {name for cause in result.causes for name in cause.scenarios}
    others = [check for name, check in reader.failed.items() if name not in explained]
    return reader.merge(redacted, put_together(others))


class _Reader:
    """The failures of one submission, as a reader of the `shown` checks may know them."""

    def __init__(self, result: SubmissionResult, plan: Plan, shown: Sequence[ShownCheck]) -> None:
        self._result = result
        self._plan = plan
        self._shown = frozenset(check.id for check in shown)
        self._place = {scenario.id: index for index, scenario in enumerate(plan.scenarios)}
        self._entries = {entry.scenario_id: entry for entry in result.scenarios}
        self.failed: dict[str, ShownCheck] = {}
        for check in shown:
            if not check.informational and check.verdict.kind not in _NO_FAILURE:
                self.failed[check.id] = check

    def first_of(self, cause: ShownCause) -> int:
        """Where in the plan the first of a cause's shown scenarios is."""
        return min(self._place[check.id] for check in cause.checks)

    def redact(self, cause: Cause) -> ShownCause | None:
        """What the cause's shown scenarios say of it; None if it has none of them. Message, place
        and lines are the example's: if that is hidden, the first shown check says what it can."""
        names = dict.fromkeys((cause.example, *cause.scenarios))
        checks = tuple(self.failed[name] for name in names if name in self.failed)
        if not checks:
            return None
        first = checks[0]
        is_example = first.id == cause.example
        hint = self._plan.scenario(first.id).hint
        own = first.verdict.explanation
        explanation = cause.explanation if is_example else own and replace(own, hint="")
        clauses = {clause.id: clause for check in checks for clause in check.clauses}
        return ShownCause(
            function=cause.function,
            explanation=explanation,
            checks=checks,
            blamed=cause.blamed,
            place=cause.place if is_example else None,
            line=cause.line if is_example else None,
            raised_in=cause.raised_in if is_example else None,
            raised_at=cause.raised_at if is_example else None,
            suspects=cause.suspects if is_example else (),
            clauses=tuple(clauses.values()),
            hint=hint,
            together_with=self._needed_too(cause),
            marks=self._marks_of(cause),
        )

    def _needed_too(self, cause: Cause) -> tuple[str, ...]:
        """The functions that have to be right as well: all of them if the whole cause is shown,
        else those of the causes that have one of its shown checks too."""
        if self.failed.keys() >= set(cause.scenarios):
            return cause.together_with
        shown_here = self.failed.keys() & set(cause.scenarios)
        sharing: set[str] = set()
        for other in self._result.causes:
            if other.blamed and shown_here & set(other.scenarios):
                sharing.add(other.function)
        return tuple(name for name in cause.together_with if name in sharing)

    def _marks_of(self, cause: Cause) -> Fraction:
        if self._shown >= set(cause.scenarios):
            return cause.marks_at_stake
        return self._worth([name for name in cause.scenarios if name in self._shown])

    def _worth(self, names: Iterable[str]) -> Fraction:
        """What the mark would at most rise by if these scenarios passed."""
        if self._result.mark is None:
            return Fraction(0)
        regular = {scenario.id for scenario in self._plan.scenarios if not scenario.extra_credit}
        entries = self._entries
        out_of = sum((e.out_of for e in entries.values() if e.scenario_id in regular), Fraction(0))
        lost = sum((entries[name].out_of - entries[name].points for name in names), Fraction(0))
        return self._result.out_of * lost / out_of if out_of else Fraction(0)

    def tallies(self) -> list[HiddenTally]:
        """The failing hidden scenarios by function, in the plan's order."""
        by_function: defaultdict[str, list[Scenario]] = defaultdict(list)
        for scenario in self._plan.scenarios:
            entry = self._entries.get(scenario.id)
            is_hidden = scenario.id not in self._shown and not scenario.informational
            if entry and is_hidden and entry.verdict.kind not in _NOT_COUNTED:
                by_function[scenario.function].append(scenario)
        return [self._tally(*group) for group in by_function.items()]

    def _tally(self, function: str, scenarios: Sequence[Scenario]) -> HiddenTally:
        tested = {clause for scenario in scenarios for clause in scenario.clauses}
        undefined = (each for each in self._result.undefined if each.name == function)
        return HiddenTally(
            function=function,
            count=len(scenarios),
            first=self._place[scenarios[0].id],
            clauses=tuple(each for each in self._plan.assignment.clauses if each.id in tested),
            varied=_varied(self._plan, function),
            marks=self._worth(scenario.id for scenario in scenarios),
            undefined=next(undefined, None),
            advice=self._advice(scenarios),
        )

    def _advice(self, scenarios: Iterable[Scenario]) -> tuple[Advice, ...]:
        said: dict[tuple[str, str], Advice] = {}
        for scenario in scenarios:
            found = advice(scenario, self._entries[scenario.id].verdict)
            if found is not None:
                said.setdefault((found.hint, found.description), found)
        return tuple(said.values())[:MOST_ADVICE]

    def merge(
        self, redacted: Sequence[ShownCause], others: Sequence[ShownCause]
    ) -> tuple[ShownCause, ...]:
        """The redacted causes and the others, with the hidden failures of their functions, and a
        cause for each function that has only hidden ones. Most marks first, else as in the plan;
        the others last."""
        causes = [*redacted, *others]
        order = {index: (False, self.first_of(cause)) for index, cause in enumerate(redacted)}
        order |= {len(redacted) + index: (True, index) for index in range(len(others))}
        known = tuple(causes)
        for tally in self.tallies():
            index = _index_for(tally.function, known)
            if index is None:
                order[len(causes)] = (False, tally.first)
                causes.append(_only_hidden(tally))
            else:
                is_known = index < len(redacted)  # of the others the marks are not known
                marks = tally.marks if is_known else Fraction(0)
                causes[index] = _with_hidden(causes[index], replace(tally, marks=marks))

        def key(index: int) -> tuple[object, ...]:
            is_other, first = order[index]
            return is_other, -causes[index].marks, first

        return tuple(causes[index] for index in sorted(order, key=key))


def _varied(plan: Plan, function: str) -> tuple[str, ...]:
    """The provided files with constants that scenarios of a function change."""
    changed: set[str] = set()
    for scenario in plan.scenarios:
        if scenario.function == function:
            changed.update(binding.name for binding in scenario.stimuli[0].constants)
    provided = Surroundings.of(plan.assignment).constants
    return tuple(dict.fromkeys(each.file for each in provided if each.name in changed))


def _index_for(function: str, causes: Sequence[ShownCause]) -> int | None:
    """Which of the shown causes takes the hidden failures of a function: its own, else one whose
    checks are of it, else that of the whole file."""
    for index, cause in enumerate(causes):
        if cause.function == function:
            return index
    for index, cause in enumerate(causes):
        if not cause.function or any(check.function == function for check in cause.checks):
            return index
    return None


def _with_hidden(cause: ShownCause, tally: HiddenTally) -> ShownCause:
    return replace(
        cause,
        hidden=cause.hidden + tally.count,
        advice=(*cause.advice, *tally.advice)[:MOST_ADVICE],
        clauses=tuple(dict.fromkeys((*cause.clauses, *tally.clauses))),
        marks=cause.marks + tally.marks,
    )


def _only_hidden(tally: HiddenTally) -> ShownCause:
    undefined = tally.undefined
    return ShownCause(
        function=tally.function,
        explanation=undefined.explanation if undefined else None,
        place=undefined.near if undefined else None,
        hidden=tally.count,
        advice=tally.advice,
        varied=tally.varied,
        clauses=tally.clauses,
        marks=tally.marks,
    )


def put_together(checks: Iterable[ShownCheck]) -> tuple[ShownCause, ...]:
    """Group failing checks whose cause is not known: first those with the same message in several
    functions, then those of one rule and function for the same clauses, each in their own order."""
    in_order = list(checks)
    functions: dict[tuple[object, ...], set[str]] = {}
    for check in in_order:
        functions.setdefault(_said(check), set()).add(check.function)
    groups: dict[tuple[object, ...], list[ShownCheck]] = {}
    for check in in_order:
        said = _said(check)
        own = (check.function, *(clause.id for clause in check.clauses))
        key = said if len(functions[said]) > 1 else (*said[:2], *own)
        groups.setdefault(key, []).append(check)
    ordered = sorted(groups.values(), key=lambda members: len({c.function for c in members}) < 2)
    return tuple(
        ShownCause(
            function=members[0].function if len({c.function for c in members}) < 2 else "",
            explanation=members[0].verdict.explanation,
            checks=tuple(members),
            clauses=members[0].clauses,
        )
        for members in ordered
    )


def _said(check: ShownCheck) -> tuple[object, ...]:
    explanation = check.verdict.explanation
    return check.verdict.kind, explanation.rule if explanation else "", explanation
