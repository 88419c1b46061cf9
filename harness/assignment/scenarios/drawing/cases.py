"""The cases of a scenario: what the names of a row or a draw stand for in its texts.

`cases:` as a list is a table in the YAML: names that rows bind, and what each types and expects.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.assignment.scenarios.matchers import plain_value
from harness.assignment.scenarios.settings import Context, Setting
from harness.assignment.scenarios.templates import names_in
from harness.assignment.schema.models.scenario import ScenarioShape
from harness.assignment.schema.validate import salvaged
from harness.assignment.schema.validators import describe, listed
from harness.assignment.yaml.document import Loc
from harness.assignment.yaml.errors import nearest
from harness.model.stimulus import Binding, Call, Run, Session, Stimulus

TYPING = ("input", "stdin", "argv")
EXPECTING = ("returns", "prints", "turns", "raises", "leaves", "exit", "reads")
_OF_A_ROW = (*TYPING, *EXPECTING)
_VERY_NEAR = 0.8  # of 1: `text` is no `exit`
_FILLED_IN = (*_OF_A_ROW, "files", "writes")


@dataclass(frozen=True, slots=True)
class Case:
    """One row or draw: the names that it binds, and the scenario with what a row states itself."""

    bindings: tuple[Binding, ...]
    setting: Setting

    def context(self, context: Context) -> Context:
        """The context in which `{{ NAME }}` may be a name of the case, too."""
        values = {each.name: ast.literal_eval(each.literal) for each in self.bindings}
        return replace(context, constants={**context.constants, **values})


def case_rows(context: Context, chosen: Setting) -> list[Case]:
    """The rows in their order; none, with mistakes noted, if one is no such row."""
    loc: Loc = (*chosen.loc, "cases")
    rows: list[Case] = []
    for index, data in enumerate(chosen.own.cases):
        row = _row(context, chosen, (*loc, index), data)
        if row is None:
            return []
        rows.append(row)
    if not rows:
        context.add(loc, "expected at least one case, got an empty list")
        return []
    first = [each.name for each in rows[0].bindings]
    for name in first:
        misspelled = difflib.get_close_matches(name, _OF_A_ROW, n=1, cutoff=_VERY_NEAR)
        if misspelled and not _mentions(chosen, name):
            hint = f"did you mean {misspelled[0]}?"
            at = next(i for i, data in enumerate(chosen.own.cases) if name in data)
            context.add((*loc, at, name), "nothing uses this name", hint, key=True)
            return []
    for row in rows:
        names = [each.name for each in row.bindings]
        if names != first:
            bound, wanted = (", ".join(each) or "nothing" for each in (names, first))
            what = f"this case binds {bound}, the first one {wanted}"
            context.add(row.setting.row, what, "every case binds the same names")
            return []
    return rows


def _row(context: Context, chosen: Setting, where: Loc, data: Any) -> Case | None:
    if not isinstance(data, dict):
        context.add(where, f"expected a mapping of names, got {describe(data)}")
        return None
    bindings: list[Binding] = []
    for name, value in data.items():
        if name in _OF_A_ROW:
            continue
        if not isinstance(name, str) or not name.isidentifier():
            context.add((*where, name), f"{name} is no name", key=True)
            return None
        if isinstance(value, dict):
            hint = nearest(name, _OF_A_ROW) or f"a case states {listed(_OF_A_ROW)}"
            context.add((*where, name), "expected a plain value, got a mapping", hint)
            return None
        described = plain_value(context, (*where, name), value)
        if described is None:
            return None
        bindings.append(Binding(name=name, literal=described.source()))
    stated = {key: value for key, value in data.items() if key in _OF_A_ROW}
    shape, broken = salvaged(
        ScenarioShape, context.document, where, {"name": chosen.own.name, **stated}
    )
    if shape is None or broken:
        return None
    own = chosen.own.model_copy(update={key: getattr(shape, key) for key in stated})
    setting = replace(chosen, own=own, row=where, row_keys=frozenset(stated))
    return Case(tuple(sorted(bindings, key=lambda each: each.name)), setting)


def _mentions(chosen: Setting, name: str) -> bool:
    """Whether the scenario has the word in any text beside its rows."""
    texts = chosen.own.model_dump(exclude={"cases"}, exclude_unset=True)
    return re.search(rf"\b{re.escape(name)}\b", str(texts)) is not None


def uses(chosen: Setting, names: Iterable[str]) -> bool:
    """Whether a text of the scenario is filled in with one of these names."""
    texts = [getattr(chosen.own, key) for key in _FILLED_IN if chosen.states(key)]
    return not _names_of(texts).isdisjoint(names)


def _names_of(data: Any) -> set[str]:
    if isinstance(data, str):
        return names_in(data)
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return set().union(*map(_names_of, parts))


def check_differ(context: Context, chosen: Setting, stimuli: Sequence[Stimulus]) -> None:
    """A mistake for a row that does to a program what an earlier one does, and for draws of which
    a program is given nothing."""
    table = isinstance(chosen.own.cases, list)
    seen: dict[Stimulus, int] = {}
    for index, stimulus in enumerate(stimuli):
        first = seen.setdefault(_as_given(stimulus), index)
        if first != index and table:
            hint = _to_differ(stimulus, stimuli[first])
            what = f"this case does what item {first + 1} does"
            context.add((*chosen.loc, "cases", index), what, hint)
            return
    if not table and len(seen) == 1 < len(stimuli) and isinstance(stimuli[0].action, Run):
        key = "sample" if chosen.states("sample") else "cases"
        name = stimuli[0].bindings[0].name
        hint = f'type what is drawn: input: ["{{{{ {name} }}}}"]'
        context.add((*chosen.loc, key), "the program is run alike with every draw", hint)


def _as_given(stimulus: Stimulus) -> Stimulus:
    """The stimulus with the names alone that its code mentions; a program is given none."""
    match stimulus.action:
        case Call(expression=expression, equals=equals):
            code = f"{stimulus.given} {expression} {equals}"
        case Session(steps=steps):
            code = " ".join((stimulus.given, *steps))
        case Run():
            code = ""
    words = set(re.findall(r"\w+", code))
    return replace(stimulus, bindings=tuple(b for b in stimulus.bindings if b.name in words))


def _to_differ(one: Stimulus, other: Stimulus) -> str:
    unused = [a.name for a, b in zip(one.bindings, other.bindings, strict=True) if a != b]
    if not unused:
        return "take one of them out"
    if isinstance(one.action, Run):
        return f'write "{{{{ {unused[0]} }}}}" in input, or state input in each case'
    return f"use {unused[0]} in what is called"
