"""A worker of the cluster, harness worker: it tries whether it may take part in a run, and grades.

A submission is graded in a process of its own below the worker, as on one machine; the worker's
process only passes bytes on. The answer key enters no process that runs a submission. What travels
is bytes of our own format (JSON), never pickles of a submission's objects.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from harness.common import serial
from harness.common.errors import HarnessError, UserError
from harness.execution import (
    choose_tier,
    cores,
    find_interpreter,
    machine_slowness,
    scratch_directory,
)
from harness.grading.engines import BatchJob, Job, WorkerFailure, WorkerSetup
from harness.grading.engines.dask import (
    CONNECT_SECONDS,
    RESOURCE,
    Cluster,
    described,
    require_distributed,
    security,
    unreachable,
)
from harness.grading.engines.local import WorkerPool
from harness.grading.grader import Graded
from harness.grading.machine import try_tier
from harness.grading.observing.setup import GraderSetup
from harness.model.observation import Tier
from harness.model.result import SubmissionResult
from harness.results.reuse import Piece

MAX_SETUP = 50 << 20  # bytes of plan, answer key and reference
MAX_ANSWER = 16 << 20  # bytes of the results of one submission
_DIGEST = 16  # bytes of a key, and of a text's digest
LEAVE_SECONDS = 5.0  # for dask to say goodbye
AGAIN_SECONDS = 600.0  # seconds to wait for a scheduler that went away
_CONFIG = {
    "distributed.worker.profile.enabled": False,  # it would measure waiting for a pipe
    "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS:.0f}s",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupMessage:
    """A `WorkerSetup` without a worker's own parts. `harness` is the client's
    `described()`, `python` and `build` its interpreter's."""

    harness: str
    python: str
    build: str
    tier: Tier
    grader: GraderSetup


@dataclass(frozen=True, slots=True, kw_only=True)
class JobMessage:
    """A worker's task."""

    job: BatchJob


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerAnswer:
    """A worker's reply to a job or a setup: it does not take part (`refused`), or how the job
    ended, after `pieces`. `worker` is its address, set when it is sent."""

    worker: str
    refused: str = ""
    ended: SubmissionResult | WorkerFailure | None = None
    pieces: tuple[Piece, ...] = ()


def pack_setup(setup: WorkerSetup, harness: str) -> bytes:
    """Return the setup as bytes, for sending to every worker.

    Raise UserError if it is too large.
    """
    message = SetupMessage(
        harness=harness,
        python=setup.interpreter.version,
        build=setup.interpreter.build,
        tier=setup.tier,
        grader=setup.grader,
    )
    text = serial.dumps(message).encode("ascii")
    if len(text) > MAX_SETUP:
        raise UserError(
            f"plan and answer key have {len(text) >> 20} MiB; a cluster's limit is "
            f"{MAX_SETUP >> 20} MiB",
            hint="grade without --scheduler, or use fewer draws or smaller provided files",
        )
    return zlib.compress(text, 6)


def unpack_setup(data: bytes) -> SetupMessage:
    """Return the setup in these bytes. Raise SerialError if they contain none."""
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, MAX_SETUP + 1)
    except zlib.error as error:
        raise serial.SerialError(f"not compressed: {error}") from None
    if len(text) > MAX_SETUP or not inflater.eof:
        raise serial.SerialError("no setup of ours")
    return serial.loads(SetupMessage, text)


def pack_answer(answer: WorkerAnswer) -> bytes:
    """Return the answer in at most about `MAX_ANSWER` bytes.

    Parts that are only kept for later runs are left out if they do not fit; a result that does not
    fit is a failure of ours.
    """
    if not _fit(answer.pieces):
        answer = replace(answer, pieces=())
    text = serial.dumps(answer).encode("ascii")
    if len(text) > 2 * MAX_ANSWER:
        reason = f"its result of {len(text) >> 20} MiB is too large to be sent"
        return pack_answer(replace(answer, ended=WorkerFailure(reason=reason), pieces=()))
    return text


def unpack_answer(data: object) -> WorkerAnswer:
    """Return the answer in these bytes. Raise SerialError if it is not one of ours."""
    if not isinstance(data, bytes) or len(data) > 2 * MAX_ANSWER:
        raise serial.SerialError("not an answer of our worker")
    try:
        answer = serial.loads(WorkerAnswer, data)
    except (ValueError, RecursionError) as error:
        raise serial.SerialError(f"not an answer of our worker: {error}") from None
    for piece in answer.pieces:
        rows = (*piece.observations, *piece.verdicts)
        digests = (*(digest for digest, _ in piece.texts), *chain.from_iterable(rows))
        if any(len(digest) != _DIGEST for digest in digests):
            raise serial.SerialError("a digest of another length")
    return answer


def _fit(pieces: tuple[Piece, ...]) -> bool:
    return sum(len(data) for piece in pieces for _, data in piece.texts) <= MAX_ANSWER // 2


HUNG_SECONDS = 1800.0  # seconds without a message from the process that grades
# Runs at the same time; the oldest is forgotten, and its run tests the worker again.
MAX_SETUPS = 16
NO_WORKER_OF_OURS = "it was not started by harness worker"
# Or the test was so long ago that the worker forgot it.
NOT_TRIED = "it has not tested its confinement for this run"
_ORDER = tuple(Tier)
_host: WorkerHost | None = None  # whose the tasks of this process are


def take_part(setup: bytes, name: str) -> bytes:
    """Return, as a `WorkerAnswer`, whether this worker grades with this setup.

    `name` is the setup's digest. This is a task of dask.
    """
    return _answered(lambda host: WorkerAnswer(worker="", refused=host.shortcoming(setup, name)))


def grade(name: str, job: bytes) -> bytes:
    """Grade one submission with the setup of this digest; return a `WorkerAnswer`. This is a task
    of dask.

    The setup came with the trial. As an argument here, dask would fetch it from the first worker
    that had it, and wait forever if that one hangs.
    """
    wanted = serial.loads(JobMessage, job).job
    if isinstance(wanted, Job):
        wanted = replace(wanted, so_far=None)  # which would be a pickle
    return _answered(lambda host: host.grade(name, wanted))


def _answered(ask: Callable[[WorkerHost], WorkerAnswer]) -> bytes:
    from distributed import get_worker  # noqa: PLC0415  (only where a cluster is used)

    answer = WorkerAnswer(worker="", refused=NO_WORKER_OF_OURS) if _host is None else ask(_host)
    return pack_answer(replace(answer, worker=str(get_worker().address)))


class WorkerHost:
    """Processes that grade, at most `jobs` at a time, one setup after another. `python` is the
    interpreter to grade with (None: find one of the run's version), `require` the weakest
    acceptable tier."""

    def __init__(self, *, jobs: int, python: Path | None, require: Tier) -> None:
        self._python = python
        self._require = require
        self._trial = threading.Lock()
        self._setups: dict[str, WorkerSetup | str] = {}
        self._workers = WorkerPool(jobs, patience=HUNG_SECONDS)

    def shortcoming(self, data: bytes, name: str) -> str:
        """Return why this worker cannot take part in a run with this setup; "" if it can."""
        with self._trial:
            if name not in self._setups:
                self._setups[name] = self._tried(data)
                while len(self._setups) > MAX_SETUPS:
                    del self._setups[next(iter(self._setups))]
            found = self._setups[name]
        return found if isinstance(found, str) else ""

    def grade(self, name: str, job: BatchJob) -> WorkerAnswer:
        """Grade. After our own failure the worker tests again whether it can work (its disk may be
        full). If not, it refuses, so that the job goes elsewhere."""
        known = self._setups.get(name, NOT_TRIED)
        if isinstance(known, str):
            return WorkerAnswer(worker="", refused=known)
        answer = self._attempt(known, job)
        if isinstance(answer.ended, WorkerFailure):
            with self._trial:
                if refused := _shortcoming_now(known):
                    self._setups[name] = refused
                    return WorkerAnswer(worker="", refused=refused)
        return answer

    def close(self) -> None:
        """End all processes that this host has started, and start none any more."""
        self._workers.close()

    def _tried(self, data: bytes) -> WorkerSetup | str:
        try:
            message = unpack_setup(data)
        except serial.SerialError:
            return f"its harness differs: {described()}"
        if message.harness != described():
            return f"it has {described()}, the run {message.harness}"
        if _ORDER.index(message.tier) > _ORDER.index(self._require):
            return f"it requires the {self._require} tier, but the run uses {message.tier}"
        version = ".".join(message.python.split(".")[:2])
        try:
            interpreter = find_interpreter(version, executable=self._python)
        except (UserError, HarnessError, OSError) as error:
            return str(error)
        if interpreter.build != message.build:
            return f"its Python is {interpreter.build}, the run's {message.build}"
        grader = replace(message.grader, slowness=machine_slowness())  # of this machine
        setup = WorkerSetup(
            grader=grader, interpreter=interpreter, tier=message.tier, pack_alone=True
        )
        return _shortcoming_now(setup) or setup

    def _attempt(self, setup: WorkerSetup, job: BatchJob) -> WorkerAnswer:
        """Grade with an idle process, or a new one."""
        pieces: list[Piece] = []
        try:
            for _, message in self._workers.run(setup, [job]):
                if isinstance(message, Piece):
                    pieces.append(message)
                else:
                    ended = message.result if isinstance(message, Graded) else message
        except OSError as error:
            ended = WorkerFailure(reason=str(error))
        return WorkerAnswer(worker="", ended=ended, pieces=tuple(pieces))


def _shortcoming_now(setup: WorkerSetup) -> str:
    """Return why this machine cannot grade with the setup, or no longer can; an empty text if it
    can.
    """
    try:
        shortcoming = try_tier(setup.interpreter, setup.tier).shortcoming
    except (HarnessError, OSError) as error:
        return str(error)
    return f"the {setup.tier} tier does not hold there: {shortcoming}" if shortcoming else ""


def run_worker(
    cluster: Cluster,
    *,
    jobs: int | None,
    require: Tier,
    python: Path | None,
    wanted: str,
    name: str | None,
    tell: Callable[[str], None],
) -> None:
    """Grade for the users of the scheduler, `jobs` submissions at a time (None: one a core), until
    a signal comes; then KeyboardInterrupt. `tell` is called with lines for the user. Raises
    UserError: no scheduler answers (or it has been gone for `AGAIN_SECONDS`), no interpreter of the
    version `wanted` (or `python`), or this machine does not give the tier `require`."""
    require_distributed()
    interpreter = find_interpreter(wanted, executable=python)
    trial = choose_tier(interpreter, require)
    name = name or f"{socket.gethostname()}-{os.getpid()}"
    tell(f"{name}: {described()}, Python {interpreter.version}, tier {trial.tier}")
    count = jobs or len(cores())
    # A signal's exception in the middle of dask's tasks would be lost, and cancelling them may
    # never end. So a signal only requests the end.
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    stop = asyncio.Event()
    for signal_name in ("SIGINT", "SIGTERM", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError):  # Windows
            number = getattr(signal, signal_name)
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, stop.set)
    with scratch_directory() as folder:  # the next worker removes a killed one's files
        offered = _Offered(cluster=cluster, name=name, jobs=count, folder=str(folder))
        make_host = partial(WorkerHost, jobs=count, python=python, require=require)
        loop.run_until_complete(_serve(offered, make_host, tell, stop))
        raise KeyboardInterrupt


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offered:
    """A worker's offer to a scheduler."""

    cluster: Cluster
    name: str
    jobs: int
    folder: str


async def _serve(
    offered: _Offered,
    make_host: Callable[[], WorkerHost],
    tell: Callable[[str], None],
    stop: asyncio.Event,
) -> None:
    import dask  # noqa: PLC0415  (only where a cluster is used)

    global _host  # noqa: PLW0603  (dask calls functions by name)
    cluster = offered.cluster
    loop = asyncio.get_running_loop()
    stopped = asyncio.create_task(stop.wait())
    first, deadline = True, 0.0
    with dask.config.set(_CONFIG):
        while not stop.is_set():
            _host = host = make_host()
            starting = asyncio.create_task(_started(offered, security(cluster, "worker")))
            await asyncio.wait({starting, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not starting.done():
                return
            try:
                worker = starting.result()
            except (OSError, ValueError, RuntimeError) as error:
                if first or loop.time() > deadline:
                    raise unreachable(cluster, error) from None
                continue
            tell(f"{offered.name}: grades for {cluster.address}, {offered.jobs} at a time")
            finished = asyncio.create_task(worker.finished())
            await asyncio.wait({finished, stopped}, return_when=asyncio.FIRST_COMPLETED)
            host.close()
            closing = asyncio.create_task(worker.close(timeout=2))
            await asyncio.wait({closing}, timeout=LEAVE_SECONDS)
            if not stop.is_set():
                tell(f"{offered.name}: the scheduler went away; waiting for it")
            first, deadline = False, loop.time() + AGAIN_SECONDS


async def _started(offered: _Offered, secured: Any) -> Any:
    from distributed import Worker  # noqa: PLC0415  (only where a cluster is used)

    worker = Worker(
        offered.cluster.address,
        nthreads=offered.jobs,
        name=offered.name,
        resources={RESOURCE: offered.jobs},
        memory_limit=0,
        local_directory=offered.folder,
        security=secured,
        dashboard=False,
        death_timeout=CONNECT_SECONDS,
    )
    try:
        return await worker
    except BaseException:
        await worker.close(timeout=2)
        raise
