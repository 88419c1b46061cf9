"""Read the stimulus of a scenario: its action, typed lines and surroundings."""

import re
from collections.abc import Sequence, Set
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from harness.assignment.document import HintedError, Loc
from harness.assignment.scenarios.context import Context
from harness.assignment.scenarios.draws import replies_of
from harness.assignment.scenarios.python_text import PythonError, parse_session, parse_statements
from harness.common.words import listed
from harness.matchers.reading import Refused, describe, nearest
from harness.model.policy import SourceFile
from harness.model.stimulus import Action, Binding, Clock, Key, Stimulus, StimulusParts, Typed
from harness.stimuli import stimulus_kinds

_CLASHES = (
    ("stdin", "input", "what is piped in is not a terminal"),
    ("replies", "input", "a generator of replies types all input"),
    ("returns", "raises", "a call that raises returns nothing"),
)
_SHOWN = frozenset({"returns", "prints", "turns", "transcript", "raises"})  # by a session too
_OF_THE_SCREEN = frozenset({"prints", "turns", "transcript"})
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?(?P<offset>Z|[+-][0-9]{2}:[0-9]{2})?\Z"
)
_FIRST_YEAR = 1970  # in which computers' clocks begin
LARGEST_GIVEN = 1024 * 1024  # bytes, of one file


def kind_of(context: Context) -> type[Action]:
    """The kind of the scenario's one stimulus; Refused for none or several."""
    kinds = stimulus_kinds()
    stated = [name for name in kinds if context.states(name)]
    if len(stated) == 1:
        return kinds[stated[0]]
    what = f"expected exactly one of {listed(kinds, 'or')}, got {' and '.join(stated) or 'none'}"
    if stated:
        context.add((*context.loc, stated[1]), what, "make one scenario of each", key=True)
    elif not context.broken:
        context.add(context.loc, what)
    raise Refused


def check_takes(context: Context, kind: type[Action]) -> None:
    """Mistakes for the keys that the stimulus cannot show or that rule each other out."""
    kinds = stimulus_kinds().values()
    for key in {key for other in kinds for key in other.takes}:
        if context.states(key) and key not in kind.takes:
            owners = listed((other.key for other in kinds if key in other.takes), "or")
            hint = (kind.elsewhere if key in _SHOWN else "") or f"it belongs to {owners}"
            context.add(context.at(key), f"a {kind.key} has no {key}", hint, key=True)
    for one, other, what in _CLASHES:
        if context.states(one) and context.states(other):
            context.add(context.at(other), what, f"keep one of {one} and {other}", key=True)


def ruled_out(kind: type[Action], stated: Set[str]) -> set[str]:
    """The keys that the stimulus cannot show, and those that do not go with the stated ones."""
    keys = {key for other in stimulus_kinds().values() for key in other.takes} - {*kind.takes}
    for one, other, _ in _CLASHES:
        keys |= {one} if other in stated else set()
        keys |= {other} if one in stated else set()
    return keys | (_OF_THE_SCREEN - stated) if stated & _OF_THE_SCREEN else keys


def read_stimulus(context: Context, kind: type[Action]) -> StimulusParts:
    """The stimulus under the context's constants; Refused if it cannot be read."""
    inputs = typed_inputs(context, context.at("input"), context.own.input)
    return kind.read(context, (*context.loc, kind.key), inputs)


def stimulus_of(context: Context, parts: StimulusParts) -> Stimulus:
    """Read the whole stimulus of a case: its action and the program's surroundings. May raise
    Refused."""
    replies = None
    if context.states("replies"):
        with context.noted((*context.loc, "replies")):
            replies = replies_of(context.vocabulary, context.own.replies, context.constants)
    clock = context.variation.clock
    if "clock" in context.row_keys:
        loc, written = context.at("clock"), context.own.clock
        if not isinstance(written, str):
            context.refuse(loc, "a case has one time", "write a list of times in the scenario")
        clock = _clock(context, loc, written)
    return Stimulus(
        action=parts.action,
        inputs=parts.inputs,
        constants=context.variation.overrides,
        provide=tuple(name.rsplit("/", 1)[-1] for name in context.own.provide),
        seed=context.own.seed,
        clock=clock,
        folder=context.states("writes") or any(True for _ in context.layers("files")),
        files=given_files(context),
        stdin=context.own.stdin if context.states("stdin") else None,
        stderr_apart=context.states("stderr"),
        replies=replies,
        environment=tuple(
            Binding(name=name, literal=text) for name, text in context.own.environment.items()
        ),
    )


def read_clocks(context: Context) -> list[tuple[Clock | None, tuple[str, ...]]]:
    """Return the times that the scenario sweeps, each with its mark in an id; a single one has
    no mark. Raise Refused, with the error noted, if one is not a time."""
    if not context.states("clock") or "clock" in context.row_keys:
        return [(context.vocabulary.clock, ())]
    loc, written = context.at("clock"), context.own.clock
    if isinstance(written, str):
        return [(_clock(context, loc, written), ())]
    times = [_clock(context, (*loc, index), text) for index, text in enumerate(written)]
    for index, time in enumerate(times):
        if time in times[:index]:
            context.refuse((*loc, index), f"{written[index]} is in the sweep twice")
    return [(time, (f"clock={text}",)) for time, text in zip(times, written, strict=True)]


def _clock(context: Context, loc: Loc, text: str) -> Clock:
    with context.noted(loc):
        return read_clock(text, context.vocabulary.shape.time_zone)


def read_clock(text: str, time_zone: str) -> Clock:
    """Read a time; a date without a time is its midnight. Without an offset it is in the zone of
    this name (empty: UTC). May raise HintedError."""
    written = _TIME.match(text)
    if written is None:
        what = f"expected a date and a time, got {text!r}"
        raise HintedError(what, "write one like 2026-03-01T12:00, or a date alone for its midnight")
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        what = f"there is no {text} ({error})"
        raise HintedError(what, "write a day and a time that there are") from None
    if not _FIRST_YEAR <= time.year < datetime.max.year:
        what = f"{text} is out of what a computer's clock tells"
        raise HintedError(what, f"write a year from {_FIRST_YEAR} to {datetime.max.year - 1}")
    if not written["offset"]:
        time = _of_zone(time, ZoneInfo(time_zone) if time_zone else UTC, text, time_zone)
    offset = time.utcoffset() or timedelta()
    return Clock(seconds=int(time.timestamp()), offset=int(offset.total_seconds()))


def _of_zone(time: datetime, zone: tzinfo, text: str, name: str) -> datetime:
    """The time in the zone; HintedError for one that clocks there skip, or show twice."""
    first, second = (time.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    shown = first.astimezone(UTC).astimezone(zone)
    if shown.replace(tzinfo=None) != time:
        what = f"there is no {text} in {name}: clocks are put forward then"
        hint = f"write {shown.replace(tzinfo=None).isoformat(timespec='minutes')}"
        raise HintedError(what, hint)
    if first.utcoffset() != second.utcoffset():
        what = f"clocks in {name} show {text} twice: they are put back then"
        hint = " or ".join(each.isoformat(timespec="minutes") for each in (first, second))
        raise HintedError(what, f"write {hint}")
    return first


def read_given(context: Context) -> str:
    """The statements of every `given:` in force; their names join the context."""
    parts: list[str] = []
    for loc, text in context.layers("given"):
        source = text
        try:
            if text.startswith(">>>"):
                steps = parse_session(text)
                if any(line.strip() for step in steps for line in step.shown):
                    context.add(loc, "a given session shows nothing", "take the output out")
                source = "\n".join(step.source for step in steps) + "\n"
            tree = parse_statements(source)
        except HintedError as error:
            context.add(loc, str(error), error.hint, line=error.line)
            continue
        except PythonError as error:
            context.add(loc, f"not Python statements ({error})")
            continue
        context.bind(tree, loc)
        parts.append(source if source.endswith("\n") else source + "\n")
    return "".join(parts)


def typed_inputs(context: Context, loc: Loc, items: Sequence[Any]) -> tuple[Typed, ...]:
    """What texts, whole numbers and keys type, templates filled in; mistakes are noted."""
    for index in range(1, len(items)):
        # `[4,6]` is two items to YAML, and one to most people who write it.
        places = (*loc, index - 1), (*loc, index)
        if context.document.is_pair(*places):
            first, second = map(context.document.raw, places)
            hint = f'write "{first},{second}" for one input, {first}, {second} for two'
            context.add(places[0], f"{first},{second} looks like a pair", hint)
    inputs: list[Typed] = []
    for index, item in enumerate(items):
        where = (*loc, index)
        if not isinstance(item, str | int):
            inputs.append(Typed(key=Key(item.key)))
        elif not isinstance(item, str):
            inputs.append(Typed(text=context.document.raw(where)))
        elif context.uncut(where):
            text = context.render(item, where)
            context.check_line(where, text)
            inputs.append(Typed(text=text))
    return tuple(inputs)


def given_files(context: Context) -> tuple[SourceFile, ...]:
    """The files of every `files:` in force; mistakes are noted for what cannot be read."""
    by_name: dict[str, SourceFile] = {}
    for where, files in context.layers("files"):
        for name, content in files.items():
            loc = (*where, name)
            with suppress(Refused):
                if name in ("", ".", "..") or "/" in name or "\\" in name:
                    what = f"expected the name of a file, got {describe(name)}"
                    context.refuse(loc, what, "a name has no folders", key=True)
                if isinstance(content, str):
                    data = content_of(context, loc, content)
                else:
                    data = context.render(content.text, loc).encode()
                by_name[name] = SourceFile(name=name, data=data)
    return tuple(by_name.values())


def content_of(context: Context, loc: Loc, text: str) -> bytes:
    """Return the text with templates filled in, or the content of the file that a one-line text
    names.

    Raise Refused, with the error noted, if the file cannot be read.
    """
    if text == "" or "\n" in text:
        return context.render(text, loc).encode()
    hint = "a text ends its lines with \\n; write {text: …} for one without"
    data = context.spec_file(loc, text, hint).read_bytes()
    if len(data) > LARGEST_GIVEN:
        context.refuse(loc, f"{text} has {len(data)} bytes, more than {LARGEST_GIVEN:,}")
    return data


def provided_names(context: Context) -> set[str]:
    """The extra files that are there, as paths below the spec folder; mistakes for the others."""
    names: set[str] = set()
    for index, name in enumerate(context.own.provide):
        with suppress(Refused):
            context.spec_file((*context.at("provide"), index), name)
            names.add(name)
    return names


def stand_in_files(context: Context) -> dict[str, SourceFile]:
    """Return the stand-in files by name, from the spec folder or beside the reference.

    Note errors for files that cannot stand in, and if nothing of the submission would be left."""
    files: dict[str, SourceFile] = {}
    names, where = context.own.stand_in, context.at("stand_in")
    submitted = context.vocabulary.submission_files
    for module, name in names.items():
        loc = (*where, module)
        with suppress(Refused):
            if module not in submitted or not module.endswith(".py"):
                hint = nearest(module, submitted)
                context.refuse(loc, f"{module} is not a submitted module", hint, key=True)
            files[name] = _stand_in(context, loc, name)
    if names and set(names) >= set(submitted):
        what = "nothing of the submission would be left"
        context.add(where, what, "leave out the module that the scenario is about", key=True)
    return files


def _stand_in(context: Context, loc: Loc, name: str) -> SourceFile:
    vocabulary = context.vocabulary
    if "/" in name or "\\" in name:
        context.refuse(loc, f"{name} is a path", "write the file's name alone")
    beside = name not in vocabulary.submission_files
    folders = [vocabulary.folder, *([vocabulary.reference_folder] if beside else [])]
    path = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if path is None:
        what = f"there is no file {name} in the spec folder or among the course's files"
        context.refuse(loc, what, "" if beside else "the reference's own answer is never used")
    file = SourceFile(name=name, data=path.read_bytes())
    if any(file.data == answer.data for answer in vocabulary.reference):
        context.refuse(loc, f"{name} is the reference's own answer", "write a module for this use")
    try:
        parse_statements(file.data)
    except PythonError as error:
        context.refuse(loc, f"{name} is not Python ({error})")
    return file
