"""Which way of running programs this machine has: on terminals, else over pipes; what a tool may
use, and how it may fail; which processors to work on."""

from __future__ import annotations

import importlib
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import cache
from pathlib import Path
from typing import Protocol, Self

from harness.common.errors import HarnessError
from harness.execution.folder import folders_beside
from harness.execution.interpreter import Interpreter
from harness.execution.protocol.observation import End
from harness.execution.protocol.reply import TamperedError, read_text
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Ending, Observation, Tier
from harness.model.stimulus import Limits, Stimulus


class Observes(Protocol):
    """One submission, ready to be observed."""

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """What it does when given this stimulus. HarnessError when our own machinery failed."""


class Answers(Protocol):
    """A loaded function of ours, ready to be called."""

    def run(self, payload: str) -> str:
        """Its answer. ToolFailed when it gave none, HarnessError when we failed."""


class AnyDriver(ABC):
    """What runs submissions, in whichever way; a context manager, used from one thread."""

    def __init__(self, interpreter: Interpreter, tier: Tier) -> None:
        self.interpreter = interpreter
        self.tier = tier
        self._held = ExitStack()
        self._directory = ""

    @abstractmethod
    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None:
        self._held.close()
        self._directory = ""

    @abstractmethod
    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
    ) -> AbstractContextManager[Observes]:
        """One submission. Functions of `reference` can be substituted for its own: they answer from
        another process. HarnessError when our own machinery fails."""

    @abstractmethod
    def tool(self, sources: Mapping[str, str], entry: str) -> AbstractContextManager[Answers]:
        """A trusted function of ours, `entry` ("package.module:function", str to str), out of
        sources by module name; each call in a process of its own."""

    @property
    def directory(self) -> str:
        """Where scenarios run. HarnessError outside the driver's context."""
        if not self._directory:
            raise HarnessError("the driver is used outside its context")
        return self._directory

    @property
    def folders(self) -> Path:
        """Where the folders of scenarios are made."""
        return folders_beside(Path(self.directory))


@cache
def has_terminals() -> bool:
    """Whether there are pseudo-terminals, forks, and a kernel that reports on processes: Linux.

    macOS has the first two. Without the third a loop is told from a sleep by its limit alone, so
    that pipes, over which a process tells of itself, do better there.
    """
    try:
        for name in ("fcntl", "pty", "resource", "termios"):
            importlib.import_module(name)
    except ImportError:
        return False
    return all(hasattr(os, name) for name in ("fork", "openpty", "pidfd_open"))


def create_driver(interpreter: Interpreter, tier: Tier, cpu: int | None = None) -> AnyDriver:
    """A driver on terminals where this machine has them, else one over pipes; `cpu` pins the first
    kind to one core."""
    if has_terminals():
        from harness.execution.linux.driver import Driver  # noqa: PLC0415  (loads where there are some)

        return Driver(interpreter, tier, cpu=cpu)
    from harness.execution.piped import PipedDriver  # noqa: PLC0415

    return PipedDriver(interpreter)


TOOL_LIMITS = Limits(cpu_seconds=10.0, wall_seconds=30.0, memory_mib=512, output_kib=256)


class ToolFailed(Exception):  # noqa: N818 - a fact about the payload, not about us
    """The call gave no answer; `ending`: how it ended instead."""

    def __init__(self, ending: Ending, detail: str = "") -> None:
        self.ending = ending
        self.detail = detail
        super().__init__(f"{ending}: {detail}" if detail else str(ending))


def answer(end: End) -> str:
    """The text that a tool's process answered with. ToolFailed when it gave none."""
    if end.reason is not None:
        raise ToolFailed(end.reason)
    try:
        text = read_text(end.reply)
    except TamperedError as error:
        raise ToolFailed(Ending.TAMPERED, str(error)) from None
    if text is None or end.exit_code != 0:
        raise ToolFailed(Ending.CRASHED, f"exit status {end.exit_code}")
    return text


def cores() -> list[int]:
    """The processors this process may use. Which comes first depends on the process, so that runs
    side by side do not all begin with the same one."""
    if hasattr(os, "sched_getaffinity"):
        numbers = sorted(os.sched_getaffinity(0))
    else:
        numbers = list(range(os.cpu_count() or 1))
    first = os.getpid() % len(numbers)
    return numbers[first:] + numbers[:first]


def pick_cpu() -> int | None:
    """One of them for a driver of this process alone: pinned with its servers, it answers several
    times faster."""
    return cores()[0] if hasattr(os, "sched_setaffinity") else None
