"""A result as its author may read it, made anew of the scenarios that are shown: a `StudentView`
has no hidden stimulus, expectation or message inside it, so whatever is rendered from it cannot
show one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import itemgetter

from harness.model.assignment import Surroundings
from harness.model.plan import Clause, Plan, Scenario, Visibility
from harness.model.policy import Finding, Unparsable
from harness.model.result import (
    Adjustment,
    LineComment,
    ManualMark,
    Override,
    ScenarioResult,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.stimulus import Stimulus
from harness.model.submission import Lateness
from harness.model.verdict import Cause, CodePlace, Explanation, Suspect, Verdict, VerdictKind

ALWAYS = frozenset({Visibility.VISIBLE})
EVERYTHING = frozenset(Visibility)  # for the lecturer


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
class ShownCause:
    """One thing to fix as its reader may see it."""

    function: str
    explanation: Explanation | None = None  # None where it would be about a hidden scenario
    checks: tuple[ShownCheck, ...] = ()  # the failing ones that may be shown, the clearest first
    hidden: int = 0  # how many others there are
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
class HiddenCheck:
    """A scenario that a student may not see: its name and its verdict."""

    name: str
    function: str
    kind: VerdictKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTally:
    """A function's share: scenarios and points, hidden ones counted, informational ones not."""

    function: str
    passed: int
    total: int
    points: Fraction
    out_of: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentView:
    """One submission as its author may see it. `problem`, `unparsable`, `notes` and `findings` are
    about the student's own file, and so are never secret."""

    id: str
    title: str
    course: str
    status: SubmissionStatus
    mark: Fraction | None  # None where there is none (yet)
    out_of: Fraction
    surroundings: Surroundings
    functions: tuple[FunctionTally, ...]
    shown: tuple[ShownCheck, ...]  # in the plan's order, as the hidden ones
    hidden: tuple[HiddenCheck, ...] = ()
    causes: tuple[ShownCause, ...] = ()  # what to fix, in order
    findings: tuple[Finding, ...] = ()
    unparsable: Unparsable | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()
    manual: tuple[ManualMark, ...] = ()
    adjustment: Adjustment | None = None
    comment: str = ""
    late: Lateness | None = None
    reached: Fraction | None = None  # before what lateness and the adjustment change
    late_marks: Fraction | None = None
    total: Fraction | None = None  # None until people have given all of their part
    total_out_of: Fraction = Fraction(0)
    override: Override | None = None
    line_comments: tuple[LineComment, ...] = ()
    extra_points: Fraction = Fraction(0)  # of extra credit, above those of the functions
    extra_earned: Fraction = Fraction(0)  # of these, those of the scenarios that passed
    assignment: str = ""  # its id
    source_digest: str = ""  # of the files that were graded

    @property
    def marks_of_a_point(self) -> Fraction:
        """What a point of a function is worth; 0 where there are none."""
        points = _sum(tally.out_of for tally in self.functions)
        return self.out_of / points if points else Fraction(0)


def by_function(plan: Plan, result: SubmissionResult) -> tuple[FunctionTally, ...]:
    """Each function's scenarios and points, informational ones left out, in the order of the
    assignment's functions, then of the plan. Extra credit adds to `points`, not to `out_of`. A
    scenario that the result lacks counts as not passed."""
    results = {entry.scenario_id: entry for entry in result.scenarios}
    groups: dict[str, list[Scenario]] = {f.name: [] for f in plan.assignment.functions}
    for scenario in plan.scenarios:
        if not scenario.informational:
            groups.setdefault(scenario.function, []).append(scenario)
    tallies: list[FunctionTally] = []
    for function, scenarios in groups.items():
        entries = [results[scenario.id] for scenario in scenarios if scenario.id in results]
        excused = {entry.scenario_id for entry in entries if not entry.out_of}
        tally = FunctionTally(
            function=function,
            passed=sum(entry.verdict.passed for entry in entries),
            total=len(scenarios),
            points=_sum(entry.points for entry in entries),
            out_of=_sum(s.points for s in scenarios if not s.extra_credit and s.id not in excused),
        )
        tallies.append(tally)
    return tuple(tally for tally in tallies if tally.total)


def _sum(points: Iterable[Fraction]) -> Fraction:
    # By denominators: adding fractions one by one takes most of a tally's time.
    sums: dict[int, int] = {}
    for each in points:
        top, bottom = each.as_integer_ratio()
        sums[bottom] = sums.get(bottom, 0) + top
    return sum((Fraction(top, bottom) for bottom, top in sums.items()), Fraction(0))


def hidden_kind(verdict: Verdict) -> VerdictKind:
    """What is said of a hidden scenario's verdict: in which of the ways it failed is not."""
    said = (VerdictKind.PASSED, VerdictKind.HARNESS_ERROR, VerdictKind.UNREADABLE)
    return verdict.kind if verdict.kind in said else VerdictKind.FAILED


def student_view(
    result: SubmissionResult, plan: Plan, *, visible: frozenset[Visibility] = ALWAYS
) -> StudentView:
    """What the student sees: visible scenarios whole (`visible` says which are open by now), hidden
    ones as a name and a verdict. Findings, notes and the reason why a file could not be read are
    about the student's own text and always shown."""
    shown, hidden = _checks(result, plan, visible)
    extra_ids = {scenario.id for scenario in plan.scenarios if scenario.extra_credit}
    extra = [entry for entry in result.scenarios if entry.scenario_id in extra_ids]
    return StudentView(
        id=result.id,
        title=plan.assignment.title,
        course=plan.assignment.course,
        status=result.status,
        mark=result.mark,
        out_of=result.out_of,
        surroundings=Surroundings.of(plan.assignment),
        functions=by_function(plan, result),
        shown=tuple(shown),
        hidden=tuple(hidden),
        causes=_causes(result, plan, shown),
        findings=result.findings,
        unparsable=result.unparsable,
        problem=result.problem,
        notes=result.notes,
        manual=result.manual,
        adjustment=result.adjustment,
        comment=result.comment,
        late=result.late,
        reached=result.reached,
        late_marks=result.late_marks,
        total=result.total,
        total_out_of=result.total_out_of,
        override=result.override,
        line_comments=result.line_comments,
        extra_points=_sum(entry.out_of for entry in extra),
        extra_earned=_sum(entry.points for entry in extra),
        assignment=plan.assignment.id,
        source_digest=result.source_digest,
    )


def _checks(
    result: SubmissionResult, plan: Plan, visible: frozenset[Visibility]
) -> tuple[list[ShownCheck], list[HiddenCheck]]:
    results = {entry.scenario_id: entry for entry in result.scenarios}
    clauses = {
        ids: tuple(clause for clause in plan.assignment.clauses if clause.id in ids)
        for ids in {scenario.clauses for scenario in plan.scenarios}
    }
    shown: list[ShownCheck] = []
    hidden: list[HiddenCheck] = []
    for scenario in (each for each in plan.scenarios if each.id in results):
        entry = results[scenario.id]
        if scenario.visibility in visible:
            shown.append(ShownCheck.of(scenario, entry, clauses[scenario.clauses]))
        elif not scenario.informational:  # hidden informational scenarios are not mentioned at all
            kind = hidden_kind(entry.verdict)
            hidden.append(HiddenCheck(name=scenario.name, function=scenario.function, kind=kind))
    return shown, hidden


def _causes(
    result: SubmissionResult, plan: Plan, shown: list[ShownCheck]
) -> tuple[ShownCause, ...]:
    """The causes as their reader may see them, most marks first, then failures that no cause
    explains (our own). A cause is made of its shown scenarios alone. The hidden failures of a
    function are only counted, with their clauses and marks: in its first cause that is shown, or
    in a cause of their own."""
    no_failure = (VerdictKind.PASSED, VerdictKind.UNREADABLE)
    counting = [check for check in shown if not check.informational]
    failed = {check.id: check for check in counting if check.verdict.kind not in no_failure}
    ids = {check.id for check in shown}
    place = {scenario.id: index for index, scenario in enumerate(plan.scenarios)}
    lost = {entry.scenario_id: entry.out_of - entry.points for entry in result.scenarios}
    hidden = _hidden_causes(result.causes, plan, ids, lost)
    placed: list[tuple[int, ShownCause]] = []  # with where in the plan its first scenario is
    for cause in result.causes:
        names = dict.fromkeys((cause.example, *cause.scenarios))
        checks = tuple(failed[name] for name in names if name in failed)
        if checks:
            together = _other_functions(cause, result.causes, failed)
            marks = _part(cause, [name for name in cause.scenarios if name in ids], lost)
            shown_cause = _show_cause(cause, checks, plan, marks, together)
            placed.append((min(place[check.id] for check in checks), shown_cause))
    placed.sort(key=itemgetter(0))
    for index, (first, shown_cause) in enumerate(placed):
        _, more = hidden.pop(shown_cause.function, (0, None))
        if more is not None:  # a function's hidden failures go to its first cause that is shown
            clauses = tuple(dict.fromkeys((*shown_cause.clauses, *more.clauses)))
            marks = shown_cause.marks + more.marks
            whole = replace(shown_cause, hidden=more.hidden, clauses=clauses, marks=marks)
            placed[index] = first, whole
    placed += hidden.values()
    placed.sort(key=lambda each: (-each[1].marks, each[0]))
    explained = {name for cause in result.causes for name in cause.scenarios}
    others = put_together(failed[name] for name in failed if name not in explained)
    return (*(shown_cause for _, shown_cause in placed), *others)


def _hidden_causes(
    causes: Iterable[Cause], plan: Plan, shown: Set[str], lost: Mapping[str, Fraction]
) -> dict[str, tuple[int, ShownCause]]:
    """What may be said of failing scenarios that are not shown, by the function to blame, else by
    their own; each with where in the plan its first one is."""
    place = {scenario.id: index for index, scenario in enumerate(plan.scenarios)}
    ids_of_function: defaultdict[str, set[str]] = defaultdict(set)
    hidden: dict[str, ShownCause] = {}
    for cause in causes:
        # A cause that blames nobody may join scenarios of several functions, of which it names at
        # most one: its hidden scenarios are listed under their own functions.
        is_named = cause.blamed or cause.about_text or not cause.function
        by_function: defaultdict[str, list[str]] = defaultdict(list)
        for name in cause.scenarios:
            if name not in shown and name in place:
                tested_function = plan.scenarios[place[name]].function
                by_function[cause.function if is_named else tested_function].append(name)
        for function, members in by_function.items():
            ids_of_function[function].update(members)
            before = hidden.get(function, ShownCause(function=function))
            tells = cause if cause.about_text else before  # only the student's own text may be told
            hidden[function] = replace(
                before,
                explanation=tells.explanation,
                hidden=len(ids_of_function[function]),
                blamed=before.blamed or cause.blamed,
                place=tells.place,
                marks=before.marks + _part(cause, members, lost),
            )
    placed = {}
    provided = Surroundings.of(plan.assignment).constants
    for function, ids in ids_of_function.items():
        scenarios = [plan.scenarios[place[name]] for name in ids]
        functions = {each.function for each in scenarios}
        alike = [each.stimuli[0] for each in plan.scenarios if each.function in functions]
        changed = {binding.name for stimulus in alike for binding in stimulus.constants}
        varied = dict.fromkeys(each.file for each in provided if each.name in changed)
        tested = {clause for each in scenarios for clause in each.clauses}
        clauses = tuple(each for each in plan.assignment.clauses if each.id in tested)
        whole = replace(hidden[function], clauses=clauses, varied=tuple(varied))
        placed[function] = min(place[name] for name in ids), whole
    return placed


def _part(cause: Cause, names: Iterable[str], lost: Mapping[str, Fraction]) -> Fraction:
    """The part of a cause's marks that rests on these scenarios, of what each has lost."""
    nothing = Fraction(0)
    all_of_it = sum((lost.get(name, nothing) for name in cause.scenarios), nothing)
    part = sum((lost.get(name, nothing) for name in names), nothing)
    return cause.marks_at_stake * part / all_of_it if all_of_it else nothing


def _other_functions(
    cause: Cause, causes: Iterable[Cause], failed: Mapping[str, ShownCheck]
) -> tuple[str, ...]:
    """The functions that have to be right as well: all of them where the whole cause is shown, else
    those of the causes that have one of its shown checks too."""
    if failed.keys() >= set(cause.scenarios):
        return cause.together_with
    own = failed.keys() & set(cause.scenarios)
    sharing = {other.function for other in causes if other.blamed and own & set(other.scenarios)}
    return tuple(name for name in cause.together_with if name in sharing)


def _show_cause(
    cause: Cause,
    checks: tuple[ShownCheck, ...],
    plan: Plan,
    marks: Fraction,
    together: tuple[str, ...],
) -> ShownCause:
    """A cause as its shown checks tell it. Message, place and lines are the example's: where that
    is hidden, the first shown check says what it can."""
    first = checks[0]
    is_example = first.id == cause.example
    own = is_example or cause.about_text
    hint = plan.scenario(first.id).hint
    clauses = {clause.id: clause for check in checks for clause in check.clauses}
    shown = first.verdict.explanation
    return ShownCause(
        function=cause.function,
        explanation=cause.explanation if own else shown and shown.without_hint(hint),
        checks=checks,
        blamed=cause.blamed,
        place=cause.place if own else None,
        line=cause.line if is_example else None,
        raised_in=cause.raised_in if is_example else None,
        raised_at=cause.raised_at if is_example else None,
        suspects=cause.suspects if is_example else (),
        clauses=tuple(clauses.values()),
        hint=hint,
        together_with=together,
        marks=marks,
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
    return check.verdict.kind, explanation.rule if explanation else "", check.verdict.message
