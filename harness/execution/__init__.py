"""Submission and stimulus to observation: servers, terminal, confinement, limits, codec.

What needs a terminal is loaded when asked for: the door opens where there are none, too.
"""

from typing import TYPE_CHECKING

from harness.common.lazy_exports import lazy_exports
from harness.execution.confinement import LAYERS, Layer
from harness.execution.confinement.probe import TierTrial, choose_tier, try_tier
from harness.execution.confinement.remedies import remedies
from harness.execution.digest import EXECUTION_DIGEST
from harness.execution.driver import AnyDriver, ToolFailed, create_driver, has_terminals
from harness.execution.interpreter import Interpreter, find_interpreter

if TYPE_CHECKING:
    from harness.execution.linux.driver import Driver
    from harness.execution.linux.server import SubmissionServer, ToolServer

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
    "choose_tier",
    "create_driver",
    "find_interpreter",
    "has_terminals",
    "remedies",
    "try_tier",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "linux.driver": ("Driver",),
        "linux.server": ("SubmissionServer", "ToolServer"),
    },
)
