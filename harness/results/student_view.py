"""A result as its author may read it, made anew of the scenarios that are shown: a `StudentView`
has no hidden stimulus, expectation or message inside it, so whatever is rendered from it cannot
show one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from harness.common.words import plural
from harness.model.assignment import SourceFile, Surroundings
from harness.model.plan import Plan, Scenario, Visibility
from harness.model.policy import Finding, Unparsable
from harness.model.result import (
    Adjustment,
    LineComment,
    ManualMark,
    Override,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.submission import Lateness
from harness.model.verdict import Verdict, VerdictKind
from harness.results.redaction import ShownCause, ShownCheck, shown_causes

ALWAYS = frozenset({Visibility.VISIBLE})
EVERYTHING = frozenset(Visibility)  # for the lecturer


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
    name: str = ""  # the student's, if it is known
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
    so_far: Fraction | None = None  # `total`, with 0 for parts that nobody has marked yet
    late_so_far: Fraction | None = None  # what lateness takes of it
    override: Override | None = None
    line_comments: tuple[LineComment, ...] = ()
    extra_points: Fraction = Fraction(0)  # of extra credit, above those of the functions
    extra_earned: Fraction = Fraction(0)  # of these, those of the scenarios that passed
    assignment: str = ""  # its id
    source_digest: str = ""  # of the files that were graded
    # The student's own files, if a person commented on their lines or they could not be graded.
    shown_files: tuple[SourceFile, ...] = ()

    @property
    def marks_of_a_point(self) -> Fraction:
        """Return the marks that one point is worth; 0 if there are no points."""
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
        name=result.student.name if result.student else "",
        title=plan.assignment.title,
        course=plan.assignment.course,
        status=result.status,
        mark=result.mark,
        out_of=result.out_of,
        surroundings=Surroundings.of(plan.assignment),
        functions=by_function(plan, result),
        shown=tuple(shown),
        hidden=tuple(hidden),
        causes=shown_causes(result, plan, shown),
        findings=result.findings,
        unparsable=result.unparsable,
        problem=result.problem,
        notes=(*result.notes, *_of_budget(result)),
        manual=result.manual,
        adjustment=result.adjustment,
        comment=result.comment,
        late=result.late,
        reached=result.reached,
        late_marks=result.late_marks,
        total=result.total,
        total_out_of=result.total_out_of,
        so_far=result.so_far,
        late_so_far=result.late_so_far,
        override=result.override,
        line_comments=result.line_comments,
        extra_points=_sum(entry.out_of for entry in extra),
        extra_earned=_sum(entry.points for entry in extra),
        assignment=plan.assignment.id,
        source_digest=result.source_digest,
        shown_files=_own_files(result),
    )


def _own_files(result: SubmissionResult) -> tuple[SourceFile, ...]:
    could_not_be_graded = not result.files
    return result.shown_files if result.line_comments or could_not_be_graded else ()


def _of_budget(result: SubmissionResult) -> Iterator[str]:
    if (over := result.over_budget) is not None:
        checks = f"{over.undecided} {plural(over.undecided, 'check')}"
        used = f"your program used up all of its {over.seconds:g} s"
        yield f"{used} before {checks} could be run: a person decides what follows"


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
