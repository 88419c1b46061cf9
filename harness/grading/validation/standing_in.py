"""The reference with the course's modules in place of its own: a stand-in has to be right too."""

from __future__ import annotations

from harness.execution import Driver, Interpreter
from harness.grading.cores import a_core
from harness.grading.expectations import expectation
from harness.grading.running import run_scenario
from harness.grading.validation.report import Problem
from harness.judging import combine, judge
from harness.model.answer_key import AnswerKey
from harness.model.result import Tier
from harness.model.specification import Specification


def stand_in_problems(
    specification: Specification, key: AnswerKey, interpreter: Interpreter, tier: Tier
) -> tuple[Problem, ...]:
    """Every scenario that the reference fails as soon as its stand-ins are laid."""
    plan = specification.plan
    scenarios = [scenario for scenario in plan.scenarios if scenario.stand_ins]
    if not specification.reference or not scenarios:
        return ()
    problems: list[Problem] = []
    with (
        Driver(interpreter, tier, cpu=a_core()) as driver,
        driver.submission(plan.assignment, specification.reference) as server,
    ):
        for scenario in scenarios:
            again = scenario.standing_in()
            observed = run_scenario(server, again, again.limits)
            answers = key.answers(scenario.id)
            rows = zip(again.stimuli, observed, answers, strict=False)
            verdict = combine(
                [
                    judge(seen, expectation(again, stimulus, answer, plan.assignment), stimulus)
                    for stimulus, seen, answer in rows
                ]
            )
            if not verdict.passed:
                files = ", ".join(each.file for each in scenario.stand_ins)
                message = f"{scenario.id}: with {files} the reference fails it: {verdict.message}"
                problems.append(
                    Problem(check="stand-in", place=str(scenario.place), message=message)
                )
    return tuple(problems)
