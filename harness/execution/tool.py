"""Runs a trusted function of ours over what a student wrote, confined and limited."""

from __future__ import annotations

from harness.execution.conversation import Conversation
from harness.execution.screen import Screen
from harness.execution.server_link import ServerLink
from harness.execution.terminals import a_terminal
from harness.execution.tool_outcome import TOOL_LIMITS, answer
from harness.model.stimulus import Limits

_MIB = 1024 * 1024


class ToolServer:
    """A loaded function, ready to be called."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link

    def run(self, payload: str, limits: Limits = TOOL_LIMITS) -> str:
        """The function's answer. ToolFailed when it gave none, HarnessError when we failed."""
        shown = Screen(mark=b"\0", most_marks=0)
        terminal = a_terminal(shown)
        try:
            self._link.start(payload, terminal.slave, memory=limits.memory_mib * _MIB)
            end = Conversation(
                self._link.server,
                self._link.listener,
                terminal,
                limits=limits,
                inputs=(),
            ).follow()
        finally:
            terminal.close()
        return answer(end)
