"""The base server: a slim interpreter, started once, that forks a server for each submission.

It never reads a byte of a submission: what it reads, every later child inherits. One of the
servers that it forks, the reader, compiles stimuli and never has a byte of a submission either.
"""

# ruff: noqa: PTH112

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import _socket
import marshal
import os
import sys
from posix import _exit, fork

from . import clock
from .limits import kill_children
from .messages import frames
from .modules import complete_interpreter
from .scenario.evaluate import CompiledStimulus, compile_stimulus, packed_literal
from .server import Server
from .warm_up import freeze_heap, warm_up

try:
    from . import confine
except ImportError:  # no ctypes: the portable tier does without
    confine = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HAS_PIDFD = hasattr(os, "pidfd_open")


def serve(control: int, setup: dict[str, Any]) -> None:
    """Serve until the driver hangs up."""
    complete_interpreter()
    _hear_signals()
    library: list[str] = []
    sys.path.extend(setup["more_modules"])
    if confine is not None:
        confine.apply_prctls(setup["prctls"])
        if setup["dies_with_parent"]:  # others may hold the driver's end of our socket
            confine.die_with_parent()
    if setup["confined"]:
        library = _reach_the_library_through_descriptors()
    for name in setup["preload"]:
        __import__(name)
    if setup["clock_offset"]:
        clock.move(setup["clock_offset"])
    os.environ.clear()
    os.environ.update(setup["environment"])
    sock = _socket.socket(fileno=control)
    warm_up()
    freeze_heap()
    frames.send_to_socket(sock, b"ready")
    servers: set[int] = set()
    while True:
        message = frames.receive_from_socket(sock)
        if message is None:
            kill_children(set())
            _exit(0)
        request, descriptors = marshal.loads(message[0]), message[1]
        if "end" in request:
            servers.discard(request["end"])
            kill_children(servers)
            frames.send_to_socket(sock, b"ended")
        else:
            dies = setup["dies_with_parent"]
            servers.add(_start_server(sock, library, descriptors, dies=dies))


def _start_server(
    sock: _socket.socket, library: list[str], descriptors: list[int], *, dies: bool
) -> int:
    """Fork a server, which receives its setup itself: what this process reads, even if it is
    freed since, lies in the memory of every later server."""
    own_pid = os.getpid()
    pid = fork()
    if pid == 0:
        try:
            if dies and confine is not None:
                confine.die_with_parent(own_pid)
            sock.close()
            own = _socket.socket(fileno=descriptors[0])
            message = frames.receive_from_socket(own)
            if message is not None:
                setup = marshal.loads(message[0])
                if setup == frames.READER_SETUP:
                    serve_reader(own)
                else:
                    setup["confinement"]["readable"] += library
                    Server(own, setup, own_pid).serve()
        except BaseException as error:  # the driver reads it from the terminal of the base
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            _exit(1)
        _exit(0)
    # The driver may have another number for it.
    known_by = (os.pidfd_open(pid),) if _HAS_PIDFD else ()
    frames.send_to_socket(sock, b"%d" % pid, known_by)
    for number in (*descriptors, *known_by):
        os.close(number)
    return pid


def _hear_signals() -> None:
    """Every signal as in an interpreter that a person started: a job in the background of a
    script, or under nohup, ignores some, and whatever it starts would."""
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    for number in _signal.valid_signals() - {_signal.SIGPIPE, _signal.SIGXFSZ}:
        if _signal.getsignal(number) == _signal.SIG_IGN:
            _signal.signal(number, _signal.SIG_DFL)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def _reach_the_library_through_descriptors() -> list[str]:
    """Let `sys.path` lead through open descriptors of the library's directories, and give their own
    names. A user without rights may import from them later, even where the interpreter lies below a
    directory that only root may enter: nothing is copied, mounted, or kept as a capability."""
    moved: dict[str, str] = {}
    for place in sys.path:
        if os.path.isdir(place):
            number = os.open(place, os.O_PATH | os.O_CLOEXEC)
            moved[place] = f"/proc/self/fd/{number}"
    sys.path[:] = list(moved.values())
    sys.path_importer_cache.clear()
    longest_first = sorted(moved, key=len, reverse=True)
    for module in list(sys.modules.values()):
        path = getattr(module, "__path__", None)
        if type(path) is list:
            for index, place in enumerate(path):
                above = [old for old in longest_first if f"{place}/".startswith(f"{old}/")]
                if above:
                    path[index] = moved[above[0]] + place[len(above[0]) :]
    return longest_first


def serve_reader(sock: _socket.socket) -> None:
    """Answer a stimulus's texts by how many positional arguments its call has (None: it is no plain
    call) and the compiled stimulus, and a list of literals by each of them compiled, until the
    driver hangs up."""
    while True:
        message = frames.receive_from_socket(sock)
        if message is None:
            return
        asked = marshal.loads(message[0])
        answer: object
        if type(asked) is list:
            answer = [packed_literal(text) for text in asked]
        else:
            functions, *texts = asked
            parts = compile_stimulus(frozenset(functions), *texts)
            answer = CompiledStimulus(parts).arguments, marshal.dumps(parts)
        frames.send_to_socket(sock, marshal.dumps(answer, 2))
