"""Makes an anonymous copy of a run. Only the fields listed here are copied."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, TypeVar

from harness.model.result import RunResult, SubmissionResult
from harness.model.verdict import Cause

T = TypeVar("T")


def anonymous(run: RunResult) -> RunResult:
    """Return a copy of the run that does not identify students.

    Ids are replaced by numbers in a new order. Names, e-mail addresses, times, file and folder
    names and everything that people wrote are left out. Programs' output and the code quoted in
    findings stay.
    """
    width = len(str(len(run.submissions)))
    in_order = sorted(run.submissions, key=unrelated_order)
    submissions: list[SubmissionResult] = []
    for number, result in enumerate(in_order, start=1):
        submissions.append(_submission(result, f"student-{number:0{width}}"))
    cohort = _chosen(run.facts.cohort, _COHORT)
    facts = _chosen(run.facts, _FACTS, cohort=cohort)
    return RunResult(facts=facts, submissions=tuple(submissions))


_FACTS = (
    *("assignment", "started", "finished", "complete", "harness", "python", "python_wanted"),
    *("interpreter", "tier", "probes", "limits", "spec_digest", "reference_digest"),
    *("input_mechanism", "not_prevented", "strength"),
)
_COHORT = ("layouts", "submissions", "students", "due", "time_zone")
_RESULT = (
    *("status", "mark", "out_of", "flagged", "scenarios", "earlier", "attempt", "attempts"),
    "isolation",
)
_FINDING = ("rule", "clause", "line", "column", "source", "message", "consequence", "word")
_CAUSE = (
    *("function", "explanation", "scenarios", "example", "blamed", "line", "symptoms", "clauses"),
    *("hint", "together_with", "marks_at_stake"),
)


def _chosen(source: T, fields: Sequence[str], **more: object) -> T:
    """Return a copy of an object with only these fields and the values in `more`; None for None."""
    if source is None:
        return source
    chosen: dict[str, Any] = {name: getattr(source, name) for name in fields}
    return type(source)(**chosen, **more)


def unrelated_order(result: SubmissionResult) -> str:
    """Return a sort key that does not depend on student ids."""
    key = f"{result.source_digest}\0{result.id}".encode("utf-8", "replace")
    return sha256(key).hexdigest()


def _submission(result: SubmissionResult, name: str) -> SubmissionResult:
    findings = tuple(_chosen(finding, _FINDING, file="") for finding in result.findings)
    manual = tuple(_chosen(given, ("slot", "mark")) for given in result.manual)
    unparsable = _chosen(result.unparsable, ("reason", "kind", "line", "needs"), file="")
    late = _chosen(result.late, ("begun", "slip_days", "share", "of"), due="")
    adjustment = _chosen(result.adjustment, ("marks",), reason="")
    causes = tuple(map(_cause, result.causes))
    students_causes = None
    if result.students_causes is not None:
        students_causes = tuple(map(_cause, result.students_causes))
    return _chosen(
        result,
        _RESULT,
        id=name,
        findings=findings,
        unparsable=unparsable,
        manual=manual,
        late=late,
        adjustment=adjustment,
        causes=causes,
        students_causes=students_causes,
    )


def _cause(cause: Cause) -> Cause:
    """Return the cause without its file name.

    A cause without an example scenario loses its message, which may name files or people.
    """
    place = _chosen(cause.place, ("first", "last"), file="")
    if not cause.example:
        cause = cause.stating("")
    return _chosen(cause, _CAUSE, place=place)
