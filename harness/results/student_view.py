"""Create the view of a result that the student may read.

A `StudentView` contains no input, expected result or message of a hidden scenario, so no page or
text made from it can show one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.common.words import plural
from harness.model.assignment import SourceFile, Surroundings
from harness.model.notebook import LineNames, Notebook
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
from harness.model.submission import Lateness, WrongFiles
from harness.model.verdict import Verdict, VerdictKind
from harness.results.redaction import ShownCause, ShownCheck, is_not_judged, shown_causes

ALWAYS = frozenset({Visibility.VISIBLE})
# For lecturers.
EVERYTHING = frozenset(Visibility)


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenCheck:
    """The name and the verdict of a scenario whose content the student may not see."""

    name: str
    function: str
    kind: VerdictKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTally:
    """The number of scenarios and points of a function.

    Hidden scenarios count, informational ones (without points) do not.
    """

    function: str
    passed: int
    total: int
    points: Fraction
    out_of: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentView:
    """One submission's result as the student may see it.

    `problem`, `unparsable`, `notes` and `findings` concern the student's own files, so they are
    never secret.
    """

    id: str
    # The student's name, if it is known.
    name: str = ""
    title: str
    course: str
    status: SubmissionStatus
    # None without a mark (yet).
    mark: Fraction | None
    out_of: Fraction
    surroundings: Surroundings
    functions: tuple[FunctionTally, ...]
    # Shown and hidden checks are in the plan's order.
    shown: tuple[ShownCheck, ...]
    hidden: tuple[HiddenCheck, ...] = ()
    # The things to fix, in this order.
    causes: tuple[ShownCause, ...] = ()
    findings: tuple[Finding, ...] = ()
    unparsable: Unparsable | None = None
    problem: str = ""
    wrong_files: WrongFiles | None = None  # if that is the problem
    notes: tuple[str, ...] = ()
    manual: tuple[ManualMark, ...] = ()
    adjustment: Adjustment | None = None
    comment: str = ""
    late: Lateness | None = None
    # The total before lateness and the adjustment.
    reached: Fraction | None = None
    late_marks: Fraction | None = None
    # None until people have given all of their marks.
    total: Fraction | None = None
    total_out_of: Fraction = Fraction(0)
    # `total` with 0 for parts that nobody has marked yet, and the part of it that lateness takes.
    so_far: Fraction | None = None
    late_so_far: Fraction | None = None
    override: Override | None = None
    line_comments: tuple[LineComment, ...] = ()
    # The possible and the earned points of extra credit, in addition to those of the functions.
    extra_points: Fraction = Fraction(0)
    extra_earned: Fraction = Fraction(0)
    # The assignment's id.
    assignment: str = ""
    # The digest of the graded files.
    source_digest: str = ""
    # The student's own files, if a person commented on their lines or they could not be graded.
    shown_files: tuple[SourceFile, ...] = ()
    notebook: Notebook | None = None  # of which the only file was made
    causes_pending: bool = False  # they are still looked for

    @property
    def line_names(self) -> LineNames:
        """Return the names by which pages call lines of the student's files."""
        return LineNames(self.notebook)

    @property
    def marks_of_a_point(self) -> Fraction:
        """Return the marks that one point is worth; 0 without points."""
        points = _sum(tally.out_of for tally in self.functions)
        if not points:
            return Fraction(0)
        return self.out_of / points


def by_function(plan: Plan, result: SubmissionResult) -> tuple[FunctionTally, ...]:
    """Count each function's scenarios and points, in the order of the assignment's functions, then
    of the plan.

    Informational scenarios (without points) are left out. Extra credit adds to `points`, not to
    `out_of`. A scenario without a result counts as not passed.
    """
    results = {entry.scenario_id: entry for entry in result.scenarios}
    groups: dict[str, list[Scenario]] = {}
    for function in plan.assignment.functions:
        groups[function.name] = []
    for scenario in plan.scenarios:
        if not scenario.informational:
            groups.setdefault(scenario.function, []).append(scenario)
    tallies: list[FunctionTally] = []
    for name, group in groups.items():
        if group:
            tallies.append(_tally(name, group, results))
    return tuple(tallies)


def _tally(
    function: str, scenarios: Sequence[Scenario], results: Mapping[str, ScenarioResult]
) -> FunctionTally:
    passed = 0
    earned = []
    out_of = []
    for scenario in scenarios:
        entry = results.get(scenario.id)
        if entry is not None:
            passed += entry.verdict.passed
            earned.append(entry.points)
        is_excused = entry is not None and not entry.out_of
        if not scenario.extra_credit and not is_excused:
            out_of.append(scenario.points)
    return FunctionTally(
        function=function,
        passed=passed,
        total=len(scenarios),
        points=_sum(earned),
        out_of=_sum(out_of),
    )


def _sum(points: Iterable[Fraction]) -> Fraction:
    # Adding fractions one by one takes most of a tally's time, so they are added by denominator.
    sums: dict[int, int] = {}
    for number in points:
        top, bottom = number.as_integer_ratio()
        sums[bottom] = sums.get(bottom, 0) + top
    total = Fraction(0)
    for bottom, top in sums.items():
        total += Fraction(top, bottom)
    return total


def hidden_kind(verdict: Verdict) -> VerdictKind:
    """Return the kind of verdict that students may see of a hidden scenario, but not how it
    failed.
    """
    if verdict.kind in (VerdictKind.PASSED, VerdictKind.HARNESS_ERROR, VerdictKind.UNREADABLE):
        return verdict.kind
    return VerdictKind.FAILED


def student_view(
    result: SubmissionResult, plan: Plan, *, visible: frozenset[Visibility] = ALWAYS
) -> StudentView:
    """Return the student's view: visible scenarios completely, hidden ones as a name and a
    verdict.

    `visible` has the settings of `visible:` that students may see now. Findings, notes and the
    reason for an unreadable file concern the student's own text and are always shown.
    """
    shown, hidden = _checks(result, plan, visible)
    extra_ids = {scenario.id for scenario in plan.scenarios if scenario.extra_credit}
    extra = [entry for entry in result.scenarios if entry.scenario_id in extra_ids]
    return StudentView(
        id=result.id,
        name=_name_of(result),
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
        problem=students_problem(result),
        wrong_files=result.wrong_files,
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
        notebook=result.notebook,
        causes_pending=result.pending is not None,
    )


def _name_of(result: SubmissionResult) -> str:
    if result.student is None:
        return ""
    return result.student.name


OUR_FAULT = (
    "The grading failed on this submission. This is not your program's fault. A person will look "
    "at it."
)


def students_problem(result: SubmissionResult) -> str:
    """Return the text of a result's problem.

    If the harness itself failed, return a general text that does not name a place in its code.
    """
    is_ours = result.status is SubmissionStatus.HARNESS_ERROR
    verdicts = (entry.verdict for entry in result.scenarios)
    is_ours = is_ours or any(map(is_not_judged, verdicts))
    if is_ours and result.problem:
        return OUR_FAULT
    return result.problem


def _own_files(result: SubmissionResult) -> tuple[SourceFile, ...]:
    """Return the student's files if people commented on their lines or no file could be graded;
    otherwise none.
    """
    if result.line_comments or not result.files:
        return result.shown_files
    return ()


def _of_budget(result: SubmissionResult) -> Iterator[str]:
    over = result.over_budget
    if over is not None:
        checks = f"{over.undecided} {plural(over.undecided, 'check')}"
        used = f"your program used up all of its {over.seconds:g} s"
        yield f"{used} before {checks} could be run: a teacher decides the mark"


def _clauses(plan: Plan, ids: tuple[str, ...]) -> tuple[Clause, ...]:
    return tuple(clause for clause in plan.assignment.clauses if clause.id in ids)


def _checks(
    result: SubmissionResult, plan: Plan, visible: frozenset[Visibility]
) -> tuple[list[ShownCheck], list[HiddenCheck]]:
    results = {entry.scenario_id: entry for entry in result.scenarios}
    clauses: dict[tuple[str, ...], tuple[Clause, ...]] = {}
    shown: list[ShownCheck] = []
    hidden: list[HiddenCheck] = []
    for scenario in plan.scenarios:
        entry = results.get(scenario.id)
        if entry is None:
            continue
        if scenario.visibility in visible:
            ids = scenario.clauses
            if ids not in clauses:
                clauses[ids] = _clauses(plan, ids)
            shown.append(ShownCheck.of(scenario, entry, clauses[ids]))
        # Hidden informational scenarios are not mentioned at all.
        elif not scenario.informational:
            kind = hidden_kind(entry.verdict)
            hidden.append(HiddenCheck(name=scenario.name, function=scenario.function, kind=kind))
    return shown, hidden
