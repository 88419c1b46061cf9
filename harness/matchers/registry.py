"""All matchers: by the key that names them in YAML, and by the class that is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast, dataclass_transform

from harness.common.serial import add_member
from harness.common.words import listed
from harness.matchers.field import Field, nearest, read_all
from harness.model.expectation import Matcher
from harness.model.values import Value

Schema = dict[str, Any]
M = TypeVar("M", bound=type[Matcher])
DEFINITIONS = {False: "Matcher", True: "TextMatcher"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One argument of a matcher, as it is written under a key.

    `read` raises Refused for a wrong value. `schema` is the JSON Schema of the value, given a
    reference to that of all matchers. `key` is left out where it is the name of the matcher (the
    first part) or of the argument (the others).
    """

    read: Callable[[Field], Any]
    schema: Schema | Callable[[Schema], Schema]
    key: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatcherKey:
    """A key that names a matcher in YAML, and what makes the matcher of its parts.

    `order` is its place in lists and in the schema; `example` shows a whole one.
    """

    name: str
    make: Callable[..., Matcher]
    parts: dict[str, Part]
    for_text: bool
    order: int
    example: str

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
        if "within" in stated or not hasattr(matcher, "within"):
            return matcher
        return replace(matcher, within=field.within)  # type: ignore[type-var]

    def schema(self, any_matcher: Schema) -> Schema:
        """The JSON Schema of such a mapping."""
        parts = self.parts.values()
        return {
            "type": "object",
            "properties": {
                part.key: part.schema(any_matcher) if callable(part.schema) else part.schema
                for part in parts
            },
            "required": [part.key for part in parts if not part.optional],
            "additionalProperties": False,
        }


_KEYS: dict[str, MatcherKey] = {}


@dataclass_transform(kw_only_default=True, frozen_default=True)
def matcher_class(cls: M) -> M:
    """Make the class a frozen dataclass that can be read back from a stored plan."""
    made = cast(M, dataclass(frozen=True, slots=True, kw_only=True)(cls))
    add_member(Matcher, made)
    return made


def matcher_key(
    name: str,
    make: Callable[..., Matcher],
    /,
    *,
    order: int,
    for_text: bool = True,
    example: str = "",
    **parts: Part,
) -> None:
    """Register the matcher `{name: …}`, which `make` makes of its parts, and of how far off floats
    may be if it asks for `within`; see `MatcherKey`. ValueError for a name that is taken."""
    if name in _KEYS:
        raise ValueError(f"there is a matcher {name} already")
    first = next(iter(parts))
    keyed = {
        argument: replace(part, key=part.key or (name if argument == first else argument))
        for argument, part in parts.items()
    }
    _KEYS[name] = MatcherKey(
        name=name, make=make, parts=keyed, for_text=for_text, order=order, example=example
    )


def _names(*, for_text: bool) -> tuple[str, ...]:
    """The keys as a hint lists them, those that fit a text first."""
    keys = sorted(_KEYS.values(), key=lambda key: (not key.for_text, key.order))
    return tuple(key.name for key in keys if key.for_text or not for_text)


def read(field: Field) -> Matcher:
    """The matcher that a mapping `{key: …}` describes; Refused."""
    data, names = field.data, _names(for_text=field.for_text)
    owners = {other: key.name for key in _KEYS.values() for other in key.others}
    stated = [name for name in data if name in _KEYS or name not in owners]
    unknown = [name for name in stated if name not in _KEYS]
    if data.keys() == set(unknown) and len(data) != 1 and not field.for_text:
        hint = 'a dictionary is written {python: "{…}"}'
        field.refuse(f"expected a matcher, got a mapping of {len(data)} keys", hint)
    if unknown:
        every = _names(for_text=False)
        hint = nearest(str(unknown[0]), every) or f"matchers are {listed(names, 'or')}"
        field.at(unknown[0]).refuse("unknown matcher", hint, of_key=True)
    whole = [n for n in stated if all(o == n or o in _KEYS[n].others for o in stated)]
    stated = whole if len(whole) == 1 else stated
    if len(stated) != 1:
        field.refuse(
            f"expected one matcher, got {len(stated)}", f"matchers are {listed(names, 'or')}"
        )
    key = _KEYS[stated[0]]
    if field.for_text and not key.for_text:
        field.at(key.name).refuse("this matcher is not for text", of_key=True)
    for other in data:
        if other != key.name and other not in key.others:
            field.at(other).refuse(f"only {owners[other]} takes {other}", of_key=True)
    return key.read(field)


def schemas() -> dict[str, Schema]:
    """The JSON Schema definitions of a matcher for any value and of one for a text."""
    keys = sorted(_KEYS.values(), key=lambda key: key.order)
    return {
        name: {
            "anyOf": [
                key.schema({"$ref": f"#/$defs/{name}"}) for key in keys if key.for_text or not text
            ]
        }
        for text, name in DEFINITIONS.items()
    }


def read_values(field: Field) -> tuple[Value, ...]:
    """The data as a list of values; Refused."""
    if not isinstance(field.data, list):
        field.expected("a list of values")
    return read_all(field.items(), Field.value)


def read_number(field: Field) -> float:
    """The data as a number; Refused."""
    if isinstance(field.data, bool) or not isinstance(field.data, int | float):
        field.expected("a number")
    return float(field.data)


def read_matcher(field: Field) -> Matcher:
    """The data as a matcher and no plain value; Refused."""
    if not isinstance(field.data, dict):
        hint = "write {contains: …} or {number: …} for a text, {one_of: […]} for a whole value"
        field.expected("a matcher", hint)
    return read(field)


def _flag(field: Field) -> bool:
    if not isinstance(field.data, bool):
        field.expected("true or false")
    return field.data


TEXT = Part(read=lambda field: field.render(field.text()), schema={"type": "string"})
EXPRESSION = Part(read=lambda field: field.expression(), schema={"type": "string"})
FLAG = Part(read=_flag, schema={"type": "boolean"}, optional=True)
NUMBER = Part(read=read_number, schema={"type": "number"})
VALUES = Part(read=read_values, schema={"type": "array"})
MATCHER = Part(read=read_matcher, schema=lambda matcher: matcher)
