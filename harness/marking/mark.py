"""Computes a mark from verdicts and findings.

Numbers are exact fractions; only views round them.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
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
# Maximum bytes of a submission's files in a result. Larger files are not readable anyway.
_MAX_KEPT = 100_000


def mark(
    plan: Plan,
    verdicts: Mapping[str, Verdict],
    report: PolicyReport,
    *,
    submission: Submission,
) -> SubmissionResult:
    """Return a submission's result, given a verdict for each scenario of the plan (keyed by id).

    The mark is `functionality_marks` times the fraction of points passed, without informational
    scenarios and with extra credit added. Deductions follow; the mark is never negative. It is 0
    for an unreadable submission. It is None if the harness failed, if the submission is withheld
    (for example, submitted too late), or if all its scenarios are excused; in the last two cases
    the result has no scenarios. Raise KeyError if a needed verdict is missing.
    """
    if submission.withheld is not None:
        return without_mark(plan, submission, SubmissionStatus(submission.withheld.value))
    unreadable = bool(submission.problem) or report.unparsable is not None
    if unreadable:
        verdict = Verdict(kind=VerdictKind.UNREADABLE)
        ids = (scenario.id for scenario in plan.scenarios)
        verdicts = dict.fromkeys(ids, verdict)
    left_out, excuses = excused(plan, submission)
    if left_out and len(left_out) == len(plan.scenarios):
        noted = replace(submission, notes=(*submission.notes, *excuses))
        return without_mark(plan, noted, SubmissionStatus.NEEDS_REVIEW)
    scenarios = _scenario_results(plan, verdicts, left_out)
    kinds = {result.verdict.kind for result in scenarios}
    needs_review = bool(kinds & TO_REVIEW)
    for finding in report.findings:
        if finding.consequence.severity is not Severity.NOTE:
            needs_review = True
    result = replace(
        without_mark(plan, submission, SubmissionStatus.HARNESS_ERROR),
        flagged=needs_review,
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


def _scenario_results(
    plan: Plan, verdicts: Mapping[str, Verdict], left_out: Set[str]
) -> list[ScenarioResult]:
    results: list[ScenarioResult] = []
    for scenario in plan.scenarios:
        verdict = verdicts[scenario.id]
        worth = scenario.points
        if scenario.informational or scenario.id in left_out:
            worth = _NOTHING
        result = ScenarioResult(
            scenario_id=scenario.id,
            verdict=verdict,
            points=worth if verdict.passed else _NOTHING,
            out_of=worth,
        )
        results.append(result)
    return results


def mark_of(plan: Plan, results: Sequence[ScenarioResult], findings: Iterable[Finding]) -> Fraction:
    """Return the exact mark of a submission that was run."""
    extra = {scenario.id for scenario in plan.scenarios if not counts(scenario)}
    earned = _NOTHING
    total = _NOTHING
    for result in results:
        earned += result.points
        if result.scenario_id not in extra:
            total += result.out_of
    deducted = _deducted(findings)
    if deducted is None or not total:
        return _NOTHING
    exact = plan.assignment.functionality_marks * earned / total
    return max(_NOTHING, exact - deducted)


def _deducted(findings: Iterable[Finding]) -> Fraction | None:
    """Return the marks to deduct, counting each group of findings once; None if all marks are
    lost.
    """
    by_group: dict[tuple[str, int | None], Fraction] = {}
    for finding in findings:
        consequence = finding.consequence
        if consequence.severity is Severity.ZERO:
            return None
        if consequence.severity is Severity.DEDUCT:
            group = (finding_kind(finding.rule).group, consequence.entry)
            by_group[group] = max(by_group.get(group, _NOTHING), consequence.marks)
    return sum(by_group.values(), _NOTHING)


def without_mark(plan: Plan, submission: Submission, status: SubmissionStatus) -> SubmissionResult:
    """Return the result of a submission for which no scenario counts."""
    files = submission.files
    size = 0
    for file in files:
        size += len(file.data)
    if size > _MAX_KEPT:
        files = ()
    manual: list[ManualMark] = []
    for slot in plan.assignment.manual:
        manual.append(ManualMark(slot=slot))
    result = SubmissionResult(
        id=submission.id,
        status=status,
        mark=None,
        out_of=plan.assignment.functionality_marks,
        flagged=status is SubmissionStatus.NEEDS_REVIEW,
        problem=submission.problem,
        wrong_files=submission.wrong_files,
        notes=submission.notes,
        source_digest=submission.digest,
        manual=tuple(manual),
        files=files,
    )
    return of_submission(result, submission)


def held_if_undecided(
    plan: Plan, result: SubmissionResult, seconds: float | None
) -> SubmissionResult:
    """Return the result. If scenarios were not run because the submission used up its `seconds`,
    remove the mark.

    A person must then decide. The result gives the marks that would follow if these scenarios
    counted as failed or as passed.
    """
    undecided: set[str] = set()
    for entry in result.scenarios:
        if entry.verdict.undecided:
            undecided.add(entry.scenario_id)
    if not undecided or result.mark is None or seconds is None:
        return result
    as_passed = _with_passed(result, undecided)
    over = OverBudget(
        seconds=seconds,
        undecided=len(undecided),
        mark=result.mark,
        most=mark_of(plan, as_passed, result.findings),
    )
    status = SubmissionStatus.NEEDS_REVIEW
    return replace(result, status=status, mark=None, flagged=True, over_budget=over)


def _with_passed(result: SubmissionResult, scenario_ids: Set[str]) -> list[ScenarioResult]:
    """Return the results of all scenarios, giving these ids full points."""
    entries = list(result.scenarios)
    for index, entry in enumerate(entries):
        if entry.scenario_id in scenario_ids:
            entries[index] = replace(entry, points=entry.out_of)
    return entries


def excused(plan: Plan, submission: Submission) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the ids of the scenarios that do not count for this submission, and a note for each
    reason.
    """
    names = _keys_of(submission)
    excused_ids: set[str] = set()
    notes: list[str] = []
    for exemption in plan.assignment.exemptions:
        if exemption.student and id_key(exemption.student) not in names:
            continue
        shown: dict[str, None] = {}  # removes duplicates and keeps the order
        for pattern in exemption.scenarios:
            visibilities: set[Visibility] = set()
            matches = glob(pattern).fullmatch
            for scenario in plan.scenarios:
                if matches(scenario.id):
                    excused_ids.add(scenario.id)
                    visibilities.add(scenario.visibility)
            if visibilities <= {Visibility.VISIBLE}:
                shown[pattern] = None
            else:
                # Students read the note, so it must not reveal values used in hidden scenarios.
                before_values, _, _ = pattern.partition("[")
                shown[before_values] = None
        notes.append(f"not counted: {', '.join(shown)} ({exemption.reason})")
    return frozenset(excused_ids), tuple(notes)


def _keys_of(submission: Submission) -> set[str]:
    """Return the keys under which a submission can be excused: its id, its student's id and e-mail
    address.
    """
    names = [submission.id]
    if submission.student:
        names += [submission.student.id, submission.student.email]
    return {id_key(name) for name in names if name}


def most_mark(plan: Plan) -> Fraction:
    """Return the maximum possible mark, including extra credit."""
    regular = _NOTHING
    points = _NOTHING
    for scenario in plan.scenarios:
        if not scenario.informational:
            points += scenario.points
        if counts(scenario):
            regular += scenario.points
    if not regular:
        return plan.assignment.functionality_marks
    return plan.assignment.functionality_marks * points / regular


def counts(scenario: Scenario) -> bool:
    """Return whether a scenario's points are part of the full mark."""
    return not scenario.informational and not scenario.extra_credit


def with_stakes(plan: Plan, result: SubmissionResult, causes: Iterable[Cause]) -> tuple[Cause, ...]:
    """Return the causes with the marks that each one costs, most expensive first.

    Causes with equal costs keep their order. If the submission has no mark, causes cost nothing.
    """
    places: dict[str, int] = {}
    for index, scenario in enumerate(plan.scenarios):
        places[scenario.id] = index
    now = result.mark
    if result.over_budget is not None:
        now = result.over_budget.mark
    priced: list[Cause] = []
    for cause in causes:
        if not cause.scenarios or now is None:
            priced.append(cause)
            continue
        fixed = _with_passed(result, frozenset(cause.scenarios))
        stake = mark_of(plan, fixed, result.findings) - now
        priced.append(replace(cause, marks_at_stake=stake))

    def order(cause: Cause) -> tuple[Fraction, int]:
        its_places = [places[id_] for id_ in cause.scenarios]
        return -cause.marks_at_stake, min(its_places, default=-1)

    priced.sort(key=order)
    return tuple(priced)
