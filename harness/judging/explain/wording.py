"""Foreign text made safe to put into a sentence: short, on one line, nothing invisible."""

from __future__ import annotations

import unicodedata

from harness.model.values import Value, ValueKind

_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f")  # letters that show nothing
_MOST_MARKS = 2  # more on one letter would cover the neighbouring lines
QUOTE_LIMIT = 80
SOURCE_LIMIT = 90
_BRACKETS = {
    ValueKind.LIST: ("[", "]"),
    ValueKind.TUPLE: ("(", ")"),
    ValueKind.DICT: ("{", "}"),
    ValueKind.SET: ("{", "}"),
    ValueKind.FROZENSET: ("frozenset({", "})"),
}


def visible(text: str) -> str:
    """`text` with every character escaped that a terminal would obey or hide (`\\x1b`, `\\u202e`).

    Line ends and tabs are escaped too, so the result is one line of printable text.
    """
    if text.isascii() and text.isprintable():
        return text
    parts: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.combining(character) else 0
        seen = character.isprintable() and character not in _BLANK and marks <= _MOST_MARKS
        parts.append(character if seen else _escape(character))
    return "".join(parts)


def _escape(character: str) -> str:
    code = ord(character)
    if 0x7F < code <= 0xFFFF:
        return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
    return character.encode("unicode_escape").decode("ascii")


def shortened(text: str, limit: int, at: int = 0) -> str:
    """At most about `limit` characters of `text`, those around index `at`; cuts are shown as …"""
    if len(text) <= limit:
        return text
    start = max(0, min(at - limit // 2, len(text) - limit))
    end = start + limit
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def quoted(text: str, *, at: int = 0, limit: int = QUOTE_LIMIT) -> str:
    """A piece of foreign text in double quotes, shortened around index `at`."""
    return f'"{visible(shortened(text, limit, at))}"'


def plain(text: str, *, limit: int = 120) -> str:
    """A piece of foreign text without quotes, such as an exception's message."""
    return visible(shortened(text, limit))


def source(value: Value, *, at: int = 0, limit: int = SOURCE_LIMIT) -> str:
    """A value as Python source, shortened around character `at` of that source."""
    return visible(shortened(spelled(value, at + 2 * limit), limit, at))


def spelled(value: Value, limit: int | None = None) -> str:
    """`value.source()` without recursion, and no further than some characters past `limit`.

    A hostile value may be nested far deeper than Python's own stack, and huge.
    """
    parts: list[str] = []
    length = 0
    pending: list[Value | str] = [value]
    while pending and (limit is None or length <= limit):
        entry = pending.pop()
        if isinstance(entry, Value) and entry.kind in _BRACKETS:
            pending.extend(reversed(_opened(entry)))
            continue
        piece = entry if isinstance(entry, str) else entry.source()
        parts.append(piece)
        length += len(piece)
    return "".join(parts)


def _opened(value: Value) -> list[Value | str]:
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


def a_type(value: Value) -> str:
    """The value's type with its article: "an int", "a list", "None"."""
    if value.kind is ValueKind.NONE:
        return "None"
    if value.kind is ValueKind.CYCLE:
        return "a value that contains itself"
    return a_type_name(value.type_name)


def a_type_name(name: str) -> str:
    """A type's name with its article."""
    article = "an" if name[:1].lower() in "aeiou" else "a"
    return f"{article} {plain(name, limit=40)}"


def count(number: int, singular: str, plural: str | None = None) -> str:
    """ "1 line", "3 lines"."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
