"""The zygote: a small interpreter, started once, that forks a server for each submission.

It never reads a byte of a submission, because every process forked later would have that byte in
its memory. One of the servers, the compile worker, compiles stimuli and never has a byte of a
submission either. A submission's server is confined once, compiles the files, and forks one process
for each scenario.
"""

# ruff: noqa: PTH112

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import _socket
import gc
import marshal
import os
import select
import sys
from _json import encode_basestring_ascii as quote
from functools import partial
from posix import WNOHANG, _exit, close, fork, setsid, wait4

from . import clock
from .limits import KernelLimits, kill_children
from .messages import frames
from .messages.frames import receive, send
from .messages.protocol import (
    COMPILE_WORKER_SETUP,
    ForkRequest,
    FromCompileWorker,
    FromServer,
    FromTool,
    FromZygote,
    ProcessLimits,
    SharedRunJob,
    ToCompileWorker,
    ToServer,
    ToZygote,
    decode_job,
    split,
)
from .modules import (
    begin_path_with_a_folder,
    complete_interpreter,
    hide_ours,
    import_packages,
    import_useful,
    load_tests,
    load_tool,
)
from .preload import freeze_heap, preload
from .scenario import figures
from .scenario.evaluate import CompiledStimulus, compile_stimulus, packed_literal
from .scenario.process import Program, ScenarioProcess, packed_modules
from .shared.facades import Facades
from .shared.run import SharedRun
from .stand_ins.calls import StandIns

try:
    from . import confine
except ImportError:  # no ctypes: the portable tier does without
    confine = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .confine import LoadedFilter

_HAS_PIDFD = hasattr(os, "pidfd_open")
_LOOK = 0.002  # seconds between two looks at a child that has no descriptor


def serve(control: int, setup: dict[str, Any]) -> None:
    """Answer the driver's requests until it closes the connection."""
    complete_interpreter()
    begin_path_with_a_folder()
    _hear_signals()
    library: list[str] = []
    sys.path.extend(setup["more_modules"])
    if confine is not None:
        confine.apply_prctls(setup["prctls"])
        if setup["dies_with_parent"]:  # others may hold the driver's end of our socket
            confine.die_with_parent()
    if setup["confined"]:
        library = _reach_the_library_through_descriptors()
    __import__("typing")
    if setup["more_modules"]:
        import_packages()
        figures.prepare_if_installed()
    if setup["clock_offset"]:
        clock.move(setup["clock_offset"])
    os.environ.clear()
    os.environ.update(setup["environment"])
    sock = _socket.socket(fileno=control)
    preload()
    freeze_heap()
    frames.send_to_socket(sock, FromZygote.READY)
    servers: set[int] = set()
    while True:
        if (message := frames.receive_from_socket(sock)) is None:
            kill_children(set())
            _exit(0)
        request, descriptors = message
        kind, number = split(request)
        if kind == ToZygote.END:
            servers.discard(int(number))
            kill_children(servers)
            frames.send_to_socket(sock, FromZygote.ENDED)
        else:
            servers.add(_start_server(sock, library, descriptors, dies=setup["dies_with_parent"]))


def _start_server(
    sock: _socket.socket, library: list[str], descriptors: list[int], *, dies: bool
) -> int:
    """Fork a server.

    It reads its setup itself: bytes read in this process would lie in the memory of every later
    server, even after they are freed.
    """
    own_pid = os.getpid()
    if (pid := fork()) == 0:
        try:
            if dies and confine is not None:
                confine.die_with_parent(own_pid)
            sock.close()
            server_socket = _socket.socket(fileno=descriptors[0])
            if (message := frames.receive_from_socket(server_socket)) is not None:
                setup = marshal.loads(message[0])
                if setup == COMPILE_WORKER_SETUP:
                    serve_compile_worker(server_socket)
                else:
                    setup["confinement"]["readable"] += library
                    Server(server_socket, setup, own_pid).serve()
        except BaseException as error:  # the driver reads it from the zygote's terminal
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            _exit(1)
        _exit(0)
    # The driver may have another number for it.
    known_by = (os.pidfd_open(pid),) if _HAS_PIDFD else ()
    frames.send_to_socket(sock, FromZygote.STARTED + b"%d" % pid, known_by)
    for number in (*descriptors, *known_by):
        os.close(number)
    return pid


def _hear_signals() -> None:
    """Reset every signal to the state that it has in an interpreter started by a person.

    Background jobs of a script, and jobs under nohup, ignore some signals, and their children
    inherit that.
    """
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    for number in _signal.valid_signals() - {_signal.SIGPIPE, _signal.SIGXFSZ}:
        if _signal.getsignal(number) == _signal.SIG_IGN:
            _signal.signal(number, _signal.SIG_DFL)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def _reach_the_library_through_descriptors() -> list[str]:
    """Make `sys.path` lead through open descriptors of the library's folders; return the folders'
    own paths.

    A user without rights may then import from them even if the interpreter lies below a folder that
    only root may enter. Nothing is copied or mounted, and no capability is kept.
    """
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


def serve_compile_worker(sock: _socket.socket) -> None:
    """Compile stimuli, literals and the course's modules until the driver closes the connection.

    The answer for a stimulus has the functions that it needs, the number of positional arguments of
    its call (None if it is not a plain call), and its code. The other answers have only code.
    """
    while True:
        if (message := frames.receive_from_socket(sock)) is None:
            return
        kind, body = split(message[0])
        asked = marshal.loads(body)
        answer: object
        if kind == ToCompileWorker.LITERALS:
            answer = [packed_literal(text) for text in asked]
        elif kind == ToCompileWorker.MODULES:
            answer = packed_modules(asked)
        else:
            functions, *texts = asked
            parts = compile_stimulus(frozenset(functions), *texts)
            compiled = CompiledStimulus(parts)
            answer = compiled.needs, compiled.arguments, marshal.dumps(parts)
        frames.send_to_socket(sock, FromCompileWorker.COMPILED + marshal.dumps(answer, 2))


class Server:
    """A process that serves a submission, a tool, or an assignment's stand-ins, until its socket
    is closed.
    """

    def __init__(self, sock: _socket.socket, setup: dict[str, Any], parent: int) -> None:
        self.sock = sock
        self.parent = parent
        self.pid = os.getpid()
        self.setup = setup
        self.confinement = setup["confinement"]
        self.filters: dict[str, LoadedFilter] = {}  # for processes of scenarios
        self.tool: Callable[[str], str] | None = None
        self.stand_ins: StandIns | None = None
        self.tests: Any = None  # a `CourseTestSuite`, which only such a server is sent
        self.limits = KernelLimits(self.confinement)
        self.loading_limits: ProcessLimits | None = None  # while it loads what others wrote
        if setup.get("limits"):
            self.loading_limits = ProcessLimits(**setup["limits"])

    def serve(self) -> None:
        """Apply the confinement, prepare, report "ready", then answer requests until the driver
        closes the connection.
        """
        os.chdir(self.setup["directory"])
        listener = -1
        if confine is not None:
            for name in ("child_filter", "shared_filter"):
                if self.confinement[name]:
                    self.filters[name] = confine.LoadedFilter(self.confinement[name])
            listener = confine.confine(self.confinement, self.parent)
        frames.send_to_socket(self.sock, FromServer.CONFINED, () if listener < 0 else (listener,))
        if listener >= 0:
            close(listener)
        self._prepare()
        frames.send_to_socket(self.sock, FromServer.READY)
        hide_ours()
        freeze_heap()
        gc.disable()  # every fork would pay for this process's garbage
        self.events = select.epoll()
        self.events.register(self.sock.fileno(), select.EPOLLIN)
        while True:
            if (message := frames.receive_from_socket(self.sock)) is None:
                return
            request, descriptors = message
            kind, body = split(request)
            if kind == ToServer.FORK:  # anything else came too late for the scenario it was about
                self._scenario(ForkRequest.decode(body), *descriptors)

    def _prepare(self) -> None:
        """Compile the student's files under limits, and import the modules that they will
        import."""
        if "tool" in self.setup:
            self.tool = load_tool(self.setup["tool"], self.setup["entry"])
        elif "stand_ins" in self.setup:
            self.stand_ins = StandIns(self.setup)
        elif "tests" in self.setup:
            self.limits.keep(self.loading_limits)
            self.tests = load_tests(self.setup)
            self.limits.keep(None)
        else:
            self.limits.keep(self.loading_limits)
            self.program = Program(self.setup)
            self.limits.keep(None)
            import_useful(self.program.submitted, self.setup)
            self.facades = Facades()

    def _scenario(self, request: ForkRequest, terminal: int, questions: int, answers: int) -> None:
        """Fork a scenario's process and wait until it ends.

        Only that process receives the job, through `questions`.
        """
        selection = request.selection
        if selection is not None and selection not in self.program.known:
            self.limits.keep(self.loading_limits)
            self.program.files(selection)
            freeze_heap()
        self.limits.keep(request.limits)
        gc.freeze()
        if (pid := fork()) == 0:
            try:
                self._become_child(terminal, controlled=request.controlled)
                job = decode_job(receive(questions))
                # Before a byte of the submission runs; the job is the driver's word.
                is_shared = type(job) is SharedRunJob
                self._load_filter("shared_filter" if is_shared else "child_filter")
                if self.tool is not None:
                    send(answers, FromTool.ANSWER, quote(self.tool(job.payload)))
                    _exit(0)
                elif self.tests is not None:
                    self.tests.run(job, partial(send, answers), partial(receive, questions))
                elif self.stand_ins is not None:
                    self.stand_ins.run(job, partial(send, answers), partial(receive, questions))
                elif is_shared:
                    SharedRun(job, self.program, self.facades).run(questions, answers)
                else:
                    ScenarioProcess(job, self.program).run(terminal, questions, answers)
            finally:
                _exit(70)
        for number in (terminal, questions, answers):
            close(number)
        status, cpu = self._wait_for(pid)
        if self.confinement["looks_for_orphans"]:
            kill_children(set())
        frames.send_to_socket(self.sock, FromServer.ENDED + b"%d %d" % (status, cpu))

    def _become_child(self, terminal: int, *, controlled: bool) -> None:
        gc.enable()
        self.events.close()
        self.sock.close()
        if controlled:  # it costs a twentieth of a short scenario, and only Ctrl-C needs it
            os.login_tty(os.dup(terminal))
        else:
            setsid()
        for number in (0, 1, 2):
            os.dup2(terminal, number)
        if confine is not None and self.confinement["dies_with_parent"]:
            confine.die_with_parent(self.pid)

    def _load_filter(self, name: str) -> None:
        if name in self.filters:
            self.filters[name].load()

    def _wait_for(self, pid: int) -> tuple[int, int]:
        """Wait for the child. Return its wait status and its CPU time in microseconds.

        Meanwhile the driver may ask for the child's process id or have it killed. If the driver
        closes the connection, the child is killed.
        """
        known_by = (os.pidfd_open(pid),) if _HAS_PIDFD else ()
        for number in known_by:
            self.events.register(number, select.EPOLLIN)
        while True:
            ready = dict(self.events.poll(None if known_by else _LOOK))
            ended, status, usage = wait4(pid, WNOHANG)
            if ended:
                break
            if self.sock.fileno() not in ready:
                continue
            if (message := frames.receive_from_socket(self.sock)) is None:
                os.kill(pid, 9)
                _exit(0)
            if message[0] == ToServer.KILL:
                os.kill(pid, 9)
            elif message[0] == ToServer.TELL_PID:
                frames.send_to_socket(self.sock, FromServer.PID + b"%d" % pid, known_by)
        for number in known_by:
            close(number)
        return status, int((usage.ru_utime + usage.ru_stime) * 1e6)
