"""Measuring how strong an assignment's scenarios are, and showing it on a terminal.

Its progress is in steps that are counted: a bar on a terminal, else plain lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from harness.assignment import load_equivalents
from harness.cli.progress import PLAIN_AFTER, Pace
from harness.common.rounding import percent
from harness.grading import prepare
from harness.model.specification import Specification
from harness.model.study.reports import StrengthReport
from harness.study import measure

_LISTED = 10  # scenarios that could be left out; the JSON file has all
Steps = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much (0: not known)."""


def measured(
    specification: Specification,
    cache: Path,
    *,
    python: Path | None,
    jobs: int | None,
    pairs: int = 0,
) -> StrengthReport:
    """The measurement of an assignment, with its progress on standard error."""
    equivalents = load_equivalents(Path(specification.folder))
    context = prepare(specification, python=python, cache=cache, recall_tier=True)
    with steps(Console(stderr=True)) as tell:
        return measure(
            context, equivalents, cache=cache, jobs=jobs, most_pairs=pairs, progress=tell
        )


def show_strength(report: StrengthReport, console: Console) -> None:
    """Print the tables by function and by clause, and what nothing notices."""
    table = Table(title=escape(report.assignment), title_justify="left")
    table.add_column("function")
    for heading in ("changes", "noticed", "equivalent", "not noticed"):
        table.add_column(heading, justify="right")
    table.add_column("noticed first by")
    for each in report.functions:
        left = each.changes - each.noticed - each.equivalent
        counts = (each.changes, each.noticed, each.equivalent, left)
        first = [one.noticed_by[0] for one in report.outcomes if one.function == each.function
                 and one.noticed_by]  # fmt: skip
        names = dict.fromkeys(first)
        more = f" +{len(names) - 1}" if len(names) > 1 else ""
        table.add_row(
            escape(each.function), *map(str, counts), escape(next(iter(names), "")) + more
        )
    console.print(table)
    clauses = Table("clause")
    for heading in ("scenarios", "notice changes"):
        clauses.add_column(heading, justify="right")
    for clause in report.clauses:
        clauses.add_row(escape(clause.clause), str(clause.scenarios), str(clause.noticed))
    console.print(clauses)
    _list(report)


def _list(report: StrengthReport) -> None:
    for one in report.survivors:
        click.echo(f"{one.file}:{one.line}: not noticed in {one.function}: {one.operator}")
        click.echo(f"  - {one.before}\n  + {one.after}")
    for pair in report.surviving_pairs:
        first, second = (report.outcomes[number] for number in (pair.first, pair.second))
        click.echo(f"{first.file}:{first.line} and {second.line}: not noticed in {first.function}")
        for one in (first, second):
            click.echo(f"  - {one.before}\n  + {one.after}")
    for mistake in report.mistakes:
        click.echo(f"equivalent.yaml: {mistake}")
    if report.spare:
        scored = len(report.spare) + len(report.needed)
        click.echo(
            f"{len(report.needed)} of {scored} scenarios notice all of this; the others may be "
            f"there for what students do otherwise ({', '.join(report.spare[:_LISTED])}"
            f"{', …' if len(report.spare) > _LISTED else ''})"
        )
    if report.pairs:
        noticed = len(report.pairs) - len(report.surviving_pairs)
        share = percent(noticed, len(report.pairs))
        click.echo(f"{noticed} of {len(report.pairs)} pairs of changes are noticed ({share} %)")
    click.echo(
        f"{report.assignment}: {report.noticed} of {report.counted} changes are noticed "
        f"({percent(report.noticed, report.counted)} %); "
        f"{len(report.outcomes) - report.counted} are equivalent"
    )


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
