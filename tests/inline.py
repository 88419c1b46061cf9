"""An engine that grades in this process: the driver and its confinement are real, the worker
process is left out. What is about workers themselves uses the pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from harness.grading.engines import Job, WorkerSetup
from harness.grading.engines.worker import grade_in_turn


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
