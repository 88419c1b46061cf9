"""Starts the processes of workers, forked from one that has imported their code.

Importing the grader costs more than grading a small submission. With pidfds (Linux), a
server imports it once, in a plain subprocess with one thread, and forks for each request;
elsewhere each process is an interpreter of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path

_PATIENCE = 2.0  # seconds for the server to notice that it is no longer needed
_CODE = "import sys; sys.path[:] = {path!r}; from harness.grading.engines import processes; "


def start(module: str) -> tuple[subprocess.Popen[bytes] | _ForkedProcess, Connection]:
    """Run `main(descriptor, parent)` of a module in a new process, and our end of the pipe whose
    other end has that descriptor; `parent` is the number of the process that waits for it. It leads
    a process group: Ctrl-C goes to the whole foreground group, and we decide its meaning. (To
    ignore it would be inherited by programs that a scenario interrupts.) It has our working
    directory, environment and processors. Raise OSError if no process can be started."""
    if not _can_fork():
        ours, theirs = multiprocessing.Pipe()
        with theirs:
            return _interpreter(f"processes.run({module!r}, %d)", theirs.fileno()), ours
    with _lock:
        try:
            return _running_server().fork(module)
        except (ConnectionError, EOFError):  # somebody ended it
            _end_server()
            return _running_server().fork(module)
        except BaseException:  # it may be in the middle of an answer
            _end_server()
            raise


def import_early(*modules: str) -> None:
    """Import the grader and these modules for later processes, while the caller does other work."""
    if _can_fork():
        with _lock, contextlib.suppress(OSError):
            _running_server().import_modules(modules)


def run(module: str, descriptor: int, parent: int | None = None) -> None:
    """Start as a new process: call the module's `main`."""
    importlib.import_module(module).main(descriptor, os.getppid() if parent is None else parent)


def _can_fork() -> bool:
    return hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")


def _interpreter(code: str, descriptor: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _CODE.format(path=sys.path) + code % descriptor],
        stdin=subprocess.DEVNULL,
        pass_fds=[descriptor],
        process_group=0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ForkRequest:
    """Import the modules; if one is to be `run`, fork a process that has these properties."""

    modules: tuple[str, ...]
    run: str = ""
    path: tuple[str, ...] = ()
    folder: str = ""
    environment: Mapping[str, str]
    processors: frozenset[int] = frozenset()


class _ForkedProcess:
    """A process that the server forked, with the methods of `subprocess.Popen`."""

    def __init__(self, pidfd: int) -> None:
        self._pidfd = pidfd

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> None:
        ended = select.poll()
        ended.register(self._pidfd, select.POLLIN)
        if not ended.poll(None if timeout is None else timeout * 1000):
            raise subprocess.TimeoutExpired("a worker", timeout or 0.0)
        os.close(self._pidfd)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, number)


class _ForkServer:
    """The client's side of the process that forks."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._connection, theirs = multiprocessing.Pipe()
        with theirs:
            self._process = _interpreter("processes.serve(%d)", theirs.fileno())

    def import_modules(self, modules: tuple[str, ...]) -> None:
        self._connection.send(_ForkRequest(modules=modules, environment={}))

    def fork(self, module: str) -> tuple[_ForkedProcess, Connection]:
        ours, theirs = multiprocessing.Pipe()
        folder = "/"
        with contextlib.suppress(OSError):  # ours may be gone
            folder = str(Path.cwd())
        request = _ForkRequest(
            modules=(module,),
            run=module,
            path=tuple(sys.path),
            folder=folder,
            environment=dict(os.environ),
            processors=frozenset(os.sched_getaffinity(0)),
        )
        try:
            with theirs:
                self._connection.send(request)
                send_handle(self._connection, theirs.fileno(), self._process.pid)
            if failure := self._connection.recv():
                raise OSError(failure)
            return _ForkedProcess(_received(self._connection)), ours
        except BaseException:
            ours.close()
            raise

    def close(self) -> None:
        """End it without its forks noticing."""
        self._connection.close()
        try:
            self._process.wait(_PATIENCE)
        except BaseException as error:
            self._process.kill()
            self._process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise


_lock = threading.Lock()
_server: _ForkServer | None = None


def _running_server() -> _ForkServer:
    global _server  # noqa: PLW0603  (one for this process, at first use)
    if _server is None or _server.owner != os.getpid():  # a fork of ours has its own
        _server = _ForkServer()
        atexit.register(_end_at_exit)
    return _server


def _end_at_exit() -> None:
    """End the server; a second Ctrl-C ends it at once, and this process ends anyway."""
    with contextlib.suppress(KeyboardInterrupt):
        _end_server()


def _end_server() -> None:
    global _server  # noqa: PLW0603
    if _server is not None and _server.owner == os.getpid():
        atexit.unregister(_end_at_exit)
        _server.close()
    _server = None


def serve(descriptor: int) -> None:
    """Run the server: fork for each request until the other end is closed. In a forked process this
    returns as well, when the process has done its work."""
    control = Connection(descriptor)
    signal.signal(signal.SIGCHLD, _reap)
    server = os.getpid()
    while True:
        try:
            request: _ForkRequest = control.recv()
            for name in request.modules:
                importlib.import_module(name)
            if not request.run:
                continue
            worker_end = _received(control)
            pid, pidfd, failure = _fork()
            if pid:
                os.close(worker_end)
                control.send(failure)
                if not failure:
                    send_handle(control, pidfd, 0)
                    os.close(pidfd)
                continue
        except (EOFError, OSError):  # nobody needs it any more
            _reap()
            os._exit(0)
        control.close()
        # The parent's settings, as a started interpreter would have them.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setpgid(0, 0)
        sys.path[:] = request.path
        os.environ.clear()
        os.environ.update(request.environment)
        time.tzset()
        with contextlib.suppress(OSError):  # the folder may be gone
            os.chdir(request.folder)
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, request.processors)
        run(request.run, worker_end, server)
        return


def _fork() -> tuple[int, int, str]:
    """Return the fork's number (0: this is the fork) and a pidfd for it, or -1 and the reason why
    there is none.
    """
    gc.freeze()  # a collection in a fork would copy all memory that it visits
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # reaped, it has no pidfd
    try:
        pid = os.fork()
        return (pid, os.pidfd_open(pid), "") if pid else (0, -1, "")
    except OSError as error:
        return -1, -1, error.strerror or str(error)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})


def _received(connection: Connection) -> int:
    """Return a descriptor that came over the connection; started programs do not inherit it."""
    descriptor = recv_handle(connection)
    os.set_inheritable(descriptor, False)
    return descriptor


def _reap(*_: object) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
