"""Reads a matcher at a place in a specification.

`YamlNode` is a place with its data; `MatcherKey` is a matcher's key in YAML with its arguments.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from harness.model.expectation import Floats, Matcher
from harness.model.values import Value, ValueKind

if TYPE_CHECKING:
    from harness.assignment.scenarios.reader import ScenarioReader

_SHORT_NAME = (
    4  # minimum length: in shorter names, one different letter is a lot (Pet is not a typo of set)
)
_ALIKE, _ALIKE_SHORT = 0.6, 0.75  # of 1
_OCTAL = re.compile(r"[-+]?0[0-9]")
_MAX_PLAIN = 12  # digits before or after the point
_MAX_SHOWN = 40  # maximum length of a text in a message
Schema = dict[str, Any]
S = TypeVar("S")
T = TypeVar("T")


class Refused(Exception):  # noqa: N818 - the mistake is the specification's
    """A place in a specification is invalid. The error has already been noted."""


class PartsDisagreeError(Exception):
    """Arguments of a matcher are valid one by one but do not fit together.

    `str()` gives the reason.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlNode:
    """A place in a specification and the data there.

    Errors are noted with their place before `Refused` is raised. Code that reads several fields
    continues after `Refused`, so that all errors of a file are reported together.
    """

    source: ScenarioReader  # reader of the scenario, with the constants in effect
    path: tuple[str | int, ...]  # the keys and indexes that lead here from the top of the file
    data: Any  # the value in the YAML: None, bool, int, float, str, list or dict
    for_text: bool  # text is expected (output or a message), not any value
    floats: Floats | None  # tolerance for floats; None for none
    patterns: Mapping[str, str]  # the assignment's named patterns: {name: regular expression}

    def at(self, key: str | int) -> YamlNode:
        """Return the node for a key of this mapping, or for an index of this list."""
        return replace(self, path=(*self.path, key), data=self.data[key])

    def items(self) -> list[YamlNode]:
        """Return the nodes of this list's items."""
        return [self.at(index) for index in range(len(self.data))]

    def refuse(self, what: str, hint: str = "", *, key: bool = False) -> NoReturn:
        """Note an error about the data here, or with `key` about the key that leads here.

        Always raise Refused.
        """
        self.source.refuse(self.path, what, hint, key=key)

    def expected(self, what: str, hint: str = "") -> NoReturn:
        """Note an error that something else was expected here. Always raise Refused."""
        self.refuse(f"expected {what}, got {describe(self.data)}", hint)

    def text(self) -> str:
        """Return the data as text.

        If it is not a complete text, note an error and raise Refused.
        """
        if isinstance(self.data, int | float):
            self.expected("text", "quote it")
        if not isinstance(self.data, str):
            self.expected("text")
        if not self.source.uncut(self.path):
            raise Refused
        return self.data

    def value(self) -> Value:
        """Return the data as a value, with templates filled in."""
        if isinstance(self.data, dict):
            hint = 'write the whole value as {python: "…"} (with unordered: true for any order)'
            self.refuse("expected a value, got a mapping", hint)
        if isinstance(self.data, list):
            return Value(ValueKind.LIST, items=read_all(self.items(), YamlNode.value))
        if isinstance(self.data, str):
            return Value(ValueKind.STR, self.render(self.text()))
        return Value.of(self.data)

    def render(self, text: str, quote: Callable[[str], str] = str) -> str:
        """Return the text with templates filled in; `quote` is applied to each inserted text."""
        return self.source.render(text, self.path, quote)

    def expression(self) -> str:
        """Return the data as a Python expression.

        If it is not one or uses unknown names, note an error and raise Refused.
        """
        # Code that a comment cuts off does not parse, and the error says so.
        text = self.data if isinstance(self.data, str) else self.text()
        self.source.expression(text, self.path)
        return text.strip()


def read_all(things: Iterable[S], reader: Callable[[S], T]) -> tuple[T, ...]:
    """Read every item and return the results. If some fail, note all errors and raise Refused."""
    values: list[T] = []
    pending = list(things)
    for thing in pending:
        with suppress(Refused):
            values.append(reader(thing))
    if len(values) < len(pending):
        raise Refused
    return tuple(values)


def describe(value: Any) -> str:
    """Return a description of a YAML value for "expected …, got …"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        if len(value) > _MAX_SHOWN:
            return "text"
        return f"the text {value!r}"
    if isinstance(value, list):
        return "a list"
    return "a mapping"


def number_hint(value: Any) -> str:
    """Return the hint for a text instead of a number; "" if the text is not a number."""
    if not isinstance(value, str):
        return ""
    number = plain_number(value.strip())
    return f"write {number}, without quotes" if number else ""


def plain_number(text: str) -> str:
    """Return the number in a notation that every YAML reader understands: `0.000001` for `1e-6`.

    Return "" if it is not a number, would be long, or may be octal.
    """
    if _OCTAL.match(text):
        return ""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return ""
    if not number.is_finite() or abs(number.adjusted()) > _MAX_PLAIN:
        return ""
    written = format(number, "f")
    is_float = any(character in text for character in ".eE")
    return written if "." in written or not is_float else f"{written}.0"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known name most similar to `name`; "" if none is similar."""
    candidates = list(known)
    cutoff = _ALIKE
    if len(name) < _SHORT_NAME and name.isidentifier():
        cutoff = _ALIKE_SHORT
    for close in difflib.get_close_matches(name, candidates, n=1, cutoff=cutoff):
        return f"did you mean {close}?"
    folded = {candidate.lower(): candidate for candidate in candidates}
    other_case = folded.get(name.lower())
    if not other_case:
        return ""
    return f"did you mean {other_case}?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One argument of a matcher, as written under a key."""

    read: Callable[[YamlNode], Any]  # raises Refused for a wrong value
    # The argument's schema; a function gets the schema of any matcher.
    schema: Schema | Callable[[Schema], Schema]
    # In YAML; empty: the matcher's name for the first part, else the argument's.
    key: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatcherKey:
    """A matcher's key in YAML, with the function that makes the matcher from its parts."""

    name: str
    make: Callable[..., Matcher]  # raises PartsDisagreeError
    parts: dict[str, Part]
    for_text: bool
    example: str  # of a whole one

    @property
    def others(self) -> list[str]:
        """Return the additional keys that may appear next to it."""
        return [part.key for part in self.parts.values() if part.key != self.name]

    def read(self, field: YamlNode) -> Matcher:
        """Return the matcher for a mapping with this key.

        If it is invalid, note an error and raise Refused.
        """
        stated = {name: part for name, part in self.parts.items() if part.key in field.data}
        for name, part in self.parts.items():
            if name not in stated and not part.optional:
                field.refuse(f"{self.name} needs a {part.key}", f"write {self.example}")
        values = read_all(stated.values(), lambda part: part.read(field.at(part.key)))
        arguments = dict(zip(stated, values, strict=True))
        try:
            matcher = self.make(**arguments)
        except PartsDisagreeError as error:
            field.refuse(str(error))
        if "floats" in stated or not hasattr(matcher, "floats"):
            return matcher
        # If none is stated, use the scenario's or the assignment's tolerance.
        return replace(matcher, floats=field.floats)  # type: ignore[type-var]

    def schema(self, any_matcher: Schema) -> Schema:
        """Return the JSON Schema for a mapping with this key."""
        properties: dict[str, Schema] = {}
        required: list[str] = []
        for part in self.parts.values():
            schema = part.schema
            properties[part.key] = schema(any_matcher) if callable(schema) else schema
            if not part.optional:
                required.append(part.key)
        return {
            "type": "object",
            "properties": properties,
            "required": required,
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
    """Return the key for the matcher `{name: …}`, which `make` creates from its parts.

    The first part is the value of the key `name` itself; the others have their own keys.
    """
    keyed: dict[str, Part] = {}
    for argument, part in parts.items():
        default = argument if keyed else name
        keyed[argument] = replace(part, key=part.key or default)
    return MatcherKey(name=name, make=make, parts=keyed, for_text=for_text, example=example)


def as_read(matcher: Matcher) -> Matcher:
    """Return the matcher unchanged; used as `make` if a key's only part is already the matcher."""
    return matcher


def read_values(field: YamlNode) -> tuple[Value, ...]:
    """Return the data as a list of values. If it is not one, note an error and raise Refused."""
    if not isinstance(field.data, list):
        field.expected("a list of values")
    return read_all(field.items(), YamlNode.value)


def read_number(field: YamlNode) -> float:
    """Return the data as a number. If it is not one, note an error and raise Refused."""
    if type(field.data) not in (int, float):
        field.expected("a number", number_hint(field.data))
    return float(field.data)


def _flag(field: YamlNode) -> bool:
    if not isinstance(field.data, bool):
        field.expected("true or false")
    return field.data


def _distance(field: YamlNode) -> float:
    number = read_number(field)
    if number < 0:
        field.refuse("expected a number that is not negative")
    return number


TEXT = Part(read=lambda field: field.render(field.text()), schema={"type": "string"})
EXPRESSION = Part(read=lambda field: field.expression(), schema={"type": "string"})
FLAG = Part(read=_flag, schema={"type": "boolean"}, optional=True)
DISTANCE = Part(read=_distance, schema={"type": "number", "minimum": 0})
NUMBER = Part(read=read_number, schema={"type": "number"})
VALUES = Part(read=read_values, schema={"type": "array"})
