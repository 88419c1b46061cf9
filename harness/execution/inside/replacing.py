"""Replaces Python's functions by ours so that a program notices only their effect, no other
difference.
"""

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
    """Replace the function of `module` that has the same name as `function`.

    If a program passes a different number of arguments, or passes them by name, Python's own
    function is called, so that its error messages stay the same.
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
    """Replace the function `name` of `module` by `called`, which gets every call."""
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
    """Set a class method of a built-in class, to which Python code cannot assign.

    Call `forget_methods` afterwards.
    """
    _put_into(kind, method.__name__, classmethod(method))


def put_method(kind: type, name: str, called: Any) -> None:
    """Replace the method `name` of a built-in class, to which Python code cannot assign, by
    `called`, which gets every call.
    """
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
    """Clear the interpreter's cache of methods, so that replaced ones are found."""
    clear = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache
    clear()
