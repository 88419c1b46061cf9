"""Progress of a batch, with an estimate of the time left: a bar on a terminal, else plain lines."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
)
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
    if console.is_terminal:
        with Progress(
            TextColumn("{task.fields[doing]}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Left(),
            TextColumn("{task.description}"),
            console=console,
            transient=True,
        ) as progress:
            yield _Bar(progress, clock)
    else:
        yield _Lines(console, clock)


def _announce(console: Console, event: RunStarted) -> None:
    facts = event.facts
    if facts.cohort is not None:
        say(console, escape(str(facts.cohort)))
        if facts.cohort.contents is not None:
            say(console, escape(str(facts.cohort.contents)))
    for notice in facts.notices:
        say(console, f"[bold red]NOTICE[/] {escape(notice)}")
    plural = "" if event.total == 1 else "s"
    kept = f", {event.kept} graded before" if event.kept else ""
    say(
        console,
        f"{escape(facts.assignment)}: {event.total} submission{plural}{kept}, Python "
        f"{escape(facts.python)}, tier {facts.tier}",
    )


class _Left(ProgressColumn):
    """The time left, computed at every refresh: it grows while nothing is done."""

    def render(self, task: Task) -> Text:
        pace: Pace = task.fields["pace"]
        return Text(pace.text())


class _Bar:
    def __init__(self, progress: Progress, clock: Clock) -> None:
        self._progress = progress
        self._clock = clock
        self._pace = Pace(0, clock)
        self._task = progress.add_task("", total=None, doing="grading", pace=self._pace)

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                _announce(self._progress.console, event)
                self._pace = Pace(event.total - event.kept, self._clock)
                self._progress.update(
                    self._task, total=event.total, completed=event.kept, pace=self._pace
                )
            case SubmissionGraded(result=result):
                self._pace.done()
                self._progress.update(self._task, advance=1, description=escape(result.id))
            case Notice(text=text):
                say(self._progress.console, escape(text))
            case RunFinished():
                self._progress.update(self._task, doing="writing reports", description="")
            case ReportsWritten(done=done, total=total):
                self._progress.update(self._task, completed=done, total=total)


class _Lines:
    def __init__(self, console: Console, clock: Clock) -> None:
        self._console = console
        self._clock = clock
        self._pace = Pace(0, clock)
        self._done = self._total = 0
        self._last_line = clock()

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                _announce(self._console, event)
                self._pace = Pace(event.total - event.kept, self._clock)
                self._done, self._total = event.kept, event.total
            case SubmissionGraded():
                self._done += 1
                self._pace.done()
                self._report()
            case Notice(text=text):
                say(self._console, escape(text))
            case ReportsWritten(done=done, total=total):
                if done % PLAIN_REPORTS == 0:
                    self._console.print(f"{done} of {total} reports written", highlight=False)
            case RunFinished():
                pass

    def _report(self) -> None:
        now = self._clock()
        late = now - self._last_line >= PLAIN_AFTER
        if self._done % PLAIN_EVERY and self._done != self._total and not late:
            return
        self._last_line = now
        time_left = self._pace.text()
        line = f"{self._done} of {self._total} graded" + (f", {time_left}" if time_left else "")
        self._console.print(line, highlight=False)


RECENT = 50  # submissions: about a minute of connect4ish on two cores
FEWEST = 5  # submissions before an estimate is shown


class Pace:
    """Estimates the time left from the submissions graded in this run. Results of an earlier run do
    not count: they took no time. `clock` gives seconds."""

    def __init__(self, todo: int, clock: Callable[[], float]) -> None:
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
def steps(console: Console, clock: Callable[[], float] = time.monotonic) -> Iterator[Steps]:
    """Shows on this console what it is called with, and the time left. `clock` gives seconds."""
    if not console.is_terminal:
        yield _StepLines(console, clock)
        return
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, left="")
        time_left = _StepTime(clock)

        def tell(what: str, done: int, total: int) -> None:
            text = time_left(what, done, total)
            bar.update(task, description=what, completed=done, total=total or None, left=text)

        yield tell


class _StepTime:
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


class _StepLines:
    """A line every half minute."""

    def __init__(self, console: Console, clock: Callable[[], float]) -> None:
        self._console = console
        self._clock = clock
        self._left = _StepTime(clock)
        self._last_line = clock()

    def __call__(self, what: str, done: int, total: int) -> None:
        time_left = self._left(what, done, total)
        now = self._clock()
        if not total or now - self._last_line < PLAIN_AFTER:
            return
        self._last_line = now
        line = f"{done} of {total} {what}" + (f", {time_left}" if time_left else "")
        self._console.print(line, highlight=False)
