"""Runs submissions where there are no terminals: one interpreter per scenario, over pipes.

The portable tier, and all of it: nothing keeps a program from what its user may do. There is a
limit on time, a cap on output and an end to all that was started, and memory is limited where
the system counts it.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from harness.common.errors import HarnessError
from harness.execution.confinement import Confinement, tier_layers
from harness.execution.driver import TOOL_LIMITS, answer
from harness.execution.folder import ScenarioFolder, folders_beside, prepare, scratch_directory
from harness.execution.inside.messages.frames import framed
from harness.execution.inside.scenario.evaluate import count_arguments
from harness.execution.interpreter import Interpreter
from harness.execution.piped.monitor import (
    CpuHeartbeat,
    PipedMonitor,
    PipedProcess,
    PipedStandIn,
    Words,
)
from harness.execution.protocol import bootstrap
from harness.execution.protocol.bootstrap import inside_modules, tool_modules
from harness.execution.protocol.jobs import (
    server_setup,
    stand_in_setup,
)
from harness.execution.protocol.observation import ScreenParser, plain_screen
from harness.execution.replies import ENTRY, SOURCES, RememberedAnswers
from harness.execution.runner import SubmissionRunner
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Tier
from harness.model.stimulus import Limits

_MIB = 1024 * 1024
_MODULES = (
    "messages.frames", "messages.objects", "messages.codec", "messages.exceptions",
    "modules", "limits", "stand_ins.graph", "stand_ins.calls",
    "scenario.evaluate", "scenario.process", "piped",
)  # fmt: skip
_PROGRAM = f"""\
{bootstrap.LOADER}
import os
modules, setup, job = [message(lambda count: os.read(0, count)) for _ in range(3)]
package = load(modules, ("limits",))
package.piped.serve(setup, job)
"""


class PipedDriver:
    """A context manager like `Driver`, used from one thread."""

    def __init__(self, interpreter: Interpreter, *, hash_seed: int = 0) -> None:
        self.interpreter = interpreter
        self.tier = Tier.PORTABLE
        self._command = [str(interpreter.path), *bootstrap.FLAGS, "-c"]
        self._environment = bootstrap.environment(hash_seed) | {
            "MALLOC_ARENA_MAX": "1",  # a second thread must not take from the memory allowed
        }
        self._held = ExitStack()
        self._directory = ""
        self._modules = b""
        self.answers = RememberedAnswers()

    def __enter__(self) -> PipedDriver:
        modules = inside_modules(self.interpreter)
        self._modules = marshal.dumps([(name, modules[name]) for name in _MODULES], 2)
        self._directory = str(prepare(self._held.enter_context(scratch_directory())))
        return self

    def __exit__(self, *error: object) -> None:
        self._held.close()
        self._directory = ""

    @contextmanager
    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
    ) -> Iterator[PipedSubmission]:
        """One submission, to be observed; of `reference` functions can be substituted."""
        yield PipedSubmission(self, assignment, files, reference)

    @contextmanager
    def tool(self, sources: Mapping[str, str], entry: str) -> Iterator[PipedTool]:
        """A trusted function of ours, `entry` ("package.module:function", str to str), out of
        sources by module name."""
        yield PipedTool(self, sources, entry)

    def start(
        self,
        setup: bytes,
        job: dict[str, Any],
        words: Words,
        beats: CpuHeartbeat,
        *,
        memory_mib: int,
    ) -> PipedProcess:
        """A process that does this job. HarnessError when its interpreter cannot be run."""
        if not self._directory:
            raise HarnessError("the driver is used outside its context")
        command = [*self._command, _PROGRAM]
        process = PipedProcess(command, self._environment, self._directory)
        job |= {
            "ask": words.ask,
            "over": words.over,
            "beat": beats.period,
            "memory": memory_mib * _MIB,
        }
        for message in (self._modules, setup, marshal.dumps(job, 2)):
            process.send(framed(message))
        return process

    @property
    def folders(self) -> Path:
        """Where the folders of scenarios are made."""
        return folders_beside(Path(self._directory))

    def setup(self, more: Mapping[str, object], *, writes: bool = False) -> bytes:
        """What every process of a submission or tool receives first."""
        confinement = Confinement(tier_layers(self.tier)).for_server(
            self._directory, notify=False, writable=self._directory if writes else ""
        )
        common = {
            "directory": self._directory,
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
        return count_arguments(job["texts"][1], frozenset(self._functions))

    def _start_stand_in(
        self, stack: ExitStack, job: dict[str, Any], limits: Limits
    ) -> PipedStandIn:
        beats = CpuHeartbeat(limits)
        process = self._driver.start(
            self._stand_in_setup, job, Words(), beats, memory_mib=limits.memory_mib
        )
        stack.callback(process.close)
        return PipedStandIn(process, beats, limits)

    def _start(
        self, stack: ExitStack, job: dict[str, Any], screen: ScreenParser, limits: Limits
    ) -> PipedMonitor:
        words, beats = Words(), CpuHeartbeat(limits)
        process = self._driver.start(self._setup, job, words, beats, memory_mib=limits.memory_mib)
        stack.callback(process.close)
        return PipedMonitor(process, screen, words, beats, limits)


class PipedTool:
    """A function of ours, loaded anew for every call."""

    def __init__(self, driver: PipedDriver, sources: Mapping[str, str], entry: str) -> None:
        self._driver = driver
        modules = tool_modules(driver.interpreter, sources, entry)
        self._setup = driver.setup({"tool": modules, "entry": entry})

    def run(self, payload: str) -> str:
        """The function's answer. ToolFailed when it gave none, HarnessError when we failed."""
        words, beats = Words(), CpuHeartbeat(TOOL_LIMITS)
        process = self._driver.start(
            self._setup, {"payload": payload}, words, beats, memory_mib=TOOL_LIMITS.memory_mib
        )
        try:
            end = PipedMonitor(process, plain_screen(), words, beats, TOOL_LIMITS).follow()
        finally:
            process.close()
        return answer(end)
