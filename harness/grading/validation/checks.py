"""Checks of the plan and of the reference's answers: every clause has a scenario, and values can be
compared."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction

from harness.common.words import counted
from harness.grading.observing.answer_key import CheckName, Problem, expectation
from harness.grading.validation.report import ClauseCoverage, FunctionShare
from harness.judging.compare.session import compares_variables
from harness.judging.compare.value import argument_name
from harness.matchers.kinds.arrays import has_fixed_parts
from harness.matchers.kinds.equal_to import EqualTo
from harness.matchers.kinds.values import AnyValue, OfType
from harness.model.expectation import AnswerKey, Expectation, Expected, Floats, Ignore
from harness.model.plan import Clause, Plan, Scenario, SourceFile, Visibility
from harness.model.values import Value, ValueKind

_NOISE = 12  # digits: a float that is shorter when rounded to so many was computed
_WITHOUT_ATTRIBUTES = (AnyValue, EqualTo, OfType)  # no attribute is compared under these


def needs_scenario(clause: Clause) -> bool:
    """Return whether the clause needs a scenario: settled ones about behaviour do; unsettled ones
    and those checked by policy do not.
    """
    return not clause.unsettled and clause.section != "policy"


def coverage(plan: Plan) -> tuple[tuple[ClauseCoverage, ...], tuple[Problem, ...]]:
    """Return each clause with its scored scenarios, and the uncovered ones on either side."""
    counts: Counter[str] = Counter()
    problems: list[Problem] = []
    for scenario in plan.scenarios:
        if scenario.informational:
            continue
        counts.update(scenario.clauses)
        needs_none = scenario.is_test and not plan.assignment.clauses
        if not scenario.clauses and not needs_none:
            message = f"scenario {scenario.id} names no clause"
            place = str(scenario.place)
            problems.append(
                Problem(CheckName.COVERAGE, place, message, scenario.id, "names no clause")
            )
    rows: list[ClauseCoverage] = []
    uncovered: list[Problem] = []
    for clause in plan.assignment.clauses:
        rows.append(ClauseCoverage(clause=clause, scenarios=counts[clause.id]))
        if not counts[clause.id] and needs_scenario(clause):
            message = f"clause {clause.id} ({clause.text}) has no scenario"
            uncovered.append(Problem(CheckName.COVERAGE, "clauses.yaml", message))
    return tuple(rows), (*uncovered, *problems)


def shares(plan: Plan) -> tuple[FunctionShare, ...]:
    """Return each function's scenarios and share of the marks, in the plan's order."""
    total = Fraction(0)
    by_function: defaultdict[str, list[Scenario]] = defaultdict(list)
    for scenario in plan.scenarios:
        if scenario.informational:
            continue
        by_function[scenario.function].append(scenario)
        if not scenario.extra_credit:
            total += scenario.points
    return tuple(_share(scenarios, total) for scenarios in by_function.values())


def _share(scenarios: list[Scenario], total: Fraction) -> FunctionShare:
    """Return the share of the points that belongs to one function."""
    groups: set[str] = set()
    visible: set[str] = set()
    points = Fraction(0)
    for scenario in scenarios:
        groups.add(scenario.group)
        points += scenario.points
        if scenario.visibility is Visibility.VISIBLE:
            visible.add(scenario.group)
    return FunctionShare(
        function=scenarios[0].function,
        scenarios=len(groups),
        visible=len(visible),
        stimuli=sum(len(scenario.stimuli) for scenario in scenarios),
        share=points / total if total else Fraction(0),
    )


def golden_count(plan: Plan) -> int:
    """Return the number of scenarios that state some part of their result."""
    return sum(
        bool(scenario.stated_cases) or _states_outcome(scenario.stated)
        for scenario in plan.scenarios
    )


_VALUES = "values, also in sessions"
_TEXTS = (
    "text that is printed, returned, written or on stderr, sessions and transcripts, but not "
    "matches: and shows:"
)


_SCREENS = (
    "texts that are printed, returned, written or on stderr, in sessions and transcripts too, "
    "but not texts inside other values"
)


def tolerances(plan: Plan) -> tuple[str, ...]:
    """Return lines about the scenarios with a tolerance for floats, with forgiven differences in
    text and with free prompts."""
    counts: Counter[Floats] = Counter()
    for scenario in plan.scenarios:
        settings = {stated.floats for stated in (scenario.stated, *scenario.stated_cases)}
        counts.update(floats for floats in settings if floats is not None)
    lines = []
    for floats, count in counts.items():
        where = f"{_VALUES}; {_TEXTS}" if floats.in_text else f"{_VALUES}; not the numbers in text"
        lines.append(f"floats within {floats.within:g} in {counted(count, 'scenario')}: {where}")
    lines.extend(_forgiven(plan))
    lines.extend(_free_prompts(plan))
    return tuple(lines)


def _forgiven(plan: Plan) -> Iterator[str]:
    """Say in which texts forgiven differences are forgiven."""
    counts: Counter[tuple[Ignore, ...]] = Counter()
    for scenario in plan.scenarios:
        counts.update({stated.ignore for stated in (scenario.stated, *scenario.stated_cases)})
    del counts[()]
    for ignored, count in counts.items():
        names = ", ".join(ignored)
        where = _SCREENS
        if Ignore.PUNCTUATION in ignored:
            where += "; matches: sees punctuation"
        yield f"ignore: [{names}] in {counted(count, 'scenario')}: {where}"


def _free_prompts(plan: Plan) -> Iterator[str]:
    """Return a line with the number of scenarios whose prompts are not compared, and of those whose
    prompts are compared."""
    reading = [scenario for scenario in plan.scenarios if _reads_input(scenario)]
    free = sum(scenario.stated.prompts_any for scenario in reading)
    if not free:
        return
    rest = len(reading) - free
    exact = f"; they are compared in {rest} others that read input" if rest else ""
    yield f"the prompts of input() are not compared in {counted(free, 'scenario')}{exact}"


def _reads_input(scenario: Scenario) -> bool:
    return any(stimulus.inputs or stimulus.replies for stimulus in scenario.stimuli)


def _states_outcome(stated: Expected) -> bool:
    settings = Expected(ignore=stated.ignore, floats=stated.floats, prompts_any=stated.prompts_any)
    return stated != settings


def value_problems(
    plan: Plan, key: AnswerKey, reference: tuple[SourceFile, ...]
) -> Iterator[Problem]:
    """Yield scenarios with an object of a class that the spec does not say how to compare, and
    scenarios whose floats are exact to the last digit of a computation.
    """
    if not key.scenarios:
        return
    compared = {rule.name for rule in plan.assignment.compare}
    bases = _bases(reference)
    for scenario in plan.scenarios:
        values: list[Value] = []
        pairs = zip(scenario.stimuli, key.answers(scenario.id), strict=False)
        for stimulus, answer in pairs:
            values += _values(expectation(scenario, stimulus, answer, plan.assignment))
        classes = {value.text for value in values if _may_be_stated(value, bases)}
        for name in sorted(classes):
            if compared.isdisjoint(_with_bases(name, bases)):
                yield _uncompared(scenario, name)
        noisy = _noisy_value(scenario, values)
        if noisy is not None:
            what = f"expects exactly {noisy.text}"
            hint = "compare with a tolerance: floats: {within: 0.000001} in assignment.yaml"
            yield Problem.of(scenario, CheckName.FLOATS, f"{what}; {hint}")


def _may_be_stated(value: Value, bases: dict[str, list[str]]) -> bool:
    """Return whether `compare:` may choose the attributes of an object. For an array, a table or
    another library's class without attributes there is nothing to choose.
    """
    if value.kind is not ValueKind.OBJECT:
        return False
    return value.text in bases or not has_fixed_parts(value)


def _bases(reference: tuple[SourceFile, ...]) -> dict[str, list[str]]:
    """Return the names of the base classes of each class of the reference."""
    bases: dict[str, list[str]] = {}
    for file in reference:
        if not file.name.endswith(".py"):
            continue
        for node in ast.walk(ast.parse(file.data)):
            if isinstance(node, ast.ClassDef):
                names = [base.id for base in node.bases if isinstance(base, ast.Name)]
                bases[node.name] = names
    return bases


def _with_bases(name: str, bases: dict[str, list[str]]) -> set[str]:
    """Return the names of a class and of all classes that it inherits from."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += bases.get(current, ())
    return found


def _uncompared(scenario: Scenario, name: str) -> Problem:
    what = f"compares every public attribute of {name}"
    ways = "or write attributes (all of them) or none"
    hint = f"compare: {{{name}: [its attributes]}} in assignment.yaml ({ways})"
    return Problem.of(scenario, CheckName.OBJECTS, f"{what}; state it: {hint}")


def _noisy_value(scenario: Scenario, values: Iterable[Value]) -> Value | None:
    """Return a float that is compared to its last digit though it was computed."""
    if scenario.stated.floats is not None:
        return None
    if any(stated.returns for stated in (scenario.stated, *scenario.stated_cases)):
        return None
    return next((value for value in values if _is_noisy(value)), None)


def _values(held_to: Expectation) -> Iterator[Value]:
    """Yield every value of the reference that is compared, and all its parts."""
    stated, observation = held_to.stated, held_to.reference
    if observation is None:
        return
    values: list[Value] = []
    if observation.value is not None and not isinstance(stated.returns, _WITHOUT_ATTRIBUTES):
        values.append(observation.value)
    for index, step in enumerate(observation.steps):
        stated_step = stated.of_step(index)
        is_free = stated_step is not None and stated_step.states_value
        if step.value is not None and not is_free:
            values.append(step.value)
    left_out = {
        named.name for named in stated.leaves if isinstance(named.value, _WITHOUT_ATTRIBUTES)
    }
    if not stated.leaves_any:
        for place, value in enumerate(observation.arguments):
            if argument_name(held_to, place) not in left_out:
                values.append(value)
    if compares_variables(stated):
        values += [named.value for named in observation.variables if named.name not in left_out]
    for value in reversed(values):
        yield from value.parts()


def _is_noisy(value: Value) -> bool:
    if value.kind is not ValueKind.FLOAT or not value.text[-1:].isdigit():
        return False
    short = repr(round(float(value.text), _NOISE))
    return len(value.text) - len(short) > 2 and len(short) < _NOISE
