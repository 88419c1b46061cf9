"""Starts processes: what every way to run them provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack

from harness.execution.inside.messages.protocol import (
    CourseTestJob,
    ScenarioJob,
    StandInJob,
    SuiteJob,
    ToolJob,
)
from harness.execution.inside.scenario.evaluate import analyse
from harness.execution.protocol.answers import StimulusFacts
from harness.execution.protocol.screen import ScreenParser
from harness.execution.scenario_monitor import ScenarioMonitor
from harness.execution.stand_in_process import StandInProcess
from harness.model.observation import Observation
from harness.model.stimulus import Limits


class ProcessServer(ABC):
    """Starts processes with one setup: that of a submission, a tool, or the course's stand-ins."""

    owner: int | None = None  # the user for whom its scenarios' folders are made; None: this one

    def seen_of_all(self, limits: Limits) -> Observation | None:
        """Return the observation of every stimulus if no process can be started."""
        return None

    def compile(
        self, job: ScenarioJob, functions: tuple[str, ...]
    ) -> tuple[ScenarioJob, StimulusFacts]:
        """Return the job, its texts compiled if that is done in advance, and the facts of its
        stimulus for a program with these functions.
        """
        given, expression, steps, _ = job.texts or ("", "", (), "")
        needs, arguments = analyse(given, expression, steps, frozenset(functions))
        return job, StimulusFacts(frozenset(needs), arguments)

    @abstractmethod
    def start(
        self,
        stack: ExitStack,
        job: ScenarioJob | ToolJob,
        screen: ScreenParser,
        limits: Limits,
        *,
        hears_ctrl_c: bool = False,
    ) -> ScenarioMonitor:
        """Start a process that does this job, until the stack is left.

        With `hears_ctrl_c` that key is among the typed input.
        """

    @abstractmethod
    def start_stand_in(
        self, stack: ExitStack, job: StandInJob | CourseTestJob | SuiteJob, limits: Limits
    ) -> StandInProcess:
        """Start a process with the stand-ins of a scenario, until the stack is left."""
