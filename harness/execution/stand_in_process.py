"""Runs the course's functions that answer a submission's calls (stand-ins): the part that is the
same on every system. Also checks which calls a submission may make.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from hashlib import sha256

from harness.common.escaping import visible
from harness.execution.folder import TOO_FULL, ScenarioFolder
from harness.execution.inside.messages.protocol import FromStandIn, split
from harness.execution.protocol.replies import FrameBuffer, TamperedError
from harness.model.observation import Ending, Filled
from harness.model.stimulus import Limits

LOADED_MACHINE = 10  # how much slower than real time a CPU second may be
_MAX_REASON_LENGTH = 300  # characters
_ASKED_ELSE = "it makes a call that the reference does not make"


class StandInUnusableError(Exception):
    """Raised if a stand-in cannot be used; `str()` says why.

    `ending` tells whether it does not apply to this submission or failed itself. `is_late`: it ran
    out of time. `filled`: which output reached its limit.
    """

    def __init__(
        self, ending: Ending, why: str, *, is_late: bool = False, filled: Filled = Filled.SCREEN
    ) -> None:
        self.ending = ending
        self.is_late = is_late
        self.filled = filled
        super().__init__(why)


def folder_is_full() -> StandInUnusableError:
    """Return the error for a folder, shared by two processes, that holds too much."""
    return StandInUnusableError(Ending.OUTPUT_LIMIT, TOO_FULL, filled=Filled.FOLDER)


class AskedCalls:
    """Records, as digests, the calls that a scenario's process makes of the course's functions,
    and the lines typed for them. With `only`, other calls are refused.
    """

    def __init__(self, only: tuple[str, ...] | None = None) -> None:
        self._only = None if only is None else frozenset(only)
        self._made: set[str] = set()

    def admit(self, message: bytes) -> None:
        """Record a message. Raise StandInUnusableError if the submission may not send it."""
        digest = sha256(message).hexdigest()
        if self._only is not None and digest not in self._only:
            raise StandInUnusableError(Ending.STAND_IN_INAPPLICABLE, _ASKED_ELSE)
        self._made.add(digest)

    def made(self) -> tuple[str, ...]:
        return tuple(sorted(self._made))


class StandInProcess(ABC):
    """Answers the calls of one scenario.

    `send` passes a message to the process if it has not ended.
    """

    def __init__(self, send: Callable[[bytes], None], limits: Limits) -> None:
        self._send = send
        self._limits = limits
        self._received = FrameBuffer()
        self.asked = AskedCalls()
        self.waited = 0.0  # seconds, for all of its messages

    @abstractmethod
    def _hear(self) -> bool:
        """Wait a moment for output.

        Return False once the process has ended and all of its output was read.
        """

    @abstractmethod
    def _is_late(self, waited: float, longest: float) -> bool:
        """Return whether the process reached its limits, or `longest` seconds of waiting in total:
        many small messages could otherwise continue for ever.
        """

    def exchange(self, message: bytes, deliver: Callable[[bytes], None]) -> bool:
        """Pass messages of the submission's process to this one, and replies to `deliver`, until
        the submission continues. Return True if the stand-in asks for a line of input.

        Raise StandInUnusableError if the stand-in does not apply, fails, or reaches its limits.
        """
        self.asked.admit(message)
        self.tell(message)
        kind = b""
        while kind not in (FromStandIn.OUTCOME, FromStandIn.ASKS_FOR_LINE):
            answer = self.next_answer()
            kind, body = split(answer)
            if kind == FromStandIn.INAPPLICABLE:
                raise _inapplicable(body)
            deliver(answer)
        return kind == FromStandIn.ASKS_FOR_LINE

    def tell(self, message: bytes) -> None:
        """Pass a message on to the process, if the process has not ended."""
        self._send(message)

    def next_answer(self, folder: ScenarioFolder | None = None) -> bytes:
        """Return the next message of the process as soon as there is one.

        Raise StandInUnusableError if the process ends, runs into its limits, or fills the folder
        meanwhile.
        """
        longest = self._limits.wall_seconds + LOADED_MACHINE * self._limits.cpu_seconds
        while (answer := self._next_message()) is None:
            begun = time.monotonic()
            is_there = self._hear()
            self.waited += time.monotonic() - begun
            if not is_there:
                raise StandInUnusableError(Ending.STAND_IN_FAILED, "it ended by itself")
            if self._is_late(self.waited, longest):
                what = "it ran out of time"
                raise StandInUnusableError(Ending.STAND_IN_FAILED, what, is_late=True)
            if folder is not None and folder.is_too_full():
                raise folder_is_full()
        return answer

    def _next_message(self) -> bytes | None:
        try:
            return self._received.next()
        except TamperedError:
            raise StandInUnusableError(Ending.STAND_IN_FAILED, "its answer is too large") from None


def _inapplicable(reason: bytes) -> StandInUnusableError:
    """Return the error that contains the stand-in's reason why it does not apply, escaped and
    shortened.
    """
    try:
        why = json.loads(reason[:_MAX_REASON_LENGTH])
    except (ValueError, RecursionError):
        why = ""
    text = visible(why[:_MAX_REASON_LENGTH]) if isinstance(why, str) else ""
    return StandInUnusableError(Ending.STAND_IN_INAPPLICABLE, text)
