"""What a tool may use, and how it may fail."""

from __future__ import annotations

from harness.execution.observed import End
from harness.execution.reply import TamperedError, read_text
from harness.model.observation import Ending
from harness.model.stimulus import Limits

TOOL_LIMITS = Limits(cpu_seconds=10.0, wall_seconds=30.0, memory_mib=512, output_kib=256)


class ToolFailed(Exception):  # noqa: N818 - a fact about the payload, not about us
    """The call gave no answer; `ending` tells how it ended instead."""

    def __init__(self, ending: Ending, detail: str = "") -> None:
        self.ending = ending
        self.detail = detail
        super().__init__(f"{ending}: {detail}" if detail else str(ending))


def answer(end: End) -> str:
    """The text that a tool's process answered with. ToolFailed when it gave none."""
    if end.reason is not None:
        raise ToolFailed(end.reason)
    try:
        text = read_text(end.said)
    except TamperedError as error:
        raise ToolFailed(Ending.TAMPERED, str(error)) from None
    if text is None or end.exit_code != 0:
        raise ToolFailed(Ending.CRASHED, f"exit status {end.exit_code}")
    return text
