"""Compiles a file of scenarios: expands sweeps, fills in templates, adds recorded draws; settles
what the scenarios of all files need and are worth."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from graphlib import CycleError
from typing import Any

from harness.assignment.document import Document, Loc
from harness.assignment.scenarios.cases import (
    Case,
    Compiled,
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
from harness.assignment.scenarios.shape import (
    OF_EACH_ALONE,
    ScenarioFileShape,
    ScenarioShape,
    StatedShape,
)
from harness.assignment.scenarios.stimuli import check_takes, kind_of, ruled_out
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
from harness.matchers.reading import Refused, nearest
from harness.model.expectation import Expected
from harness.model.plan import Scenario, Visibility, in_turn, needed
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
        for key in data.keys() & OF_EACH_ALONE:
            what = "this is said by each scenario, not by their file"
            self.document.refuse((key,), what, "write it in each", key=True)
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
            context = _with_defaults(context, kind)
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
            variation = context.variation
            key = (context.group, variation.overrides, variation.clock)
            self.compiled.samples.pop(key, None)
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


def _with_defaults(context: Context, kind: StimulusKind) -> Context:
    """The scenario with what its file states for all, as far as this stimulus can show it and it
    goes with what the scenario and its rows state themselves."""
    head, own = context.head, context.own
    rows = own.cases if isinstance(own.cases, list) else []
    stated = own.model_fields_set.union(*(row.model_fields_set for row in rows))
    keys = frozenset(StatedShape.model_fields) & head.model_fields_set
    keys -= own.model_fields_set | ruled_out(kind, stated)
    values = {key: getattr(head, key) for key in keys}
    return replace(context, own=own.model_copy(update=values), head_keys=keys)


_OPEN = tuple(Visibility)  # who sees it first comes first
_NOTHING = Fraction(0)


def with_needs(scenarios: Sequence[Scenario], stated: Sequence[Context]) -> tuple[Scenario, ...]:
    """The scenarios with what they need; a mistake for every name that cannot be needed."""
    if not stated:
        return tuple(scenarios)
    by_name = _ByName(scenarios)
    needs = {context.group: by_name.needed_by(context) for context in stated}
    resolved = tuple(replace(each, needs=needs.get(each.group, ())) for each in scenarios)
    try:
        list(in_turn(resolved, needed(resolved)))
    except CycleError as error:
        circle: list[str] = error.args[1][::-1]  # each needs the next
        group = next(each.group for each in scenarios if each.id == circle[0])
        context = next(each for each in stated if each.group == group)
        what = f"these scenarios need one another: {' needs '.join(circle)}"
        context.add((*context.where("needs"), 0), what)
    return resolved


class _ByName:
    """What may be needed, by the name that a scenario file uses."""

    def __init__(self, scenarios: Sequence[Scenario]) -> None:
        self._functions: dict[str, list[Scenario]] = {}
        self._ids: dict[str, list[Scenario]] = {}
        for scenario in scenarios:
            self._functions.setdefault(scenario.function, []).append(scenario)
            for name in {scenario.id, scenario.group}:
                self._ids.setdefault(name, []).append(scenario)

    def needed_by(self, context: Context) -> tuple[str, ...]:
        names: list[str] = []
        for index, name in enumerate(context.value("needs")):
            with suppress(Refused):
                names.append(self._needed(context, (*context.where("needs"), index), name))
        return tuple(dict.fromkeys(names))

    def _needed(self, context: Context, loc: Loc, name: str) -> str:
        own = self._ids.get(context.group, [])
        if name in self._functions:
            needed_name, others = name, self._functions[name]
            if any(one.function == name for one in own):
                what = f"this is a scenario of {name} itself"
                context.refuse(loc, what, "name the scenarios that come first")
        else:
            in_file = f"{context.group.partition('/')[0]}/{slug(name)}"
            needed_name = name if name in self._ids else in_file
            others = self._ids.get(needed_name, [])
            if not others:
                what = f"there is no function and no scenario {name!r}"
                context.refuse(loc, what, nearest(name, (*self._functions, *self._ids)))
            if needed_name == context.group:
                context.refuse(loc, "a scenario cannot need itself")
            if any(_is_seen_less(other, one) for other in others for one in own):
                what = f"{needed_name} is hidden from students who see this scenario"
                context.refuse(loc, what, "make both visible, or need its function")
        if all(other.informational for other in others):
            context.refuse(loc, f"{name} is informational, which touches no marks")
        return needed_name


def _is_seen_less(other: Scenario, one: Scenario) -> bool:
    return _OPEN.index(other.visibility) > _OPEN.index(one.visibility)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedFile:
    """A file's scenarios with their points; `marks` is what they are worth together, where its
    head says so."""

    document: Document
    scenarios: tuple[Scenario, ...]
    marks: Fraction | None


def counted_points(scenarios: Sequence[Scenario]) -> Fraction:
    """The sum of points that full marks need; of extra credit alone, its own sum."""
    marked = [scenario for scenario in scenarios if not scenario.informational]
    counted = [scenario for scenario in marked if not scenario.extra_credit] or marked
    return sum((scenario.points for scenario in counted), _NOTHING)


def rescaled(scenarios: Sequence[Scenario], total: Fraction) -> tuple[Scenario, ...]:
    """The same scenarios, whose points add up to `total` (unchanged where none is counted)."""
    points = counted_points(scenarios)
    if not points:
        return tuple(scenarios)
    return tuple(replace(each, points=each.points * total / points) for each in scenarios)


def weighted(files: Sequence[WeightedFile], out_of: Fraction) -> list[Scenario]:
    """All scenarios, the files with `marks` worth just those of the assignment's `out_of`.

    The other files share what is left by their points. What cannot be shared out so is a problem
    of the last file with `marks`.
    """
    stated = [file for file in files if file.marks is not None]
    others = [file for file in files if file.marks is None]
    given = sum((file.marks or _NOTHING for file in stated), _NOTHING)
    points = sum((counted_points(file.scenarios) for file in others), _NOTHING)
    left = out_of - given
    if stated and (left < 0 or bool(left) != bool(points)):
        what = f"the files' marks add up to {given}, and functionality_marks is {out_of}"
        if left > 0:
            hint = "no other file has scenarios that could earn the rest"
        elif left < 0:
            hint = "they may not be more"
        else:
            hint = "nothing is left for the files without marks"
        stated[-1].document.add(("marks",), what, hint)
        return [scenario for file in files for scenario in file.scenarios]
    a_mark = points / left if left else Fraction(1)
    return [
        scenario
        for file in files
        for scenario in (
            file.scenarios if file.marks is None else rescaled(file.scenarios, file.marks * a_mark)
        )
    ]
