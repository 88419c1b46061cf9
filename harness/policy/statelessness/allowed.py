"""What a program may use and still be proved to keep nothing: names, attributes, functions."""

from __future__ import annotations

import builtins
import math
import types

DATA_TYPES = (str, list, dict, set, frozenset, tuple, int, float, complex, bool)

# Built-ins that compute from their arguments alone, print, or ask for input. Missing on purpose:
# what reads or writes namespaces (`globals`, `setattr`), runs text, opens files, shows identities
# (`id`, `hash`), makes types, reserves memory without touching it (`bytes`), or ends the program.
FUNCTIONS = frozenset(
    """
    abs all any ascii bin bool chr complex dict divmod enumerate filter float format frozenset hex
    input int isinstance issubclass iter len list map max min next oct ord pow print range repr
    reversed round set slice sorted str sum tuple zip
    """.split()  # noqa: SIM905
)
# Not RecursionError and MemoryError: who catches them by name wants to know a limit.
EXCEPTIONS = frozenset(
    """
    ArithmeticError AssertionError AttributeError BaseException EOFError Exception
    FloatingPointError ImportError IndexError KeyError KeyboardInterrupt LookupError
    ModuleNotFoundError NameError NotImplementedError OSError OverflowError RuntimeError
    StopIteration SyntaxError SystemExit TypeError UnboundLocalError UnicodeError ValueError
    Warning ZeroDivisionError
    """.split()  # noqa: SIM905
)
BUILTINS = FUNCTIONS | EXCEPTIONS | {"NotImplemented", "Ellipsis"}
# What `site` adds; the interpreter that reads a submission may have been started without it.
ALL_BUILTINS = frozenset(dir(builtins)) | {"exit", "quit", "help", "copyright", "credits"}
BASES = EXCEPTIONS | {"object"}

# `format` reads attributes of its arguments; it is allowed on constant texts alone.
METHODS = frozenset(
    name for kind in DATA_TYPES for name in dir(kind) if not name.startswith("_")
) - {"format", "format_map"}
EXCEPTION_ATTRIBUTES = frozenset({"args"})

DUNDER_METHODS = frozenset(
    {"__init__", "__str__", "__repr__", "__eq__", "__lt__", "__hash__", "__len__"}
)
# Names that many course templates bind at the top of a file.
METADATA = frozenset(
    {"__author__", "__copyright__", "__credits__", "__date__", "__email__", "__license__",
     "__maintainer__", "__status__", "__version__"}
)  # fmt: skip

MODULE_FUNCTIONS = {
    "math": frozenset(name for name in dir(math) if not name.startswith("_")),
    "random": frozenset(
        {"choice", "choices", "gauss", "randint", "random", "randrange", "sample", "shuffle",
         "triangular", "uniform"}
    ),
}  # fmt: skip


_INTERNAL_TYPES = (
    type,
    types.GeneratorType,
    types.AsyncGeneratorType,
    types.BuiltinFunctionType,
    types.CodeType,
    types.CoroutineType,
    types.FrameType,
    types.FunctionType,
    types.MethodType,
    types.ModuleType,
    types.TracebackType,
    property,
)
# A class of a submission must not have attributes called so, since their names would then be
# allowed on every value. `obj` of an AttributeError may be a module.
INTERNAL = frozenset(name for kind in _INTERNAL_TYPES for name in dir(kind)) | {
    "with_traceback", "obj",
}  # fmt: skip


def is_dunder(name: str) -> bool:
    """Whether Python itself gives the name a meaning: `__name__`."""
    return name.startswith("__") and name.endswith("__")
