"""The errors that cross packages.

Exception
├── UserError      the user can fix it: one line, no traceback, exit status 2
└── HarnessError   our machinery did not work: never a fact about a submission, retried
"""

from harness.common.escaping import visible, visible_lines


class UserError(Exception):
    """Something a user can fix. `str()` is the line shown: place, what, and a hint, escaped, for
    they may hold the names of files that others have made."""

    def __init__(self, what: str, *, place: str = "", hint: str = "") -> None:
        self.what = what
        self.place = place
        self.hint = hint
        line = f"{visible(place)}: {visible_lines(what)}" if place else visible_lines(what)
        super().__init__(f"{line.removesuffix('.')}. Hint: {visible(hint)}" if hint else line)


class HarnessError(Exception):
    """Our own machinery failed (a server died, a channel broke): retry, never judge."""


def error_lines(text: str) -> str:
    """A message for stderr, each of its lines marked as an error's."""
    return "".join(f"error: {line}\n" for line in visible_lines(text).split("\n"))


def without_capital(text: str) -> str:
    """Words of a library or the system, as ours begin."""
    return text[:1].lower() + text[1:]
