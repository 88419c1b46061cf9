"""The cases of a scenario: rows of a table, recorded draws, or a single one.

`cases:` as a list is a table in the YAML: names that rows bind, and what each types and expects.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from harness.assignment.document import Loc
from harness.assignment.scenarios.across_files import Compiled
from harness.assignment.scenarios.context import Context, Setting
from harness.assignment.scenarios.draws import (
    RECORD_AGAIN,
    DrawError,
    file_name,
    read_draws,
    request_for,
)
from harness.assignment.scenarios.shape import CaseShape
from harness.assignment.scenarios.stimulus import StimulusKind, check_takes
from harness.assignment.scenarios.sweeps import Variation
from harness.assignment.vocabulary import names_in
from harness.common.words import listed
from harness.matchers import Refused, nearest
from harness.model.plan import Scenario
from harness.model.stimulus import Binding, Stimulus

_OF_A_ROW = tuple(CaseShape.model_fields)
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


def asks_for_draws(chosen: Setting) -> bool:
    """Whether the scenario has cases: rows, or draws."""
    return chosen.states("sample") or chosen.states("cases")


def check_draw_keys(context: Context, chosen: Setting) -> None:
    """Mistakes for keys beside `sample` or `cases` that do not go with them."""
    if chosen.states("sample") and chosen.states("cases"):
        hint = "make one scenario of each"
        context.add((*chosen.loc, "cases"), "expected one of sample and cases", hint, key=True)
    elif chosen.states("each") and not asks_for_draws(chosen):
        context.add((*chosen.loc, "each"), "each belongs to sample or cases", key=True)
    if chosen.states("transcript") and asks_for_draws(chosen):
        what = "a transcript is of one game, and cases are several"
        hint = "state turns in each case, or write a scenario for each game"
        context.add((*chosen.loc, "transcript"), what, hint, key=True)
    if chosen.states("sample") and chosen.own.sample is None:
        context.add((*chosen.loc, "sample"), "expected a mapping, got null")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One scenario that is read under one set of constants."""

    context: Context
    chosen: Setting
    variation: Variation
    group: str
    kind: StimulusKind
    compiled: Compiled


def cases_of(reading: Reading) -> list[Case]:
    """The rows or draws, none if one is wrong or they are to be recorded; a scenario without them
    is one case that binds nothing."""
    context, chosen = reading.context, reading.chosen
    if not asks_for_draws(chosen):
        return [Case((), chosen)]
    if isinstance(chosen.own.cases, list) and not chosen.states("sample"):
        cases = _rows(context, chosen)
        before = len(context.document.problems)
        for case in cases:
            if len(context.document.problems) == before:
                check_takes(context, case.setting, reading.kind)
    else:
        cases = [Case(draw, chosen) for draw in _draws(reading)]
    if cases:
        context.names |= {binding.name for binding in cases[0].bindings}
    else:
        context.names_known = False
    return cases


def _draws(reading: Reading) -> list[tuple[Binding, ...]]:
    context, chosen, compiled = reading.context, reading.chosen, reading.compiled
    sample, source, loc = chosen.own.sample, chosen.own.cases, (*chosen.loc, "cases")
    if chosen.states("sample") == chosen.states("cases") or isinstance(source, list):
        return []
    if sample is not None:
        source, loc = sample.strategy, (*chosen.loc, "sample", "strategy")
    folder, name = context.vocabulary.folder, file_name(reading.group, reading.variation.swept)
    try:
        request = request_for(
            folder,
            "cases" if sample is None else "sample",
            source,
            count=0 if sample is None else sample.count,
            seed=0 if sample is None else sample.seed,
            constants=context.constants,
        )
        compiled.requests[name] = request
        if sample is not None:
            compiled.samples[reading.group, reading.variation.overrides] = request
        return read_draws(folder, name, request)
    except DrawError as error:
        if not (compiled.recording and error.hint == RECORD_AGAIN):
            context.add(loc, str(error), error.hint)
        return []


def _rows(context: Context, chosen: Setting) -> list[Case]:
    """The rows in their order; none, with mistakes noted, if one is no such row."""
    loc: Loc = (*chosen.loc, "cases")
    cases = chosen.own.cases
    assert isinstance(cases, list)
    if not cases:
        context.add(loc, "expected at least one case, got an empty list")
    rows: list[Case] = []
    for index, case in enumerate(cases):
        try:
            rows.append(_row(context, chosen, (*loc, index), case))
        except Refused:
            return []
    names = [[each.name for each in row.bindings] for row in rows]
    for name in names[0] if names else ():
        misspelled = difflib.get_close_matches(name, _OF_A_ROW, n=1, cutoff=_VERY_NEAR)
        if misspelled and not _mentions(chosen, name):
            at = next(i for i, row in enumerate(names) if name in row)
            hint = f"did you mean {misspelled[0]}?"
            context.add((*loc, at, name), "nothing uses this name", hint, key=True)
            return []
    for row, bound in zip(rows, names, strict=True):
        if bound != names[0]:
            this, first = (", ".join(each) or "nothing" for each in (bound, names[0]))
            what = f"this case binds {this}, the first one {first}"
            context.add(row.setting.row, what, "every case binds the same names")
            return []
    return rows


def _row(context: Context, chosen: Setting, where: Loc, case: CaseShape) -> Case:
    bindings: list[Binding] = []
    for name, value in (case.model_extra or {}).items():
        if not name.isidentifier():
            context.refuse((*where, name), f"{name} is no name", key=True)
        if isinstance(value, dict):
            hint = nearest(name, _OF_A_ROW) or f"a case states {listed(_OF_A_ROW, 'or')}"
            context.refuse((*where, name), "expected a plain value, got a mapping", hint)
        literal = context.field((*where, name), value).value().source()
        bindings.append(Binding(name=name, literal=literal))
    stated = case.model_fields_set & set(_OF_A_ROW)
    own = chosen.own.model_copy(update={key: getattr(case, key) for key in stated})
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
    data = data.model_dump() if isinstance(data, BaseModel) else data
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return set().union(*map(_names_of, parts))


def check_differ(reading: Reading, stimuli: Sequence[Stimulus]) -> None:
    """A mistake for a row that does to a program what an earlier one does, and for draws of which
    a program is given nothing."""
    context, chosen, by_name = reading.context, reading.chosen, reading.kind.by_name
    table = isinstance(chosen.own.cases, list)
    first_of: dict[Stimulus, int] = {}
    for index, stimulus in enumerate(stimuli):
        first = first_of.setdefault(_as_given(stimulus, by_name=by_name), index)
        if first != index and table:
            hint = _to_differ(stimulus, stimuli[first], by_name=by_name)
            what = f"this case does what item {first + 1} does"
            context.add((*chosen.loc, "cases", index), what, hint)
            return
    if not table and len(first_of) == 1 < len(stimuli) and not by_name:
        key = "sample" if chosen.states("sample") else "cases"
        name = stimuli[0].bindings[0].name
        hint = f'type what is drawn: input: ["{{{{ {name} }}}}"]'
        context.add((*chosen.loc, key), "the program is run alike with every draw", hint)


def _as_given(stimulus: Stimulus, *, by_name: bool) -> Stimulus:
    """The stimulus with the names alone that its code mentions."""
    code = (*stimulus.source_texts(), getattr(stimulus.action, "equals", "")) if by_name else ()
    words = set(re.findall(r"\w+", " ".join(code)))
    return replace(stimulus, bindings=tuple(b for b in stimulus.bindings if b.name in words))


def _to_differ(one: Stimulus, other: Stimulus, *, by_name: bool) -> str:
    unused = [a.name for a, b in zip(one.bindings, other.bindings, strict=True) if a != b]
    if not unused:
        return "take one of them out"
    if by_name:
        return f"use {unused[0]} in what is called"
    return f'write "{{{{ {unused[0]} }}}}" in input, or state input in each case'


def one_of_each(scenario: Scenario, variation: Variation) -> list[Scenario]:
    """A scenario for each case of one that states `each`."""
    return [
        replace(
            scenario,
            id=scenario.group + variation.bracket(f"draw={number}"),
            stimuli=(stimulus,),
            stated=scenario.stated_for(stimulus),
            stated_cases=(),
            is_sample=False,
        )
        for number, stimulus in enumerate(scenario.stimuli, start=1)
    ]
