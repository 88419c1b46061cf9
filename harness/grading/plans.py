"""Parts of an assignment that can be graded alone; and the functions of one without a reference,
which are those that its scenarios call.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from harness.common.errors import UserError
from harness.model.plan import FunctionSignature, Plan, Scenario, Visibility
from harness.model.specification import Specification
from harness.model.stimulus import Call, Session, Stimulus


def visible_only(specification: Specification) -> Specification:
    """The assignment cut to what a student may see, stand-ins left out (they are answers); its
    key then holds nothing else either.
    Raises UserError when that is nothing at all."""
    cut = _cut(specification, lambda scenario: scenario.visibility is Visibility.VISIBLE)
    if not cut.plan.scenarios:
        place = cut.plan.assignment.id
        raise UserError("there is no visible scenario to check against", place=place)
    return replace(cut, plan=cut.plan.without_stand_ins())


def isolated(specification: Specification) -> Specification:
    """The assignment with a process of its own for every scenario of every submission."""
    assignment = replace(specification.plan.assignment, isolate_all=True)
    return replace(specification, plan=replace(specification.plan, assignment=assignment))


def without_tags(specification: Specification, tags: Sequence[str]) -> Specification:
    """The assignment without the scenarios that carry one of these tags; the others' points make
    up the whole mark. Raises UserError for a tag that no scenario carries."""
    known = {tag for scenario in specification.plan.scenarios for tag in scenario.tags}
    for tag in tags:
        if tag not in known:
            listed = ", ".join(sorted(known)) or "no tags"
            raise UserError(f"no scenario has the tag {tag!r}", hint=f"there are: {listed}")
    cut = _cut(specification, lambda scenario: not set(scenario.tags) & set(tags))
    return replace(cut, left_out=tuple(sorted({*specification.left_out, *tags})))


def _cut(specification: Specification, keep: Callable[[Scenario], bool]) -> Specification:
    plan = specification.plan.subset(keep)
    kept = {scenario.id for scenario in plan.scenarios}
    transcripts = tuple(t for t in specification.transcripts if t.scenario_id in kept)
    return replace(specification, plan=plan, transcripts=transcripts)


def with_called_functions(specification: Specification) -> Specification:
    """The same assignment; where no reference tells which functions there are, with every name
    that a stimulus calls and nothing else defines. Their parameters stay unknown."""
    plan = specification.plan
    if specification.reference or plan.assignment.functions:
        return specification
    names = sorted(_called(plan) - _provided(plan) - set(dir(builtins)))
    functions = tuple(FunctionSignature(name=name, parameters=()) for name in names)
    assignment = replace(plan.assignment, functions=functions)
    return replace(specification, plan=replace(plan, assignment=assignment))


def _called(plan: Plan) -> set[str]:
    found: set[str] = set()
    for scenario in plan.scenarios:
        for stimulus in scenario.stimuli:
            nodes = list(_nodes(_sources(stimulus)))
            bound = {n.id for n in nodes if isinstance(n, ast.Name) and not _is_read(n)}
            calls = (n.func for n in nodes if isinstance(n, ast.Call))
            found |= {f.id for f in calls if isinstance(f, ast.Name)} - bound
    return found


def _provided(plan: Plan) -> set[str]:
    sources = (file.data for file in plan.assignment.variants[0].files)
    names: set[str] = set()
    for node in _nodes(sources):
        if isinstance(node, ast.Name) and not _is_read(node):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
    return names


def _sources(stimulus: Stimulus) -> Iterator[str]:
    yield stimulus.given
    match stimulus.action:
        case Call(expression=expression):
            yield expression
        case Session(steps=steps):
            yield from steps
        case _:
            pass


def _nodes(sources: Iterable[str | bytes]) -> Iterator[ast.AST]:
    for source in sources:
        try:
            yield from ast.walk(ast.parse(source))
        except (SyntaxError, ValueError):
            continue  # a data file, or for another Python version


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)
