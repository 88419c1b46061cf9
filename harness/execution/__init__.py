"""Submission and stimulus to observation: servers, terminal, confinement, limits, codec.

What needs a terminal is loaded when asked for: the door opens where there are none, too.
"""

from typing import TYPE_CHECKING

from harness.doors import later
from harness.execution.digest import EXECUTION_DIGEST
from harness.execution.driving import AnyDriver, a_driver, has_terminals
from harness.execution.interpreter import Interpreter, find_interpreter
from harness.execution.mends import mends
from harness.execution.probing import TierTrial, choose_tier, try_tier
from harness.execution.tiers import LAYERS, Layer
from harness.execution.tool_outcome import ToolFailed

if TYPE_CHECKING:
    from harness.execution.driver import Driver
    from harness.execution.submission_server import SubmissionServer
    from harness.execution.tool import ToolServer

__all__ = [
    "EXECUTION_DIGEST",
    "LAYERS",
    "AnyDriver",
    "Driver",
    "Interpreter",
    "Layer",
    "SubmissionServer",
    "TierTrial",
    "ToolFailed",
    "ToolServer",
    "a_driver",
    "choose_tier",
    "find_interpreter",
    "has_terminals",
    "mends",
    "try_tier",
]

__getattr__ = later(
    __name__,
    {
        "driver": ("Driver",),
        "submission_server": ("SubmissionServer",),
        "tool": ("ToolServer",),
    },
)
