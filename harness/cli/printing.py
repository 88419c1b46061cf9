"""Results on standard output: as wide as a terminal, and unwrapped where there is none."""

from __future__ import annotations

import io
import re
import sys

from rich.console import Console, RenderableType

_UNWRAPPED = 2000  # columns: what is read by a program is not cut to the width of a terminal


def result_console() -> Console:
    """A console on standard output; into a file or pipe it wraps nothing, and no line ends with
    blanks."""
    console = Console()
    return console if console.is_terminal else Console(file=_Trimmed(), width=_UNWRAPPED)


def print_result(*results: RenderableType) -> None:
    """Print each on such a console."""
    console = result_console()
    for result in results:
        console.print(result)


class _Trimmed(io.StringIO):
    """Standard output without blanks at the ends of lines. A console writes whole lines."""

    def write(self, text: str) -> int:
        return sys.stdout.write(re.sub(" +$", "", text, flags=re.MULTILINE))

    def flush(self) -> None:
        sys.stdout.flush()
