"""What a scenario states about its outcome, a `transcript:` file with the whole screen included."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from typing import Any

from harness.assignment.scenarios.matchers import text_matcher, value_matcher
from harness.assignment.scenarios.python_text import BUILTIN_EXCEPTIONS, parse_expression
from harness.assignment.scenarios.settings import Context, Setting
from harness.assignment.scenarios.templates import TemplateError, names_in, render
from harness.assignment.schema.validators import ENDS, IGNORE, describe, listed
from harness.assignment.yaml.document import Loc
from harness.assignment.yaml.errors import nearest
from harness.model.expectation import (
    Expected,
    Ignore,
    StatedLeave,
    StatedRaise,
    StatedTurn,
    StatedTurns,
)
from harness.model.observation import Ending
from harness.model.plan import Place
from harness.model.stimulus import called_function

CALL, SESSION, RUN = "call", "session", "run"
# The keys that a stimulus can show at all; a session states its outcome in itself.
SENSIBLE: dict[str, tuple[str, ...]] = {
    "returns": (CALL,),
    "prints": (CALL, RUN),
    "turns": (CALL, RUN),
    "transcript": (CALL, RUN),
    "raises": (CALL, RUN),
    "leaves": (CALL, SESSION),
    "exit": (RUN,),
    "reads": (CALL, SESSION, RUN),
    "ends": (CALL, SESSION, RUN),
    "argv": (RUN,),
    "stdin": (RUN,),
    "replies": (CALL, RUN),
}


def check_sensible(context: Context, chosen: Setting, stimulus: str) -> None:
    """Mistakes for the keys that the stimulus cannot show or that rule each other out."""
    for key, kinds in SENSIBLE.items():
        if chosen.states(key) and stimulus not in kinds:
            what = f"a {stimulus} has no {key}"
            hint = (
                "state it in the session"
                if stimulus == SESSION
                else f"it belongs to {listed(kinds)}"
            )
            context.add(chosen.at(key), what, hint, key=True)
    if chosen.states("stdin") and chosen.states("input"):
        what = "what is piped in is no terminal"
        context.add(chosen.at("input"), what, "keep one of stdin and input", key=True)
    if chosen.states("replies") and chosen.states("input"):
        what = "a generator of replies types all input"
        context.add(chosen.at("input"), what, "keep one of replies and input", key=True)
    if chosen.states("returns") and chosen.states("raises"):
        what = "a call that raises returns nothing"
        context.add(chosen.at("raises"), what, "keep one", key=True)


def stated(
    context: Context,
    chosen: Setting,
    *,
    leaves_names: frozenset[str] | None,
    inputs: int | None,
    shown: tuple[str, ...] | None,
    transcript: str | None,
) -> Expected:
    """Everything stated, templates filled in. `leaves_names` may be left (None: any name)."""
    own, where = chosen.own, chosen.at
    leaves: tuple[StatedLeave, ...] = ()
    unchanged = False
    if chosen.states("leaves"):
        unchanged = own.leaves == "unchanged"
        if chosen.states("call") and leaves_names == frozenset():
            what = "of this call nothing is seen but what it returns and prints"
            hint = "what a method does to its object is compared in a session: one step makes it, "
            context.add(where("leaves"), what, hint + "one calls the method", key=True)
        elif not unchanged:
            call = own.call if chosen.states("call") else ""
            leaves = _leaves(context, where("leaves"), own.leaves, leaves_names, call)
    ignore = tuple(Ignore(name) for name in _ignored(context, chosen))
    return Expected(
        returns=value_matcher(context, where("returns"), own.returns)
        if chosen.states("returns")
        else None,
        prints=text_matcher(context, where("prints"), own.prints)
        if chosen.states("prints")
        else None,
        turns=_turns(context, where("turns"), own.turns, inputs)
        if chosen.states("turns")
        else None,
        transcript=transcript,
        shown=shown,
        raises=raised_as(context, where("raises"), own.raises) if chosen.states("raises") else None,
        leaves=leaves,
        leaves_unchanged=unchanged,
        exit=own.exit if chosen.states("exit") and isinstance(own.exit, int) else None,
        exit_any=isinstance(own.exit, dict),
        reads=own.reads if chosen.states("reads") and isinstance(own.reads, int) else None,
        reads_at_most=own.reads["at_most"] if isinstance(own.reads, dict) else None,
        ends=Ending(ENDS[own.ends]) if chosen.states("ends") else None,
        ignore=ignore,
    )


def _ignored(context: Context, chosen: Setting) -> list[str]:
    found: list[str] = []
    for index, name in enumerate(chosen.value("ignore")):
        if name in IGNORE:
            found.append(name)
        else:
            what = f"expected {listed(IGNORE)}, got {describe(name)}"
            context.add((*chosen.where("ignore"), index), what, nearest(name, IGNORE))
    return found


def _turns(context: Context, loc: Loc, data: Any, inputs: int | None) -> StatedTurns | None:
    most = sys.maxsize if inputs is None else inputs + 1
    if isinstance(data, list):
        if len(data) > most:
            what = f"{_counted(inputs)} at most {most} turns, got {len(data)}"
            context.add(loc, what)
        indexed: list[tuple[Any, Any]] = list(enumerate(data))
    elif isinstance(data, dict) and data:
        indexed = list(data.items())
    else:
        context.add(loc, f"expected a list or a mapping of turns, got {describe(data)}")
        return None
    found: list[StatedTurn] = []
    for index, printed in indexed:
        if type(index) is not int or index < 0:
            context.add((*loc, index), "a turn is named by its number, from 0", key=True)
        elif isinstance(data, dict) and index >= most:
            what = f"there is no turn {index}: {_counted(inputs)} turns 0 to {inputs}"
            context.add((*loc, index), what, key=True)
        else:
            matcher = text_matcher(context, (*loc, index), printed)
            if matcher is not None:
                found.append(StatedTurn(index=index, printed=matcher))
    return StatedTurns(turns=tuple(found), all_turns=isinstance(data, list))


def _counted(inputs: int | None) -> str:
    return "1 input makes" if inputs == 1 else f"{inputs} inputs make"


_RAISE_KINDS = ("type", "one_of", "any")
_RAISE_PARTS = ("message", "is_a")


def raised_as(context: Context, loc: Loc, data: Any) -> StatedRaise | None:
    """What `raises:` says; None, with a mistake noted, if it says nothing sensible."""
    if isinstance(data, str):
        names = _names_of_raised(context, [(loc, data)])
        return StatedRaise(type_name=names[0]) if names else None
    kinds = [key for key in _RAISE_KINDS if isinstance(data, dict) and key in data]
    if len(kinds) == 1 and (unknown := sorted(map(str, set(data) - {kinds[0], *_RAISE_PARTS}))):
        for key in unknown:
            hint = nearest(key, (*_RAISE_KINDS, *_RAISE_PARTS))
            context.add((*loc, key), "unknown key", hint, key=True)
        return None
    if len(kinds) != 1:
        what = f"expected an exception's name or {{type: …, message: …}}, got {describe(data)}"
        context.add(loc, what, "type may be one_of: [ValueError, KeyError] or any: true")
        return None
    message = data.get("message")
    matcher = text_matcher(context, (*loc, "message"), message) if "message" in data else None
    names = _raised_names(context, (*loc, kinds[0]), kinds[0], data[kinds[0]])
    is_a = data.get("is_a", "")
    if "is_a" in data and not (isinstance(is_a, str) and is_a in BUILTIN_EXCEPTIONS):
        what = f"expected the name of a builtin exception, got {describe(is_a)}"
        context.add((*loc, "is_a"), what, nearest(str(is_a), sorted(BUILTIN_EXCEPTIONS)))
        return None
    if not names:
        return None
    return StatedRaise(type_name=names[0], message=matcher, also=names[1:], is_a=is_a)


def _raised_names(context: Context, where: Loc, kind: str, named: Any) -> tuple[str, ...]:
    """The names that are allowed, one empty name for any; none where a mistake was noted."""
    if kind == "any":
        if named is not True:
            context.add(where, f"expected true, got {describe(named)}")
            return ()
        return ("",)
    if kind == "type":
        return _names_of_raised(context, [(where, named)])
    if not isinstance(named, list) or not named:
        context.add(where, f"expected a list of exceptions' names, got {describe(named)}")
        return ()
    return _names_of_raised(context, [((*where, i), name) for i, name in enumerate(named)])


def _names_of_raised(context: Context, named: list[tuple[Loc, Any]]) -> tuple[str, ...]:
    wrong = [(loc, n) for loc, n in named if not (isinstance(n, str) and n.isidentifier())]
    for loc, name in wrong:
        hint = "write {type: ValueError, message: …} to state a message"
        context.add(loc, f"expected an exception's name, got {describe(name)}", hint)
    return () if wrong else tuple(name for _, name in named)


def _leaves(
    context: Context, loc: Loc, data: Any, names: frozenset[str] | None, call: str
) -> tuple[StatedLeave, ...]:
    """What `leaves:` says of these names (None: of any), mistakes noted. `call` is what is called;
    empty in a session."""
    if not isinstance(data, dict) or not data:
        context.add(loc, f"expected names with values or unchanged, got {describe(data)}")
        return ()
    found: list[StatedLeave] = []
    for name, value in data.items():
        if names is not None and name not in names:
            what = f"{name} is no parameter of the function and no name of the session"
            hint = _given(context, str(name), call) or nearest(str(name), names)
            hint = hint or f"known names are {', '.join(sorted(names))}"
            context.add((*loc, name), what, hint, key=True)
            continue
        if names and call and name in (each.arg for each in _called(call).keywords):
            what = "only what is given by its place is compared afterwards"
            hint = f"write {called_function(call)}({name}, …)"
            context.add((*loc, name), what, hint, key=True)
            continue
        matcher = value_matcher(context, (*loc, name), value)
        if matcher is not None:
            found.append(StatedLeave(name=str(name), value=matcher))
    return tuple(found)


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


@dataclass(frozen=True, slots=True)
class Transcript:
    """A transcript's path below the spec folder, and its text (None: still to be recorded)."""

    path: str
    text: str | None


def transcript_of(
    context: Context, chosen: Setting, swept: tuple[str, ...], *, recording: bool
) -> Transcript | None:
    """The transcript a scenario names; None, with a mistake, if there is none."""
    loc = (*chosen.loc, "transcript")
    written = chosen.own.transcript
    lacking = [name for name in swept if name not in names_in(written)]
    if lacking:
        hint = f"put {{{{ {lacking[0]} }}}} into the name"
        context.add(loc, f"the file's name does not hold the swept {lacking[0]}", hint)
        return None
    path = context.render(written, loc)
    if path.startswith("/") or ".." in path.split("/") or not path.endswith(".txt"):
        context.add(loc, f"{path} is not a .txt file below the spec folder")
        return None
    file = context.vocabulary.folder / path
    if not file.is_file():
        if recording:
            return Transcript(path, None)
        context.add(loc, f"there is no file {path}", "run harness record, or correct the name")
        return None
    try:
        text = file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        context.add(loc, f"byte {error.start} of {path} is not UTF-8", "save the file as UTF-8")
        return None
    try:
        return Transcript(path, render(text, context.constants))
    except TemplateError as error:
        before = text[: error.position]
        line = before.count("\n") + 1
        column = error.position - (before.rfind("\n") + 1) + 1
        shown = f"{context.vocabulary.shown_folder}/{path}"
        place = Place(file=shown, line=line, column=column)
        hint = nearest(error.name, context.constants)
        context.document.problems.add(place, "", str(error), hint)
        return None
