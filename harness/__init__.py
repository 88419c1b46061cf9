"""A grading and conformance harness for introductory programming assignments.

`from harness import load_assignment, grade, check` gives the commands' jobs to Python programs;
they are described in `harness.api`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.api import check, grade, load_assignment

__version__ = "0.1.0"
__all__ = ["__version__", "check", "grade", "load_assignment"]


def __getattr__(name: str) -> Any:
    # Loaded only if it is used: a worker, or a test run that only finds the plugin, needs none of
    # it.
    if name in __all__:
        api = importlib.import_module("harness.api")
        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
