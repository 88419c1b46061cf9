"""Findings of further runs of a failed scenario about its cause. None of them is a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SubstitutionOutcome(StrEnum):
    """The outcome of a run with functions of the reference instead of the submission's."""

    PASSED = "passed"
    FAILED = "failed"
    REACHED_LIMIT = "reached_limit"
    INAPPLICABLE = "inapplicable"  # the arguments of the calls cannot leave the process
    # It was also inapplicable, but wrong output had been printed before.
    WRONG_BEFORE = "wrong_before"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstitutedRun:
    """A run with substituted functions. Only its outcome is kept."""

    outcome: SubstitutionOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopLines:
    """The first and last line of the loop in which a program hung, 1-based."""

    file: str
    first: int
    last: int
    recursion: bool = False  # a function called itself there


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopSearch:
    """A run that looked for the loop in which a program does not end."""

    found: LoopLines | None = None


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """A line of a submission's file, 1-based."""

    file: str
    number: int


@dataclass(frozen=True, slots=True)
class BranchTaken:
    """A line that prints, and the condition above it, which ran. `taken`: the line ran by mistake;
    otherwise it was skipped by mistake."""

    prints: Line
    condition: Line
    taken: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """What traced runs tell about a cause."""

    lines: tuple[Line, ...]  # the most suspect ones
    # The function whose lines are clearly the most suspect, if there is one.
    deciding_function: str = ""
    returned_none_at: Line | None = None  # in the example
    branch: BranchTaken | None = None


Probe = SubstitutedRun | LoopSearch | Suspicion
