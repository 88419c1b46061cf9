"""A worker process: one driver, pinned to one core, that grades the jobs sent to it."""

import contextlib
import functools
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from harness.common import logs
from harness.common.errors import HarnessError, place_of
from harness.execution import remove_scratch_directories
from harness.grading.engines import (
    AnyJob,
    CausesJob,
    FailureJob,
    Message,
    PartDone,
    Paused,
    WorkerFailure,
    WorkerSetup,
    processes,
)
from harness.grading.grader import Graded, Grader
from harness.grading.machine import create_driver
from harness.grading.observing.budget import Used
from harness.grading.observing.in_order import RunsSoFar, TryAgain
from harness.model.result import SubmissionStatus
from harness.results.reuse import Packer, Piece, ResultCache
from harness.results.store import Store

PATIENCE = 8.0  # seconds for a worker to clean up
_LONGER = 2.0  # seconds that its parent waits beyond that
GRADING = __name__  # a module of which workers run `main`
ORPHAN_PATIENCE = 1.5  # seconds, where its parent was killed


class SpawnedWorker:
    """Starts the process; `send` a job, then `receive` until `current` is None. `module` has the
    `main` that it runs, by `worker_process`: first it receives `setup`, then the processor to work
    on (None: any)."""

    def __init__(self, setup: object, module: str = GRADING, cpu: int | None = None) -> None:
        self.current: Any = None
        self._process, self.connection = processes.start(module)
        with contextlib.suppress(OSError):  # a worker dead this early is noticed on `receive`
            self.connection.send(setup)
            self.connection.send(cpu)

    def send(self, job: object) -> None:
        self.current = job
        with contextlib.suppress(OSError):
            self.connection.send(job)

    def receive(self) -> Any:
        """Wait for a piece of the results, a part that is done, or the end of the job.

        Raise EOFError or OSError if the worker died.
        """
        found = self.connection.recv()
        if not isinstance(found, Piece | PartDone):
            self.current = None
        return found

    def stop(self) -> None:
        """End the process; everything below it ends with it."""
        self.connection.close()  # an idle worker then leaves by itself
        if self.current is not None:
            self._process.terminate()
        try:
            self._process.wait(PATIENCE + _LONGER)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main(descriptor: int, parent: int) -> None:
    """Run the worker's side: read the setup, then grade until the parent is gone."""

    def serve(connection: Connection, setup: WorkerSetup, cpu: int | None) -> None:
        jobs = iter(connection.recv, None)
        for _, message in grade_in_turn(setup, jobs, cpu, connection.send):
            connection.send(message)

    worker_process(descriptor, parent, serve)


Serve = Callable[[Connection, Any, int | None], None]
OnPart = Callable[[PartDone], None]


def worker_process(descriptor: int, parent: int, serve: Serve) -> None:
    """Run in the child process of a `SpawnedWorker`: read the setup and the processor, then
    `serve`.

    If the parent exits, this process exits too, even in the middle of work.
    """
    logs.log_as_parent()
    signal.signal(signal.SIGTERM, _leave)
    connection = _ParentsEnd(descriptor)
    threading.Thread(target=_leave_with_parent, args=(descriptor, parent), daemon=True).start()
    try:
        serve(connection, connection.recv(), connection.recv())
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


class _ParentsEnd(Connection):
    """The connection to the parent. Once it is closed, this process leaves by itself, because a
    signal could interrupt the removal of its folder."""

    def recv(self) -> Any:
        try:
            return super().recv()
        except (EOFError, OSError):
            _hear_no_more()
            raise

    def send(self, found: Any) -> None:
        try:
            super().send(found)
        except OSError:
            _hear_no_more()
            raise


def _hear_no_more() -> None:
    signal.signal(signal.SIGTERM, lambda number, frame: None)


def _leave(number: int, frame: object) -> NoReturn:
    """Leave through every `with` block, because the driver has a folder to remove."""
    _hear_no_more()  # once is enough
    sys.exit(128 + number)


def _leave_with_parent(descriptor: int, parent: int) -> None:
    """Wait until the parent process closes its end of the connection or dies; then end this
    process even if it is busy.

    If the parent is dead, this happens sooner, because it cannot wait for this process.
    """
    hung_up = select.poll()
    hung_up.register(descriptor, 0)
    hung_up.poll()
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(ORPHAN_PATIENCE)
    if os.getppid() == parent:  # it waits until this process has removed its files
        threading.Event().wait(PATIENCE - ORPHAN_PATIENCE)
    remove_scratch_directories()
    os._exit(1)


def grade_in_turn(
    setup: WorkerSetup,
    jobs: Iterator[AnyJob],
    cpu: int | None = None,
    on_part: OnPart = lambda part: None,
) -> Iterator[tuple[AnyJob, Message]]:
    """Grade each job in this process, as `Engine.run` does: with one driver for all of them, and
    a second try with a new one if the harness failed. `on_part` is called between two parts."""
    earlier = contextlib.nullcontext(ResultCache())
    with Store.read_only(setup.store) if setup.store else earlier as cache:
        yield from _grade_with_cache(setup, jobs, cpu, cache, on_part)


def _grade_with_cache(
    setup: WorkerSetup,
    jobs: Iterator[AnyJob],
    cpu: int | None,
    cache: ResultCache,
    on_part: OnPart,
) -> Iterator[tuple[AnyJob, Message]]:
    packer = Packer() if setup.store else None
    make, plan = setup.on_graded, setup.grader.plan
    on_graded = functools.cache(functools.partial(make, plan)) if make else None
    pending: AnyJob | None = None
    again: _Again | None = None  # how the pending job is tried again
    job: AnyJob | None
    while True:
        try:
            with (
                create_driver(setup.interpreter, setup.tier, cpu=cpu) as driver,
                Grader(setup.grader, driver) as grader,
            ):
                while job := pending or next(jobs, None):
                    graded = _attempt(grader, job, cache, again, on_part)
                    if isinstance(graded, _Again):
                        pending, again = job, graded
                        break
                    pending = again = None
                    if on_graded and isinstance(graded, Graded) and not graded.paused:
                        # The writer of the reports handles a full disk, because no mark depends on
                        # it.
                        with contextlib.suppress(OSError):
                            graded = replace(graded, result=on_graded()(graded.result))
                    for message in _messages(graded, Packer() if setup.pack_alone else packer):
                        yield job, message
                else:
                    return
        except HarnessError as failure:
            if (job := pending or next(jobs, None)) is None:
                return
            pending = again = None
            yield job, WorkerFailure(reason=str(failure))


def _messages(ended: Message, packer: Packer | None) -> Iterator[Message]:
    """Yield the parts to be stored, so that no side ever holds all of them, then how the job
    ended.
    """
    if isinstance(ended, Graded):
        if packer is not None:
            yield from packer.pieces(ended.runs, {**ended.verdicts, **ended.probes})
        ended = replace(ended, runs={}, verdicts={}, probes={})
        if ended.paused:
            verdicts = [entry.verdict for entry in ended.result.scenarios]
            decided = sum(not verdict.undecided for verdict in verdicts)
            so_far = None if ended.so_far is None else pickle.dumps(ended.so_far)
            share = decided / max(1, len(verdicts))
            ended = Paused(
                used=ended.used,
                decided=share,
                kept=ended.kept,
                seconds=ended.seconds,
                so_far=so_far,
            )
    yield ended


@dataclass(slots=True)
class _LastPart:
    """The last whole part of a job. `note` also tells the parent, in case this worker dies."""

    on_part: OnPart
    so_far: RunsSoFar | None = None

    def note(self, so_far: RunsSoFar, used: Used) -> None:
        self.so_far = so_far
        self.on_part(PartDone(used=used, so_far=pickle.dumps(so_far)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Again:
    """Asks for another try with a fresh driver, which continues from `so_far` (None: from the job's
    beginning)."""

    so_far: RunsSoFar | None = None


def _attempt(
    grader: Grader, job: AnyJob, cache: ResultCache, again: _Again | None, on_part: OnPart
) -> Message | _Again:
    """Grade or search, for the second time if this is tried `again`."""
    last = again is not None
    part = _LastPart(on_part)
    try:
        if isinstance(job, FailureJob):
            return grader.first_failures(job.submission, first=job.first, most=job.most)
        if isinstance(job, CausesJob):
            graded = grader.find_causes(job.submission, job.result, cache)
            is_ours = graded.result.status is SubmissionStatus.HARNESS_ERROR
            was_ours = job.result.status is SubmissionStatus.HARNESS_ERROR
            return graded if last or was_ours or not is_ours else _Again()
        only = None if job.only is None else frozenset(job.only)
        part.so_far = None if again is None else again.so_far
        if part.so_far is None and job.so_far is not None:
            part.so_far = pickle.loads(job.so_far)
        graded = grader.grade(
            job.submission,
            cache,
            only=only,
            before=job.before,
            so_far=part.so_far,
            pause_after=job.pause_after,
            causes_later=job.causes_later,
            may_try_again=not last,
            on_part=part.note,
        )
    except TryAgain:
        return _Again(so_far=part.so_far)
    except HarnessError as failure:
        return WorkerFailure(reason=str(failure)) if last else _Again(so_far=part.so_far)
    except Exception as error:  # only of a search: grading itself reports it in its result
        return WorkerFailure(reason=place_of(error)) if last else _Again()
    if graded.result.status is SubmissionStatus.HARNESS_ERROR and not last:
        return _Again(so_far=part.so_far)
    return graded
