"""Finds out whether a scenario changed any object that the program's global names reach, in a
process that scenarios share.

Objects are compared by identity and in order, so `True` instead of 1, or a dictionary in another
order, is a change. Even an unchanged dictionary may remember something: an item that was removed
and inserted again has another place in its table, which iterators show. Each dictionary is
therefore filled again. State that cannot be reached from here is excluded by
`harness.policy.checking`.
"""

from __future__ import annotations

import builtins
from _operator import attrgetter, is_

from ..messages.codec import FUNCTION, GETSET
from .namespaces import Names, are_same, changed_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import Any


class NotPlainError(Exception):
    """A module's name reaches an object that may change without being noticed. `str()` names it."""


_WRAPPERS = (staticmethod, classmethod)
# What objects hold beside items and names. `__init__` sets it anew, which a program can call by way
# of `super()` in a class that is derived from its own and from the object's.
_OF_WRAPPER = attrgetter("__func__", "__wrapped__")
_OF_PROPERTY = attrgetter("fget", "fset", "fdel")
_ALIASES = (type(list[int]), type(int | None))
_LEAVES = frozenset(
    map(id, (type(None), bool, int, float, complex, str, bytes, range, type(...),
             type(NotImplemented), GETSET))
)  # fmt: skip
_MAX_ITEMS = 10_000  # of a dictionary that is filled anew after each question
# Names that the import system puts into every module; none is the program's.
_MACHINERY = frozenset({"__builtins__", "__loader__", "__spec__", "__cached__", "__annotations__"})
_OWN_CLASS = ("__class__",)  # what `super()` needs; no statement that is allowed can bind it


class Snapshot:
    """All objects that the program's modules and the replacement modules reach at the moment when
    it is made. `fixed` are the `id`s of objects that cannot change.

    Raise NotPlainError for objects whose changes would not be noticed: a set (its table remembers
    removed items), an iterator, a generator, an instance, a closure, another module.
    """

    def __init__(self, modules: Iterable[ModuleType], fixed: frozenset[int]) -> None:
        self._lists: list[tuple[str, list[Any], list[Any]]] = []
        self._mappings: list[tuple[str, Any, list[Any], list[Any]]] = []
        self._dictionaries: list[tuple[str, dict[Any, Any], dict[Any, Any]]] = []
        self._namespaces: list[Names] = []
        self._functions: list[tuple[str, Any, object, object]] = []
        self._holders: list[tuple[str, Any, Callable[[Any], tuple[Any, ...]], tuple[Any, ...]]] = []
        self._visited: set[int] = set()
        self._modules = list(modules)
        self._names = frozenset(module.__name__ for module in self._modules)
        self._fixed = fixed
        try:
            for module in self._modules:
                space = vars(module)
                name_of_module = space.get("__file__") or module.__name__
                self._namespaces.append(Names("a name of " + name_of_module, space))
                for name, value in list(space.items()):
                    if name not in _MACHINERY:
                        self._reach(name, value, "at module level")
        except RecursionError:
            raise NotPlainError("its data are nested too deeply to be examined") from None
        self._namespaces.append(Names("a built-in", vars(builtins)))
        for quitter in (builtins.exit, builtins.quit):  # which take attributes
            self._record("`exit`", vars(quitter))
        for name, dictionary, filled in self._dictionaries:
            if not _filled_anew(dictionary, filled):
                raise NotPlainError(f"{name} lost items while it was loaded, and may change unseen")

    def change(self) -> str:
        """Describe the first change, such as "`board`, a list at module level"; return an empty
        text if nothing has changed.
        """
        for name, items, kept in self._lists:
            if not are_same(items, kept):
                return name
        for names in self._namespaces:
            if changed := names.change():
                return changed
        for name, mapping, keys, values in self._mappings:
            if not are_same(mapping.values(), values):
                return name + changed_key(mapping, keys, values)
            if not all(map(is_, mapping, keys)):
                return name
        for name, function, defaults, keywords in self._functions:
            if function.__defaults__ is not defaults or function.__kwdefaults__ is not keywords:
                return name
            if function.__dict__:
                return name
        for name, holder, parts_of, parts in self._holders:
            if not all(map(is_, parts_of(holder), parts)):
                return name
        return ""

    def restore(self) -> None:
        """Fill each dictionary again; call this only if nothing has changed."""
        for _, dictionary, filled in self._dictionaries:
            dictionary.clear()
            dictionary.update(filled)

    def _record(self, name: str, mapping: Any) -> None:
        self._mappings.append((name, mapping, list(mapping), list(mapping.values())))

    def _hold(self, name: str, holder: Any, parts_of: attrgetter[tuple[Any, ...]]) -> list[Any]:
        parts = parts_of(holder)
        self._holders.append((name, holder, parts_of, parts))
        return list(parts)

    def _reach(self, name: str, value: Any, where: str) -> None:
        kind = type(value)
        if id(kind) in _LEAVES or id(value) in self._visited or id(value) in self._fixed:
            return
        self._visited.add(id(value))
        if kind is list:
            self._lists.append((f"`{name}`, a list {where},", value, list(value)))
            parts: list[Any] = value
        elif kind is dict:
            described = f"`{name}`, a dictionary {where},"
            if len(value) > _MAX_ITEMS:
                raise NotPlainError(f"{described} is too large to be restored")
            self._record(described, value)
            self._dictionaries.append((described, value, value.copy()))
            parts = [*value, *value.values()]
        elif kind is tuple or kind is frozenset:
            parts = list(value)
        elif kind is FUNCTION:
            parts = self._function(name, value, where)
        elif kind is type and value.__module__ in self._names:
            space = value.__dict__
            self._record(f"`{name}`, a class,", space)
            for key, part in space.items():
                self._reach(f"{name}.{key}", part, "in a class")
            parts = list(value.__bases__)
        elif kind in _WRAPPERS:
            self._record(f"`{name}`, a {kind.__name__},", value.__dict__)
            parts = self._hold(f"`{name}`, a {kind.__name__},", value, _OF_WRAPPER)
            parts += value.__dict__.values()
        elif kind is property:
            parts = self._hold(f"`{name}`, a property,", value, _OF_PROPERTY)
        elif kind in _ALIASES:
            parts = list(value.__args__)
        elif (kind is type and value.__module__ == "builtins") or any(
            value is module for module in self._modules
        ):
            parts = []
        else:
            article = "an" if kind.__name__[:1] in "aeiouAEIOU" else "a"
            described = f"`{name}`, {article} {kind.__name__} {where},"
            raise NotPlainError(f"{described} may change unseen")
        for part in parts:
            self._reach(name, part, where)

    def _function(self, name: str, function: Any, where: str) -> list[Any]:
        closure = function.__closure__
        if closure is not None and function.__code__.co_freevars != _OWN_CLASS:
            raise NotPlainError(f"`{name}`, a function with a closure {where}, may change unseen")
        if function.__dict__:
            raise NotPlainError(f"`{name}`, a function with attributes {where}, may change unseen")
        defaults, keywords = function.__defaults__, function.__kwdefaults__
        self._functions.append((f"`{name}`, a function,", function, defaults, keywords))
        try:
            cells = [cell.cell_contents for cell in closure or ()]
        except ValueError:
            raise NotPlainError(f"`{name}`, a method {where}, has no class") from None
        return [*(defaults or ()), *(keywords or {}).values(), *cells]


def _filled_anew(dictionary: dict[Any, Any], filled: dict[Any, Any]) -> bool:
    """Empty the dictionary and fill it again.

    Return whether its table is as before; if no item was removed, it has no gaps.
    """
    before = _table(dictionary)
    dictionary.clear()
    dictionary.update(filled)
    after = _table(dictionary)
    dictionary.clear()
    dictionary.update(filled)
    return before == after


def _table(dictionary: dict[Any, Any]) -> tuple[int, int]:
    """Return the size of a dictionary's table, and how many items can be inserted before the table
    grows.
    """
    size, count = dictionary.__sizeof__(), 0
    while dictionary.__sizeof__() == size:
        dictionary[f"\0{count}"] = None
        count += 1
    return size, count
