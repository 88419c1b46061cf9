"""Submission and stimulus to observation: servers, terminal, confinement, limits, codec.

What needs a terminal is loaded on request, so that the package can be imported without one.
"""

from typing import TYPE_CHECKING

from harness.common.discovery import lazy_exports
from harness.execution.confinement import tier_layers
from harness.execution.confinement.layers.user import unused_uids
from harness.execution.confinement.probe import (
    TierTrial,
    choose_tier,
    remedies,
    try_tier,
    try_together,
)
from harness.execution.driver import (
    Answers,
    AnyDriver,
    Observes,
    ToolFailed,
    cores,
    create_driver,
    has_terminals,
    pick_cpu,
)
from harness.execution.folder import scratch_directory
from harness.execution.interpreter import Interpreter, find_interpreter
from harness.execution.protocol.jobs import main_file, program_files, proxy_names
from harness.execution.sharing import (
    CPU_SHARE,
    Keep,
    SharedGroup,
    SharedOutcome,
    canonical,
    decoded,
    may_share,
)

if TYPE_CHECKING:
    from harness.execution.linux.driver import Driver
    from harness.execution.linux.pexpect_terminal import attach_terminal
    from harness.execution.linux.server import SubmissionServer, ToolServer

__all__ = [
    "CPU_SHARE",
    "Answers",
    "AnyDriver",
    "Driver",
    "Interpreter",
    "Keep",
    "Observes",
    "SharedGroup",
    "SharedOutcome",
    "SubmissionServer",
    "TierTrial",
    "ToolFailed",
    "ToolServer",
    "attach_terminal",
    "canonical",
    "choose_tier",
    "cores",
    "create_driver",
    "decoded",
    "find_interpreter",
    "has_terminals",
    "main_file",
    "may_share",
    "pick_cpu",
    "program_files",
    "proxy_names",
    "remedies",
    "scratch_directory",
    "tier_layers",
    "try_tier",
    "try_together",
    "unused_uids",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "linux.driver": ("Driver",),
        "linux.pexpect_terminal": ("attach_terminal",),
        "linux.server": ("SubmissionServer", "ToolServer"),
    },
)
