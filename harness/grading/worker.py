"""A worker process: one driver, pinned to one core, grading what it is sent."""

from __future__ import annotations

import multiprocessing
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from harness.execution import Driver, Interpreter
from harness.grading.grader import Graded, Grader, Memory, NoMemory
from harness.model import serial
from harness.model.answer_key import AnswerKey
from harness.model.errors import HarnessError
from harness.model.plan import Plan
from harness.model.result import SubmissionStatus, Tier
from harness.model.submission import Submission
from harness.results import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSetup:
    """What a worker is started with. `store` is read for what earlier runs observed."""

    plan: str
    key: str
    interpreter: Interpreter
    tier: Tier
    cpu: int | None
    store: Path | None
    thorough: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One submission to grade, on these scenarios alone (None: the whole plan)."""

    submission: Submission
    only: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFailure:
    """Our machinery failed on this submission; `reason` is for the run's notices."""

    submission_id: str
    reason: str


class SpawnedWorker:
    """Starts the process; `send` a job, then `receive` its outcome."""

    def __init__(self, setup: WorkerSetup) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=_main, args=(theirs, setup), daemon=True)
        self.process.start()
        theirs.close()
        self.current: Job | None = None

    def send(self, job: Job) -> None:
        """Hand over one job."""
        self.current = job
        self.connection.send(job)

    def receive(self) -> Graded | WorkerFailure:
        """Wait for the outcome of what was sent; EOFError or OSError if the worker died."""
        outcome: Graded | WorkerFailure = self.connection.recv()
        self.current = None
        return outcome

    def stop(self) -> None:
        """End the process and everything below it."""
        self.connection.close()
        self.process.terminate()
        self.process.join()


def _main(connection: Connection, setup: WorkerSetup) -> None:
    # Ctrl-C goes to the whole foreground group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    plan = serial.loads(Plan, setup.plan)
    key = serial.loads(AnswerKey, setup.key)
    memory: Memory = Store.read_only(setup.store) if setup.store else NoMemory()
    pending: Job | None = None
    while True:
        try:
            with (
                Driver(setup.interpreter, setup.tier, cpu=setup.cpu) as driver,
                Grader(plan, key, driver, thorough=setup.thorough) as grader,
            ):
                while True:
                    job = pending or connection.recv()
                    graded = _attempt(grader, job, memory, last=pending is not None)
                    if graded is None:
                        pending = job
                        break
                    pending = None
                    connection.send(graded)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return
        except HarnessError as failure:
            job = pending or connection.recv()
            pending = None
            connection.send(WorkerFailure(submission_id=job.submission.id, reason=str(failure)))


def _attempt(
    grader: Grader, job: Job, memory: Memory, *, last: bool
) -> Graded | WorkerFailure | None:
    """Grade; None asks for another try with a fresh driver."""
    try:
        graded = grader.grade(job.submission, memory, only=job.only)
    except HarnessError as failure:
        if not last:
            return None
        return WorkerFailure(submission_id=job.submission.id, reason=str(failure))
    if graded.result.status is SubmissionStatus.HARNESS_ERROR and not last:
        return None
    return graded
