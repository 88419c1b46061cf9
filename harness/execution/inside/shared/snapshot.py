"""The dynamic half of the statelessness proof: what a program's names reach, and whether any of it
changed.

Everything is compared by identity, containers in their order, so that `True` put in place of 1 and
a dictionary in another order are changes. The static half (`harness.policy.statelessness`) keeps a
program away from everything that is not reached from here.
"""

from __future__ import annotations

import builtins
import sys
from _operator import is_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType
    from typing import Any


class NotPlainError(Exception):
    """A module's name reaches something that may change unseen. `str()` says what."""


class _Class:
    slot = None

    def method(self) -> None: ...


_FUNCTION = type(lambda: None)
_METHOD = type(_Class().method)
_BUILTIN = type(len)
_MODULE = type(sys)
_LEAVES = frozenset(
    map(id, (type(None), bool, int, float, complex, str, bytes, range, type(...),
             type(NotImplemented), type(_Class.__dict__["__dict__"])))
)  # fmt: skip
# What the import system puts into every module; none of it is the program's.
_MACHINERY = frozenset({"__builtins__", "__loader__", "__spec__", "__cached__", "__annotations__"})
_OWN_CLASS = ("__class__",)  # what `super()` needs; no statement that is allowed can bind it
_TYPE_MODULES = frozenset({"typing", "types", "__future__"})


class Snapshot:
    """What modules reach, at the moment it is taken.

    NotPlainError for what might change without being seen: a set (whose table remembers), an
    iterator, a generator, an instance, a closure, a module that is not allowed.
    """

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._lists: list[tuple[str, list[Any], list[Any]]] = []
        self._mappings: list[tuple[str, Any, list[Any], list[Any]]] = []
        self._functions: list[tuple[str, Any, Any, Any]] = []
        self._seen: set[int] = set()
        self._modules = list(modules)
        self._names = frozenset(module.__name__ for module in self._modules)
        self._known = _library_functions()
        for module in self._modules:
            space = vars(module)
            self._record("a name of " + module.__name__ + ".py", space)
            for name, value in list(space.items()):
                if name not in _MACHINERY:
                    self._reach(name, value, "at module level")
        self._record("a built-in", vars(builtins))

    def change(self) -> str:
        """What has changed since ("`board`, a list at module level"); empty when nothing has."""
        for name, items, kept in self._lists:
            if len(items) != len(kept) or not all(map(is_, items, kept)):
                return name
        for name, mapping, keys, values in self._mappings:
            if len(mapping) != len(keys) or not all(map(is_, mapping.values(), values)):
                return name + _changed_key(mapping, keys, values)
            if not all(map(is_, mapping, keys)):
                return name
        for name, function, defaults, keywords in self._functions:
            if (
                function.__dict__
                or function.__defaults__ is not defaults
                or function.__kwdefaults__ is not keywords
            ):
                return name
        return ""

    def _record(self, name: str, mapping: Any) -> None:
        self._mappings.append((name, mapping, list(mapping), list(mapping.values())))

    def _reach(self, name: str, value: Any, where: str) -> None:
        kind = type(value)
        if id(kind) in _LEAVES or id(value) in self._seen or id(value) in self._known:
            return
        self._seen.add(id(value))
        if kind is list:
            self._lists.append((f"`{name}`, a list {where},", value, list(value)))
            parts: list[Any] = value
        elif kind is dict:
            self._record(f"`{name}`, a dictionary {where},", value)
            parts = [*value, *value.values()]
        elif kind is tuple or kind is frozenset:
            parts = list(value)
        elif kind is _FUNCTION:
            parts = self._function(name, value, where)
        elif kind is type and value.__module__ in self._names:
            space = value.__dict__
            self._record(f"`{name}`, a class,", space)
            for key, part in space.items():
                self._reach(f"{name}.{key}", part, "in a class")
            parts = list(value.__bases__)
        elif _is_inert(value, kind) or (kind is _MODULE and value in self._modules):
            parts = []
        else:
            raise NotPlainError(f"`{name}`, {_described(kind)} {where}, may change unseen")
        for part in parts:
            self._reach(name, part, where)

    def _function(self, name: str, function: Any, where: str) -> list[Any]:
        closure = function.__closure__
        if closure is not None and function.__code__.co_freevars != _OWN_CLASS:
            raise NotPlainError(f"`{name}`, a function with a closure {where}, may change unseen")
        if function.__dict__:
            raise NotPlainError(f"`{name}`, a function with attributes {where}, may change unseen")
        self._functions.append(
            (f"`{name}`, a function,", function, function.__defaults__, function.__kwdefaults__)
        )
        keywords = function.__kwdefaults__ or {}
        cells = [cell.cell_contents for cell in closure or ()]
        return [*(function.__defaults__ or ()), *keywords.values(), *cells]


def _library_functions() -> frozenset[int]:
    """The identities of what may be taken out of `math` and `random`, and of the built-ins."""
    spaces = [vars(builtins)]
    spaces += [vars(sys.modules[name]) for name in ("math", "random") if name in sys.modules]
    found = {id(value) for space in spaces for value in space.values()}
    found |= {id(sys.modules[name]) for name in ("math", "random", "typing") if name in sys.modules}
    return frozenset(found)


def _is_inert(value: Any, kind: type) -> bool:
    """Whether it is a type of Python's own or a type alias: the static half protects both."""
    if kind is type and value.__module__ in ("builtins", "typing"):
        return True
    return kind.__module__ in _TYPE_MODULES


def _changed_key(mapping: Any, keys: list[Any], values: list[Any]) -> str:
    """Which name of a module or class changed, for the message."""
    before = dict(zip(keys, values, strict=True))
    for key in [*mapping, *keys]:
        if type(key) is str and before.get(key, before) is not mapping.get(key, mapping):
            return f" (`{key}`)"
    return ""


def _described(kind: type) -> str:
    name = kind.__name__
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"
