"""Remove everything about hidden scenarios from the causes of failures that students see.

The causes are computed from visible scenarios only. Then the failing hidden scenarios of each
function are counted, and these numbers are added to the causes.

A hidden scenario's arguments can shape the exception, the line, the blamed function and which
scenarios fail together. So only the plan and passed or failed are used of hidden scenarios.
Everything else in a `ShownCause` comes from visible scenarios, or from the submission's text
(`Undefined`). Causes stored by an older version of the harness come from both kinds: each is
reduced to its visible scenarios.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from harness.model.assignment import Surroundings
from harness.model.explanation.facts import NotJudged
from harness.model.plan import Clause, Plan, Scenario
from harness.model.result import ScenarioResult, SubmissionResult, Undefined
from harness.model.stimulus import Stimulus
from harness.model.verdict import Cause, CodePlace, Explanation, Suspect, Verdict, VerdictKind

_NO_FAILURE = frozenset({VerdictKind.PASSED, VerdictKind.UNREADABLE})
# Hidden failures that are not counted: students cannot fix a failure of the harness.
_NOT_COUNTED = _NO_FAILURE | {VerdictKind.HARNESS_ERROR}
# Pieces of advice for one cause.
MAX_ADVICE = 5


def is_not_judged(verdict: Verdict) -> bool:
    """Return whether the harness itself failed on the scenario."""
    return verdict.explanation is not None and isinstance(verdict.explanation.facts, NotJudged)


def _without_our_place(verdict: Verdict) -> Verdict:
    """Return the verdict. If the harness itself failed, leave out the line of its code."""
    explanation = verdict.explanation
    if explanation is None or not isinstance(explanation.facts, NotJudged):
        return verdict
    return replace(verdict, explanation=replace(explanation, facts=NotJudged(place="")))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCheck:
    """A scenario and its verdict, of which the reader may see everything."""

    id: str
    name: str
    function: str
    clauses: tuple[Clause, ...]
    # For generated cases the smallest failing one, or the first if all passed.
    stimulus: Stimulus
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
        """Combine a scenario and its result.

        `clauses` are those that the scenario tests, if their texts are wanted.
        """
        return cls(
            id=scenario.id,
            name=scenario.name,
            function=scenario.function,
            clauses=clauses,
            stimulus=scenario.stimuli[result.verdict.draw or 0],
            verdict=_without_our_place(result.verdict),
            points=result.points,
            out_of=result.out_of,
            draws=len(scenario.stimuli),
            informational=scenario.informational,
            extra_credit=scenario.extra_credit,
            description=scenario.description,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The lecturer's text for students who fail a hidden scenario (`visible: hint`)."""

    name: str
    hint: str = ""
    description: str = ""


def advice(scenario: Scenario, verdict: Verdict) -> Advice | None:
    """Return the advice on a failing hidden scenario; None if the student may not read any."""
    if not scenario.shows_hint or verdict.kind in _NOT_COUNTED:
        return None
    return Advice(name=scenario.name, hint=scenario.hint, description=scenario.description)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCause:
    """A cause of failures ("thing to fix"), with only the parts that its reader may see."""

    function: str
    # None if it would be about a hidden scenario.
    explanation: Explanation | None = None
    # The failing checks that may be shown, the clearest first.
    checks: tuple[ShownCheck, ...] = ()
    # The number of failing hidden checks, and advice on some of them.
    hidden: int = 0
    advice: tuple[Advice, ...] = ()
    # Files with constants that hidden scenarios change.
    varied: tuple[str, ...] = ()
    blamed: bool = False
    place: CodePlace | None = None
    line: int | None = None
    raised_in: CodePlace | None = None
    raised_at: int | None = None
    suspects: tuple[Suspect, ...] = ()
    clauses: tuple[Clause, ...] = ()
    hint: str = ""
    together_with: tuple[str, ...] = ()
    # The marks at stake; 0 if there are none, or if they are not known.
    marks: Fraction = Fraction(0)

    @property
    def message(self) -> str:
        """Return the message that explains the failure; empty if it has no explanation."""
        if self.explanation is None:
            return ""
        return self.explanation.message

    @property
    def further_hint(self) -> str:
        """Return the hint; empty if the message already contains the hint."""
        if self.explanation is not None and self.explanation.hint == self.hint:
            return ""
        return self.hint

    @property
    def first(self) -> ShownCheck | None:
        """Return the clearest failing check that the reader may see; None if all are hidden."""
        if not self.checks:
            return None
        return self.checks[0]

    @property
    def count(self) -> int:
        """Return how many checks fail because of this cause, hidden ones included."""
        return len(self.checks) + self.hidden


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenTally:
    """The number of failing hidden scenarios of one function.

    All other fields come from the plan and from the submission's text.
    """

    function: str
    count: int
    # The place in the plan of the first one.
    first: int
    clauses: tuple[Clause, ...]
    # Files with constants that scenarios of the function change.
    varied: tuple[str, ...]
    marks: Fraction
    # None if the submission's text defines the function.
    undefined: Undefined | None
    # At most `MAX_ADVICE`, no two with the same text.
    advice: tuple[Advice, ...]


def shown_causes(
    result: SubmissionResult, plan: Plan, shown: Sequence[ShownCheck]
) -> tuple[ShownCause, ...]:
    """Return the causes for a reader who may see the `shown` checks, those worth most marks first.

    Failures of the harness itself, which have no cause in the program, are at the end.
    """
    reader = _KnownFailures(result, plan, shown)
    redacted: list[ShownCause] = []
    explained: set[str] = set()
    for cause in reader.causes:
        explained.update(cause.scenarios)
        shown_cause = reader.redact(cause)
        if shown_cause is not None:
            redacted.append(shown_cause)
    redacted.sort(key=reader.first_of)
    others: list[ShownCheck] = []
    for name, check in reader.failed.items():
        if name not in explained:
            others.append(check)
    return reader.merge(redacted, merge_causes(others))


class _KnownFailures:
    """The failures of one submission, reduced to what a reader of the `shown` checks may see."""

    def __init__(self, result: SubmissionResult, plan: Plan, shown: Sequence[ShownCheck]) -> None:
        self._result = result
        self._plan = plan
        self._shown = frozenset(check.id for check in shown)
        self._place = {scenario.id: index for index, scenario in enumerate(plan.scenarios)}
        self._entries = {entry.scenario_id: entry for entry in result.scenarios}
        # Readers who may not see everything get the causes that rest on visible scenarios only.
        self.causes = result.causes
        is_all_shown = self._shown >= self._place.keys() & self._entries.keys()
        if not is_all_shown and result.students_causes is not None:
            self.causes = result.students_causes
        self.failed: dict[str, ShownCheck] = {}
        for check in shown:
            if not check.informational and check.verdict.kind not in _NO_FAILURE:
                self.failed[check.id] = check

    def first_of(self, cause: ShownCause) -> int:
        """Return the smallest index in the plan of the cause's visible scenarios."""
        places = [self._place[check.id] for check in cause.checks]
        return min(places)

    def redact(self, cause: Cause) -> ShownCause | None:
        """Return the cause with only its visible scenarios; None if all of them are hidden.

        Message, place and lines come from the scenario that serves as the cause's example. If the
        example is hidden, the explanation of the first visible check is used instead.
        """
        names = dict.fromkeys((cause.example, *cause.scenarios))
        checks = tuple(self.failed[name] for name in names if name in self.failed)
        if not checks:
            return None
        clauses: dict[str, Clause] = {}
        for check in checks:
            for clause in check.clauses:
                clauses[clause.id] = clause
        first = checks[0]
        hint = self._plan.scenario(first.id).hint
        shown = ShownCause(
            function=cause.function,
            checks=checks,
            blamed=cause.blamed,
            clauses=tuple(clauses.values()),
            hint=hint,
            together_with=self._needed_too(cause),
            marks=self._marks_of(cause),
        )
        if first.id != cause.example:
            explanation = first.verdict.explanation
            return replace(shown, explanation=explanation and replace(explanation, hint=""))
        return replace(
            shown,
            explanation=cause.explanation,
            place=cause.place,
            line=cause.line,
            raised_in=cause.raised_in,
            raised_at=cause.raised_at,
            suspects=cause.suspects,
        )

    def _needed_too(self, cause: Cause) -> tuple[str, ...]:
        """Return the functions that must also be correct before the cause's scenarios pass.

        If all of the cause's scenarios are visible, these are all such functions. Otherwise, they
        are those whose own cause has a visible scenario in common with this one.
        """
        if self.failed.keys() >= set(cause.scenarios):
            return cause.together_with
        shown_here = self.failed.keys() & set(cause.scenarios)
        sharing: set[str] = set()
        for other in self.causes:
            if other.blamed and shown_here & set(other.scenarios):
                sharing.add(other.function)
        return tuple(name for name in cause.together_with if name in sharing)

    def _marks_of(self, cause: Cause) -> Fraction:
        if self._shown >= set(cause.scenarios):
            return cause.marks_at_stake
        shown = [name for name in cause.scenarios if name in self._shown]
        return self._worth(shown)

    def _worth(self, names: Iterable[str]) -> Fraction:
        """Return the most marks that the submission could gain if these scenarios passed."""
        if self._result.mark is None:
            return Fraction(0)
        out_of = Fraction(0)
        for scenario in self._plan.scenarios:
            entry = self._entries.get(scenario.id)
            if entry is not None and not scenario.extra_credit:
                out_of += entry.out_of
        if not out_of:
            return Fraction(0)
        lost = Fraction(0)
        for name in names:
            entry = self._entries[name]
            lost += entry.out_of - entry.points
        return self._result.out_of * lost / out_of

    def tallies(self) -> list[HiddenTally]:
        """Return the failing hidden scenarios by function, in the plan's order."""
        by_function: defaultdict[str, list[Scenario]] = defaultdict(list)
        for scenario in self._plan.scenarios:
            entry = self._entries.get(scenario.id)
            is_hidden = scenario.id not in self._shown and not scenario.informational
            if entry and is_hidden and entry.verdict.kind not in _NOT_COUNTED:
                by_function[scenario.function].append(scenario)
        return [self._tally(*group) for group in by_function.items()]

    def _tally(self, function: str, scenarios: Sequence[Scenario]) -> HiddenTally:
        clause_ids: set[str] = set()
        for scenario in scenarios:
            clause_ids.update(scenario.clauses)
        clauses = [clause for clause in self._plan.assignment.clauses if clause.id in clause_ids]
        undefined: Undefined | None = None
        for entry in self._result.undefined:
            if entry.name == function:
                undefined = entry
                break
        return HiddenTally(
            function=function,
            count=len(scenarios),
            first=self._place[scenarios[0].id],
            clauses=tuple(clauses),
            varied=_varied(self._plan, function),
            marks=self._worth(scenario.id for scenario in scenarios),
            undefined=undefined,
            advice=self._advice(scenarios),
        )

    def _advice(self, scenarios: Iterable[Scenario]) -> tuple[Advice, ...]:
        by_text: dict[tuple[str, str], Advice] = {}
        for scenario in scenarios:
            found = advice(scenario, self._entries[scenario.id].verdict)
            if found is not None:
                by_text.setdefault((found.hint, found.description), found)
        return tuple(by_text.values())[:MAX_ADVICE]

    def merge(
        self, redacted: Sequence[ShownCause], others: Sequence[ShownCause]
    ) -> tuple[ShownCause, ...]:
        """Combine the redacted causes with the others, and add the failures of hidden scenarios.

        They are added to the causes of their functions. A function that fails only hidden scenarios
        gets its own cause. Causes are sorted by marks, most first, then by the plan's order; the
        others are last.
        """
        causes = [*redacted, *others]
        # For each cause, whether it is one of the others, and its place in their order.
        order: list[tuple[bool, int]] = []
        for cause in redacted:
            order.append((False, self.first_of(cause)))
        for number in range(len(others)):
            order.append((True, number))
        known = tuple(causes)
        for tally in self.tallies():
            index = _index_for(tally.function, known)
            if index is None:
                causes.append(_only_hidden(tally))
                order.append((False, tally.first))
                continue
            # The marks of the others are not known.
            marks = tally.marks if index < len(redacted) else Fraction(0)
            causes[index] = _with_hidden(causes[index], replace(tally, marks=marks))

        def key(index: int) -> tuple[object, ...]:
            is_other, first = order[index]
            return is_other, -causes[index].marks, first

        indexes = sorted(range(len(causes)), key=key)
        return tuple(causes[index] for index in indexes)


def _varied(plan: Plan, function: str) -> tuple[str, ...]:
    """Return the provided files in which scenarios of a function replace constants."""
    changed: set[str] = set()
    for scenario in plan.scenarios:
        if scenario.function == function:
            changed.update(binding.name for binding in scenario.stimuli[0].constants)
    files: dict[str, None] = {}
    for constant in Surroundings.of(plan.assignment).constants:
        if constant.name in changed:
            files[constant.file] = None
    return tuple(files)


def _index_for(function: str, causes: Sequence[ShownCause]) -> int | None:
    """Return the index of the cause to which failing hidden scenarios of a function are added.

    It is the function's own cause, otherwise one whose checks test the function, otherwise the
    cause that concerns the whole file.
    """
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
        advice=(*cause.advice, *tally.advice)[:MAX_ADVICE],
        clauses=tuple(dict.fromkeys((*cause.clauses, *tally.clauses))),
        marks=cause.marks + tally.marks,
    )


def _only_hidden(tally: HiddenTally) -> ShownCause:
    cause = ShownCause(
        function=tally.function,
        hidden=tally.count,
        advice=tally.advice,
        varied=tally.varied,
        clauses=tally.clauses,
        marks=tally.marks,
    )
    undefined = tally.undefined
    if undefined is None:
        return cause
    return replace(cause, explanation=undefined.explanation, place=undefined.near)


def merge_causes(checks: Iterable[ShownCheck]) -> tuple[ShownCause, ...]:
    """Group failing checks whose cause is not known.

    First come groups with the same message in several functions, then groups with the same rule,
    function and clauses. Both keep the order of the checks.
    """
    in_order = list(checks)
    functions: dict[tuple[object, ...], set[str]] = {}
    for check in in_order:
        functions.setdefault(_said(check), set()).add(check.function)
    in_several: dict[tuple[object, ...], list[ShownCheck]] = {}
    in_one: dict[tuple[object, ...], list[ShownCheck]] = {}
    for check in in_order:
        said = _said(check)
        if len(functions[said]) > 1:
            in_several.setdefault(said, []).append(check)
        else:
            kind, rule, _ = said
            key = (kind, rule, check.function, check.clauses)
            in_one.setdefault(key, []).append(check)
    causes = [_cause_of("", group) for group in in_several.values()]
    for group in in_one.values():
        causes.append(_cause_of(group[0].function, group))
    return tuple(causes)


def _cause_of(function: str, checks: Sequence[ShownCheck]) -> ShownCause:
    first = checks[0]
    return ShownCause(
        function=function,
        explanation=first.verdict.explanation,
        checks=tuple(checks),
        clauses=first.clauses,
    )


def _said(check: ShownCheck) -> tuple[object, object, object]:
    explanation = check.verdict.explanation
    rule = explanation.rule if explanation else ""
    return check.verdict.kind, rule, explanation
