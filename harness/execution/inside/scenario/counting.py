"""Counts the lines of the student's files that a scenario executes.

The count is the same on every machine.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from types import FrameType
    from typing import Any

# Functions of `sys` that replace the counter, or the tracing of a running frame.
_SETTERS = ("settrace", "setprofile")
# Functions that start a thread; a thread has no counter.
_STARTERS = ("start_new_thread", "start_new", "start_joinable_thread")
# The text of what `exec` and `eval` run has such a name, and Python's own modules have the other.
_MADE_BY_PROGRAM, _FROZEN = "<", "<frozen "


class LineCounter:
    """Counts executed lines of the files in `program_files` from `start` on, and of code that they
    run with `exec` or `eval`.

    A loop on one line counts once for each turn. Work inside built-in functions and operators
    (`sorted`, `in`, slices) counts as the line that uses it.

    A program could stop the counting with functions of `sys`, or avoid it by starting a thread.
    These functions are therefore replaced by ones that note the attempt. In addition, each call
    that began while the counter was active must end while it is active.
    """

    def __init__(self, program_files: Container[str]) -> None:
        self._program_files = program_files
        self._calls = 0  # that have begun and not ended
        self._was_asked = False
        self.lines = 0

    def start(self) -> None:
        """Count from now on."""
        settrace = sys.settrace
        for name in _SETTERS:
            setattr(sys, name, self._refuse)
        if "monitoring" in vars(sys):
            del sys.monitoring  # type: ignore[attr-defined]
        self._watch_threads()
        settrace(self._enter)

    def has_counted_all(self) -> bool:
        """Return whether nothing has stopped the counting."""
        # If the program stopped it, another function traces now.
        is_counting = sys.gettrace() == self._enter
        return is_counting and not self._was_asked and self._calls == 0

    def _watch_threads(self) -> None:
        import _thread  # noqa: PLC0415

        for name in _STARTERS:
            if name not in vars(_thread):
                continue
            noting = self._noting(getattr(_thread, name))
            setattr(_thread, name, noting)
            if "threading" in sys.modules:
                vars(sys.modules["threading"])["_" + name] = noting

    def _noting(self, start: Any) -> Any:
        def noted(*given: Any, **named: Any) -> Any:
            self._was_asked = True
            return start(*given, **named)

        return noted

    def _refuse(self, function: object) -> None:
        self._was_asked = True

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        is_made = file.startswith(_MADE_BY_PROGRAM) and not file.startswith(_FROZEN)
        if not is_made and file not in self._program_files:
            return None
        self._calls += 1
        return self._count

    def _count(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.lines += 1
        elif event == "return":
            self._calls -= 1
            # A call whose lines are not traced is noticed at its end.
            self._was_asked |= not frame.f_trace_lines
        return self._count
