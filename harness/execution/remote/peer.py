"""A stand-in's process, as the monitor of the submission sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Protocol

from harness.common.escaping import visible
from harness.model.observation import Ending

_LONGEST = 300  # characters of a reason


class StandInUnusableError(Exception):
    """The stand-in cannot be used in this scenario.

    `ending` says whether it does not apply to this submission or failed by itself, `str()` why.
    """

    def __init__(self, ending: Ending, why: str) -> None:
        self.ending = ending
        super().__init__(why)


class StandInProcess(Protocol):
    """Answers the calls of one scenario."""

    def send(self, message: bytes) -> None:
        """Pass a message on to it; nothing when it has ended."""

    def receive(self) -> bytes:
        """Its next message. StandInUnusableError when it ends, or runs into its limits."""


_ANSWERS = (b"V", b"I")  # a call's outcome, a question for `input`


def exchange(process: StandInProcess, message: bytes, deliver: Callable[[bytes], None]) -> bool:
    """Pass on what a submission's process sends, and deliver what comes back, until it is the
    submission's turn again; True when that is to answer a question for `input`.

    StandInUnusableError when the stand-in does not apply, fails, or runs into its limits.
    """
    process.send(message)
    while True:
        answer = process.receive()
        if answer[:1] == b"N":
            raise StandInUnusableError(Ending.STAND_IN_INAPPLICABLE, reason(answer[1:]))
        deliver(answer)
        if answer[:1] in _ANSWERS:
            return answer[:1] == b"I"


def reason(text: bytes) -> str:
    """The reason in a process's message that the stand-in does not apply, escaped and bounded."""
    try:
        why = json.loads(text[:_LONGEST])
    except (ValueError, RecursionError):
        return ""
    return visible(why[:_LONGEST]) if isinstance(why, str) else ""
