"""Progress of work in steps that are counted: a bar on a terminal, else plain lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from harness.cli.progress import PLAIN_AFTER, Pace

Steps = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much (0: not known)."""


@contextmanager
def steps(console: Console, clock: Callable[[], float] = time.monotonic) -> Iterator[Steps]:
    """Shows on this console what it is called with, and the time left. `clock` gives seconds."""
    if not console.is_terminal:
        yield _Lines(console, clock)
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, left="")
        left = _Left(clock)

        def tell(what: str, done: int, total: int) -> None:
            text = left(what, done, total)
            bar.update(task, description=what, completed=done, total=total or None, left=text)

        yield tell


class _Left:
    """The time left of a step, from how fast it went since it began."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._what = ""
        self._pace = Pace(0, clock)

    def __call__(self, what: str, done: int, total: int) -> str:
        if what != self._what:
            self._what = what
            self._pace = Pace(total - done, self._clock)
        else:
            self._pace.done()
        return self._pace.text()


class _Lines:
    """A line every half minute."""

    def __init__(self, console: Console, clock: Callable[[], float]) -> None:
        self._console = console
        self._clock = clock
        self._left = _Left(clock)
        self._last_line = clock()

    def __call__(self, what: str, done: int, total: int) -> None:
        left = self._left(what, done, total)
        now = self._clock()
        if not total or now - self._last_line < PLAIN_AFTER:
            return
        self._last_line = now
        line = f"{done} of {total} {what}" + (f", {left}" if left else "")
        self._console.print(line, highlight=False)
