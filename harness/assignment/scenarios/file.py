"""Compiles a file of scenarios: sweeps, templates, recorded draws, what each scenario states."""

import ast
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from harness.assignment.document import Document, Loc
from harness.assignment.scenarios.cases import (
    Compiled,
    cases_of,
    check_differ,
    check_draw_keys,
    one_of_each,
    uses,
    variations,
)
from harness.assignment.scenarios.context import Context, slug
from harness.assignment.scenarios.python_text import BUILTIN_EXCEPTIONS, parse_expression
from harness.assignment.scenarios.shape import (
    OF_EACH_ALONE,
    AtMostShape,
    RaisesShape,
    ScenarioFileShape,
    ScenarioShape,
    SettingsShape,
    StatedShape,
)
from harness.assignment.scenarios.stimulus import (
    check_takes,
    content_of,
    kind_of,
    provided_names,
    read_given,
    read_stimulus,
    ruled_out,
    stand_in_files,
    stimulus_of,
)
from harness.assignment.shapes import salvage
from harness.assignment.vocabulary import TemplateError, Vocabulary, class_names, names_in, render
from harness.matchers.kinds.values import Exactly
from harness.matchers.reading import Refused, describe, nearest, read_all
from harness.model.expectation import (
    Expected,
    Ignore,
    Matcher,
    StatedLeave,
    StatedRaise,
    StatedTurn,
    StatedTurns,
)
from harness.model.observation import Ending
from harness.model.plan import Place, Scenario, TranscriptFile, Visibility
from harness.model.stimulus import Action, StandIn, Stimulus, StimulusParts, called_function
from harness.model.values import NONE, file_value

_VISIBILITY: dict[Any, Visibility] = {
    True: Visibility.VISIBLE,
    False: Visibility.HIDDEN,
    "hint": Visibility.HIDDEN,
    "after_due_date": Visibility.AFTER_DUE_DATE,
    "after_published": Visibility.AFTER_PUBLISHED,
}
_SETTINGS = SettingsShape.model_fields.keys() - {"given", "constants", "files", "limits"}


@dataclass(slots=True)
class ScenarioFile:
    """Reads one file's scenarios; mistakes are noted, and what else is found goes to `compiled`."""

    document: Document
    vocabulary: Vocabulary
    compiled: Compiled
    scenarios: list[Scenario] = field(default_factory=list)
    marks: Fraction = Fraction()  # what they are worth together, where the file's head says so

    def read(self) -> None:
        data = self.document.data
        if not isinstance(data, dict):
            self.document.add((), "expected a mapping with scenarios")
            return
        head, broken_head = self._head(data)
        items = data.get("scenarios")
        names: dict[str, str] = {}
        for index, item in enumerate(items if isinstance(items, list) else ()):
            loc = ("scenarios", index)
            shape, broken = salvage(ScenarioShape, self.document, loc, item)
            if shape is not None:
                broken |= broken_head
                context = Context(self.document, self.vocabulary, head, shape, loc, broken)
                with suppress(Refused):
                    self._check_name(context, names)
                    self._scenario(context.with_head(_SETTINGS))
        if "points_total" in head.model_fields_set:
            self.scenarios = rescale(self.scenarios, head.points_total)
        if {"marks", "points_total"} <= head.model_fields_set:
            what = "marks and points_total both say what the file is worth"
            self.document.add(("marks",), what, "keep one of them")
        elif head.marks and not counted_points(self.scenarios):
            what = "no scenario of the file counts"
            self.document.add(("marks",), what, "informational scenarios earn nothing")
        else:
            self.marks = head.marks

    def _head(self, data: dict[Any, Any]) -> tuple[ScenarioFileShape, frozenset[Any]]:
        # The scenarios are checked one by one: a mistake in one leaves the others readable.
        for key in data.keys() & OF_EACH_ALONE:
            what = "this is said by each scenario, not by their file"
            self.document.refuse((key,), what, "write it in each", key=True)
        items = data.get("scenarios")
        placeholder = [{"name": "stands for all of them"}]
        whole = {**data, "scenarios": placeholder} if isinstance(items, list) and items else data
        head, broken = salvage(ScenarioFileShape, self.document, (), whole)
        if head is None:
            head = ScenarioFileShape.model_validate({"scenarios": placeholder})
        return head, broken - {"scenarios"}

    def _check_name(self, context: Context, names: dict[str, str]) -> None:
        name, where = context.own.name, (*context.loc, "name")
        if not (short := slug(name)):
            context.refuse(where, f"{name!r} has neither letter nor digit to make an id of")
        if short in names:
            what = f"{name!r} and {names[short]!r} make the same id"
            what = "another scenario has this name" if names[short] == name else what
            context.refuse(where, what, "names are unique in their file")
        names[short] = name

    def _scenario(self, context: Context) -> None:
        """Add the scenario under each set of constants. Raise Refused if it cannot be read."""
        before = len(self.document.problems)
        context.check_owner()
        self.compiled.provide |= provided_names(context)
        self.compiled.stand_ins |= stand_in_files(context)
        self.compiled.needs += [context] if context.own.needs else []
        check_draw_keys(context)
        clashing = [key for key in ("replies", "ends") if context.states(key)]
        clashing += ["stand_in"] if context.own.stand_in else []
        if clashing and context.states("faster_than"):
            what = f"faster_than and {clashing[0]} do not go together"
            self.document.add((*context.loc, "faster_than"), what, key=True)
        if context.own.visible == "hint" and not (context.own.hint or context.own.description):
            what = "hint shows what is said of the scenario, and there is nothing"
            own = "visible" if "visible" in context.own.model_fields_set else "name"
            self.document.add((*context.loc, own), what, "add hint: or description:")
        kind = kind_of(context)
        rows = context.own.cases if isinstance(context.own.cases, list) else []
        keys = context.own.model_fields_set.union(*(row.model_fields_set for row in rows))
        # What the file states for all, as far as this stimulus shows it and it goes with that.
        context = context.with_head(StatedShape.model_fields.keys() - ruled_out(kind, keys))
        if not isinstance(context.own.cases, list):  # else with what each row states
            check_takes(context, kind)
        for variation in variations(context):
            self._variation(context.under(variation), kind)
            if len(self.document.problems) > before:
                return  # the other values would say the same again

    def _variation(self, context: Context, kind: type[Action]) -> None:
        """Add the scenario under one set of constants; Refused if it cannot be read."""
        cases = cases_of(context, kind, self.compiled)
        prefix = read_given(context)
        transcript: str | None = None
        if context.states("transcript") and not context.has_cases:
            with suppress(Refused):
                path, transcript = transcript_of(context, recording=self.compiled.recording)
                scenario_id = context.group + context.variation.bracket()
                self.compiled.transcripts.append(TranscriptFile(scenario_id=scenario_id, path=path))
        names = {binding.name for case in cases for binding in case.bindings}
        each_read = isinstance(context.own.cases, list) or uses(context, names)
        stimuli: list[Stimulus] = []
        expected: list[Expected] = []
        before = len(self.document.problems)
        for case in (cases if each_read else cases[:1]) or [context]:
            parts = read_stimulus(case, kind)
            outcome = read_stated(case, parts, transcript=transcript)
            stimulus = stimulus_of(case, parts)
            if len(self.document.problems) > before:
                return  # the other cases would say the same again
            stimuli.append(replace(stimulus, given=prefix, bindings=case.bindings))
            expected.append(outcome)
        if not cases:
            return
        if each_read:  # drawn values are typed
            variation = context.variation
            self.compiled.samples.pop((context.group, variation.overrides, variation.clock), None)
        else:
            stimuli = [replace(stimuli[0], bindings=case.bindings) for case in cases]
        check_differ(context, kind, stimuli)
        scenario = self._built(context, stimuli, expected, each_read=each_read)
        self.scenarios += one_of_each(scenario, context) if context.own.each else [scenario]

    def _built(
        self, context: Context, stimuli: list[Stimulus], stated: list[Expected], *, each_read: bool
    ) -> Scenario:
        """The scenario under one set of constants; `stated` has one for each stimulus, or one."""
        own = context.own
        return Scenario(
            id=context.group + context.variation.bracket(),
            group=context.group,
            name=own.name,
            function=own.function,
            clauses=tuple(own.clause),
            visibility=_VISIBILITY[own.visible],
            points=own.points,
            limits=own.limits.over(context.head.limits.over(self.vocabulary.limits)),
            stimuli=tuple(stimuli),
            stated=stated[0],
            stated_cases=tuple(stated) if each_read else (),
            place=self.document.place(context.loc),
            is_sample=context.has_cases,
            informational=own.informational,
            extra_credit=own.extra_credit,
            tags=tuple(own.tags),
            hint=own.hint.strip(),
            description=own.description.strip(),
            stand_ins=tuple(
                StandIn(module=module, file=file) for module, file in own.stand_in.items()
            ),
            shows_hint=own.visible == "hint",
            faster_than=own.faster_than or 0,
        )


def counted_points(scenarios: Sequence[Scenario]) -> Fraction:
    """Return the points that full marks need, or the sum of extra credit if there is nothing
    else."""
    marked = [scenario for scenario in scenarios if not scenario.informational]
    counted = [scenario for scenario in marked if not scenario.extra_credit] or marked
    return sum((scenario.points for scenario in counted), Fraction())


def rescale(scenarios: list[Scenario], total: Fraction) -> list[Scenario]:
    """Return the scenarios with points that add up to `total`; unchanged if none counts."""
    points = counted_points(scenarios)
    if not points:
        return scenarios
    return [replace(each, points=each.points * total / points) for each in scenarios]


def read_stated(context: Context, parts: StimulusParts, *, transcript: str | None) -> Expected:
    """Everything stated of a stimulus, templates filled in; mistakes are noted."""
    ignore = tuple(Ignore(name) for name in context.own.ignore)
    fields: dict[str, Any] = {}
    for key in ScenarioShape.model_fields:
        if context.states(key):
            with suppress(Refused):
                fields |= _fields(context, parts, key)
    shown, floats = parts.shown, context.floats
    return Expected(transcript=transcript, shown=shown, ignore=ignore, floats=floats, **fields)


def _fields(context: Context, parts: StimulusParts, key: str) -> dict[str, Any]:
    """The fields of `Expected` that a key of a scenario gives."""
    loc, data = context.at(key), getattr(context.own, key)
    match key:
        case "returns":
            return {key: context.matcher(loc, data)}
        case "prints" | "stderr":
            return {key: context.matcher(loc, data, for_text=True)}
        case "turns":
            return {key: _turns(context, parts, loc, data)}
        case "raises":
            return {key: _raises(context, loc, data)}
        case "leaves":
            return _leaves(context, parts, loc, data)
        case "writes":
            return _writes(context, loc, data)
        case "exit":
            return {key: data} if isinstance(data, int) else {"exit_any": True}
        case "reads" if isinstance(data, AtMostShape):
            return {"reads_at_most": data.at_most}
        case "reads":
            return {key: data}
        case "ends":
            return {key: Ending("asked_for_more" if data == "asks_for_more" else data)}
    return {}


def _turns(context: Context, parts: StimulusParts, loc: Loc, data: Any) -> StatedTurns:
    inputs = sys.maxsize if "input" in context.broken else len(parts.inputs)
    makes = "1 input makes" if inputs == 1 else f"{inputs} inputs make"
    if isinstance(data, list) and len(data) > inputs + 1:
        context.add(loc, f"{makes} at most {inputs + 1} turns, got {len(data)}")

    def turn(item: tuple[Any, Any]) -> StatedTurn:
        index, printed = item
        if type(index) is not int or index < 0:
            context.refuse((*loc, index), "a turn is named by its number, from 0", key=True)
        if index > inputs and isinstance(data, dict):
            what = f"there is no turn {index}: {makes} turns 0 to {inputs}"
            context.refuse((*loc, index), what, key=True)
        matcher = context.matcher((*loc, index), printed, for_text=True)
        return StatedTurn(index=index, printed=matcher)

    turns = read_all(enumerate(data) if isinstance(data, list) else data.items(), turn)
    return StatedTurns(turns=turns, all_turns=isinstance(data, list))


def _raises(context: Context, loc: Loc, data: Any) -> StatedRaise:
    if not isinstance(data, RaisesShape):
        return StatedRaise(type_name=data)
    message: Matcher | None = None
    if "message" in data.model_fields_set:
        message = context.matcher((*loc, "message"), data.message, for_text=True)
    vocabulary = context.vocabulary
    if "is_a" in data.model_fields_set and vocabulary.reference:
        bases = {*BUILTIN_EXCEPTIONS, *class_names((*vocabulary.reference, *vocabulary.provided))}
        if data.is_a not in bases:
            what = f"{data.is_a} is neither a builtin exception nor a class of the reference"
            context.add((*loc, "is_a"), what, nearest(data.is_a, sorted(bases)))
    first, *also = data.one_of or [data.type]
    return StatedRaise(type_name=first, message=message, also=tuple(also), is_a=data.is_a)


def _leaves(context: Context, parts: StimulusParts, loc: Loc, data: Any) -> dict[str, Any]:
    names, call = parts.leaves, parts.action.expression
    if call and names == frozenset():
        what = "of this call nothing is seen but what it returns and prints"
        hint = "what a method does to its object is compared in a session: one step makes it, "
        context.refuse(loc, what, hint + "one calls the method", key=True)
    if data == "unchanged":
        return {"leaves_unchanged": True}

    def leave(item: tuple[Any, Any]) -> StatedLeave:
        name, value = item
        where = (*loc, name)
        if names is not None and name not in names:
            what = f"{name} is neither a parameter of the function nor a name of the session"
            hint = _how_to_compare(context, str(name), call) or nearest(str(name), names)
            hint = hint or f"known names are {', '.join(sorted(names))}"
            context.refuse(where, what, hint, key=True)
        if names and call and name in (each.arg for each in _call_in(call).keywords):
            what = "only what is given by its place is compared afterwards"
            hint = f"write {called_function(call)}({name}, …)"
            context.refuse(where, what, hint, key=True)
        return StatedLeave(name=str(name), value=context.matcher(where, value))

    return {"leaves": read_all(data.items(), leave)}


def _writes(context: Context, loc: Loc, data: Any) -> dict[str, Any]:
    if data == "unchanged":
        return {"writes_unchanged": True}
    files, fields = dict(data), {}
    if isinstance(files.get("only"), list):
        only = files.pop("only")
        for index, name in enumerate(only):
            if not isinstance(name, str):
                what = f"expected the name of a file, got {describe(name)}"
                context.add((*loc, "only", index), what)
        fields["writes_only"] = tuple(map(str, only))

    def written(item: tuple[Any, Any]) -> StatedLeave:
        name, content = item
        where = (*loc, name)
        if content is None:  # the file is not there
            return StatedLeave(name=str(name), value=Exactly(value=NONE))
        if isinstance(content, str) and context.uncut(where):
            data = content_of(context, where, content)
            return StatedLeave(name=str(name), value=Exactly(value=file_value(data)))
        if isinstance(content, dict) and content.keys() == {"text"}:
            where, content = (*where, "text"), content["text"]
        return StatedLeave(name=str(name), value=context.matcher(where, content, for_text=True))

    return {**fields, "writes": read_all(files.items(), written)}


def _how_to_compare(context: Context, name: str, call: str) -> str:
    """How a name that `given:` or a case binds is compared afterwards; empty for any other name."""
    if not call or name not in context.names:
        return ""
    parameters = context.vocabulary.parameters(called_function(call))
    for parameter, argument in zip(parameters, _call_in(call).args, strict=False):
        if isinstance(argument, ast.Name) and argument.id == name:
            return f"the function calls it {parameter}"
    return f"a session compares it: leave the call to one step, and write >>> {name} as the next"


def _call_in(call: str) -> ast.Call:
    """The call of a function with parameters that are known."""
    tree = parse_expression(call).body
    assert isinstance(tree, ast.Call)
    return tree


def transcript_of(context: Context, *, recording: bool) -> tuple[str, str | None]:
    """The path of the scenario's transcript, below the spec folder, and its text (None: still to be
    recorded); Refused, with a mistake noted, if there is none."""
    loc, written = (*context.loc, "transcript"), context.own.transcript
    for name in (mark.partition("=")[0] for mark in context.variation.swept):
        if name not in names_in(written):
            hint = f"put {{{{ {name} }}}} into the name"
            context.refuse(loc, f"the file's name does not hold the swept {name}", hint)
    path = context.render(written, loc)
    if path.startswith("/") or ".." in path.split("/") or not path.endswith(".txt"):
        context.refuse(loc, f"{path} is not a .txt file below the spec folder")
    file = context.vocabulary.folder / path
    if recording and not file.is_file():
        return path, None
    if not file.is_file():
        context.refuse(loc, f"there is no file {path}", "run harness record, or correct the name")
    try:
        text = file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        context.refuse(loc, f"byte {error.start} of {path} is not UTF-8", "save the file as UTF-8")
    try:
        return path, render(text, context.constants)
    except TemplateError as error:
        lines = text[: error.position].split("\n")
        shown = f"{context.vocabulary.shown_folder}/{path}"
        place = Place(file=shown, line=len(lines), column=len(lines[-1]) + 1)
        hint = nearest(error.name, context.constants)
        context.document.problems.add(place, "", str(error), hint)
        raise Refused from None
