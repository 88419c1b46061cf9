"""The submission server: confined once, compiles the files, forks one child a scenario."""

from __future__ import annotations

import _socket
import gc
import marshal
import os
import select
import warnings
from _json import encode_basestring_ascii as quote
from functools import partial
from posix import WNOHANG, _exit, close, fork, setsid, wait4

from . import modules
from .limits import KernelLimits, kill_children
from .messages import frames
from .messages.frames import receive, send
from .modules import import_useful, load_tool
from .scenario.evaluate import CompiledStimulus
from .scenario.process import Files, ScenarioProcess
from .shared.facades import Facades
from .shared.run import SharedRun
from .stand_ins.calls import StandIns
from .warm_up import freeze_heap

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


class Server:
    """Serves a submission, a tool or the stand-ins of an assignment until its socket ends."""

    def __init__(self, sock: _socket.socket, setup: dict[str, Any], parent: int) -> None:
        self.sock = sock
        self.parent = parent
        self.pid = os.getpid()
        self.setup = setup
        self.confinement = setup["confinement"]
        self.child_filter: LoadedFilter | None = None
        self.files: dict[tuple[Any, ...], Files] = {}
        self.functions = frozenset(setup.get("functions", ()))
        self.submitted = modules.by_module_name(setup.get("files", []))
        self.tool: Callable[[str], str] | None = None
        self.stand_ins: StandIns | None = None
        self.limits = KernelLimits(
            self.confinement["rlimits"], limits_memory=self.confinement["limits_memory"]
        )

    def serve(self) -> None:
        """Confine, prepare, say "ready", then answer until the driver hangs up."""
        os.chdir(self.setup["directory"])
        listener = -1
        if confine is not None:
            if self.confinement["child_filter"]:
                self.child_filter = confine.LoadedFilter(self.confinement["child_filter"])
            listener = confine.confine(self.confinement, self.parent)
        frames.send_to_socket(self.sock, b"C", () if listener < 0 else (listener,))
        if listener >= 0:
            close(listener)
        self._prepare()
        frames.send_to_socket(self.sock, b"R")
        modules.hide_ours()
        freeze_heap()
        gc.disable()  # every fork would pay for what this process leaves to be looked at
        self.events = select.epoll()
        self.events.register(self.sock.fileno(), select.EPOLLIN)
        while True:
            message = frames.receive_from_socket(self.sock)
            if message is None:
                return
            payload, descriptors = message
            if descriptors:  # anything else came too late for the scenario it was about
                self._scenario(payload, *descriptors)

    def _prepare(self) -> None:
        """Compile the student's files under limits, and import what they are going to import."""
        warnings.simplefilter("ignore")
        if "tool" in self.setup:
            self.tool = load_tool(self.setup["tool"], self.setup["entry"])
            return
        if "stand_ins" in self.setup:
            self.stand_ins = StandIns(self.setup)
            return
        self.limits.allow_memory(self.setup["memory"])
        for source in self.submitted.values():
            source.try_to_compile()
        self.limits.allow_memory(0)
        import_useful(self.submitted, self.setup)
        self.facades = Facades()

    def _scenario(self, request: bytes, terminal: int, questions: int, answers: int) -> None:
        """Fork its process, which alone receives its job, by `questions`; wait for its end."""
        memory, controlled, selections = marshal.loads(request)
        files = self._select_files(selections)
        self.limits.allow_memory(memory)
        gc.freeze()
        pid = fork()
        if pid == 0:
            try:
                self._become_child(terminal, controlled=controlled)
                job = marshal.loads(receive(questions))
                if self.tool is not None:
                    send(answers, b"A", quote(self.tool(job)))
                    _exit(0)
                elif files and "shared" in job:
                    shared = SharedRun(job["shared"], files, self.functions, self.facades)
                    shared.run(terminal, questions, answers)
                elif self.stand_ins is not None:
                    for number in (0, 1, 2):
                        os.dup2(terminal, number)
                    self.stand_ins.run(job, partial(send, answers), partial(receive, questions))
                elif files:
                    stimulus = CompiledStimulus(marshal.loads(job["stimulus"]))
                    process = ScenarioProcess(job, stimulus, files[0], self.functions)
                    process.run(terminal, questions, answers)
            finally:
                _exit(70)
        for number in (terminal, questions, answers):
            close(number)
        status, cpu = self._wait_for(pid)
        if self.confinement["looks_for_orphans"]:
            kill_children(set())
        frames.send_to_socket(self.sock, b"E %d %d" % (status, cpu))

    def _become_child(self, terminal: int, *, controlled: bool) -> None:
        gc.enable()
        self.events.close()
        self.sock.close()
        if controlled:  # it costs a twentieth of a short scenario, and only Ctrl-C needs it
            os.login_tty(os.dup(terminal))
        else:
            setsid()
        if confine is not None and self.confinement["dies_with_parent"]:
            confine.die_with_parent(self.pid)
        if self.child_filter is not None:
            self.child_filter.load()

    def _select_files(self, selections: list[tuple[Any, ...]]) -> list[Files]:
        """The files of each of these, compiled once for all scenarios that share them."""
        new = [each for each in selections if each not in self.files]
        if new:
            # The student's may be among them, changed.
            self.limits.allow_memory(self.setup["memory"])
            for each in new:
                self.files[each] = Files(each, self.setup, self.submitted)
            freeze_heap()
        return [self.files[each] for each in selections]

    def _wait_for(self, pid: int) -> tuple[int, int]:
        """The child's wait status and CPU time in microseconds. Meanwhile "?" is answered by its
        process id, "K" kills it; when the driver hangs up it is killed and this process ends."""
        known_by = (os.pidfd_open(pid),) if _HAS_PIDFD else ()
        for number in known_by:
            self.events.register(number, select.EPOLLIN)
        while True:
            ready = dict(self.events.poll(None if known_by else _LOOK))
            ended, status, usage = wait4(pid, WNOHANG)
            if ended:
                break
            if self.sock.fileno() in ready:
                self._obey(pid, known_by)
        for number in known_by:
            close(number)
        return status, int((usage.ru_utime + usage.ru_stime) * 1e6)

    def _obey(self, pid: int, known_by: tuple[int, ...]) -> None:
        message = frames.receive_from_socket(self.sock)
        if message is None:
            os.kill(pid, 9)
            _exit(0)
        if message[0] == b"K":
            os.kill(pid, 9)
        elif message[0] == b"?":
            frames.send_to_socket(self.sock, b"P %d" % pid, known_by)
