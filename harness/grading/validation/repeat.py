"""A second run of the reference under other circumstances: what differs was never determined."""

from __future__ import annotations

from dataclasses import replace

from harness.execution import Driver, Interpreter
from harness.grading.cores import a_core
from harness.grading.running import run_scenario
from harness.grading.validation.report import Problem
from harness.model.answer_key import AnswerKey
from harness.model.plan import Scenario
from harness.model.result import Tier
from harness.model.specification import Specification

SECOND_HASH_SEED = 4711
SECOND_RANDOM_SEED = 20_011
CLOCK_SHIFT_SECONDS = 200 * 86_400 + 12_345


def second_run(
    specification: Specification, key: AnswerKey, interpreter: Interpreter, tier: Tier
) -> tuple[Problem, ...]:
    """Run the reference again: fresh server, other hash seed, random seed, clock, directory and
    order of scenarios. Every scenario whose outcome differs is a problem."""
    if not specification.reference:
        return ()
    plan = specification.plan
    problems: list[Problem] = []
    with (
        Driver(
            interpreter,
            tier,
            cpu=a_core(),
            hash_seed=SECOND_HASH_SEED,
            clock_offset=CLOCK_SHIFT_SECONDS,
        ) as driver,
        driver.submission(plan.assignment, specification.reference) as server,
    ):
        for scenario in reversed(plan.scenarios):
            again = run_scenario(server, _reseeded(scenario), scenario.limits)
            first = [answer.observation for answer in key.answers(scenario.id)]
            if list(again) != first:
                problems.append(
                    Problem(
                        check="repeat",
                        place=str(scenario.place),
                        message=f"{scenario.id} has another outcome under another hash seed, "
                        "random seed, clock, directory or order",
                    )
                )
    return tuple(reversed(problems))


def _reseeded(scenario: Scenario) -> Scenario:
    # A scenario that states its seed asks for exactly that one; 0 is ours to change.
    stimuli = tuple(
        stimulus if stimulus.seed else replace(stimulus, seed=SECOND_RANDOM_SEED)
        for stimulus in scenario.stimuli
    )
    return replace(scenario, stimuli=stimuli)
