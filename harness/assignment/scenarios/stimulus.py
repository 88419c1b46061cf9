"""Reads what a scenario does to the program: its action, typed lines and environment."""

import re
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import sha256
from typing import Any
from zoneinfo import ZoneInfo

from harness.assignment.document import HintedError, Loc
from harness.assignment.scenarios.draws import replies_of
from harness.assignment.scenarios.python_text import PythonError, parse_session, parse_statements
from harness.assignment.scenarios.reader import ScenarioReader
from harness.assignment.scenarios.test_folder import in_folder
from harness.common.words import listed
from harness.matchers.reading import Refused, describe, nearest
from harness.model.policy import SourceFile
from harness.model.stimulus import (
    Action,
    Binding,
    Clock,
    Form,
    Key,
    Replies,
    Stimulus,
    StimulusParts,
    Typed,
)
from harness.stimuli import stimulus_kinds

_CLASHES = (
    ("stdin", "input", "piped input does not come from a terminal"),
    ("replies", "input", "a generator of replies gives all input"),
    ("run", "at_load", "a program is run, not loaded first"),
    ("returns", "raises", "a call that raises returns nothing"),
)
# Keys that a session does not need, because its text shows their content.
_SHOWN = frozenset({"returns", "prints", "turns", "transcript", "raises"})
_OF_THE_SCREEN = frozenset({"prints", "turns", "transcript"})
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?(?P<offset>Z|[+-][0-9]{2}:[0-9]{2})?\Z"
)
_FIRST_YEAR = 1970  # computer clocks start in 1970
_MAX_NAME_LENGTH = 100  # characters of one part of a path
_MAX_FOLDERS = 8  # in a path
MAX_GIVEN_BYTES = 1024 * 1024  # maximum size of one file


def kind_of(reader: ScenarioReader) -> type[Action]:
    """Return the kind of the scenario's action, such as Call.

    If there is none or more than one, note an error and raise Refused.
    """
    kinds = stimulus_kinds()
    stated = [name for name in kinds if reader.states(name)]
    if len(stated) == 1:
        return kinds[stated[0]]
    got = " and ".join(stated) or "none"
    what = f"expected exactly one of {listed(kinds, 'or')}, got {got}"
    if stated:
        reader.add((*reader.loc, stated[1]), what, "write a scenario for each", key=True)
    elif not reader.broken:
        reader.add(reader.loc, what)
    raise Refused


def check_takes(reader: ScenarioReader, kind: type[Action]) -> None:
    """Note errors for keys that this kind of scenario cannot have, and for keys that exclude each
    other.
    """
    for key in _keys_of_kinds().difference(kind.takes):
        if reader.states(key):
            what = f"a {kind.noun or kind.key} has no {key}"
            hint = kind.elsewhere if key in _SHOWN else ""
            if not hint:
                hint = f"use it with {_owners_of(key)}"
            reader.add(reader.at(key), what, hint, key=True)
    for first, second, what in _CLASHES:
        if reader.states(first) and reader.states(second):
            hint = f"keep one of {first} and {second}"
            reader.add(reader.at(second), what, hint, key=True)


def _owners_of(key: str) -> str:
    """Return the kinds of stimulus that take this key, in words."""
    owners: list[str] = []
    for kind in stimulus_kinds().values():
        if key in kind.takes:
            owners.append(kind.key)
    return listed(owners, "or")


def _keys_of_kinds() -> set[str]:
    """Return the keys that only some kinds of scenario accept."""
    keys: set[str] = set()
    for kind in stimulus_kinds().values():
        keys.update(kind.takes)
    return keys


def ruled_out(kind: type[Action], stated: Set[str]) -> set[str]:
    """Return the keys that this kind of scenario cannot have, and those that the stated keys
    exclude.
    """
    keys = _keys_of_kinds().difference(kind.takes)
    for first, second, _ in _CLASHES:
        if second in stated:
            keys.add(first)
        if first in stated:
            keys.add(second)
    if stated & _OF_THE_SCREEN:
        keys |= _OF_THE_SCREEN - stated
    return keys


def read_stimulus(reader: ScenarioReader, kind: type[Action]) -> StimulusParts:
    """Return the action with the reader's constants filled in. Raise Refused if it is invalid."""
    inputs_at = reader.at("input")
    inputs = typed_inputs(reader, inputs_at, reader.shape.input)
    action_at = (*reader.loc, kind.key)
    return kind.read(reader, action_at, inputs)


def stimulus_of(reader: ScenarioReader, parts: StimulusParts) -> Stimulus:
    """Return the complete stimulus of a case: its action and the program's environment.

    May raise Refused.
    """
    replies: Replies | None = None
    if reader.states("replies"):
        with reader.noted((*reader.loc, "replies")):
            replies = replies_of(reader.symbols, reader.shape.replies, reader.constants)
    clock = reader.variation.clock
    if "clock" in reader.row_keys:
        loc = reader.at("clock")
        written = reader.shape.clock
        if not isinstance(written, str):
            reader.refuse(loc, "a case has one time", "write a list of times in the scenario")
        clock = _clock(reader, loc, written)
    has_files = bool(list(reader.layers("files")))
    at_load = typed_inputs(reader, reader.at("at_load"), reader.shape.at_load)
    stdin = None
    if reader.states("stdin"):
        stdin = reader.shape.stdin
    environment: list[Binding] = []
    for name, text in reader.shape.environment.items():
        environment.append(Binding(name=name, literal=text))
    stimulus = Stimulus(
        action=parts.action,
        inputs=parts.inputs,
        at_load=at_load,
        constants=reader.variation.overrides,
        provide=tuple(reader.shape.provide),
        seed=_seed_of(reader),
        clock=clock,
        folder=reader.states("writes") or has_files,
        files=given_files(reader),
        stdin=stdin,
        stderr_apart=reader.states("stderr"),
        keeps_figures=reader.states("figures"),
        marks_prompts=reader.prompts_any,
        replies=replies,
        environment=tuple(environment),
    )
    if parts.action.form is Form.TEST:
        return in_folder(stimulus, reader.symbols)
    return stimulus


def _seed_of(reader: ScenarioReader) -> int | None:
    """Return the random seed.

    For scenarios about many calls it is derived from the assignment's name: the same in every run,
    different for every assignment.
    """
    if reader.states("seed") or not reader.states("over"):
        return reader.shape.seed
    name = reader.symbols.folder.name
    digest = sha256(name.encode()).digest()
    return int.from_bytes(digest[:2], "big")


def read_clocks(reader: ScenarioReader) -> list[tuple[Clock | None, tuple[str, ...]]]:
    """Return each fixed time that the scenario lists, with its part of the id; a single time has
    none. If one is invalid, note an error and raise Refused.
    """
    if not reader.states("clock") or "clock" in reader.row_keys:
        return [(reader.symbols.clock, ())]
    loc = reader.at("clock")
    written = reader.shape.clock
    if isinstance(written, str):
        only_time = _clock(reader, loc, written)
        return [(only_time, ())]
    swept: dict[Clock | None, tuple[str, ...]] = {}
    for index, text in enumerate(written):
        where = (*loc, index)
        time = _clock(reader, where, text)
        if time in swept:
            reader.refuse(where, f"{text} is in the sweep twice")
        swept[time] = (f"clock={text}",)
    return list(swept.items())


def _clock(reader: ScenarioReader, loc: Loc, text: str) -> Clock:
    with reader.noted(loc):
        return read_clock(text, reader.symbols.shape.time_zone)


def read_clock(text: str, time_zone: str) -> Clock:
    """Parse a date and time; a date without a time means midnight.

    A time without an offset is in `time_zone` (empty: UTC). May raise HintedError.
    """
    written = _TIME.match(text)
    if written is None:
        what = f"expected a date and a time, got {text!r}"
        hint = "write one like 2026-03-01T12:00, or only a date for its midnight"
        raise HintedError(what, hint)
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        what = f"{text} is not a valid time ({error})"
        raise HintedError(what, "write a date and a time that exist") from None
    if not _FIRST_YEAR <= time.year < datetime.max.year:
        what = f"{text} is outside the times that a computer's clock can show"
        last_year = datetime.max.year - 1
        raise HintedError(what, f"write a year from {_FIRST_YEAR} to {last_year}")
    if not written["offset"]:
        zone = ZoneInfo(time_zone) if time_zone else UTC
        time = _of_zone(time, zone, text, time_zone)
    seconds = int(time.timestamp())
    offset = time.utcoffset() or timedelta()
    return Clock(seconds=seconds, offset=int(offset.total_seconds()))


def _of_zone(time: datetime, zone: tzinfo, text: str, name: str) -> datetime:
    """Return the time in this zone.

    Raise HintedError if a clock change there skips or repeats it.
    """
    first = time.replace(tzinfo=zone, fold=0)
    second = time.replace(tzinfo=zone, fold=1)
    there_and_back = first.astimezone(UTC).astimezone(zone)
    shown = there_and_back.replace(tzinfo=None)
    if shown != time:
        what = f"{text} does not exist in {name}: the clocks are put forward then"
        raise HintedError(what, f"write {shown.isoformat(timespec='minutes')}")
    if first.utcoffset() != second.utcoffset():
        what = f"{text} occurs twice in {name}: the clocks are put back then"
        earlier = first.isoformat(timespec="minutes")
        later = second.isoformat(timespec="minutes")
        raise HintedError(what, f"write {earlier} or {later}")
    return first


def read_given(reader: ScenarioReader) -> str:
    """Return the code of every `given:` in effect, and remember the names that it defines."""
    parts: list[str] = []
    for loc, text in reader.layers("given"):
        source = text
        try:
            if text.startswith(">>>"):
                source = _given_session(reader, loc, text)
            tree = parse_statements(source)
        except HintedError as error:
            reader.add(loc, str(error), error.hint, line=error.line)
            reader.names_known = False
            continue
        except PythonError as error:
            reader.add(loc, f"not Python statements ({error})", reader.cut_at_comma(loc))
            reader.names_known = False
            continue
        reader.bind(tree, loc)
        parts.append(source)
        if not source.endswith("\n"):
            parts.append("\n")
    return "".join(parts)


def _given_session(reader: ScenarioReader, loc: Loc, text: str) -> str:
    """Return the code of a pasted session without output. Raise HintedError if it is not one."""
    source = ""
    for step in parse_session(text):
        if any(line.strip() for line in step.shown):
            reader.add(loc, "a session in given: must not show output", "remove the output")
        source += step.source + "\n"
    return source


def typed_inputs(reader: ScenarioReader, loc: Loc, items: Sequence[Any]) -> tuple[Typed, ...]:
    """Return the typed lines and keys with templates filled in; errors are noted."""
    for index in range(1, len(items)):
        # `[4,6]` is two items to YAML, and one to most people who write it.
        places = (*loc, index - 1), (*loc, index)
        if reader.document.is_pair(*places):
            first, second = map(reader.document.raw, places)
            what = f"{first},{second} looks like a pair"
            hint = f'write "{first},{second}" for one input, {first}, {second} for two'
            reader.add(places[0], what, hint)
    inputs: list[Typed] = []
    for index, item in enumerate(items):
        where = (*loc, index)
        if not isinstance(item, str | int):
            inputs.append(Typed(key=Key(item.key)))
        elif not isinstance(item, str):
            text = reader.document.raw(where)
            inputs.append(Typed(text=text))
        elif reader.uncut(where):
            text = reader.render(item, where)
            reader.check_line(where, text)
            inputs.append(Typed(text=text))
    return tuple(inputs)


def given_files(reader: ScenarioReader) -> tuple[SourceFile, ...]:
    """Return the files of every `files:` in effect; note errors for unreadable ones."""
    by_name: dict[str, SourceFile] = {}
    for where, files in reader.layers("files"):
        for name, content in files.items():
            loc = (*where, name)
            with suppress(Refused):
                check_path(reader, loc, name)
                if isinstance(content, str):
                    data = content_of(reader, loc, content)
                else:
                    data = reader.render(content.text, loc).encode()
                by_name[name] = SourceFile(name=name, data=data)
                _check_beside(reader, loc, by_name)
    return tuple(by_name.values())


def check_path(reader: ScenarioReader, loc: Loc, name: object) -> None:
    """Note an error and raise Refused if `name` is not a valid path inside the scenario's
    folder.
    """
    if not isinstance(name, str) or not _is_plain_path(name):
        what = f"expected the name of a file, got {describe(name)}"
        reader.refuse(loc, what, "write a path in the folder, like data/marks.csv", key=True)


def _is_plain_path(path: str) -> bool:
    """Return whether the path stays inside its folder on every operating system and is not too
    long.
    """
    parts = path.split("/")
    if "\\" in path or len(parts) > _MAX_FOLDERS:
        return False
    if not {"", ".", ".."}.isdisjoint(parts):
        return False
    return max(map(len, parts)) <= _MAX_NAME_LENGTH


def _check_beside(reader: ScenarioReader, loc: Loc, files: Mapping[str, SourceFile]) -> None:
    """Note an error if the last file's path is also used as a folder by another file, or the other
    way round.
    """
    last = str(loc[-1])
    for name in files:
        if name.startswith(f"{last}/") or last.startswith(f"{name}/"):
            shorter = min(name, last, key=len)
            what = f"{shorter} is both a file and a folder"
            reader.add(loc, what, "give one of them another name", key=True)


def content_of(reader: ScenarioReader, loc: Loc, text: str) -> bytes:
    """Return the text with templates filled in; if it is one line that names a file, the file's
    content.

    If the file cannot be read, note an error and raise Refused.
    """
    if text == "" or "\n" in text:
        return reader.render(text, loc).encode()
    hint = "a text ends its lines with \\n; write {text: …} for one without"
    data = reader.spec_file(loc, text, hint).read_bytes()
    size = len(data)
    if size > MAX_GIVEN_BYTES:
        reader.refuse(loc, f"{text} has {size} bytes, more than {MAX_GIVEN_BYTES:,}")
    return data


def provided_names(reader: ScenarioReader) -> set[str]:
    """Return the additional files that exist, as paths relative to the spec folder; note errors
    for missing ones.
    """
    names: set[str] = set()
    short_names: set[str] = set()
    for index, name in enumerate(reader.shape.provide):
        loc = (*reader.at("provide"), index)
        with suppress(Refused):
            reader.spec_file(loc, name)
            names.add(name)
            short = name.rsplit("/", 1)[-1]
            if short in short_names:
                reader.refuse(loc, f"two files of this scenario are named {short}")
            short_names.add(short)
    return names


def stand_in_files(reader: ScenarioReader) -> dict[str, SourceFile]:
    """Return the stand-in files by name, from the spec folder or next to the reference.

    Note errors for files that cannot be stand-ins, and if every module of the submission would be
    replaced.
    """
    files: dict[str, SourceFile] = {}
    names = reader.shape.stand_in
    where = reader.at("stand_in")
    submitted = reader.symbols.submission_files
    for module, name in names.items():
        loc = (*where, module)
        with suppress(Refused):
            if module not in submitted or not module.endswith(".py"):
                hint = nearest(module, submitted)
                reader.refuse(loc, f"{module} is not a submitted module", hint, key=True)
            files[name] = _stand_in(reader, loc, name)
    if names and set(names) >= set(submitted):
        what = "all of the submission's modules are replaced"
        reader.add(where, what, "leave out the module that the scenario tests", key=True)
    return files


def _stand_in(reader: ScenarioReader, loc: Loc, name: str) -> SourceFile:
    symbols = reader.symbols
    if "/" in name or "\\" in name:
        reader.refuse(loc, f"{name} is a path", "write only the file's name")
    paths = [symbols.folder / name]
    hint = "the reference's own file cannot replace a module"
    if name not in symbols.submission_files:
        paths.append(symbols.reference_folder / name)
        hint = ""
    found = [path for path in paths if path.is_file()]
    if not found:
        what = f"the file {name} is neither in the spec folder nor among the course's files"
        reader.refuse(loc, what, hint)
    data = found[0].read_bytes()
    file = SourceFile(name=name, data=data)
    if any(data == answer.data for answer in symbols.reference):
        reader.refuse(loc, f"{name} is the reference's own file", "write a module for this use")
    try:
        parse_statements(file.data)
    except PythonError as error:
        reader.refuse(loc, f"{name} is not Python ({error})")
    return file
