"""A worker process for tests: it notes each question, and is killed at some."""

import os
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from harness.execution import SubmissionServer
from harness.grading.engines import WorkerSetup
from harness.grading.engines.worker import grade_in_turn, worker_process
from harness.model.plan import Visibility
from harness.model.stimulus import Stimulus


@dataclass(frozen=True)
class DyingSetup:
    """Grades as `setup` says, and dies at each question in `deaths`, counted over all workers."""

    setup: WorkerSetup
    log: Path
    deaths: tuple[int, ...]

    def asked(self) -> list[Visibility]:
        """Return the visibility of each question that a process was asked."""
        return [Visibility(line) for line in self.log.read_text(encoding="utf-8").split()]


def main(descriptor: int, parent: int) -> None:
    worker_process(descriptor, parent, _serve)


def _serve(connection: Connection, setup: DyingSetup, cpu: int | None) -> None:
    scenarios = setup.setup.grader.plan.scenarios
    visibility = {each.stimuli[0].action: each.visibility for each in scenarios}
    observe = SubmissionServer.observe

    def observe_and_die(self: SubmissionServer, stimulus: Stimulus, *more: Any) -> Any:
        with setup.log.open("a", encoding="utf-8") as log:
            log.write(f"{visibility[stimulus.action]}\n")
        seen = observe(self, stimulus, *more)
        if len(setup.asked()) in setup.deaths:
            os.kill(os.getpid(), signal.SIGKILL)
        return seen

    SubmissionServer.observe = observe_and_die  # type: ignore[method-assign]
    jobs = iter(connection.recv, None)
    for _, message in grade_in_turn(setup.setup, jobs, cpu, connection.send):
        connection.send(message)
