"""Python values as data: a submission's own objects never reach the parent, which compares the
data that the child describes in this closed vocabulary, type-exact."""

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
    # An object of a submission's class: `text` is the class's name, `items` its attributes.
    OBJECT = "object"
    ITERATOR = "iterator"  # `text` is the type's name, `items` its items, cut by an Ellipsis
    # Any other type: `text` is the type's name, `items` the repr if it is known.
    FOREIGN = "foreign"
    UNREADABLE = "unreadable"  # an attribute that raised: `text` is the exception's type
    FUNCTION = "function"  # a function or method: `text` is its name, of a built-in one `str.upper`
    CYCLE = "cycle"  # the value contains itself here
    TOO_LARGE = "too_large"  # `text` names the part that was too large


_BRACKETS = {
    ValueKind.LIST: ("[", "]"),
    ValueKind.TUPLE: ("(", ")"),
    ValueKind.DICT: ("{", "}"),
    ValueKind.SET: ("{", "}"),
    ValueKind.FROZENSET: ("frozenset({", "})"),
}
_SCALARS = {  # the text is Python's display; for any other kind it is the text itself
    ValueKind.FOREIGN: "<{} object>",
    ValueKind.OBJECT: "<{} object>",
    ValueKind.ITERATOR: "{} of []",
    ValueKind.UNREADABLE: "<raises {}>",
    ValueKind.FUNCTION: "<function {}>",
    ValueKind.CYCLE: "...",
    ValueKind.TOO_LARGE: "<too large to compare: {}>",
}
# For these kinds `text` is a type's name and `items` are the parts.
NAMED_CONTAINERS = frozenset({ValueKind.OBJECT, ValueKind.ITERATOR, ValueKind.FOREIGN})
SEQUENCES = frozenset({ValueKind.LIST, ValueKind.TUPLE})
KEYED = frozenset({ValueKind.DICT, ValueKind.OBJECT})
KINDS = {kind.value: kind for kind in ValueKind}
_FIELDS = frozenset({"kind", "text", "items"})
# Characters: values up to this length are cached, because a few values occur very often.
_SHORT = 64


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
            return cls(kind, items=tuple(cls.of(part) for pair in thing.items() for part in pair))
        if isinstance(thing, list | tuple):
            return cls(kind, items=tuple(map(cls.of, thing)))
        if isinstance(thing, set | frozenset):
            return cls(kind, items=tuple(sorted(map(cls.of, thing), key=Value.source)))
        return cls(kind, repr(thing))

    @classmethod
    def parse(cls, literal: str) -> Value:
        """Describe a Python literal's source. Raise ValueError or SyntaxError for other text."""
        return cls.of(ast.literal_eval(literal))

    @classmethod
    def from_plain(cls, plain: Any) -> Value:
        """Build a value from JSON data.

        Does the same as `serial`, but faster, because 90 % of the data in a run are values.
        """
        if type(plain) is not dict or not plain.keys() <= _FIELDS:
            raise SerialError("not a Value")
        name, text = plain.get("kind"), plain.get("text", "")
        kind = KINDS.get(name) if type(name) is str else None
        if kind is None or type(text) is not str or type(plain.get("items", [])) is not list:
            raise SerialError("not a Value")
        if "items" not in plain:
            return cls.simple(kind, text)
        return cls(kind, text, tuple(map(cls.from_plain, plain["items"])))

    @classmethod
    def simple(cls, kind: ValueKind, text: str) -> Value:
        """Return a value without items. Short ones are cached."""
        return _cached(kind, text) if len(text) <= _SHORT else cls(kind, text)

    @property
    def type_name(self) -> str:
        """Return the type's name as students know it."""
        return self.text if self.kind in NAMED_CONTAINERS else self.kind.value

    @property
    def content(self) -> Value | None:
        """The built-in value of an object whose class derives from a built-in one; otherwise
        None."""
        named = self.kind is ValueKind.OBJECT and len(self.items) > 1 and not self.items[0].text
        return self.items[1] if named else None

    @property
    def is_container(self) -> bool:
        return self.kind in _BRACKETS

    def parts(self) -> Iterator[Value]:
        """Yield the value and all values inside it, at any depth."""
        pending = [self]
        while pending:
            part = pending.pop()
            yield part
            pending += part.items

    def by_name(self) -> dict[str, Value]:
        """Return the parts of an object by the names of its attributes, and the values of a dict by
        the texts of its keys; for other values return nothing."""
        if self.kind not in KEYED:
            return {}
        named: dict[str, Value] = {}
        for name, part in zip(self.items[::2], self.items[1::2], strict=True):
            named[name.text] = part
        return named

    def source(self, limit: int | None = None) -> str:
        """The value as Python would show it (`repr`); with a limit not much more than so many
        characters. Without recursion: a hostile value may be nested far deeper than Python's own
        stack."""
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
                if isinstance(entry, str):
                    piece = entry
                elif entry.kind is ValueKind.STR:
                    piece = repr(entry.text)
                else:
                    piece = _SCALARS.get(entry.kind, "{}").format(entry.text)
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
            inside.append(": " if value.kind is ValueKind.DICT and position % 2 else ", ")
        inside.append(item)
    if value.kind is ValueKind.TUPLE and len(value.items) == 1:
        inside.append(",")
    return [*inside, last]


def _opened_by_name(value: Value) -> list[Value | str]:
    """`Account(owner='Ada')`, `generator of [1, 2]`; for another type its `repr`."""
    if value.kind is ValueKind.FOREIGN:
        return [value.items[0].text]
    if value.kind is ValueKind.ITERATOR:
        return [f"{value.text} of ", Value(ValueKind.LIST, items=value.items)]
    inside: list[Value | str] = [f"{value.text}("]
    for position in range(0, len(value.items) - 1, 2):
        name = value.items[position].text
        inside += [", " if position else "", f"{name}=" if name else "", value.items[position + 1]]
    return [*inside, ")"]


_PLAIN_TYPES: tuple[type, ...] = (
    *(type(None), bool, int, float, complex, str, bytes, range, type(...)),
    *(list, tuple, dict, set, frozenset),
)
_KIND_OF = {plain: ValueKind(plain.__name__) for plain in _PLAIN_TYPES}
NONE = Value(ValueKind.NONE, "None")
_cached = functools.lru_cache(maxsize=4096)(Value)


def file_value(data: bytes) -> Value:
    """Return a file's content as a value: text as a str, anything else by size and digest."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        words = f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}"
        return place_value("binary file", words)
    return Value(ValueKind.STR, text)


def folder_value() -> Value:
    """Return the value of a folder among files."""
    return place_value("folder", "a folder")


def place_value(name: str, words: str) -> Value:
    """Return a value for something that is not a text file: a folder, a link, a binary file."""
    return Value(ValueKind.FOREIGN, name, (Value(ValueKind.STR, words),))
