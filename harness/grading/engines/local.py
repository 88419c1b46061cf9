"""The local engine: the submissions of a class, graded by worker processes of this machine.

Programs of ours are graded with it side by side, and nothing of them is stored.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from multiprocessing.connection import wait
from typing import Any, TypeVar

from harness.common.errors import HarnessError
from harness.execution import cores
from harness.grading.context import GradingContext
from harness.grading.engines import FailureJob, Job, WorkerFailure, WorkerSetup
from harness.grading.engines.worker import GRADING, SpawnedWorker
from harness.grading.grader import FirstFailures, Graded
from harness.results.reuse import Piece

Task = TypeVar("Task")
JobOfOurs = TypeVar("JobOfOurs", Job, FailureJob)


class WorkerPool(AbstractContextManager["WorkerPool"]):
    """The local `Engine`: at most `size` workers (None: one a core), processes that run `main` of
    `module`. One that says nothing for `patience` seconds counts as dead (None: it is waited for).
    Threads may share it. Leaving its `with` block ends all workers, whatever they are doing."""

    def __init__(
        self, size: int | None = None, module: str = GRADING, patience: float | None = None
    ) -> None:
        here = cores()
        self._patience = patience
        self.size = size or len(here)
        self._module = module
        # A worker pinned with its servers is a fifth faster, but two must not share one core.
        self._cpus: list[int | None] = [*here] if self.size <= len(here) else [None] * self.size
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[tuple[object, SpawnedWorker]] = []
        self._cpu_of: dict[SpawnedWorker, int | None] = {}

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, setup: object) -> SpawnedWorker:
        """Return an idle worker with this setup, or a new one; idle ones with another setup are
        ended. Raise OSError if none can be started.
        """
        with self._lock:
            for place, (idle_setup, worker) in enumerate(self._idle):
                if idle_setup is setup:
                    del self._idle[place]
                    return worker
            others = [worker for _, worker in self._idle]
            self._idle.clear()
        for worker in others:  # of a run that has ended, as a rule
            self._end(worker)
        with self._lock:
            if self._closed:
                raise OSError("the worker is leaving")
            cpu = self._cpus.pop() if self._cpus else None
            try:
                worker = SpawnedWorker(setup, self._module, cpu)
            except BaseException:
                self._cpus.append(cpu)
                raise
            self._cpu_of[worker] = cpu
            return worker

    def _end(self, worker: SpawnedWorker) -> None:
        with self._lock:
            if worker not in self._cpu_of:  # another thread ends it
                return
            cpu = self._cpu_of.pop(worker)
        worker.stop()
        with self._lock:
            self._cpus.append(cpu)

    def close(self) -> None:
        """End all workers, and start none any more."""
        with self._lock:
            self._closed = True
            self._idle.clear()
            workers = [*self._cpu_of]
            self._cpu_of.clear()
        for worker in workers:
            worker.stop()

    def run(
        self,
        setup: object,
        jobs: Iterable[Task],
        heard: Callable[[Any], None] = lambda message: None,
    ) -> Iterator[tuple[Task, Any]]:
        """Yield each job with each of its worker's messages as they arrive; each worker has one
        job at a time.

        A job whose worker dies gets another one, once. `heard` is called with the last message of a
        job before the next job is asked for. Raise OSError if no worker can be started.
        """
        waiting = iter(jobs)
        busy: list[SpawnedWorker] = []
        retried: list[Task] = []

        def begin(job: Task) -> None:
            worker = self._take(setup)
            busy.append(worker)
            worker.send(job)

        def begin_more() -> None:
            while len(busy) < self.size and (job := next(waiting, None)) is not None:
                begin(job)

        begin_more()
        while busy:
            ready = wait([worker.connection for worker in busy], self._patience)
            for worker in [each for each in busy if not ready or each.connection in ready]:
                job: Task = worker.current
                try:
                    if not ready:
                        raise OSError(f"nothing was heard for {self._patience:.0f} s")
                    message = worker.receive()
                except (EOFError, OSError) as died:
                    busy.remove(worker)
                    self._end(worker)
                    if not any(job is each for each in retried):
                        retried.append(job)
                        begin(job)
                        continue
                    why = str(died) or "with the error above, or killed by the system"
                    message = WorkerFailure(reason=f"worker died: {why}")
                else:
                    if worker.current is None:
                        busy.remove(worker)
                        with self._lock:
                            self._idle.append((setup, worker))
                has_ended = worker not in busy
                if has_ended:
                    heard(message)
                    begin_more()
                yield job, message


def run_jobs(
    context: GradingContext,
    jobs: Sequence[Job],
    workers: int | None,
    *,
    digests: bool = False,
    blame: bool = False,
) -> Iterator[tuple[Job, Graded]]:
    """Yield each job with its result in the order in which they end.

    `digests` is as in `GraderSetup`; with `blame`, causes of failures are found by substitution.
    Raise HarnessError if the harness itself failed on a job.
    """
    reference = context.specification.reference if blame else ()
    setup = context.grader_setup()
    grader = replace(setup, digests=digests, reference=reference, for_students=False)
    return _outcomes(context.worker_setup(grader), jobs, workers)


def search_failures(
    context: GradingContext, jobs: Sequence[FailureJob], workers: int | None
) -> Iterator[tuple[FailureJob, FirstFailures]]:
    """Yield each job with its failures, as `run_jobs` does."""
    # Our own programs do not exploit the order of a shared run: a fixed one, for the same answers.
    grader = replace(context.grader_setup(), secret=bytes(32))
    return _outcomes(context.worker_setup(grader), jobs, workers)


def _outcomes(
    setup: WorkerSetup, jobs: Iterable[JobOfOurs], workers: int | None
) -> Iterator[tuple[JobOfOurs, Any]]:
    with WorkerPool(workers) as pool:
        for job, message in pool.run(setup, jobs):
            if isinstance(message, WorkerFailure):
                raise HarnessError(f"{job.submission.id}: {message.reason}")
            if not isinstance(message, Piece):
                yield job, message
