"""A run without its students: for research, or to ask another person about it.

Made of the fields that are named here. What a field holds that is not named stays behind.
"""

from __future__ import annotations

from hashlib import sha256

from harness.model.policy import Finding, Unparsable
from harness.model.result import (
    Adjustment,
    CohortFacts,
    ManualMark,
    RunFacts,
    RunResult,
    SubmissionResult,
)
from harness.model.verdict import Cause, CodePlace


def anonymous(run: RunResult) -> RunResult:
    """The run with numbers for ids, and of each submission what its program did and earned.

    Without names, emails, times of handing in, names of files and folders, and whatever people
    wrote: notes, comments, reasons, notices. The order of the numbers does not follow the ids.
    What a program printed, and the names in its code that a finding quotes, stay.
    """
    ordered = sorted(run.submissions, key=_order)
    width = len(str(len(ordered)))
    return RunResult(
        facts=_facts(run.facts),
        submissions=tuple(
            _submission(result, f"student-{number:0{width}}")
            for number, result in enumerate(ordered, start=1)
        ),
    )


def _facts(facts: RunFacts) -> RunFacts:
    return RunFacts(
        assignment=facts.assignment,
        started=facts.started,
        finished=facts.finished,
        complete=facts.complete,
        harness=facts.harness,
        python=facts.python,
        python_wanted=facts.python_wanted,
        interpreter=facts.interpreter,
        tier=facts.tier,
        probes=facts.probes,
        limits=facts.limits,
        spec_digest=facts.spec_digest,
        reference_digest=facts.reference_digest,
        input_mechanism=facts.input_mechanism,
        not_prevented=facts.not_prevented,
        cohort=None if facts.cohort is None else _cohort(facts.cohort),
        strength=facts.strength,
    )


def _cohort(cohort: CohortFacts) -> CohortFacts:
    return CohortFacts(
        layouts=cohort.layouts,
        submissions=cohort.submissions,
        students=cohort.students,
        due=cohort.due,
        time_zone=cohort.time_zone,
    )


def _order(result: SubmissionResult) -> str:
    return sha256(f"{result.source_digest}\0{result.id}".encode("utf-8", "replace")).hexdigest()


def _submission(result: SubmissionResult, name: str) -> SubmissionResult:
    adjustment, unparsable = result.adjustment, result.unparsable
    return SubmissionResult(
        id=name,
        status=result.status,
        mark=result.mark,
        out_of=result.out_of,
        flagged=result.flagged,
        findings=tuple(_finding(each) for each in result.findings),
        unparsable=None
        if unparsable is None
        else Unparsable(file="", reason=unparsable.reason, line=unparsable.line),
        scenarios=result.scenarios,
        manual=tuple(ManualMark(slot=each.slot, mark=each.mark) for each in result.manual),
        adjustment=None if adjustment is None else Adjustment(marks=adjustment.marks, reason=""),
        earlier=result.earlier,
        attempt=result.attempt,
        attempts=result.attempts,
        isolation=result.isolation,
        causes=tuple(_cause(each) for each in result.causes),
    )


def _finding(finding: Finding) -> Finding:
    return Finding(
        rule=finding.rule,
        clause=finding.clause,
        file="",
        line=finding.line,
        column=finding.column,
        source=finding.source,
        message=finding.message,
        consequence=finding.consequence,
        word=finding.word,
    )


def _cause(cause: Cause) -> Cause:
    """What a scenario showed is its message; without one it may be about files or people."""
    place = cause.place
    return Cause(
        function=cause.function,
        rule=cause.rule,
        message=cause.message if cause.example else "",
        scenarios=cause.scenarios,
        example=cause.example,
        blamed=cause.blamed,
        place=None if place is None else CodePlace(file="", first=place.first, last=place.last),
        line=cause.line,
        symptoms=cause.symptoms,
        clauses=cause.clauses,
        hint=cause.hint,
        together_with=cause.together_with,
        marks_at_stake=cause.marks_at_stake,
    )
