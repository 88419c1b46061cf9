"""Decides what a program may do to the objects that a test passes to it."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from .peer import SPECIALS
from .values import MalformedError

# Objects of these types lead to everything that a test knows.
_NEVER_GIVEN = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
_NEVER_SET = (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_ONLY_CALLED = (*_NEVER_SET, functools.partial)


def require(condition: bool) -> None:
    """Raise MalformedError if a condition for a request does not hold."""
    if not condition:
        raise MalformedError("an operation")


def kept_names(thing: object) -> frozenset[str]:
    """Return the names by which a mock tells a test what was called; empty for other objects."""
    mock = sys.modules.get("unittest.mock")
    if mock is None or not isinstance(thing, mock.NonCallableMock):
        return frozenset()
    return frozenset(dir(mock.AsyncMock)) | {"method_calls"}


def check_may_set(thing: object, name: str, *, is_remote_value: bool) -> None:
    """Raise AttributeError unless a program may set this attribute of a test's object: it could
    otherwise put its own answer instead of a check."""
    if isinstance(thing, _NEVER_SET) or callable(getattr(type(thing), name, None)):
        raise AttributeError(f"a program cannot replace {name} of a test")
    if is_remote_value and kept_names(thing):
        raise AttributeError(f"a mock's {name} cannot be an object of the program")


def given_attribute(value: Any) -> Any:
    """Return an attribute that a program asked for. AttributeError for what leads further."""
    if isinstance(value, _NEVER_GIVEN):
        raise AttributeError("this cannot be passed to a program")
    return value


def specials_of(thing: object) -> frozenset[str]:
    """Return the special methods that a program may call: those that the object's class defines. A
    function or class can only be called, because its `__repr__` says the name of the test."""
    if isinstance(thing, _ONLY_CALLED):
        return frozenset(("__call__",))
    bases = type(thing).__mro__[:-1]  # without `object`
    return frozenset(name for name in SPECIALS if any(name in base.__dict__ for base in bases))


def is_failure(error: BaseException) -> bool:
    """Return whether a test fails by this exception, and nothing else goes wrong."""
    if isinstance(error, AssertionError):
        return True
    outcomes = sys.modules.get("_pytest.outcomes")
    return outcomes is not None and isinstance(error, outcomes.OutcomeException)
