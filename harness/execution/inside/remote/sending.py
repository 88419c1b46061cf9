"""Decides what a test's process may send to the program.

Values that could be expected values must not be sent, and the program may use objects of the test
only in certain ways.
"""

from __future__ import annotations

import functools
import sys
import types
from collections import Counter, OrderedDict, deque
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

from .peer import SPECIALS
from .values import MalformedError

OPERATORS = frozenset(("__lt__", "__le__", "__gt__", "__ge__", "__contains__")) | frozenset(
    f"__{prefix}{name}__"
    for prefix in ("", "r", "i")
    for name in (
        "add", "and", "divmod", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow",
        "rshift", "sub", "truediv", "xor",
    )
)  # fmt: skip
_PLAIN_KINDS = (
    str, bytes, bytearray, int, float, complex, list, tuple, dict, set, frozenset, range, deque,
    Counter, OrderedDict, date, datetime, time, timedelta, Decimal, Fraction, PurePosixPath,
)  # fmt: skip
OF_PLAIN = frozenset(name for kind in _PLAIN_KINDS for name in dir(kind) if name[:1] != "_")


class SentNames:
    """Names that plain values have too and that are nevertheless asked for with values: `objects`
    of objects, `modules` of modules (None: any). A test imports no other name of a module by `*`:
    the program would choose what `all` or `zip` is in the test."""

    def __init__(self, objects: tuple[str, ...] | None, modules: tuple[str, ...] | None) -> None:
        self._objects = None if objects is None else frozenset(objects)
        self._modules = None if modules is None else frozenset(modules)

    def has_object(self, name: str) -> bool:
        return self._objects is None or name in self._objects

    def defines(self, name: str) -> bool:
        """Return whether a class of the reference is known to define it."""
        return self._objects is not None and name in self._objects

    def has_module(self, name: str) -> bool:
        return self._modules is None or name in self._modules


def not_sent(kind: str, name: str) -> TypeError:
    """Return the error of a test that passes a value to a method of no known class."""
    what = f"a value is not passed to {name} of an object of the program's ({kind})"
    return TypeError(f"{what}: no class of the reference has it")


class CalledWithoutValues:
    """A method of a program's object whose name plain values have too, such as `startswith` of a
    text. Calling it with arguments is refused, because they could tell the program what the
    test expects.
    """

    def __init__(self, method: Any, kind: str, name: str) -> None:
        self._method = method
        self._kind = kind
        self._name = name

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if arguments or keywords:
            raise not_sent(self._kind, self._name)
        return self._method()

    def __repr__(self) -> str:
        return self._name


# Objects of these types lead to everything that a test knows.
_NEVER_GIVEN = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
_NEVER_SET = (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_ONLY_CALLED = (*_NEVER_SET, functools.partial)


def require(condition: bool) -> None:
    """Raise MalformedError if the condition, a requirement on a request, is false."""
    if not condition:
        raise MalformedError("an operation")


def kept_names(thing: object) -> frozenset[str]:
    """Return the attributes in which a mock records its calls; empty for other objects."""
    mock = sys.modules.get("unittest.mock")
    if mock is None or not isinstance(thing, mock.NonCallableMock):
        return frozenset()
    return frozenset(dir(mock.AsyncMock)) | {"method_calls"}


def check_may_set(thing: object, name: str, *, is_remote_value: bool) -> None:
    """Raise AttributeError unless the program may set this attribute of a test's object.

    Otherwise it could replace a check by its own answer.
    """
    if isinstance(thing, _NEVER_SET) or callable(getattr(type(thing), name, None)):
        raise AttributeError(f"a program cannot replace {name} of a test")
    if is_remote_value and kept_names(thing):
        raise AttributeError(f"a mock's {name} cannot be an object of the program")


def given_attribute(value: Any) -> Any:
    """Return the value of an attribute that the program asked for.

    Raise AttributeError if the value would give access to further objects of the test.
    """
    if isinstance(value, _NEVER_GIVEN):
        raise AttributeError("this cannot be passed to a program")
    return value


def specials_of(thing: object) -> frozenset[str]:
    """Return the special methods of an object that the program may call: those that its class
    defines. Of functions and classes only `__call__`, because their `__repr__` tells the test's
    name.
    """
    if isinstance(thing, _ONLY_CALLED):
        return frozenset(("__call__",))
    bases = type(thing).__mro__[:-1]  # without `object`
    return frozenset(name for name in SPECIALS if any(name in base.__dict__ for base in bases))


def is_failure(error: BaseException) -> bool:
    """Return whether the exception means that a test failed, not that something else went wrong."""
    if isinstance(error, AssertionError):
        return True
    outcomes = sys.modules.get("_pytest.outcomes")
    return outcomes is not None and isinstance(error, outcomes.OutcomeException)
