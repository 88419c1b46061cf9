"""Compiles one scenario file: constants, templates, recorded draws, stated results."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from harness.assignment.document import Document
from harness.assignment.scenarios.cases import (
    Compiled,
    cases_of,
    check_differ,
    check_draw_keys,
    one_of_each,
    uses,
    variations,
)
from harness.assignment.scenarios.reader import ScenarioReader, slug
from harness.assignment.scenarios.shape import (
    OF_EACH_ALONE,
    ScenarioFileShape,
    ScenarioShape,
    SettingsShape,
    StatedShape,
)
from harness.assignment.scenarios.stated import read_stated, transcript_of
from harness.assignment.scenarios.stimulus import (
    check_takes,
    kind_of,
    provided_names,
    read_given,
    read_stimulus,
    ruled_out,
    stand_in_files,
    stimulus_of,
)
from harness.assignment.shapes import salvage
from harness.assignment.symbols import AssignmentSymbols
from harness.matchers.reading import Refused
from harness.model.expectation import Expected
from harness.model.plan import MIN_SIZES, CostLimit, Growth, Scenario, TranscriptFile, Visibility
from harness.model.stimulus import Action, StandIn, Stimulus

VISIBILITY: dict[Any, Visibility] = {
    True: Visibility.VISIBLE,
    False: Visibility.HIDDEN,
    "hint": Visibility.HIDDEN,
    "after_due_date": Visibility.AFTER_DUE_DATE,
    "after_published": Visibility.AFTER_PUBLISHED,
}
_SETTINGS = SettingsShape.model_fields.keys() - {"given", "constants", "files", "limits"}


@dataclass(slots=True)
class ScenarioFile:
    """Compiles the scenarios of one file.

    Errors are noted; draws, files and needs are added to `compiled`.
    """

    document: Document
    symbols: AssignmentSymbols
    compiled: Compiled
    scenarios: list[Scenario] = field(default_factory=list)
    marks: Fraction = Fraction()  # of all scenarios together, if the file's head states them

    def read(self) -> None:
        data = self.document.data
        if not isinstance(data, dict):
            self.document.add((), "expected a mapping with scenarios")
            return
        head, broken_head = self._head(data)
        items = data.get("scenarios")
        names: dict[str, str] = {}
        if not isinstance(items, list):
            items = []
        for index, item in enumerate(items):
            loc = ("scenarios", index)
            shape, broken = salvage(ScenarioShape, self.document, loc, item)
            if shape is None:
                continue
            broken |= broken_head
            reader = ScenarioReader(self.document, self.symbols, head, shape, loc, broken)
            with suppress(Refused):
                self._check_name(reader, names)
                self._scenario(reader.with_head(_SETTINGS))
        self._share_points(head)

    def _share_points(self, head: ScenarioFileShape) -> None:
        """Scale the points to the file's `points_total`, or record its `marks`."""
        if "points_total" in head.model_fields_set:
            self.scenarios = rescale(self.scenarios, head.points_total)
        if {"marks", "points_total"} <= head.model_fields_set:
            what = "marks and points_total both set the file's marks"
            self.document.add(("marks",), what, "keep one of them")
        elif head.marks and not counted_points(self.scenarios):
            what = "no scenario in this file counts"
            self.document.add(("marks",), what, "informational scenarios give no marks")
        else:
            self.marks = head.marks

    def _head(self, data: dict[Any, Any]) -> tuple[ScenarioFileShape, frozenset[Any]]:
        # The scenarios are read one by one, so that an error in one leaves the others readable.
        for key in data.keys() & OF_EACH_ALONE:
            what = "this key cannot be at the head of the file"
            self.document.refuse((key,), what, "write it in each scenario", key=True)
        items = data.get("scenarios")
        placeholder = [{"name": "stands for all of them"}]
        whole = dict(data)
        if isinstance(items, list) and items:
            whole["scenarios"] = placeholder
        head, broken = salvage(ScenarioFileShape, self.document, (), whole)
        if head is None:
            head = ScenarioFileShape.model_validate({"scenarios": placeholder})
        return head, broken - {"scenarios"}

    def _check_name(self, reader: ScenarioReader, names: dict[str, str]) -> None:
        name = reader.shape.name
        where = (*reader.loc, "name")
        short = slug(name)
        if not short:
            what = f"{name!r} needs a letter or a digit, because its id is made from it"
            reader.refuse(where, what)
        if short in names:
            what = f"{name!r} and {names[short]!r} make the same id"
            if names[short] == name:
                what = "another scenario has this name"
            reader.refuse(where, what, "give each scenario its own name")
        names[short] = name

    def _scenario(self, reader: ScenarioReader) -> None:
        """Add the scenario for each set of constants. Raise Refused if it cannot be read."""
        before = len(self.document.problems)
        reader.check_owner()
        self.compiled.provide |= provided_names(reader)
        self.compiled.stand_ins |= stand_in_files(reader)
        if reader.shape.needs:
            self.compiled.needs.append(reader)
        check_draw_keys(reader)
        _check_faster_than(reader)
        _check_hint(reader)
        kind = kind_of(reader)
        cases = reader.shape.cases
        keys = set(reader.shape.model_fields_set)
        if isinstance(cases, list):
            for row in cases:
                keys |= row.model_fields_set
        # Defaults of the file apply only if this kind of scenario can have the key.
        reader = reader.with_head(StatedShape.model_fields.keys() - ruled_out(kind, keys))
        if not isinstance(cases, list):  # in a table, they are checked for each row
            check_takes(reader, kind)
        for variation in variations(reader):
            self._variation(reader.under(variation), kind)
            if len(self.document.problems) > before:
                return  # other values would repeat the same error

    def _variation(self, reader: ScenarioReader, kind: type[Action]) -> None:
        """Add the scenario for one set of constants. Raise Refused if it cannot be read."""
        cases = cases_of(reader, kind, self.compiled)
        given = read_given(reader)
        transcript = self._transcript(reader)
        # Otherwise the cases differ only in the values of their names.
        reads_each_case = isinstance(reader.shape.cases, list) or uses(reader, _bound_by(cases))
        readers = cases if reads_each_case else cases[:1]
        stimuli: list[Stimulus] = []
        expected: list[Expected] = []
        before = len(self.document.problems)
        # A scenario whose draws are still to be recorded has no cases: it is only checked.
        for case in readers or [reader]:
            parts = read_stimulus(case, kind)
            outcome = read_stated(case, parts, transcript=transcript)
            stimulus = stimulus_of(case, parts)
            if len(self.document.problems) > before:
                return  # other cases would repeat the same error
            stimuli.append(replace(stimulus, given=given, bindings=case.bindings))
            expected.append(outcome)
        if not cases:
            return
        if reads_each_case:  # generated values appear in the typed input
            variation = reader.variation
            key = (reader.group, variation.overrides, variation.clock)
            self.compiled.samples.pop(key, None)
        else:
            (of_all,) = stimuli
            stimuli = [replace(of_all, bindings=case.bindings) for case in cases]
        check_differ(reader, kind, stimuli)
        scenario = self._built(reader, stimuli, expected, reads_each_case=reads_each_case)
        if reader.shape.each:
            self.scenarios += one_of_each(scenario, reader)
        else:
            self.scenarios.append(scenario)

    def _transcript(self, reader: ScenarioReader) -> str | None:
        """Return the text of the scenario's transcript; None if it has none or if it is still to
        be recorded.
        """
        if not reader.states("transcript") or reader.has_cases:
            return None
        with suppress(Refused):
            path, transcript = transcript_of(reader, recording=self.compiled.recording)
            scenario_id = reader.group + reader.variation.bracket()
            self.compiled.transcripts.append(TranscriptFile(scenario_id=scenario_id, path=path))
            return transcript
        return None

    def _built(
        self,
        reader: ScenarioReader,
        stimuli: list[Stimulus],
        stated: list[Expected],
        *,
        reads_each_case: bool,
    ) -> Scenario:
        """Return the scenario for one set of constants.

        `stated` has one item for each stimulus if `reads_each_case`, otherwise one item for all.
        """
        shape = reader.shape
        stand_ins: list[StandIn] = []
        for module, file in shape.stand_in.items():
            stand_ins.append(StandIn(module=module, file=file))
        of_file = reader.head.limits.over(self.symbols.limits)
        cost = _cost(reader, stimuli)
        first, *_ = stated
        stated_cases: tuple[Expected, ...] = ()
        if reads_each_case:
            stated_cases = tuple(stated)
        return Scenario(
            id=reader.group + reader.variation.bracket(),
            group=reader.group,
            name=shape.name,
            function=shape.function,
            clauses=tuple(shape.clause),
            visibility=VISIBILITY[shape.visible],
            points=shape.points,
            limits=shape.limits.over(of_file),
            stimuli=tuple(stimuli),
            stated=first,
            stated_cases=stated_cases,
            place=self.document.place(reader.loc),
            is_sample=reader.has_cases,
            informational=shape.informational,
            extra_credit=shape.extra_credit,
            tags=tuple(shape.tags),
            hint=shape.hint.strip(),
            description=shape.description.strip(),
            stand_ins=tuple(stand_ins),
            shows_hint=shape.visible == "hint",
            cost=cost,
            faster_than=shape.faster_than or 0,
        )


def _cost(reader: ScenarioReader, stimuli: Sequence[Stimulus]) -> CostLimit | None:
    """Return the limit on how the scenario's cost may grow.

    Raise Refused if its cases have no sizes.
    """
    if "cost" not in reader.shape.model_fields_set:
        return None
    growth = Growth(reader.shape.cost)
    where = (*reader.loc, "cost")
    if reader.shape.each or reader.shape.stand_in or reader.states("replies"):
        reader.refuse(where, "cost cannot be combined with each, stand_in or replies")
    values: dict[str, list[str]] = {}
    for stimulus in stimuli:
        for binding in stimulus.bindings:
            values.setdefault(binding.name, []).append(binding.literal)
    for literals in values.values():
        sizes = [int(text) for text in literals if text.isdecimal()]
        is_enough = len(sizes) == len(stimuli) >= MIN_SIZES
        doubled = [2 * size for size in sizes[:-1]]
        if is_enough and sizes[0] > 0 and sizes[1:] == doubled:
            return CostLimit(growth=growth, sizes=tuple(sizes))
    what = "cost needs cases with a whole number, in each twice that of the one before"
    return reader.refuse(where, what, "write cases: [{n: 100}, {n: 200}, {n: 400}]")


def _check_faster_than(reader: ScenarioReader) -> None:
    """Note an error if `faster_than` is combined with a key that excludes it."""
    clashing = [key for key in ("replies", "ends") if reader.states(key)]
    if reader.shape.stand_in:
        clashing.append("stand_in")
    if clashing and reader.states("faster_than"):
        what = f"faster_than and {clashing[0]} cannot be combined"
        reader.add((*reader.loc, "faster_than"), what, key=True)


def _check_hint(reader: ScenarioReader) -> None:
    """Note an error if the scenario is to show only its hint but has none."""
    shape = reader.shape
    if shape.visible != "hint" or shape.hint or shape.description:
        return
    what = "visibility: hint needs a hint or a description to show"
    states_itself = "visible" in shape.model_fields_set
    key = "visible" if states_itself else "name"
    reader.add((*reader.loc, key), what, "add hint: or description:")


def _bound_by(cases: Sequence[ScenarioReader]) -> set[str]:
    """Return the names that the cases define."""
    names: set[str] = set()
    for case in cases:
        names.update(binding.name for binding in case.bindings)
    return names


def counted_points(scenarios: Sequence[Scenario]) -> Fraction:
    """Return the points needed for full marks; if all points are extra credit, their sum."""
    points = Fraction()
    extra_credit = Fraction()
    for scenario in scenarios:
        if scenario.informational:
            continue
        if scenario.extra_credit:
            extra_credit += scenario.points
        else:
            points += scenario.points
    return points or extra_credit


def rescale(scenarios: list[Scenario], total: Fraction) -> list[Scenario]:
    """Return the scenarios with points scaled to add up to `total`; unchanged if none counts for
    the mark.
    """
    points = counted_points(scenarios)
    if not points:
        return scenarios
    rescaled: list[Scenario] = []
    for scenario in scenarios:
        rescaled.append(replace(scenario, points=scenario.points * total / points))
    return rescaled
