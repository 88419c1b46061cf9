"""Results on standard output: as wide as a terminal, and unwrapped where there is none."""

from __future__ import annotations

import io
import sys

from rich.console import Console, RenderableType

_UNWRAPPED = 2000  # columns: what is read by a program is not cut to a width that nobody has


def print_result(*results: RenderableType) -> None:
    """Print each; into a file or pipe without wrapping and without blanks at the ends of lines."""
    console = Console()
    if console.is_terminal:
        for result in results:
            console.print(result)
        return
    text = io.StringIO()
    console = Console(file=text, width=_UNWRAPPED)
    for result in results:
        console.print(result)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines()))
