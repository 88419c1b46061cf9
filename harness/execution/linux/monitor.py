"""Watches a process until it ends, and checks its limits at every event.

A scenario's process gets a typed line when it asks for one; a process that runs many scenarios gets
one question at a time.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from harness.common.errors import HarnessError
from harness.common.escaping import plain
from harness.common.logs import logger_of
from harness.execution.confinement.layers.seccomp import ReportedCall
from harness.execution.folder import SECONDS_BETWEEN_LOOKS, TOO_FULL
from harness.execution.inside.messages.frames import HEAD
from harness.execution.inside.messages.protocol import (
    USUAL_FILES,
    FromScenario,
    FromSharedRun,
    SharedRunJob,
    ToServer,
    ToSharedRun,
    split,
)
from harness.execution.linux.blocked import waits_for_its_own, waits_for_itself
from harness.execution.linux.pexpect_terminal import Terminal
from harness.execution.linux.processes import (
    CHUNK,
    CallQuestion,
    ProcessClock,
    ScenarioChannel,
    ServerProcess,
)
from harness.execution.protocol.observation import ProcessExit
from harness.execution.protocol.replies import FrameBuffer, TamperedError, is_one_frame
from harness.execution.scenario_monitor import ScenarioMonitor
from harness.execution.sharing import CPU_SHARE, SharedGroup, ShouldRetain
from harness.model.observation import Ending, Filled
from harness.model.stimulus import Limits, Typed

if TYPE_CHECKING:
    from harness.execution.linux.driver import ServerLink

_log = logger_of(__name__)
_QUIET = 0.02  # seconds in which a scenario's output may lie unread: most are over by then
_PATIENCE = 20.0  # seconds for our own server to end a process


class Monitor(ScenarioMonitor):
    """Watches one scenario's process on its terminal."""

    def __init__(
        self, link: ServerLink, terminal: Terminal, channel: ScenarioChannel, limits: Limits
    ) -> None:
        super().__init__(terminal.screen, limits, channel.send)
        self._server = link.server
        self._listener = link.listener
        self._terminal = terminal
        self._channel = channel
        self._quiet = min(_QUIET, limits.cpu_seconds, limits.wall_seconds)
        self._ended: ProcessExit | None = None
        self._killed_at = 0.0
        self._has_timer = False  # that may end a wait
        self._events = select.poll()
        self._watched: set[int] = set()  # besides the server and the listener
        self._clock = ScenarioClock(link.server, limits)

    def _follow(self) -> ProcessExit:
        control = self._server.control.fileno()
        self._events.register(control, select.POLLIN)
        asking = None
        if self._listener is None or self._stand_in is not None:
            self._watch(self._channel.fileno())
        if self._listener is not None:
            self._events.register(self._listener.descriptor, select.POLLIN)
            asking = (self._listener.descriptor, select.POLLIN)
        watching_output = False
        while self._ended is None:
            wait = self._clock.due - time.monotonic()
            if self._killed_at:
                wait = _PATIENCE
            elif self._folder is not None:
                wait = min(wait, SECONDS_BETWEEN_LOOKS)
            events = self._events.poll(max(1, 1000 * (wait if watching_output else self._quiet)))
            # Before anything else: a process may ask without end, and now it surely waits.
            self._check_clock()
            if asking in events and self._listener is not None and not self._killed_at:
                question = self._listener.receive()
                if question is not None and self._may_go_on(question):
                    self._listener.let_go_on(question)
                continue
            ready = [number for number, _ in events]
            if control in ready:
                self._ended = self._clock.hear()
                continue
            if not ready and not self._killed_at:
                if watching_output:
                    self._end_wait_in_vain()
                else:
                    watching_output = True
                    self._watch(self._terminal.child_fd)
                    self._watch(self._channel.fileno())
            self._take_output()
            self._leave(number for number, what in events if what & select.POLLHUP)
        self._terminal.finish()
        self._take_output()
        return self._ended

    def _end_wait_in_vain(self) -> None:
        """End a process that waits for something that only the process itself could bring.
        Otherwise it would end later, at its limit for sleeping.

        The kernel reports the process's reads and timers, so it has neither threads nor children.
        """
        if self._listener is None or self._has_timer or self._stand_in is not None:
            return
        pid = self._clock.process()
        if pid is not None and waits_for_itself(pid, self._channel.inodes):
            self._stop(Ending.TIMEOUT)

    def _watch(self, descriptor: int) -> None:
        self._events.register(descriptor, select.POLLIN)
        self._watched.add(descriptor)

    def _leave(self, descriptors: Iterable[int]) -> None:
        """Stop listening to descriptors that would always be ready: closed ones, and ones that
        nobody reads while a killed process is still ending.
        """
        for descriptor in self._watched.intersection(descriptors):
            self._events.unregister(descriptor)
            self._watched.discard(descriptor)

    def _take_output(self) -> None:
        if not self._terminal.drain(self._most_output):
            self._stop(Ending.OUTPUT_LIMIT)
        while data := self._channel.read():
            self._read(data)
            if len(data) < CHUNK or self._reason is Ending.TAMPERED:  # a socket gives all it has
                break

    def _handled(self, frame: bytes) -> bool:
        # Without the kernel's reports, the process sends a message before it reads.
        if (
            split(frame)[0] == FromScenario.ASKS_FOR_INPUT
            and self._listener is None
            and self._reason is None
        ):
            self._provide_input()
        return super()._handled(frame)

    def _may_go_on(self, question: CallQuestion) -> bool:
        """Deliver the input that the process waits for.

        Return False if the scenario ends instead.
        """
        asked = question.asked
        if asked is ReportedCall.READ:
            return self._provide_input()
        if asked is ReportedCall.WAIT:
            ours = self._channel.inodes
            is_for_its_own = waits_for_its_own(
                question.pid, question.call, question.arguments, ours
            )
            return is_for_its_own or self._provide_input()
        if asked is ReportedCall.TIMER:
            self._has_timer = True
        elif not self._has_timer:  # as it would have ended at its limit on time asleep
            self._stop(Ending.TIMEOUT)
            return False
        return True

    def _provide_input(self) -> bool:
        """Make input available on the terminal; piped input is already available.

        Return False if the scenario ends instead.
        """
        if self._is_piped:
            return True
        terminal = self._terminal
        line: Typed | None = None
        # The process is stopped until the kernel lets it read, so a line may be sent before we read
        # the output: it is handed over meanwhile, which takes a while. But only a line that is
        # surely next and can do nothing before it is read, as a key does, or a sign that acts so.
        if self._listener is not None and self._inputs and self._screen.loaded:
            following = self._inputs[-1]
            is_plain = following.key is None and following.text.isprintable()
            if is_plain and not terminal.has_unread_input():
                line = self._inputs.pop()
                terminal.send_typed(line)
        if not terminal.drain(self._most_output):
            self._stop(Ending.OUTPUT_LIMIT)
            return False
        if line is not None:
            self._screen.remember(line)
            return True
        if terminal.has_unread_input():
            return True
        if (typed := self._type_next()) is not None:
            terminal.send_typed(typed)
        return typed is not None

    def _check_clock(self) -> None:
        now = time.monotonic()
        if self._killed_at:
            if now - self._killed_at > _PATIENCE:
                raise HarnessError("the process that runs a submission does not answer")
        elif self._folder is not None and self._folder.is_too_full():
            self._stop(Ending.OUTPUT_LIMIT, TOO_FULL, filled=Filled.FOLDER)
        elif now >= self._clock.due and (passed := self._clock.passed()) is not None:
            self._stop(passed)

    def _kill(self) -> None:
        self._leave(tuple(self._watched))
        if self._ended is None:
            self._killed_at = time.monotonic()
            self._server.send(ToServer.KILL)

    def _exclude_since(self, begun: float) -> None:
        self._clock.exclude(time.monotonic() - begun)


_HEARTBEAT = 0.25  # seconds between two looks at most
_STANDSTILL = 0.5  # seconds; shorter delays are normal


class ScenarioClock:
    """Measures a scenario's CPU time and sleep against its limits, by the kernel's count.

    The kernel is asked only when the shorter limit may have passed. Call `passed` at the time `due`
    or later.
    """

    def __init__(self, server: ServerProcess, limits: Limits) -> None:
        self._server = server
        self._limits = limits
        self._shortest = min(limits.cpu_seconds, limits.wall_seconds)
        self._started = time.monotonic()
        self._clock: ProcessClock | None = None
        self._asked_for_pid = False
        self._excluded = 0.0
        self._own_cpu = time.thread_time()
        self.due = self._started + min(_HEARTBEAT, self._shortest)

    def passed(self) -> Ending | None:
        """Return the limit that was exceeded; None if there was none.

        Raise HarnessError if our own server does not answer.
        """
        now = time.monotonic()
        elapsed = now - self._started
        # `late`: we should have looked and did not, and did not compute either. Then the machine or
        # our process stood still (suspended, stopped), and the scenario with it, or it waited for
        # us: that time does not count. The CPU time that we took to look does: a program could make
        # it long.
        own_cpu = time.thread_time()
        late = now - self.due - (own_cpu - self._own_cpu)
        self._own_cpu = own_cpu
        if late > _STANDSTILL:
            self._excluded += late
        if elapsed < self._shortest:
            self.due = now + min(_HEARTBEAT, self._shortest - elapsed)
            return None
        self.due = now + _HEARTBEAT
        if self._clock is None:
            self._ask_for_pid()
            if elapsed > self._shortest + _PATIENCE:
                raise HarnessError("the process that runs a submission does not answer")
            return None
        cpu_left = self._limits.cpu_seconds - self._clock.cpu()
        if cpu_left <= 0:
            return Ending.CPU_LIMIT
        sleep_left = self._limits.wall_seconds + self._excluded - self._clock.asleep(elapsed)
        if sleep_left <= 0:
            return Ending.TIMEOUT
        self.due = now + min(_HEARTBEAT, cpu_left, sleep_left)
        return None

    def process(self) -> int | None:
        """Return the process's id; None until its server has sent it."""
        if self._clock is None:
            self._ask_for_pid()
            return None
        return self._clock.pid

    def _ask_for_pid(self) -> None:
        if not self._asked_for_pid:
            self._asked_for_pid = True
            self._server.send(ToServer.TELL_PID)

    def exclude(self, seconds: float) -> None:
        """Do not count this many seconds of sleep, in which the process waited for another process
        of ours.
        """
        self._excluded += seconds
        self.due += seconds  # nor is it a standstill: nobody looked meanwhile

    def hear(self) -> ProcessExit | None:
        """Read a message of the server.

        Return the facts about the process's end; None if it has not ended.
        """
        heard = self._server.hear()
        if isinstance(heard, ProcessClock):
            self._clock, self.due = heard, time.monotonic()
            return None
        return heard


_TOUCHED_KIB = 64 * 1024
_LOADING_CPU_SHARE = 0.1  # of a scenario's own CPU limit
_SHARED_HEARTBEAT = 0.05
_MAX_REASON_LENGTH = 300  # characters: it holds names of the program's
# In Python 3.11 it takes time to read a member of an enum: those that are needed thousands of times
# for each submission are read once.
_SEEN = FromSharedRun.SEEN
_ASKS_FOR_LINE = FromSharedRun.ASKS_FOR_LINE
_LINE = bytes(ToSharedRun.LINE)
_WHILE_LOADING = (FromSharedRun.LOADED, FromSharedRun.GAVE_UP)
_WHILE_ASKED = (
    FromSharedRun.SEEN,
    FromSharedRun.ASKS_FOR_LINE,
    FromSharedRun.GAVE_UP,
    FromSharedRun.CHANGED,
)


class SharedProcess:
    """Runs many scenarios in one process: asks the questions of `order`. It is ended after
    `most_seconds` of CPU time, or of sleep.

    Results: `reported`: the numbers answered. `answers`: the answers that `should_retain` asked
    for. `refused`: why the program cannot share a process; empty if it can. `not_plain`: whether
    the reason is an object that might change without being noticed. `gave_up`: the question at
    which the process gave up. `stopped_at`: that question, or the one at which it ended without a
    message. `changed_by`: the question that changed the program's state (`refused` describes it).
    `cpu_seconds`: its CPU time.
    """

    def __init__(
        self,
        link: ServerLink,
        group: SharedGroup,
        order: Sequence[int],
        should_retain: ShouldRetain,
        most_seconds: float,
    ) -> None:
        self._link = link
        self._group = group
        self._left = list(reversed(order))
        self._should_retain = should_retain
        self._channel = ScenarioChannel()
        self._unread = FrameBuffer()
        self._clock: ProcessClock | None = None
        self._started = self._progress = time.monotonic()
        self._most_seconds = most_seconds
        self._total_due = self._started + most_seconds  # sooner it cannot have used that
        self._cpu_before = 0.0
        self.cpu_seconds = 0.0
        self._killed_at = 0.0
        self._ended = False
        self._selection = -1  # whose files are loaded
        self._is_loading = self._is_asking = False
        self._lines: Iterator[str] = iter(())
        self.answers: dict[int, bytes] = {}
        self.reported: set[int] = set()
        self.refused = ""
        self.not_plain = False
        self.changed_by: int | None = None
        self.gave_up: int | None = None
        self._is_out_of_time = False

    @property
    def stopped_at(self) -> int | None:
        """Return the question at which the process ended too early; None if it ended because its
        time was used up.
        """
        if self._is_out_of_time or not self._left:
            return None
        return self._left[-1]

    def _ask(self) -> None:
        """Send the next message: one that loads files if needed, then the question; after the last
        question, the end.
        """
        if not self._left:
            self._is_loading = self._is_asking = False
            self._channel.send(ToSharedRun.LEAVE)
            return
        job = self._group.jobs[self._left[-1]]
        self._is_loading = job.selection != self._selection
        self._is_asking = not self._is_loading
        if self._is_asking:
            self._lines = iter(job.lines)
            self._channel.send_framed(job.question)
        else:
            self._selection = job.selection
            self._channel.send_framed(self._group.loads[job.selection])

    def run(self, main: str) -> None:
        """Have the process forked and ask it the questions until it ends."""
        group = self._group
        job = SharedRunJob(
            main=main,
            cpu_seconds=_LOADING_CPU_SHARE * group.limits.cpu_seconds,
            memory_kib=min(_TOUCHED_KIB, group.limits.memory_mib * 1024 // 4),
            selection=USUAL_FILES,
        )
        try:
            self._link.fork(job, self._channel, group.limits, selection=job.selection)
            _log.info("shared process started")
            self._ask()
            self._channel.wait_in_kernel(_SHARED_HEARTBEAT)
            while not self._killed_at and (data := self._channel.receive()) != b"":
                if data is None and self._ended:
                    break
                if data is None:
                    self._look_around()
                elif self._take(data) and self._progress < self._total_due:
                    continue
                self._check_clock()
            while not self._ended:
                self._look_around(_SHARED_HEARTBEAT)
                self._check_clock()
        finally:
            self._channel.close()

    def _look_around(self, seconds: float = 0.0) -> None:
        """Handle reports of the kernel and of the server that arrive within so many seconds."""
        events = select.poll()
        control = self._link.server.control.fileno()
        events.register(control, select.POLLIN)
        listener = self._link.listener
        if listener is not None:
            events.register(listener.descriptor, select.POLLIN)
        for number, _ in events.poll(1000 * seconds):
            if number == control:
                heard = self._link.server.hear()
                if isinstance(heard, ProcessClock):
                    self._clock = self._clock or heard
                elif heard is not None:
                    self._ended = True
                    self.cpu_seconds = heard.cpu_seconds
            elif listener is not None:
                listener.receive()  # it reads past `sys.stdin`: out of the ordinary
                self._kill()

    def _take(self, data: bytes) -> bool:
        """Handle the complete messages in `data`. Return False if there was none."""
        if is_one_frame(data) and not self._unread.data:  # as almost always
            self._take_frame(data[HEAD : HEAD + 1], data[HEAD + 1 :])
            return True
        acted = False
        try:
            frame = self._unread.next(data)
            while frame is not None:
                self._take_frame(*split(frame))
                acted = True
                has_more = self._unread.data and not self._killed_at
                frame = self._unread.next() if has_more else None
        except TamperedError:
            self._kill()  # an answer that is too long is observed in its own process
        return acted

    def _take_frame(self, kind: bytes, body: bytes) -> None:
        self._progress = time.monotonic()
        if self._clock is not None:
            self._cpu_before = self._clock.cpu()
        if self._is_asking and kind == _SEEN:
            self._take_answer(body)
        elif self._is_asking and kind == _ASKS_FOR_LINE:
            self._send_line()
        else:
            self._take_news(kind, body)

    def _take_news(self, kind: bytes, body: bytes) -> None:
        """Handle a message that is neither an answer nor a request for a line."""
        number = self._left[-1] if self._left else None
        expected = _WHILE_LOADING if self._is_loading else _WHILE_ASKED
        if kind in (FromSharedRun.REFUSED, FromSharedRun.NOT_PLAIN):
            self.refused = plain(body.decode("utf-8", "replace"), limit=_MAX_REASON_LENGTH)
            self.not_plain = kind == FromSharedRun.NOT_PLAIN
        elif number is None or kind not in expected:
            # Our code in the process never sends an answer without a question.
            self.refused = "something wrote to the harness in its place"
            self._kill()
        elif kind == FromSharedRun.LOADED:
            self._ask()
        elif kind == FromSharedRun.GAVE_UP and self._is_loading:
            self.refused = "it does not load within a tenth of its time limit"
        elif kind == FromSharedRun.GAVE_UP:
            self.gave_up = number
        else:
            self.refused = plain(body.decode("utf-8", "replace"), limit=_MAX_REASON_LENGTH)
            self.changed_by = number

    def _take_answer(self, body: bytes) -> None:
        number = self._left.pop()
        self.reported.add(number)
        if self._should_retain(number, body):
            self.answers[number] = body
        self._ask()

    def _send_line(self) -> None:
        line = next(self._lines, None)
        if line is None:
            self._channel.send(ToSharedRun.NO_LINE)
        else:
            self._channel.send(_LINE + line.encode())

    def _check_clock(self) -> None:
        now = time.monotonic()
        if self._killed_at:
            if now - self._killed_at > _PATIENCE:
                raise HarnessError("the process that runs a submission does not answer")
            return
        if now >= self._total_due and not self._ended:
            self._check_total(now)
        if self._ended or now - self._progress < self._group.limits.cpu_seconds:
            return
        if self._clock is None:
            self._link.server.send(ToServer.TELL_PID)
            self._progress = now
            return
        silent = self._group.limits.cpu_seconds * (1 + CPU_SHARE)
        asleep = self._clock.asleep(now - self._started)
        if (
            self._clock.cpu() - self._cpu_before > silent
            or asleep > self._group.limits.wall_seconds
        ):
            self._kill()

    def _check_total(self, now: float) -> None:
        self._total_due = now + _SHARED_HEARTBEAT
        if self._clock is None:
            self._link.server.send(ToServer.TELL_PID)
            self._look_around(_SHARED_HEARTBEAT)
            return
        asleep = self._clock.asleep(now - self._started)
        if max(self._clock.cpu(), asleep) >= self._most_seconds:
            self._is_out_of_time = True
            self._kill()

    def _kill(self) -> None:
        if not self._killed_at and not self._ended:
            _log.info("shared process killed")
            self._killed_at = time.monotonic()
            self._link.server.send(ToServer.KILL)
