"""Compiles a file of scenarios: expands sweeps, fills in templates, adds recorded draws."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from harness.assignment.files.stand_ins import stand_in_files
from harness.assignment.scenarios.drawing.case_reader import (
    CaseReader,
    asks_for_draws,
    check_draw_keys,
    one_of_each,
)
from harness.assignment.scenarios.drawing.cases import Case, check_differ, uses
from harness.assignment.scenarios.drawing.draws import DrawRequest
from harness.assignment.scenarios.expected import check_sensible, stated, transcript_of
from harness.assignment.scenarios.folders import stated_files, used_files
from harness.assignment.scenarios.needs import StatedNeeds, stated_needs
from harness.assignment.scenarios.settings import (
    Context,
    Setting,
    check_clauses,
    check_function,
    fraction,
    provided_names,
)
from harness.assignment.scenarios.stimuli import StimulusParts, asked, given, kind_of, stimulus_of
from harness.assignment.scenarios.sweeps import Variation, slug, swept_names, variations
from harness.assignment.scenarios.weights import counted_points, rescaled
from harness.assignment.schema.models.scenario import ScenarioFileShape, ScenarioShape
from harness.assignment.schema.validate import salvaged
from harness.assignment.vocabulary import Overrides, Vocabulary
from harness.assignment.yaml.document import Document
from harness.matchers import EqualTo
from harness.model.expectation import Expected
from harness.model.plan import Scenario, SourceFile
from harness.model.specification import TranscriptFile
from harness.model.stimulus import Call, StandIn, Stimulus


@dataclass(slots=True)
class Compiled:
    """What the scenario files came to. `requests` are the draws asked for, by frozen file,
    `stand_ins` the files that `stand_in:` names, by their name, `data_files` those of `files:`,
    `samples` the requests of strategies, by the scenarios' group and their constants, `needs` what
    scenarios need, which is known once all files are read."""

    scenarios: list[Scenario]
    transcripts: list[TranscriptFile]
    requests: dict[str, DrawRequest]
    provide: set[str]
    stand_ins: dict[str, SourceFile]
    data_files: set[str]
    samples: dict[tuple[str, Overrides], DrawRequest] = field(default_factory=dict)
    needs: list[StatedNeeds] = field(default_factory=list)


class ScenarioFile:
    """Reads one file's scenarios; mistakes go to the document's problems."""

    def __init__(self, document: Document, vocabulary: Vocabulary, *, recording: bool) -> None:
        self.document = document
        self.vocabulary = vocabulary
        self.recording = recording
        self.stem = document.file.rsplit("/", 1)[-1].removesuffix(".yaml")
        self.compiled = Compiled([], [], {}, set(), {}, set())
        self.case_reader = CaseReader(
            folder=vocabulary.folder,
            recording=recording,
            requests=self.compiled.requests,
            samples=self.compiled.samples,
        )
        self.marks: Fraction | None = None

    def compile(self) -> Compiled:
        """All scenarios of the file that can be read."""
        data = self.document.data
        if not isinstance(data, dict):
            self.document.add((), "expected a mapping with scenarios")
            return self.compiled
        head, broken_head = self._head(data)
        items = data.get("scenarios")
        if not isinstance(items, list):
            return self.compiled
        names: dict[str, str] = {}
        for index, item in enumerate(items):
            shape, broken = salvaged(ScenarioShape, self.document, ("scenarios", index), item)
            if shape is None:
                continue
            chosen = Setting(head, shape, ("scenarios", index), broken | broken_head)
            if self._unique(chosen, names):
                self._scenario(chosen)
        if "points_total" in head.model_fields_set:
            total = fraction(self.document, ("points_total",), head.points_total)
            if total is not None:
                self.compiled.scenarios[:] = rescaled(self.compiled.scenarios, total)
        if "marks" in head.model_fields_set:
            self._read_marks(head)
        return self.compiled

    def _read_marks(self, head: ScenarioFileShape) -> None:
        if "points_total" in head.model_fields_set:
            what = "marks and points_total both say what the file is worth"
            self.document.add(("marks",), what, "keep one of them")
            return
        self.marks = fraction(self.document, ("marks",), head.marks)
        if not counted_points(self.compiled.scenarios):
            what = "no scenario of the file counts"
            self.document.add(("marks",), what, "informational scenarios earn nothing")
            self.marks = None

    def _head(self, data: dict[Any, Any]) -> tuple[ScenarioFileShape, frozenset[Any]]:
        # The scenarios are checked one by one: a mistake in one leaves the others readable.
        items = data.get("scenarios")
        placeholder = [{"name": "stands for all of them"}]
        whole = {**data, "scenarios": placeholder} if isinstance(items, list) and items else data
        head, broken = salvaged(ScenarioFileShape, self.document, (), whole)
        if head is None:
            head = ScenarioFileShape.model_validate({"scenarios": placeholder})
        return head, broken - {"scenarios"}

    def _unique(self, chosen: Setting, names: dict[str, str]) -> bool:
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
        points = fraction(self.document, chosen.where("points"), chosen.value("points")) \
            if "points" in self._stated(chosen) else Fraction(1)  # fmt: skip
        provide = provided_names(self.document, self.vocabulary, chosen)
        self.compiled.provide |= set(provide)
        self.compiled.stand_ins |= stand_in_files(self.document, self.vocabulary, chosen)
        needs = stated_needs(self.document, group, chosen)
        self.compiled.needs += [needs] if needs is not None else []
        base = self._context(chosen, ())
        kind = kind_of(base, chosen)
        check_draw_keys(base, chosen)
        self._check_speed(chosen)
        if kind is None:
            return
        if not isinstance(chosen.own.cases, list):  # else with what each row states
            check_sensible(base, chosen, kind)
        for variation in variations(self.document, self.vocabulary, chosen):
            self._variation(chosen, variation, group, kind, points or Fraction(1))
            if len(self.document.problems) > before:
                return  # the other values would say the same again

    def _context(self, chosen: Setting, overrides: Overrides) -> Context:
        constants = self.vocabulary.variants.constants(overrides)
        context = Context(self.document, self.vocabulary, constants)
        context.names_known = not chosen.broken & {"given", "sample", "cases", "session"}
        return context

    def _stated(self, chosen: Setting) -> set[str]:
        return chosen.own.model_fields_set | chosen.head.model_fields_set

    def _variation(
        self, chosen: Setting, variation: Variation, group: str, kind: str, points: Fraction
    ) -> None:
        context = self._context(chosen, variation.overrides)
        cases = self.case_reader.cases(context, chosen, variation, group, kind)
        prefix = given(context, chosen)
        text = self._transcript(context, chosen, variation, group)
        names = {binding.name for case in cases for binding in case.bindings}
        each_read = isinstance(chosen.own.cases, list) or uses(chosen, names)
        stimuli: list[Stimulus] = []
        expected: list[Expected] = []
        before = len(self.document.problems)
        for case in (cases if each_read else cases[:1]) or [Case((), chosen)]:
            read = self._read(case, context, variation, kind, text)
            if read is None or len(self.document.problems) > before:
                return  # the other cases would say the same again
            stimuli.append(replace(read[0], given=prefix, bindings=case.bindings))
            expected.append(read[1])
        if not cases:
            return
        if each_read:
            self.compiled.samples.pop((group, variation.overrides), None)  # drawn values are typed
        else:
            stimuli = [replace(stimuli[0], bindings=case.bindings) for case in cases]
        check_differ(context, chosen, stimuli)
        scenario = Scenario(
            id=group + variation.bracket(),
            group=group,
            name=chosen.own.name,
            function=chosen.value("function"),
            clauses=tuple(chosen.value("clause")),
            visibility=chosen.visibility,
            points=points,
            limits=chosen.limits(self.vocabulary.limits),
            stimuli=tuple(stimuli),
            stated=expected[0],
            place=self.document.place(chosen.loc),
            is_sample=asks_for_draws(chosen),
            informational=chosen.value("informational"),
            extra_credit=chosen.value("extra_credit"),
            tags=tuple(chosen.value("tags")),
            hint=chosen.value("hint").strip(),
            description=chosen.value("description").strip(),
            stated_cases=tuple(expected) if each_read else (),
            stand_ins=tuple(
                StandIn(module=module, file=file)
                for module, file in chosen.value("stand_in").items()
            ),
            faster_than=chosen.own.faster_than or 0,
        )
        self.compiled.scenarios += (
            one_of_each(scenario, variation) if chosen.own.each else [scenario]
        )

    def _transcript(
        self, context: Context, chosen: Setting, variation: Variation, group: str
    ) -> str | None:
        if not chosen.states("transcript") or asks_for_draws(chosen):
            return None
        swept = tuple(swept_names(variation))
        found = transcript_of(context, chosen, swept, recording=self.recording)
        if found is None:
            return None
        entry = TranscriptFile(scenario_id=group + variation.bracket(), path=found.path)
        self.compiled.transcripts.append(entry)
        return found.text

    def _read(
        self, case: Case, context: Context, variation: Variation, kind: str, transcript: str | None
    ) -> tuple[Stimulus, Expected] | None:
        """What is done in one case, and what is expected of it."""
        chosen, context = case.setting, case.context(context)
        parts = asked(context, chosen, kind)
        if parts is None:
            return None
        expected = stated(
            context,
            chosen,
            leaves_names=parts.leaves,
            inputs=None if "input" in chosen.broken else len(parts.inputs),
            shown=parts.shown,
            transcript=transcript,
        )
        files = stated_files(context, chosen)
        expected = replace(
            expected,
            writes=files.writes,
            writes_unchanged=files.writes_unchanged,
            writes_only=files.writes_only,
        )
        asking = _asking(parts, expected)
        stimulus = stimulus_of(context, chosen, variation.overrides, asking)
        self.compiled.data_files |= used_files(chosen)
        if stimulus.replies is not None:
            self.compiled.data_files.add(stimulus.replies.file)
        return stimulus, expected

    def _check_speed(self, chosen: Setting) -> None:
        clashing = [key for key in ("replies", "ends") if chosen.states(key)]
        clashing += ["stand_in"] if chosen.value("stand_in") else []
        if clashing and chosen.states("faster_than"):
            what = f"faster_than and {clashing[0]} do not go together"
            self.document.add((*chosen.loc, "faster_than"), what, key=True)


def _asking(parts: StimulusParts, expected: Expected) -> StimulusParts:
    """The stimulus, which for `returns: {equals: …}` asks the value's own `==`."""
    if isinstance(parts.action, Call) and isinstance(expected.returns, EqualTo):
        action = replace(parts.action, equals=expected.returns.expression)
        return replace(parts, action=action)
    return parts
