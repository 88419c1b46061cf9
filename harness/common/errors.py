"""The errors that cross packages.

Exception
├── UserError      the user can fix it: one line, no traceback, exit status 2
└── HarnessError   our machinery did not work: never a fact about a submission, retried
"""

import traceback
from pathlib import Path

from harness.common.escaping import visible, visible_lines

_PACKAGE = Path(__file__).parents[1]


class UserError(Exception):
    """Something a user can fix.

    `str()` is the line shown: place, cause and hint. They are escaped, because they may hold the
    names of files that others have made. With a place, the cause may be half a sentence about it:
    `a.zip: is larger than 1 MiB`.
    """

    def __init__(self, what: str, *, place: str = "", hint: str = "") -> None:
        self.what = what
        self.place = place
        self.hint = hint
        line = visible_lines(what)
        if place:
            line = f"{visible(place)}: {line}"
        if hint:
            line = f"{line.removesuffix('.')}. Hint: {visible(hint)}"
        super().__init__(line)


class HarnessError(Exception):
    """Our own machinery failed (a server died, a channel broke): retry, never judge."""


def error_lines(text: str) -> str:
    """Return a message for stderr, with each of its lines marked as an error."""
    lines = visible_lines(text).split("\n")
    return "".join(f"error: {line}\n" for line in lines)


def without_capital(text: str) -> str:
    """Return a message of a library or the system with a small first letter, like our own
    messages."""
    return text[:1].lower() + text[1:]


def place_of(error: Exception) -> str:
    """Return the exception's type and the line of our code that it comes from. Its message is left
    out: it may quote a submission or a hidden expected value."""
    name = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        path = Path(frame.filename)
        if path.is_relative_to(_PACKAGE):
            return f"{name} in {path.relative_to(_PACKAGE.parent).as_posix()}:{frame.lineno}"
    return name
