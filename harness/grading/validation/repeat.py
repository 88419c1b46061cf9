"""A second run of the reference under other circumstances: what differs was never determined.

The reference with the course's modules in place of its own: a stand-in has to be right too. The two
ways of running scenarios, held against each other: together and each alone.
"""

from __future__ import annotations

import re
from dataclasses import replace

from harness.common import serial
from harness.execution import Driver, Interpreter, pick_cpu
from harness.grading.grader import Graded
from harness.grading.observing.answer_key import expectation
from harness.grading.observing.running import run_scenario
from harness.grading.validation.report import Problem
from harness.judging import combine, judge
from harness.model.expectation import AnswerKey
from harness.model.observation import Isolation, Tier
from harness.model.plan import Scenario
from harness.model.result import ScenarioResult, SubmissionResult
from harness.model.specification import Specification

SECOND_HASH_SEED = 4711
SECOND_RANDOM_SEED = 20_011
CLOCK_SHIFT_SECONDS = 200 * 86_400 + 12_345
_ADDRESS = re.compile("0x[0-9a-f]+")


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
            cpu=pick_cpu(),
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


def stand_in_problems(
    specification: Specification, key: AnswerKey, interpreter: Interpreter, tier: Tier
) -> tuple[Problem, ...]:
    """Every scenario that the reference fails as soon as its stand-ins are in place."""
    plan = specification.plan
    scenarios = [scenario for scenario in plan.scenarios if scenario.stand_ins]
    if not specification.reference or not scenarios:
        return ()
    problems: list[Problem] = []
    with (
        Driver(interpreter, tier, cpu=pick_cpu()) as driver,
        driver.submission(plan.assignment, specification.reference) as server,
    ):
        for scenario in scenarios:
            again = scenario.standing_in()
            observed = run_scenario(server, again, again.limits)
            answers = key.answers(scenario.id)
            rows = zip(again.stimuli, observed, answers, strict=False)
            verdicts = [
                judge(seen, expectation(again, stimulus, answer, plan.assignment), stimulus)
                for stimulus, seen, answer in rows
            ]
            verdict = combine([each.kind for each in verdicts], verdicts.__getitem__)
            if not verdict.passed:
                files = ", ".join(each.file for each in scenario.stand_ins)
                message = f"{scenario.id}: with {files} the reference fails it: {verdict.message}"
                problems.append(
                    Problem(check="stand-in", place=str(scenario.place), message=message)
                )
    return tuple(problems)


def isolation_problems(together: Graded, alone: Graded) -> tuple[Problem, ...]:
    """Every difference between a submission's results of both ways, but for how it ran: verdicts,
    messages, marks, findings, and every channel of what was observed; addresses apart."""
    name = alone.result.id
    found: list[str] = []
    different: set[str] = set()
    for one, other in zip(together.result.scenarios, alone.result.scenarios, strict=True):
        if one != other:
            different.add(one.scenario_id)
            if _without_addresses(one) != _without_addresses(other):
                found.append(f"{one.scenario_id}: {_said(one)} together, {_said(other)} alone")
    found += [
        f"{scenario_id}: another observation together than alone"
        for scenario_id, digest in alone.seen.items()
        if scenario_id not in different and together.seen.get(scenario_id) != digest
    ]
    if not found and _apart(together.result) != _apart(alone.result):
        found.append("its mark or its findings differ between the two ways")
    return tuple(Problem(check="isolation", place=name, message=message) for message in found)


def _apart(result: SubmissionResult) -> str:
    return _without_addresses(replace(result, isolation=Isolation.ALONE, isolation_reason=""))


def _without_addresses(result: ScenarioResult | SubmissionResult) -> str:
    """As text. Where an object lies differs from process to process, alone as well."""
    return _ADDRESS.sub("0x…", serial.dumps(result))


def _said(outcome: ScenarioResult) -> str:
    verdict = outcome.verdict
    return f"{verdict.kind.value} ({verdict.message})" if verdict.message else verdict.kind.value
