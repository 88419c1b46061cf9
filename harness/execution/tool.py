"""Runs a trusted function of ours over what a student wrote, confined and limited."""

from __future__ import annotations

import marshal

from harness.execution.conversation import Conversation
from harness.execution.reply import TamperedError, read_text
from harness.execution.screen import Screen
from harness.execution.server_link import ServerLink
from harness.execution.terminal import Terminal
from harness.model.observation import Ending
from harness.model.stimulus import Limits

TOOL_LIMITS = Limits(cpu_seconds=10.0, wall_seconds=30.0, memory_mib=512, output_kib=256)
_MIB = 1024 * 1024


class ToolFailed(Exception):  # noqa: N818 - a fact about the payload, not about us
    """The call gave no answer; `ending` tells how it ended instead."""

    def __init__(self, ending: Ending, detail: str = "") -> None:
        self.ending = ending
        self.detail = detail
        super().__init__(f"{ending}: {detail}" if detail else str(ending))


class ToolServer:
    """A loaded function, ready to be called."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link

    def run(self, payload: str, limits: Limits = TOOL_LIMITS) -> str:
        """The function's answer. ToolFailed when it gave none, HarnessError when we failed."""
        shown = Screen(mark=b"\0", most_marks=0)
        terminal = Terminal(shown)
        job = {
            "payload": payload,
            "controlled": False,
            "cpu": limits.cpu_seconds,
            "memory": limits.memory_mib * _MIB,
        }
        try:
            self._link.send(marshal.dumps(job, 2), terminal.slave)
            end = Conversation(
                self._link.server,
                self._link.listener,
                terminal,
                limits=limits,
                inputs=(),
                may_type=lambda: False,
            ).follow()
        finally:
            terminal.close()
        if end.reason is not None:
            raise ToolFailed(end.reason)
        try:
            answer = read_text(end.said)
        except TamperedError as error:
            raise ToolFailed(Ending.TAMPERED, str(error)) from None
        if answer is None or end.status != 0:
            raise ToolFailed(Ending.CRASHED, f"wait status {end.status}")
        return answer
