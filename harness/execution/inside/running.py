"""Runs a program as `__main__` to its end, as the interpreter does."""

from __future__ import annotations

import gc
import sys
from atexit import _run_exitfuncs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from .modules import Library

_MODULE = type(sys)
_INTERRUPTED = 130  # as a shell says it


class ProgramLeft(BaseException):
    """Raised when the program calls `os._exit` in a process that must continue."""

    def __init__(self, status: int) -> None:
        self.status = status


def run_as_main(
    library: Library, name: str, tell: Callable[[BaseException], object], *, ends: bool
) -> int:
    """Run a module as `__main__` and return its exit status. Pass an uncaught exception to `tell`.

    Wait for its threads only if the process `ends` with the program, because no thread can start
    after that.
    """
    status = 0
    module = _main_module(library, name)
    try:
        sys.modules["__main__"] = module
        exec(library.sources[name].compiled(), module.__dict__)
    except ProgramLeft as left:
        return left.status
    except SystemExit as error:
        _flush()
        status = _exit_status(error)
    except BaseException as error:
        status = _INTERRUPTED if type(error) is KeyboardInterrupt else 1
        tell(error)
        _tell_the_program(error)
    _flush()
    if ends:
        _wait_for_threads()
    _run_exitfuncs()  # the process itself ends without
    return status


def _main_module(library: Library, name: str) -> ModuleType:
    """Return an empty module `__main__` with the attributes that the interpreter sets."""
    library.program = name
    module = library.blank(name)
    module.__name__ = "__main__"
    module.__spec__ = module.__package__ = None
    module.__cached__ = None  # type: ignore[attr-defined]
    module.__builtins__ = sys.modules["builtins"]  # type: ignore[attr-defined]
    if sys.version_info < (3, 14):
        module.__annotations__ = {}
    return module


def _tell_the_program(error: BaseException) -> None:
    """Call `sys.excepthook` if the program replaced it.

    Python's own only prints the traceback, which the driver already has.
    """
    if sys.excepthook is sys.__excepthook__:
        return
    _flush()
    traceback = error.__traceback__
    without_our_frame = traceback and traceback.tb_next
    try:
        sys.excepthook(type(error), error, without_our_frame)
    except BaseException:  # the interpreter would print both, and end just so
        return


def _exit_status(error: SystemExit) -> int:
    code: Any = error.code
    if code is None:
        return 0
    if issubclass(type(code), int):  # `isinstance` would ask the object
        is_long = int.__ge__(code, -1 << 63) and int.__lt__(code, 1 << 63)
        return int.__and__(code, 0xFF) if is_long else 0xFF
    # As the interpreter itself does, for which the status is 1 for any mistake in the text.
    stream = sys.__stderr__ if sys.stderr is None else sys.stderr
    try:
        stream.write(str(code) + "\n")  # type: ignore[union-attr]
    except BaseException:
        return 1
    return 1


def _flush() -> None:
    """Flush stdout and stderr in the interpreter's order at the end of a program, because flushing
    one may write to the other.
    """
    for stream in (sys.stderr, sys.stdout):
        try:
            stream.flush()
        except BaseException:  # closed or replaced by the program
            continue


def _wait_for_threads() -> None:
    """Wait for threads, as the interpreter does before it calls `atexit` functions.

    Only tiers without confinement let programs start threads.
    """
    threading = sys.modules.get("threading")
    try:
        threading._shutdown()  # type: ignore[union-attr]
    except BaseException:  # there is none, or the program changed it
        return


def end_program() -> None:
    """Release the program's objects, as the interpreter does last, because a `__del__` may print.

    Names that begin with an underscore go first.
    """
    module = sys.modules.get("__main__")
    if type(module) is not _MODULE:
        return
    names = module.__dict__
    private = [name for name in names if name[:1] == "_" and name[1:2] != "_"]
    public = [name for name in names if name[:1] != "_"]
    for name in (*private, *public):
        names[name] = None
    gc.collect()
