"""The answer key: the reference run through every scenario, in its own server; and the cost of each
stimulus for comparison.

Parts of the reference that may share a process are observed together, as of a submission
(`shared_run`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256

from harness.common.errors import HarnessError, UserError
from harness.common.logs import logger_of
from harness.execution import CPU_SHARE, AnyDriver, Interpreter, decoded, may_share
from harness.grading.observing.budget import SubmissionBudget, budgeted
from harness.grading.observing.draws import Observer, run_scenario
from harness.grading.observing.running import (
    MIN_FACTOR,
    MIN_SECONDS,
    program_may_share,
)
from harness.grading.observing.shared_process.shared_run import SharingObserver
from harness.judging.goldens import ENDINGS_IN_WORDS, Unstated, disagreements
from harness.judging.judge import resolve
from harness.matchers.kinds.equal_to import EqualTo
from harness.model.expectation import (
    KEY_VERSION,
    Answer,
    AnswerKey,
    Expectation,
    Expected,
    OfExpression,
    PythonAnswer,
    ScenarioAnswers,
)
from harness.model.observation import Ending, Observation, Phase, Tier
from harness.model.plan import Assignment, Plan, Scenario, SourceFile, Specification
from harness.model.stimulus import Limits, Stimulus, called_function
from harness.policy.sources import ENTRY, SOURCES
from harness.results.reuse import execution_digest
from harness.stimuli.call import Call

_log = logger_of(__name__)
_MAX_SECONDS = MIN_SECONDS / MIN_FACTOR


@dataclass(frozen=True, slots=True)
class _ReferenceObserver:
    """Answers with observations of the shared run if there are any, otherwise observes."""

    server: Observer
    shared: dict[Stimulus, Observation]

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        known = self.shared.get(stimulus)
        if known is not None:
            return known
        return self.server.observe(stimulus, limits)


def _observe_shared(
    driver: AnyDriver, server: Observer, plan: Plan, reference: tuple[SourceFile, ...]
) -> dict[Stimulus, Observation]:
    """Observe sharable scenarios in shared processes; return nothing if a check refutes sharing."""
    if not isinstance(server, SharingObserver):
        return {}
    with driver.tool(SOURCES, ENTRY) as tool:
        if not program_may_share(tool, plan.assignment, reference):
            return {}
    asked = _shareable(plan)
    observed = _observe_together(server, asked)
    # One stimulus of each function and set of constants must do the same in its own process.
    chosen: dict[object, Stimulus] = {}
    for stimulus in observed:
        called = called_function(stimulus.action.expression)
        chosen.setdefault((type(stimulus.action), called, stimulus.constants), stimulus)
    for stimulus in chosen.values():
        if server.observe(stimulus, asked[stimulus]) != observed[stimulus]:
            return {}
    return observed


def _shareable(plan: Plan) -> dict[Stimulus, Limits]:
    """Return the stimuli of a plan, and the expressions that it evaluates, that may share a
    process."""
    asked: dict[Stimulus, Limits] = {}
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            questions: list[Stimulus] = []
            if not scenario.faster_than:  # its time is measured in its own process
                questions.append(stimulus)
            for part in evaluated_parts(scenario.stated_for(stimulus)):
                questions.append(_question(stimulus, part.expression))
            for question in questions:
                if may_share(question):
                    asked[question] = scenario.limits
    return asked


def _observe_together(
    server: SharingObserver, asked: dict[Stimulus, Limits]
) -> dict[Stimulus, Observation]:
    # Limits of looping submissions follow from the reference's time, which is measured only in its
    # own processes. So a run here has a short limit, and counts as if it had used all of it.
    most = _MAX_SECONDS / CPU_SHARE
    brief: dict[int, tuple[Stimulus, Limits]] = {}
    for number, (stimulus, limits) in enumerate(asked.items()):
        shortened = replace(limits, cpu_seconds=min(limits.cpu_seconds, most))
        brief[number] = (stimulus, shortened)
    observed: dict[Stimulus, Observation] = {}
    for group in server.group(brief):
        longest = max(asked[brief[number][0]].cpu_seconds for number in group.jobs)
        group.limits = replace(group.limits, cpu_seconds=longest)
        outcome = server.observe_together(group, sorted(group.jobs))
        if outcome.refused:
            return {}
        for number, data in outcome.answers.items():
            stimulus, limits = brief[number]
            observation = decoded(data, stimulus, limits, arguments=group.jobs[number].arguments)
            if observation is not None:
                observed[stimulus] = replace(observation, cpu_seconds=_MAX_SECONDS)
    return observed


class CheckName(StrEnum):
    """A check of `harness validate`, by the name that it prints."""

    CAUSES = "causes"
    COVERAGE = "coverage"
    FLOATS = "floats"
    GOLDENS = "goldens"
    ISOLATION = "isolation"
    MUTANTS = "mutants"
    OBJECTS = "objects"
    POLICY = "policy"
    REPEAT = "repeat"
    SAMPLES = "samples"
    STAND_IN = "stand-in"


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of an assignment: which `check` found it, where, and in which scenario, if in
    one."""

    check: CheckName
    place: str
    message: str
    scenario: str = ""  # its id
    reason: str = ""  # the message without the scenario's name and obvious parts

    @classmethod
    def of(
        cls, scenario: Scenario, check: CheckName, what: str, *, joint: str = " ", reason: str = ""
    ) -> Problem:
        """Return a problem of a scenario, whose name comes before `what`, joined by `joint`."""
        message = f"{scenario.id}{joint}{what}"
        return cls(check, str(scenario.place), message, scenario.id, reason or what)

    def __str__(self) -> str:
        if not self.place:
            return self.message
        return f"{self.place}: {self.message}"


def made_with(interpreter: Interpreter, tier: Tier, plan: Plan) -> str:
    """Return a short digest of everything that a key depends on, except the plan and the
    reference."""
    parts = [
        interpreter.build,
        tier.value,
        execution_digest(),
        *(file.data.hex() for file in plan.assignment.variants[0].files),
    ]
    return sha256("\n".join(parts).encode()).hexdigest()


def make_key(specification: Specification, driver: AnyDriver, slowness: float = 1.0) -> AnswerKey:
    """Run the reference through the plan. Without a reference the key has no answers."""
    plan, reference = specification.plan, specification.reference
    key = AnswerKey(
        version=KEY_VERSION,
        spec_digest=plan.spec_digest,
        reference_digest=plan.reference_digest,
        made_with=made_with(driver.interpreter, driver.tier, plan),
        scenarios=(),
    )
    if not reference:
        return key
    _log.info("observing the reference")
    answered: list[ScenarioAnswers] = []
    meter = SubmissionBudget(None, slowness=slowness, beside=driver.meter)
    with driver.submission(plan.assignment, reference) as server_alone:
        alone = budgeted(server_alone, meter)
        server = _ReferenceObserver(alone, _observe_shared(driver, alone, plan, reference))
        for scenario in plan.scenarios:
            answers = _answers(server, scenario)
            answered.append(ScenarioAnswers(scenario_id=scenario.id, answers=answers))
    return replace(key, scenarios=tuple(answered), run_seconds=meter.used().most)


def _answers(server: Observer, scenario: Scenario) -> tuple[Answer, ...]:
    observed = run_scenario(server, scenario, scenario.limits)
    if observed[-1].ending is Ending.HARNESS_ERROR:
        raise HarnessError(f"the reference was not observed in {scenario.id}")
    answers: list[Answer] = []
    for stimulus, observation in zip(scenario.stimuli, observed, strict=False):
        python = _evaluated(server, stimulus, scenario)
        answers.append(Answer(observation=observation, python=python))
    return tuple(answers)


def evaluated_parts(stated: Expected) -> tuple[OfExpression, ...]:
    """Return every `{python: …}` and `{equals: …}` that a scenario states."""
    return tuple(part for part in stated.parts() if isinstance(part, OfExpression))


def _question(stimulus: Stimulus, expression: str) -> Stimulus:
    """Return the stimulus that evaluates `expression` in the setting of another stimulus."""
    return Stimulus(
        action=Call(expression=expression),
        given=stimulus.given,
        at_load=stimulus.at_load,
        bindings=stimulus.bindings,
        constants=stimulus.constants,
        provide=stimulus.provide,
        seed=stimulus.seed,
        clock=stimulus.clock,
    )


def _evaluated(
    server: Observer, stimulus: Stimulus, scenario: Scenario
) -> tuple[PythonAnswer, ...]:
    place = str(scenario.place)
    answers: list[PythonAnswer] = []
    for part in evaluated_parts(scenario.stated_for(stimulus)):
        expression = part.expression
        observed = server.observe(_question(stimulus, expression), scenario.limits)
        if observed.value is None:
            raise _no_value(expression, observed, place)
        if isinstance(part, EqualTo) and part.tells_answer(observed.value):
            what = f"equals: {expression} is not an object of the program's own class"
            hint = "submissions would see it: write a literal, or {python: …}"
            raise UserError(what, place=place, hint=hint)
        answers.append(PythonAnswer(expression=expression, value=observed.value))
    return tuple(answers)


def _no_value(expression: str, observed: Observation, place: str) -> UserError:
    """Return the error about an expression that has no value with the reference, or about what
    runs before it."""
    why = ENDINGS_IN_WORDS[observed.ending]
    if observed.raised is not None:
        why = observed.raised.message or observed.raised.type_name
    what = f"{expression} has no value with the reference ({why})"
    hint = "it may use provided constants, given names and the reference's functions"
    if observed.phase is Phase.LOADING:
        what = f"the reference does not load ({why}), so {expression} has no value"
        hint = "correct the reference"
        if observed.ending is Ending.ASKED_FOR_MORE:
            hint = "if it asks for input while loading, write at_load: [Ann]"
    elif observed.phase is Phase.GIVEN:
        what = f"given: fails with the reference ({why}), so {expression} has no value"
        hint = "correct the given values"
    return UserError(what, place=place, hint=hint)


def key_disagreements(plan: Plan, key: AnswerKey) -> tuple[Problem, ...]:
    """Return disagreements of the reference with the scenarios, in the plan's order."""
    if not key.scenarios:
        return ()
    problems: list[Problem] = []
    for scenario in plan.scenarios:
        name = scenario.id
        for stimulus, answer in zip(scenario.stimuli, key.answers(name), strict=False):
            expected = expectation(scenario, stimulus, answer, plan.assignment)
            try:
                found = disagreements(answer.observation, expected, stimulus)
            except HarnessError as failure:
                raise HarnessError(f"{scenario.place}: {name}: {failure}") from None
            for said in found:
                reason = said.briefly() if isinstance(said, Unstated) else said
                problem = Problem.of(
                    scenario, CheckName.GOLDENS, str(said), joint=": ", reason=reason
                )
                problems.append(problem)
    return tuple(problems)


def parameters(stimulus: Stimulus, assignment: Assignment) -> tuple[str, ...]:
    """Return the reference's names for a call's positional arguments; empty for other stimuli."""
    name = called_function(stimulus.action.expression)
    for function in assignment.functions:
        if function.name == name:
            return function.parameters
    return ()


def expectation(
    scenario: Scenario, stimulus: Stimulus, answer: Answer | None, assignment: Assignment
) -> Expectation:
    """Return the expectation of one stimulus; without an answer (no reference) only the stated
    parts."""
    names = parameters(stimulus, assignment)
    stated = scenario.stated_for(stimulus)
    if answer is None:
        return Expectation(stated=resolve(stated, ()), reference=None, parameters=names)
    return Expectation(
        stated=resolve(stated, answer.python),
        reference=answer.observation,
        parameters=names,
    )
