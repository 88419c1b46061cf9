"""What a test does with the program, in words for people: calls and runs, and what the program
read and printed meanwhile."""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAX_READS = 20
_MAX_PRINTED = 400  # characters


class ToldActs:
    """The acts of a test. `told` is called with the number of each act and its words; after the act
    it is called again, with the negative number and the result."""

    def __init__(self, told: Callable[[int, str], None]) -> None:
        self._told = told
        self._number = 0
        self._reads: list[str] = []
        self._has_more_reads = False
        self._printed = ""

    @contextmanager
    def telling(self, words: str) -> Iterator[Callable[[str], None]]:
        """Tell that an act begins. Yield a function that tells its result; an exception that ends
        the act is told, too."""
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
        """Note what the program reads, as it is shown."""
        if len(self._reads) < _MAX_READS:
            self._reads.append(shown)
        else:
            self._has_more_reads = True

    def prints(self, text: str) -> None:
        """Note what the program prints."""
        self._printed += text[: _MAX_PRINTED + 1 - len(self._printed)]

    def _take(self) -> str:
        """Return what was noted since the last time, each kind before a comma."""
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
