"""Plain data with its identities, for calls between two processes.

Lists, dictionaries and sets are numbered and sent as contents, so that one that is reached twice
arrives as one, and changes can be made in place. Everything else that is plain data is sent as a
value. What is read is checked: only the built-in types that are written can come out of it.
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quote

from ..messages.codec import DEEPEST, LONGEST_INT_BITS, MOST_PARTS, MOST_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SIMPLE: dict[Any, tuple[str, Any]] = {
    type(None): ("NoneType", None),
    bool: ("bool", None),
    int: ("int", int),
    float: ("float", float),
    complex: ("complex", complex),
    type(...): ("ellipsis", None),
}
_CONSTANTS = {"None": None, "True": True, "False": False, "Ellipsis": ...}
_NAMES = dict(_SIMPLE.values())
_SEQUENCES: dict[Any, str] = {tuple: "tuple", frozenset: "frozenset"}
_CONTAINERS: dict[Any, str] = {list: "list", dict: "dict", set: "set"}


class CannotTravelError(Exception):
    """A value is no plain data, or too large; `str()` says what."""


class MalformedError(Exception):
    """What was received is not what `SharedObjects` writes."""


class SharedObjects:
    """The containers of one call, numbered alike on both sides."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._parts = 0
        self._text = 0

    def pack(self, value: Any, depth: int = 0) -> str:
        """A value as JSON; containers that were not met before get the next numbers."""
        self._parts += 1
        if self._parts > MOST_PARTS or depth > DEEPEST:
            raise CannotTravelError("a value too large")
        kind = type(value)
        if kind in _CONTAINERS:
            return '["ref",' + str(self._number(value)) + "]"
        if kind is str:
            return '["str",' + self._spend(quote(value)) + "]"
        if kind is bytes:
            return '["bytes","' + self._spend(value.hex()) + '"]'
        if kind in _SEQUENCES:
            parts = [self.pack(part, depth + 1) for part in value]
            return '["' + _SEQUENCES[kind] + '",[' + ",".join(parts) + "]]"
        if kind is range:
            ends = [self.pack(end) for end in (value.start, value.stop, value.step)]
            return '["range",[' + ",".join(ends) + "]]"
        if kind not in _SIMPLE:
            raise CannotTravelError("a value that is no plain data")
        if kind is int and value.bit_length() > LONGEST_INT_BITS:
            raise CannotTravelError("a value too large")
        return '["' + _SIMPLE[kind][0] + '",' + self._spend(quote(repr(value))) + "]"

    def contents(self, number: int) -> str:
        """What a container holds, as JSON."""
        thing = self.objects[number]
        kind = type(thing)
        parts = [part for pair in thing.items() for part in pair] if kind is dict else thing
        return '["' + _CONTAINERS[kind] + '",[' + ",".join([self.pack(p) for p in parts]) + "]]"

    def all_contents(self, start: int = 0) -> list[str]:
        """The contents of the containers from a number on, those found meanwhile included."""
        found: list[str] = []
        while start + len(found) < len(self.objects):
            found.append(self.contents(start + len(found)))
        return found

    def update(self, numbered: list[Any]) -> None:
        """Give containers their contents, in place; (number, contents) of each. Numbers that are
        new become new containers."""
        fillings: list[tuple[Any, list[Any]]] = []
        for entry in numbered:
            number, contents = _pair(entry)
            name, parts = _pair(contents)
            if type(number) is not int or type(parts) is not list:
                raise MalformedError("contents")
            if number == len(self.objects):
                new = [kind() for kind, known in _CONTAINERS.items() if known == name]
                if not new:
                    raise MalformedError("a kind")
                self._number(new[0])
            if not 0 <= number < len(self.objects):
                raise MalformedError("a number")
            thing = self.objects[number]
            if _CONTAINERS[type(thing)] != name:
                raise MalformedError("a kind")
            fillings.append((thing, parts))
        for thing, parts in fillings:
            self._fill(thing, [self.unpack(part) for part in parts])

    def unpack(self, plain: Any, depth: int = 0) -> Any:
        """The value that was packed; MalformedError for anything else."""
        name, content = _pair(plain)
        if depth > DEEPEST:
            raise MalformedError("depth")
        if name == "ref":
            if type(content) is not int or not 0 <= content < len(self.objects):
                raise MalformedError("a number")
            return self.objects[content]
        if name in ("tuple", "frozenset", "range") and type(content) is list:
            parts = [self.unpack(part, depth + 1) for part in content]
            try:
                if name == "range":
                    return range(*parts)
                return tuple(parts) if name == "tuple" else frozenset(parts)
            except (TypeError, ValueError):
                raise MalformedError("a value") from None
        if type(content) is not str:
            raise MalformedError("a value")
        if name == "str":
            return content
        try:
            if name == "bytes":
                return bytes.fromhex(content)
            read = _NAMES[name]
            return _CONSTANTS[content] if read is None else read(content)
        except (KeyError, ValueError):
            raise MalformedError("a value") from None

    def _number(self, thing: Any) -> int:
        number = self._numbers.get(id(thing))
        if number is None:
            number = self._numbers[id(thing)] = len(self.objects)
            self.objects.append(thing)
        return number

    def _spend(self, text: str) -> str:
        self._text += len(text)
        if self._text > MOST_TEXT:
            raise CannotTravelError("a value too large")
        return text

    def _fill(self, thing: Any, parts: list[Any]) -> None:
        try:
            if type(thing) is list:
                thing[:] = parts
            elif type(thing) is set:
                thing.clear()
                thing.update(parts)
            else:
                pairs = list(zip(parts[::2], parts[1::2], strict=True))
                thing.clear()
                thing.update(pairs)
        except (TypeError, ValueError):  # not hashable, or a key without a value
            raise MalformedError("contents") from None


def _pair(plain: Any) -> list[Any]:
    if type(plain) is not list or len(plain) != 2:
        raise MalformedError("a value")
    return plain
