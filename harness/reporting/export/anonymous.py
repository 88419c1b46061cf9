"""A run without its students: for research, or to ask another person about it."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from harness.model.result import RunResult, SubmissionResult


def anonymous(run: RunResult) -> RunResult:
    """The run with numbers for ids and without names, emails, times of handing in, names of files
    and folders, and whatever people wrote: notes, comments, reasons, notices.

    The order of the numbers does not follow the ids. What a program printed, and the names in its
    code that a finding quotes, stay.
    """
    ordered = sorted(run.submissions, key=_order)
    width = len(str(len(ordered)))
    return RunResult(
        facts=replace(run.facts, notices=()),
        submissions=tuple(
            _without_student(result, f"student-{number:0{width}}")
            for number, result in enumerate(ordered, start=1)
        ),
    )


def _order(result: SubmissionResult) -> str:
    return sha256(f"{result.source_digest}\0{result.id}".encode("utf-8", "replace")).hexdigest()


def _without_student(result: SubmissionResult, name: str) -> SubmissionResult:
    adjustment = result.adjustment
    return replace(
        result,
        id=name,
        problem="",
        notes=(),
        adjustment=None if adjustment is None else replace(adjustment, reason=""),
        comment="",
        student=None,
        handed_in="",
        source="",
        source_digest="",
    )
