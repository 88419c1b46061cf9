"""Verdicts and findings in, a mark out. Exact fractions throughout; rounding is for showing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from harness.common.people import id_key
from harness.model.plan import Plan, Scenario, Visibility, glob
from harness.model.policy import Finding, PolicyReport, Severity
from harness.model.result import (
    ManualMark,
    OverBudget,
    ScenarioResult,
    SubmissionResult,
    SubmissionStatus,
    of_submission,
)
from harness.model.submission import Submission
from harness.model.verdict import TO_REVIEW, Cause, Verdict, VerdictKind
from harness.policy.rules import finding_kind

_NOTHING = Fraction(0)
_MOST_KEPT = 100_000  # bytes of a submission's files; nobody reads more


def mark(
    plan: Plan,
    verdicts: Mapping[str, Verdict],
    report: PolicyReport,
    *,
    submission: Submission,
) -> SubmissionResult:
    """One submission's result from one verdict for each scenario of the plan (by its id).

    The mark is `functionality_marks` times the share of points passed, informational scenarios left
    out, extra credit added above; then deductions, never below 0. It is 0 for a submission that
    cannot be read. It is None where the harness failed, the submission is withheld (handed in late,
    for example) or all its scenarios are excused; in the last two it has no scenarios. KeyError for
    a scenario without a verdict, unless none is needed."""
    if submission.withheld is not None:
        return without_mark(plan, submission, SubmissionStatus(submission.withheld.value))
    unreadable = bool(submission.problem) or report.unparsable is not None
    if unreadable:
        verdict = Verdict(kind=VerdictKind.UNREADABLE)
        verdicts = {scenario.id: verdict for scenario in plan.scenarios}
    left_out, excuses = excused(plan, submission)
    if len(left_out) == len(plan.scenarios) and left_out:
        noted = replace(submission, notes=(*submission.notes, *excuses))
        return without_mark(plan, noted, SubmissionStatus.NEEDS_REVIEW)
    scenarios: list[ScenarioResult] = []
    for each in plan.scenarios:
        verdict = verdicts[each.id]
        worth = _NOTHING if each.informational or each.id in left_out else each.points
        points = worth if verdict.passed else _NOTHING
        entry = ScenarioResult(scenario_id=each.id, verdict=verdict, points=points, out_of=worth)
        scenarios.append(entry)
    kinds = {result.verdict.kind for result in scenarios}
    to_review = any(each.consequence.severity is not Severity.NOTE for each in report.findings)
    result = replace(
        without_mark(plan, submission, SubmissionStatus.HARNESS_ERROR),
        flagged=bool(kinds & TO_REVIEW) or to_review,
        findings=report.findings,
        unparsable=report.unparsable,
        notes=(*submission.notes, *excuses, *report.notes),
        scenarios=tuple(scenarios),
    )
    if unreadable:
        return replace(result, status=SubmissionStatus.UNREADABLE, mark=_NOTHING)
    if VerdictKind.HARNESS_ERROR in kinds:
        return result
    exact = mark_of(plan, scenarios, report.findings)
    return replace(result, status=SubmissionStatus.GRADED, mark=exact)


def mark_of(plan: Plan, results: Sequence[ScenarioResult], findings: Iterable[Finding]) -> Fraction:
    """The exact mark of a submission that could be run."""
    extra = {scenario.id for scenario in plan.scenarios if not counts(scenario)}
    earned = sum((result.points for result in results), _NOTHING)
    total = sum((r.out_of for r in results if r.scenario_id not in extra), _NOTHING)
    exact = plan.assignment.functionality_marks * earned / total if total else _NOTHING
    deductions: dict[str, Fraction] = {}
    for finding in findings:
        consequence = finding.consequence
        if consequence.severity is Severity.ZERO:
            return _NOTHING
        if consequence.severity is Severity.DEDUCT:
            group = finding_kind(finding.rule).group
            deductions[group] = max(deductions.get(group, _NOTHING), consequence.marks)
    return max(_NOTHING, exact - sum(deductions.values(), _NOTHING))


def without_mark(plan: Plan, submission: Submission, status: SubmissionStatus) -> SubmissionResult:
    """The result of a submission of which no scenario counts."""
    size = sum(len(file.data) for file in submission.files)
    result = SubmissionResult(
        id=submission.id,
        status=status,
        mark=None,
        out_of=plan.assignment.functionality_marks,
        flagged=status is SubmissionStatus.NEEDS_REVIEW,
        problem=submission.problem,
        notes=submission.notes,
        source_digest=submission.digest,
        manual=tuple(ManualMark(slot=slot) for slot in plan.assignment.manual),
        files=submission.files if size <= _MOST_KEPT else (),
    )
    return of_submission(result, submission)


def held_if_undecided(
    plan: Plan, result: SubmissionResult, seconds: float | None
) -> SubmissionResult:
    """The result; where scenarios were not run since all of `seconds` were used up, for a person to
    decide: without a mark, with what it is if they count as failed, and as passed."""
    undecided = [entry for entry in result.scenarios if entry.verdict.undecided]
    if not undecided or result.mark is None or seconds is None:
        return result
    passing = tuple(
        replace(entry, points=entry.out_of) if entry.verdict.undecided else entry
        for entry in result.scenarios
    )
    over = OverBudget(
        seconds=seconds,
        undecided=len(undecided),
        mark=result.mark,
        most=mark_of(plan, passing, result.findings),
    )
    status = SubmissionStatus.NEEDS_REVIEW
    return replace(result, status=status, mark=None, flagged=True, over_budget=over)


def excused(plan: Plan, submission: Submission) -> tuple[frozenset[str], tuple[str, ...]]:
    """The ids of the scenarios that do not count for this submission; a note for each reason."""
    student = submission.student
    names = {submission.id, *((student.id, student.email) if student else ())} - {""}
    found: set[str] = set()
    notes = []
    for exemption in plan.assignment.exemptions:
        if exemption.student and id_key(exemption.student) not in map(id_key, names):
            continue
        shown = []
        for pattern in exemption.scenarios:
            matches = glob(pattern).fullmatch
            matching = [scenario for scenario in plan.scenarios if matches(scenario.id)]
            found.update(scenario.id for scenario in matching)
            # The values that a hidden scenario sweeps are not for its student, who reads the note.
            is_open = all(scenario.visibility is Visibility.VISIBLE for scenario in matching)
            shown.append(pattern if is_open else pattern.partition("[")[0])
        notes.append(f"not counted: {', '.join(dict.fromkeys(shown))} ({exemption.reason})")
    return frozenset(found), tuple(notes)


def most_mark(plan: Plan) -> Fraction:
    """The mark of a submission that passes all, extra credit too."""
    worth = [each for each in plan.scenarios if not each.informational]
    regular = sum((each.points for each in worth if counts(each)), _NOTHING)
    points = sum((each.points for each in worth), _NOTHING)
    return plan.assignment.functionality_marks * (points / regular if regular else 1)


def counts(scenario: Scenario) -> bool:
    """Whether a scenario's points are part of what the full mark is made of."""
    return not scenario.informational and not scenario.extra_credit


def with_stakes(plan: Plan, result: SubmissionResult, causes: Iterable[Cause]) -> SubmissionResult:
    """Return the result with these causes and the marks that each costs, most expensive first;
    equal ones keep their order. Without a mark, no cause costs anything."""
    place = {scenario.id: index for index, scenario in enumerate(plan.scenarios)}
    found: list[Cause] = []
    for cause in causes:
        if not cause.scenarios or result.mark is None:
            found.append(cause)
            continue
        names = frozenset(cause.scenarios)
        fixed = tuple(
            replace(entry, points=entry.out_of) if entry.scenario_id in names else entry
            for entry in result.scenarios
        )
        stake = mark_of(plan, fixed, result.findings) - result.mark
        found.append(replace(cause, marks_at_stake=stake))

    def order(cause: Cause) -> tuple[Fraction, int]:
        return -cause.marks_at_stake, min((place[name] for name in cause.scenarios), default=-1)

    return replace(result, causes=tuple(sorted(found, key=order)))
