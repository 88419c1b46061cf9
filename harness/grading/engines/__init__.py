"""Runs the grading of submissions. An engine takes jobs and yields results in pieces.

`local` uses worker processes on this machine, `dask` workers on several machines. To add an engine,
write a class that implements `Engine` and pass it to `grade_batch`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from harness.execution import Interpreter
from harness.grading.grader import FirstFailures, Graded
from harness.grading.observing.budget import Used
from harness.grading.observing.setup import GraderSetup
from harness.model.observation import Tier
from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.results.reuse import Piece

# Creates, once in each worker, the function that handles each result there. It can be pickled. The
# result that it returns is stored.
OnGraded = Callable[[Plan], Callable[[SubmissionResult], SubmissionResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSetup:
    """What every worker grades with.

    `store` is read for observations of earlier runs; None: everything is observed anew and only
    results come back, unless `pack_alone` asks for the observations, in pieces that need no other
    job's. The function that `on_graded` makes is called with each result before it is sent.
    """

    grader: GraderSetup
    interpreter: Interpreter
    tier: Tier
    store: Path | None = None
    on_graded: OnGraded | None = None
    pack_alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One submission to grade, only on these scenarios (None: the whole plan).

    After so many seconds it is to be paused (None: never); `before` is the time that it took until
    it was, `so_far` the runs so far, as in `Paused`.
    """

    submission: Submission
    only: tuple[str, ...] | None = None
    pause_after: float | None = None
    before: Used | None = None
    so_far: bytes | None = None
    causes_later: bool = False  # a `CausesJob` will find them


@dataclass(frozen=True, slots=True, kw_only=True)
class CausesJob:
    """A job: find the missing causes of a submission that is already graded."""

    submission: Submission
    result: SubmissionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureJob:
    """A job: find the first `most` scenarios that a course program (such as a mutant) fails.

    `first` are tried before the others.
    """

    submission: Submission
    first: frozenset[str]
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFailure:
    """The harness failed on a job, or its worker died, twice.

    `reason` is shown in the run's notices.
    """

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """A job took long and can go on later, from its stored parts.

    `used` is the time that counts so far, and `seconds` the real time. `decided` is the share of
    decided scenarios, `kept` the share that will not run again. `so_far` has packed data for the
    worker that goes on (None: no data).
    """

    used: Used
    decided: float
    kept: float
    seconds: float
    so_far: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDone:
    """A worker's notice that it has run all scenarios of one visibility and goes on to the next.

    If that worker dies, another one goes on from here. Both fields are as in `Paused`.
    """

    used: Used
    so_far: bytes

    def rest_of(self, job: Job) -> Job:
        """Return a job with only the part that is not done yet."""
        return replace(job, before=self.used, so_far=self.so_far)


# The result of a `BatchJob`; its observations and verdicts came before, in pieces.
Ended = Graded | WorkerFailure | Paused
BatchJob = Job | CausesJob  # of a class; an engine takes these
TheJob = TypeVar("TheJob", Job, CausesJob)
AnyJob = BatchJob | FailureJob
Message = Piece | Ended | FirstFailures


class Engine(AbstractContextManager["Engine"], Protocol):
    """Grades jobs. Leaving its `with` block ends everything that it started."""

    def run(
        self, setup: WorkerSetup, jobs: Iterable[TheJob]
    ) -> Iterator[tuple[TheJob, Piece | Ended]]:
        """Yield for each job any number of pieces to be stored in this order, then how it ended.

        Several jobs may run at once. A job is taken from `jobs` shortly before it begins.
        """
