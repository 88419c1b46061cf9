"""A program as `__main__`, and its exit status."""

from __future__ import annotations

import sys
from atexit import _run_exitfuncs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..modules import Library
    from ..scenario.evaluate import StimulusAnswer


def perform(library: Library, name: str, answer: StimulusAnswer) -> None:
    """Run a module as `__main__`, into `exit` and, for an uncaught exception, `raised`."""
    status = 0
    module = library.blank(name)
    library.program = name
    try:
        module.__name__ = "__main__"
        module.__spec__ = None
        sys.modules["__main__"] = module
        exec(library.sources[name].compiled(), module.__dict__)
    except SystemExit as error:
        _flush()
        status = _exit_status(error)
    except BaseException as error:
        status = 1
        answer.put_raised(error)
    _flush()
    _wait_for_threads()
    _run_exitfuncs()  # the process itself ends without
    answer.fields["exit"] = str(status)


def _exit_status(error: SystemExit) -> int:
    code: Any = error.code
    if code is None:
        return 0
    if issubclass(type(code), int):  # `isinstance` would ask the object
        return int.__and__(code, 0xFF)
    # As the interpreter itself does, for which the status is 1 whatever is wrong with the text.
    stream = sys.__stderr__ if sys.stderr is None else sys.stderr
    try:
        stream.write(str(code) + "\n")  # type: ignore[union-attr]
    except BaseException:
        return 1
    return 1


def _flush() -> None:
    """Show what was printed, in the order in which the interpreter does it at the end of a program:
    what follows may write to the other stream."""
    for stream in (sys.stderr, sys.stdout):
        try:
            stream.flush()
        except BaseException:  # closed or replaced by the program
            continue


def _wait_for_threads() -> None:
    """As the interpreter does before `atexit`. Only tiers that do not confine let threads start."""
    threading = sys.modules.get("threading")
    try:
        threading._shutdown()  # type: ignore[union-attr]
    except BaseException:  # there is none, or the program changed it
        return
