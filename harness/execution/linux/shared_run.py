"""Asks the process of a shared run one question at a time, and starts a new one after one that
gave up."""

from __future__ import annotations

import select
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.common.errors import HarnessError
from harness.common.escaping import plain
from harness.execution.linux.kernel import ProcessClock
from harness.execution.linux.processes import ScenarioChannel
from harness.execution.protocol.reply import FrameBuffer, TamperedError
from harness.execution.sharing import CPU_SHARE, Keep, SharedGroup, SharedOutcome

if TYPE_CHECKING:
    from harness.execution.linux.driver import ServerLink

_TOUCHED_KIB = 64 * 1024
_LOADING_CPU_SHARE = 0.1  # of a scenario's own CPU limit
_MOST_RESTARTS = 12
_MOST_IN_VAIN = 2
_HEARTBEAT = 0.05
_PATIENCE = 20.0  # seconds for our own server to end a process
_LONGEST_REASON = 300  # characters: it holds names of the program's


def run_group(
    link: ServerLink, group: SharedGroup, order: Sequence[int], *, main: str, keep: Keep
) -> SharedOutcome:
    """Run these numbers of a group in this order. What gives up ends its process and costs a new
    one: once two have and none was seen to its end, the others are not tried. HarnessError when
    our own server failed."""
    seen: dict[int, bytes] = {}
    reported: set[int] = set()
    gave_up: list[int] = []
    left = list(order)
    while left and len(gave_up) < (_MOST_RESTARTS if reported else _MOST_IN_VAIN):
        process = _SharedProcess(link, group, left, keep)
        process.start(main)
        process.follow()
        seen |= process.seen
        reported |= process.reported
        if process.refused:
            return SharedOutcome(seen={}, refused=process.refused, changed_by=process.changed_by)
        if process.gave_up is None:  # it came to its end, or was ended without a word
            break
        gave_up.append(process.gave_up)
        left = [n for n in left if n not in process.reported and n != process.gave_up]
    return SharedOutcome(seen=seen, gave_up=frozenset(gave_up))


class _SharedProcess:
    """One process, asked about `order`: what it `reported`, of which it keeps as `seen` what is to
    be kept, why it `refused`, the number it `gave_up`."""

    def __init__(
        self, link: ServerLink, group: SharedGroup, order: Sequence[int], keep: Keep
    ) -> None:
        self._link = link
        self._group = group
        self._left = list(reversed(order))
        self._keep = keep
        self._channel = ScenarioChannel()
        self._unread = FrameBuffer()
        self._clock: ProcessClock | None = None
        self._started = self._progress = time.monotonic()
        self._cpu_before = 0.0
        self._killed_at = 0.0
        self._ended = False
        self._selection = -1  # whose files are loaded
        self._is_loading = True
        self._lines: list[str] = []
        self.seen: dict[int, bytes] = {}
        self.reported: set[int] = set()
        self.refused = ""
        self.changed_by: int | None = None
        self.gave_up: int | None = None

    def start(self, main: str) -> None:
        """Have the process forked, and ask it to load the files of the first question."""
        group = self._group
        job = {
            "main": main,
            "cpu": _LOADING_CPU_SHARE * group.cpu_seconds,
            "memory_kib": min(_TOUCHED_KIB, group.memory_mib * 1024 // 4),
        }
        self._link.start(
            {"shared": job}, self._channel, group.memory_mib, selections=group.selections
        )
        self._ask()

    def _ask(self) -> None:
        """The next question, or first that its files be loaded; after the last one the end."""
        if not self._left:
            self._channel.send(b"E")
            return
        job = self._group.jobs[self._left[-1]]
        self._is_loading = job.selection != self._selection
        if self._is_loading:
            self._selection = job.selection
            self._channel.send(b"F" + job.selection.to_bytes(4, "little"))
        else:
            self._lines = list(reversed(job.lines))
            self._channel.send(b"Q" + job.packed)

    def follow(self) -> None:
        try:
            self._channel.wait_in_kernel(_HEARTBEAT)
            while not self._killed_at and (data := self._channel.receive()) != b"":
                if data is None and self._ended:
                    break
                if data is None:
                    self._look_around()
                elif self._take(data):
                    continue
                self._check_clock()
            while not self._ended:
                self._look_around(_HEARTBEAT)
                self._check_clock()
        finally:
            self._channel.close()

    def _look_around(self, seconds: float = 0.0) -> None:
        """Take what the server, within so many seconds, and the kernel say."""
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
                else:
                    self._ended = self._ended or heard is not None
            elif listener is not None:
                listener.receive()  # it reads past `sys.stdin`: out of the ordinary
                self._kill()

    def _take(self, data: bytes) -> bool:
        """Act on the frames that are whole now; False where none was."""
        self._unread.add(data)
        acted = False
        try:
            while not self._killed_at and (frame := self._unread.next()) is not None:
                self._take_frame(frame[:1], frame[1:])
                acted = True
        except TamperedError:
            self._kill()  # what is too long to be read is observed alone
        return acted

    def _take_frame(self, kind: bytes, body: bytes) -> None:
        self._progress = time.monotonic()
        self._cpu_before = self._clock.cpu() if self._clock is not None else 0.0
        number = self._left[-1] if self._left else None
        expected = (b"R", b"U") if self._is_loading else (b"S", b"I", b"U", b"K")
        if kind == b"N":
            self.refused = plain(body.decode("utf-8", "replace"), limit=_LONGEST_REASON)
        elif number is None or kind not in expected:
            # What nobody asked for was not written by our side of the process.
            self.refused = "something wrote to the harness in its place"
            self._kill()
        elif kind == b"R":
            self._ask()
        elif kind == b"U" and self._is_loading:
            self.refused = "it does not load in a tenth of its time"
        elif kind == b"S":
            self._left.pop()
            self.reported.add(number)
            if self._keep(number, body):
                self.seen[number] = body
            self._ask()
        elif kind == b"I":
            self._channel.send(b"L" + self._lines.pop().encode() if self._lines else b"")
        elif kind == b"U":
            self.gave_up = number
        else:
            self.refused = plain(body.decode("utf-8", "replace"), limit=_LONGEST_REASON)
            self.changed_by = number

    def _check_clock(self) -> None:
        now = time.monotonic()
        if self._killed_at:
            if now - self._killed_at > _PATIENCE:
                raise HarnessError("a submission server does not answer")
            return
        if self._ended or now - self._progress < self._group.cpu_seconds:
            return
        if self._clock is None:
            self._link.server.send(b"?")
            self._progress = now
            return
        silent = self._group.cpu_seconds * (1 + CPU_SHARE)
        asleep = self._clock.asleep(now - self._started)
        if self._clock.cpu() - self._cpu_before > silent or asleep > self._group.wall_seconds:
            self._kill()

    def _kill(self) -> None:
        if not self._killed_at and not self._ended:
            self._killed_at = time.monotonic()
            self._link.server.send(b"K")
