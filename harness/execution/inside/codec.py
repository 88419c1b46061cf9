"""Describes values in the closed vocabulary of `harness.model.values`, as JSON text.

A foreign object is never asked anything: no `__repr__`, `__eq__`, `__class__`, `__len__` of a
submission's own type is called. Only `type(x)`, which the interpreter itself answers, decides,
and that by identity: a metaclass may call its class equal to `int`.
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PARTS = 20_000  # a parent compares so many in a tenth of a second
MOST_TEXT = 1_000_000
DEEPEST = 100
LONGEST_INT_BITS = 14_000  # about 4,200 digits: what `repr` of an int gives by default

_type_name = type.__dict__["__name__"].__get__
_bit_length = int.bit_length


def _a_function() -> None: ...


class _Bound:
    def method(self) -> None: ...


_FUNCTION = type(_a_function)
_METHOD = type(_Bound().method)
_BUILTIN = type(len)
_ELLIPSIS = type(...)
_NONE = type(None)


class TooLargeError(Exception):
    """The value needs more room than one answer has. `str()` says what was too large."""


class Budget:
    """The room that is left for one whole answer."""

    __slots__ = ("parts", "text")

    def __init__(self) -> None:
        self.parts = MOST_PARTS
        self.text = MOST_TEXT

    def spend(self, text: str) -> str:
        """Take room for `text` and give it back; TooLargeError when there is none left."""
        self.text -= len(text)
        if self.text < 0:
            raise TooLargeError(f"more than {MOST_TEXT} characters")
        return text


def encode(thing: object, budget: Budget) -> str:
    """The value as JSON: `["int","5"]`, `["list",[…]]`, `["too_large","…"]`."""
    try:
        return _encode(thing, budget, set(), 0)
    except TooLargeError as error:
        return '["too_large",' + quote(str(error)) + "]"


def encode_all(things: Iterable[object], budget: Budget) -> str:
    """Several values as a JSON list."""
    return "[" + ",".join([encode(thing, budget) for thing in things]) + "]"


def is_plain(thing: object) -> bool:
    """Whether the value is data: neither a function, a class nor a module."""
    kind = type(thing)
    return id(kind) in _SCALARS or id(kind) in _SEQUENCES or kind is dict or kind is range


def type_name(kind: type) -> str:
    """A type's own name, whatever its metaclass says."""
    name = _type_name(kind)
    return name if type(name) is str else "object"


def _encode(thing: object, budget: Budget, above: set[int], depth: int) -> str:
    kind = type(thing)
    budget.parts -= 1
    if budget.parts < 0:
        raise TooLargeError(f"more than {MOST_PARTS} parts")
    if id(kind) in _SCALARS:
        return _scalar(thing, kind, budget)
    if id(kind) in _SEQUENCES or kind is dict:
        if id(thing) in above:
            return '["cycle",""]'
        if depth >= DEEPEST:
            raise TooLargeError(f"nested more than {DEEPEST} deep")
        above.add(id(thing))
        things = _members(thing)
        parts = [_encode(part, budget, above, depth + 1) for part in things]
        above.discard(id(thing))
        return '["' + kind.__name__ + '",[' + ",".join(parts) + "]]"
    return _other(thing, kind, budget)


def _members(thing: object) -> list[object]:
    if type(thing) is dict:
        return [part for pair in thing.items() for part in pair]
    return list(thing)  # type: ignore[call-overload, no-any-return]


def _scalar(thing: object, kind: type, budget: Budget) -> str:
    if type(thing) is str:
        return '["str",' + _quoted(thing, budget) + "]"
    if type(thing) is bytes and len(thing) > MOST_TEXT:
        raise TooLargeError(f"{len(thing)} bytes")
    if type(thing) is int and _bit_length(thing) > LONGEST_INT_BITS:
        raise TooLargeError(f"an integer of {_bit_length(thing)} bits")
    try:
        text = repr(thing)
    except ValueError:  # a submission may lower `sys.set_int_max_str_digits`
        raise TooLargeError("an integer of too many digits") from None
    name = "ellipsis" if kind is _ELLIPSIS else kind.__name__
    return '["' + name + '",' + _quoted(text, budget) + "]"


def _quoted(text: str, budget: Budget) -> str:
    if len(text) > MOST_TEXT:
        raise TooLargeError(f"a text of {len(text)} characters")
    return budget.spend(quote(text))


def _other(thing: object, kind: type, budget: Budget) -> str:
    if type(thing) is range:
        ends = (thing.start, thing.stop, thing.step)
        if all(type(end) is int and _bit_length(end) < LONGEST_INT_BITS for end in ends):
            return '["range",' + _quoted(repr(thing), budget) + "]"
    if kind is _FUNCTION or kind is _METHOD or kind is _BUILTIN:
        return '["function",' + _quoted(_name_of(thing), budget) + "]"
    return '["foreign",' + _quoted(type_name(kind), budget) + "]"


def _name_of(thing: object) -> str:
    if type(thing) is _METHOD:
        thing = thing.__func__  # type: ignore[attr-defined]
    plain = type(thing) is _FUNCTION or type(thing) is _BUILTIN
    name = thing.__name__ if plain else None  # type: ignore[attr-defined]
    return name if type(name) is str else "function"


_SCALARS = frozenset(map(id, (_NONE, bool, int, float, complex, str, bytes, _ELLIPSIS)))
_SEQUENCES = frozenset(map(id, (list, tuple, set, frozenset)))
