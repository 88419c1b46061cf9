"""Finds scenarios that may ask for more than their clauses say. This only gives advice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from harness.grading.context import GradingContext
from harness.grading.validation.again import reference_again
from harness.judging.compare.files import given_files
from harness.judging.compare.session import compares_variables
from harness.matchers.kinds.texts import LinesUnordered
from harness.matchers.kinds.values import AnyValue
from harness.model.expectation import AnswerKey, Expected, Ignore
from harness.model.plan import Plan, Scenario
from harness.model.stimulus import Stimulus, statements
from harness.model.values import ValueKind
from harness.stimuli.call import Call

_SPEAKS_OF_FILES = re.compile(
    r"\b(writ|wrote|sav|stor|creat|leav|left|produc|append|renam|remov|delet|unchanged|output fi)",
    re.IGNORECASE,
)
_SPEAKS_OF_STDERR = re.compile(r"\bstd ?err|\bstandard error|\berror (stream|output|channel)", re.I)
_CONTAINERS = {
    ast.List: ValueKind.LIST,
    ast.Tuple: ValueKind.TUPLE,
    ast.Dict: ValueKind.DICT,
    ast.Set: ValueKind.SET,
}


def overstated(context: GradingContext) -> Iterator[str]:
    """Yield a line for each requirement that scenarios check but their clauses do not mention."""
    plan = context.specification.plan
    yield from unspoken_files(plan, context.key)
    yield from unspoken_stderr(plan)
    yield from counted_blank_lines(plan)
    yield from chosen_forms(context)


def unspoken_files(plan: Plan, key: AnswerKey) -> Iterator[str]:
    """Advise about scenarios that write no files themselves and fail a program that leaves one, if
    no clause mentions that."""
    found: list[Scenario] = []
    for scenario in plan.scenarios:
        if scenario.is_test or scenario.is_suite or not scenario.stimuli[0].folder:
            continue
        if any(stated.writes_any or stated.writes for stated in _all_stated(scenario)):
            continue
        text = _clauses_of(scenario, plan)
        if text and not _SPEAKS_OF_FILES.search(text) and not _makes_files(scenario, key):
            found.append(scenario)
    if found:
        what = "a program that leaves another file fails, but the clause does not mention files"
        yield f"{_named(found)}: {what}. Hint: write writes: {{any: true}} if a log file is fine"


def unspoken_stderr(plan: Plan) -> Iterator[str]:
    """Advise about scenarios that state stderr, if no clause mentions it."""
    found: list[Scenario] = []
    for scenario in plan.scenarios:
        written = [stated.stderr for stated in _all_stated(scenario)]
        is_stated = any(
            matcher is not None and not isinstance(matcher, AnyValue) for matcher in written
        )
        text = _clauses_of(scenario, plan)
        if is_stated and text and not _SPEAKS_OF_STDERR.search(text):
            found.append(scenario)
    if found:
        what = "it states the text on stderr, but its clause does not mention stderr"
        yield f"{_named(found)}: {what}. Hint: mention it there, or write stderr: {{any: true}}"


def counted_blank_lines(plan: Plan) -> Iterator[str]:
    """Advise about `lines_unordered` with a blank line, which counts as any other line does."""
    found: list[Scenario] = []
    for scenario in plan.scenarios:
        for stated in _all_stated(scenario):
            lists = [part for part in stated.parts() if isinstance(part, LinesUnordered)]
            has_blank = any(not line.strip() for part in lists for line in part.lines)
            if has_blank and Ignore.BLANK_LINES not in stated.ignore:
                found.append(scenario)
                break
    if found:
        what = "blank lines count in lines_unordered"
        yield f"{_named(found)}: {what}. Hint: ignore: [blank-lines] ignores them"


def chosen_forms(context: GradingContext) -> Iterator[str]:
    """Advise about calls that pass a list, a dictionary or the like as the reference makes them, if
    a function of the program makes them and nothing defines its look."""
    specification = context.specification
    passing: dict[ValueKind, list[Scenario]] = {}
    for scenario in specification.plan.scenarios:
        for kind in _passed_kinds(scenario.stimuli[0]):
            passing.setdefault(kind, []).append(scenario)
    if not passing or not specification.reference:
        return
    for maker, kind in _made_by_reference(context, passing):
        scenarios = [scenario for scenario in passing[kind] if scenario.function != maker]
        if scenarios:
            maker_form = f"it passes a {kind}, in the form that the reference's {maker}() returns"
            what = f"{maker_form}, but another form may be right too"
            hint = f"begin with {maker}() in a session or steps, so that every form is accepted"
            yield f"{_named(scenarios)}: {what}. Hint: {hint}"


def _all_stated(scenario: Scenario) -> tuple[Expected, ...]:
    return scenario.stated_cases or (scenario.stated,)


def _clauses_of(scenario: Scenario, plan: Plan) -> str:
    """Return the texts of the scenario's clauses; an empty text if it has none."""
    texts = [clause.text for clause in plan.assignment.clauses if clause.id in scenario.clauses]
    return "\n".join(texts)


def _makes_files(scenario: Scenario, key: AnswerKey) -> bool:
    """Return whether the reference leaves other files than the scenario gives it."""
    if not key.scenarios:
        return False
    pairs = zip(scenario.stimuli, key.answers(scenario.id), strict=False)
    for stimulus, answer in pairs:
        after = {file.name: file.value for file in answer.observation.files}
        if after != given_files(stimulus):
            return True
    return False


def _named(scenarios: Sequence[Scenario]) -> str:
    more = f" and {len(scenarios) - 1} more" if len(scenarios) > 1 else ""
    return f"{scenarios[0].id}{more}"


def _passed_kinds(stimulus: Stimulus) -> set[ValueKind]:
    """Return the kinds of containers that a call passes, written out there or in `given:`."""
    if not isinstance(stimulus.action, Call):
        return set()
    arguments: list[ast.expr] = []
    match statements(stimulus.action.expression):
        case [ast.Expr(value=ast.Call(func=ast.Name(), args=arguments))]:
            pass
    kinds: set[ValueKind] = set()
    given = _assigned(statements(stimulus.given))
    for argument in arguments:
        written = argument
        if isinstance(argument, ast.Name):
            written = given.get(argument.id, argument)
        kind = _CONTAINERS.get(type(written))
        if kind is not None:
            kinds.add(kind)
    return kinds


def _assigned(body: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """Return the value of each name that a simple assignment binds."""
    values: dict[str, ast.expr] = {}
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = value
    return values


def _made_by_reference(
    context: GradingContext, kinds: Iterable[ValueKind]
) -> Iterator[tuple[str, ValueKind]]:
    """Yield the name of each function without parameters whose result in the reference is a
    container of one of the kinds and is compared by no scenario; with that kind."""
    plan = context.specification.plan
    compared = {name for scenario in plan.scenarios for name in _compared_results(scenario)}
    makers: list[str] = []
    for definition in _functions(context):
        if definition.name not in compared and _only_makes(definition):
            makers.append(definition.name)
    if not makers:
        return
    with reference_again(context) as server:
        for maker in makers:
            stimulus = Stimulus(action=Call(expression=f"{maker}()"))
            observed = server.observe(stimulus, plan.scenarios[0].limits)
            if observed.value is not None and observed.value.kind in kinds:
                yield maker, observed.value.kind


def _functions(context: GradingContext) -> Iterator[ast.FunctionDef]:
    public = {function.name for function in context.specification.plan.assignment.functions}
    for file in context.specification.reference:
        if not file.name.endswith(".py"):
            continue
        for statement in ast.parse(file.data).body:
            if isinstance(statement, ast.FunctionDef) and statement.name in public:
                yield statement


def _only_makes(definition: ast.FunctionDef) -> bool:
    """Return whether a function takes nothing, neither reads nor prints, and returns something."""
    arguments = definition.args
    if arguments.posonlyargs or arguments.args or arguments.kwonlyargs or arguments.vararg:
        return False
    returns = False
    for node in ast.walk(definition):
        if isinstance(node, ast.Return) and node.value is not None:
            returns = True
        if isinstance(node, ast.Name) and node.id in ("input", "print", "open"):
            return False
        if isinstance(node, ast.While):
            return False
    return returns


def _compared_results(scenario: Scenario) -> Iterator[str]:
    """Yield the functions whose result itself the scenario compares."""
    for stimulus in scenario.stimuli:
        action, stated = stimulus.action, scenario.stated_for(stimulus)
        if isinstance(action, Call):
            if not isinstance(stated.returns, AnyValue):
                yield from _called_by([action.expression], assigned=False)
        else:
            yield from _called_by(action.steps, assigned=compares_variables(stated))


def _called_by(sources: Iterable[str], *, assigned: bool) -> Iterator[str]:
    """Yield the functions that a statement calls for its own value; `assigned`: or for that of a
    variable."""
    for source in sources:
        for statement in statements(source):
            match statement:
                case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
                    yield name
                case ast.Assign(value=ast.Call(func=ast.Name(id=name))) if assigned:
                    yield name
