"""Prints results on standard output: as wide as the terminal, and without line breaks in a file or
pipe.
"""

import io
import sys
from pathlib import Path

import click
from rich.console import Console, RenderableType

from harness.common.escaping import visible

_UNWRAPPED = 2000  # columns, if the output goes to a file or pipe and must not be wrapped


def result_console() -> Console:
    """Return a console on standard output.

    It does not wrap lines in a file or pipe, and it removes blanks at line ends.
    """
    console = Console()
    if console.is_terminal:
        return console
    return Console(file=_Trimmed(), width=_UNWRAPPED)


def print_result(*results: RenderableType) -> None:
    """Print each result on standard output."""
    console = result_console()
    for result in results:
        console.print(result)


def say(console: Console, markup: str) -> None:
    """Print a sentence on one line, even if it is wider than the terminal."""
    console.print(markup, highlight=False, soft_wrap=True)


def tell_notice(notice: str) -> None:
    """Print an interpreter's notice on standard error, if it has one."""
    if notice:
        click.echo(f"notice: {notice}", err=True)


def relative_to_here(path: Path) -> Path:
    """Return the path relative to the current folder if it is inside, otherwise the path itself."""
    here = Path.cwd()
    if path.is_relative_to(here):
        return path.relative_to(here)
    return path


def without_marks(file: Path) -> str:
    """Return a sentence saying that a scenario was added to a file and costs no marks."""
    return (
        "It costs no marks, because `marks:` of the other files add up to all of the "
        "assignment's marks. To give it points, lower one of them, and remove informational: "
        f"true from {visible(str(file))}"
    )


class _Trimmed(io.StringIO):
    """Standard output that removes blanks at line ends. The console writes whole lines."""

    def write(self, text: str) -> int:
        lines = [line.rstrip(" ") for line in text.split("\n")]
        return sys.stdout.write("\n".join(lines))

    def flush(self) -> None:
        sys.stdout.flush()
