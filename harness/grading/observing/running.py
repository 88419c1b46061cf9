"""Runs a submission's scenarios: which, in what order, under which limits, and when to stop.

A submission that loops in every scenario must not cost the full limit each time, and a mark must
not depend on that: docs/decisions/a-looping-submission-has-a-budget.md. The budget follows from the
plan and the reference's times, so the same submission meets the same limits in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Self

from harness.common import serial
from harness.common.logs import logger_of
from harness.execution import (
    TOOL_LIMITS,
    ToolFailed,
    TrustedFunction,
    extra_modules,
    program_files,
)
from harness.grading.observing.draws import (
    LIMIT_ENDINGS,
    SAYS_NOTHING_ALONE,
    DrawObserver,
    ReceiveDraw,
    Source,
    observe_draws,
)
from harness.model.expectation import AnswerKey
from harness.model.observation import Ending, Observation
from harness.model.plan import Assignment, Plan, Scenario, SourceFile
from harness.model.policy import PolicyReport, PolicyRequest, ProgramFiles
from harness.model.stimulus import Limits

_log = logger_of(__name__)

# The shortened limit, as long as the budget allows: CPU seconds, and times the reference's own.
SHORTENED_SECONDS = 0.05
REFERENCE_FACTOR = 50
# And below this it never comes. A correct program's process takes one to two milliseconds.
MIN_SECONDS = 0.008
MIN_FACTOR = 3
MIN_WALL_SECONDS = 0.25
# In full limits, of the twenty that may be spent. The rest is for scenarios of functions that are
# known to end, for the milliseconds until a process is killed, and for our own processes: the
# driver's terminal by itself takes a millisecond and a half a scenario.
BUDGET = 10
FOR_SHORTENED = 6  # of those at most for limits above the lowest, less what full limits took
MIN_SHARE = 0.25  # of the budget for full limits, however many scenarios there are

# Times its limit: no program fails that keeps to it. How fast a machine is, is known to a quarter;
# the same program took up to 1.1 times as long beside 20 other processes.
TOLERATED = 1.5
SECOND_LOOKS = 2  # that hit the limit again, before all is taken for a loop: two full limits each

_SAYS_NOTHING = SAYS_NOTHING_ALONE | {Ending.MISSING, Ending.HARNESS_ERROR}

Recall = Callable[[Scenario], tuple[Observation, ...] | None]


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The lowest and the highest CPU limit that a scenario may be given, in seconds."""

    scenario: Scenario
    low: float
    high: float

    def limits(self, share: float) -> Limits:
        """Return the limits at this share of the way from `low` to `high`.

        With less CPU time there is proportionally less time to sleep.
        """
        full = self.scenario.limits
        cpu = self.low + share * (self.high - self.low)
        asleep = max(MIN_WALL_SECONDS, full.wall_seconds * cpu / full.cpu_seconds)
        wall = min(full.wall_seconds, asleep)
        return replace(full, cpu_seconds=cpu, wall_seconds=wall)


class LoopingBudget:
    """The CPU seconds that one run of a plan, in one part or several, may spend on scenarios that
    do not end."""

    def __init__(self, plan: Plan, key: AnswerKey | None) -> None:
        self._needed: dict[str, float] = {}
        self._endless: set[str] = set()
        if key is not None:
            self._learn_from(key)
        longest = 0.0
        for scenario in plan.scenarios:
            longest = max(longest, scenario.limits.cpu_seconds)
        # A scenario with a limit far above the assignment's can have it all, and a witness too.
        whole = max(BUDGET * plan.assignment.limits.cpu_seconds, 2 * longest)
        # Every scenario must be tried, at least this long; the rest may go to full limits.
        over = whole - MIN_SECONDS * len(plan.scenarios)
        self._left_for_full = max(over, whole * MIN_SHARE)
        self._left = whole * FOR_SHORTENED / BUDGET
        self._to_come = len(plan.scenarios)  # in this part and later ones

    def _learn_from(self, key: AnswerKey) -> None:
        for entry in key.scenarios:
            needed = 0.0
            for answer in entry.answers:
                needed = max(needed, answer.observation.cpu_seconds)
                if answer.observation.ending in LIMIT_ENDINGS:
                    self._endless.add(entry.scenario_id)
            self._needed[entry.scenario_id] = needed

    def begin_part(self, scenarios: Sequence[Scenario]) -> None:
        """Count these scenarios as begun; the others keep their share of the budget."""
        self._to_come -= len(scenarios)

    def is_endless(self, scenario: Scenario) -> bool:
        """Return whether the reference itself runs into a limit in this scenario, as submissions
        then should."""
        return scenario.id in self._endless

    def affords_full(self, scenario: Scenario) -> bool:
        """Return whether one more scenario may run into its full limit."""
        return scenario.limits.cpu_seconds <= self._left_for_full

    def spend_full(self, scenario: Scenario) -> None:
        """Count a scenario that runs into its full limit."""
        self._left_for_full -= scenario.limits.cpu_seconds
        self._left -= scenario.limits.cpu_seconds

    def take_shortened(self, scenarios: Iterable[Scenario]) -> dict[str, Limits]:
        """Spend time on these scenarios. Return limits by scenario id under which all of them
        together stay within the remaining time.

        With enough left, that is the greater of 0.05 s and 50 times the reference's CPU seconds;
        with less, all are lowered alike towards the least that a correct program needs. Later parts
        keep their share of the remaining time.

        An example: 200 scenarios may take 1 s each, the reference needs a millisecond, and nothing
        was spent, so that 6 s are left. The lowest limits, of 0.008 s, take 1.6 s of these. The
        highest, of 0.05 s, would take 8.4 s more, of which 4.4 s are left, a share of 0.52. So each
        scenario gets 0.008 s and 0.52 of the 0.042 s above it: 0.03 s, and all of them 6 s.
        """
        bounds = [self._bounds(scenario) for scenario in scenarios]
        lowest = sum(bound.low for bound in bounds)
        spare = sum(bound.high for bound in bounds) - lowest
        left = self._left
        if self._to_come:
            left *= len(bounds) / (len(bounds) + self._to_come)
        share = 1.0
        if spare:
            share = min(1.0, max(0.0, (left - lowest) / spare))
        limits: dict[str, Limits] = {}
        for bound in bounds:
            given = bound.limits(share)
            limits[bound.scenario.id] = given
        self._left -= sum(given.cpu_seconds for given in limits.values())
        return limits

    def _bounds(self, scenario: Scenario) -> _Bounds:
        needed = self._needed.get(scenario.id, 0.0)
        full = scenario.limits.cpu_seconds
        low = min(full, max(MIN_SECONDS, MIN_FACTOR * needed))
        high = min(full, max(SHORTENED_SECONDS, REFERENCE_FACTOR * needed))
        return _Bounds(scenario, low, high)


@dataclass(slots=True)
class FunctionMemory:
    """Knowledge about a submission's functions, and the time for them, while the parts of a
    plan run one after another."""

    budget: LoopingBudget
    looks_left: int = 0  # second runs; each that hits its limit again costs one
    ends: set[str] = field(default_factory=set)  # functions that came to an end at least once
    loops: set[str] = field(default_factory=set)  # functions that ran into a full limit

    def copy(self) -> FunctionMemory:
        """Return a copy that later runs do not change."""
        return FunctionMemory(copy(self.budget), self.looks_left, {*self.ends}, {*self.loops})

    def learn(self, later: FunctionMemory) -> None:
        """Take over a copy's newer knowledge."""
        self.budget, self.looks_left = later.budget, later.looks_left
        self.ends, self.loops = later.ends, later.loops


class _SecondLook(Enum):
    """The result of running a scenario with twice the time."""

    NOT_RUN = auto()  # no time was left
    HITS_LIMIT_AGAIN = auto()
    ENDS_LATE = auto()  # after the limit and the tolerance for errors
    ENDS_IN_TIME = auto()


@dataclass(slots=True)
class Running:
    """Runs all scenarios of a plan except those whose observations `recall` still has. `memory`
    is of the parts of the plan that ran before.

    A function whose scenario hit its full limit may loop: its other scenarios wait and then run at
    shortened limits. Only one of them, the function's witness, runs at its full limit too: if it
    ends by itself, the function does not loop.

    Recalling only saves running: which scenarios run, and under which limits, is decided as if
    nothing were recalled, so that a continued run has the same results as an uninterrupted one."""

    observer: DrawObserver
    plan: Plan
    key: AnswerKey | None
    recall: Recall = lambda scenario: None
    receive: ReceiveDraw | None = None
    thorough: bool = False
    memory: FunctionMemory | None = None
    _memory: FunctionMemory = field(init=False)
    # Both by scenario id, one a draw; fewer if a draw hit a limit.
    observed: dict[str, tuple[Observation, ...]] = field(default_factory=dict)
    sources: dict[str, tuple[Source, ...]] = field(default_factory=dict)
    put_off: dict[str, list[Scenario]] = field(default_factory=dict)  # by function

    def __post_init__(self) -> None:
        self._memory = self.memory or FunctionMemory(LoopingBudget(self.plan, self.key))

    def run(self) -> Self:
        """Run all scenarios at full limits, but postpone those that may loop to the end."""
        self._memory.budget.begin_part(self.plan.scenarios)
        for scenario in self.plan.scenarios:
            function = scenario.function
            if (
                self.thorough
                or self._memory.budget.is_endless(scenario)
                or function in self._memory.ends
            ):
                self._run(scenario, scenario.limits)
            elif function in self._memory.loops or not self._memory.budget.affords_full(scenario):
                self.put_off.setdefault(function, []).append(scenario)
            elif self._run(scenario, scenario.limits):
                self._memory.loops.add(function)
                self._memory.budget.spend_full(scenario)
        self._catch_up()
        self._look_again()
        return self

    def is_fresh(self, name: str) -> bool:
        """Return whether the scenario with this id ran now, and was not recalled."""
        return Source.CACHED not in self.sources[name]

    def _catch_up(self) -> None:
        """Run all postponed scenarios, and settle their results.

        Those of a function that may loop run at shortened limits, except one witness of each. If
        none of them ends by itself, the function loops: they fail as they are. Otherwise those that
        hit their shortened limit run again at the full one.
        """
        suspects: list[list[Scenario]] = []
        for function, scenarios in self.put_off.items():
            if function not in self._memory.ends:
                suspects.append(scenarios)
        witnesses = self._choose_witnesses(suspects)
        others: list[Scenario] = []
        for scenarios in suspects:
            others += [scenario for scenario in scenarios if scenario.id not in witnesses]
        limits = self._memory.budget.take_shortened(others)
        for scenarios in self.put_off.values():
            unsettled = self._run_shortened(scenarios, witnesses, limits)
            self._settle(unsettled, witnesses)

    def _run_shortened(
        self, scenarios: Sequence[Scenario], witnesses: set[str], limits: Mapping[str, Limits]
    ) -> list[Scenario]:
        """Run a function's scenarios at these limits. Once one of them ends by itself, the others
        have their full limits.

        Return those without a result: the witness, which has not run, and those that hit a
        shortened limit.
        """
        unsettled: list[Scenario] = []
        for scenario in scenarios:
            if scenario.function in self._memory.ends:
                self._run(scenario, scenario.limits)
            elif scenario.id in witnesses:
                unsettled.append(scenario)
            else:
                shortened = limits[scenario.id]
                has_hit = self._run(scenario, shortened)
                is_shorter = shortened != scenario.limits
                if has_hit and is_shorter and self.is_fresh(scenario.id):
                    unsettled.append(scenario)
        return unsettled

    def _choose_witnesses(self, suspects: Sequence[Sequence[Scenario]]) -> set[str]:
        """Choose one more scenario of each function for its full limit, as far as the budget goes:
        the last one, which is the least like the first."""
        witnesses: set[str] = set()
        for scenarios in suspects:
            last = scenarios[-1]
            if self._memory.budget.affords_full(last):
                self._memory.budget.spend_full(last)
                witnesses.add(last.id)
        return witnesses

    def _settle(self, unsettled: Sequence[Scenario], witnesses: set[str]) -> None:
        """Decide the scenarios of a function that ran into a shortened limit. The witness, which is
        the last, comes first: if it ends, the others may as well."""
        for scenario in reversed(unsettled):
            if scenario.id in witnesses or scenario.function in self._memory.ends:
                self._run(scenario, scenario.limits)
            else:
                *before, hit = self.observed[scenario.id]
                _log.info("scenario %s: stopped early, its function does not end", scenario.id)
                stopped = replace(hit, ending=Ending.STOPPED_EARLY, detail=hit.ending.value)
                self.observed[scenario.id] = (*before, stopped)

    def _run(self, scenario: Scenario, limits: Limits) -> bool:
        """Observe the scenario, or recall its observation at its full limit. Return whether it
        hit a limit."""
        outcome = self.recall(scenario)
        if outcome is None:
            draws = observe_draws(self.observer, scenario, limits, self.receive)
            outcome = tuple(draw.observation for draw in draws)
            self.sources[scenario.id] = tuple(draw.source for draw in draws)
        else:
            self.sources[scenario.id] = (Source.CACHED,) * len(outcome)
        self.observed[scenario.id] = outcome
        if self._memory.budget.is_endless(scenario):
            return False
        # A draw can show that the function can end by itself.
        if any(observation.ending not in _SAYS_NOTHING for observation in outcome):
            self._memory.ends.add(scenario.function)
        return outcome[-1].ending in LIMIT_ENDINGS

    def _look_again(self) -> None:
        """Run once more, with twice the time, scenarios that reached their full CPU limit: close to
        the limit, chance decides and not the program."""
        for scenario in self.plan.scenarios:
            if not self._memory.looks_left:
                return
            last = self.observed[scenario.id][-1]
            if last.ending is not Ending.CPU_LIMIT or not self.is_fresh(scenario.id):
                continue
            if self._memory.budget.is_endless(scenario):
                continue
            if self._second_look(scenario) is _SecondLook.ENDS_IN_TIME:
                self._rerun_stopped(scenario.function)

    def _rerun_stopped(self, function: str) -> None:
        """Run a function's scenarios that were stopped early again, at their full limits."""
        for scenario in self.plan.scenarios:
            stopped = self.observed[scenario.id][-1].ending is Ending.STOPPED_EARLY
            if stopped and scenario.function == function:
                self._run(scenario, scenario.limits)

    def _second_look(self, scenario: Scenario) -> _SecondLook:
        """Run the scenario with twice the time, and store what that shows.

        A run that ends within the limit and a tolerance for errors counts instead of the first. If
        it ends only within twice the limit, the first one counts, with a note of that.
        """
        _log.info("scenario %s: looking again, with twice the time", scenario.id)
        most = scenario.limits.cpu_seconds
        doubled = replace(scenario.limits, cpu_seconds=2 * most)
        draws = observe_draws(self.observer, scenario, doubled)
        again = [draw.observation for draw in draws]
        *before, hit = self.observed[scenario.id]
        if again[-1].ending is Ending.NOT_RUN:
            return _SecondLook.NOT_RUN
        if len(again) <= len(before) or again[len(before)].ending in LIMIT_ENDINGS:
            self._memory.looks_left -= 1
            return _SecondLook.HITS_LIMIT_AGAIN
        self._memory.looks_left = SECOND_LOOKS
        if any(observation.cpu_seconds >= TOLERATED * most for observation in again):
            self.observed[scenario.id] = (*before, replace(hit, ends_in_double=True))
            return _SecondLook.ENDS_LATE
        if self.receive is not None:
            for index, draw in enumerate(draws):
                again[index] = self.receive(scenario, index, draw)
        self.observed[scenario.id] = tuple(again)
        self.sources[scenario.id] = tuple(draw.source for draw in draws)
        self._memory.ends.add(scenario.function)
        return _SecondLook.ENDS_IN_TIME


def read_program(
    tool: TrustedFunction,
    assignment: Assignment,
    files: tuple[SourceFile, ...],
    limits: Limits = TOOL_LIMITS,
) -> PolicyReport:
    """Return the report of `tool`, the policy's entry point, on these files.

    Raise ToolFailed without an answer.
    """
    program = None
    if not assignment.isolate_all:
        submitted = program_files(assignment, files)
        beside = (replace(file, name=file.base_name) for file in assignment.extra_files)
        provided = (*assignment.variants[0].files, *beside)
        program = ProgramFiles(submitted=tuple(submitted), provided=provided)
    extra = tuple(file.name for file in extra_modules(assignment, files))
    request = PolicyRequest(
        files=files, policy=assignment.policy, program=program, extra_modules=extra
    )
    return serial.loads(PolicyReport, tool.run(serial.dumps(request), limits))


def program_may_share(
    tool: TrustedFunction, assignment: Assignment, files: tuple[SourceFile, ...]
) -> bool:
    """Return whether the text of a program of ours lets its scenarios share a process."""
    try:
        return read_program(tool, assignment, files).sharing.allowed
    except ToolFailed:
        return False
