"""What a program's own names say about an exception: a method that is nearly called so, one that
is outside its class, a first parameter that is not `self`, an attribute without `self.`."""

from __future__ import annotations

import sys
from _json import encode_basestring_ascii as quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_MOST_NAMES = 300
_LONGEST = 40
_mro_of = type.__dict__["__mro__"].__get__
_space_of = type.__dict__["__dict__"].__get__
_name_of = type.__dict__["__name__"].__get__
_FUNCTION = type(lambda: None)


def about(error: BaseException, frame: Any, own: Iterable[str]) -> str:
    """What is known, as a JSON object; empty where nothing is. `frame` is the innermost of the
    program's own, `own` are the names of its modules."""
    kind = type(error)
    if kind is AttributeError:
        name, thing = error.name, error.obj  # type: ignore[attr-defined]
        return _attribute(name, type(thing), own) if type(name) is str else ""
    if kind is TypeError:
        return _without_self(str(error), own)
    if kind is UnboundLocalError or kind is NameError:
        return _without_self_dot(error, frame)
    return ""


def nearest_of(name: str, own: Iterable[str]) -> str:
    """The public function or class of the program's that is called most like this; empty: none."""
    found: list[str] = []
    for space in _spaces(own):
        found += [
            key for key, value in space.items() if type(value) is _FUNCTION or _is_type(value)
        ]
    return _nearest(name, found)


def _attribute(name: str, kind: type, own: Iterable[str]) -> str:
    modules = set(own)
    names: list[str] = []
    owner = ""
    for base in _mro_of(kind)[:-1]:
        if _space_of(base).get("__module__") in modules:
            names += list(_space_of(base))
            owner = _name_of(base)
    if not names:
        return ""
    for space in _spaces(own):
        if type(space.get(name)) is _FUNCTION:
            return _said("outside", name, owner, "")
    near = _nearest(name, names)
    return _said("nearest", name, _name_of(kind), near) if near else ""


def _without_self(message: str, own: Iterable[str]) -> str:
    """`Account.deposit() takes 1 positional argument but 2 were given`, and the first of its
    parameters is not called self."""
    called, found, rest = message.partition("() takes ")
    owner, _, name = called.rpartition(".")
    if not found or not owner or " but " not in rest:
        return ""
    for space in _spaces(own):
        kind = space.get(owner)
        function = _space_of(kind).get(name) if _is_type(kind) else None
        if type(function) is _FUNCTION:
            code = function.__code__
            first = code.co_varnames[0] if code.co_argcount else ""
            if first != "self" and rest.startswith(str(code.co_argcount) + " "):
                return _said("no_self", name, owner, first)
    return ""


def _without_self_dot(error: BaseException, frame: Any) -> str:
    name = getattr(error, "name", None)
    if type(name) is not str:
        quoted = str(error).split("'")
        name = quoted[1] if len(quoted) > 2 else ""
    if frame is None or not name or frame.f_code.co_argcount == 0:
        return ""
    first = frame.f_code.co_varnames[0]
    thing = frame.f_locals.get(first)
    found = [_space_of(base).get("__dict__") for base in _mro_of(type(thing))]
    reader = next((each for each in found if type(each) is _GETSET), None)
    if reader is None or "." not in frame.f_code.co_qualname:
        return ""
    attributes = reader.__get__(thing)
    known = type(attributes) is dict and name in attributes
    if known or any(name in _space_of(base) for base in _mro_of(type(thing))[:-1]):
        return _said("self_dot", name, _name_of(type(thing)), first)
    return ""


class _Plain:
    pass


_GETSET = type(_Plain.__dict__["__dict__"])


def _is_type(thing: object) -> bool:
    return type in _mro_of(type(thing))


def _spaces(own: Iterable[str]) -> list[dict[str, Any]]:
    modules = [sys.modules.get(name) for name in own]
    return [vars(module) for module in modules if type(module) is type(sys)]


def _said(kind: str, name: str, owner: str, near: str) -> str:
    fields = (("kind", kind), ("name", name), ("owner", owner), ("near", near))
    return "{" + ",".join([f'"{key}":' + quote(text[:_LONGEST]) for key, text in fields]) + "}"


def _nearest(name: str, names: Iterable[str]) -> str:
    best, least = "", max(1, len(name) // 3) + 1
    for other in sorted({each for each in names if type(each) is str})[:_MOST_NAMES]:
        if other[:1] == "_" or other == name or len(other) > _LONGEST or len(name) > _LONGEST:
            continue
        distance = _distance(name.lower().replace("_", ""), other.lower().replace("_", ""))
        if distance < least:
            best, least = other, distance
    return best


def _distance(one: str, other: str) -> int:
    """How many characters to put in, take out or change."""
    row = list(range(len(other) + 1))
    for index, left in enumerate(one, 1):
        diagonal, row[0] = row[0], index
        for place, right in enumerate(other, 1):
            cost = min(row[place] + 1, row[place - 1] + 1, diagonal + (left != right))
            diagonal, row[place] = row[place], cost
    return row[-1]
