"""Sends values between the process of a test and that of a program: plain data as data, other
objects as numbers.

A container (such as a list) keeps its number as long as the test runs, and each side has a
container with that number. Before a side sends a message, it sends the contents of all containers
that it has changed since the last one. A list that is passed, returned or held by an object is
therefore one list, whichever side changes it. The tests' side gives even numbers, the program's
side odd ones.

Every received message is checked and yields only plain data and objects that `References` knows.
"""

from __future__ import annotations

import builtins
import sys
from _json import encode_basestring_ascii as quote

from ..messages.exceptions import BUILTIN_ERRORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Protocol

    class References(Protocol):
        """The objects of one side that are not sent themselves, and the numbers that stand for
        them.
        """

        def export(self, thing: Any) -> str:
            """Return the JSON text that stands for an object."""

        def resolve(self, plain: list[Any]) -> Any:
            """Return the object for JSON data that `export` of the other side wrote.

            Raise MalformedError for anything else.
            """


MAX_PARTS = 100_000  # in one message
MAX_TEXT = 2_000_000  # characters in one message
MAX_DEPTH = 100
MAX_INT_BITS = 14_000  # about what `repr` of an int gives by default
MAX_TRACKED = 300  # containers; from then on the tests' side forgets what nobody there refers to
_BARE_INT_BITS = 53

_CONSTANTS = {"Ellipsis": ..., "NotImplemented": NotImplemented}
_SEQUENCES: dict[Any, str] = {tuple: "tuple", frozenset: "frozenset"}
_CONTAINERS: dict[Any, str] = {list: "list", dict: "dict", set: "set", bytearray: "bytearray"}
_TEXTS = frozenset(("bytes", "int", "float", "complex", "constant", "builtin", "library"))
_IN_COLLECTIONS = ("deque", "OrderedDict", "Counter", "defaultdict")
_MAPPINGS = ("dict", "OrderedDict", "Counter", "defaultdict")
# Built-in functions and types that both sides have.
_SHARED = (
    "abs", "all", "any", "ascii", "bin", "bool", "bytearray", "bytes", "callable", "chr", "complex",
    "dict", "divmod", "enumerate", "filter", "float", "format", "frozenset", "hash", "hex", "int",
    "isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "next", "object", "oct",
    "ord", "pow", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum",
    "tuple", "type", "zip",
)  # fmt: skip
_SHARED_VALUES: dict[str, Any] = {name: getattr(builtins, name) for name in _SHARED}
_SHARED_VALUES.update(BUILTIN_ERRORS)
_SHARED_NAMES = {id(value): name for name, value in _SHARED_VALUES.items()}


class CannotTravelError(Exception):
    """Raised if a value is too large for a message; `str()` says why."""


class MalformedError(Exception):
    """Raised if our code in the other process would not have written a message."""


def _iso(thing: Any) -> str:
    return quote(thing.isoformat())


# Values of the standard library that both sides know: how their texts are written and read.
_WRITERS: dict[str, Callable[[Any], str]] = {
    "datetime.date": _iso,
    "datetime.datetime": _iso,
    "datetime.time": _iso,
    "datetime.timedelta": lambda thing: f"[{thing.days},{thing.seconds},{thing.microseconds}]",
    "decimal.Decimal": lambda thing: quote(str(thing)),
    "fractions.Fraction": lambda thing: quote(str(thing)),
    "pathlib.PosixPath": lambda thing: quote(str(thing)),
    "pathlib.WindowsPath": lambda thing: quote(str(thing)),
}


def _read_library_value(name: str, content: Any) -> Any:
    """Make a value of a standard-library type, such as a date, from its text.

    Raise ValueError or TypeError for a wrong text.
    """
    module, _, kind = name.rpartition(".")
    maker = getattr(__import__(module), kind)
    if kind == "timedelta":
        return maker(*[int(part) for part in content])
    if type(content) is not str:
        raise TypeError("a text is missing")
    if kind in ("date", "datetime", "time"):
        return maker.fromisoformat(content)
    return maker(content)


def _library_name(kind: Any, names: Iterable[str]) -> str:
    """Return the name in `names`, such as `datetime.date`, that belongs to this type; an empty
    text if none does.
    """
    for name in names:
        module, _, attribute = name.rpartition(".")
        found = sys.modules.get(module)
        if found is not None and vars(found).get(attribute) is kind:
            return name
    return ""


class Graph:
    """The containers that a test and a program share.

    `first` is 0 on the tests' side and 1 on the program's.
    """

    def __init__(self, first: int, references: References) -> None:
        self._next = first
        self._first = first
        self._references = references
        self._containers: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}  # by a container's identity
        self._new: list[int] = []  # numbers that were given since the changes were looked for
        self._agreed: dict[int, str] = {}  # the contents that both sides know
        self._parts = 0
        self._text = 0
        self._is_applying = False

    def begin(self) -> None:
        """Start a new message: its size is counted from zero."""
        self._parts = self._text = 0

    def pack(self, value: Any, depth: int = 0) -> str:
        """Return a value as JSON text. Containers without a number get one."""
        self._count(depth)
        kind = type(value)
        if value is None:
            return "null"
        if kind is bool:
            return "true" if value else "false"
        if kind is int:
            return self._packed_int(value)
        if kind is str:
            return self._counted(quote(value))
        if kind is float or kind is complex:
            return '["' + kind.__name__ + '",' + self._counted(quote(repr(value))) + "]"
        if kind is bytes:
            return '["bytes","' + self._counted(value.hex()) + '"]'
        if self._is_container(kind):
            return '["same",' + str(self._number(value)) + "]"
        if kind in _SEQUENCES:
            return '["' + _SEQUENCES[kind] + '",' + self.pack_all(value, depth + 1) + "]"
        if kind is range or kind is slice:
            ends = (value.start, value.stop, value.step)
            return '["' + kind.__name__ + '",' + self.pack_all(ends, depth + 1) + "]"
        return self._packed_other(value, kind)

    def pack_all(self, values: Iterable[Any], depth: int = 0) -> str:
        """Return several values as a JSON list."""
        return "[" + ",".join([self.pack(value, depth) for value in values]) + "]"

    def _packed_int(self, value: int) -> str:
        bits = value.bit_length()
        if bits > MAX_INT_BITS:
            raise CannotTravelError(f"an integer of {bits} bits")
        text = str(value)
        return text if bits <= _BARE_INT_BITS else '["int","' + self._counted(text) + '"]'

    def _packed_other(self, value: Any, kind: Any) -> str:
        for name, constant in _CONSTANTS.items():
            if value is constant:
                return '["constant","' + name + '"]'
        if id(value) in _SHARED_NAMES:
            return '["builtin","' + _SHARED_NAMES[id(value)] + '"]'
        name = _library_name(kind, _WRITERS)
        if name:
            return '["library","' + name + '",' + self._counted(_WRITERS[name](value)) + "]"
        return self._references.export(value)

    def unpack(self, plain: Any, depth: int = 0) -> Any:
        """Return the value for JSON data that `pack` wrote.

        Raise MalformedError for anything else.
        """
        kind = type(plain)
        if plain is None or kind is bool or kind is int or kind is str:
            return plain
        if kind is not list or len(plain) < 2 or type(plain[0]) is not str or depth > MAX_DEPTH:
            raise MalformedError("a value")
        name, content = plain[0], plain[1]
        if name == "same":
            return self._container(content)
        if type(content) is list and name in ("tuple", "frozenset", "range", "slice"):
            parts = [self.unpack(part, depth + 1) for part in content]
            return _made(_SHARED_VALUES[name], parts)
        if name in _TEXTS and type(content) is str:
            return self._unpacked_text(name, content, plain)
        return self._references.resolve(plain)

    def unpack_all(self, plain: Any) -> list[Any]:
        """Return a list of values for JSON data that `pack_all` wrote."""
        if type(plain) is not list:
            raise MalformedError("values")
        return [self.unpack(part) for part in plain]

    def _unpacked_text(self, name: str, content: str, plain: list[Any]) -> Any:
        try:
            if name == "bytes":
                return bytes.fromhex(content)
            if name in ("int", "float", "complex"):
                return _SHARED_VALUES[name](content)
            if name == "constant":
                return _CONSTANTS[content]
            if name == "builtin":
                return _SHARED_VALUES[content]
            if content in _WRITERS:
                return _read_library_value(content, plain[2])
        except (KeyError, ValueError, TypeError, IndexError, ArithmeticError, OverflowError):
            raise MalformedError("a value") from None
        raise MalformedError("a value")

    def changes(self) -> str:
        """Return, as a JSON list, the contents of all containers that this side has changed since
        the last message.
        """
        if self._is_applying:  # half of the other side's changes is not here yet
            return "[]"
        found: dict[int, str] = {}
        pending = list(self._containers)
        self._new.clear()
        while pending:
            for number in pending:
                contents = self._contents(number)
                if contents != self._agreed.get(number):
                    found[number] = contents
            pending = self._new[:]  # their contents
            self._new.clear()
        self._agreed.update(found)
        texts = [f"[{number},{contents}]" for number, contents in found.items()]
        return "[" + ",".join(texts) + "]"

    def apply(self, changes: Any) -> None:
        """Replace, in place, the contents of containers that the other side has changed."""
        if type(changes) is not list:
            raise MalformedError("changes")
        received: list[tuple[int, Any]] = []
        for change in changes:
            if type(change) is not list or len(change) != 2 or type(change[0]) is not int:
                raise MalformedError("a change")
            number, contents = change
            if type(contents) is not list or len(contents) != 3:
                raise MalformedError("contents")
            if number not in self._containers:
                self._make(number, contents)
            received.append((number, contents))
        was_applying, self._is_applying = self._is_applying, True
        try:
            for number, contents in received:
                self._fill(number, contents)
        finally:
            self._is_applying = was_applying
        self.begin()
        for number, _ in received:
            self._agreed[number] = self._contents(number)

    def forget(self) -> list[int]:
        """Forget containers that this side no longer uses; return their numbers."""
        if len(self._containers) <= MAX_TRACKED:
            return []
        unused = [
            number
            for number in self._containers
            if sys.getrefcount(self._containers[number]) <= _ONLY_OURS
        ]
        self.drop(unused)
        return unused

    def drop(self, numbers: Any) -> None:
        """Forget containers that the other side no longer uses."""
        if type(numbers) is not list:
            raise MalformedError("numbers")
        for number in numbers:
            if type(number) is int and number in self._containers:
                thing = self._containers.pop(number)
                del self._numbers[id(thing)]
                self._agreed.pop(number, None)

    def _count(self, depth: int) -> None:
        self._parts += 1
        if self._parts > MAX_PARTS or depth > MAX_DEPTH:
            raise CannotTravelError(f"more than {MAX_PARTS} values, or {MAX_DEPTH} in each other")

    def _counted(self, text: str) -> str:
        self._text += len(text)
        if self._text > MAX_TEXT:
            raise CannotTravelError(f"more than {MAX_TEXT} characters")
        return text

    def _is_container(self, kind: Any) -> bool:
        return kind in _CONTAINERS or bool(_collection_name(kind))

    def _number(self, thing: Any) -> int:
        number = self._numbers.get(id(thing))
        if number is None:
            number = self._next
            self._next += 2
            self._numbers[id(thing)] = number
            self._containers[number] = thing
            self._new.append(number)
        return number

    def _container(self, number: Any) -> Any:
        if type(number) is not int or number not in self._containers:
            raise MalformedError("a number")
        return self._containers[number]

    def _contents(self, number: int) -> str:
        """Return a container's kind, its parts and its other contents, as a JSON list."""
        thing = self._containers[number]
        kind = type(thing)
        name = _CONTAINERS.get(kind) or _collection_name(kind)
        if name == "bytearray":
            return '["bytearray","' + self._counted(thing.hex()) + '",null]'
        more = "null"
        parts = thing
        if name in _MAPPINGS:
            parts = [part for pair in dict.items(thing) for part in pair]
        if name == "deque":
            more = self.pack(thing.maxlen)
        elif name == "defaultdict":
            more = self.pack(thing.default_factory)
        return '["' + name + '",' + self.pack_all(parts) + "," + more + "]"

    def _make(self, number: int, contents: list[Any]) -> None:
        """Make a container that the other side has numbered, still empty."""
        if number % 2 == self._first or number < 0:
            raise MalformedError("a number")
        name, _, more = contents
        if name in ("list", "dict", "set", "bytearray"):
            thing = _SHARED_VALUES[name]()
        elif name in _IN_COLLECTIONS:
            thing = _made_collection(name, self.unpack(more))
        else:
            raise MalformedError("a kind")
        self._numbers[id(thing)] = number
        self._containers[number] = thing

    def _fill(self, number: int, contents: list[Any]) -> None:
        thing = self._containers[number]
        kind = type(thing)
        name, plain, _ = contents
        if name != (_CONTAINERS.get(kind) or _collection_name(kind)):
            raise MalformedError("a kind")
        try:
            if name == "bytearray":
                thing[:] = bytes.fromhex(plain)
                return
            parts = self.unpack_all(plain)
            if name == "list":
                thing[:] = parts
                return
            thing.clear()
            if name in _MAPPINGS:
                for key, value in zip(parts[::2], parts[1::2], strict=True):
                    thing[key] = value
            elif name == "set":
                thing.update(parts)
            else:
                thing.extend(parts)
        except (TypeError, ValueError):  # not hashable, or a key without a value
            raise MalformedError("contents") from None


_ONLY_OURS = 2  # references to a container: the graph's, and the call's that counts them


def _collection_name(kind: Any) -> str:
    module = sys.modules.get("collections")
    if module is None:
        return ""
    for name in _IN_COLLECTIONS:
        if kind is getattr(module, name):
            return name
    return ""


def _made_collection(name: str, more: Any) -> Any:
    kind: Any = getattr(__import__("collections"), name)
    if name == "deque":
        if more is not None and type(more) is not int:
            raise MalformedError("a length")
        return kind(maxlen=more)
    if name == "defaultdict":
        if more is not None and not callable(more):
            raise MalformedError("a factory")
        return kind(more)
    return kind()


def _made(maker: Any, parts: list[Any]) -> Any:
    try:
        if maker is range or maker is slice:
            return maker(*parts)
        return maker(parts)
    except (TypeError, ValueError):
        raise MalformedError("a value") from None
