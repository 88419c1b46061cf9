"""All matchers: by the key that names them in YAML, and by the class that is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from harness.common.serial import add_member
from harness.matchers.field import Field, listed
from harness.model.expectation import Matcher

Schema = dict[str, Any]
M = TypeVar("M", bound=type[Matcher])
DEFINITIONS = {False: "Matcher", True: "TextMatcher"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatcherKey:
    """A key that names a matcher in YAML.

    `properties(any_matcher)` returns the key's JSON Schema properties, all of them required;
    `any_matcher` is a reference to the schema of all matchers. `read` is given the mapping and
    returns None, with the mistake noted, for a wrong one. `also` are further keys of the
    mapping, `optional` those that may be left out, with their JSON Schema. `order` is its place
    in lists and in the schema.
    """

    name: str
    read: Callable[[Field], Matcher | None]
    properties: Callable[[Schema], Schema]
    for_text: bool
    also: tuple[str, ...]
    optional: Schema
    order: int

    def takes(self, name: str) -> bool:
        """Whether the key may be given with it."""
        return name in self.also or name in self.optional


_KEYS: dict[str, MatcherKey] = {}


def matcher_class(cls: M) -> M:
    """Register a matcher's class, a frozen dataclass, so that a stored plan can be read back."""
    add_member(Matcher, cls)
    return cls


def matcher_key(
    name: str,
    properties: Callable[[Schema], Schema],
    *,
    order: int,
    for_text: bool = True,
    also: tuple[str, ...] = (),
    optional: Schema | None = None,
) -> Callable[[Callable[[Field], Matcher | None]], Callable[[Field], Matcher | None]]:
    """Register the function that reads the matcher `{name: …}`; see `MatcherKey`.

    Raises ValueError for a name that is taken.
    """

    def register(read: Callable[[Field], Matcher | None]) -> Callable[[Field], Matcher | None]:
        if name in _KEYS:
            raise ValueError(f"there is a matcher {name} already")
        _KEYS[name] = MatcherKey(
            name=name,
            read=read,
            properties=properties,
            for_text=for_text,
            also=also,
            optional=optional or {},
            order=order,
        )
        return read

    return register


def _names(*, for_text: bool) -> tuple[str, ...]:
    """The keys as a hint lists them, those that fit a text first."""
    keys = sorted(_KEYS.values(), key=lambda key: (not key.for_text, key.order))
    return tuple(key.name for key in keys if key.for_text or not for_text)


def read(field: Field) -> Matcher | None:
    """The matcher that a mapping `{key: …}` describes; None, with the mistake noted."""
    data, names = field.data, _names(for_text=field.for_text)
    also = {other: key.name for key in _KEYS.values() for other in (*key.also, *key.optional)}
    stated = [name for name in data if name in _KEYS or name not in also]
    unknown = [name for name in stated if name not in _KEYS]
    if data.keys() == set(unknown) and len(data) != 1 and not field.for_text:
        hint = 'a dictionary is written {python: "{…}"}'
        field.refuse(f"expected a matcher, got a mapping of {len(data)} keys", hint)
        return None
    if unknown:
        every = _names(for_text=False)
        hint = field.nearest(every, str(unknown[0])) or f"matchers are {listed(names)}"
        field.at(unknown[0]).refuse("unknown matcher", hint, of_key=True)
        return None
    whole = [n for n in stated if all(o == n or _KEYS[n].takes(o) for o in stated)]
    stated = whole if len(whole) == 1 else stated
    if len(stated) != 1:
        hint = f"matchers are {listed(names)}"
        field.refuse(f"expected one matcher, got {len(stated)}", hint)
        return None
    key = _KEYS[stated[0]]
    if field.for_text and not key.for_text:
        field.at(key.name).refuse("this matcher is not for text", of_key=True)
        return None
    for other in data:
        if other != key.name and not key.takes(other):
            field.at(other).refuse(f"only {also[other]} takes {other}", of_key=True)
            return None
    return key.read(field)


def schemas() -> dict[str, Schema]:
    """The JSON Schema definitions of a matcher for any value and of one for a text."""
    return {name: _schema(name, for_text=text) for text, name in DEFINITIONS.items()}


def _schema(name: str, *, for_text: bool) -> Schema:
    itself = {"$ref": f"#/$defs/{name}"}
    keys = sorted(_KEYS.values(), key=lambda key: key.order)
    found = [(key.properties(itself), key.optional) for key in keys if key.for_text or not for_text]
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {**properties, **optional},
                "required": list(properties),
                "additionalProperties": False,
            }
            for properties, optional in found
        ]
    }
