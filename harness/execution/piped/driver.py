"""Runs submissions where there are no terminals: one interpreter per scenario, over pipes.

The portable tier, and all of it: nothing keeps a program from what its user may do. There is a
limit on time, a cap on output and an end to all that was started, and memory is limited where
the system counts it.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import Any, Self

from harness.execution.confinement import Confinement, tier_layers
from harness.execution.driver import TOOL_LIMITS, AnyDriver, answer
from harness.execution.folder import ScenarioFolder, prepare, scratch_directory
from harness.execution.inside.scenario.evaluate import analyse
from harness.execution.interpreter import Interpreter
from harness.execution.piped.monitor import PipedMonitor, PipedProcess, PipedStandIn
from harness.execution.protocol import bootstrap
from harness.execution.protocol.jobs import server_setup, stand_in_setup
from harness.execution.protocol.observation import ScreenParser, plain_screen
from harness.execution.replies import ENTRY, SOURCES, RememberedAnswers
from harness.execution.runner import SubmissionRunner
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Tier
from harness.model.stimulus import Limits

_MIB = 1024 * 1024
_MODULES = (
    "messages.frames", "messages.objects", "messages.codec", "messages.exceptions",
    "modules", "clock", "limits", "stand_ins.graph", "stand_ins.calls",
    "scenario.evaluate", "scenario.process", "piped",
)  # fmt: skip
_PROGRAM = f"""\
{bootstrap.LOADER}
import os
modules, setup, job = [message(lambda count: os.read(0, count)) for _ in range(3)]
package = load(modules, ("limits",))
package.piped.serve(setup, job)
"""


class PipedDriver(AnyDriver):
    """A fresh interpreter for each stimulus."""

    def __init__(self, interpreter: Interpreter, *, hash_seed: int = 0) -> None:
        super().__init__(interpreter, Tier.PORTABLE)
        self._command = [str(interpreter.path), *bootstrap.FLAGS, "-c", _PROGRAM]
        self._environment = bootstrap.environment(hash_seed) | {
            "MALLOC_ARENA_MAX": "1",  # a second thread must not take from the memory allowed
        }
        self._modules = b""
        self.answers = RememberedAnswers()

    def __enter__(self) -> Self:
        self._modules = marshal.dumps(bootstrap.inside_modules(self.interpreter, _MODULES), 2)
        self._directory = str(prepare(self._held.enter_context(scratch_directory())))
        return self

    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
    ) -> AbstractContextManager[PipedSubmission]:
        return nullcontext(PipedSubmission(self, assignment, files, reference))

    def tool(self, sources: Mapping[str, str], entry: str) -> AbstractContextManager[PipedTool]:
        return nullcontext(PipedTool(self, sources, entry))

    def start(
        self, stack: ExitStack, setup: bytes, job: dict[str, Any], limits: Limits
    ) -> PipedProcess:
        """A process that does this job, until the stack is left. HarnessError when its interpreter
        cannot be run."""
        process = PipedProcess(self._command, self._environment, self.directory, limits)
        stack.callback(process.close)
        job |= {
            "ask": process.secret + b"?",
            "over": process.secret + b".",
            "beat": process.beats.period,
            "memory": limits.memory_mib * _MIB,
        }
        for message in (self._modules, setup, marshal.dumps(job, 2)):
            process.send(message)
        return process

    def setup(self, more: Mapping[str, object], *, writes: bool = False) -> bytes:
        """What every process of a submission or tool receives first."""
        confinement = Confinement(tier_layers(self.tier)).for_server(
            self.directory, notify=False, writable=self.directory if writes else ""
        )
        common = {
            "directory": self.directory,
            "environment": bootstrap.INNER_ENVIRONMENT,
            "rlimits": confinement["rlimits"],
            "limits_memory": confinement["limits_memory"],
        }
        return marshal.dumps(common | dict(more), 2)


class PipedSubmission(SubmissionRunner):
    """Observes one submission, in a fresh interpreter for each stimulus."""

    def __init__(
        self,
        driver: PipedDriver,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...],
    ) -> None:
        super().__init__(
            assignment,
            lambda given: ScenarioFolder(driver.folders, given, None),
            driver.answers.asking(lambda: PipedTool(driver, SOURCES, ENTRY)),
        )
        self._driver = driver
        self._setup = driver.setup(server_setup(assignment, files), writes=assignment.writes_files)
        self._stand_in_setup = driver.setup(stand_in_setup(assignment, reference))

    def _compile(self, job: dict[str, Any]) -> int | None:
        return analyse("", job["texts"][1], (), frozenset(self._functions))[1]

    def _start_stand_in(
        self, stack: ExitStack, job: dict[str, Any], limits: Limits
    ) -> PipedStandIn:
        return PipedStandIn(self._driver.start(stack, self._stand_in_setup, job, limits), limits)

    def _start(
        self, stack: ExitStack, job: dict[str, Any], screen: ScreenParser, limits: Limits
    ) -> PipedMonitor:
        return PipedMonitor(self._driver.start(stack, self._setup, job, limits), screen, limits)


class PipedTool:
    """A function of ours, loaded anew for every call."""

    def __init__(self, driver: PipedDriver, sources: Mapping[str, str], entry: str) -> None:
        self._driver = driver
        modules = bootstrap.tool_modules(driver.interpreter, sources, entry)
        self._setup = driver.setup({"tool": modules, "entry": entry})

    def run(self, payload: str) -> str:
        """The function's answer. ToolFailed when it gave none, HarnessError when we failed."""
        with ExitStack() as stack:
            process = self._driver.start(stack, self._setup, {"payload": payload}, TOOL_LIMITS)
            return answer(PipedMonitor(process, plain_screen(), TOOL_LIMITS).follow())
