"""What happens during a run, for progress displays. Engines emit, consumers plug in."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.result import RunFacts, SubmissionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """`total` submissions are in the run, of which `kept` need no running."""

    facts: RunFacts
    total: int
    kept: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionGraded:
    """One submission is done and stored."""

    result: SubmissionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the user must see, one line."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished:
    """All submissions are graded and stored."""

    facts: RunFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportsWritten:
    """After the grading: the reports of `done` of `total` submissions are written. Told of a large
    run now and then."""

    done: int
    total: int


Event = RunStarted | SubmissionGraded | Notice | RunFinished | ReportsWritten
