"""Calls one of our own functions, such as a check of the policy, in its own confined process."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Protocol

from harness.execution.inside.messages.protocol import ToolJob
from harness.execution.metering import CpuMeter
from harness.execution.process_server import ProcessServer
from harness.execution.protocol.replies import TamperedError, read_text
from harness.execution.protocol.screen import plain_screen
from harness.model.observation import Ending
from harness.model.stimulus import Limits

TOOL_LIMITS = Limits(cpu_seconds=10.0, wall_seconds=30.0, memory_mib=512, output_kib=256)


class ToolFailed(Exception):  # noqa: N818 - a fact about the payload, not about us
    """Raised if the call gave no answer; `ending` tells how it ended."""

    def __init__(self, ending: Ending, detail: str = "") -> None:
        self.ending = ending
        self.detail = detail
        super().__init__(f"{ending}: {detail}" if detail else str(ending))


class TrustedFunction(Protocol):
    """One of our own functions, loaded and ready to be called."""

    def run(self, payload: str, limits: Limits = TOOL_LIMITS) -> str:
        """Call the function with `payload` and return its answer. `limits` apply if this machine
        can enforce them.

        Raise ToolFailed if it gave no answer, HarnessError if our machinery failed.
        """


class TrustedProcess:
    """One of our own functions, called in a new process each time."""

    def __init__(self, server: ProcessServer, meter: CpuMeter) -> None:
        self._server = server
        self._meter = meter

    def run(self, payload: str, limits: Limits = TOOL_LIMITS) -> str:
        """Return the function's answer.

        Raise ToolFailed if it gave none, HarnessError if our machinery failed.
        """
        if (observed := self._server.seen_of_all(limits)) is not None:
            raise ToolFailed(observed.ending)
        with ExitStack() as stack:
            job = ToolJob(payload=payload)
            end = self._server.start(stack, job, plain_screen(), limits).follow()
        self._meter.add(end.exit.cpu_seconds)
        if end.reason is not None:
            raise ToolFailed(end.reason)
        try:
            text = read_text(end.reply)
        except TamperedError as error:
            raise ToolFailed(Ending.TAMPERED, str(error)) from None
        if text is None or end.exit.code != 0:
            raise ToolFailed(Ending.CRASHED, f"exit status {end.exit.code}")
        return text
