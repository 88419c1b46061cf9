"""Runs submissions in a browser.

The page's worker holds two interpreters. This one has the answers and judges. The other one, the
`Machine` that the worker's JavaScript provides, runs the student's code in its own memory, which is
restored before each scenario (`harness.execution.inside.browser`). Both take turns in one thread,
so a typed line can be given when it is asked for. A program that does not end is ended by the
worker, or together with it.
"""

from __future__ import annotations

import marshal
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from harness.common.errors import HarnessError
from harness.execution.course_replies import REPLY_ENTRY, REPLY_SOURCES
from harness.execution.folder import MAX_ENTRIES
from harness.execution.inside.messages.frames import framed
from harness.execution.inside.messages.protocol import (
    CourseTestJob,
    FromBrowser,
    ScenarioJob,
    StandInJob,
    SuiteJob,
    ToolJob,
    encode_job,
    split,
)
from harness.execution.inside.modules import load_tool
from harness.execution.interpreter import Interpreter
from harness.execution.process_server import ProcessServer
from harness.execution.protocol.jobs import INNER_ENVIRONMENT, LOADER, compiled_here, inside_modules
from harness.execution.protocol.observation import ProcessExit
from harness.execution.protocol.screen import ScreenParser
from harness.execution.runner import AnyDriver
from harness.execution.scenario_monitor import ScenarioMonitor
from harness.execution.stand_in_process import StandInProcess
from harness.execution.trusted_function import TOOL_LIMITS
from harness.model.observation import Ending, Observation, Phase, Tier
from harness.model.stimulus import Key, Limits

# A browser's interpreter takes this many seconds for what takes one CPU second elsewhere.
SLOWER = 3.0
_EMPTY, _FOLDER = "/empty", "/folder"  # the machine's for scenarios; those that need one in that
_MIB = 1024 * 1024
_MODULES = (
    "messages.frames", "messages.protocol", "messages.arrays", "messages.codec",
    "messages.exceptions",
    "running", "scenario.streams", "remote.values", "remote.peer", "remote.server",
    "remote.streams", "remote.guarded",
    "cells", "modules", "replacing", "waits", "clock", "stand_ins.calls",
    "scenario.evaluate", "stimuli", "scenario.counting", "scenario.figures",
    "scenario.process", "browser",
)  # fmt: skip
# `boot` takes what `machine_modules` gives.
MACHINE_BOOT = f"""\
{LOADER}
def boot(terminal, pipe, questions, answers):
    import os
    channel = os.open(questions, os.O_RDONLY)
    modules = message(lambda count: os.read(channel, count))
    os.close(channel)
    for folder in {_EMPTY, _FOLDER!r}:
        os.mkdir(folder)
    return load(modules, ()).browser.ServerInBrowser(terminal, pipe, questions, answers)
"""


def machine_modules() -> bytes:
    """Return the code of the modules with which the machine is started, as bytes."""
    return _message(inside_modules(None, _MODULES))


def _message(value: Any) -> bytes:
    return framed(marshal.dumps(value, 2))


class MachineEnd(Protocol):
    """How a run of the machine ended.

    `began` tells whether the program was compiled and the job began. `exit_code` is negative if a
    signal would have ended the run. `passed` tells whether the run exceeded its time limit.
    """

    began: bool
    exit_code: int
    seconds: float
    passed: bool


class Machine(Protocol):
    """The interpreter that runs the student's code. Its programs can call only their monitor."""

    files: Any  # its own, as Emscripten keeps them

    def run(
        self, setup: bytes, job: bytes, monitor: BrowserMonitor, seconds: float, memory: int
    ) -> MachineEnd:
        """Run a job in the memory that `setup` prepared, for at most `seconds` and with at most
        `memory` further bytes. Job and setup are encoded messages.
        """

    def extend(self, seconds: float) -> None:
        """Extend the run's time limit by so many seconds."""

    def interrupt_after(self, seconds: float) -> None:
        """Interrupt the run as the signal SIGPROF would, after so many seconds; 0 means never."""

    def begins(self, number: int, seconds: float) -> bool:
        """Tell the page that run `number` begins and ends within so many seconds.

        Return False if an earlier attempt at this run did not end, and was ended together with the
        worker.
        """


class BrowserDriver(AnyDriver):
    """Runs each stimulus in its own copy of the machine's memory."""

    def __init__(self, interpreter: Interpreter, machine: Machine) -> None:
        super().__init__(interpreter, Tier.PORTABLE)
        self.machine = machine
        self._runs = 0

    def serve(self, stack: ExitStack, setup: Mapping[str, Any]) -> BrowserServer:
        common = {"directory": _EMPTY, "environment": INNER_ENVIRONMENT}
        return BrowserServer(self, _message(common | dict(setup)))

    def compiled(self, sources: Mapping[str, str], entry: str) -> dict[str, bytes]:
        return compiled_here(sources)

    def replies(self, stack: ExitStack) -> _OwnTool:
        return _OwnTool()

    def begins(self, limits: Limits) -> bool:
        """Return whether the next run may begin.

        The runs are numbered: in every attempt, the same program makes the same runs in the same
        order.
        """
        self._runs += 1
        return self.machine.begins(self._runs, SLOWER * limits.cpu_seconds + limits.wall_seconds)


class BrowserServer(ProcessServer):
    """Has the machine do each job."""

    def __init__(self, driver: BrowserDriver, setup: bytes) -> None:
        self._driver = driver
        self._setup = setup

    def seen_of_all(self, limits: Limits) -> Observation | None:
        """Return the observation, "over the limit", of a program that had to be ended together
        with the worker; None for any other.
        """
        if self._driver.begins(limits):
            return None
        return Observation(ending=Ending.CPU_LIMIT, phase=Phase.STIMULUS)

    def start_stand_in(
        self, stack: ExitStack, job: StandInJob | CourseTestJob | SuiteJob, limits: Limits
    ) -> StandInProcess:
        raise HarnessError("the browser page cannot use stand-ins")

    def start(
        self,
        stack: ExitStack,
        job: ScenarioJob | ToolJob,
        screen: ScreenParser,
        limits: Limits,
        *,
        hears_ctrl_c: bool = False,
    ) -> BrowserMonitor:
        folder = ""
        if isinstance(job, ScenarioJob) and job.folder:
            folder = job.folder
            files = tuple(_taken_from(Path(folder)))
            job = job.replaced(files=files, folder=_FOLDER)
        machine = self._driver.machine
        monitor = BrowserMonitor(machine, self._setup, framed(encode_job(job)), screen, limits)
        monitor.folder = folder
        return monitor


def _taken_from(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Move all files out of the folder: yield each file's path in it and its content, and delete
    it. The machine writes them back after the run.
    """
    for place in sorted(folder.rglob("*"), reverse=True):  # a folder's content comes before it
        if place.is_dir():
            place.rmdir()
            continue
        yield place.relative_to(folder).as_posix(), place.read_bytes()
        place.unlink()


class _OwnTool:
    """Runs the course's functions in this interpreter, because the machine is busy with the
    program that asks.
    """

    def run(self, payload: str, limits: Limits = TOOL_LIMITS) -> str:
        return _replies()(payload)


@cache
def _replies() -> Callable[[str], str]:
    return load_tool(compiled_here(REPLY_SOURCES), REPLY_ENTRY)


class BrowserMonitor(ScenarioMonitor):
    """Follows one run of the machine, which calls `shown`, `said` and `typed` meanwhile.

    The run ends if `shown` or `said` returns False, or `typed` returns None.
    """

    def __init__(
        self, machine: Machine, setup: bytes, job: bytes, screen: ScreenParser, limits: Limits
    ) -> None:
        super().__init__(screen, limits, lambda message: None)
        self._machine = machine
        self._setup = setup
        self._job = job
        self._limits = limits
        self._asleep = 0.0
        self.folder = ""  # the machine's folder, whose files are looked at afterwards

    def _follow(self) -> ProcessExit:
        end = self._machine.run(
            self._setup,
            self._job,
            self,
            SLOWER * self._limits.cpu_seconds,
            self._limits.memory_mib * _MIB,
        )
        self.compiled = end.began
        if end.passed:
            self._stop(Ending.CPU_LIMIT)
        if self.folder:
            self._bring_back()
        return ProcessExit(code=end.exit_code, cpu_seconds=end.seconds / SLOWER)

    def _bring_back(self) -> None:
        """Copy the run's files to our folder: at most one more than the report shows."""
        files, found = self._machine.files, [""]
        for below in found:  # it grows
            source, target = _FOLDER + below, Path(self.folder + below)
            mode = files.lstat(source).mode
            if stat.S_ISLNK(mode):
                target.symlink_to("nowhere")
            elif stat.S_ISREG(mode):
                target.write_bytes(files.readFile(source).to_bytes())
            elif stat.S_ISDIR(mode):
                target.mkdir(exist_ok=True)
                names = [name for name in files.readdir(source) if name not in (".", "..")]
                found += [f"{below}/{name}" for name in names[: MAX_ENTRIES + 2 - len(found)]]

    def _kill(self) -> None:
        pass  # the machine looks at the answer

    def _exclude_since(self, begun: float) -> None:
        pass  # nor does it count the time that an answer takes

    def shown(self, data: Any) -> bool:
        """Record visible output, which comes as a JavaScript array."""
        self._show(data.to_bytes())
        return self._reason is None

    def said(self, data: Any) -> bool:
        self._read(data.to_bytes())
        return self._reason is None

    def typed(self) -> bytes | None:
        """Return the next line for the program; empty at the end of the input, None to end the
        run.
        """
        if (typed := self._type_next()) is None:
            return None
        if typed.key is not None:
            return b"" if typed.key is Key.CTRL_D else b"\x03"  # Ctrl-C
        return typed.text.encode("utf-8", "surrogateescape") + b"\n"

    def _handled(self, frame: bytes) -> bool:
        kind, body = split(frame)
        if kind not in (FromBrowser.SLEEPS, FromBrowser.INTERRUPT_AFTER):
            return super()._handled(frame)
        try:
            seconds = min(max(float(body), 0.0), 1e6)
        except ValueError:
            return False
        if kind == FromBrowser.INTERRUPT_AFTER:
            self._machine.interrupt_after(SLOWER * seconds)
        elif (self._asleep + seconds) >= self._limits.wall_seconds:
            self._stop(Ending.TIMEOUT)
        else:
            self._asleep += seconds
            self._machine.extend(seconds)
        return True
