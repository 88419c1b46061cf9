"""Describes Python values as JSON text, in the kinds of `harness.model.values`.

The value may belong to a student's program, so none of its code may influence the description. The
kind is decided by `type(x)` and identity only, because a metaclass could claim that its class
equals `int`. `__eq__`, `__class__` and `__len__` of a program's class are never called, and public
attributes are read through the interpreter's own descriptors. Only if an assignment asks for named
attributes or for the `repr`, the class's own code runs, within the limits of its scenario.

This module does not compare data with the expected value of `{equals: …}`; the parent process does
that. The program's own `==` is called only if the expected value contains an object of one of its
classes.
"""

from __future__ import annotations

import sys
from _json import encode_basestring_ascii as quote
from itertools import islice

from .arrays import TooManyItemsError, group_of, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

GETSET = type(type.__dict__["__dict__"])
_MEMBER = type(type.__dict__["__basicsize__"])
_NONE = object()
mro_of = type.__dict__["__mro__"].__get__
space_of = type.__dict__["__dict__"].__get__
name_of = type.__dict__["__name__"].__get__

# The content of an instance of a class derived from one of these, by the built-in type's method.
_CONTENTS: dict[type, Callable[[Any], object]] = {
    list: lambda thing: list.__getitem__(thing, slice(None)),
    tuple: lambda thing: tuple.__getitem__(thing, slice(None)),
    dict: lambda thing: dict(dict.items(thing)),
    set: lambda thing: set.union(set(), thing),
    frozenset: lambda thing: frozenset.union(frozenset(), thing),
    str: lambda thing: str.__getitem__(thing, slice(None)),
    bytes: lambda thing: bytes.__getitem__(thing, slice(None)),
    int: lambda thing: int.__add__(thing, 0),
    float: lambda thing: float.__add__(thing, 0.0),
    complex: lambda thing: complex.__add__(thing, 0),
}
_HEAP = 1 << 9  # the flag of types that are not compiled in
# Types of the standard library whose `repr` says everything, by module.
_BY_REPR = {
    "collections": ("deque", "OrderedDict", "Counter", "defaultdict"),
    "datetime": ("date", "datetime", "time", "timedelta"),
    "_pydatetime": ("date", "datetime", "time", "timedelta"),
    "decimal": ("Decimal",),
    "fractions": ("Fraction",),
}
_DATA = frozenset(map(id, (*_CONTENTS, bool, type(None))))
_BUILTIN_BASES = frozenset(map(id, (BaseException, Exception, object)))
_SEQUENCES = (list, tuple)
_CONTAINER_TYPES = (*_SEQUENCES, set, frozenset, dict)
_NUMBERS = (bool, int, float, complex)


class ObjectEquality:
    """How an assignment compares objects.

    `program_modules` are the modules whose classes count as the program's. `by` maps a class name
    to names of attributes, or to "attributes", "repr", "equality" or "none".
    """

    def __init__(self, program_modules: frozenset[str], by: dict[str, Any]) -> None:
        self._program_modules = program_modules
        self._by = by

    def is_own(self, kind: type) -> bool:
        """Return whether the program defines the class or one of its bases."""
        if not self._program_modules:
            return False
        for base in mro_of(kind)[:-1]:
            module = space_of(base).get("__module__")
            if type(module) is str and module in self._program_modules:
                return type not in mro_of(kind)
        return False

    def attributes(self, thing: object, most: int) -> list[tuple[str, object]] | None:
        """Return the names and values of the attributes to compare; None if there are more than
        `most`. If the class derives from a built-in class such as `list`, its content comes
        first, without a name.
        """
        kind = type(thing)
        for base in mro_of(kind)[:-1]:
            by = self._by.get(name_of(base))
            if by is None or by == "attributes":
                continue
            if by == "repr":
                return [("repr", _ask(lambda: without_addresses(repr(thing))))]
            if by == "equality":
                return []
            if by == "none":
                return [("", ...)]
            return [(name, _ask(lambda name=name: getattr(thing, name))) for name in by]  # type: ignore[misc]
        return _public(thing, kind, most)


class Unreadable:
    """Stands for an attribute that raised an exception when it was read; holds the exception's
    name.
    """

    def __init__(self, name: str) -> None:
        self.name = name


def _ask(read: Callable[[], object]) -> object:
    try:
        return read()
    except MemoryError:
        raise
    except BaseException as error:  # a submission's own property
        name = name_of(type(error))
        return Unreadable(name if type(name) is str else "Exception")


def _public(thing: object, kind: type, most: int) -> list[tuple[str, object]] | None:
    found: dict[str, object] = {}
    content: object = _NONE
    for base in mro_of(kind):
        if content is _NONE and base in _CONTENTS:
            content = _CONTENTS[base](thing)
        for name, part in space_of(base).items():
            if type(name) is not str or type(part) not in (_MEMBER, GETSET):
                continue
            if name == "__dict__" and type(part) is GETSET:
                space = part.__get__(thing)
                if type(space) is dict:
                    if len(space) > most:
                        return None
                    found |= {key: space[key] for key in space if type(key) is str}
            elif type(part) is _MEMBER and id(base) not in _BUILTIN_BASES:
                try:
                    found.setdefault(name, part.__get__(thing))
                except AttributeError:  # a slot that nothing was put into
                    continue
    named = [(name, found[name]) for name in sorted(found) if name[:1] != "_"]
    if not named and "_name_" in found and "_value_" in found:  # a member of an Enum
        named = [("name", found["_name_"]), ("value", found["_value_"])]
    return named if content is _NONE else [("", content), *named]


def data_kind(kind: type) -> type | None:
    """Return the built-in type, such as `int` or `list`, that `kind` is or derives from; None if
    it derives from none.
    """
    return next((base for base in mro_of(kind) if id(base) in _DATA), None)


def content(thing: object, kind: type) -> Any:
    """Return the content of a scalar, such as the `int` in an object of a subclass of `int`, read
    with the built-in type's method.
    """
    return _CONTENTS[kind](thing) if kind in _CONTENTS else thing


def members(thing: object, kind: type) -> list[object]:
    """Return the items of a container; for a dict key, value, key, value and so on.

    They are read with the built-in type's method, so that nothing is hashed or compared again.
    """
    if kind is dict:
        items: Iterable[tuple[object, object]] = dict.items(thing)  # type: ignore[arg-type]
        return [part for pair in items for part in pair]
    return list(kind.__iter__(thing))  # type: ignore[attr-defined]


def repr_of(thing: object, kind: type) -> str | None:
    """Return the `repr` of a standard-library value, such as a date, if the `repr` describes it
    completely; None for any other value.
    """
    module = space_of(kind).get("__module__")
    if type(module) is not str:
        module = kind.__module__ if kind.__flags__ & _HEAP == 0 else None
        module = module if type(module) is str else ""
    name = name_of(kind)
    listed = name in _BY_REPR.get(module, ())
    is_real = listed and getattr(sys.modules.get(module), name, None) is kind
    return repr(thing) if is_real else None


def without_addresses(text: str) -> str:
    """Return the text with `0x7f…` instead of every address."""
    if "0x" not in text:
        return text
    first, *rest = text.split("0x")
    return first + "".join(["0x…" + part.lstrip("0123456789abcdefABCDEF") for part in rest])


def is_data(expected: object) -> bool:
    """Return whether the expected value and everything in it has a built-in data type."""
    kind = type(expected)
    if data_kind(kind) is not kind:
        return False
    return kind not in _CONTAINER_TYPES or all(map(is_data, members(expected, kind)))


def compared(value: object, expected: object, comparison: ObjectEquality) -> object:
    """Return the result of the program's `==` if `value` is an object of its class; for other
    values, whether they are equal.
    """
    kind = type(expected)
    if comparison.is_own(kind):
        return value == expected
    if data_kind(kind) is not kind:  # of the standard library: its own method says it
        return not comparison.is_own(type(value)) and kind.__eq__(expected, value) is True
    base = data_kind(type(value))
    if kind in _NUMBERS and base in _NUMBERS:
        return content(value, base) == expected
    if base is not kind:
        return False
    if kind not in _CONTAINER_TYPES:
        return content(value, kind) == expected
    parts, others = members(value, kind), members(expected, kind)
    if len(parts) != len(others):
        return False
    if kind in _SEQUENCES:
        return all(
            compared(part, other, comparison) is True
            for part, other in zip(parts, others, strict=True)
        )
    step = 2 if kind is dict else 1
    left = [parts[at : at + step] for at in range(0, len(parts), step)]
    for at in range(0, len(others), step):
        pair = others[at : at + step]
        for number, candidate in enumerate(left):
            both = zip(candidate, pair, strict=True)
            if all(compared(part, other, comparison) is True for part, other in both):
                del left[number]
                break
        else:
            return False
    return True


MAX_PARTS = 20_000  # a parent compares so many in a tenth of a second
MAX_TEXT = 1_000_000
MAX_NAME = 1000
MAX_DEPTH = 100
MAX_INT_BITS = 14_000  # about 4,200 digits: what `repr` of an int gives by default

_MAX_YIELDED = 1000

_bit_length = int.bit_length
_NO_COMPARISON = ObjectEquality(frozenset(), {})

FUNCTION = type(lambda: None)
_METHOD = type(_NO_COMPARISON.is_own)
# Among them what built-in types have: `str.upper`, `str.__len__`, `"".__len__`.
_BUILT_IN = frozenset(map(id, (type(len), type(str.upper), type(str.__len__), type("".__len__))))
# Our replacements of built-in functions: their names by the identity of their types, which live on.
like_built_in: dict[int, str] = {}
_ELLIPSIS = type(...)
_SCALARS = frozenset(map(id, (type(None), bool, int, float, complex, str, bytes, _ELLIPSIS)))
_CONTAINERS = frozenset(map(id, (list, tuple, set, frozenset, dict)))
_ITERATORS = frozenset(
    map(id, (type(_ for _ in ()), map, filter, zip, enumerate, reversed, type(iter([])),
             type(iter(())), type(iter({})), type(iter("")), type(iter(range(0)))))
)  # fmt: skip


class TooLargeError(Exception):
    """Raised if a value does not fit into its answer. `str()` names the value."""


class SizeBudget:
    """The space left for one answer, and how its objects are compared.

    `objects` counts the objects described so far. With `as_data`, a value whose class derives from
    a built-in data type is described as that type.
    """

    def __init__(self, comparison: ObjectEquality = _NO_COMPARISON) -> None:
        self.parts = MAX_PARTS
        self.text = MAX_TEXT
        self.comparison = comparison
        self.objects = 0
        self.as_data = False

    def spend(self, text: str) -> str:
        """Subtract the length of `text` from the space and return `text`.

        Raise TooLargeError if it does not fit.
        """
        self.text -= len(text)
        if self.text < 0:
            raise TooLargeError(f"more than {MAX_TEXT} characters")
        return text


def encode(thing: object, budget: SizeBudget) -> str:
    """Return the value as JSON: `["int","5"]`, `["list",[…]]`, `["too_large","…"]`."""
    try:
        return _encode(thing, budget, set(), 0)
    except TooLargeError as error:
        return '["too_large",' + quote(str(error)) + "]"


def encode_returned(thing: object, budget: SizeBudget) -> str:
    """Encode a call's result.

    As `encode`, but an iterator is described by its first items and an Ellipsis.
    """
    if id(type(thing)) not in _ITERATORS:
        return encode(thing, budget)
    yielded = list(islice(thing, _MAX_YIELDED + 1))  # type: ignore[call-overload]
    if len(yielded) > _MAX_YIELDED:
        yielded[-1] = ...
    try:
        parts = [_encode(part, budget, {id(thing)}, 1) for part in yielded]
    except TooLargeError as error:
        return '["too_large",' + quote(str(error)) + "]"
    return _named("iterator", type_name(type(thing)), parts)


def encode_data(thing: object, budget: SizeBudget) -> str:
    """Encode as `encode_returned` does, but describe a value derived from built-in data, such as a
    subclass of `int`, as that type.
    """
    budget.as_data = True
    try:
        return encode_returned(thing, budget)
    finally:
        budget.as_data = False


def encode_answer(thing: object, question: str, answer: object, budget: SizeBudget) -> str:
    """Encode an object together with its answer to one question, such as `== Account('a')`;
    nothing else of it is observed.
    """
    said = encode(answer, budget)
    has_own = any("__eq__" in space_of(base) for base in mro_of(type(thing))[:-1])
    if answer is False and not has_own:
        said = '["foreign","no __eq__"]'
    parts = ['["str",' + _quoted(question, budget) + "]", said]
    return _named("object", type_name(type(thing)), parts)


def encode_all(things: Iterable[object], budget: SizeBudget) -> str:
    """Return several values as a JSON list."""
    return "[" + ",".join([encode(thing, budget) for thing in things]) + "]"


def is_plain(thing: object, budget: SizeBudget) -> bool:
    """Return whether the value is data: not a function, a class or a module."""
    kind = type(thing)
    built_in = id(kind) in _SCALARS or id(kind) in _CONTAINERS or kind is range
    return built_in or budget.comparison.is_own(kind)


def type_name(kind: type) -> str:
    """Return a type's own name, without asking its metaclass."""
    name = name_of(kind)
    return name if type(name) is str else "object"


def _encode(thing: object, budget: SizeBudget, above: set[int], depth: int) -> str:
    kind = type(thing)
    budget.parts -= 1
    if budget.parts < 0:
        raise TooLargeError(f"more than {MAX_PARTS} parts")
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
    if type(thing) is bytes and len(thing) > MAX_TEXT:
        raise TooLargeError(f"{len(thing)} bytes")
    if type(thing) is int and _bit_length(thing) > MAX_INT_BITS:
        raise TooLargeError(f"an integer of {_bit_length(thing)} bits")
    try:
        text = repr(thing)
    except ValueError:  # a submission may lower `sys.set_int_max_str_digits`
        raise TooLargeError("an integer of too many digits") from None
    name = "ellipsis" if kind is _ELLIPSIS else kind.__name__
    return '["' + name + '",' + _quoted(text, budget) + "]"


def _quoted(text: str, budget: SizeBudget) -> str:
    if len(text) > MAX_TEXT:
        raise TooLargeError(f"a text of {len(text)} characters")
    return budget.spend(quote(text))


def _other(thing: object, kind: type, budget: SizeBudget) -> str | None:
    """Encode a value that is neither a scalar nor a container.

    Return None for objects of the program's classes, arrays and tables, which the caller handles.
    """
    if type(thing) is range:
        ends = (thing.start, thing.stop, thing.step)
        if all(type(end) is int and _bit_length(end) < MAX_INT_BITS for end in ends):
            return '["range",' + _quoted(repr(thing), budget) + "]"
    known = id(kind) in _BUILT_IN or id(kind) in like_built_in
    if known or kind is FUNCTION or kind is _METHOD:
        return '["function",' + _quoted(encodable(_name_of(thing)), budget) + "]"
    if kind is type:
        return _named("foreign", "type", ['["str",' + _quoted(type.__repr__(thing), budget) + "]"])
    if kind is Unreadable:
        name = thing.name[:MAX_NAME]  # type: ignore[attr-defined]
        return '["unreadable",' + _quoted(name, budget) + "]"
    budget.objects += 1
    if budget.comparison.is_own(kind) or group_of(kind):
        return None
    if (text := repr_of(thing, kind)) is not None:
        return _named("foreign", type_name(kind), ['["str",' + _quoted(text, budget) + "]"])
    return '["foreign",' + _quoted(type_name(kind)[:MAX_NAME], budget) + "]"


def _nested(
    thing: object, base: type | None, budget: SizeBudget, above: set[int], depth: int
) -> str:
    """Encode a container whose built-in type is `base`; return None for an object of the program's
    class.
    """
    if id(thing) in above:
        return '["cycle",""]'
    if depth >= MAX_DEPTH:
        raise TooLargeError(f"nested more than {MAX_DEPTH} deep")
    above.add(id(thing))
    if base is not None:
        parts = [_encode(part, budget, above, depth + 1) for part in members(thing, base)]
        text = '["' + base.__name__ + '",[' + ",".join(parts) + "]]"
    else:
        attributes = _attributes(thing, budget)
        parts = []
        for name, value in attributes:
            parts.append('["str",' + _quoted(name, budget) + "]")
            parts.append(_encode(value, budget, above, depth + 1))
        text = _named("object", type_name(type(thing)), parts)
    above.discard(id(thing))
    return text


def _attributes(thing: object, budget: SizeBudget) -> list[tuple[str, object]]:
    """Return the names and values by which an object, an array or a table is compared."""
    group = group_of(type(thing))
    if group and not budget.comparison.is_own(type(thing)):
        try:
            return parts_of(thing, group, budget.parts)
        except TooManyItemsError:
            raise TooLargeError(f"more than {MAX_PARTS} parts") from None
        except Exception as error:  # a program may change a package
            return [("", Unreadable(type_name(type(error))))]
    attributes = budget.comparison.attributes(thing, budget.parts)
    if attributes is None:
        raise TooLargeError(f"more than {MAX_PARTS} attributes")
    return attributes


def encodable(name: str) -> str:
    """Return the name of a function or file, shortened if needed and with lone surrogates escaped,
    so that it can be sent as text.
    """
    name = name[:MAX_NAME]
    if name.isascii():
        return name
    return name.encode("utf-8", "backslashreplace").decode()[:MAX_NAME]


def _named(kind: str, name: str, parts: list[str]) -> str:
    return '["' + kind + '",' + quote(name[:MAX_NAME]) + ",[" + ",".join(parts) + "]]"


def _name_of(thing: object) -> str:
    if type(thing) is _METHOD:
        thing = thing.__func__  # type: ignore[attr-defined]
    name = like_built_in.get(id(type(thing)))
    if type(thing) is FUNCTION:
        name = thing.__name__
    elif id(type(thing)) in _BUILT_IN:
        name = thing.__qualname__  # type: ignore[attr-defined]
    return name if type(name) is str else "function"
