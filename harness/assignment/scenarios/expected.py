"""What a scenario states about its outcome, a `transcript:` file with the whole screen included."""

from __future__ import annotations

import ast
import sys
from contextlib import suppress
from typing import Any

from harness.assignment.document import Loc
from harness.assignment.scenarios.context import Context, value_matcher
from harness.assignment.scenarios.python_text import BUILTIN_EXCEPTIONS, parse_expression
from harness.assignment.scenarios.shape import AtMostShape, RaisesShape
from harness.assignment.scenarios.stimulus import StimulusParts, content_of
from harness.assignment.vocabulary import TemplateError, class_names, names_in, render
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
from harness.model.plan import Place
from harness.model.stimulus import Call, called_function
from harness.model.values import NONE, file_value


def stated(context: Context, parts: StimulusParts, *, transcript: str | None) -> Expected:
    """Everything stated of a stimulus, templates filled in; mistakes are noted."""
    ignore = tuple(Ignore(name) for name in context.value("ignore"))
    fields: dict[str, Any] = {}
    for key in _KEYS:
        if context.states(key):
            with suppress(Refused):
                fields |= _fields(context, parts, key)
    return Expected(transcript=transcript, shown=parts.shown, ignore=ignore, **fields)


_KEYS = (
    "returns",
    "prints",
    "stderr",
    "turns",
    "raises",
    "leaves",
    "exit",
    "reads",
    "ends",
    "writes",
)


def _fields(context: Context, parts: StimulusParts, key: str) -> dict[str, Any]:
    """The fields of `Expected` that a key of a scenario gives."""
    loc, data = context.at(key), getattr(context.own, key)
    match key:
        case "returns":
            return {key: value_matcher(context.field(loc, data))}
        case "prints" | "stderr":
            return {key: _text(context, loc, data)}
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
        case "ends":
            return {key: Ending("asked_for_more" if data == "asks_for_more" else data)}
    return {key: data}


def _text(context: Context, loc: Loc, data: Any) -> Matcher:
    return value_matcher(context.field(loc, data, for_text=True))


def _turns(context: Context, parts: StimulusParts, loc: Loc, data: Any) -> StatedTurns:
    inputs = None if "input" in context.broken else len(parts.inputs)
    most = sys.maxsize if inputs is None else inputs + 1
    if isinstance(data, list) and len(data) > most:
        context.add(loc, f"{_counted(inputs)} at most {most} turns, got {len(data)}")

    def turn(item: tuple[Any, Any]) -> StatedTurn:
        index, printed = item
        if type(index) is not int or index < 0:
            context.refuse((*loc, index), "a turn is named by its number, from 0", key=True)
        if index >= most and isinstance(data, dict):
            what = f"there is no turn {index}: {_counted(inputs)} turns 0 to {inputs}"
            context.refuse((*loc, index), what, key=True)
        return StatedTurn(index=index, printed=_text(context, (*loc, index), printed))

    turns = read_all(enumerate(data) if isinstance(data, list) else data.items(), turn)
    return StatedTurns(turns=turns, all_turns=isinstance(data, list))


def _counted(inputs: int | None) -> str:
    return "1 input makes" if inputs == 1 else f"{inputs} inputs make"


def _raises(context: Context, loc: Loc, data: Any) -> StatedRaise:
    if not isinstance(data, RaisesShape):
        return StatedRaise(type_name=data)
    message: Matcher | None = None
    if "message" in data.model_fields_set:
        message = _text(context, (*loc, "message"), data.message)
    if "is_a" in data.model_fields_set:
        _check_base(context, (*loc, "is_a"), data.is_a)
    first, *also = data.names
    return StatedRaise(type_name=first, message=message, also=tuple(also), is_a=data.is_a)


def _check_base(context: Context, loc: Loc, name: str) -> None:
    vocabulary = context.vocabulary
    own = class_names((*vocabulary.reference, *vocabulary.provided))
    if vocabulary.reference and name not in (*BUILTIN_EXCEPTIONS, *own):
        what = f"{name} is neither a builtin exception nor a class of the reference"
        context.add(loc, what, nearest(name, sorted({*BUILTIN_EXCEPTIONS, *own})))


def _leaves(context: Context, parts: StimulusParts, loc: Loc, data: Any) -> dict[str, Any]:
    names = parts.leaves
    call = parts.action.expression if isinstance(parts.action, Call) else ""
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
            what = f"{name} is no parameter of the function and no name of the session"
            hint = _given(context, str(name), call) or nearest(str(name), names)
            hint = hint or f"known names are {', '.join(sorted(names))}"
            context.refuse(where, what, hint, key=True)
        if names and call and name in (each.arg for each in _called(call).keywords):
            what = "only what is given by its place is compared afterwards"
            hint = f"write {called_function(call)}({name}, …)"
            context.refuse(where, what, hint, key=True)
        return StatedLeave(name=str(name), value=value_matcher(context.field(where, value)))

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
        return StatedLeave(name=str(name), value=_text(context, where, content))

    return {**fields, "writes": read_all(files.items(), written)}


def _given(context: Context, name: str, call: str) -> str:
    """How a name that `given:` or a case binds is compared afterwards; empty for any other name."""
    if not call or name not in context.names:
        return ""
    parameters = context.vocabulary.parameters(called_function(call)) or ()
    for parameter, argument in zip(parameters, _called(call).args, strict=False):
        if isinstance(argument, ast.Name) and argument.id == name:
            return f"the function calls it {parameter}"
    return f"a session compares it: leave the call to one step, and write >>> {name} as the next"


def _called(call: str) -> ast.Call:
    """The call of a function with parameters that are known."""
    found = parse_expression(call).body
    assert isinstance(found, ast.Call)
    return found


def transcript_of(context: Context, *, recording: bool) -> tuple[str, str | None]:
    """The path, below the spec folder, of the transcript that a scenario names, and its text (None:
    still to be recorded); Refused, with a mistake noted, if there is none."""
    loc = (*context.loc, "transcript")
    written = context.own.transcript
    lacking = [name for name in context.variation.names if name not in names_in(written)]
    if lacking:
        hint = f"put {{{{ {lacking[0]} }}}} into the name"
        context.refuse(loc, f"the file's name does not hold the swept {lacking[0]}", hint)
    path = context.render(written, loc)
    if path.startswith("/") or ".." in path.split("/") or not path.endswith(".txt"):
        context.refuse(loc, f"{path} is not a .txt file below the spec folder")
    file = context.vocabulary.folder / path
    if not file.is_file():
        if recording:
            return path, None
        hint = "run harness record, or correct the name"
        context.refuse(loc, f"there is no file {path}", hint)
    try:
        text = file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        what = f"byte {error.start} of {path} is not UTF-8"
        context.refuse(loc, what, "save the file as UTF-8")
    try:
        return path, render(text, context.constants)
    except TemplateError as error:
        before = text[: error.position]
        line = before.count("\n") + 1
        column = error.position - (before.rfind("\n") + 1) + 1
        shown = f"{context.vocabulary.shown_folder}/{path}"
        place = Place(file=shown, line=line, column=column)
        hint = nearest(error.name, context.constants)
        context.document.problems.add(place, "", str(error), hint)
        raise Refused from None
