"""Compiles a file of scenarios: expands sweeps, fills in templates, adds recorded draws."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

from harness.assignment.document import Document
from harness.assignment.scenarios.across_files import (
    Compiled,
    WeightedFile,
    counted_points,
    rescaled,
    stated_needs,
)
from harness.assignment.scenarios.cases import (
    Case,
    Reading,
    asks_for_draws,
    cases_of,
    check_differ,
    check_draw_keys,
    one_of_each,
    uses,
)
from harness.assignment.scenarios.context import Context, Setting, check_clauses, check_function
from harness.assignment.scenarios.expected import stated, transcript_of
from harness.assignment.scenarios.shape import ScenarioFileShape, ScenarioShape
from harness.assignment.scenarios.stimulus import (
    check_takes,
    given,
    kind_of,
    provided_names,
    read_stimulus,
    stand_in_files,
    stimulus_of,
    used_files,
)
from harness.assignment.scenarios.sweeps import slug, swept_names, variations
from harness.assignment.shapes import salvaged
from harness.assignment.vocabulary import Overrides, Vocabulary
from harness.matchers import EqualTo, Refused
from harness.model.expectation import Expected
from harness.model.plan import Scenario
from harness.model.specification import TranscriptFile
from harness.model.stimulus import Call, StandIn, Stimulus


class ScenarioFile:
    """Reads one file's scenarios; mistakes go to the document's problems, and what more than the
    file's scenarios is found goes to `compiled`."""

    def __init__(self, document: Document, vocabulary: Vocabulary, compiled: Compiled) -> None:
        self.document = document
        self.vocabulary = vocabulary
        self.compiled = compiled
        self.stem = document.file.rsplit("/", 1)[-1].removesuffix(".yaml")
        self.scenarios: list[Scenario] = []

    def read(self) -> WeightedFile:
        """All scenarios of the file that can be read, and what they are worth."""
        data = self.document.data
        if not isinstance(data, dict):
            self.document.add((), "expected a mapping with scenarios")
            return WeightedFile(document=self.document, scenarios=(), marks=None)
        head, broken_head = self._head(data)
        items = data.get("scenarios")
        names: dict[str, str] = {}
        for index, item in enumerate(items if isinstance(items, list) else ()):
            shape, broken = salvaged(ScenarioShape, self.document, ("scenarios", index), item)
            if shape is not None:
                chosen = Setting(head, shape, ("scenarios", index), broken | broken_head)
                if self._is_unique(chosen, names):
                    self._scenario(chosen)
        scenarios = tuple(self.scenarios)
        if "points_total" in head.model_fields_set:
            scenarios = rescaled(scenarios, head.points_total)
        marks = self._marks(head) if "marks" in head.model_fields_set else None
        return WeightedFile(document=self.document, scenarios=scenarios, marks=marks)

    def _marks(self, head: ScenarioFileShape) -> Fraction | None:
        if "points_total" in head.model_fields_set:
            what = "marks and points_total both say what the file is worth"
            self.document.add(("marks",), what, "keep one of them")
        elif not counted_points(self.scenarios):
            what = "no scenario of the file counts"
            self.document.add(("marks",), what, "informational scenarios earn nothing")
        else:
            return head.marks
        return None

    def _head(self, data: dict[Any, Any]) -> tuple[ScenarioFileShape, frozenset[Any]]:
        # The scenarios are checked one by one: a mistake in one leaves the others readable.
        items = data.get("scenarios")
        placeholder = [{"name": "stands for all of them"}]
        whole = {**data, "scenarios": placeholder} if isinstance(items, list) and items else data
        head, broken = salvaged(ScenarioFileShape, self.document, (), whole)
        if head is None:
            head = ScenarioFileShape.model_validate({"scenarios": placeholder})
        return head, broken - {"scenarios"}

    def _is_unique(self, chosen: Setting, names: dict[str, str]) -> bool:
        name = chosen.own.name
        short = slug(name)
        where = (*chosen.loc, "name")
        if not short:
            self.document.add(where, f"{name!r} has neither letter nor digit to make an id of")
        elif short in names:
            same = "another scenario has this name" if names[short] == name else (
                f"{name!r} and {names[short]!r} make the same id"
            )  # fmt: skip
            self.document.add(where, same, "names are unique in their file")
        else:
            names[short] = name
            return True
        return False

    def _scenario(self, chosen: Setting) -> None:
        before = len(self.document.problems)
        group = f"{self.stem}/{slug(chosen.own.name)}"
        check_function(self.document, self.vocabulary, chosen)
        check_clauses(self.document, self.vocabulary, chosen)
        self.compiled.provide |= set(provided_names(self.document, self.vocabulary, chosen))
        self.compiled.stand_ins |= stand_in_files(self.document, self.vocabulary, chosen)
        self.compiled.needs += stated_needs(self.document, group, chosen)
        base = self._context(chosen, ())
        check_draw_keys(base, chosen)
        self._check_speed(chosen)
        with suppress(Refused):
            kind = kind_of(base, chosen)
            if not isinstance(chosen.own.cases, list):  # else with what each row states
                check_takes(base, chosen, kind)
            for variation in variations(self.document, self.vocabulary, chosen):
                context = self._context(chosen, variation.overrides)
                reading = Reading(
                    context=context,
                    chosen=chosen,
                    variation=variation,
                    group=group,
                    kind=kind,
                    compiled=self.compiled,
                )
                self._variation(reading)
                if len(self.document.problems) > before:
                    return  # the other values would say the same again

    def _context(self, chosen: Setting, overrides: Overrides) -> Context:
        constants = self.vocabulary.variants.constants(overrides)
        context = Context(self.document, self.vocabulary, constants)
        context.names_known = not chosen.broken & {"given", "sample", "cases", "session"}
        return context

    def _variation(self, reading: Reading) -> None:
        """Add the scenario under one set of constants; Refused if it cannot be read."""
        chosen, variation, group = reading.chosen, reading.variation, reading.group
        cases = cases_of(reading)
        prefix = given(reading.context, chosen)
        transcript = _transcript(reading)
        names = {binding.name for case in cases for binding in case.bindings}
        each_read = isinstance(chosen.own.cases, list) or uses(chosen, names)
        stimuli: list[Stimulus] = []
        expected: list[Expected] = []
        before = len(self.document.problems)
        for case in (cases if each_read else cases[:1]) or [Case((), chosen)]:
            stimulus, outcome = _read(reading, case, transcript)
            if len(self.document.problems) > before:
                return  # the other cases would say the same again
            stimuli.append(replace(stimulus, given=prefix, bindings=case.bindings))
            expected.append(outcome)
        if not cases:
            return
        if each_read:
            self.compiled.samples.pop((group, variation.overrides), None)  # drawn values are typed
        else:
            stimuli = [replace(stimuli[0], bindings=case.bindings) for case in cases]
        check_differ(reading, stimuli)
        scenario = replace(
            self._common(chosen, group),
            id=group + variation.bracket(),
            stimuli=tuple(stimuli),
            stated=expected[0],
            stated_cases=tuple(expected) if each_read else (),
        )
        self.scenarios += one_of_each(scenario, variation) if chosen.own.each else [scenario]

    def _common(self, chosen: Setting, group: str) -> Scenario:
        """What the scenario is under every set of constants."""
        return Scenario(
            id=group,
            group=group,
            name=chosen.own.name,
            function=chosen.value("function"),
            clauses=tuple(chosen.value("clause")),
            visibility=chosen.visibility,
            points=chosen.value("points"),
            limits=chosen.limits(self.vocabulary.limits),
            stimuli=(),
            stated=Expected(),
            place=self.document.place(chosen.loc),
            is_sample=asks_for_draws(chosen),
            informational=chosen.value("informational"),
            extra_credit=chosen.value("extra_credit"),
            tags=tuple(chosen.value("tags")),
            hint=chosen.value("hint").strip(),
            description=chosen.value("description").strip(),
            stand_ins=tuple(
                StandIn(module=module, file=file)
                for module, file in chosen.value("stand_in").items()
            ),
            faster_than=chosen.own.faster_than or 0,
        )

    def _check_speed(self, chosen: Setting) -> None:
        clashing = [key for key in ("replies", "ends") if chosen.states(key)]
        clashing += ["stand_in"] if chosen.value("stand_in") else []
        if clashing and chosen.states("faster_than"):
            what = f"faster_than and {clashing[0]} do not go together"
            self.document.add((*chosen.loc, "faster_than"), what, key=True)


def _transcript(reading: Reading) -> str | None:
    chosen, compiled = reading.chosen, reading.compiled
    if not chosen.states("transcript") or asks_for_draws(chosen):
        return None
    with suppress(Refused):
        swept = swept_names(reading.variation)
        transcript = transcript_of(reading.context, chosen, swept, recording=compiled.recording)
        scenario_id = reading.group + reading.variation.bracket()
        entry = TranscriptFile(scenario_id=scenario_id, path=transcript.path)
        compiled.transcripts.append(entry)
        return transcript.text
    return None


def _read(reading: Reading, case: Case, transcript: str | None) -> tuple[Stimulus, Expected]:
    """What is done in one case, and what is expected of it; Refused."""
    chosen, context = case.setting, case.context(reading.context)
    parts = read_stimulus(context, chosen, reading.kind)
    expected = stated(context, chosen, parts, transcript=transcript)
    if isinstance(parts.action, Call) and isinstance(expected.returns, EqualTo):
        # The value's own `==` is asked.
        action = replace(parts.action, equals=expected.returns.expression)
        parts = replace(parts, action=action)
    stimulus = stimulus_of(context, chosen, reading.variation.overrides, parts)
    reading.compiled.data_files |= used_files(chosen)
    if stimulus.replies is not None:
        reading.compiled.data_files.add(stimulus.replies.file)
    return stimulus, expected
