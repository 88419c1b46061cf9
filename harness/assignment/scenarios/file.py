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
)
from harness.assignment.scenarios.cases import (
    Case,
    asks_for_draws,
    cases_of,
    check_differ,
    check_draw_keys,
    one_of_each,
    uses,
    variations,
)
from harness.assignment.scenarios.context import (
    Context,
    check_clauses,
    check_function,
    merged,
    slug,
)
from harness.assignment.scenarios.expected import stated, transcript_of
from harness.assignment.scenarios.shape import ScenarioFileShape, ScenarioShape
from harness.assignment.scenarios.stimuli import check_takes, kind_of
from harness.assignment.scenarios.stimulus import (
    StimulusKind,
    given,
    provided_names,
    read_stimulus,
    stand_in_files,
    stimulus_of,
    used_files,
)
from harness.assignment.shapes import salvaged
from harness.assignment.vocabulary import Vocabulary
from harness.matchers.kinds.equal_to import EqualTo
from harness.matchers.reading import Refused
from harness.model.expectation import Expected
from harness.model.plan import Scenario, Visibility
from harness.model.specification import TranscriptFile
from harness.model.stimulus import Call, StandIn, Stimulus

_VISIBILITY: dict[Any, Visibility] = {
    True: Visibility.VISIBLE,
    False: Visibility.HIDDEN,
    "after_due_date": Visibility.AFTER_DUE_DATE,
    "after_published": Visibility.AFTER_PUBLISHED,
}


class ScenarioFile:
    """Reads one file's scenarios; mistakes go to the document's problems, and what more than the
    file's scenarios is found goes to `compiled`."""

    def __init__(self, document: Document, vocabulary: Vocabulary, compiled: Compiled) -> None:
        self.document = document
        self.vocabulary = vocabulary
        self.compiled = compiled
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
                loc = ("scenarios", index)
                context = Context(
                    self.document, self.vocabulary, head, shape, loc, broken | broken_head
                )
                if self._is_unique(context, names):
                    self._scenario(context)
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

    def _is_unique(self, context: Context, names: dict[str, str]) -> bool:
        name = context.own.name
        short = slug(name)
        where = (*context.loc, "name")
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

    def _scenario(self, context: Context) -> None:
        before = len(self.document.problems)
        check_function(context)
        check_clauses(context)
        self.compiled.provide |= set(provided_names(context))
        self.compiled.stand_ins |= stand_in_files(context)
        self.compiled.needs += [context] if context.value("needs") else []
        check_draw_keys(context)
        self._check_speed(context)
        with suppress(Refused):
            kind = kind_of(context)
            if not isinstance(context.own.cases, list):  # else with what each row states
                check_takes(context, kind)
            for variation in variations(context):
                self._variation(context.under(variation), kind)
                if len(self.document.problems) > before:
                    return  # the other values would say the same again

    def _variation(self, context: Context, kind: StimulusKind) -> None:
        """Add the scenario under one set of constants; Refused if it cannot be read."""
        cases = cases_of(context, kind, self.compiled)
        prefix = given(context)
        transcript = self._transcript(context)
        names = {binding.name for case in cases for binding in case.bindings}
        each_read = isinstance(context.own.cases, list) or uses(context, names)
        stimuli: list[Stimulus] = []
        expected: list[Expected] = []
        before = len(self.document.problems)
        for case in (cases if each_read else cases[:1]) or [Case((), context)]:
            stimulus, outcome = self._read(case.with_names(), kind, transcript)
            if len(self.document.problems) > before:
                return  # the other cases would say the same again
            stimuli.append(replace(stimulus, given=prefix, bindings=case.bindings))
            expected.append(outcome)
        if not cases:
            return
        if each_read:  # drawn values are typed
            self.compiled.samples.pop((context.group, context.variation.overrides), None)
        else:
            stimuli = [replace(stimuli[0], bindings=case.bindings) for case in cases]
        check_differ(context, kind, stimuli)
        scenario = replace(
            self._common(context),
            id=context.group + context.variation.bracket(),
            stimuli=tuple(stimuli),
            stated=expected[0],
            stated_cases=tuple(expected) if each_read else (),
        )
        self.scenarios += one_of_each(scenario, context) if context.own.each else [scenario]

    def _transcript(self, context: Context) -> str | None:
        if not context.states("transcript") or asks_for_draws(context):
            return None
        with suppress(Refused):
            path, text = transcript_of(context, recording=self.compiled.recording)
            scenario_id = context.group + context.variation.bracket()
            self.compiled.transcripts.append(TranscriptFile(scenario_id=scenario_id, path=path))
            return text
        return None

    def _read(
        self, context: Context, kind: StimulusKind, transcript: str | None
    ) -> tuple[Stimulus, Expected]:
        """What is done in one case, and what is expected of it; Refused."""
        parts = read_stimulus(context, kind)
        expected = stated(context, parts, transcript=transcript)
        if isinstance(parts.action, Call) and isinstance(expected.returns, EqualTo):
            # The value's own `==` is asked.
            action = replace(parts.action, equals=expected.returns.expression)
            parts = replace(parts, action=action)
        stimulus = stimulus_of(context, parts)
        self.compiled.data_files |= used_files(context)
        if stimulus.replies is not None:
            self.compiled.data_files.add(stimulus.replies.file)
        return stimulus, expected

    def _common(self, context: Context) -> Scenario:
        """What the scenario is under every set of constants."""
        limits = self.vocabulary.limits
        for shape in (context.head.limits, context.own.limits):
            limits = merged(limits, shape)
        return Scenario(
            id=context.group,
            group=context.group,
            name=context.own.name,
            function=context.value("function"),
            clauses=tuple(context.value("clause")),
            visibility=_VISIBILITY[context.value("visible")],
            points=context.value("points"),
            limits=limits,
            stimuli=(),
            stated=Expected(),
            place=self.document.place(context.loc),
            is_sample=asks_for_draws(context),
            informational=context.value("informational"),
            extra_credit=context.value("extra_credit"),
            tags=tuple(context.value("tags")),
            hint=context.value("hint").strip(),
            description=context.value("description").strip(),
            stand_ins=tuple(
                StandIn(module=module, file=file)
                for module, file in context.value("stand_in").items()
            ),
            faster_than=context.own.faster_than or 0,
        )

    def _check_speed(self, context: Context) -> None:
        clashing = [key for key in ("replies", "ends") if context.states(key)]
        clashing += ["stand_in"] if context.value("stand_in") else []
        if clashing and context.states("faster_than"):
            what = f"faster_than and {clashing[0]} do not go together"
            self.document.add((*context.loc, "faster_than"), what, key=True)
