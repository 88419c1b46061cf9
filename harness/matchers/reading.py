"""How a matcher is read from a place in a specification: the place with the words of its mistakes,
and the key that names the matcher with its arguments."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from harness.model.expectation import Floats, Matcher
from harness.model.values import Value, ValueKind

if TYPE_CHECKING:
    from harness.assignment.scenarios.context import Context

Schema = dict[str, Any]
S = TypeVar("S")
T = TypeVar("T")


class Refused(Exception):  # noqa: N818 - the mistake is the specification's
    """A place in a specification cannot be read; the error is already noted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One place in a specification and the data there.

    Every error is noted with its place before `Refused` is raised. A reader of several fields goes
    on, so that all errors of a file are reported together."""

    source: Context  # the scenario that is read, with the constants in force
    path: tuple[str | int, ...]  # the keys and indexes that lead here from the top of the file
    data: Any  # what the YAML holds here: None, bool, int, float, str, list or dict
    for_text: bool  # a text is expected (printed output, a message) and not any value
    floats: Floats | None  # how far off floats may be; None: not at all
    patterns: Mapping[str, str]  # the assignment's named patterns: words to regular expression

    def at(self, key: str | int) -> Field:
        """The field of a key of this mapping, or of an index of this list."""
        return replace(self, path=(*self.path, key), data=self.data[key])

    def items(self) -> list[Field]:
        return [self.at(index) for index in range(len(self.data))]

    def refuse(self, what: str, hint: str = "", *, of_key: bool = False) -> NoReturn:
        """A mistake of the data here, or (`of_key`) of the key that leads here."""
        self.source.refuse(self.path, what, hint, key=of_key)

    def expected(self, what: str, hint: str = "") -> NoReturn:
        """The mistake that something else is expected than the data here, which is described."""
        self.refuse(f"expected {what}, got {describe(self.data)}", hint)

    def text(self) -> str:
        """The data, which must be a whole text."""
        if not isinstance(self.data, str):
            self.expected("text", "quote it" if isinstance(self.data, int | float) else "")
        if not self.source.uncut(self.path):
            raise Refused
        return self.data

    def value(self) -> Value:
        """The data as a value, templates filled in."""
        if isinstance(self.data, dict):
            hint = 'write the whole value as {python: "…"} (with unordered: true for any order)'
            self.refuse("expected a value, got a mapping", hint)
        if isinstance(self.data, list):
            return Value(ValueKind.LIST, items=read_all(self.items(), Field.value))
        if isinstance(self.data, str):
            return Value(ValueKind.STR, self.render(self.text()))
        return Value.of(self.data)

    def render(self, text: str, quote: Callable[[str], str] = str) -> str:
        """The text with its templates filled in, each inserted text through `quote`."""
        return self.source.render(text, self.path, quote)

    def expression(self) -> str:
        """The data, which must be one Python expression with known names."""
        # Code that a comment cuts short does not parse, and the mistake says so.
        text = self.data if isinstance(self.data, str) else self.text()
        self.source.expression(text, self.path)
        return text.strip()


def read_all(things: Iterable[S], reader: Callable[[S], T]) -> tuple[T, ...]:
    """Read every item and return the results. Raise Refused, with all errors noted, if one
    fails."""
    values: list[T] = []
    pending = list(things)
    for thing in pending:
        with suppress(Refused):
            values.append(reader(thing))
    if len(values) < len(pending):
        raise Refused
    return tuple(values)


def describe(value: Any) -> str:
    """What a YAML value is, for "expected …, got …"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else "text"
    return "a list" if isinstance(value, list) else "a mapping"


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint with the known name most like `name`; empty if none is."""
    candidates = list(known)
    close = difflib.get_close_matches(name, candidates, n=1, cutoff=0.6)
    if not close:
        folded = {candidate.lower(): candidate for candidate in candidates}
        close = [folded[name.lower()]] if name.lower() in folded else []
    return f"did you mean {close[0]}?" if close else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One argument of a matcher, as it is written under a key."""

    read: Callable[[Field], Any]  # raises Refused for a wrong value
    # Of the argument; a function is given the schema of any matcher.
    schema: Schema | Callable[[Schema], Schema]
    # In YAML; empty: the matcher's name for the first part, else the argument's.
    key: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatcherKey:
    """A key that names a matcher in YAML, and what makes the matcher of its parts."""

    name: str
    make: Callable[..., Matcher]
    parts: dict[str, Part]
    for_text: bool
    example: str  # of a whole one

    @property
    def others(self) -> list[str]:
        """The keys that may stand beside it."""
        return [part.key for part in self.parts.values() if part.key != self.name]

    def read(self, field: Field) -> Matcher:
        """The matcher of a mapping with this key; Refused."""
        stated = {name: part for name, part in self.parts.items() if part.key in field.data}
        for name, part in self.parts.items():
            if name not in stated and not part.optional:
                field.refuse(f"{self.name} needs a {part.key}", f"write {self.example}")
        values = read_all(stated.values(), lambda part: part.read(field.at(part.key)))
        matcher = self.make(**dict(zip(stated, values, strict=True)))
        if "floats" in stated or not hasattr(matcher, "floats"):
            return matcher
        # If none is stated, the scenario's or the assignment's tolerance holds.
        return replace(matcher, floats=field.floats)  # type: ignore[type-var]

    def schema(self, any_matcher: Schema) -> Schema:
        return {
            "type": "object",
            "properties": {
                part.key: part.schema(any_matcher) if callable(part.schema) else part.schema
                for part in self.parts.values()
            },
            "required": [part.key for part in self.parts.values() if not part.optional],
            "additionalProperties": False,
        }


def matcher_key(
    name: str,
    make: Callable[..., Matcher],
    /,
    *,
    for_text: bool = True,
    example: str = "",
    **parts: Part,
) -> MatcherKey:
    """The key of the matcher `{name: …}`, which `make` makes of its parts (see `MatcherKey`)."""
    first = next(iter(parts))
    keyed = {
        argument: replace(part, key=part.key or (name if argument == first else argument))
        for argument, part in parts.items()
    }
    return MatcherKey(name=name, make=make, parts=keyed, for_text=for_text, example=example)


def as_read(matcher: Matcher) -> Matcher:
    """For a key whose one part is read as the whole matcher."""
    return matcher


def read_values(field: Field) -> tuple[Value, ...]:
    """The data as a list of values; Refused."""
    if not isinstance(field.data, list):
        field.expected("a list of values")
    return read_all(field.items(), Field.value)


def read_number(field: Field) -> float:
    """The data as a number; Refused."""
    if type(field.data) not in (int, float):
        field.expected("a number")
    return float(field.data)


def _flag(field: Field) -> bool:
    return field.data if isinstance(field.data, bool) else field.expected("true or false")


def _distance(field: Field) -> float:
    number = read_number(field)
    return number if number >= 0 else field.refuse("expected a number that is not negative")


TEXT = Part(read=lambda field: field.render(field.text()), schema={"type": "string"})
EXPRESSION = Part(read=lambda field: field.expression(), schema={"type": "string"})
FLAG = Part(read=_flag, schema={"type": "boolean"}, optional=True)
DISTANCE = Part(read=_distance, schema={"type": "number", "minimum": 0})
NUMBER = Part(read=read_number, schema={"type": "number"})
VALUES = Part(read=read_values, schema={"type": "array"})
