"""Runs that must give the same result: the reference's with other seeds and with stand-ins, and
every program's in shared and in separate processes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from harness.common import serial
from harness.execution import pick_cpu
from harness.grading.context import GradingContext
from harness.grading.grader import Graded
from harness.grading.machine import terminal_driver
from harness.grading.observing.answer_key import CheckName, Problem, expectation
from harness.grading.observing.draws import Observer, run_scenario
from harness.judging.judge import combine, judge
from harness.matchers.kinds.chance import ByChance
from harness.model.observation import Isolation, Observation
from harness.model.plan import Scenario
from harness.model.result import ScenarioResult, SubmissionResult
from harness.model.stimulus import Stimulus
from harness.model.verdict import Verdict, VerdictKind
from harness.stimuli.call import Call

_SECOND_SEED = 20_011
_ADDRESS = re.compile("0x[0-9a-f]+")
_BY_CHANCE = "random seed. Hint: state one (seed: 1), or leave random results open"
_BY_OTHERS = "hash seed, clock, folder or order. Hint: if the time matters, state clock: 2026-03-01"


@contextmanager
def reference_again(context: GradingContext, **how: Any) -> Iterator[Observer]:
    """Run the reference once more within the block; `how` are settings of the driver."""
    specification = context.specification
    with (
        terminal_driver(context.interpreter, context.tier.tier, cpu=pick_cpu(), **how) as driver,
        driver.submission(specification.plan.assignment, specification.reference) as server,
    ):
        yield server


def printing_givens(context: GradingContext) -> Iterator[str]:
    """Return advice about each `given:` that prints, of a scenario that states the output: its
    output counts there."""
    if not context.specification.reference:
        return
    asked: dict[Stimulus, Scenario] = {}
    for scenario in context.specification.plan.scenarios:
        stimulus = scenario.stimuli[0]
        may_print = "(" in stimulus.given and not stimulus.action.program
        if may_print and _states_output(scenario):
            quiet = replace(stimulus, action=Call(expression="None"), inputs=(), bindings=())
            asked.setdefault(quiet, scenario)
    if not asked:
        return
    with reference_again(context) as server:
        for stimulus, scenario in asked.items():
            if server.observe(stimulus, scenario.limits).printed:
                what = "the output of given: counts as output of the call"
                yield f"{scenario.id}: {what}. Hint: remove the print from given:"


def _states_output(scenario: Scenario) -> bool:
    for stated in (scenario.stated, *scenario.stated_cases):
        if stated.prints is not None or stated.turns is not None:
            return True
    return False


def second_run(context: GradingContext) -> Iterator[Problem]:
    """Run the reference again: fresh server, other hash seed, random seed, clock, directory and
    order of scenarios.

    Every scenario that it then fails is a problem; outcomes that a scenario leaves open may differ.
    """
    if not context.specification.reference:
        return
    problems: list[Problem] = []
    with reference_again(context, hash_seed=4711, clock_offset=200 * 86_400 + 12_345) as server:
        for scenario in reversed(context.specification.plan.scenarios):
            stimuli = tuple(_with_second_seed(stimulus, scenario) for stimulus in scenario.stimuli)
            if _passes(context, server, replace(scenario, stimuli=stimuli)):
                continue
            depends_on = _BY_OTHERS
            if _passes(context, server, scenario):
                depends_on = _BY_CHANCE
            what = f"has another outcome with another {depends_on}"
            problems.append(Problem.of(scenario, CheckName.REPEAT, what))
    yield from reversed(problems)


def _with_second_seed(stimulus: Stimulus, scenario: Scenario) -> Stimulus:
    """Return the stimulus with another seed, unless it states its own. What many calls must be like
    holds under each seed."""
    is_of_many = isinstance(scenario.stated.returns, ByChance)
    if stimulus.seed is not None and not is_of_many:
        return stimulus
    return replace(stimulus, seed=_SECOND_SEED)


def _passes(context: GradingContext, server: Observer, scenario: Scenario) -> bool:
    observed = run_scenario(server, scenario, scenario.limits)
    first = [answer.observation for answer in context.key.answers(scenario.id)]
    return list(observed) == first or _verdict(context, scenario, observed).passed


def _verdict(
    context: GradingContext, scenario: Scenario, observed: Sequence[Observation]
) -> Verdict:
    """Return the reference's verdict for a scenario in which it was observed once more."""
    assignment = context.specification.plan.assignment
    verdicts: list[Verdict] = []
    kinds: list[VerdictKind] = []
    rows = zip(scenario.stimuli, observed, context.key.answers(scenario.id), strict=False)
    for stimulus, observation, answer in rows:
        verdict = judge(observation, expectation(scenario, stimulus, answer, assignment), stimulus)
        verdicts.append(verdict)
        kinds.append(verdict.kind)
    return combine(kinds, verdicts.__getitem__)


def stand_in_problems(context: GradingContext) -> Iterator[Problem]:
    """Yield every scenario that the reference fails as soon as its stand-ins are used."""
    specification = context.specification
    scenarios = [scenario for scenario in specification.plan.scenarios if scenario.stand_ins]
    if not specification.reference or not scenarios:
        return
    with reference_again(context) as server:
        for scenario in scenarios:
            again = scenario.standing_in()
            verdict = _verdict(context, again, run_scenario(server, again, again.limits))
            if not verdict.passed:
                files = ", ".join(stand_in.file for stand_in in scenario.stand_ins)
                what = f"with {files} the reference fails it: {verdict.message}"
                yield Problem.of(scenario, CheckName.STAND_IN, what, joint=": ")


def isolation_problems(together: Graded, alone: Graded) -> tuple[Problem, ...]:
    """Return every difference between a submission's results of both ways, apart from how it ran:
    verdicts, messages, marks, findings and every observed channel, without addresses.
    """
    found: list[str] = []
    different: set[str] = set()
    for shared, apart in zip(together.result.scenarios, alone.result.scenarios, strict=True):
        if shared == apart:
            continue
        different.add(shared.scenario_id)
        if _without_addresses(shared) != _without_addresses(apart):
            outcomes = f"{_in_words(shared)} together, {_in_words(apart)} separately"
            found.append(f"{shared.scenario_id}: {outcomes}")
    for name, digest in alone.observed_digests.items():
        if name not in different and together.observed_digests.get(name) != digest:
            found.append(f"{name}: behaved differently in a shared process and in its own")
    if not found and _whole_result(together) != _whole_result(alone):
        found.append("its mark or its findings differ between the two ways")
    return tuple(Problem(CheckName.ISOLATION, alone.result.id, message) for message in found)


def _whole_result(graded: Graded) -> str:
    """Return a result as text, apart from how it ran."""
    result = replace(graded.result, isolation=Isolation.ALONE, isolation_reason="")
    return _without_addresses(result)


def _without_addresses(result: ScenarioResult | SubmissionResult) -> str:
    """Return the value as text without addresses, which differ from process to process."""
    return _ADDRESS.sub("0x…", serial.dumps(result))


def _in_words(outcome: ScenarioResult) -> str:
    kind, message = outcome.verdict.kind.value, outcome.verdict.message
    if not message:
        return kind
    return f"{kind} ({message})"
