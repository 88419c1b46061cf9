"""Stand-ins for what costs most in a test: an engine that grades in this process, and drivers that
live on from one command to the next. The driver and its confinement are real, the worker process is
left out. What is about workers or about drivers themselves uses the pool, and processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from unittest.mock import patch

from harness.execution import AnyDriver, Driver, Interpreter
from harness.grading.engines import Job, WorkerSetup
from harness.grading.engines.worker import grade_in_turn
from harness.model.observation import Tier

# Who begins a driver for a task of its own.
_USERS = {
    "create_driver": (
        *("grading.check", "grading.context", "grading.engines.worker", "grading.single_runs"),
        *("study.fuzz.worker", "study.similarity", "study.style", "study.transcripts"),
    ),
    "Driver": ("grading.single_runs", "grading.validation.checks", "study.playing"),
}


class InlineEngine(AbstractContextManager["InlineEngine"]):
    """Takes the arguments of a `Pool`, and grades one job after the other."""

    def __init__(self, setup: WorkerSetup, jobs: int | None = None) -> None:
        self._setup = setup

    def __exit__(self, *_: object) -> None:
        """Nothing lives on: the driver ends with the last job."""

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Any]]:
        waiting = list(jobs)
        if waiting:
            yield from grade_in_turn(self._setup, iter(waiting))


class Drivers(AbstractContextManager["Drivers"]):
    """One driver for each interpreter, tier and way to run, begun by the first who asks for it.
    One whose user failed is not used again. It is pinned to no core: it would pin the tests."""

    def __init__(self) -> None:
        self._running: dict[tuple[object, ...], AnyDriver] = {}
        self._patches = ExitStack()

    def __enter__(self) -> Drivers:
        for name, modules in _USERS.items():
            for module in modules:
                self._patches.enter_context(patch(f"harness.{module}.{name}", self._driver))
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.close()
        for driver in self._running.values():
            driver.__exit__(None, None, None)

    def _driver(
        self, interpreter: Interpreter, tier: Tier, cpu: int | None = None, **changes: int
    ) -> AbstractContextManager[AnyDriver]:
        return _Lent(self._running, interpreter, tier, changes)


class _Lent(AbstractContextManager[AnyDriver]):
    def __init__(
        self,
        running: dict[tuple[object, ...], AnyDriver],
        interpreter: Interpreter,
        tier: Tier,
        changes: dict[str, int],
    ) -> None:
        self._running = running
        self._begin = lambda: Driver(interpreter, tier, **changes)  # type: ignore[arg-type]
        self._key = (interpreter, tier, *changes.items())

    def __enter__(self) -> AnyDriver:
        if self._key not in self._running:
            self._running[self._key] = self._begin().__enter__()
        return self._running[self._key]

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._running.pop(self._key).__exit__(None, None, None)
