"""The time budget of one submission: docs/decisions/a-submission-has-a-budget.md.

All CPU seconds are those of the usual machine. On a machine that is `slowness` times slower, limits
are as many times longer, so that the same program ends in the same way.

The budget counts the CPU time of the submission's processes (also of those that read, compile and
answer for it), this worker's CPU time for it, and time in which nobody computed. Once it is used
up, nothing more is observed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.execution import (
    LOADED_MACHINE,
    CpuMeter,
    SharedGroup,
    SharedOutcome,
    ShouldRetain,
    Sources,
    own_queued,
)
from harness.grading.observing.draws import LIMIT_ENDINGS, Observer
from harness.grading.observing.shared_process.shared_run import SharingObserver
from harness.model.expectation import AnswerKey
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan
from harness.model.stimulus import Limits, Stimulus

TIMES_THE_REFERENCE = 100
MIN_TOTAL = 60.0  # seconds
MIN_FOR_OURS = 1.0  # seconds, for each process of ours that reads or compiles a submission
MAX_TOTAL = 600.0
FULL_LIMITS = 30  # that fit in at any size: twenty may go to scenarios that loop
# As often as this thread is woken, so are the process that it observes and that one's server: each
# waits for a processor as long.
_QUEUING = 3
NOT_OBSERVED = Observation(ending=Ending.NOT_RUN)


def total_seconds(plan: Plan, key: AnswerKey) -> float:
    """Return the seconds that a submission may take: those of the assignment, or a default from
    the time that the reference took for the whole plan.
    """
    stated = plan.assignment.total_seconds
    if stated is not None:
        return stated
    if not key.scenarios:
        return MAX_TOTAL
    from_reference = min(MAX_TOTAL, TIMES_THE_REFERENCE * key.run_seconds)
    return max(MIN_TOTAL, from_reference, FULL_LIMITS * plan.assignment.limits.cpu_seconds)


def _own_seconds() -> float:
    """Return the CPU time of this thread, or 0 if no clock tells it.

    A browser has no such clock: one thread runs both this code and the program.
    """
    return time.thread_time() if hasattr(time, "thread_time") else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """Seconds that a submission took so far."""

    cpu: float = 0.0
    waiting: float = 0.0

    @property
    def most(self) -> float:
        return max(self.cpu, self.waiting)


class SubmissionBudget:
    """A submission's use of time, and the rest of its `seconds` (None: no bound).

    `beside` counts processes that no observation reports. `before` is the time of an earlier part
    of the same grading. Once the budget is over it stays over. It is also over after `pause_after`
    seconds of this part, if the submission is to continue later (`is_paused`).
    """

    def __init__(
        self,
        seconds: float | None,
        before: Used | None = None,
        *,
        pause_after: float | None = None,
        slowness: float = 1.0,
        beside: CpuMeter | None = None,
        queued: Callable[[], float] = own_queued,
    ) -> None:
        self.slowness = slowness
        self._used = before or Used()
        self._seconds = seconds
        self._ends = [end for end in (seconds,) if end is not None]
        self._pause_at: float | None = None
        if pause_after is not None:
            self._pause_at = self._used.most + pause_after
            self._ends.append(self._pause_at)
        self._beside = beside or CpuMeter()
        self._uncharged_before = self.uncharged()
        self._queued = queued
        self._queued_before = queued()
        self.is_over = False

    @property
    def is_paused(self) -> bool:
        """Return whether the budget ended before all of its time was used up."""
        return self.is_over and self._pause_at is not None and self._pause_at == min(self._ends)

    def uncharged(self) -> float:
        """Return a clock of this machine's CPU seconds that nobody charges: those of this thread
        and of the processes in `beside`.
        """
        return _own_seconds() + self._beside.seconds

    def used(self) -> Used:
        """Return the seconds used until now, by its processes and by this thread."""
        uncharged = (self.uncharged() - self._uncharged_before) / self.slowness
        return replace(self._used, cpu=self._used.cpu + uncharged)

    def left(self) -> float | None:
        """Return the seconds of CPU time or of waiting that are left, whichever is less; None: no
        end.
        """
        if not self._ends:
            return None
        left = min(self._ends) - self.used().most
        self.is_over |= left <= 0
        return 0.0 if self.is_over else left

    def for_ours(self, seconds: float) -> float:
        """Return how long one of the harness's own processes may read or compile the submission, in
        CPU seconds of this machine, at most `seconds`.

        It may use the rest of the whole budget, even if grading is to pause before the budget is
        used up.
        """
        if self._seconds is None:
            return seconds
        left = max(MIN_FOR_OURS, self._seconds - self.used().most)
        return min(seconds, left * self.slowness)

    def charge(self, cpu: float, uncharged: float, elapsed: float) -> None:
        """Count a process that ended, by this machine's seconds; `uncharged` is the time that
        the clock showed meanwhile.

        On a busy machine, waiting for a processor cannot be told from sleep. So only what exceeds
        many times its CPU time counts as waiting, and of that not what the kernel counted as this
        thread's own wait for a processor, nor as much for the processes that it observes.
        """
        waiting = elapsed - LOADED_MACHINE * (cpu + uncharged)
        if waiting > 0:
            waiting = max(0.0, waiting - _QUEUING * self._newly_queued())
        used = self._used
        waited = used.waiting + max(0.0, waiting)
        self._used = Used(cpu=used.cpu + cpu / self.slowness, waiting=waited)
        self.left()

    def _newly_queued(self) -> float:
        """Return for how many seconds this thread has waited for a processor since the last time
        that this was asked."""
        now = self._queued()
        new = now - self._queued_before
        self._queued_before = now
        return new


class BudgetedObserver:
    """Observes within a submission's budget; once that is used up, nothing more is run."""

    def __init__(self, server: Observer, budget: SubmissionBudget) -> None:
        self._server = server
        self._budget = budget

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        budget = self._budget
        left = budget.left()
        if left is not None and left <= 0:
            return NOT_OBSERVED
        within = limits if left is None else _cut(limits, left)
        with Stopwatch(budget) as watch:
            observed = self._server.observe(stimulus, _here(within, budget.slowness))
            watch.cpu = observed.cpu_seconds
        if budget.slowness != 1:
            observed = replace(observed, cpu_seconds=observed.cpu_seconds / budget.slowness)
        was_cut = within != limits and observed.ending in LIMIT_ENDINGS
        if was_cut:
            budget.is_over = True
            return NOT_OBSERVED
        return observed


class SharingBudgetedObserver(BudgetedObserver):
    """Observes as `BudgetedObserver` does, with a server in which stimuli may share a process."""

    _server: SharingObserver

    @property
    def sources(self) -> Sources:
        """Return the submission's files."""
        return self._server.sources

    def group(self, wanted: Mapping[int, tuple[Stimulus, Limits]]) -> tuple[SharedGroup, ...]:
        slowness = self._budget.slowness
        here = {
            number: (stimulus, _here(limits, slowness))
            for number, (stimulus, limits) in wanted.items()
        }
        return self._server.group(here)

    def observe_together(
        self,
        group: SharedGroup,
        order: Sequence[int],
        should_retain: ShouldRetain = lambda number, data: True,
        most_seconds: float | None = None,
    ) -> SharedOutcome:
        left = self._budget.left()
        if left is not None and left <= 0:
            return SharedOutcome(answers={})
        with Stopwatch(self._budget) as watch:
            most = None if left is None else left * self._budget.slowness
            outcome = self._server.observe_together(group, order, should_retain, most)
            watch.cpu = outcome.cpu_seconds
        return outcome


def calibrated(server: Observer, slowness: float) -> Observer:
    """Return the server with the usual machine's seconds, and no budget."""
    return budgeted(server, SubmissionBudget(None, slowness=slowness))


def budgeted(server: Observer, budget: SubmissionBudget) -> Observer:
    """Return the server with a budget that every process counts against."""
    if isinstance(server, SharingObserver):
        return SharingBudgetedObserver(server, budget)
    return BudgetedObserver(server, budget)


def _here(limits: Limits, slowness: float) -> Limits:
    """Return the limits by this machine's clock: a sleep takes as long on every machine."""
    return replace(limits, cpu_seconds=limits.cpu_seconds * slowness)


def _cut(limits: Limits, left: float) -> Limits:
    cpu = min(limits.cpu_seconds, left)
    return replace(limits, cpu_seconds=cpu, wall_seconds=min(limits.wall_seconds, left))


class Stopwatch:
    """Charges the budget for the time that passes within its block; `cpu` is the CPU time of the
    process observed there."""

    def __init__(self, budget: SubmissionBudget, clock: Callable[[], float] = time.monotonic):
        self._budget = budget
        self._clock = clock
        self.cpu = 0.0

    def __enter__(self) -> Stopwatch:
        self._begun, self._before = self._clock(), self._budget.uncharged()
        return self

    def __exit__(self, *error: object) -> None:
        uncharged = self._budget.uncharged() - self._before
        self._budget.charge(self.cpu, uncharged, self._clock() - self._begun)
