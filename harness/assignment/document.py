"""Parses a YAML file into plain data in which every value knows its place, and collects errors.

An unquoted value that YAML 1.1 and 1.2 read differently (such as `yes`), or that looks like
something else, is an error.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.assignment.loading import SpecErrors
from harness.common.escaping import visible
from harness.matchers.reading import plain_number
from harness.model.plan import Place

Loc = tuple[str | int, ...]
_PAIR = re.compile(r"\s*[^\s,]+\s*,\s*[^\s,]+\s*\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")
_CODE = (("python",), ("call",), ("given",), ("session",), ("do",))
_SYNTAX_HINTS = (  # keyed by a part of PyYAML's message; the first match is used
    ("mapping values", "quote a text that holds ': '"),
    ("any token", "indent with spaces, and quote a text that begins with % @ ` or a tab"),
    ("find expected ',' or", "put a text that holds a comma or a bracket in quotes"),
    ("find expected", "look for a bracket, quote or indentation that does not match"),
)
Scalar = str | int | float | bool | None
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+\Z")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None}
_QUOTE = "quote it"
_TRUTH = "quote it if it is text, write true or false if it is not"
_NUMBER = "quote it if it is text, write a plain decimal number if it is not"
_AMBIGUOUS = (  # a pattern, its meaning, and the hint
    (r"(?i:yes|no|on|off)", "is true or false to some YAML readers", _TRUTH),
    (r"TRUE|FALSE", "is true or false in capitals", _TRUTH),
    (r"~|Null|NULL", "is another spelling of null", "write null, or quote it"),
    (r"[-+]?0[0-9]+", "may be octal", _NUMBER),
    (r"[-+]?0o[0-7_]+", "is an octal number", _NUMBER),
    (r"[-+]?0x[0-9a-fA-F_]+", "is a hexadecimal number", _NUMBER),
    (r"[-+]?0b[01_]+", "is a binary number", _NUMBER),
    (r"[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9_]*)?", "may be base 60", _QUOTE),
    (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?", "looks like a date", _QUOTE),
    (r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?", "is a number to some", _NUMBER),
    (r"[-+]?(?:\.[0-9]+|[0-9]+\.?[0-9]*)[eE][-+]?[0-9]+", "has an exponent", _NUMBER),
    (r"\+(?:\.[0-9]+|[0-9]+\.?[0-9]*)", "has a plus sign", _NUMBER),
    (r"[-+]?(?:\.[0-9]+|[0-9]+\.|0[0-9]+\.[0-9]*)", "is half a decimal", _NUMBER),
    (r"(?i:[-+]?\.inf|\.nan)", "is a special number to YAML", _QUOTE),
    (r"[=<]|<<", "has a special meaning in YAML", _QUOTE),
)  # fmt: skip
_REFUSED = [(re.compile(pattern), meaning, hint) for pattern, meaning, hint in _AMBIGUOUS]


class Problems:
    """Collects errors. Of several errors with the same place and key, only the first is kept."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, int, int, str], str] = {}

    def add(self, place: Place, key: str, what: str, hint: str = "") -> None:
        """Note an error: its place, its key, the cause and the fix."""
        line = f"{place}: "
        if key:
            line += f"{key}: "
        line += _as_sentence(what)
        if hint:
            line += f" Hint: {_as_sentence(hint)}"
        where = (place.file, place.line, place.column, key)
        self._lines.setdefault(where, line)

    def add_to_file(self, file: str, what: str, hint: str = "") -> None:
        start = Place(file=file, line=1, column=1)
        self.add(start, "", what, hint)

    def __len__(self) -> int:
        return len(self._lines)

    def lines(self) -> tuple[str, ...]:
        ordered = sorted(self._lines.items())
        return tuple(line for _, line in ordered)

    def raise_any(self) -> None:
        if self._lines:
            raise SpecErrors(self.lines())


def _as_sentence(text: str) -> str:
    if text.endswith(("?", ".")):
        return text
    return f"{text}."


class HintedError(ValueError):
    """An error with a hint.

    The code that catches it adds the place. `line` is a line number (from 1) within a text.
    """

    def __init__(self, what: str, hint: str = "", line: int = 0) -> None:
        self.hint = hint
        self.line = line
        super().__init__(what)


def resolve(text: str, *, code: bool = False) -> Scalar:
    """Return the value of an unquoted scalar.

    If `code` is true, the scalar may look like a Python literal. Raise HintedError for an ambiguous
    scalar.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        return int(text)
    if _DECIMAL.match(text):
        return float(text)
    for pattern, meaning, hint in _REFUSED:
        if not pattern.fullmatch(text):
            continue
        number = plain_number(text)
        form = hint
        if number:
            form = f"quote it if it is text, write {number} if it is a number"
        raise HintedError(f"{text} {meaning}", form)
    if not code and is_literal(text):
        hint = 'quote it if it is text, write {python: "…"} if it is not'
        if text == "None":
            hint = "write null for None, or quote it"
        raise HintedError(f"{text} is a Python literal and would be read as text", hint)
    return text


def inner_value(text: str) -> Any:
    """Parse YAML that is written inside a text. Raise HintedError if it has an error."""
    problems = Problems()
    document = Document("", text, problems)
    if document.is_read() and not len(problems):
        return document.data
    _, _, what = problems.lines()[0].partition(": ")
    raise HintedError(what)


def is_literal(text: str) -> bool:
    """Return whether the text is a Python literal."""
    if not text or text[0] not in "([{-0123456789bBrRuUNTF.'\"":
        return False
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return False
    return True


def in_quotes(text: str) -> str:
    """Return the text as a double-quoted scalar, valid in any YAML version, with invisible
    characters escaped.
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{visible(escaped)}"'


def _syntax_hint(what: str) -> str:
    """Return the hint for PyYAML's error message `what`; "" if there is none."""
    for part, hint in _SYNTAX_HINTS:
        if part in what:
            return hint
    return ""


def _loader() -> Any:
    if not hasattr(yaml, "CSafeLoader"):
        what = (
            "PyYAML is installed without its C loader: reading specifications takes about ten "
            "times as long"
        )
        warnings.warn(what, RuntimeWarning, stacklevel=2)
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(eq=False)
class Document:
    """A parsed file:

    `data`, and the YAML events of values and keys by location (a path of keys and indexes).
    """

    file: str
    text: str
    problems: Problems
    data: Any = None
    # Locations with an error. Later stages report nothing about them.
    refused: set[Loc] = field(default_factory=set)
    _spots: dict[Loc, Any] = field(default_factory=dict)
    _keys: dict[Loc, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path, file: str, problems: Problems) -> Document | None:
        """Read a file. If it cannot be read, note the error and return None."""
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            problems.add_to_file(file, "this file does not exist")
        except UnicodeDecodeError as error:
            problems.add_to_file(file, f"byte {error.start} is not UTF-8", "save the file as UTF-8")
        except OSError as error:
            problems.add_to_file(file, f"cannot be read ({error.strerror})")
        else:
            document = cls(file, text, problems)
            if document.is_read():
                return document
        return None

    def place(self, loc: Loc = (), *, key: bool = False) -> Place:
        """Return line and column of the value at `loc` (or of its key); if unknown, those of the
        nearest enclosing value.
        """
        loc = self._known_place(loc)
        event = self._spots.get(loc)
        if key:
            event = self._keys.get(loc) or event
        if not event:
            return self._place(None)
        return self._place(event.start_mark)

    def _place(self, mark: Any) -> Place:
        if not mark:
            return Place(file=self.file, line=1, column=1)
        line = mark.line + 1
        column = mark.column + 1
        return Place(file=self.file, line=line, column=column)

    def _known_place(self, loc: Loc) -> Loc:
        while loc and loc not in self._spots:
            loc = loc[:-1]
        return loc

    def add(self, loc: Loc, what: str, hint: str = "", *, key: bool = False) -> None:
        """Note an error about the value at `loc`, unless it or an enclosing value already
        has one.
        """
        for size in range(1, len(loc) + 1):
            if loc[:size] in self.refused:
                return
        loc = self._known_place(loc)
        place = self.place(loc, key=key)
        label = self.label(loc)
        self.problems.add(place, label, what, hint)

    def refused_below(self, loc: Loc) -> set[Any]:
        """Return the keys of the mapping at `loc` whose values contain errors."""
        size = len(loc)
        keys: set[Any] = set()
        for refused in self.refused:
            if len(refused) > size and refused[:size] == loc:
                keys.add(refused[size])
        return keys

    def label(self, loc: Loc) -> str:
        """Return the name for a location in messages: its keys inside the scenario, and the number
        of the list item.
        """
        above = 0
        if loc[:1] == ("scenarios",):
            above = 2
        words = ""
        for size, part in enumerate(loc[above:], start=above + 1):
            is_key = loc[:size] in self._keys
            if isinstance(part, int) and not is_key:
                words += f", item {part + 1}"
            elif ", item " in words:
                words += f", {part}"
            elif words:
                words += f".{part}"
            else:
                words = str(part)
        return words.removeprefix(", ")

    def refuse(self, loc: Loc, what: str, hint: str = "", *, key: bool = False) -> str:
        """Note an error and suppress later errors about this location.

        Return "", to be used as the value.
        """
        self.add(loc, what, hint, key=key)
        self.refused.add(loc)
        return ""

    def add_inside(self, loc: Loc, line: int, what: str, hint: str = "") -> None:
        """Note an error at line `line` (from 1) of the text at `loc`."""
        loc = self._known_place(loc)
        event = self._spots.get(loc)
        if event is None or not self._is_block(event):
            self.add(loc, f"line {line}: {what}", hint)
            return
        before = event.start_mark.line + 1
        lines = self.text.split("\n")[before:]
        row = "".join(lines[line - 1 : line])
        first = next(filter(str.strip, lines), "")
        block_indent = len(first) - len(first.lstrip(" "))
        indent = min(len(row), block_indent)
        place = Place(file=self.file, line=before + line, column=indent + 1)
        label = self.label(loc)
        self.problems.add(place, label, what, hint)

    def _is_block(self, event: Any) -> bool:
        """Return whether a text is written as a block, below a `|`."""
        start = event.start_mark.index
        return self.text.startswith("|", start)

    def raw(self, loc: Loc) -> str:
        """Return the unquoted scalar at `loc` exactly as written."""
        known = self._known_place(loc)
        event = self._spots[known]
        start = event.start_mark.index
        end = event.end_mark.index
        words = self.text[start:end].split()
        return " ".join(words)

    def follows(self, loc: Loc, mark: str) -> bool:
        """Return whether `mark` directly follows an unquoted scalar on its line:

        `#` would start a comment, `,` would end the scalar inside brackets.
        """
        if not self._is_plain(loc):
            return False
        end = self._spots[loc].end_mark.index
        rest = self.text[end:].lstrip(" \t")
        return rest.startswith(mark)

    def is_pair(self, first: Loc, second: Loc) -> bool:
        """Return whether two unquoted scalars are separated only by a comma."""
        end = self._spots[first].end_mark.index
        start = self._spots[second].start_mark.index
        are_plain = self._is_plain(first) and self._is_plain(second)
        return are_plain and self.text[end:start] == ","

    def _is_plain(self, loc: Loc) -> bool:
        event = self._spots.get(loc)
        return isinstance(event, yaml.ScalarEvent) and not event.style

    def is_read(self) -> bool:
        """Parse the text. Return whether it is a single YAML document; note an error otherwise."""
        try:
            events = list(yaml.parse(self.text, Loader=_loader()))
            self._events = iter(events)
            next(self._events)
            if isinstance(next(self._events), yaml.StreamEndEvent):
                self.problems.add_to_file(self.file, "the file is empty")
                return False
            self.data = self._value(next(self._events), ())
        except yaml.MarkedYAMLError as error:
            problem = str(error.problem or error.context)
            what = " ".join(problem.split())
            mark = error.problem_mark or error.context_mark
            place = self._place(mark)
            self.problems.add(place, "", f"not YAML: {what}", _syntax_hint(what))
        except yaml.YAMLError as error:
            problem, _, _ = str(error).partition("\n")
            what = " ".join(problem.split())
            self.problems.add_to_file(self.file, f"not YAML: {what}")
        except RecursionError:
            self.problems.add_to_file(self.file, "lists and mappings are nested too deeply")
        else:
            next(self._events)
            after = next(self._events)
            if isinstance(after, yaml.DocumentStartEvent):
                place = self._place(after.start_mark)
                hint = "move it into its own file"
                self.problems.add(place, "", "a second YAML document begins here", hint)
            return True
        return False

    def _value(self, event: Any, loc: Loc) -> Any:
        self._spots[loc] = event
        if isinstance(event, yaml.AliasEvent):
            hint = "quote it if it is text, write the value out if it is not"
            return self.refuse(loc, f"*{event.anchor} is an alias", hint)
        if event.anchor is not None:
            hint = "write the value itself in each place"
            self.refuse(loc, f"&{event.anchor} is an anchor", hint)
        if event.tag is not None:
            start = event.start_mark.index
            tag, *_ = self.text[start:].split(maxsplit=1)
            self.refuse(loc, f"{tag} is a tag", "quote a text that begins with !")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, loc)
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(event, loc)
        items: list[Any] = []
        while not isinstance(part := next(self._events), yaml.SequenceEndEvent):
            inner = (*loc, len(items))
            items.append(self._value(part, inner))
        return items

    def _scalar(self, event: Any, loc: Loc) -> Any:
        if event.style:
            return event.value
        if event.value == "":
            hint = "write null for None, or leave the key out"
            start = event.start_mark.index
            if self.text[start - 1 : start] != ":":
                hint = "inside { }, a text without quotes ends at its first comma: quote it"
            return self.refuse(loc, "the value is missing", hint, key=True)
        text = event.value
        is_input = loc[-2:-1] in (("input",), ("at_load",))
        if is_input and _PAIR.match(text):
            self.refuse(loc, f"{text} looks like a pair", "quote it")
            return text
        if "clock" in loc[-2:] and _DATE.match(text):  # this looks like a date
            return text
        try:
            return resolve(text, code=loc[-1:] in _CODE)
        except HintedError as error:
            self.refuse(loc, str(error), error.hint)
            return text

    def _mapping(self, event: Any, loc: Loc) -> Any:
        if self.text.startswith("{{", event.start_mark.index):
            self._skip(event)
            return self.refuse(loc, "expected a value, got a mapping", "quote it")
        values: dict[Any, Any] = {}
        while not isinstance(part := next(self._events), yaml.MappingEndEvent):
            name = self._key(part, loc)
            inner = (*loc, name)
            if name in values:
                line = self.place(inner, key=True).line
                what = f"the key appears twice (first on line {line})"
                place = self._place(part.start_mark)
                self.problems.add(place, str(name), what, "keep one")
                self._skip(next(self._events))
            else:
                self._keys[inner] = part
                values[name] = self._value(next(self._events), inner)
        return values

    def _key(self, event: Any, loc: Loc) -> Any:
        place = self._place(event.start_mark)
        if not isinstance(event, yaml.ScalarEvent):
            label = self.label(loc)
            self.problems.add(place, label, "a key must be a word", "quote it")
            self._skip(event)
            return ""
        if event.anchor is not None or event.tag is not None:
            what = "a key cannot have an anchor or a tag"
            self.problems.add(place, event.value, what, "quote it")
        if event.style:
            return event.value
        try:
            key = resolve(event.value)
        except HintedError as error:
            label = self.label(loc)
            self.problems.add(place, label, f"the key {error}", error.hint)
            return event.value
        if type(key) in (int, str):
            return key
        return event.value

    def _skip(self, event: Any) -> None:
        depth = int(isinstance(event, yaml.CollectionStartEvent))
        while depth:
            event = next(self._events)
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
