"""Progress of a batch: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from harness.grading import Listener
from harness.model.events import Event, Notice, RunFinished, RunStarted, SubmissionGraded

PLAIN_EVERY = 25


@contextmanager
def listener(console: Console) -> Iterator[Listener]:
    """A consumer of a batch's events for this console."""
    if console.is_terminal:
        with Progress(
            TextColumn("grading"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}"),
            console=console,
            transient=True,
        ) as progress:
            yield _Bar(progress)
    else:
        yield _Lines(console)


def _announce(console: Console, event: RunStarted) -> None:
    facts = event.facts
    if facts.cohort is not None:
        console.print(escape(str(facts.cohort)), highlight=False, soft_wrap=True)
    for notice in facts.notices:
        console.print(f"[bold red]NOTICE[/] {escape(notice)}", highlight=False, soft_wrap=True)
    plural = "" if event.total == 1 else "s"
    kept = f", {event.kept} kept from before" if event.kept else ""
    console.print(
        f"{escape(facts.assignment)}: {event.total} submission{plural}{kept}, Python "
        f"{escape(facts.python)}, tier {facts.tier}",
        highlight=False,
        soft_wrap=True,
    )


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                _announce(self._progress.console, event)
                self._progress.update(self._task, total=event.total, completed=event.kept)
            case SubmissionGraded(result=result):
                self._progress.update(self._task, advance=1, description=escape(result.id))
            case Notice(text=text):
                self._progress.console.print(escape(text), highlight=False, soft_wrap=True)
            case RunFinished():
                pass


class _Lines:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._done = self._total = 0

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                _announce(self._console, event)
                self._done, self._total = event.kept, event.total
            case SubmissionGraded():
                self._done += 1
                if self._done % PLAIN_EVERY == 0 or self._done == self._total:
                    self._console.print(f"{self._done} of {self._total} graded", highlight=False)
            case Notice(text=text):
                self._console.print(escape(text), highlight=False, soft_wrap=True)
            case RunFinished():
                pass
