"""Python values as data. A submission's own objects never reach the parent: the child describes
each value in this closed vocabulary, the parent compares the descriptions, type-exact."""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from harness.common.serial import SerialError


class ValueKind(StrEnum):
    """The builtin type a value is exactly an instance of, or why it has none of these."""

    NONE = "NoneType"
    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    COMPLEX = "complex"
    STR = "str"
    BYTES = "bytes"
    LIST = "list"
    TUPLE = "tuple"
    DICT = "dict"
    SET = "set"
    FROZENSET = "frozenset"
    RANGE = "range"
    ELLIPSIS = "ellipsis"
    OBJECT = "object"  # of a class of the submission's: `text` its name, `items` its attributes
    ITERATOR = "iterator"  # `text` is the type's name, `items` what it yields, cut by an Ellipsis
    FOREIGN = "foreign"  # any other type: `text` is its name, `items` its repr where that is known
    UNREADABLE = "unreadable"  # an attribute that raised: `text` is the exception's type
    FUNCTION = "function"  # a function or method: `text` is its name, of a built-in one `str.upper`
    CYCLE = "cycle"  # the value contains itself here
    TOO_LARGE = "too_large"  # `text` says what was too large


_BRACKETS = {
    ValueKind.LIST: ("[", "]"),
    ValueKind.TUPLE: ("(", ")"),
    ValueKind.DICT: ("{", "}"),
    ValueKind.SET: ("{", "}"),
    ValueKind.FROZENSET: ("frozenset({", "})"),
}
# These have a type's name in `text` and parts in `items`.
NAMED_CONTAINERS = frozenset({ValueKind.OBJECT, ValueKind.ITERATOR, ValueKind.FOREIGN})

SEQUENCES = frozenset({ValueKind.LIST, ValueKind.TUPLE})
KEYED = frozenset({ValueKind.DICT, ValueKind.OBJECT})

KINDS = {kind.value: kind for kind in ValueKind}
_FIELDS = frozenset({"kind", "text", "items"})
_SHORT = 64  # characters: values up to here are cached, since the same few come again and again


@dataclass(frozen=True, slots=True)
class Value:
    """One value. Scalars have `text`, containers `items` (a dict: key, value, key, value …; an
    object: the name of an attribute, its value, …; of a class that is derived from a built-in one
    first "" and its content).

    `text` is the canonical spelling: `repr()` of a scalar ("True", "12", "1.5", "nan", "b'x'"),
    but the bare text for `str`. Sets are ordered by their items' source spelling.
    """

    kind: ValueKind
    text: str = ""
    items: tuple[Value, ...] = ()

    @classmethod
    def of(cls, thing: object) -> Value:
        """Describe a plain Python value; raise TypeError for one outside the vocabulary."""
        kind = _KIND_OF.get(type(thing))
        if kind is None:
            raise TypeError(f"not a plain value: {type(thing).__name__}")
        if isinstance(thing, str):
            return cls(kind, thing)
        if isinstance(thing, dict):
            pairs = [cls.of(part) for pair in thing.items() for part in pair]
            return cls(kind, items=tuple(pairs))
        if isinstance(thing, list | tuple):
            return cls(kind, items=tuple(cls.of(part) for part in thing))
        if isinstance(thing, set | frozenset):
            parts = [cls.of(part) for part in thing]
            return cls(kind, items=tuple(sorted(parts, key=Value.source)))
        return cls(kind, repr(thing))

    @classmethod
    def parse(cls, literal: str) -> Value:
        """Describe a Python literal's source; raise ValueError or SyntaxError if it is none."""
        return cls.of(ast.literal_eval(literal))

    @classmethod
    def from_plain(cls, plain: Any) -> Value:
        """As `serial` would read it: nine in ten of all that a run reads back are values."""
        if type(plain) is not dict or not plain.keys() <= _FIELDS:
            raise SerialError("not a Value")
        name, text = plain.get("kind"), plain.get("text", "")
        kind = KINDS.get(name) if type(name) is str else None
        if kind is None or type(text) is not str:
            raise SerialError("not a Value")
        if "items" not in plain:
            return cls.simple(kind, text)
        items = plain["items"]
        if type(items) is not list:
            raise SerialError("not a Value")
        return cls(kind, text, tuple(map(cls.from_plain, items)))

    @classmethod
    def simple(cls, kind: ValueKind, text: str) -> Value:
        """A value without items; a short one is made once."""
        return _cached(kind, text) if len(text) <= _SHORT else cls(kind, text)

    @property
    def type_name(self) -> str:
        """The name a student knows the type by."""
        return self.text if self.kind in NAMED_CONTAINERS else self.kind.value

    @property
    def content(self) -> Value | None:
        """What an object of a class that is derived from a built-in one holds; else None."""
        named = self.kind is ValueKind.OBJECT and len(self.items) > 1 and not self.items[0].text
        return self.items[1] if named else None

    @property
    def is_container(self) -> bool:
        return self.kind in _BRACKETS

    def parts(self) -> Iterator[Value]:
        """The value and all that it holds, at any depth."""
        pending = [self]
        while pending:
            part = pending.pop()
            yield part
            pending += part.items

    def source(self, limit: int | None = None) -> str:
        """The value as Python would show it (`repr`); foreign values as `<Name object>`.

        With a limit: not much further than that many characters. Without recursion, for a hostile
        value may be nested far deeper than Python's own stack.
        """
        parts: list[str] = []
        length = 0
        pending: list[Value | str] = [self]
        while pending and (limit is None or length <= limit):
            entry = pending.pop()
            if isinstance(entry, Value) and entry.is_container:
                pending += reversed(_open(entry))
            elif isinstance(entry, Value) and entry.items and entry.kind in NAMED_CONTAINERS:
                pending += reversed(_opened_by_name(entry))
            else:
                piece = entry if isinstance(entry, str) else _scalar_source(entry)
                parts.append(piece)
                length += len(piece)
        return "".join(parts)


def _open(value: Value) -> list[Value | str]:
    """A container's brackets, items and the text between them."""
    first, last = _BRACKETS[value.kind]
    if not value.items and value.kind in (ValueKind.SET, ValueKind.FROZENSET):
        return ["set()" if value.kind is ValueKind.SET else "frozenset()"]
    inside: list[Value | str] = [first]
    for position, item in enumerate(value.items):
        if position:
            is_value = value.kind is ValueKind.DICT and position % 2
            inside.append(": " if is_value else ", ")
        inside.append(item)
    if value.kind is ValueKind.TUPLE and len(value.items) == 1:
        inside.append(",")
    inside.append(last)
    return inside


def _opened_by_name(value: Value) -> list[Value | str]:
    """`Account(owner='Ada')`, `generator of [1, 2]`; of another type what its `repr` says."""
    if value.kind is ValueKind.FOREIGN:
        return [value.items[0].text]
    if value.kind is ValueKind.ITERATOR:
        return [f"{value.text} of ", Value(ValueKind.LIST, items=value.items)]
    inside: list[Value | str] = [f"{value.text}("]
    for position in range(0, len(value.items) - 1, 2):
        name = value.items[position].text
        inside += [", " if position else "", f"{name}=" if name else "", value.items[position + 1]]
    return [*inside, ")"]


def _scalar_source(value: Value) -> str:
    match value.kind:
        case ValueKind.STR:
            return repr(value.text)
        case ValueKind.FOREIGN | ValueKind.OBJECT:
            return f"<{value.text} object>"
        case ValueKind.ITERATOR:
            return f"{value.text} of []"
        case ValueKind.UNREADABLE:
            return f"<raises {value.text}>"
        case ValueKind.FUNCTION:
            return f"<function {value.text}>"
        case ValueKind.CYCLE:
            return "..."
        case ValueKind.TOO_LARGE:
            return f"<too large to compare: {value.text}>"
        case _:
            return value.text


_PLAIN_TYPES: tuple[type, ...] = (
    *(type(None), bool, int, float, complex, str, bytes, range, type(...)),
    *(list, tuple, dict, set, frozenset),
)
_KIND_OF = {plain: ValueKind(plain.__name__) for plain in _PLAIN_TYPES}

NONE = Value(ValueKind.NONE, "None")


@functools.lru_cache(maxsize=4096)
def _cached(kind: ValueKind, text: str) -> Value:
    return Value(kind, text)


def file_value(data: bytes) -> Value:
    """A file's bytes: a text as a str, anything else by its size and digest."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        digest = hashlib.sha256(data).hexdigest()
        return place_value("binary file", f"{len(data)} bytes, SHA-256 {digest}")
    return Value(ValueKind.STR, text)


def place_value(name: str, words: str) -> Value:
    """What is no text: a folder, a link, a binary file."""
    return Value(ValueKind.FOREIGN, name, (Value(ValueKind.STR, words),))
