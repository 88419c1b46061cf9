"""Reads what a scenario states about its result. Each key of the language has its own function.

These functions return fields of `Expected`; one that only checks something returns {}.
"""

import ast
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from harness.assignment.document import Loc, inner_value
from harness.assignment.scenarios.python_text import (
    BUILTIN_EXCEPTIONS,
    parse_expression,
    parse_session,
)
from harness.assignment.scenarios.reader import ScenarioReader
from harness.assignment.scenarios.shape import (
    AtMostShape,
    RaisesShape,
    ScenarioShape,
    StepShape,
)
from harness.assignment.scenarios.stated_figures import read_figures
from harness.assignment.scenarios.stimulus import check_path, content_of
from harness.assignment.symbols import TemplateError, class_names, names_in, render
from harness.matchers.kinds import matcher_keys
from harness.matchers.kinds.chance import MAX_UNFAIR, ByChance, Share
from harness.matchers.kinds.combinations import AllOf, NoneOf
from harness.matchers.kinds.signature import CLASS, FUNCTION, HasSignature, read_parameters
from harness.matchers.kinds.values import AnyValue, Exactly
from harness.matchers.reading import Refused, describe, nearest, read_all
from harness.model.expectation import (
    Expected,
    Ignore,
    Matcher,
    StatedLeave,
    StatedRaise,
    StatedStep,
    StatedTurn,
    StatedTurns,
    TextMatcher,
)
from harness.model.observation import Ending
from harness.model.plan import Place
from harness.model.stimulus import StimulusParts, called_function
from harness.model.values import NONE, Value, file_value

Fields = dict[str, Any]  # of `Expected`
_Reader = Callable[[ScenarioReader, StimulusParts, Loc, Any], Fields]
_READERS: dict[str, _Reader] = {}
# Python never displays a value like this: a dictionary's key would have quotes.
_SHARE = re.compile(
    r"(?P<about>\d+(?:\.\d+)?)\s*%\s*(?:±|\+-|\+/-)\s*(?P<within>\d+(?:\.\d+)?)\s*%"
)
_ROUNDING = 1e-9
_OF_MANY = ("occur", "all_different", "share")  # keys about many calls
_MATCHER = re.compile(r"\{\s*([a-z_]+)\s*:")


def read_stated(
    reader: ScenarioReader, parts: StimulusParts, *, transcript: str | None
) -> Expected:
    """Return everything that a scenario states about a stimulus, with templates filled in.

    Errors are noted.
    """
    fields: Fields = {}
    for key in ScenarioShape.model_fields:
        read = _READERS.get(key)
        if read is None or not reader.states(key):
            continue
        data = getattr(reader.shape, key)
        with suppress(Refused):
            fields |= read(reader, parts, reader.at(key), data)
    ignore = tuple(map(Ignore, reader.shape.ignore))
    return Expected(
        transcript=transcript,
        shown=parts.shown,
        prompts_any=reader.prompts_any,
        ignore=ignore,
        floats=reader.floats,
        **fields,
    )


def _reader_of(*keys: str) -> Callable[[_Reader], _Reader]:
    """Register the decorated function as the reader of these keys.

    It returns fields of `Expected`; on an error it notes it and raises Refused.
    """

    def register(read: _Reader) -> _Reader:
        _READERS.update(dict.fromkeys(keys, read))
        return read

    return register


@_reader_of("returns")
def _returns(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    if reader.states("over"):
        return {}  # handled together with the other key
    return {"returns": reader.matcher(loc, data)}


@_reader_of("over")
def _over(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    """Read the statements about the results of many calls.

    Note an error if chance would make a correct program fail too often.
    """
    shape = reader.shape
    of_each: Matcher | None = None
    if reader.states("returns"):
        returns_at = reader.at("returns")
        if isinstance(shape.returns, dict) and "equals" in shape.returns:
            reader.refuse(returns_at, "equals needs a single call")
        of_each = reader.matcher(returns_at, shape.returns)
    written = reader.node(reader.at("occur"), shape.occur)
    occur = written.value().items
    matcher = ByChance(
        calls=data,
        each=of_each,
        occur=occur,
        all_different=reader.states("all_different"),
        shares=_shares(reader),
    )
    states_many = bool(occur) or matcher.all_different or bool(matcher.shares)
    states_nothing = of_each is None and not states_many
    if states_nothing and reader.broken.isdisjoint(("returns", *_OF_MANY)):
        hint = "state returns (of each), occur, all_different or share"
        reader.refuse(loc, "nothing is stated about the results", hint, key=True)
    _check_fair(reader, loc, matcher)
    return {"returns": matcher}


@_reader_of(*_OF_MANY)
def _of_many(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    """Note an error for statements about many calls without `over`."""
    if not reader.states("over") and "over" not in reader.broken:
        what = f"{loc[-1]} needs many calls"
        reader.refuse(loc, what, "add over: 200, the number of calls", key=True)
    return {}


def _shares(reader: ScenarioReader) -> tuple[Share, ...]:
    loc = reader.at("share")
    shares: list[Share] = []
    together = 0.0
    for value, written in reader.shape.share.items():
        found = _SHARE.fullmatch(written.strip())
        if found is None:
            what = f"expected a share like 40% ± 15%, got {written!r}"
            hint = "write +- instead of ± if that is easier"
            reader.refuse((*loc, value), what, hint)
        about = float(found["about"]) / 100
        within = float(found["within"]) / 100
        together += about
        shares.append(Share(value=Value.of(value), about=about, within=within))
    if together > 1 + _ROUNDING:
        reader.refuse(loc, "the shares add up to more than 100%", key=True)
    return tuple(shares)


def _check_fair(reader: ScenarioReader, loc: Loc, matcher: ByChance) -> None:
    """Note an error if a correct program would fail by chance with a probability above one in a
    billion.
    """
    chance = matcher.unfairness(matcher.calls)
    if chance <= MAX_UNFAIR:
        return
    hint = "state wider bounds, such as 40% ± 15%"
    fair = matcher.fair_calls()
    if fair:
        hint = f"write over: {fair}"
    runs = 1 / chance
    what = f"a correct program fails this by chance, once in {runs:,.0f} runs"
    reader.add(loc, what, hint)


@_reader_of("exists", "class")
def _signature(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    """Read all statements about a name's signature.

    Its kind (function or class) must be the reference's.
    """
    key = str(loc[-1])
    parameters: tuple[str, ...] | None = None
    if reader.states("parameters"):
        parameters_at = reader.at("parameters")
        try:
            parameters = read_parameters(reader.shape.parameters)
        except ValueError:
            what = "expected parameters as in a def"
            reader.refuse(parameters_at, what, "write [name, age=0], without self")
        is_of_class = key == "class" or "." in data
        if is_of_class and parameters and parameters[0] == "self":
            reader.refuse(parameters_at, "self is not listed", "leave self out")
    kind = _kind_of_name(reader, key, data.strip())
    attributes = tuple(reader.shape.attributes)
    stated = HasSignature(what=kind, parameters=parameters, attributes=attributes)
    return {"returns": stated}


def _kind_of_name(reader: ScenarioReader, key: str, name: str) -> str:
    """Return the kind that the name must have; "" if the reference does not define it."""
    symbols = reader.symbols
    if key == "class" or name in class_names(symbols.reference):
        return CLASS
    if name in symbols.function_names:
        return FUNCTION
    return ""


@_reader_of("session")
def _shown_matchers(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    """Read the matchers in a session that replace the displayed output of single steps."""
    stated: list[StatedStep] = []
    for index, step in enumerate(parse_session(data)):
        text = "".join(step.shown).strip()
        key = _MATCHER.match(text)
        if key is None or key[1] not in matcher_keys():
            continue
        inside = replace(reader, text_line=step.shown_from)
        first, *more = step.shown
        if more and first.rstrip().endswith("}"):
            what = f"the matcher {key[1]} replaces all output of the step"
            inside.add(loc, what, "remove the lines after it")
            continue
        with suppress(Refused), inside.noted(loc):
            matcher = inside.matcher(loc, inner_value(text))
            stated.append(_shown_step(index, matcher))
    return {"steps": tuple(stated)}


def _shown_step(index: int, matcher: Matcher) -> StatedStep:
    """Return a step with a matcher for its output.

    A text matcher applies to the displayed text, any other matcher to the value, and `{any: true}`
    to both.
    """
    if isinstance(matcher, AnyValue):
        return StatedStep(step=index, returns=matcher, prints=matcher)
    if _is_for_text(matcher):
        return StatedStep(step=index, shows=matcher)
    return StatedStep(step=index, returns=matcher)


def _is_for_text(matcher: Matcher) -> bool:
    if isinstance(matcher, AllOf | NoneOf):
        return all(_is_for_text(part) for part in matcher.matchers)
    return isinstance(matcher, TextMatcher)


@_reader_of("steps")
def _steps(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    """Read the statements of each step of `steps:`."""
    stated: list[StatedStep] = []
    for index, step in enumerate(data):
        where = (*loc, index)
        with suppress(Refused):
            stated.append(_stated_step(reader, where, index, step))
    return {"steps": tuple(stated)}


def _stated_step(reader: ScenarioReader, loc: Loc, index: int, step: StepShape) -> StatedStep:
    """Return what one step states. Raise Refused, with the error noted."""
    keys = step.model_fields_set
    returns_at = (*loc, "returns")
    raises_at = (*loc, "raises")
    if step.do and "returns" in keys:
        reader.refuse(returns_at, "statements have no value", "write call:", key=True)
    if {"returns", "raises"} <= keys:
        what = "a call that raises returns nothing"
        reader.refuse(raises_at, what, "keep one of returns and raises", key=True)
    stated = StatedStep(step=index)
    if "returns" in keys:
        returns = reader.matcher(returns_at, step.returns)
        stated = replace(stated, returns=returns)
    if "prints" in keys:
        prints = reader.matcher((*loc, "prints"), step.prints, for_text=True)
        stated = replace(stated, prints=prints)
    if "raises" in keys:
        raises = _stated_raise(reader, raises_at, step.raises)
        stated = replace(stated, raises=raises)
    return stated


@_reader_of("prints", "stderr")
def _text(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    key = str(loc[-1])
    return {key: reader.matcher(loc, data, for_text=True)}


@_reader_of("figures")
def _figures(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    return {"figures": read_figures(reader, loc, data)}


@_reader_of("exit")
def _exit(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    if isinstance(data, int):
        return {"exit": data}
    return {"exit_any": True}


@_reader_of("reads")
def _inputs_taken(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    if isinstance(data, AtMostShape):
        if data.any:
            return {"reads_any": True}
        return {"reads_at_most": data.at_most}
    return {"reads": data}


@_reader_of("ends")
def _ends(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    if not isinstance(data, str):
        for key in ("returns", "raises", "leaves", "exit"):
            if reader.states(key):
                what = f"asks_for_more and {key} cannot be combined"
                reader.refuse(loc, what, "keep one of the two", key=True)
        return {"ends_any": True}
    if data == "asks_for_more":
        return {"ends": Ending.ASKED_FOR_MORE}
    return {"ends": Ending(data)}


@_reader_of("turns")
def _turns(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    if data == {"any": True}:
        if reader.states("prints"):
            return {}
        return {"prints": AnyValue()}
    inputs = len(parts.inputs)
    if "input" in reader.broken:
        inputs = sys.maxsize
    makes = f"{inputs} inputs make"
    if inputs == 1:
        makes = "1 input makes"
    is_list = isinstance(data, list)
    most = inputs + 1
    if is_list and len(data) > most:
        reader.add(loc, f"{makes} at most {most} turns, got {len(data)}")

    def turn(item: tuple[Any, Any]) -> StatedTurn:
        index, printed = item
        where = (*loc, index)
        if type(index) is not int or index < 0:
            reader.refuse(where, "a turn is named by its number, from 0", key=True)
        if index > inputs and not is_list:
            what = f"turn {index} does not exist: {makes} turns 0 to {inputs}"
            reader.refuse(where, what, key=True)
        matcher = reader.matcher(where, printed, for_text=True)
        return StatedTurn(index=index, printed=matcher)

    items = enumerate(data) if is_list else data.items()
    turns = read_all(items, turn)
    return {"turns": StatedTurns(turns=turns, all_turns=is_list)}


@_reader_of("raises")
def _raises(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    return {"raises": _stated_raise(reader, loc, data)}


def _stated_raise(reader: ScenarioReader, loc: Loc, data: Any) -> StatedRaise:
    if not isinstance(data, RaisesShape):
        return StatedRaise(type_name=data)
    stated = data.model_fields_set
    message: Matcher | None = None
    if "message" in stated:
        message_at = (*loc, "message")
        message = reader.matcher(message_at, data.message, for_text=True)
    if "is_a" in stated:
        _check_base(reader, (*loc, "is_a"), data.is_a)
    first, *also = data.one_of or [data.type]
    return StatedRaise(type_name=first, message=message, also=tuple(also), is_a=data.is_a)


def _check_base(reader: ScenarioReader, loc: Loc, name: str) -> None:
    """Note an error for an undefined exception class."""
    symbols = reader.symbols
    if not symbols.reference:
        return
    programs = (*symbols.reference, *symbols.provided)
    known = {*BUILTIN_EXCEPTIONS, *class_names(programs)}
    if name not in known:
        what = f"{name} is neither a builtin exception nor a class of the reference"
        hint = nearest(name, sorted(known))
        reader.add(loc, what, hint)


@_reader_of("leaves")
def _leaves(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    names = parts.leaves
    call = parts.action.expression
    if call and names == frozenset():
        what = "only the return value and the output of this call can be checked"
        hint = "to compare an object after a method call, write a session: "
        hint += "one step makes the object, one calls the method"
        reader.refuse(loc, what, hint, key=True)
    if data == "unchanged":
        return {"leaves_unchanged": True}
    if data == {"any": True}:
        return {"leaves_any": True}

    def leave(item: tuple[Any, Any]) -> StatedLeave:
        name, value = item
        where = (*loc, name)
        if names is not None:
            _check_left(reader, where, str(name), names, call)
        matcher = reader.matcher(where, value)
        return StatedLeave(name=str(name), value=matcher)

    return {"leaves": read_all(data.items(), leave)}


def _check_left(
    reader: ScenarioReader, loc: Loc, name: str, names: frozenset[str], call: str
) -> None:
    """Note an error and raise Refused if this name is not compared after the call."""
    if name not in names:
        what = f"{name} is neither a parameter of the function nor a name of the session"
        known = ", ".join(sorted(names))
        hint = _how_to_compare(reader, name, call) or nearest(name, names)
        reader.refuse(loc, what, hint or f"known names are {known}", key=True)
    if not names or not call:
        return
    keywords = [keyword.arg for keyword in _call_in(call).keywords]
    if name in keywords:
        what = "only positional arguments are compared afterwards"
        hint = f"write {called_function(call)}({name}, …)"
        reader.refuse(loc, what, hint, key=True)


def _how_to_compare(reader: ScenarioReader, name: str, call: str) -> str:
    """Return a hint how to compare a name defined by `given:` or a case after the call; "" for
    other names.
    """
    if not call or name not in reader.names:
        return ""
    parameters = reader.symbols.parameters(called_function(call))
    arguments = _call_in(call).args
    for parameter, argument in zip(parameters, arguments, strict=False):
        if isinstance(argument, ast.Name) and argument.id == name:
            return f"the function calls it {parameter}"
    return f"a session compares it: leave the call to one step, and write >>> {name} as the next"


def _call_in(call: str) -> ast.Call:
    """Return the syntax tree of a call to a function with known parameters."""
    tree = parse_expression(call).body
    assert isinstance(tree, ast.Call)
    return tree


@_reader_of("writes")
def _writes(reader: ScenarioReader, parts: StimulusParts, loc: Loc, data: Any) -> Fields:
    if data == "unchanged":
        return {"writes_unchanged": True}
    if data == {"any": True}:
        return {"writes_any": True}
    files = dict(data)
    fields: dict[str, Any] = {}
    if isinstance(files.get("only"), list):
        only = files.pop("only")
        _check_file_names(reader, (*loc, "only"), only)
        fields["writes_only"] = tuple(map(str, only))

    def written(item: tuple[Any, Any]) -> StatedLeave:
        name, content = item
        where = (*loc, name)
        check_path(reader, where, name)
        matcher = _written(reader, where, content)
        return StatedLeave(name=str(name), value=matcher)

    fields["writes"] = read_all(files.items(), written)
    return fields


def _check_file_names(reader: ScenarioReader, loc: Loc, names: list[Any]) -> None:
    for index, name in enumerate(names):
        if not isinstance(name, str):
            what = f"expected the name of a file, got {describe(name)}"
            reader.add((*loc, index), what)


def _written(reader: ScenarioReader, loc: Loc, content: Any) -> Matcher:
    """Return the matcher for a file's expected content; None means that the file must not exist."""
    if content is None:
        return Exactly(value=NONE)
    if isinstance(content, str) and reader.uncut(loc):
        data = content_of(reader, loc, content)
        return Exactly(value=file_value(data))
    if isinstance(content, dict) and content.keys() == {"text"}:
        content = content["text"]
        loc = (*loc, "text")
    return reader.matcher(loc, content, for_text=True)


def transcript_of(reader: ScenarioReader, *, recording: bool) -> tuple[str, str | None]:
    """Return the transcript's path relative to the spec folder, and its text (None if it is still
    to be recorded). If it is missing, note an error and raise Refused.
    """
    loc = (*reader.loc, "transcript")
    written = reader.shape.transcript
    used = names_in(written)
    for mark in reader.variation.swept:
        name, _, _ = mark.partition("=")
        if name not in used:
            hint = f"put {{{{ {name} }}}} into the name"
            reader.refuse(loc, f"the file's name does not contain the swept {name}", hint)
    if reader.prompts_any and not reader.symbols.reference:
        what = "a transcript contains the prompts, but prompts are not compared here"
        hint = "state prompts: exact, or prints: or turns: without the prompts"
        reader.refuse(loc, what, hint, key=True)
    path = reader.render(written, loc)
    parts = path.split("/")
    is_below = not path.startswith("/") and ".." not in parts
    if not is_below or not path.endswith(".txt"):
        reader.refuse(loc, f"{path} is not a .txt file below the spec folder")
    file = reader.symbols.folder / path
    if not file.is_file():
        if recording:
            return path, None
        hint = "run harness record, or correct the name"
        reader.refuse(loc, f"the file {path} does not exist", hint)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"byte {error.start} of {path} is not UTF-8"
        reader.refuse(loc, what, "save the file as UTF-8")
    text = text.replace("\r\n", "\n")
    try:
        return path, render(text, reader.constants)
    except TemplateError as error:
        lines = text[: error.position].split("\n")
        shown = f"{reader.symbols.shown_folder}/{path}"
        column = len(lines[-1]) + 1
        place = Place(file=shown, line=len(lines), column=column)
        hint = nearest(error.name, reader.constants)
        reader.document.problems.add(place, "", str(error), hint)
        raise Refused from None
