"""A program as `__main__`, and its exit status."""

from __future__ import annotations

import sys
from atexit import _run_exitfuncs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..modules import Library
    from ..scenario.evaluate import StimulusAnswer


def perform(library: Library, name: str, answer: StimulusAnswer) -> None:
    """Run a module as `__main__`, into `exit` and, for an uncaught exception, `raised`."""
    status = 0
    module = library.blank(name)
    try:
        module.__name__ = "__main__"
        module.__spec__ = None
        sys.modules["__main__"] = module
        exec(library.sources[name].compiled(), module.__dict__)
    except SystemExit as error:
        status = _exit_status(error)
    except BaseException as error:
        status = 1
        answer.put_raised(error)
    _run_exitfuncs()  # the process itself ends without
    answer.fields["exit"] = str(status)


def _exit_status(error: SystemExit) -> int:
    code = error.code
    if code is None:
        return 0
    if type(code) is int or type(code) is bool:
        return code & 0xFF
    sys.stderr.write(str(code) + "\n")  # as the interpreter itself does
    return 1
