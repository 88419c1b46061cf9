"""Progress of a batch, with an estimate of the time left: a bar on a terminal, else plain lines."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from harness.cli.printing import say
from harness.grading.batch import Listener
from harness.model.result import (
    Event,
    Notice,
    ReportsWritten,
    RunFinished,
    RunStarted,
    SubmissionGraded,
)

PLAIN_EVERY = 25  # submissions
PLAIN_AFTER = 30.0  # seconds without a line
PLAIN_REPORTS = 500  # submissions, whose reports take a moment each

Clock = Callable[[], float]


@contextmanager
def listener(console: Console, clock: Clock = time.monotonic) -> Iterator[Listener]:
    """A consumer of a batch's events for this console. `clock` gives seconds."""
    with _progress(console, "{task.fields[doing]}", TextColumn("{task.description}")) as shown:
        yield _Batch(console, shown, clock)


def _announce(console: Console, event: RunStarted) -> None:
    facts = event.facts
    if facts.cohort is not None:
        say(console, escape(str(facts.cohort)))
        if facts.cohort.contents is not None:
            say(console, escape(str(facts.cohort.contents)))
    for notice in facts.notices:
        say(console, f"[bold red]notice:[/] {escape(notice)}")
    plural = "" if event.total == 1 else "s"
    kept = f", {event.kept} graded before" if event.kept else ""
    say(
        console,
        f"{escape(facts.assignment)}: {event.total} submission{plural}{kept}, Python "
        f"{escape(facts.python)}, tier {facts.tier}",
    )


def _progress(console: Console, doing: str, *more: ProgressColumn) -> Progress:
    """What is done, how much of it, the time left, and `more`; shown on a terminal alone."""
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), _Left(), *more)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


class _Left(ProgressColumn):
    """The time left, computed at every refresh: it grows while nothing is done."""

    def render(self, task: Task) -> Text:
        return Text(task.fields["pace"].text())


class _Plain:
    """Lines about how much is done, on a console that is not a terminal."""

    def __init__(self, console: Console, clock: Clock) -> None:
        self._console = console
        self._clock = clock
        self._last_line = clock()

    def is_late(self) -> bool:
        """Whether there was no line for half a minute."""
        return self._clock() - self._last_line >= PLAIN_AFTER

    def print(self, done: int, total: int, what: str, pace: Pace) -> None:
        self._last_line = self._clock()
        time_left = pace.text()
        line = f"{done} of {total} {what}" + (f", {time_left}" if time_left else "")
        self._console.print(line, highlight=False)


class _Batch:
    """Shows a batch's events: by the bar `shown` on a terminal, else by lines."""

    def __init__(self, console: Console, shown: Progress, clock: Clock) -> None:
        self._console = console
        self._shown = shown
        self._clock = clock
        self._pace = Pace(0, clock)
        self._plain = _Plain(console, clock)
        self._done = self._total = 0
        self._task = shown.add_task("", total=None, doing="grading", pace=self._pace)

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                _announce(self._console, event)
                self._pace = Pace(event.total - event.kept, self._clock)
                self._done, self._total = event.kept, event.total
                self._update(total=self._total, completed=self._done, pace=self._pace)
            case SubmissionGraded(result=result):
                self._done += 1
                self._pace.done()
                self._update(completed=self._done, description=escape(result.id))
                is_due = self._done % PLAIN_EVERY == 0 or self._done == self._total
                if not self._console.is_terminal and (is_due or self._plain.is_late()):
                    self._plain.print(self._done, self._total, "graded", self._pace)
            case Notice(text=text):
                say(self._console, escape(text))
            case RunFinished():
                self._update(doing="writing reports", description="")
            case ReportsWritten(done=done, total=total):
                self._update(completed=done, total=total)
                if not self._console.is_terminal and done % PLAIN_REPORTS == 0:
                    self._console.print(f"{done} of {total} reports written", highlight=False)

    def _update(self, **fields: Any) -> None:
        self._shown.update(self._task, **fields)


RECENT = 50  # submissions: about a minute of connect4ish on two cores
FEWEST = 5  # submissions before an estimate is shown


class Pace:
    """Estimates the time left from the submissions graded in this run. Results of an earlier run do
    not count: they took no time. `clock` gives seconds."""

    def __init__(self, todo: int, clock: Clock) -> None:
        self._todo = todo
        self._clock = clock
        self._moments = deque([clock()], maxlen=RECENT + 1)

    def done(self) -> None:
        self._todo -= 1
        self._moments.append(self._clock())

    def left(self) -> float | None:
        """Seconds that the rest takes at the recent rate; None before there is one. Grows while
        nothing is done."""
        recent = len(self._moments) - 1
        if recent < min(FEWEST, self._todo):
            return None
        passed = self._clock() - self._moments[0]
        return self._todo * passed / recent if recent else 0.0

    def text(self) -> str:
        """`about 12 min left`; empty without an estimate."""
        seconds = self.left()
        return f"about {rounded(seconds)} left" if seconds is not None and self._todo > 0 else ""


def rounded(seconds: float) -> str:
    """A duration rounded for an estimate: `40 s`, `12 min`, `2 h 10 min`."""
    if seconds < 55:
        return f"{max(10, 10 * round(seconds / 10))} s"
    minutes = max(1, round(seconds / 60))
    if minutes < 90:
        return f"{minutes} min"
    tens = 10 * round(minutes / 10)
    return f"{tens // 60} h {tens % 60} min" if tens % 60 else f"{tens // 60} h"


Steps = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much (0: not known)."""


@contextmanager
def bar() -> Iterator[Steps]:
    """A bar on standard error, only while that is a terminal."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)

        def tell(what: str, done: int, total: int) -> None:
            progress.update(task, description=what, completed=done, total=total)

        yield tell


@contextmanager
def steps(console: Console, clock: Clock = time.monotonic) -> Iterator[Steps]:
    """Shows on this console what it is called with, and the time left, by how fast a step went
    since it began: a bar on a terminal, else a line every half minute."""
    plain = _Plain(console, clock)
    step, pace = "", Pace(0, clock)

    with _progress(console, "{task.description}") as shown:
        task = shown.add_task("", total=None, pace=pace)

        def tell(what: str, done: int, total: int) -> None:
            nonlocal step, pace
            if what != step:
                step, pace = what, Pace(total - done, clock)
            else:
                pace.done()
            if console.is_terminal:
                shown.update(task, description=what, completed=done, total=total or None, pace=pace)
            elif total and plain.is_late():
                plain.print(done, total, what, pace)

        yield tell
