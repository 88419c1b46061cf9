"""Where submissions are graded. An engine takes jobs and gives back what was found, in pieces.

`local` has worker processes on this machine, `dask` workers on many. Another engine is one more
class that is an `Engine`, and is handed to `grade_batch`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.execution import Interpreter
from harness.grading.grader import FirstFailures, Graded
from harness.grading.observing.budget import Used
from harness.grading.observing.judged_runs import GraderSetup
from harness.model.observation import Tier
from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.results.reuse import Piece

# Makes, once in each worker, what is to be done with each result there, while other workers grade.
# It can be pickled. The result that it returns is stored.
OnGraded = Callable[[Plan], Callable[[SubmissionResult], SubmissionResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSetup:
    """What every worker grades with.
    `store` is read for what earlier runs observed; None: everything is observed anew, and results
    alone come back, unless `pack_alone` asks for what was observed, in pieces that need no other
    job's. What `on_graded` makes is called with each result before it is sent."""

    grader: GraderSetup
    interpreter: Interpreter
    tier: Tier
    store: Path | None = None
    on_graded: OnGraded | None = None
    pack_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One submission to grade, on these scenarios alone (None: the whole plan). After so many
    seconds it is to be paused (None: never); `before` is what it took until it was."""

    submission: Submission
    only: tuple[str, ...] | None = None
    pause_after: float | None = None
    before: Used | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureJob:
    """One program of ours whose first `most` failures are looked for, among the scenarios `first`
    and then among the others."""

    submission: Submission
    first: frozenset[str]
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFailure:
    """The harness failed on a job, or its worker died, twice; `reason` is for the run's notices."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """A job took long and can go on later, from what was stored of it. `used` is what it took so
    far, `decided` the share of its scenarios that need no more time."""

    used: Used
    decided: float


Ended = (
    Graded | WorkerFailure | Paused
)  # of a `Job`: what was observed and judged came before, in pieces
AnyJob = Job | FailureJob
Message = Piece | Ended | FirstFailures


class Engine(AbstractContextManager["Engine"], Protocol):
    """Grades what it is given. Leaving its `with` block ends all that it started."""

    def run(self, setup: WorkerSetup, jobs: Iterable[Job]) -> Iterator[tuple[Job, Piece | Ended]]:
        """For each job any number of pieces to be stored in this order, then how it ended. Several
        jobs may be under way at once."""
