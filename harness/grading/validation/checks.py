"""Checks of the plan and of the reference's answers: every clause has a scenario, values can be
compared, and what the reference does is determined: by other seeds, with stand-ins, both ways."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from harness.common import serial
from harness.common.words import counted
from harness.execution import Driver, pick_cpu
from harness.grading.context import GradingContext
from harness.grading.grader import Graded
from harness.grading.observing.answer_key import Problem, expectation
from harness.grading.observing.draws import Observer, run_scenario
from harness.judging.compare.value import argument_name
from harness.judging.judge import combine, judge
from harness.matchers.kinds.equal_to import EqualTo
from harness.matchers.kinds.values import AnyValue, OfType
from harness.model.expectation import AnswerKey, Expectation, Expected, Floats
from harness.model.observation import Isolation, Observation
from harness.model.plan import Clause, Plan, SampleExpectation, Scenario, SourceFile
from harness.model.result import ScenarioResult, SubmissionResult
from harness.model.values import Value, ValueKind
from harness.model.verdict import Verdict

_NOISE = 12  # digits: a float that is shorter when rounded to so many was computed
_WITHOUT_ATTRIBUTES = (AnyValue, EqualTo, OfType)  # no attribute is compared under these
_SECOND_SEED = 20_011
_ADDRESS = re.compile("0x[0-9a-f]+")
_BY_CHANCE = "random seed; state one (seed: 1), or leave open what chance decides"
_BY_OTHERS = "hash seed, clock, directory or order; where the time decides, state clock: 2026-03-01"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseCoverage:
    """How many scored scenarios test a clause."""

    clause: Clause
    scenarios: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionShare:
    """A function's scenarios, and its share of the functionality marks (0 to 1)."""

    function: str
    scenarios: int
    visible: int
    stimuli: int
    share: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantOutcome:
    """A mutant and the scenarios of its clause that noticed it; none: it survived."""

    clause: str
    why: str
    killed_by: tuple[str, ...]
    scenarios: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOutcome:
    """A sample submission: its mark, its differences from its expect.yaml, and the expectation
    that it meets now.

    That expectation has the entries that still hold; the others are replaced. `other_causes` says
    which causes it has in place of the stated ones; empty if they are the same, None if none are
    stated.
    """

    name: str
    mark: str
    failed: int
    parts: tuple[str, ...]
    accepted: SampleExpectation
    other_causes: str | None = None

    def problem(self, check: str, message: str) -> Problem:
        return Problem(check, f"{self.name}/expect.yaml", message)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrivialScore:
    """What a program that does nothing scores, and with which scenarios."""

    name: str
    mark: str
    out_of: str
    passed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """Everything `harness validate` shows; the assignment is sound when `problems` is empty.
    `advice` is what would be better otherwise, in one line each. `why_alone` says why no scenario
    of any program shared a process (None: some did)."""

    assignment: str
    scenarios: int
    groups: int
    stimuli: int
    goldens: int
    clauses: tuple[ClauseCoverage, ...]
    functions: tuple[FunctionShare, ...]
    mutants: tuple[MutantOutcome, ...]
    samples: tuple[SampleOutcome, ...]
    trivial: tuple[TrivialScore, ...]
    problems: tuple[Problem, ...]
    advice: tuple[str, ...] = ()
    why_alone: str | None = None
    tolerances: tuple[str, ...] = ()  # what the settings about floats and prompts do

    @property
    def sound(self) -> bool:
        return not self.problems


def needs_scenario(clause: Clause) -> bool:
    """Return whether the clause needs a scenario: settled ones about behaviour do; unsettled ones
    and those checked by policy do not.
    """
    return not clause.unsettled and clause.section != "policy"


def coverage(plan: Plan) -> tuple[tuple[ClauseCoverage, ...], tuple[Problem, ...]]:
    """Return each clause with its scored scenarios, and what is uncovered on either side."""
    clauses = plan.assignment.clauses
    scored = [scenario for scenario in plan.scenarios if not scenario.informational]
    counts = Counter(clause for scenario in scored for clause in scenario.clauses)
    rows = [ClauseCoverage(clause=clause, scenarios=counts[clause.id]) for clause in clauses]
    problems = [
        Problem("coverage", "clauses.yaml", f"clause {each.id} ({each.text}) has no scenario")
        for each in clauses
        if not counts[each.id] and needs_scenario(each)
    ]
    problems += [
        Problem.of(scenario, "coverage", f"scenario {scenario.id} names no clause")
        for scenario in scored
        if not scenario.clauses
    ]
    return tuple(rows), tuple(problems)


def shares(plan: Plan) -> tuple[FunctionShare, ...]:
    """Return each function's scenarios and share of the marks, in the plan's order."""
    scored = [s for s in plan.scenarios if not s.informational]
    total = sum((s.points for s in scored if not s.extra_credit), Fraction(0))
    by_function: defaultdict[str, list[Scenario]] = defaultdict(list)
    for scenario in scored:
        by_function[scenario.function].append(scenario)
    return tuple(
        FunctionShare(
            function=function,
            scenarios=len({s.group for s in scenarios}),
            visible=len({s.group for s in scenarios if s.visibility.value == "visible"}),
            stimuli=sum(len(s.stimuli) for s in scenarios),
            share=sum((s.points for s in scenarios), Fraction(0)) / total if total else Fraction(0),
        )
        for function, scenarios in by_function.items()
    )


def golden_count(plan: Plan) -> int:
    """Return how many scenarios state something of their own outcome."""
    return sum(
        bool(scenario.stated_cases) or _states_outcome(scenario.stated)
        for scenario in plan.scenarios
    )


_VALUES = "values and what a session shows of them"
_TEXTS = (
    "texts that are printed, returned, written or on stderr, sessions, transcripts, "
    "but not what matches: or shows: states"
)


def tolerances(plan: Plan) -> tuple[str, ...]:
    """Say in how many scenarios floats may be off, and prompts are free, and what that reaches."""
    counts: Counter[Floats] = Counter()
    for scenario in plan.scenarios:
        settings = {stated.floats for stated in (scenario.stated, *scenario.stated_cases)}
        counts.update(floats for floats in settings if floats is not None)
    lines = []
    for floats, count in counts.items():
        reach = f"{_VALUES}; {_TEXTS}" if floats.in_text else f"{_VALUES}; not the numbers in text"
        lines.append(f"floats within {floats.within:g} in {counted(count, 'scenario')}: {reach}")
    lines.extend(_free_prompts(plan))
    return tuple(lines)


def _free_prompts(plan: Plan) -> Iterator[str]:
    """Say in how many scenarios that read the text of `input` calls is free, and in how many it is
    compared, if both occur or all are free."""
    reading = [scenario for scenario in plan.scenarios if _reads_input(scenario)]
    free = sum(scenario.stated.prompts_any for scenario in reading)
    if not free:
        return
    rest = len(reading) - free
    exact = f"; it is compared in {rest} that read input" if rest else ""
    yield f"the text of each input() is free in {counted(free, 'scenario')}{exact}"


def _reads_input(scenario: Scenario) -> bool:
    return any(stimulus.inputs or stimulus.replies for stimulus in scenario.stimuli)


def _states_outcome(stated: Expected) -> bool:
    settings = Expected(ignore=stated.ignore, floats=stated.floats, prompts_any=stated.prompts_any)
    return stated != settings


def value_problems(
    plan: Plan, key: AnswerKey, reference: tuple[SourceFile, ...]
) -> Iterator[Problem]:
    """Return scenarios with an object of a class that the spec does not say how to compare, and
    scenarios whose floats are exact to the last digit of a computation.
    """
    known = {each.name for each in plan.assignment.compare}
    trees = [ast.parse(file.data) for file in reference if file.name.endswith(".py")]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases = {n.name: [base.id for base in n.bases if isinstance(base, ast.Name)] for n in nodes}
    for scenario in plan.scenarios if key.scenarios else ():
        pairs = zip(scenario.stimuli, key.answers(scenario.id), strict=False)
        held_to = [expectation(scenario, *pair, plan.assignment) for pair in pairs]
        values = [value for each in held_to for value in _values(each)]
        for name in sorted({value.text for value in values if value.kind is ValueKind.OBJECT}):
            and_above = {name}
            while more := {base for each in and_above for base in bases.get(each, ())} - and_above:
                and_above |= more
            if known.isdisjoint(and_above):
                what = f"{scenario.id} compares every public attribute of {name}"
                ways = "attributes for all, none for none"
                hint = f"compare: {{{name}: [its attributes]}} in assignment.yaml ({ways})"
                yield Problem.of(scenario, "objects", f"{what}; say so: {hint}")
        stated = any(each.returns for each in (scenario.stated, *scenario.stated_cases))
        if scenario.stated.floats is None and not stated:
            noisy = next((value for value in values if _is_noisy(value)), None)
            if noisy is not None:
                what = f"{scenario.id} asks for exactly {noisy.text}"
                hint = "compare with a tolerance: floats: {within: 0.000001} in assignment.yaml"
                yield Problem.of(scenario, "floats", f"{what}; {hint}")


def _values(held_to: Expectation) -> Iterator[Value]:
    """Yield every value of the reference that is compared, and all its parts."""
    stated, seen = held_to.stated, held_to.reference
    if seen is None:
        return
    named = [(argument_name(held_to, at), value) for at, value in enumerate(seen.arguments)]
    named += [(variable.name, variable.value) for variable in seen.variables]
    left_out = {each.name for each in stated.leaves if isinstance(each.value, _WITHOUT_ATTRIBUTES)}
    returned = None if isinstance(stated.returns, _WITHOUT_ATTRIBUTES) else seen.value
    values = [value for value in (returned, *(step.value for step in seen.steps)) if value]
    if not stated.leaves_any:
        values += [value for name, value in named if name not in left_out]
    for value in reversed(values):
        yield from value.parts()


def _is_noisy(value: Value) -> bool:
    if value.kind is not ValueKind.FLOAT or not value.text[-1:].isdigit():
        return False
    short = repr(round(float(value.text), _NOISE))
    return len(value.text) - len(short) > 2 and len(short) < _NOISE


@contextmanager
def _reference_again(context: GradingContext, **how: Any) -> Iterator[Observer]:
    specification = context.specification
    with (
        Driver(context.interpreter, context.tier.tier, cpu=pick_cpu(), **how) as driver,
        driver.submission(specification.plan.assignment, specification.reference) as server,
    ):
        yield server


def second_run(context: GradingContext) -> Iterator[Problem]:
    """Run the reference again: fresh server, other hash seed, random seed, clock, directory and
    order of scenarios. Every scenario that it then fails is a problem: what a scenario leaves open
    may differ."""
    if not context.specification.reference:
        return
    problems: list[Problem] = []
    with _reference_again(context, hash_seed=4711, clock_offset=200 * 86_400 + 12_345) as server:

        def passes(scenario: Scenario) -> bool:
            observed = run_scenario(server, scenario, scenario.limits)
            first = [answer.observation for answer in context.key.answers(scenario.id)]
            return list(observed) == first or _verdict(context, scenario, observed).passed

        for scenario in reversed(context.specification.plan.scenarios):
            # A scenario that states its seed asks for exactly that one.
            stimuli = tuple(
                replace(stimulus, seed=_SECOND_SEED) if stimulus.seed is None else stimulus
                for stimulus in scenario.stimuli
            )
            if not passes(replace(scenario, stimuli=stimuli)):
                what = _BY_CHANCE if passes(scenario) else _BY_OTHERS
                message = f"{scenario.id} has another outcome under another {what}"
                problems.append(Problem.of(scenario, "repeat", message))
    yield from reversed(problems)


def _verdict(
    context: GradingContext, scenario: Scenario, observed: Sequence[Observation]
) -> Verdict:
    """Return the reference's verdict for a scenario in which it was observed once more."""
    assignment = context.specification.plan.assignment
    rows = zip(scenario.stimuli, observed, context.key.answers(scenario.id), strict=False)
    verdicts = [
        judge(seen, expectation(scenario, stimulus, answer, assignment), stimulus)
        for stimulus, seen, answer in rows
    ]
    return combine([each.kind for each in verdicts], verdicts.__getitem__)


def stand_in_problems(context: GradingContext) -> Iterator[Problem]:
    """Return every scenario that the reference fails as soon as its stand-ins are used."""
    specification = context.specification
    scenarios = [scenario for scenario in specification.plan.scenarios if scenario.stand_ins]
    if not specification.reference or not scenarios:
        return
    with _reference_again(context) as server:
        for scenario in scenarios:
            again = scenario.standing_in()
            verdict = _verdict(context, again, run_scenario(server, again, again.limits))
            if not verdict.passed:
                files = ", ".join(each.file for each in scenario.stand_ins)
                message = f"{scenario.id}: with {files} the reference fails it: {verdict.message}"
                yield Problem.of(scenario, "stand-in", message)


def isolation_problems(together: Graded, alone: Graded) -> tuple[Problem, ...]:
    """Return every difference between a submission's results of both ways, apart from how it ran:
    verdicts, messages, marks, findings and every observed channel, without addresses.
    """
    pairs = zip(together.result.scenarios, alone.result.scenarios, strict=True)
    different = {one.scenario_id: (one, other) for one, other in pairs if one != other}
    found = [
        f"{name}: {_said(one)} together, {_said(other)} alone"
        for name, (one, other) in different.items()
        if _without_addresses(one) != _without_addresses(other)
    ]
    found += [
        f"{name}: another observation together than alone"
        for name, digest in alone.seen.items()
        if name not in different and together.seen.get(name) != digest
    ]
    one, other = (
        _without_addresses(replace(each.result, isolation=Isolation.ALONE, isolation_reason=""))
        for each in (together, alone)
    )
    if not found and one != other:
        found.append("its mark or its findings differ between the two ways")
    return tuple(Problem("isolation", alone.result.id, message) for message in found)


def _without_addresses(result: ScenarioResult | SubmissionResult) -> str:
    """Return the value as text without addresses, which differ from process to process."""
    return _ADDRESS.sub("0x…", serial.dumps(result))


def _said(outcome: ScenarioResult) -> str:
    kind, message = outcome.verdict.kind.value, outcome.verdict.message
    return f"{kind} ({message})" if message else kind
