"""One submission, ready to be observed."""

from __future__ import annotations

import os

from harness.execution.conversation import Conversation
from harness.execution.jobs import Jobs, marks_in
from harness.execution.observed import observation
from harness.execution.questions import Questions
from harness.execution.screen import Screen
from harness.execution.server_link import ServerLink
from harness.execution.terminals import a_terminal
from harness.model.observation import Observation, Phase
from harness.model.plan import Assignment
from harness.model.stimulus import Key, Limits, Stimulus

MARK_BYTES = 16


class SubmissionServer:
    """Observes one submission, a fresh process for each stimulus."""

    def __init__(self, link: ServerLink, assignment: Assignment, questions: Questions) -> None:
        self._link = link
        self._functions = tuple(function.name for function in assignment.functions)
        self._questions = questions
        self._jobs = Jobs(assignment)

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._link.server.pid

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """What the submission did. HarnessError when our own server failed."""
        failed = self._link.failed_to_prepare
        if failed is not None:
            return Observation(ending=failed.ending, phase=Phase.LOADING, detail=failed.detail)
        shown = Screen(mark=os.urandom(MARK_BYTES), most_marks=marks_in(stimulus))
        job = self._jobs.job(stimulus, limits)
        job["mark"] = shown.mark
        job["shim"] = self._link.listener is None
        job["question"] = self._questions.packed(self._functions, job.pop("asked"))
        wanted = job.pop("wanted")
        terminal = a_terminal(shown)
        try:
            self._link.start(
                job,
                terminal.slave,
                memory=job["memory"],
                wanted=wanted,
                controlled=any(typed.key is Key.CTRL_C for typed in stimulus.inputs),
            )
            end = Conversation(
                self._link.server,
                self._link.listener,
                terminal,
                limits=limits,
                inputs=stimulus.inputs,
            ).follow()
        finally:
            terminal.close()
        return observation(stimulus, limits, shown, end)
