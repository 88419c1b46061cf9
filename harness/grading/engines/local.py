"""The local engine: the submissions of a class, graded by worker processes of this machine.

Programs of ours are graded with it side by side, and nothing of them is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import overload

from harness.common.errors import HarnessError
from harness.grading.context import GradingContext
from harness.grading.engines import (
    Ended,
    FailureJob,
    Job,
    SearchEnded,
    WorkerFailure,
    WorkerSetup,
)
from harness.grading.engines.pool import WorkerDied, WorkerPool
from harness.grading.engines.worker import start_grading
from harness.grading.grader import Graded
from harness.grading.observing.first_failures import FirstFailures
from harness.results import Piece


class Pool(AbstractContextManager["Pool"]):
    """The local `Engine`: workers of this machine, `jobs` at most (None: one a core)."""

    def __init__(self, setup: WorkerSetup, jobs: int | None = None) -> None:
        self._setup = setup
        self._workers = WorkerPool(start_grading, jobs)

    def __exit__(self, *_: object) -> None:
        self._workers.close()

    @overload
    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Piece | Ended]]: ...

    @overload
    def run(self, jobs: Iterable[FailureJob]) -> Iterator[tuple[FailureJob, SearchEnded]]: ...

    def run(
        self, jobs: Iterable[Job] | Iterable[FailureJob]
    ) -> Iterator[tuple[Job | FailureJob, Piece | Ended | SearchEnded]]:
        """As `Engine.run`, with one job a worker under way."""
        every: Iterable[Job | FailureJob] = jobs
        for job, message in self._workers.run(self._setup, every):
            if isinstance(message, WorkerDied):
                name = job.submission.id
                yield job, WorkerFailure(submission_id=name, reason=message.reason)
            else:
                yield job, message


def run_jobs(
    context: GradingContext,
    jobs: Sequence[Job],
    workers: int | None,
    *,
    digests: bool = False,
    blame: bool = False,
) -> Iterator[tuple[Job, Graded]]:
    """Each job with its result, in the order in which they end. `digests` is as in `WorkerSetup`;
    with `blame`, causes of failures are found by substitution. Raises HarnessError when the
    harness itself failed on a job."""
    reference = context.specification.reference if blame else ()
    setup = replace(context.worker_setup(), digests=digests, reference=reference)
    with Pool(setup, workers) as pool:
        for job, found in pool.run(jobs):
            if isinstance(found, WorkerFailure):
                raise HarnessError(f"{found.submission_id}: {found.reason}")
            if not isinstance(found, Piece):
                yield job, found


def search_failures(
    context: GradingContext, jobs: Sequence[FailureJob], workers: int | None
) -> Iterator[tuple[FailureJob, FirstFailures]]:
    """Each job with the failures that were found, in the order in which they end. Raises
    HarnessError when the harness itself failed on a job."""
    with Pool(replace(context.worker_setup(), secret=_SEARCHING), workers) as pool:
        for job, found in pool.run(jobs):
            if isinstance(found, WorkerFailure):
                raise HarnessError(f"{found.submission_id}: {found.reason}")
            yield job, found


# Our own programs do not try to exploit the order of a shared run; a fixed one gives the same
# answer each time.
_SEARCHING = bytes(32)
