"""The local engine: the submissions of a class, graded by worker processes of this machine.

Our own programs are also graded with it, without storing anything.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from typing import Any, Generic, TypeVar

from harness.common.errors import HarnessError
from harness.common.replaceable import Replaceable
from harness.execution import cores
from harness.grading.context import GradingContext
from harness.grading.engines import FailureJob, Job, PartDone, WorkerFailure, WorkerSetup
from harness.grading.engines.worker import GRADING, SpawnedWorker
from harness.grading.grader import FirstFailures, Graded
from harness.results.reuse import Piece

Task = TypeVar("Task")
JobOfOurs = TypeVar("JobOfOurs", Job, FailureJob)


class WorkerPool(AbstractContextManager["WorkerPool"]):
    """The local `Engine`: at most `size` workers (None: one a core), processes that run `main` of
    `module`.

    A worker that is silent for `patience` seconds counts as dead (None: wait for it forever).
    Threads may share the pool. Leaving its `with` block ends all workers, even busy ones.
    """

    def __init__(
        self, size: int | None = None, module: str = GRADING, patience: float | None = None
    ) -> None:
        here = cores()
        self._patience = patience
        self.size = size or len(here)
        self._module = module
        # A worker pinned with its servers is a fifth faster, but two must not share one core.
        self._cpus: list[int | None] = [None] * self.size
        if self.size <= len(here):
            self._cpus = [*here]
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[tuple[object, SpawnedWorker]] = []
        self._cpu_of: dict[SpawnedWorker, int | None] = {}

    def __exit__(self, *_: object) -> None:
        self.close()

    def take(self, setup: object) -> SpawnedWorker:
        """Return an idle worker with this setup, or start a new one.

        Idle workers with another setup are ended. Raise OSError if none can be started.
        """
        with self._lock:
            for place, (idle_setup, worker) in enumerate(self._idle):
                if idle_setup is setup:
                    del self._idle[place]
                    return worker
            others = [worker for _, worker in self._idle]
            self._idle.clear()
        for worker in others:  # they usually belong to a run that has ended
            self.end(worker)
        with self._lock:
            if self._closed:
                raise OSError("the worker is leaving")
            cpu = None
            if self._cpus:
                cpu = self._cpus.pop()
            try:
                worker = SpawnedWorker(setup, self._module, cpu)
            except BaseException:
                self._cpus.append(cpu)
                raise
            self._cpu_of[worker] = cpu
            return worker

    def give_back(self, worker: SpawnedWorker, setup: object) -> None:
        """Keep a worker that has finished its job, for the next job with this setup."""
        with self._lock:
            self._idle.append((setup, worker))

    def end(self, worker: SpawnedWorker) -> None:
        """End a worker, even a busy one."""
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

        A job whose worker dies gets another one, once, which goes on after the last `PartDone`.
        `heard` is called with the last message of a
        job before the next job is asked for. Raise OSError if no worker can be started.
        """
        run = _PoolRun(self, setup, iter(jobs), self._patience)
        run.begin_more()
        while run.busy:
            for attempt in run.wait():
                try:
                    message = run.receive(attempt)
                except (EOFError, OSError) as died:
                    run.abandon(attempt)
                    if not attempt.is_second:
                        run.begin_again(attempt)
                        continue
                    why = str(died) or "with the error above, or killed by the system"
                    message = WorkerFailure(reason=f"worker died: {why}")
                if isinstance(message, PartDone):
                    attempt.keep(message)
                    continue
                if attempt.has_ended:
                    heard(message)
                    run.begin_more()
                yield attempt.job, message


worker_pool = Replaceable(WorkerPool)


@dataclass(slots=True, eq=False)
class _AssignedJob(Generic[Task]):
    """A job that a worker is working on."""

    job: Task
    rest: object  # the unfinished part of the job
    worker: SpawnedWorker
    is_second: bool = False  # the worker of the first one died
    is_hung: bool = False  # it was silent for too long
    has_ended: bool = False

    def keep(self, part: PartDone) -> None:
        """Keep the results so far, in case the worker dies."""
        if isinstance(self.job, Job):
            self.rest = part.rest_of(self.job)


@dataclass(slots=True)
class _PoolRun(Generic[Task]):
    """The jobs of one `WorkerPool.run`: waiting and running ones."""

    pool: WorkerPool
    setup: object
    waiting: Iterator[Task]
    patience: float | None
    busy: list[_AssignedJob[Task]] = field(default_factory=list)

    def begin_more(self) -> None:
        """Give each free worker a job, as long as there are any."""
        while len(self.busy) < self.pool.size:
            job = next(self.waiting, None)
            if job is None:
                return
            self.begin(job)

    def begin(self, job: Task) -> None:
        """Give a worker this job."""
        self._begin(_AssignedJob(job, job, self.pool.take(self.setup)))

    def begin_again(self, died: _AssignedJob[Task]) -> None:
        """Give another worker the rest of a job whose worker died."""
        worker = self.pool.take(self.setup)
        self._begin(_AssignedJob(died.job, died.rest, worker, is_second=True))

    def _begin(self, attempt: _AssignedJob[Task]) -> None:
        self.busy.append(attempt)
        attempt.worker.send(attempt.rest)

    def wait(self) -> list[_AssignedJob[Task]]:
        """Wait for messages and return the attempts that have one. If no worker sends anything,
        return all, because they hang."""
        connections = [attempt.worker.connection for attempt in self.busy]
        ready = wait(connections, self.patience)
        if ready:
            return [attempt for attempt in self.busy if attempt.worker.connection in ready]
        for attempt in self.busy:
            attempt.is_hung = True
        return [*self.busy]

    def receive(self, attempt: _AssignedJob[Task]) -> Any:
        """Return the next message of an attempt; the last one frees its worker.

        Raise EOFError or OSError if the worker died, or is hung.
        """
        if attempt.is_hung:
            raise OSError(f"nothing was heard for {self.patience:.0f} s")
        message = attempt.worker.receive()
        if attempt.worker.current is None:
            self._end(attempt)
            self.pool.give_back(attempt.worker, self.setup)
        return message

    def abandon(self, attempt: _AssignedJob[Task]) -> None:
        """End an attempt with its worker."""
        self._end(attempt)
        self.pool.end(attempt.worker)

    def _end(self, attempt: _AssignedJob[Task]) -> None:
        attempt.has_ended = True
        self.busy.remove(attempt)


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
    # Our own programs do not exploit the order of a shared run. A fixed order gives the same
    # answers each time.
    grader = replace(context.grader_setup(), secret=bytes(32))
    return _outcomes(context.worker_setup(grader), jobs, workers)


def _outcomes(
    setup: WorkerSetup, jobs: Iterable[JobOfOurs], workers: int | None
) -> Iterator[tuple[JobOfOurs, Any]]:
    with worker_pool(workers) as pool:
        for job, message in pool.run(setup, jobs):
            if isinstance(message, WorkerFailure):
                raise HarnessError(f"{job.submission.id}: {message.reason}")
            if not isinstance(message, Piece):
                yield job, message
