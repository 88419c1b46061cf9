"""What a worker of the cluster does: it tries whether it may take part in a run, and grades.

A submission is graded in a process of its own below the worker, as on one machine; the worker's
process only passes bytes on. The answer key enters no process that runs a submission.
"""

from __future__ import annotations

import threading
from pathlib import Path

from harness.common import serial
from harness.common.errors import HarnessError, UserError
from harness.execution import cores, find_interpreter, try_tier
from harness.grading.engines import Ended, Job, WorkerFailure, WorkerSetup
from harness.grading.engines.dask import described
from harness.grading.engines.dask.wire import (
    WorkerAnswer,
    pack_answer,
    unpack_job,
    unpack_setup,
)
from harness.grading.engines.worker import SpawnedWorker
from harness.grading.grader import Graded
from harness.model.observation import Tier
from harness.results import Piece

HUNG_SECONDS = 1800.0  # without a word from the process that grades
MOST_SETUPS = 16  # of runs at once; the oldest is forgotten, and its run tries the worker anew
_ORDER = tuple(Tier)

_host: WorkerHost | None = None


def take_part(setup: bytes, name: str) -> bytes:
    """The task that tells whether this worker grades with this setup, a `WorkerAnswer`; `name` is
    the setup's digest."""
    host, address = _here()
    refused = NO_WORKER_OF_OURS if host is None else host.shortcoming(setup, name)
    return pack_answer(WorkerAnswer(worker=address, refused=refused))


def grade(name: str, job: bytes) -> bytes:
    """The task that grades one submission with the setup of this digest, a `WorkerAnswer`.

    The setup came with the trial. As an argument here it would be fetched from whichever worker had
    it first, and waited for without end where that one hangs.
    """
    host, address = _here()
    if host is None:
        return pack_answer(WorkerAnswer(worker=address, refused=NO_WORKER_OF_OURS))
    return pack_answer(host.grade(name, unpack_job(job), address))


NO_WORKER_OF_OURS = "it was not started by harness worker"
NOT_TRIED = "it was not tried for this run"  # or so long ago that it has forgotten


def be_host(host: WorkerHost | None) -> None:
    """From now on the tasks of this process are this host's."""
    global _host  # noqa: PLW0603  (dask calls functions by name)
    _host = host


def _here() -> tuple[WorkerHost | None, str]:
    from distributed import get_worker  # noqa: PLC0415  (only where a cluster is used)

    return _host, str(get_worker().address)


class WorkerHost:
    """Processes that grade, at most `jobs` at a time, one setup after another.

    `python` is the interpreter to grade with (None: of the run's version, found here), `require`
    the weakest tier to work under.
    """

    def __init__(self, *, jobs: int, python: Path | None, require: Tier) -> None:
        self._python = python
        self._require = require
        self._closed = False
        self._trial = threading.Lock()
        self._setups: dict[str, WorkerSetup | str] = {}
        self._lock = threading.Lock()
        self._idle: list[tuple[str, SpawnedWorker]] = []
        self._busy: set[SpawnedWorker] = set()
        here = cores()
        self._cpus: list[int | None] = [*here] if jobs <= len(here) else [None] * jobs
        self._cpu_of: dict[SpawnedWorker, int | None] = {}

    def shortcoming(self, data: bytes, name: str) -> str:
        """Why this worker takes no part in a run with this setup; empty when it does."""
        with self._trial:
            if name not in self._setups:
                self._setups[name] = self._tried(data)
                while len(self._setups) > MOST_SETUPS:
                    del self._setups[next(iter(self._setups))]
            found = self._setups[name]
        return found if isinstance(found, str) else ""

    def grade(self, name: str, job: Job, address: str) -> WorkerAnswer:
        """Grade. After a failure of ours the worker tries anew whether it still serves (its disk
        may be full), and refuses if not, so that the job goes elsewhere."""
        known = self._setups.get(name, NOT_TRIED)
        if isinstance(known, str):
            return WorkerAnswer(worker=address, refused=known)
        pieces, ended = self._attempt(known, name, job)
        if isinstance(ended, WorkerFailure):
            pieces, ended = self._attempt(known, name, job)
        if isinstance(ended, WorkerFailure):
            with self._trial:
                refused = _shortcoming_now(known)
                if refused:
                    self._setups[name] = refused
                    return WorkerAnswer(worker=address, refused=refused)
        return WorkerAnswer(worker=address, ended=ended, pieces=tuple(pieces))

    def close(self) -> None:
        """End all processes that this host has started, and start none any more."""
        with self._lock:
            self._closed = True
            every = [*self._busy, *(worker for _, worker in self._idle)]
            self._idle.clear()
        for worker in every:
            worker.stop()

    def _tried(self, data: bytes) -> WorkerSetup | str:
        try:
            message = unpack_setup(data)
        except serial.SerialError:
            return f"it has another harness: {described()}"
        if message.harness != described():
            return f"it has {described()}, the run {message.harness}"
        if _ORDER.index(message.tier) > _ORDER.index(self._require):
            return f"it takes no work below the {self._require} tier, the run is {message.tier}"
        try:
            interpreter = find_interpreter(
                ".".join(message.python.split(".")[:2]), executable=self._python
            )
            if interpreter.build != message.build:
                return f"its Python is {interpreter.build}, the run's {message.build}"
        except (UserError, HarnessError, OSError) as error:
            return str(error)
        setup = WorkerSetup(
            plan=message.plan,
            key=message.key,
            interpreter=interpreter,
            tier=message.tier,
            cpu=None,
            store=None,
            pack_alone=True,
            thorough=message.thorough,
            reference=message.reference,
            secret=message.secret or None,
        )
        return _shortcoming_now(setup) or setup

    def _attempt(self, setup: WorkerSetup, name: str, job: Job) -> tuple[list[Piece], Ended]:
        """Grade with an idle process, or a new one."""
        pieces: list[Piece] = []
        try:
            worker = self._take(setup, name)
        except OSError as error:
            return [], WorkerFailure(submission_id=job.submission.id, reason=str(error))
        worker.send(job)
        try:
            while worker.connection.poll(HUNG_SECONDS):
                found = worker.receive()
                if isinstance(found, Graded | WorkerFailure):
                    self._give_back(worker, name)
                    return pieces, found
                if isinstance(found, Piece):
                    pieces.append(found)
            reason = f"nothing was heard for {HUNG_SECONDS:.0f} s"
        except (EOFError, OSError) as died:
            reason = f"worker died: {died}"
        self._end(worker)
        return [], WorkerFailure(submission_id=job.submission.id, reason=reason)

    def _take(self, setup: WorkerSetup, name: str) -> SpawnedWorker:
        with self._lock:
            for place, (whose, worker) in enumerate(self._idle):
                if whose == name:
                    del self._idle[place]
                    self._busy.add(worker)
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
                worker = SpawnedWorker(setup.on(cpu))
            except BaseException:
                self._cpus.append(cpu)
                raise
            self._cpu_of[worker] = cpu
            self._busy.add(worker)
            return worker

    def _give_back(self, worker: SpawnedWorker, name: str) -> None:
        with self._lock:
            self._busy.discard(worker)
            self._idle.append((name, worker))

    def _end(self, worker: SpawnedWorker) -> None:
        worker.stop()
        with self._lock:
            self._busy.discard(worker)
            self._cpus.append(self._cpu_of.pop(worker, None))


def _shortcoming_now(setup: WorkerSetup) -> str:
    """Why this machine cannot grade with the setup, or no longer; empty when it can."""
    try:
        shortcoming = try_tier(setup.interpreter, setup.tier).shortcoming
    except (HarnessError, OSError) as error:
        return str(error)
    return f"the {setup.tier} tier does not hold there: {shortcoming}" if shortcoming else ""
