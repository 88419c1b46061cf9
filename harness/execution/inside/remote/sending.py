"""Decides which values a test may send to a program: none that could be an expected value."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

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
    """A method of a program's object that a test expects on a plain value, such as `startswith` of
    a text. With arguments it could learn the test's expectation."""

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
