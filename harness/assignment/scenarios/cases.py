"""Expands a scenario into variations (one for each combination of constants) and cases (rows of a
table, recorded draws, or a single one).
"""

import difflib
import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from harness.assignment.document import HintedError, Loc
from harness.assignment.scenarios.draws import (
    DrawRequest,
    OutdatedDrawsError,
    file_name,
    read_draws,
    request_for,
)
from harness.assignment.scenarios.reader import ScenarioReader, Variation
from harness.assignment.scenarios.shape import CaseShape, StatedShape
from harness.assignment.scenarios.stimulus import check_takes, read_clocks
from harness.assignment.symbols import Overrides, names_in
from harness.common.words import listed
from harness.matchers.reading import Refused, describe, nearest
from harness.model.plan import Scenario, SourceFile, TranscriptFile
from harness.model.stimulus import Action, Binding, Clock, Stimulus
from harness.model.values import Value

_OF_A_ROW = tuple(StatedShape.model_fields)
_OVERRIDDEN = (bool, int, float, str, list, tuple, dict, set, type(None))
_VERY_NEAR = 0.8  # similarity from 0 to 1; at this value `text` is not a typo of `exit`


def variations(reader: ScenarioReader) -> list[Variation]:
    """Return every combination of a scenario's constants and clocks; empty if one is invalid
    (errors are noted).
    """
    options: dict[str, list[Any]] = {}
    swept: dict[str, None] = {}
    base = reader.symbols.variants.constants()
    sound = True
    for loc, constants in reader.layers("constants"):
        for name, value in constants.items():
            where = (*loc, name)
            sound &= _can_override(reader, where, name, base)
            sound &= _check_values(reader, where, value, base.get(name))
            swept.pop(name, None)
            if isinstance(value, list):
                swept[name] = None
                options[name] = value
            else:
                options[name] = [value]
    if not sound:
        return []
    combined: list[Variation] = []
    clocks = read_clocks(reader)
    combinations = itertools.product(*options.values(), clocks)
    for *combination, (clock, mark) in combinations:
        values = dict(zip(options, combination, strict=True))
        overrides: list[Binding] = []
        for name, value in sorted(values.items()):
            literal = _literal(value, base[name])
            overrides.append(Binding(name=name, literal=literal))
        marks: list[str] = []
        for name in swept:
            shown = _display(values[name])
            marks.append(f"{name}={shown}")
        variation = Variation(tuple(overrides), (*marks, *mark), clock)
        combined.append(variation)
    return combined


def _literal(value: Any, base: object) -> str:
    if isinstance(base, set):
        return Value.of(
            set(value)
        ).source()  # sorted, so that the order does not depend on the hash seed
    if isinstance(base, tuple):
        return repr(tuple(value))
    return repr(value)


def _display(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.-]+", value):
        return value
    return repr(value)


def _can_override(reader: ScenarioReader, loc: Loc, name: str, base: Mapping[str, object]) -> bool:
    if name not in base:
        what = f"no provided module defines the constant {name}"
        reader.add(loc, what, nearest(name, base), key=True)
        return False
    as_before = Binding(name=name, literal=repr(base[name]))
    try:
        reader.symbols.variants.constants((as_before,))
    except HintedError as error:
        reader.add(loc, str(error), error.hint, key=True)
        return False
    return True


def _check_values(reader: ScenarioReader, loc: Loc, written: Any, base: object) -> bool:
    values = written if isinstance(written, list) else [written]
    if not values:
        reader.add(loc, "a sweep needs values, got an empty list")
        return False
    sound = True
    name = loc[-1]
    earlier: set[str] = set()
    for index, value in enumerate(values):
        where = loc
        if isinstance(written, list):
            where = (*loc, index)
        text = repr(value)
        if text in earlier:
            reader.add(where, f"{text} is in the sweep twice")
            sound = False
        elif not isinstance(base, _OVERRIDDEN):
            what = f"{name} is {Value.of(base).type_name}, which cannot be overridden"
            hint = "override plain values, lists, tuples, dictionaries and sets"
            reader.add(where, what, hint)
            return False
        elif base is not None and not _fits(value, base):
            what = f"{name} is {Value.of(base).type_name}, got {describe(value)}"
            hint = _hint_to_fit(value, base)
            reader.add(where, what, hint)
            sound = False
        earlier.add(text)
    return sound


def _hint_to_fit(value: Any, base: object) -> str:
    """Return a hint for a value whose type is not the constant's type."""
    if isinstance(value, str) and isinstance(base, int | float):
        return "remove the quotes"
    if isinstance(base, str):
        return "quote it"
    if isinstance(base, list | tuple | set):
        return "a sweep of such values is a list of them: write [[1, 2]] for a single one"
    return ""


def _fits(value: Any, base: object) -> bool:
    if isinstance(base, set) and isinstance(value, list):
        # Lists and dictionaries are not hashable.
        return not any(isinstance(item, list | dict) for item in value)
    if isinstance(base, tuple | set):
        return type(value) is list
    if type(base) is float:
        return type(value) in (float, int)
    return type(value) is type(base)


@dataclass(slots=True)
class Compiled:
    """The results of compiling scenario files.

    While `recording`, draws and transcripts may be missing.
    """

    recording: bool = False
    scenarios: list[Scenario] = field(default_factory=list)
    transcripts: list[TranscriptFile] = field(default_factory=list)
    requests: dict[str, DrawRequest] = field(
        default_factory=dict
    )  # keyed by the file that stores the draws
    provide: set[str] = field(default_factory=set)
    stand_ins: dict[str, SourceFile] = field(default_factory=dict)  # by name
    samples: dict[tuple[str, Overrides, Clock | None], DrawRequest] = field(default_factory=dict)
    """The requests of strategies, by the scenarios' group, their constants and their clock."""
    needs: list[ScenarioReader] = field(default_factory=list)  # readers of scenarios with `needs:`


def check_draw_keys(reader: ScenarioReader) -> None:
    """Note errors for keys that cannot be combined with `sample` or `cases`."""
    if reader.states("sample") and reader.states("cases"):
        hint = "write a scenario for each"
        reader.add((*reader.loc, "cases"), "expected one of sample and cases", hint, key=True)
    elif reader.states("each") and not reader.has_cases:
        reader.add((*reader.loc, "each"), "each needs sample or cases", key=True)
    if reader.states("transcript") and reader.has_cases:
        what = "a transcript shows one game, but there are several cases"
        hint = "state turns in each case, or write a scenario for each game"
        reader.add((*reader.loc, "transcript"), what, hint, key=True)
    if reader.states("sample") and reader.shape.sample is None:
        reader.add((*reader.loc, "sample"), "expected a mapping, got null")


def cases_of(
    reader: ScenarioReader, kind: type[Action], compiled: Compiled
) -> list[ScenarioReader]:
    """Return a reader for each row or draw; only the scenario's own reader if it has neither.

    The result is empty if one is invalid, or if draws are still to be recorded.
    """
    if not reader.has_cases:
        return [reader]
    written = reader.shape.cases
    if isinstance(written, list) and not reader.states("sample"):
        cases = _checked_rows(reader, kind, written)
    else:
        draws = _draws(reader, compiled)
        cases = [reader.with_bindings(draw) for draw in draws]
    if cases:
        reader.names.update(binding.name for binding in cases[0].bindings)
    else:
        reader.names_known = False
    return cases


def _checked_rows(
    reader: ScenarioReader, kind: type[Action], written: Sequence[CaseShape]
) -> list[ScenarioReader]:
    """Return readers for the rows; empty if one is invalid (an error is noted)."""
    rows: list[ScenarioReader] = []
    with suppress(Refused):
        rows = _rows(reader, written)
    before = len(reader.document.problems)
    for row in rows:
        if len(reader.document.problems) == before:
            check_takes(row, kind)
    return rows


def _draws(reader: ScenarioReader, compiled: Compiled) -> list[tuple[Binding, ...]]:
    sample = reader.shape.sample
    source = reader.shape.cases
    if reader.states("sample") == reader.states("cases") or isinstance(source, list):
        return []
    loc: Loc = (*reader.loc, "cases")
    if sample is not None:
        loc = (*reader.loc, "sample", "strategy")
    variation = reader.variation
    name = file_name(reader.group, variation.swept)
    try:
        request = request_for(reader.symbols, sample or source, reader.constants)
        compiled.requests[name] = request
        if sample is not None:
            key = (reader.group, variation.overrides, variation.clock)
            compiled.samples[key] = request
        return read_draws(reader.symbols.folder, name, request)
    except HintedError as error:
        is_recorded = compiled.recording and isinstance(error, OutdatedDrawsError)
        if not is_recorded:
            reader.add(loc, str(error), error.hint)
        return []


def _rows(reader: ScenarioReader, cases: Sequence[CaseShape]) -> list[ScenarioReader]:
    """Return readers for the rows in order. Note an error and raise Refused if one is invalid."""
    loc: Loc = (*reader.loc, "cases")
    if not cases:
        reader.refuse(loc, "expected at least one case, got an empty list")
    rows: list[ScenarioReader] = []
    names: list[list[str]] = []
    for index, case in enumerate(cases):
        row_at = (*loc, index)
        row = _row(reader, row_at, case)
        rows.append(row)
        names.append([binding.name for binding in row.bindings])
    others = reader.shape.model_dump(exclude={"cases"}, exclude_unset=True)
    beside = str(others)
    for name in names[0]:
        misspelled = difflib.get_close_matches(name, _OF_A_ROW, n=1, cutoff=_VERY_NEAR)
        word = re.escape(name)
        is_used = re.search(rf"\b{word}\b", beside) is not None
        if misspelled and not is_used:
            hint = f"did you mean {misspelled[0]}?"
            reader.refuse((*loc, 0, name), "nothing uses this name", hint, key=True)
    for row, bound in zip(rows, names, strict=True):
        if bound != names[0]:
            this = ", ".join(bound) or "nothing"
            first = ", ".join(names[0]) or "nothing"
            what = f"this case defines {this}, the first one defines {first}"
            reader.refuse(row.row, what, "define the same names in every case")
    return rows


def _row(reader: ScenarioReader, where: Loc, case: CaseShape) -> ScenarioReader:
    bindings: list[Binding] = []
    for name, value in (case.model_extra or {}).items():
        loc = (*where, name)
        if not name.isidentifier():
            reader.refuse(loc, f"{name} is not a name", key=True)
        if isinstance(value, dict):
            known = f"a case states {listed(_OF_A_ROW, 'or')}"
            hint = nearest(name, _OF_A_ROW) or known
            reader.refuse(loc, "expected a plain value, got a mapping", hint)
        node = reader.node(loc, value)
        literal = node.value().source()
        bindings.append(Binding(name=name, literal=literal))
    stated = case.model_fields_set & set(_OF_A_ROW)
    values = {key: getattr(case, key) for key in stated}
    shape = reader.shape.model_copy(update=values)
    in_row = replace(reader, shape=shape, row=where, row_keys=frozenset(stated))
    ordered = sorted(bindings, key=lambda binding: binding.name)
    return in_row.with_bindings(tuple(ordered))


def uses(reader: ScenarioReader, names: Collection[str]) -> bool:
    """Return whether some text of the scenario uses one of these names."""
    texts = reader.shape.model_dump(include={*_OF_A_ROW, "files"}, exclude_unset=True)
    return not _names_of(texts).isdisjoint(names)


def _names_of(data: Any) -> set[str]:
    if isinstance(data, str):
        return names_in(data)
    if isinstance(data, dict):
        data = list(data.values())
    names: set[str] = set()
    if isinstance(data, list):
        for part in data:
            names |= _names_of(part)
    return names


def check_differ(reader: ScenarioReader, kind: type[Action], stimuli: Sequence[Stimulus]) -> None:
    """Note an error for a row that repeats an earlier one, and for generated values that are never
    used.
    """
    is_table = isinstance(reader.shape.cases, list)
    first_of: dict[Stimulus, int] = {}
    for index, stimulus in enumerate(stimuli):
        without_unused = replace(stimulus, bindings=stimulus.used_bindings())
        first = first_of.setdefault(without_unused, index)
        if first != index and is_table:
            hint = _to_differ(stimulus, stimuli[first], by_name=kind.by_name)
            what = f"this case is the same as item {first + 1} does"
            reader.add((*reader.loc, "cases", index), what, hint)
            return
    are_all_the_same = len(stimuli) > 1 and len(first_of) == 1
    if are_all_the_same and not is_table and not kind.by_name:
        key = "sample" if reader.states("sample") else "cases"
        name = stimuli[0].bindings[0].name
        what = "the program runs the same way with every draw"
        hint = f'use the drawn value as input, for example: input: ["{{{{ {name} }}}}"]'
        reader.add((*reader.loc, key), what, hint)


def _to_differ(stimulus: Stimulus, first: Stimulus, *, by_name: bool) -> str:
    """Return a hint how to make two rows differ."""
    unused: list[str] = []
    for binding, other in zip(stimulus.bindings, first.bindings, strict=True):
        if binding != other:
            unused.append(binding.name)
    if not unused:
        return "take one of them out"
    if by_name:
        return f"use {unused[0]} in the call"
    return f'write "{{{{ {unused[0]} }}}}" in input, or state input in each case'


def one_of_each(scenario: Scenario, reader: ScenarioReader) -> list[Scenario]:
    """Split a scenario with `each` into one scenario for each case."""
    scenarios: list[Scenario] = []
    for number, stimulus in enumerate(scenario.stimuli, start=1):
        mark = reader.variation.bracket(f"draw={number}")
        of_case = replace(
            scenario,
            id=scenario.group + mark,
            stimuli=(stimulus,),
            stated=scenario.stated_for(stimulus),
            stated_cases=(),
            is_sample=False,
        )
        scenarios.append(of_case)
    return scenarios
