"""What can be observed of an object of a class: its public attributes, or what an assignment names.

Attributes are read from the instance's dictionary and slots by the interpreter's own descriptors,
so that no code of the class runs; where an assignment names attributes, or asks for the `repr`, the
class's own code answers, within the limits of its scenario.

Also whether a value is equal to what `{equals: …}` gives beside the submission. Data is never
compared here: the parent does that. The submission's own `==` is asked where the expected value, or
a part of it, is an object of one of its classes, and nowhere else.
"""

from __future__ import annotations

import sys

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

# What an instance of a class derived from one of these holds, by the built-in type's own method.
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
_CONTAINERS = (*_SEQUENCES, set, frozenset, dict)
_NUMBERS = (bool, int, float, complex)


class ObjectEquality:
    """How objects are compared: `own` are the modules whose classes count as the program's, `by` is
    what an assignment says of classes by name: names of attributes, or "attributes", "repr",
    "equality" and "none"."""

    def __init__(self, own: frozenset[str], by: dict[str, Any]) -> None:
        self._own = own
        self._by = by

    def is_own(self, kind: type) -> bool:
        """Whether the class, or one that it is derived from, is the program's."""
        if not self._own:
            return False
        for base in mro_of(kind)[:-1]:
            module = space_of(base).get("__module__")
            if type(module) is str and module in self._own:
                return type not in mro_of(kind)
        return False

    def attributes(self, thing: object, most: int) -> list[tuple[str, object]] | None:
        """The names and values that count, `most` or fewer; None where there are more. Of a class
        that is derived from a built-in one the first is its content, without a name."""
        kind = type(thing)
        for base in mro_of(kind)[:-1]:
            by = self._by.get(name_of(base))
            if by is None or by == "attributes":
                continue
            if by == "repr":
                return [("repr", _asked(lambda: without_addresses(repr(thing))))]
            if by == "equality":
                return []
            if by == "none":
                return [("", ...)]
            return [(name, _asked(lambda name=name: getattr(thing, name))) for name in by]  # type: ignore[misc]
        return _public(thing, kind, most)


class Unreadable:
    """In place of an attribute that raised an exception of this name when it was read."""

    def __init__(self, name: str) -> None:
        self.name = name


def _asked(read: Callable[[], object]) -> object:
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
    """The built-in kind of data that the type is or is derived from; None for any other."""
    return next((base for base in mro_of(kind) if id(base) in _DATA), None)


def content(thing: object, kind: type) -> Any:
    """A scalar's content, read with the method of its built-in kind."""
    return _CONTENTS[kind](thing) if kind in _CONTENTS else thing


def members(thing: object, kind: type) -> list[object]:
    """What a container holds (a dict: key, value, key, value …), read with the method of its
    built-in kind: nothing is hashed or compared anew."""
    if kind is dict:
        items: Iterable[tuple[object, object]] = dict.items(thing)  # type: ignore[arg-type]
        return [part for pair in items for part in pair]
    return list(kind.__iter__(thing))  # type: ignore[attr-defined]


def repr_of(thing: object, kind: type) -> str | None:
    """The `repr` of a value of the standard library's that says everything; None for any other."""
    module = space_of(kind).get("__module__")
    if type(module) is not str:
        module = kind.__module__ if kind.__flags__ & _HEAP == 0 else None
        module = module if type(module) is str else ""
    name = name_of(kind)
    listed = name in _BY_REPR.get(module, ())
    if listed and getattr(sys.modules.get(module), name, None) is kind:
        return repr(thing)
    return None


def without_addresses(text: str) -> str:
    """The text with `0x7f…` in place of every address."""
    if "0x" not in text:
        return text
    first, *rest = text.split("0x")
    return first + "".join(["0x…" + part.lstrip("0123456789abcdefABCDEF") for part in rest])


def is_data(expected: object) -> bool:
    """Whether the expected value is of built-in kinds of data alone, with all of its parts."""
    kind = type(expected)
    if data_kind(kind) is not kind:
        return False
    return kind not in _CONTAINERS or all(map(is_data, members(expected, kind)))


def answer(value: object, expected: object, comparison: ObjectEquality) -> object:
    """What `==` says of an object of the program's own; of anything else whether it is equal."""
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
    if kind not in _CONTAINERS:
        return content(value, kind) == expected
    parts, others = members(value, kind), members(expected, kind)
    if len(parts) != len(others):
        return False
    if kind in _SEQUENCES:
        return all(
            answer(part, other, comparison) is True
            for part, other in zip(parts, others, strict=True)
        )
    step = 2 if kind is dict else 1
    left = [parts[at : at + step] for at in range(0, len(parts), step)]
    for at in range(0, len(others), step):
        pair = others[at : at + step]
        for number, own in enumerate(left):
            if all(answer(*both, comparison) is True for both in zip(own, pair, strict=True)):
                del left[number]
                break
        else:
            return False
    return True
