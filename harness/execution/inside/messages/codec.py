"""Describes values in the closed vocabulary of `harness.model.values`, as JSON text.

Only `type(x)`, which the interpreter itself answers, decides what a value is, and that by identity:
a metaclass may call its class equal to `int`. No `__eq__`, `__class__`, `__len__` of a submission's
own type is called, and no `__repr__` or property but where an assignment asks for it (`objects`).
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quote
from itertools import islice

from .objects import (
    ObjectEquality,
    Unreadable,
    content,
    data_kind,
    members,
    mro_of,
    name_of,
    repr_of,
    space_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PARTS = 20_000  # a parent compares so many in a tenth of a second
MOST_TEXT = 1_000_000
MOST_NAME = 1000
DEEPEST = 100
LONGEST_INT_BITS = 14_000  # about 4,200 digits: what `repr` of an int gives by default

_MOST_YIELDED = 1000

_bit_length = int.bit_length
_NO_COMPARISON = ObjectEquality(frozenset(), {})

FUNCTION = type(lambda: None)
_METHOD = type(_NO_COMPARISON.is_own)
# Among them what built-in types have: `str.upper`, `str.__len__`, `"".__len__`.
_BUILT_IN = frozenset(map(id, (type(len), type(str.upper), type(str.__len__), type("".__len__))))
_ELLIPSIS = type(...)
_SCALARS = frozenset(map(id, (type(None), bool, int, float, complex, str, bytes, _ELLIPSIS)))
_CONTAINERS = frozenset(map(id, (list, tuple, set, frozenset, dict)))
_ITERATORS = frozenset(
    map(id, (type(_ for _ in ()), map, filter, zip, enumerate, reversed, type(iter([])),
             type(iter(())), type(iter({})), type(iter("")), type(iter(range(0)))))
)  # fmt: skip


class TooLargeError(Exception):
    """The value needs more space than one answer has. `str()` says what was too large."""


class SizeBudget:
    """The space that is left for one whole answer, and how objects in it are compared. `objects`
    counts those that were met. `as_data`: an instance of a class derived from a built-in kind of
    data is described as of that kind."""

    def __init__(self, comparison: ObjectEquality = _NO_COMPARISON) -> None:
        self.parts = MOST_PARTS
        self.text = MOST_TEXT
        self.comparison = comparison
        self.objects = 0
        self.as_data = False

    def spend(self, text: str) -> str:
        """Count `text` and return it; TooLargeError when it does not fit."""
        self.text -= len(text)
        if self.text < 0:
            raise TooLargeError(f"more than {MOST_TEXT} characters")
        return text


def encode(thing: object, budget: SizeBudget) -> str:
    """The value as JSON: `["int","5"]`, `["list",[…]]`, `["too_large","…"]`."""
    try:
        return _encode(thing, budget, set(), 0)
    except TooLargeError as error:
        return '["too_large",' + quote(str(error)) + "]"


def encode_returned(thing: object, budget: SizeBudget) -> str:
    """As `encode`; of an iterator what it yields, up to a bound, an Ellipsis for what is after."""
    if id(type(thing)) not in _ITERATORS:
        return encode(thing, budget)
    yielded = list(islice(thing, _MOST_YIELDED + 1))  # type: ignore[call-overload]
    if len(yielded) > _MOST_YIELDED:
        yielded[-1] = ...
    try:
        parts = [_encode(part, budget, {id(thing)}, 1) for part in yielded]
    except TooLargeError as error:
        return '["too_large",' + quote(str(error)) + "]"
    return _named("iterator", type_name(type(thing)), parts)


def encode_data(thing: object, budget: SizeBudget) -> str:
    """As `encode_returned`; what is derived from a built-in kind of data as of that kind."""
    budget.as_data = True
    try:
        return encode_returned(thing, budget)
    finally:
        budget.as_data = False


def encode_answer(thing: object, question: str, answer: object, budget: SizeBudget) -> str:
    """An object of which all that is observed is its answer to a question, `== Account('a')`."""
    said = encode(answer, budget)
    has_own = any("__eq__" in space_of(base) for base in mro_of(type(thing))[:-1])
    if answer is False and not has_own:
        said = '["foreign","no __eq__"]'
    parts = ['["str",' + _quoted(question, budget) + "]", said]
    return _named("object", type_name(type(thing)), parts)


def encode_all(things: Iterable[object], budget: SizeBudget) -> str:
    """Several values as a JSON list."""
    return "[" + ",".join([encode(thing, budget) for thing in things]) + "]"


def is_plain(thing: object, budget: SizeBudget) -> bool:
    """Whether the value is data: neither a function, a class nor a module."""
    kind = type(thing)
    built_in = id(kind) in _SCALARS or id(kind) in _CONTAINERS or kind is range
    return built_in or budget.comparison.is_own(kind)


def type_name(kind: type) -> str:
    """A type's own name, whatever its metaclass says."""
    name = name_of(kind)
    return name if type(name) is str else "object"


def _encode(thing: object, budget: SizeBudget, above: set[int], depth: int) -> str:
    kind = type(thing)
    budget.parts -= 1
    if budget.parts < 0:
        raise TooLargeError(f"more than {MOST_PARTS} parts")
    if id(kind) in _SCALARS:
        return _scalar(thing, kind, budget)
    base = data_kind(kind) if budget.as_data else kind
    if base is not None and id(base) in _CONTAINERS:
        return _nested(thing, base, budget, above, depth)
    if base is not None and base is not kind:
        return _scalar(content(thing, base), base, budget)
    text = _other(thing, kind, budget)
    return _nested(thing, None, budget, above, depth) if text is None else text


def _scalar(thing: object, kind: type, budget: SizeBudget) -> str:
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


def _quoted(text: str, budget: SizeBudget) -> str:
    if len(text) > MOST_TEXT:
        raise TooLargeError(f"a text of {len(text)} characters")
    return budget.spend(quote(text))


def _other(thing: object, kind: type, budget: SizeBudget) -> str | None:
    """What is neither a scalar nor a container; None for an object of the program's."""
    if type(thing) is range:
        ends = (thing.start, thing.stop, thing.step)
        if all(type(end) is int and _bit_length(end) < LONGEST_INT_BITS for end in ends):
            return '["range",' + _quoted(repr(thing), budget) + "]"
    if kind is FUNCTION or kind is _METHOD or id(kind) in _BUILT_IN:
        return '["function",' + _quoted(_name_of(thing), budget) + "]"
    if kind is type:
        shown = type.__repr__(thing)
        return _named("foreign", "type", ['["str",' + _quoted(shown, budget) + "]"])
    if kind is Unreadable:
        return '["unreadable",' + _quoted(thing.name, budget) + "]"  # type: ignore[attr-defined]
    budget.objects += 1
    if budget.comparison.is_own(kind):
        return None
    text = repr_of(thing, kind)
    if text is not None:
        return _named("foreign", type_name(kind), ['["str",' + _quoted(text, budget) + "]"])
    return '["foreign",' + _quoted(type_name(kind), budget) + "]"


def _nested(
    thing: object, base: type | None, budget: SizeBudget, above: set[int], depth: int
) -> str:
    """A container of this built-in kind; None: an object of the program's."""
    if id(thing) in above:
        return '["cycle",""]'
    if depth >= DEEPEST:
        raise TooLargeError(f"nested more than {DEEPEST} deep")
    above.add(id(thing))
    if base is not None:
        parts = [_encode(part, budget, above, depth + 1) for part in members(thing, base)]
        text = '["' + base.__name__ + '",[' + ",".join(parts) + "]]"
    else:
        attributes = budget.comparison.attributes(thing, budget.parts)
        if attributes is None:
            raise TooLargeError(f"more than {MOST_PARTS} attributes")
        parts = []
        for name, value in attributes:
            parts.append('["str",' + _quoted(name, budget) + "]")
            parts.append(_encode(value, budget, above, depth + 1))
        text = _named("object", type_name(type(thing)), parts)
    above.discard(id(thing))
    return text


def _named(kind: str, name: str, parts: list[str]) -> str:
    return '["' + kind + '",' + quote(name[:MOST_NAME]) + ",[" + ",".join(parts) + "]]"


def _name_of(thing: object) -> str:
    if type(thing) is _METHOD:
        thing = thing.__func__  # type: ignore[attr-defined]
    name = None
    if type(thing) is FUNCTION:
        name = thing.__name__
    elif id(type(thing)) in _BUILT_IN:
        name = thing.__qualname__  # type: ignore[attr-defined]
    return name if type(name) is str else "function"
