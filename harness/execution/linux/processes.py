"""The driver's view of its processes: the zygote, the servers forked from it (one of them compiles
stimuli), and the channel to a scenario's process.

Also reads the kernel's data about a process: that it wants to read (seccomp user notification), its
id in another namespace, its CPU time and its time asleep.
"""

from __future__ import annotations

import errno
import fcntl
import marshal
import os
import select
import socket
import struct
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.execution.confinement import Confinement
from harness.execution.confinement.layers.seccomp import ReportedCall, asked_by
from harness.execution.inside.messages import frames
from harness.execution.inside.messages.protocol import (
    COMPILE_WORKER_SETUP,
    FromServer,
    FromZygote,
    ScenarioJob,
    Selection,
    ToCompileWorker,
    ToSharedRun,
    ToZygote,
    split,
)
from harness.execution.interpreter import Interpreter
from harness.execution.linux.pexpect_terminal import Terminal
from harness.execution.metering import own_queued, queued
from harness.execution.protocol.answers import StimulusFacts
from harness.execution.protocol.jobs import (
    FLAGS,
    INNER_ENVIRONMENT,
    INSIDE,
    LOADER,
    environment,
    inside_modules,
)
from harness.execution.protocol.observation import ProcessExit
from harness.execution.protocol.screen import plain_screen

_RECEIVE = 0xC0502100
_SEND = 0xC0182101
_SET_FLAGS = 0x40082104
_SYNCHRONOUS_WAKE_UP = 1
_CONTINUE = 1


# A struct seccomp_notif: its id, who asks, flags; the call's number, the architecture, where in the
# program, and six arguments.
_ASKED = struct.Struct("=QI4xi4x8x6Q")


@dataclass(frozen=True, slots=True)
class CallQuestion:
    """A system call that a process wants to make: its number `call` and its arguments.

    The process waits for our answer.
    """

    number: int
    asked: ReportedCall
    pid: int
    call: int
    arguments: tuple[int, ...]


class Listener:
    """The listener descriptor of a seccomp filter, from which questions about system calls are
    read. This object owns the descriptor.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        with suppress(OSError):  # from Linux 6.6 on; it only saves time
            fcntl.ioctl(descriptor, _SET_FLAGS, _SYNCHRONOUS_WAKE_UP)

    def receive(self) -> CallQuestion | None:
        """Return the next question; None if the asking process has ended."""
        asked = bytearray(_ASKED.size)
        try:
            fcntl.ioctl(self.descriptor, _RECEIVE, asked)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                return None
            raise
        question, pid, call, *arguments = _ASKED.unpack(asked)
        why = asked_by(call, arguments)
        return CallQuestion(question, why, pid, call, tuple(arguments))

    def let_go_on(self, question: CallQuestion) -> None:
        """Permit the system call.

        Do nothing if the process ended meanwhile or a signal interrupted the call.
        """
        try:
            fcntl.ioctl(
                self.descriptor, _SEND, struct.pack("=QqiI", question.number, 0, 0, _CONTINUE)
            )
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EINPROGRESS):
                raise

    def close(self) -> None:
        """Close the descriptor.

        The kernel then refuses every further call that would be reported.
        """
        os.close(self.descriptor)


class GoneError(HarnessError):
    """Raised if a process ended before we could find its process id."""


def resolve_pid(number: int, descriptors: list[int]) -> int:
    """Return the process id, in our namespace, of a process that another process named by its own
    `number`.

    Use the pidfd in `descriptors` if there is one, because the numbers differ between namespaces;
    otherwise use `number`. Close the descriptors. Raise GoneError if the process has already ended.
    """
    if not descriptors:
        return number
    try:
        lines = Path(f"/proc/self/fdinfo/{descriptors[0]}").read_text("ascii").splitlines()
        known = [int(line.split()[1]) for line in lines if line.startswith("Pid:")]
    except OSError:
        return number
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    if not known or known[0] <= 0:
        raise GoneError("one of our processes ended as it started")
    return known[0]


_SCHEDULED = 2  # the kernel's name for "CPU time by the scheduler" in a clock id
_LOADED_MACHINE = 10  # without the kernel's count: how much slower than real time a CPU second is
_STATE, _BORN = 0, 19  # places in /proc/PID/stat after the name


class ProcessClock:
    """Reads another process's CPU time and time asleep, in seconds.

    After the process ends, the values stay the same.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._clock = (~pid << 3) | _SCHEDULED
        self._schedstat = Path(f"/proc/{pid}/schedstat")
        self._stat = Path(f"/proc/{pid}/stat")
        self._cpu = 0.0
        self._asleep = 0.0
        self._own_queued = own_queued()

    def cpu(self) -> float:
        with suppress(OSError):
            self._cpu = time.clock_gettime(self._clock)
        return self._cpu

    def asleep(self, elapsed: float) -> float:
        """Return how many of the last `elapsed` seconds the process slept: it neither ran nor
        waited for a CPU or for us.
        """
        cpu = self.cpu()
        if (in_queue := queued(self._schedstat)) is None:
            return elapsed / _LOADED_MACHINE
        age, runnable = elapsed, False
        with suppress(OSError, ValueError, IndexError):
            fields = self._stat.read_text("utf-8", "replace").rpartition(")")[2].split()
            born = int(fields[_BORN]) / os.sysconf("SC_CLK_TCK")
            age = time.clock_gettime(time.CLOCK_BOOTTIME) - born
            runnable = fields[_STATE] == "R"
        # The kernel counts the present wait for a CPU only after the wait has ended.
        if not runnable:
            ours = own_queued() - self._own_queued
            self._asleep = min(elapsed, age) - cpu - in_queue - ours
        return self._asleep


_PATIENCE = 30.0  # seconds for our own processes to answer, under any load
_PROGRAM = f"""\
{LOADER}
import _socket
control = int(sys.argv[1])
sock = _socket.socket(fileno=control)
modules, setup = message(sock.recv)
sock.detach()
package = load(modules, () if setup["confined"] else ("confine",))
package.zygote.serve(control, setup)
"""


@dataclass(slots=True)
class ServerProcess:
    """A server forked from the zygote, and its control socket.

    `pid` is its process id here; `inside` is the zygote's id for it, which differs if the zygote is
    in a namespace.
    """

    pid: int
    inside: int
    control: socket.socket

    def send(self, message: bytes, descriptors: tuple[int, ...] = ()) -> None:
        """Send a short message to the server. Raise HarnessError if it has ended."""
        try:
            frames.send_to_socket(self.control, message, descriptors)
        except OSError:
            raise HarnessError("the process that runs a submission ended unexpectedly") from None

    def receive(self) -> tuple[bytes, list[int]]:
        """Return the server's next message and the descriptors sent with it.

        Raise HarnessError if the server has ended. If one of our signals interrupts a message,
        treat the server as ended, because the rest could be mistaken for the next message.
        """
        try:
            message = frames.receive_from_socket(self.control)
        except (OSError, EOFError):
            message = None
        except BaseException:
            self.control.close()
            raise
        if message is None:
            raise HarnessError("the process that runs a submission ended unexpectedly")
        return message

    def hear(self) -> ProcessExit | ProcessClock | None:
        """Read the server's next message.

        Return a `ProcessExit` if a scenario's process has ended, its `ProcessClock` if we asked for
        that, otherwise None. Raise HarnessError if the server has ended.
        """
        message, descriptors = self.receive()
        kind, body = split(message)
        if kind == FromServer.ENDED:
            status, microseconds = body.split()
            code = os.waitstatus_to_exitcode(int(status))
            return ProcessExit(code=code, cpu_seconds=int(microseconds) * 1e-6)
        with suppress(GoneError):  # the news of its end is on its way
            if kind == FromServer.PID:
                return ProcessClock(resolve_pid(int(body), descriptors))
        return None


class ZygoteProcess:
    """Starts the zygote, has it fork servers, and ends them all."""

    def __init__(
        self,
        interpreter: Interpreter,
        confinement: Confinement,
        directory: str,
        *,
        hash_seed: int,
        clock_offset: int,
    ) -> None:
        modules = inside_modules(interpreter, INSIDE)
        self.boot_pty = Terminal(plain_screen())
        self._control, theirs = socket.socketpair()
        slave = self.boot_pty.slave
        command = [str(interpreter.path), *FLAGS, "-c", _PROGRAM, str(theirs.fileno())]
        confined = confinement.for_zygote(interpreter.more_modules)
        try:
            self._process = subprocess.Popen(
                confinement.wrapped(command, directory, confined),
                stdin=slave,
                stdout=slave,
                stderr=slave,
                pass_fds=(theirs.fileno(),),
                env=environment(hash_seed),
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            self._control.close()
            self.boot_pty.close()
            raise HarnessError(f"{interpreter.path} did not start: {error.strerror}") from None
        finally:
            theirs.close()
        self._control.settimeout(_PATIENCE)
        setup = {"clock_offset": clock_offset, "environment": INNER_ENVIRONMENT}
        self._ask(marshal.dumps((modules, asdict(confined) | setup), 2), FromZygote.READY)

    def start_server(self, setup: dict[str, Any]) -> ServerProcess:
        """Have a server forked with this setup. Raise HarnessError if the zygote does not
        answer."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                number, descriptors = self._ask(ToZygote.START, FromZygote.STARTED, theirs.fileno())
                pid = resolve_pid(int(number), descriptors)
            ours.settimeout(_PATIENCE)
            # Sent directly to the server: the zygote must not see the setup.
            frames.send_to_socket(ours, marshal.dumps(setup, 2))
        except BaseException as error:
            ours.close()
            if isinstance(error, OSError | HarnessError):
                raise HarnessError(f"a submission's process did not start: {error}") from None
            raise
        return ServerProcess(pid, int(number), ours)

    def end_server(self, server: ServerProcess) -> None:
        """End a server and all below it, and wait until it is gone."""
        server.control.close()
        try:
            self._ask(ToZygote.END + b"%d" % server.inside, FromZygote.ENDED)
        except HarnessError:
            self._process.kill()  # its forks die with it

    def check_alive(self) -> None:
        """Raise HarnessError if the zygote has ended; all its forks end with it."""
        self._ask(ToZygote.END + b"0", FromZygote.ENDED)

    def complaint(self) -> str:
        """Return the last line that our own code printed on the zygote's terminal, escaped for use
        in a message.
        """
        self.boot_pty.drain(1 << 20)
        lines = bytes(self.boot_pty.screen.raw).decode("utf-8", "replace").splitlines()
        return visible(lines[-1][:300]) if lines else ""

    def close(self) -> None:
        self._control.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.boot_pty.close()

    def _ask(
        self, request: bytes, expected: FromZygote, *descriptors: int
    ) -> tuple[bytes, list[int]]:
        """Send a request. Return the body of the answer and the descriptors sent with it.

        If one of our signals interrupts the answer, end the zygote, because the rest could be
        mistaken for the next answer.
        """
        try:
            frames.send_to_socket(self._control, request, descriptors)
            answer = frames.receive_from_socket(self._control)
        except (OSError, EOFError):
            answer = None
        except BaseException:
            self._process.kill()
            raise
        if answer is None:
            raise HarnessError(f"the process that starts submissions ended: {self.complaint()}")
        message, descriptors_back = answer
        kind, body = split(message)
        if kind != expected:
            raise HarnessError("the process that starts submissions gave a wrong answer")
        return body, descriptors_back


class StimulusCompiler:
    """Compiles stimuli for a driver in the compile worker, a process without any submission.

    Each text is compiled once.
    """

    def __init__(self, zygote: ZygoteProcess) -> None:
        self._zygote = zygote
        self._worker: ServerProcess | None = zygote.start_server(COMPILE_WORKER_SETUP)
        self._answers: dict[tuple[object, ...], tuple[StimulusFacts, bytes]] = {}
        self._literals: dict[str, bytes] = {}
        self._modules: dict[object, list[bytes]] = {}

    def compile(
        self, job: ScenarioJob, functions: tuple[str, ...]
    ) -> tuple[ScenarioJob, StimulusFacts]:
        """Compile as `ProcessServer.compile` does.

        Raise HarnessError if our own machinery fails.
        """
        if job.texts is None:
            raise HarnessError("a scenario's code is compiled twice")
        key = (functions, *job.texts)
        if key not in self._answers:
            needs, arguments, code = self._ask(ToCompileWorker.STIMULUS, key)
            self._answers[key] = StimulusFacts(frozenset(needs), arguments), code
        facts, stimulus = self._answers[key]
        self.read_ahead(literal for _, literal in job.bindings)
        bindings = [(name, self._literals[literal]) for name, literal in job.bindings]
        return job.replaced(texts=None, stimulus=stimulus, bindings=bindings), facts

    def read_ahead(self, literals: Iterable[str]) -> None:
        """Compile these literals all at once, so that `compile` finds them ready."""
        new = list(dict.fromkeys(literal for literal in literals if literal not in self._literals))
        if new:
            self._literals |= zip(new, self._ask(ToCompileWorker.LITERALS, new), strict=True)

    def loading_message(self, selection: Selection) -> bytes:
        """Return the message that makes a process for many scenarios load a program with the files
        of this selection.
        """
        own_files = selection[0]
        packed: list[bytes] = []
        if own_files is not None:
            if own_files not in self._modules:
                self._modules[own_files] = self._ask(ToCompileWorker.MODULES, own_files)
            packed = self._modules[own_files]
        return frames.framed(ToSharedRun.LOAD + marshal.dumps((selection, packed), 2))

    def close(self) -> None:
        if self._worker is not None:
            self._zygote.end_server(self._worker)
            self._worker = None

    def _ask(self, kind: ToCompileWorker, texts: Any) -> Any:
        if self._worker is None:
            self._worker = self._zygote.start_server(COMPILE_WORKER_SETUP)
        try:
            self._worker.send(kind + marshal.dumps(texts, 2))
            answer, _ = self._worker.receive()
        except HarnessError:
            self.close()
            raise HarnessError(
                f"a scenario's code was not compiled: {self._zygote.complaint()}"
            ) from None
        return marshal.loads(split(answer)[1])


CHUNK = 1 << 16  # bytes taken at once at most


class ScenarioChannel:
    """The connection to one scenario's process.

    Messages to the process go through a pipe; a socket would wake it twice for each message.
    Replies come through a socket pair: unlike a pipe, it cannot be opened a second time to read
    replies back. Only the scenario's process holds the other ends, so it cannot write replies in
    the name of another, and its job does not pass through its server.
    """

    def __init__(self) -> None:
        self._heard, self._says = socket.socketpair()
        self._told, self._tell = os.pipe()
        os.set_blocking(self._tell, False)
        self._heard.setblocking(False)
        # By which a process's descriptors are known to be its ends of these.
        self.inodes = frozenset(os.fstat(end).st_ino for end in self.process_ends)

    def fileno(self) -> int:
        return self._heard.fileno()

    @property
    def process_ends(self) -> tuple[int, int]:
        """Return the descriptors that the scenario's process reads from and writes to."""
        return self._told, self._says.fileno()

    def send(self, message: bytes) -> None:
        """Send a message to the process. The first call also closes our copies of the process's
        ends.

        Do nothing if the process has ended. Raise HarnessError if it does not read.
        """
        self.send_framed(frames.framed(message))

    def send_framed(self, data: bytes) -> None:
        """Send bytes that already begin with the message's length; otherwise as `send`."""
        if self._told >= 0:
            self._give_up_process_ends()
        while data:
            try:
                written = os.write(self._tell, data)
                if written == len(data):
                    return
                data = data[written:]
            except BlockingIOError:
                events = select.poll()
                events.register(self._tell, select.POLLOUT)
                if not events.poll(1000 * _PATIENCE):
                    raise HarnessError("a scenario's process does not take its job") from None
            except OSError:  # it has ended: its server tells how
                return

    def wait_in_kernel(self, seconds: float) -> None:
        """Make `receive` wait in the kernel for up to so many seconds.

        Call this before the first `receive`.
        """
        self._heard.setblocking(True)
        timeval = struct.pack("ll", int(seconds), int(seconds % 1 * 1e6))
        self._heard.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, timeval)

    def receive(self) -> bytes | None:
        """Return bytes from the process: empty if it has ended, None if none came in time."""
        try:
            return self._heard.recv(CHUNK)
        except BlockingIOError:
            return None
        except OSError:  # ended with something unread, after its last words
            return b""

    def read(self) -> bytes:
        """Return up to 64 KiB that the process wrote: empty if there are none yet or it
        has ended.
        """
        try:
            return os.read(self._heard.fileno(), CHUNK)
        except OSError:  # BlockingIOError; or ended with something unread, after its last words
            return b""

    def close(self) -> None:
        self._give_up_process_ends()
        if self._tell >= 0:
            os.close(self._tell)
            self._tell = -1
        self._heard.close()

    def _give_up_process_ends(self) -> None:
        if self._told >= 0:
            self._says.close()
            os.close(self._told)
            self._told = -1
