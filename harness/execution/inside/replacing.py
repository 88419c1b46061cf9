"""Puts functions of ours in the places of Python's own, such that a program notices no other
difference than their effect."""

from __future__ import annotations

import gc
import sys

from .messages.codec import like_built_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# A class's cache of methods does not count a reference: the replaced method must live on.
_replaced: list[object] = []


def put_function(function: Callable[..., Any], module: str = "time") -> None:
    """Replace the module's function that has this name.

    If a program passes another number of arguments or passes them by name, Python's own function
    takes the call, so that its error messages stay.
    """
    name = function.__name__
    real = getattr(sys.modules[module], name)
    most = function.__code__.co_argcount
    taken = range(most - len(function.__defaults__ or ()), most + 1)

    def called(*given: Any, **named: Any) -> Any:
        taking = real if named or len(given) not in taken else function
        return taking(*given, **named)

    put_any_call(called, name, module)


def put_any_call(called: Callable[..., Any], name: str, module: str) -> None:
    """Replace the module's function `name` by one that takes every call of it."""
    real = getattr(sys.modules[module], name)
    setattr(sys.modules[module], name, _as_builtin(called, real))


def _as_builtin(called: Callable[..., Any], real: Any) -> Any:
    """Return an object that calls `called` and otherwise behaves like Python's own function.

    Unlike a function written in Python, the object does not become a method of a class that holds
    it (`nap = time.sleep`), its copy is the object itself, and messages name the usual type.
    """
    space = {
        "__slots__": ("__weakref__",),
        "__module__": real.__module__,
        "__doc__": real.__doc__,
        "__call__": staticmethod(called),
        "__getattr__": lambda replaced, name: getattr(real, name),
        "__repr__": lambda replaced: repr(real),
        "__reduce__": lambda replaced: real.__name__,
    }
    kind = type("builtin_function_or_method", (), space)
    _replaced.append(kind)
    like_built_in[id(kind)] = real.__name__
    return kind()


def put_class_method(kind: type, method: Any) -> None:
    """Put a class method of this name into a class that takes no attributes. Call
    `forget_methods` afterwards."""
    _put_into(kind, method.__name__, classmethod(method))


def put_method(kind: type, name: str, called: Any) -> None:
    """Put a method that takes every call of `name` into a class that takes no attributes."""
    real: Any = kind.__dict__[name]
    called.__name__, called.__qualname__ = name, real.__qualname__
    called.__doc__ = real.__doc__
    _put_into(kind, name, called)
    forget_methods()


def _put_into(kind: type, name: str, method: object) -> None:
    space = gc.get_referents(kind.__dict__)[0]
    _replaced.append(space[name])
    space[name] = method


def forget_methods() -> None:
    """Let the interpreter look for methods anew."""
    clear = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache
    clear()
