"""The interface by which processes are started, on every system."""

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
    """Starts processes with the same setup: a submission's, a tool's, or that of the course's
    stand-in modules.
    """

    owner: int | None = None  # the user for whom its scenarios' folders are made; None: this one

    def seen_of_all(self, limits: Limits) -> Observation | None:
        """Return the observation for every stimulus if no process can be started;
        otherwise None.
        """
        return None

    def compile(
        self, job: ScenarioJob, functions: tuple[str, ...]
    ) -> tuple[ScenarioJob, StimulusFacts]:
        """Return the job, with its texts compiled if the system compiles in advance, and facts
        about the stimulus. `functions` are the program's public functions.
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
        """Start a process that does this job; leaving `stack` ends it.

        With `hears_ctrl_c`, the typed input contains Ctrl-C.
        """

    @abstractmethod
    def start_stand_in(
        self, stack: ExitStack, job: StandInJob | CourseTestJob | SuiteJob, limits: Limits
    ) -> StandInProcess:
        """Start the process that runs the course's stand-in modules for a scenario; leaving
        `stack` ends it.
        """
