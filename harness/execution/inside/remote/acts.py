"""Describes in words what a test does with the program: its calls and runs, and what the program
reads and prints meanwhile.
"""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAX_READS = 20
_MAX_PRINTED = 400  # characters


class ToldActs:
    """Reports the actions of a test.

    `told` is called with each action's number and description before the action, and with the
    negative number and the result after it.
    """

    def __init__(self, told: Callable[[int, str], None]) -> None:
        self._told = told
        self._number = 0
        self._reads: list[str] = []
        self._has_more_reads = False
        self._printed = ""

    @contextmanager
    def telling(self, words: str) -> Iterator[Callable[[str], None]]:
        """Report that an action begins.

        Yield a function that reports its result; an exception is reported too.
        """
        self._number += 1
        number = self._number
        self._told(number, words)
        self._take()  # what belongs to acts before
        try:
            yield lambda result: self._told(-number, self._take() + result)
        except BaseException as error:
            self._told(-number, f"{self._take()}raised {type(error).__name__}")
            raise

    def reads(self, shown: str) -> None:
        """Note a text that the program reads, as it will be shown."""
        if len(self._reads) < _MAX_READS:
            self._reads.append(shown)
        else:
            self._has_more_reads = True

    def prints(self, text: str) -> None:
        """Note a text that the program prints."""
        self._printed += text[: _MAX_PRINTED + 1 - len(self._printed)]

    def _take(self) -> str:
        """Return the notes made since the last call, as text."""
        reads, printed = self._reads, self._printed
        if self._has_more_reads:
            reads.append("…")
        self._reads, self._has_more_reads, self._printed = [], False, ""
        words = f"read {', '.join(reads)}, " if reads else ""
        if len(printed) > _MAX_PRINTED:
            printed = f"{printed[:_MAX_PRINTED]}…"
        if printed:
            words += f"printed {printed!r}, "
        return words
