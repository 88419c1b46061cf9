"""Follows a scenario's process from start to end: the part that is the same on terminals, over
pipes and in a browser.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol

from harness.common.logs import logger_of
from harness.execution.folder import ScenarioFolder
from harness.execution.inside.messages.frames import HEAD
from harness.execution.inside.messages.protocol import MAX_REPLY_BYTES, FromScenario, split
from harness.execution.protocol.answers import stand_in_reason
from harness.execution.protocol.observation import ProcessEnd, ProcessExit
from harness.execution.protocol.replies import FrameBuffer, TamperedError
from harness.execution.protocol.screen import ScreenParser, joined
from harness.execution.stand_in_process import StandInUnusableError
from harness.model.observation import Ending, Filled
from harness.model.stimulus import Limits, Typed

_log = logger_of(__name__)

NextLine = Callable[[list[str]], Typed | None]
"""The line to type next, from the text printed in each turn so far; None: nothing more."""


class Partner(Protocol):
    """A process of the course with which a submission's process talks: its stand-in modules, or a
    test.
    """

    def exchange(self, message: bytes, deliver: Callable[[bytes], None]) -> bool:
        """Pass a message to the partner, and its reply to `deliver`. Return True if the partner
        asks for a line of input.

        Raise StandInUnusableError if the partner cannot answer.
        """


_FOR_STAND_IN = (FromScenario.CALL, FromScenario.STAND_IN_INAPPLICABLE)


class ScenarioMonitor(ABC):
    """Follows one scenario's process: reads its messages and output, and types a line when it asks
    for input. `deliver` sends a message to the process.
    """

    course_fault = ""  # the mistake of the course's generator of replies
    compiled = True  # whether the process has compiled its code

    def __init__(
        self, screen: ScreenParser, limits: Limits, deliver: Callable[[bytes], None]
    ) -> None:
        self._screen = screen
        self._most_output = limits.output_kib * 1024
        self._deliver = deliver
        self._stand_in_asks = False
        self._received = FrameBuffer()
        self._reply: list[bytes] = []
        self._space = MAX_REPLY_BYTES
        self._reason: Ending | None = None
        self._detail = ""
        self._filled = Filled.SCREEN

    def follow(
        self,
        inputs: tuple[Typed, ...] = (),
        *,
        at_load: tuple[Typed, ...] = (),
        folder: ScenarioFolder | None = None,
        stand_in: Partner | None = None,
        reply_to: NextLine | None = None,
        is_piped: bool = False,
    ) -> ProcessEnd:
        """Follow the process until it has ended.

        The lines of `at_load` are typed while its modules load. Then `inputs` are typed; with
        `reply_to`, the lines that this function returns instead; with `is_piped` none, because the
        process already has its input. Raise HarnessError if our own machinery fails.
        """
        self._is_piped = is_piped
        self._inputs = list(reversed(inputs))  # the next one last
        self._at_load = list(reversed(at_load))
        self._folder, self._stand_in, self._reply_to = folder, stand_in, reply_to
        _log.info("process started")
        process_exit = self._follow()
        _log.info(
            "process ended, exit status %d, CPU time %.3f s",
            process_exit.code,
            process_exit.cpu_seconds,
        )
        if self._reason is None and self._received.data:  # cut off, and not by us
            self._reason, self._detail = Ending.TAMPERED, "an unreadable reply"
        return ProcessEnd(
            reason=self._reason,
            exit=process_exit,
            reply=tuple(self._reply),
            detail=self._detail,
            filled=self._filled,
        )

    @abstractmethod
    def _follow(self) -> ProcessExit:
        """Wait until the process has ended. Return the facts about its end."""

    @abstractmethod
    def _kill(self) -> None:
        """End the process."""

    @abstractmethod
    def _exclude_since(self, begun: float) -> None:
        """Do not count the time since `begun`: the process waited for another process of ours."""

    def _stop(self, reason: Ending, detail: str = "", *, filled: Filled = Filled.SCREEN) -> None:
        if self._reason is None:
            if reason is Ending.ASKED_FOR_MORE and self._stand_in_asks:
                reason, detail = Ending.STAND_IN_FAILED, "it asked for more input"
            self._reason, self._detail, self._filled = reason, detail, filled
            _log.info("process killed: %s%s", reason.value, f" ({detail})" if detail else "")
            self._kill()

    def _type_next(self) -> Typed | None:
        """Type the next line and record its place in the output.

        If no lines are left, end the scenario and return None.
        """
        typed = None
        if not self._screen.loaded:
            typed = self._at_load.pop() if self._at_load else None
        elif self._reply_to is not None:
            begun = time.monotonic()
            try:
                _, parts = self._screen.parts(len(self._screen.raw))
                typed = self._reply_to([turn.printed for turn in joined(parts)])
            except ReplyFaultError as error:
                self.course_fault = str(error)
            self._exclude_since(begun)
        elif self._inputs:
            typed = self._inputs.pop()
        if typed is None:
            self._stop(Ending.ASKED_FOR_MORE)
        else:
            self._screen.remember(typed)
        return typed

    def _show(self, data: bytes) -> None:
        """Record visible output."""
        self._screen.raw += data
        if self._screen.exceeds(self._most_output):
            self._stop(Ending.OUTPUT_LIMIT)

    def _read(self, data: bytes) -> None:
        """Handle the messages that are now complete, or keep them as parts of the reply."""
        if self._reason is Ending.TAMPERED:
            return
        self._received.data += data
        try:
            while (frame := self._received.next()) is not None:
                if not self._handled(frame):
                    self._reply.append(frame)
                    self._space -= HEAD + len(frame)
                if self._space < 0:
                    raise TamperedError("a reply too large")
        except TamperedError as error:
            self._stop(Ending.TAMPERED, str(error))

    def _handled(self, frame: bytes) -> bool:
        """Handle a message that asks for an action, such as a call of a stand-in.

        Return False if the message is a part of the reply.
        """
        kind, body = split(frame)
        if kind not in _FOR_STAND_IN or self._stand_in is None:
            return False
        if self._reason is None:
            begun = time.monotonic()
            try:
                if kind == FromScenario.STAND_IN_INAPPLICABLE:
                    why = stand_in_reason(body)
                    raise StandInUnusableError(Ending.STAND_IN_INAPPLICABLE, why)
                self._stand_in_asks = self._stand_in.exchange(body, self._deliver)
            except StandInUnusableError as error:
                self._stop(error.ending, str(error), filled=error.filled)
            self._exclude_since(begun)
        return True


class ReplyFaultError(Exception):
    """Raised if the course's reply generator failed. `str()` names the generator and the fault."""
