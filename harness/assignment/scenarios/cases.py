"""What one scenario of a file stands for: every combination of swept constants (ids name them), and
its cases: rows of a table, recorded draws, or a single one.

`cases:` as a list is a table in the YAML: names that rows bind, and what each types and expects.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from harness.assignment.document import Loc
from harness.assignment.scenarios.context import Context, Variation
from harness.assignment.scenarios.draws import (
    DrawError,
    DrawRequest,
    OutdatedDrawsError,
    file_name,
    read_draws,
    request_for,
)
from harness.assignment.scenarios.shape import CaseShape, StatedShape
from harness.assignment.scenarios.stimuli import check_takes
from harness.assignment.scenarios.stimulus import StimulusKind, read_clocks
from harness.assignment.vocabulary import OverrideError, Overrides, names_in
from harness.common.words import listed
from harness.matchers.reading import Refused, describe, nearest
from harness.model.plan import Scenario, SourceFile
from harness.model.specification import TranscriptFile
from harness.model.stimulus import Binding, Clock, Stimulus
from harness.model.values import Value

_OF_A_ROW = tuple(StatedShape.model_fields)
_VERY_NEAR = 0.8  # of 1: `text` is no `exit`
_FILLED_IN = (*_OF_A_ROW, "files")


def variations(context: Context) -> list[Variation]:
    """Every combination of a scenario's overrides; none if there is a mistake in them."""
    options: dict[str, list[Any]] = {}
    swept: dict[str, None] = {}
    base = context.vocabulary.variants.constants()
    sound = True
    for loc, constants in context.layers("constants"):
        for name, value in constants.items():
            where = (*loc, name)
            sound &= _can_override(context, where, name, base)
            sound &= _check_values(context, where, value, base.get(name))
            options[name] = value if isinstance(value, list) else [value]
            swept.pop(name, None)
            if isinstance(value, list):
                swept[name] = None
    if not sound:
        return []
    clocks = read_clocks(context)
    found: list[Variation] = []
    for *combination, (clock, mark) in itertools.product(*options.values(), clocks):
        values = dict(zip(options, combination, strict=True))
        overrides = tuple(
            Binding(name=name, literal=_literal(values[name], base.get(name)))
            for name in sorted(values)
        )
        marks = tuple(f"{name}={_shown(values[name])}" for name in swept)
        found.append(Variation(overrides, (*marks, *mark), clock))
    return found


def _shown(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.-]+", value):
        return value
    return repr(value)


def _can_override(context: Context, loc: Loc, name: str, base: Mapping[str, object]) -> bool:
    if name not in base:
        what, hint = f"no provided module defines the constant {name}", nearest(name, base)
        context.add(loc, what, hint, key=True)
        return False
    try:
        context.vocabulary.variants.constants((Binding(name=name, literal=repr(base[name])),))
    except OverrideError as error:
        hint = "an override rewrites the one NAME = … at the module's top level"
        files = " or ".join(file.name for file in context.vocabulary.provided) or "provided file"
        if error.plain == 0:
            what = f"{files} has no plain top-level assignment of {name}"
        else:
            what = f"{files} binds {name} more than once"
        context.add(loc, what, hint, key=True)
        return False
    return True


def _check_values(context: Context, loc: Loc, written: Any, base: object) -> bool:
    values = written if isinstance(written, list) else [written]
    if not values:
        context.add(loc, "a sweep needs values, got an empty list")
        return False
    sound = True
    for index, value in enumerate(values):
        where = (*loc, index) if isinstance(written, list) else loc
        if any(repr(value) == repr(earlier) for earlier in values[:index]):
            context.add(where, f"{value!r} is in the sweep twice")
            sound = False
        elif base is not None and not _fits(value, base):
            hint = "quote it" if isinstance(base, str) else ""
            if isinstance(value, str) and isinstance(base, int | float):
                hint = "take the quotes away"
            what = f"{loc[-1]} is {Value.of(base).type_name}, got {describe(value)}"
            context.add(where, what, hint)
            sound = False
    return sound


def _fits(value: Any, base: object) -> bool:
    if isinstance(base, float) and type(value) is int:
        return True
    if isinstance(base, tuple):
        return isinstance(value, list)
    return type(value) is type(base)


def _literal(value: Any, base: object) -> str:
    return repr(tuple(value)) if isinstance(base, tuple) else repr(value)


@dataclass(slots=True)
class Compiled:
    """What the scenario files came to. While `recording`, draws and transcripts may be missing."""

    recording: bool = False
    scenarios: list[Scenario] = field(default_factory=list)
    transcripts: list[TranscriptFile] = field(default_factory=list)
    requests: dict[str, DrawRequest] = field(default_factory=dict)  # by frozen file
    provide: set[str] = field(default_factory=set)
    stand_ins: dict[str, SourceFile] = field(default_factory=dict)  # by name
    data_files: set[str] = field(default_factory=set)  # those of `files:`
    samples: dict[tuple[str, Overrides, Clock | None], DrawRequest] = field(default_factory=dict)
    """The requests of strategies, by the scenarios' group, their constants and their clock."""
    needs: list[Context] = field(default_factory=list)  # that need something


@dataclass(frozen=True, slots=True)
class Case:
    """One row or draw: the names that it binds, and the scenario with what a row states itself."""

    bindings: tuple[Binding, ...]
    context: Context

    def with_names(self) -> Context:
        """The context in which `{{ NAME }}` may be a name of the case, too."""
        values = {each.name: ast.literal_eval(each.literal) for each in self.bindings}
        return replace(self.context, constants={**self.context.constants, **values})


def asks_for_draws(context: Context) -> bool:
    """Whether the scenario has cases: rows, or draws."""
    return context.states("sample") or context.states("cases")


def check_draw_keys(context: Context) -> None:
    """Mistakes for keys beside `sample` or `cases` that do not go with them."""
    if context.states("sample") and context.states("cases"):
        hint = "make one scenario of each"
        context.add((*context.loc, "cases"), "expected one of sample and cases", hint, key=True)
    elif context.states("each") and not asks_for_draws(context):
        context.add((*context.loc, "each"), "each belongs to sample or cases", key=True)
    if context.states("transcript") and asks_for_draws(context):
        what = "a transcript is of one game, and cases are several"
        hint = "state turns in each case, or write a scenario for each game"
        context.add((*context.loc, "transcript"), what, hint, key=True)
    if context.states("sample") and context.own.sample is None:
        context.add((*context.loc, "sample"), "expected a mapping, got null")


def cases_of(context: Context, kind: StimulusKind, compiled: Compiled) -> list[Case]:
    """The rows or draws, none if one is wrong or they are to be recorded; a scenario without them
    is one case that binds nothing."""
    if not asks_for_draws(context):
        return [Case((), context)]
    if isinstance(context.own.cases, list) and not context.states("sample"):
        cases = _rows(context)
        before = len(context.document.problems)
        for case in cases:
            if len(context.document.problems) == before:
                check_takes(case.context, kind)
    else:
        cases = [Case(draw, context) for draw in _draws(context, compiled)]
    if cases:
        context.names |= {binding.name for binding in cases[0].bindings}
    else:
        context.names_known = False
    return cases


def _draws(context: Context, compiled: Compiled) -> list[tuple[Binding, ...]]:
    sample, source, loc = context.own.sample, context.own.cases, (*context.loc, "cases")
    if context.states("sample") == context.states("cases") or isinstance(source, list):
        return []
    if sample is not None:
        source, loc = sample.strategy, (*context.loc, "sample", "strategy")
    name = file_name(context.group, context.variation.swept)
    try:
        request = request_for(
            context.vocabulary,
            "cases" if sample is None else "sample",
            source,
            count=0 if sample is None else sample.count,
            seed=0 if sample is None else sample.seed,
            constants=context.constants,
        )
        compiled.requests[name] = request
        if sample is not None:
            variation = context.variation
            compiled.samples[context.group, variation.overrides, variation.clock] = request
        return read_draws(context.vocabulary.folder, name, request)
    except DrawError as error:
        if not (compiled.recording and isinstance(error, OutdatedDrawsError)):
            context.add(loc, str(error), error.hint)
        return []


def _rows(context: Context) -> list[Case]:
    """The rows in their order; none, with mistakes noted, if one is no such row."""
    loc: Loc = (*context.loc, "cases")
    cases = context.own.cases
    assert isinstance(cases, list)
    if not cases:
        context.add(loc, "expected at least one case, got an empty list")
    rows: list[Case] = []
    for index, case in enumerate(cases):
        try:
            rows.append(_row(context, (*loc, index), case))
        except Refused:
            return []
    names = [[each.name for each in row.bindings] for row in rows]
    for name in names[0] if names else ():
        misspelled = difflib.get_close_matches(name, _OF_A_ROW, n=1, cutoff=_VERY_NEAR)
        if misspelled and not _mentions(context, name):
            at = next(i for i, row in enumerate(names) if name in row)
            hint = f"did you mean {misspelled[0]}?"
            context.add((*loc, at, name), "nothing uses this name", hint, key=True)
            return []
    for row, bound in zip(rows, names, strict=True):
        if bound != names[0]:
            this, first = (", ".join(each) or "nothing" for each in (bound, names[0]))
            what = f"this case binds {this}, the first one {first}"
            context.add(row.context.row, what, "every case binds the same names")
            return []
    return rows


def _row(context: Context, where: Loc, case: CaseShape) -> Case:
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
    own = context.own.model_copy(update={key: getattr(case, key) for key in stated})
    in_row = replace(context, own=own, row=where, row_keys=frozenset(stated))
    return Case(tuple(sorted(bindings, key=lambda each: each.name)), in_row)


def _mentions(context: Context, name: str) -> bool:
    """Whether the scenario has the word in any text beside its rows."""
    texts = context.own.model_dump(exclude={"cases"}, exclude_unset=True)
    return re.search(rf"\b{re.escape(name)}\b", str(texts)) is not None


def uses(context: Context, names: Iterable[str]) -> bool:
    """Whether a text of the scenario is filled in with one of these names."""
    texts = [getattr(context.own, key) for key in _FILLED_IN if context.states(key)]
    return not _names_of(texts).isdisjoint(names)


def _names_of(data: Any) -> set[str]:
    if isinstance(data, str):
        return names_in(data)
    data = data.model_dump() if isinstance(data, BaseModel) else data
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return set().union(*map(_names_of, parts))


def check_differ(context: Context, kind: StimulusKind, stimuli: Sequence[Stimulus]) -> None:
    """A mistake for a row that does to a program what an earlier one does, and for draws of which
    a program is given nothing."""
    by_name = kind.by_name
    table = isinstance(context.own.cases, list)
    first_of: dict[Stimulus, int] = {}
    for index, stimulus in enumerate(stimuli):
        first = first_of.setdefault(_as_given(stimulus, by_name=by_name), index)
        if first != index and table:
            hint = _to_differ(stimulus, stimuli[first], by_name=by_name)
            what = f"this case does what item {first + 1} does"
            context.add((*context.loc, "cases", index), what, hint)
            return
    if not table and len(first_of) == 1 < len(stimuli) and not by_name:
        key = "sample" if context.states("sample") else "cases"
        name = stimuli[0].bindings[0].name
        hint = f'type what is drawn: input: ["{{{{ {name} }}}}"]'
        context.add((*context.loc, key), "the program is run alike with every draw", hint)


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


def one_of_each(scenario: Scenario, context: Context) -> list[Scenario]:
    """A scenario for each case of one that states `each`."""
    return [
        replace(
            scenario,
            id=scenario.group + context.variation.bracket(f"draw={number}"),
            stimuli=(stimulus,),
            stated=scenario.stated_for(stimulus),
            stated_cases=(),
            is_sample=False,
        )
        for number, stimulus in enumerate(scenario.stimuli, start=1)
    ]
