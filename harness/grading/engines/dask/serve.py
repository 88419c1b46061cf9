"""A worker of the cluster: `harness worker`."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.execution import choose_tier, cores, find_interpreter, scratch_directory
from harness.grading.engines.dask import (
    CONNECT_SECONDS,
    RESOURCE,
    Cluster,
    described,
    require_distributed,
    security,
    unreachable,
)
from harness.grading.engines.dask.tasks import WorkerHost, be_host
from harness.model.observation import Tier

LEAVE_SECONDS = 5.0  # for dask to say goodbye
AGAIN_SECONDS = 600.0  # to wait for a scheduler that went away

_CONFIG = {
    "distributed.worker.profile.enabled": False,  # it would measure waiting for a pipe
    "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS:.0f}s",
}


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
    interrupted. `tell` is called with lines for the user.

    Raises UserError: no scheduler answers (or it has been gone for `AGAIN_SECONDS`), no interpreter
    of the version `wanted` (or `python`), or this machine does not give the tier `require`.
    """
    require_distributed()
    interpreter = find_interpreter(wanted, executable=python)
    trial = choose_tier(interpreter, require)
    name = name or f"{socket.gethostname()}-{os.getpid()}"
    tell(f"{name}: {described()}, Python {interpreter.version}, tier {trial.tier}")
    count = jobs or len(cores())
    with scratch_directory() as folder:  # what a killed worker leaves, the next removes
        offered = _Offered(cluster=cluster, name=name, jobs=count, folder=str(folder))
        _until_stopped(
            lambda stop: _serve(
                offered,
                lambda: WorkerHost(jobs=count, python=python, require=require),
                tell,
                stop,
            )
        )


def _until_stopped(serve: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    """Run to the end, which a signal asks for; then KeyboardInterrupt. A signal's exception in the
    middle of dask's own tasks would be lost there, and cancelling them may never end."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    stop = asyncio.Event()
    for number in ("SIGINT", "SIGTERM", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError):  # Windows
            found = getattr(signal, number)
            if signal.getsignal(found) is not signal.SIG_IGN:
                loop.add_signal_handler(found, stop.set)
    loop.run_until_complete(serve(stop))
    raise KeyboardInterrupt


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offered:
    """What a scheduler is offered, and by whom."""

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

    cluster = offered.cluster
    loop = asyncio.get_running_loop()
    stopped = asyncio.create_task(stop.wait())
    first, deadline = True, 0.0
    with dask.config.set(_CONFIG):
        while not stop.is_set():
            host = make_host()
            be_host(host)
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
