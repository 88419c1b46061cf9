"""Submission and stimulus to observation: servers, terminal, confinement, limits, codec."""

from harness.execution.digest import EXECUTION_DIGEST
from harness.execution.driver import Driver
from harness.execution.interpreter import Interpreter, find_interpreter
from harness.execution.mends import mends
from harness.execution.probing import TierTrial, choose_tier, try_tier
from harness.execution.submission_server import SubmissionServer
from harness.execution.tiers import LAYERS, Layer
from harness.execution.tool import ToolFailed, ToolServer

__all__ = [
    "EXECUTION_DIGEST",
    "LAYERS",
    "Driver",
    "Interpreter",
    "Layer",
    "SubmissionServer",
    "TierTrial",
    "ToolFailed",
    "ToolServer",
    "choose_tier",
    "find_interpreter",
    "mends",
    "try_tier",
]
