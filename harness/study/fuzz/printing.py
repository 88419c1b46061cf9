"""A difference as a scenario: an item of `scenarios:` in YAML, ready to be pasted."""

from __future__ import annotations

import ast
import json
from collections import Counter
from hashlib import sha256
from typing import Any

from harness.assignment import in_quotes
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Binding, Call, Run, Session, Stimulus
from harness.model.study.fuzzing import FuzzTarget

_NAME = "differs from the reference"


def scenario_text(target: FuzzTarget, stimulus: Stimulus, reference: Observation) -> str:
    """The item. What is expected is the reference's to say, but that a game goes on."""
    lines = [f"function: {in_quotes(target.function)}"]
    if target.clauses:
        lines.append(f"clause: [{', '.join(map(in_quotes, target.clauses))}]")
    if stimulus.constants:
        named = ", ".join(f"{each.name}: {_plain(each.literal)}" for each in stimulus.constants)
        lines.append(f"constants: {{{named}}}")
    bindings = stimulus.bindings
    action = stimulus.action
    if isinstance(action, Call):
        expression = _with_values(action.expression, bindings) if not stimulus.given else None
        if expression is not None:
            bindings = ()
    given = stimulus.given + "".join(f"{each.name} = {each.literal}\n" for each in bindings)
    if given:
        lines += ["given: |", *(f"  {line}" for line in given.splitlines())]
    match action:
        case Call(expression=own):
            lines.append(f"call: {in_quotes(expression or own)}")
        case Session(steps=steps):
            lines.append("session: |")
            for step in steps:
                first, *rest = step.splitlines()
                lines += [f"  >>> {first}", *(f"  ... {line}" for line in rest)]
        case Run(program=program, argv=argv):
            lines.append(f"run: {in_quotes(program)}")
            if argv:
                lines.append(f"argv: [{', '.join(map(in_quotes, argv))}]")
    if stimulus.inputs:
        lines.append(f"input: [{', '.join(in_quotes(each.text) for each in stimulus.inputs)}]")
    if stimulus.seed:
        lines.append(f"seed: {stimulus.seed}")
    if reference.ending is Ending.ASKED_FOR_MORE:
        lines.append("ends: asks_for_more")
    digest = sha256("\n".join(lines).encode()).hexdigest()[:8]
    first = f"  - name: {target.function} {_NAME} ({digest})"
    return "\n".join([first, *(f"    {line}" for line in lines)]) + "\n"


def _with_values(expression: str, bindings: tuple[Binding, ...]) -> str | None:
    """The call with the draws in it; None where a value would be there twice, and would no
    longer be one object."""
    tree = ast.parse(expression, mode="eval")
    values = {each.name: ast.parse(each.literal, mode="eval").body for each in bindings}
    uses = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
    if any(uses[name] != 1 for name in values):
        return None
    return ast.unparse(_Filled(values).visit(tree))


class _Filled(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


def _plain(literal: str) -> str:
    value = ast.literal_eval(literal)
    # A list would be a sweep over its values.
    return _yaml([value] if isinstance(value, list | tuple) else value)


def _yaml(value: Any) -> str:
    if isinstance(value, str):
        return in_quotes(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_yaml, value))}]"
    return json.dumps(value)
