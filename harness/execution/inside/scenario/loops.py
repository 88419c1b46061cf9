"""Where a program loops: which lines the frame that does not return executes again and again.

After a while of CPU time, the frames of the student's that are there are traced. Those that return
are forgotten; what is left at the end loops, or waits for one that does. It answers and ends the
process: what a program does in such a run is never used.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import sys
from _json import encode_basestring_ascii as quote
from os import _exit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from types import FrameType
    from typing import Any

_AFTER = 0.1  # CPU seconds in which a right program has ended
_LONGEST = 0.3  # CPU seconds of tracing
_MOST_LINES = 20_000  # executed while tracing
_MOST_FRAMES = 50


class LoopFinder:
    """Answers by `answer` with JSON text. `own` are the names of the student's files."""

    def __init__(self, own: Container[str], answer: Callable[[str], None]) -> None:
        self._own = own
        self._answer = answer
        self._frames: list[FrameType] = []  # the student's, innermost first
        self._seen: dict[int, tuple[int, int]] = {}  # by a frame's identity: its first, last line
        self._count = 0

    def start(self) -> None:
        """Look after a while; where the system has no such timer, never."""
        if hasattr(_signal, "setitimer"):
            _signal.signal(_signal.SIGPROF, self._look)
            _signal.setitimer(_signal.ITIMER_PROF, _AFTER)

    def _look(self, number: int, frame: FrameType | None) -> None:
        if self._frames:
            self._finish()
        while frame is not None and len(self._frames) < _MOST_FRAMES:
            if frame.f_code.co_filename in self._own:
                self._frames.append(frame)
                frame.f_trace = self._trace
            frame = frame.f_back
        _signal.setitimer(_signal.ITIMER_PROF, _LONGEST if self._frames else _AFTER)
        if self._frames:
            sys.settrace(_new_frames_are_not_traced)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return":
            self._frames = [each for each in self._frames if each is not frame]
        elif event == "line":
            line = frame.f_lineno
            first, last = self._seen.get(id(frame), (line, line))
            self._seen[id(frame)] = min(first, line), max(last, line)
            self._count += 1
            if self._count >= _MOST_LINES:
                self._finish()
        return self._trace

    def _finish(self) -> None:
        """Answer with the innermost frame that went on."""
        found = [each for each in self._frames if id(each) in self._seen]
        text = '""'
        if found:
            first, last = self._seen[id(found[0])]
            text = quote(f"{found[0].f_code.co_filename}:{first}-{last}")
        self._answer('{"loop":' + text + "}")
        _exit(0)


def _new_frames_are_not_traced(frame: FrameType, event: str, argument: Any) -> None:
    return None
