"""The answer key: the reference run through every scenario, in a server of its own; and what each
stimulus of a scenario is compared with.

What of the reference may share a process is observed together: the walls, the shared process and
the audit are those of a submission (`shared_run`). What has no canonical form, and what was not
seen together, is observed alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256

from harness.common.errors import HarnessError, UserError
from harness.execution import CPU_SHARE, AnyDriver, Interpreter, ToolFailed, decoded, may_share
from harness.grading.observing.running import (
    LOWEST_FACTOR,
    LOWEST_SECONDS,
    Observer,
    read_program,
    run_scenario,
)
from harness.grading.observing.shared_run import SharingObserver
from harness.judging.goldens import disagreements
from harness.judging.judge import resolve
from harness.matchers.kinds.equal_to import EqualTo
from harness.matchers.kinds.values import PythonValue
from harness.model.expectation import (
    KEY_VERSION,
    Answer,
    AnswerKey,
    Expectation,
    Expected,
    PythonAnswer,
    ScenarioAnswers,
)
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Assignment, Plan, Scenario, SourceFile
from harness.model.specification import Specification
from harness.model.stimulus import Call, Limits, Stimulus, called_function
from harness.model.values import Value
from harness.policy.sources import ENTRY, SOURCES
from harness.results.reuse import execution_digest

Asked = tuple[Stimulus, Limits]
_MOST_SECONDS = LOWEST_SECONDS / LOWEST_FACTOR
_BRIEF = _MOST_SECONDS / CPU_SHARE


class ReferenceObserver:
    """Answers with what was seen together, else observes."""

    def __init__(self, server: Observer, seen: dict[Stimulus, Observation]) -> None:
        self._server = server
        self._seen = seen

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        seen = self._seen.get(stimulus)
        return self._server.observe(stimulus, limits) if seen is None else seen


def observe_reference(
    driver: AnyDriver,
    server: Observer,
    assignment: Assignment,
    reference: tuple[SourceFile, ...],
    asked: Iterable[Asked],
) -> ReferenceObserver:
    """An observer of the reference that has already seen together whatever of this may be."""
    seen: dict[Stimulus, Observation] = {}
    if isinstance(server, SharingObserver) and _may_share(driver, assignment, reference):
        shared = {stimulus: limits for stimulus, limits in asked if may_share(stimulus)}
        seen = _observe_together(server, shared)
        if not _holds_alone(server, seen, shared):
            seen = {}
    return ReferenceObserver(server, seen)


def _may_share(
    driver: AnyDriver, assignment: Assignment, reference: tuple[SourceFile, ...]
) -> bool:
    try:
        with driver.tool(SOURCES, ENTRY) as tool:
            sharing = read_program(tool, assignment, reference).sharing
    except ToolFailed:
        return False
    return sharing is not None and sharing.allowed


def _observe_together(
    server: SharingObserver, asked: dict[Stimulus, Limits]
) -> dict[Stimulus, Observation]:
    # How long it took is measured alone only, and limits of looping submissions follow from it:
    # what runs here may take so little only, and counts as if it had taken all of that.
    brief = {
        number: (stimulus, replace(limits, cpu_seconds=min(limits.cpu_seconds, _BRIEF)))
        for number, (stimulus, limits) in enumerate(asked.items())
    }
    seen: dict[Stimulus, Observation] = {}
    for group in server.group(brief):
        group.cpu_seconds = max(asked[brief[number][0]].cpu_seconds for number in group.jobs)
        outcome = server.observe_together(group, sorted(group.jobs))
        if outcome.refused:
            return {}
        for number, data in outcome.seen.items():
            stimulus, limits = brief[number]
            observation = decoded(data, stimulus, limits, arguments=group.jobs[number].arguments)
            if observation is not None:
                seen[stimulus] = replace(observation, cpu_seconds=_MOST_SECONDS)
    return seen


def _holds_alone(
    server: Observer, seen: dict[Stimulus, Observation], asked: dict[Stimulus, Limits]
) -> bool:
    """Whether one stimulus of each function and set of constants does alone what it did."""
    chosen: dict[object, Stimulus] = {}
    for stimulus in seen:
        action = stimulus.action
        called = called_function(action.expression) if isinstance(action, Call) else type(action)
        chosen.setdefault((called, stimulus.constants), stimulus)
    return all(server.observe(each, asked[each]) == seen[each] for each in chosen.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A scenario's words and the reference's doing that do not fit together."""

    scenario: Scenario
    sentence: str

    def __str__(self) -> str:
        return f"{self.scenario.place}: {self.scenario.id}: {self.sentence}"


def made_with(interpreter: Interpreter, tier: Tier, plan: Plan) -> str:
    """What a key depends on beside the plan and the reference: a short digest."""
    parts = [
        interpreter.build,
        tier.value,
        execution_digest(),
        *(file.data.hex() for file in plan.assignment.variants[0].files),
    ]
    return sha256("\n".join(parts).encode()).hexdigest()


def make_key(specification: Specification, driver: AnyDriver) -> AnswerKey:
    """Run the reference through the plan. Without a reference the key has no answers."""
    plan = specification.plan
    scenarios: tuple[ScenarioAnswers, ...] = ()
    if specification.reference:
        scenarios = _run_reference(plan, specification.reference, driver)
    return AnswerKey(
        version=KEY_VERSION,
        spec_digest=plan.spec_digest,
        reference_digest=plan.reference_digest,
        made_with=made_with(driver.interpreter, driver.tier, plan),
        scenarios=scenarios,
    )


def _run_reference(
    plan: Plan, reference: tuple[SourceFile, ...], driver: AnyDriver
) -> tuple[ScenarioAnswers, ...]:
    answered: list[ScenarioAnswers] = []
    with driver.submission(plan.assignment, reference) as alone:
        server = observe_reference(driver, alone, plan.assignment, reference, _asked(plan))
        for scenario in plan.scenarios:
            observed = run_scenario(server, scenario, scenario.limits)
            if observed[-1].ending is Ending.HARNESS_ERROR:
                raise HarnessError(f"the reference was not observed in {scenario.id}")
            answers = tuple(
                Answer(
                    observation=observation,
                    python=tuple(
                        PythonAnswer(
                            expression=expression,
                            value=_evaluate(server, stimulus, expression, scenario),
                        )
                        for expression in python_expressions(scenario.stated_for(stimulus))
                    ),
                )
                for stimulus, observation in zip(scenario.stimuli, observed, strict=False)
            )
            answered.append(ScenarioAnswers(scenario_id=scenario.id, answers=answers))
    return tuple(answered)


def python_expressions(stated: Expected) -> tuple[str, ...]:
    """The sources of every `{python: …}` and `{equals: …}` a scenario states."""
    kinds = (PythonValue, EqualTo)
    return tuple(part.expression for part in stated.parts() if isinstance(part, kinds))


def _asked(plan: Plan) -> Iterator[tuple[Stimulus, Limits]]:
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            if not scenario.faster_than:  # how long it takes is measured alone
                yield stimulus, scenario.limits
            for expression in python_expressions(scenario.stated_for(stimulus)):
                yield _question(stimulus, expression), scenario.limits


def _question(stimulus: Stimulus, expression: str) -> Stimulus:
    """The stimulus whose value is that of `expression` beside another stimulus."""
    return Stimulus(
        action=Call(expression=expression),
        given=stimulus.given,
        bindings=stimulus.bindings,
        constants=stimulus.constants,
        provide=stimulus.provide,
        seed=stimulus.seed,
    )


def _evaluate(server: Observer, stimulus: Stimulus, expression: str, scenario: Scenario) -> Value:
    observation = server.observe(_question(stimulus, expression), scenario.limits)
    if observation.value is None:
        why = observation.raised.message if observation.raised else observation.ending.value
        raise UserError(
            f"{expression} gave no value beside the reference ({why})",
            place=str(scenario.place),
            hint="it may use provided constants, given names and the reference's functions",
        )
    return observation.value


def key_disagreements(plan: Plan, key: AnswerKey) -> tuple[Disagreement, ...]:
    """Where the reference does not do what the scenarios state, in the plan's order."""
    found: list[Disagreement] = []
    for scenario in plan.scenarios if key.scenarios else ():
        answers = key.answers(scenario.id)
        for stimulus, answer in zip(scenario.stimuli, answers, strict=False):
            expected_turns = expectation(scenario, stimulus, answer, plan.assignment)
            try:
                sentences = disagreements(answer.observation, expected_turns, stimulus)
            except HarnessError as failure:
                raise HarnessError(f"{scenario.place}: {scenario.id}: {failure}") from None
            found += [Disagreement(scenario=scenario, sentence=each) for each in sentences]
    return tuple(found)


def parameters(stimulus: Stimulus, assignment: Assignment) -> tuple[str, ...]:
    """The reference's names for a call's positional arguments; empty for other stimuli."""
    if not isinstance(stimulus.action, Call):
        return ()
    name = called_function(stimulus.action.expression)
    for function in assignment.functions:
        if function.name == name:
            return function.parameters
    return ()


def expectation(
    scenario: Scenario, stimulus: Stimulus, answer: Answer | None, assignment: Assignment
) -> Expectation:
    """What one stimulus is held to; without an answer (no reference) only what is stated."""
    return Expectation(
        stated=resolve(scenario.stated_for(stimulus), answer.python if answer else ()),
        reference=answer.observation if answer else None,
        parameters=parameters(stimulus, assignment),
        within=assignment.floats_within,
    )
