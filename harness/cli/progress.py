"""Shows a batch's progress and an estimate of the time left: a bar on a terminal, otherwise plain
lines.
"""

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
from harness.common.words import plural
from harness.grading.batch import Listener
from harness.model.result import (
    CausesBegun,
    CausesFound,
    Event,
    Notice,
    ReportsWritten,
    RunFinished,
    RunStarted,
    SlowLeft,
    SubmissionGraded,
    WorstLeft,
)

PLAIN_EVERY = 25  # submissions
PLAIN_AFTER = 30.0  # maximum seconds without a line
PLAIN_REPORTS = 500  # print a line after this many reports

Clock = Callable[[], float]


@contextmanager
def listener(console: Console, clock: Clock = time.monotonic) -> Iterator[Listener]:
    """Yield a function that receives a batch's events and shows them on this console.

    `clock` returns seconds.
    """
    shown = _Shown(console, clock, "{task.fields[doing]}", TextColumn("{task.description}"))
    progress = _BatchProgress(console, shown)
    with shown.bar:
        yield progress.hear


class _BatchProgress:
    """Shows the events of a batch as they come."""

    def __init__(self, console: Console, shown: _Shown) -> None:
        self._console = console
        self._shown = shown
        self._pace = shown.begin(0, doing="grading")
        self._done = 0
        self._total = 0
        self._are_only_slow_left = False

    def hear(self, event: Event) -> None:
        """Show one event."""
        shown = self._shown
        match event:
            case RunStarted(total=total, kept=kept):
                _announce(self._console, event)
                self._done = kept
                self._total = total
                self._pace = shown.begin(total - kept, total=total, completed=kept)
            case SubmissionGraded(result=result):
                self._count(result.id, "graded")
            case CausesBegun(total=total):
                self._done = 0
                self._total = total
                self._are_only_slow_left = False
                self._pace = shown.begin_causes(total)
                _announce_causes(self._console, total)
            case CausesFound(result=result):
                self._count(result.id, "searched for causes")
            case SlowLeft():
                self._show_slow(event)
            case WorstLeft():
                shown.update(worst=worst_text(event))
            case Notice(text=text):
                say(self._console, escape(text))
            case RunFinished():
                shown.update(doing="writing reports", description="")
            case ReportsWritten(done=done, total=total):
                shown.reports(done, total)

    def _count(self, submission: str, what: str) -> None:
        """Count a submission that is done, and show its id."""
        self._done += 1
        self._pace.done()
        self._shown.update(completed=self._done, description=escape(submission))
        if self._are_only_slow_left:  # the next event says how many are left
            return
        is_due = self._done % PLAIN_EVERY == 0 or self._done == self._total
        self._shown.line(self._done, self._total, what, self._pace, is_due=is_due)

    def _show_slow(self, event: SlowLeft) -> None:
        """Show how many slow submissions are left."""
        is_due = self._are_only_slow_left or not event.others
        self._are_only_slow_left = event.submissions > 0 and not event.others
        slow = slow_text(event) if self._are_only_slow_left else later_text(event)
        self._shown.update(slow=slow, are_only_slow_left=self._are_only_slow_left)
        if is_due:
            self._shown.line(self._done, self._total, "graded", self._pace, is_due=True)


def _announce(console: Console, event: RunStarted) -> None:
    facts = event.facts
    if facts.cohort is not None:
        say(console, escape(str(facts.cohort)))
        if facts.cohort.contents is not None:
            say(console, escape(str(facts.cohort.contents)))
    for notice in facts.notices:
        say(console, f"[bold red]notice:[/] {escape(notice)}")
    submissions = f"{event.total} {plural(event.total, 'submission')}"
    if event.kept:
        submissions += f", {event.kept} graded before"
    how = f"Python {escape(facts.python)}, tier {facts.tier}"
    say(console, f"{escape(facts.assignment)}: {submissions}, {how}")


def _announce_causes(console: Console, total: int) -> None:
    if not console.is_terminal:
        whose = f"{total} {plural(total, 'submission')}"
        say(console, f"all marks are ready; now looking for causes in {whose}")


def _joined(*parts: str) -> str:
    """Join the non-empty parts with commas."""
    return ", ".join(filter(None, parts))


def _left_text(fields: dict[str, Any]) -> str:
    """Return the time left, with slow submissions counted separately."""
    slow: str = fields["slow"]
    if fields["are_only_slow_left"]:
        return slow
    return _joined(fields["pace"].text(), slow, fields["worst"])


class _TimeLeft(ProgressColumn):
    """A progress column with the time left.

    It is recomputed at every refresh, so it grows while nothing finishes.
    """

    def render(self, task: Task) -> Text:
        return Text(_left_text(task.fields))


class _Shown:
    """Shows the current work, its progress and the time left: a bar on a terminal, otherwise
    lines.
    """

    def __init__(self, console: Console, clock: Clock, doing: str, *more: ProgressColumn) -> None:
        """Create the display. `doing` is the bar's first column, `more` are its last columns."""
        columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), _TimeLeft(), *more)
        self.console = console
        disable = not console.is_terminal
        self.bar = Progress(*columns, console=console, transient=True, disable=disable)
        self._clock = clock
        self._last_line = clock()
        fields: dict[str, Any] = {"doing": "", "pace": Pace(0, clock)}
        fields |= {"slow": "", "worst": "", "are_only_slow_left": False}
        self._task = self.bar.add_task("", total=None, **fields)

    def begin(self, todo: int, **fields: Any) -> Pace:
        pace = Pace(todo, self._clock)
        self.update(pace=pace, **fields)
        return pace

    def reports(self, done: int, total: int) -> None:
        """Show how many reports have been written."""
        self.update(completed=done, total=total)
        if not self.console.is_terminal and done % PLAIN_REPORTS == 0:
            say(self.console, f"{done} of {total} reports written")

    def begin_causes(self, todo: int) -> Pace:
        """Start a new progress bar for finding causes; forget remarks about slow submissions in
        grading.
        """
        self.update(slow="", worst="", are_only_slow_left=False)
        return self.begin(todo, total=todo, completed=0, doing="looking for causes")

    def update(self, **fields: Any) -> None:
        self.bar.update(self._task, **fields)

    def line(self, done: int, total: int, what: str, pace: Pace, *, is_due: bool = False) -> None:
        """Without a terminal, print a line if one is due, or 30 seconds after the last one."""
        is_late = self._clock() - self._last_line >= PLAIN_AFTER
        if not self.console.is_terminal and (is_due or is_late):
            self._last_line = self._clock()
            fields = self.bar.tasks[0].fields
            now = f"{done} of {total} {what}"
            left = _left_text({**fields, "pace": pace}) if done < total else ""
            text = _joined(now, left)
            say(self.console, escape(text))


RECENT = 50  # submissions; grading them takes about a minute on two cores
FEWEST = 5  # submissions to grade before an estimate is shown


class Pace:
    """Estimates the time left from the submissions graded in this run.

    Results of an earlier run do not count, because they took no time. `clock` returns seconds.
    """

    def __init__(self, todo: int, clock: Clock) -> None:
        self._todo = todo
        self._clock = clock
        self._moments = deque([clock()], maxlen=RECENT + 1)

    def done(self) -> None:
        self._todo -= 1
        self._moments.append(self._clock())

    def remaining(self) -> float | None:
        """Return the estimated seconds for the rest; None before there is an estimate.

        It grows while nothing finishes.
        """
        recent = len(self._moments) - 1
        if recent < min(FEWEST, self._todo):
            return None
        if recent == 0:
            return 0.0
        passed = self._clock() - self._moments[0]
        return self._todo * passed / recent

    def text(self) -> str:
        """Return a text such as `about 12 min left`; "" without an estimate."""
        seconds = self.remaining()
        if seconds is None or self._todo <= 0:
            return ""
        return f"about {rounded(seconds)} left"


def slow_text(left: SlowLeft) -> str:
    """Return a text such as `3 slow ones to go on with: about 4 min, at most 20 min`; "" if there
    are none.
    """
    if not left.submissions:
        return ""
    ones = "one" if left.submissions == 1 else "ones"
    text = f"{left.submissions} slow {ones} to go on with: about {rounded(left.seconds)}"
    if left.most_seconds is None:
        return text
    return f"{text}, at most {rounded(left.most_seconds)}"


def later_text(left: SlowLeft) -> str:
    """Return a text such as `then 3 slow ones: about 4 min`, shown while other submissions are
    left; "" if there are none.
    """
    if not left.submissions:
        return ""
    ones = "one" if left.submissions == 1 else "ones"
    return f"then {left.submissions} slow {ones}: about {rounded(left.seconds)}"


def worst_text(left: WorstLeft) -> str:
    """Return a text such as `at most 3 h in all`; "" if nothing is left."""
    return f"at most {rounded(left.seconds)} in all" if left.submissions else ""


def rounded(seconds: float) -> str:
    """Return a duration rounded for display: `40 s`, `12 min`, `2 h 10 min`."""
    if seconds < 55:
        return f"{max(10, 10 * round(seconds / 10))} s"
    minutes = max(1, round(seconds / 60))
    if minutes < 90:
        return f"{minutes} min"
    tens = 10 * round(minutes / 10)
    hours, minutes = divmod(tens, 60)
    if minutes == 0:
        return f"{hours} h"
    return f"{hours} h {minutes} min"


Steps = Callable[[str, int, int], None]
"""Called with the present task, the amount done and the whole amount (0: not known)."""


@contextmanager
def steps(
    console: Console | None = None, clock: Clock = time.monotonic, *, lines: bool = False
) -> Iterator[Steps]:
    """Yield a function that shows reported progress and the time left.

    They appear on `console` (default: standard error): as a bar on a terminal; otherwise, with
    `lines`, as a line every 30 seconds. The time left follows from the speed since the step began.
    """
    shown = _Shown(console or Console(stderr=True), clock, "{task.description}")
    step, pace = "", Pace(0, clock)

    def tell(what: str, done: int, total: int) -> None:
        nonlocal step, pace
        if what != step:
            step, pace = what, shown.begin(total - done)
        else:
            pace.done()
        shown.update(description=what, completed=done, total=total or None)
        if total and lines:
            shown.line(done, total, what, pace)

    with shown.bar:
        yield tell
