"""Verdicts and findings in, a mark out. Exact fractions throughout; rounding is for showing.

What fixing a cause would earn is computed by counting its scenarios as passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from harness.common.people import id_key
from harness.model.plan import Plan, Scenario, Visibility, glob
from harness.model.policy import Consequence, Finding, PolicyReport, Severity
from harness.model.result import (
    ScenarioResult,
    SubmissionResult,
    SubmissionStatus,
    not_yet_given,
    of_submission,
)
from harness.model.submission import Submission
from harness.model.verdict import TO_REVIEW, Cause, Verdict, VerdictKind
from harness.policy.rules import finding_kind

# A person should read a program that does this, and decide whether to run it with longer limits.
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
    cannot be read and None where our own machinery failed or it is withheld (late, for one; then it
    has no scenarios). Raises KeyError for a scenario without a verdict, unless the submission is
    unreadable or withheld.
    """
    if submission.withheld is not None:
        return without_mark(plan, submission, SubmissionStatus(submission.withheld.value))
    unreadable = bool(submission.problem) or report.unparsable is not None
    if unreadable:
        verdict = Verdict(kind=VerdictKind.UNREADABLE)
        verdicts = {scenario.id: verdict for scenario in plan.scenarios}
    left_out, excuses = _excused(plan, submission)
    if len(left_out) == len(plan.scenarios) and left_out:
        review = replace(submission, notes=(*submission.notes, *excuses))
        return without_mark(plan, review, SubmissionStatus.NEEDS_REVIEW)
    scenarios = tuple(
        _scored(scenario, verdicts[scenario.id], excused=scenario.id in left_out)
        for scenario in plan.scenarios
    )
    kinds = {result.verdict.kind for result in scenarios}
    severities = {finding.consequence.severity for finding in report.findings}
    to_review = bool(severities - {Severity.NOTE})
    result = replace(
        without_mark(plan, submission, SubmissionStatus.HARNESS_ERROR),
        flagged=bool(kinds & TO_REVIEW) or to_review,
        findings=report.findings,
        unparsable=report.unparsable,
        notes=(*submission.notes, *excuses, *report.notes),
        scenarios=scenarios,
    )
    if unreadable:
        return replace(result, status=SubmissionStatus.UNREADABLE, mark=_NOTHING)
    if VerdictKind.HARNESS_ERROR in kinds:
        return result
    exact = mark_of(plan, scenarios, report.findings)
    return replace(result, status=SubmissionStatus.GRADED, mark=exact)


def mark_of(
    plan: Plan, scenarios: Sequence[ScenarioResult], findings: Iterable[Finding]
) -> Fraction:
    """The exact mark of a submission that could be run."""
    share = _share(plan, scenarios)
    return _after_findings(plan.assignment.functionality_marks * share, findings)


def excused(plan: Plan, submission: Submission) -> frozenset[str]:
    """The ids of the scenarios that do not count for this submission."""
    return _excused(plan, submission)[0]


def without_mark(plan: Plan, submission: Submission, status: SubmissionStatus) -> SubmissionResult:
    """The result of a submission of which no scenario counts."""
    result = SubmissionResult(
        id=submission.id,
        status=status,
        mark=None,
        out_of=plan.assignment.functionality_marks,
        flagged=status is SubmissionStatus.NEEDS_REVIEW,
        problem=submission.problem,
        notes=submission.notes,
        source_digest=submission.digest,
        manual=not_yet_given(plan.assignment),
        files=submission.files if _size(submission) <= _MOST_KEPT else (),
    )
    return of_submission(result, submission)


def _size(submission: Submission) -> int:
    return sum(len(file.data) for file in submission.files)


def _excused(plan: Plan, submission: Submission) -> tuple[frozenset[str], tuple[str, ...]]:
    """The ids of the scenarios that do not count here, and a note for each reason."""
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
        what = ", ".join(dict.fromkeys(shown))
        notes.append(f"not counted: {what} ({exemption.reason})")
    return frozenset(found), tuple(notes)


def _scored(scenario: Scenario, verdict: Verdict, *, excused: bool) -> ScenarioResult:
    worth = _NOTHING if scenario.informational or excused else scenario.points
    return ScenarioResult(
        scenario_id=scenario.id,
        verdict=verdict,
        points=worth if verdict.passed else _NOTHING,
        out_of=worth,
    )


def _share(plan: Plan, results: Sequence[ScenarioResult]) -> Fraction:
    """Points earned, extra credit among them, of the points without extra credit; 0 of none."""
    earned = sum((result.points for result in results), _NOTHING)
    extra = {scenario.id for scenario in plan.scenarios if not counts(scenario)}
    total = sum((r.out_of for r in results if r.scenario_id not in extra), _NOTHING)
    return earned / total if total else _NOTHING


def counts(scenario: Scenario) -> bool:
    """Whether a scenario's points are part of what the full mark is made of."""
    return not scenario.informational and not scenario.extra_credit


def _after_findings(exact: Fraction, findings: Iterable[Finding]) -> Fraction:
    deductions: dict[str, Fraction] = {}
    for finding in findings:
        consequence: Consequence = finding.consequence
        if consequence.severity is Severity.ZERO:
            return _NOTHING
        if consequence.severity is Severity.DEDUCT:
            group = finding_kind(finding.rule).group
            deductions[group] = max(deductions.get(group, _NOTHING), consequence.marks)
    return max(_NOTHING, exact - sum(deductions.values(), _NOTHING))


def with_stakes(plan: Plan, result: SubmissionResult, causes: Iterable[Cause]) -> SubmissionResult:
    """The result with these causes, each with its marks at stake, most first; those with equal
    marks in their own order. Nothing is at stake where there is no mark."""
    place = {scenario.id: index for index, scenario in enumerate(plan.scenarios)}
    found = [
        replace(cause, marks_at_stake=_stake(plan, result, cause)) if cause.scenarios else cause
        for cause in causes
    ]

    def order(cause: Cause) -> tuple[Fraction, int]:
        return -cause.marks_at_stake, min((place[name] for name in cause.scenarios), default=-1)

    return replace(result, causes=tuple(sorted(found, key=order)))


def _stake(plan: Plan, result: SubmissionResult, cause: Cause) -> Fraction:
    if result.status is not SubmissionStatus.GRADED or result.mark is None:
        return Fraction(0)
    fixed = frozenset(cause.scenarios)
    scenarios = tuple(
        replace(entry, points=entry.out_of) if entry.scenario_id in fixed else entry
        for entry in result.scenarios
    )
    return mark_of(plan, scenarios, result.findings) - result.mark
