"""Runs a submission's scenarios: which, in what order, under which limits, and when to stop.

A submission that loops in every scenario must not cost the full limit each time, and a mark must
not depend on that: docs/decisions/a-looping-submission-has-a-budget.md. What that may cost follows
from the plan and the reference's times: the same submission meets the same limits in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import InitVar, dataclass, field, replace
from typing import Self

from harness.common import serial
from harness.execution import Answers, Observes, ToolFailed, extra_modules, program_files
from harness.model.expectation import AnswerKey
from harness.model.observation import Ending, Observation, Phase
from harness.model.plan import Assignment, Plan, Scenario, SourceFile
from harness.model.policy import PolicyReport, PolicyRequest, ProgramFiles
from harness.model.stimulus import Limits

# The shortened limit, as long as the budget allows: CPU seconds, and times the reference's own.
SHORTEST_SECONDS = 0.05
REFERENCE_FACTOR = 50
# And below this it never comes. A right program's process takes one to two milliseconds.
LOWEST_SECONDS = 0.008
LOWEST_FACTOR = 3
LOWEST_WALL_SECONDS = 0.25
# In full limits, of the twenty that may be spent. The rest is for scenarios of functions that are
# known to end, for the milliseconds until a process is killed, and for our own processes: the
# driver's terminal by itself takes a millisecond and a half a scenario.
BUDGET = 10
FOR_SHORTENED = 6  # of those at most for limits above the lowest, less what full limits took
LEAST_SHARE = 0.25  # of the budget for full limits, however many scenarios there are

SECOND_LOOKS = 2  # in vain, before all is taken for a loop: each costs two full limits

LIMIT_ENDINGS = frozenset({Ending.CPU_LIMIT, Ending.TIMEOUT})
SAYS_NOTHING_ALONE = LIMIT_ENDINGS | {Ending.NOT_RUN}  # of whether a shared run told the truth
_SAYS_NOTHING = SAYS_NOTHING_ALONE | {Ending.MISSING, Ending.HARNESS_ERROR}
_LAST_DRAW_ENDINGS = LIMIT_ENDINGS | {
    Ending.MEMORY_LIMIT,
    Ending.OUTPUT_LIMIT,
    Ending.CRASHED,
    Ending.MISSING,
    Ending.NOT_RUN,
}

Observer = Observes
Recall = Callable[[Scenario], tuple[Observation, ...] | None]
Keep = Callable[[Scenario, int, Observation], Observation]  # what is kept of a draw of a scenario


class LoopingBudget:
    """Of one run of a plan, in one part or several: what may be spent on scenarios that do not
    end."""

    def __init__(self, plan: Plan, key: AnswerKey | None) -> None:
        self._needed: dict[str, float] = {}
        self._endless: set[str] = set()
        for entry in key.scenarios if key else ():
            draws = [answer.observation for answer in entry.answers]
            self._needed[entry.scenario_id] = max((seen.cpu_seconds for seen in draws), default=0.0)
            if any(seen.ending in LIMIT_ENDINGS for seen in draws):
                self._endless.add(entry.scenario_id)
        longest = max((one.limits.cpu_seconds for one in plan.scenarios), default=0.0)
        # A scenario with a limit far above the assignment's can have it all, and a witness too.
        whole = max(BUDGET * plan.assignment.limits.cpu_seconds, 2 * longest)
        # Every scenario must be tried, if only so long; what is over may go to full limits.
        over = whole - LOWEST_SECONDS * len(plan.scenarios)
        self._left_for_full = max(over, whole * LEAST_SHARE)
        self._left = whole * FOR_SHORTENED / BUDGET
        self._to_come = len(plan.scenarios)  # in this part and later ones

    def begin_part(self, scenarios: Sequence[Scenario]) -> None:
        """Count these scenarios as begun; the others keep their share of the budget."""
        self._to_come -= len(scenarios)

    def is_endless(self, scenario: Scenario) -> bool:
        """Return whether the reference itself runs into a limit there, as it then should."""
        return scenario.id in self._endless

    def affords_full(self, scenario: Scenario) -> bool:
        """Return whether one more scenario may run into its full limit."""
        return scenario.limits.cpu_seconds <= self._left_for_full

    def spend_full(self, scenario: Scenario) -> None:
        self._left_for_full -= scenario.limits.cpu_seconds
        self._left -= scenario.limits.cpu_seconds

    def shortened(self, scenarios: Iterable[Scenario]) -> dict[str, Limits]:
        """Limits by scenario id under which all of these together stay within what is left. With
        enough left that is the greater of 0.05 s and 50 times the reference's CPU seconds; with
        less, all are lowered alike towards what a right program needs at the least. Later parts
        have their share of it left."""
        bounds: list[tuple[Scenario, float, float]] = []
        for scenario in scenarios:
            needed, most = self._needed.get(scenario.id, 0.0), scenario.limits.cpu_seconds
            low = min(most, max(LOWEST_SECONDS, LOWEST_FACTOR * needed))
            high = min(most, max(SHORTEST_SECONDS, REFERENCE_FACTOR * needed))
            bounds.append((scenario, low, high))
        lowest = sum(low for _, low, _ in bounds)
        spare = sum(high for _, _, high in bounds) - lowest
        left = self._left
        if self._to_come:
            left *= len(bounds) / (len(bounds) + self._to_come)
        share = min(1.0, max(0.0, (left - lowest) / spare)) if spare else 1.0
        limits: dict[str, Limits] = {}
        for scenario, low, high in bounds:  # with less CPU time as much less time to sleep
            cpu, full = low + share * (high - low), scenario.limits
            asleep = max(LOWEST_WALL_SECONDS, full.wall_seconds * cpu / full.cpu_seconds)
            wall = min(full.wall_seconds, asleep)
            limits[scenario.id] = replace(full, cpu_seconds=cpu, wall_seconds=wall)
        self._left -= sum(given.cpu_seconds for given in limits.values())
        return limits


@dataclass(slots=True)
class FunctionMemory:
    """What is known of a submission's functions, and may be spent on them, while the parts of a
    plan run one after another."""

    budget: LoopingBudget
    looks_left: int = 0  # in vain, at what ran into its limit
    ends: set[str] = field(default_factory=set)  # functions that came to an end at least once
    loops: set[str] = field(default_factory=set)  # functions that ran into a full limit

    def copy(self) -> FunctionMemory:
        """Return a copy that later runs do not change."""
        return FunctionMemory(copy(self.budget), self.looks_left, {*self.ends}, {*self.loops})

    def learn(self, later: FunctionMemory) -> None:
        """Take over what a copy of this has learnt meanwhile."""
        self.budget, self.looks_left = later.budget, later.looks_left
        self.ends, self.loops = later.ends, later.loops


def run_scenario(
    observer: Observer, scenario: Scenario, limits: Limits, keep: Keep | None = None
) -> tuple[Observation, ...]:
    """Run every draw in order and return what is to `keep` of each.

    A draw that hit a limit, or whose program did not even load, is the last, because the next would
    do the same.
    """
    observed: list[Observation] = []
    for index, stimulus in enumerate(scenario.stimuli):
        observation = observer.observe(stimulus, limits)
        if keep is not None:
            observation = keep(scenario, index, observation)
        observed.append(observation)
        if observation.ending in _LAST_DRAW_ENDINGS or observation.phase is Phase.LOADING:
            break
    return tuple(observed)


@dataclass(slots=True)
class Running:
    """Runs a submission's scenarios, all of a plan but those whose observations `recall` still has.
    `memory` is of the parts of the plan that ran before. What is recalled only saves running: what
    is run, and under which limits, is decided as if nothing were, so that a run that goes on finds
    what an uninterrupted one does."""

    observer: Observer
    plan: Plan
    key: AnswerKey | None
    recall: Recall = lambda scenario: None
    keep: Keep | None = None
    thorough: bool = False
    memory: InitVar[FunctionMemory | None] = None
    _memory: FunctionMemory = field(init=False)
    budget: LoopingBudget = field(init=False)
    # By scenario id, one a draw; fewer where a draw hit a limit.
    observed: dict[str, tuple[Observation, ...]] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)  # scenarios that were not recalled
    ends: set[str] = field(init=False)
    loops: set[str] = field(init=False)
    put_off: dict[str, list[Scenario]] = field(default_factory=dict)  # by function

    def __post_init__(self, memory: FunctionMemory | None) -> None:
        if memory is None:
            memory = FunctionMemory(LoopingBudget(self.plan, self.key))
        self._memory = memory
        self.budget, self.ends, self.loops = memory.budget, memory.ends, memory.loops

    def run(self) -> Self:
        """Run all at full limits but those that may loop, which are put off; then these."""
        self.budget.begin_part(self.plan.scenarios)
        for scenario in self.plan.scenarios:
            function = scenario.function
            if self.thorough or self.budget.is_endless(scenario) or function in self.ends:
                self._run(scenario, scenario.limits)
            elif function in self.loops or not self.budget.affords_full(scenario):
                self.put_off.setdefault(function, []).append(scenario)
            elif self._run(scenario, scenario.limits):
                self.loops.add(function)
                self.budget.spend_full(scenario)
        self._catch_up()
        self._look_again()
        return self

    def _catch_up(self) -> None:
        """Run all that was put off, and decide what became of it."""
        suspects = [them for f, them in self.put_off.items() if f not in self.ends]
        # One more scenario of each function has its full limit, as far as the budget goes: the
        # last, which is the least like the first.
        witnesses: set[str] = set()
        for *_, last in suspects:
            if self.budget.affords_full(last):
                self.budget.spend_full(last)
                witnesses.add(last.id)
        others = [one for them in suspects for one in them if one.id not in witnesses]
        limits = self.budget.shortened(others)
        for function, scenarios in self.put_off.items():
            unsettled: list[Scenario] = []
            for scenario in scenarios:
                if function in self.ends:
                    self._run(scenario, scenario.limits)
                elif scenario.id in witnesses:
                    unsettled.append(scenario)
                else:
                    shortened = limits[scenario.id]
                    hit = self._run(scenario, shortened)
                    if hit and scenario.id in self.fresh and shortened != scenario.limits:
                        unsettled.append(scenario)
            # The witness, which is the last, first: if it ends, the others may as well.
            for scenario in reversed(unsettled):
                if scenario.id in witnesses or function in self.ends:
                    self._run(scenario, scenario.limits)
                else:
                    *before, seen = self.observed[scenario.id]
                    stopped = replace(seen, ending=Ending.STOPPED_EARLY, detail=seen.ending.value)
                    self.observed[scenario.id] = (*before, stopped)

    def _run(self, scenario: Scenario, limits: Limits) -> bool:
        """Observe it, or remember its observation at its full limit; return whether it hit one."""
        outcome = self.recall(scenario)
        if outcome is None:
            self.fresh.add(scenario.id)
            outcome = run_scenario(self.observer, scenario, limits, self.keep)
        self.observed[scenario.id] = outcome
        if self.budget.is_endless(scenario):
            return False
        # A draw can show that the function can end by itself.
        if any(observation.ending not in _SAYS_NOTHING for observation in outcome):
            self.ends.add(scenario.function)
        return outcome[-1].ending in LIMIT_ENDINGS

    def _look_again(self) -> None:
        """Look once more, with twice the time, at what ran into its full limit of CPU time: close
        to it the moment decides, and not the program."""
        memory = self._memory
        for scenario in self.plan.scenarios:
            seen = self.observed[scenario.id][-1]
            is_new = scenario.id in self.fresh and not self.budget.is_endless(scenario)
            if not memory.looks_left or not is_new or seen.ending is not Ending.CPU_LIMIT:
                continue
            if not self._ends_in_time(scenario):
                continue
            for other in self.plan.scenarios:
                stopped = self.observed[other.id][-1].ending is Ending.STOPPED_EARLY
                if stopped and other.function == scenario.function:
                    self._run(other, other.limits)

    def _ends_in_time(self, scenario: Scenario) -> bool:
        """Whether it keeps to its limit this time, which then counts; that it ends within twice
        the limit is noted."""
        most = scenario.limits.cpu_seconds
        doubled = replace(scenario.limits, cpu_seconds=2 * most)
        again = run_scenario(self.observer, scenario, doubled)
        *before, hit = self.observed[scenario.id]
        if again[-1].ending is Ending.NOT_RUN:
            return False
        if len(again) <= len(before) or again[len(before)].ending in LIMIT_ENDINGS:
            self._memory.looks_left -= 1
            return False
        self._memory.looks_left = SECOND_LOOKS
        if all(seen.cpu_seconds < most for seen in again):
            self.observed[scenario.id] = again
            if self.keep is not None:
                kept = [self.keep(scenario, *each) for each in enumerate(again)]
                self.observed[scenario.id] = tuple(kept)
            self.ends.add(scenario.function)
            return True
        self.observed[scenario.id] = (*before, replace(hit, ends_in_double=True))
        return False


def read_program(
    tool: Answers, assignment: Assignment, files: tuple[SourceFile, ...]
) -> PolicyReport:
    """Return the report of `tool`, the policy's entry point, on these files.

    Raise ToolFailed without an answer.
    """
    program = None
    if not assignment.isolate_all:
        own = program_files(assignment, files)
        provided = (*assignment.variants[0].files, *assignment.extra_files)
        program = ProgramFiles(submitted=tuple(own), provided=provided)
    extra = tuple(file.name for file in extra_modules(assignment, files))
    request = PolicyRequest(
        files=files, policy=assignment.policy, program=program, extra_modules=extra
    )
    return serial.loads(PolicyReport, tool.run(serial.dumps(request)))


def program_may_share(tool: Answers, assignment: Assignment, files: tuple[SourceFile, ...]) -> bool:
    """Return whether the text of a program of ours lets its scenarios share a process."""
    try:
        return read_program(tool, assignment, files).sharing.allowed
    except ToolFailed:
        return False
