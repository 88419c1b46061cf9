"""The local engine: a pool of worker processes; one that dies is replaced.

Programs of ours are graded with it side by side, and nothing of them is stored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from multiprocessing.connection import wait
from typing import overload

from harness.common.errors import HarnessError
from harness.execution import cores
from harness.grading.context import GradingContext
from harness.grading.engines import (
    Ended,
    FailureJob,
    Job,
    SearchEnded,
    WorkerFailure,
    WorkerSetup,
)
from harness.grading.engines.worker import SpawnedWorker
from harness.grading.grader import Graded
from harness.grading.observing.first_failures import FirstFailures
from harness.results import Piece


class Pool(AbstractContextManager["Pool"]):
    """Workers are started as jobs need them and stopped on leaving, whatever they are doing."""

    def __init__(self, setup: WorkerSetup, jobs: int | None = None) -> None:
        self._setup = setup
        self._cores = cores()
        self._size = jobs or len(self._cores)
        self._workers: list[SpawnedWorker] = []

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.stop()

    @overload
    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Piece | Ended]]: ...

    @overload
    def run(self, jobs: Iterable[FailureJob]) -> Iterator[tuple[FailureJob, SearchEnded]]: ...

    def run(
        self, jobs: Iterable[Job] | Iterable[FailureJob]
    ) -> Iterator[tuple[Job | FailureJob, Piece | Ended | SearchEnded]]:
        """As `Engine.run`, with one job a worker under way."""
        waiting: deque[Job | FailureJob] = deque(jobs)
        retried: set[int] = set()
        while len(self._workers) < min(self._size, len(waiting)):
            self._workers.append(self._start(len(self._workers)))
        for worker in self._workers:
            _give(worker, waiting)
        while any(worker.current for worker in self._workers):
            ready = wait([w.connection for w in self._workers if w.current])
            for index, worker in enumerate(self._workers):
                job: Job | FailureJob | None = worker.current
                if job is None or worker.connection not in ready:
                    continue
                try:
                    found: Piece | Ended | SearchEnded = worker.receive()
                except (EOFError, OSError) as died:
                    worker.stop()
                    worker = self._workers[index] = self._start(index)  # noqa: PLW2901
                    if id(job) not in retried:
                        retried.add(id(job))
                        worker.send(job)
                        continue
                    name = job.submission.id
                    found = WorkerFailure(submission_id=name, reason=f"worker died: {died}")
                if worker.current is None:
                    _give(worker, waiting)
                yield job, found

    def _start(self, index: int) -> SpawnedWorker:
        # A worker pinned with its servers is a fifth faster, but two must not share one core.
        cpu = self._cores[index] if self._size <= len(self._cores) else None
        return SpawnedWorker(self._setup.on(cpu))


def _give(worker: SpawnedWorker, waiting: deque[Job | FailureJob]) -> None:
    if waiting:
        worker.send(waiting.popleft())


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
