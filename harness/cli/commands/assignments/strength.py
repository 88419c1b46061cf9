"""Measure how many single faults the scenarios notice."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from harness.assignment.files.small_files import load_equivalents
from harness.assignment.loading import CACHE, available, load
from harness.cli import options
from harness.cli.printing import result_console
from harness.cli.progress import steps
from harness.common import files, serial
from harness.common.words import percent
from harness.grading.context import prepare
from harness.model.plan import Specification
from harness.model.study import StrengthReport
from harness.study.strength import measure

_LISTED = 10  # superfluous scenarios that are printed; the JSON file has all


@dataclass(frozen=True, slots=True, kw_only=True)
class _StrengthOptions:
    """The options: how much is tried, and where results are written."""

    root: Annotated[Path | None, options.root]
    python: Annotated[Path | None, options.python]
    jobs: Annotated[int | None, options.jobs()]
    pairs: Annotated[
        int,
        options.option(
            "--pairs",
            "Also try this many programs with two changes in one function: one change can hide "
            "the other.",
            type=click.IntRange(0, 100_000),
            show_default=False,
            default=0,
        ),
    ]
    target: Annotated[
        Path | None,
        options.json_file("Write every change, and the scenario that notices it, to this file."),
    ]


@options.click_command(
    "strength",
    "harness strength connect4ish",
    "harness strength connect4ish --pairs 200 --json strength.json",
)
@click.argument("ids", nargs=-1, metavar="[ID…]")
@options.options_of("chosen", _StrengthOptions)
def command(ids: tuple[str, ...], chosen: _StrengthOptions) -> int:
    """Change the reference in one place at a time and run the scenarios on each changed program,
    for the assignments ID… or all.

    The command lists the changes that no scenario notices. For each of them add a scenario, or an
    entry in specs/<id>/equivalent.yaml with the reason why no scenario can notice it. Results are
    stored: an interrupted run continues, and a later run repeats only the edited parts.

    Exit status: 0 measured, 1 an entry of equivalent.yaml is wrong, 2 cannot run.
    """
    base = options.the_root(chosen.root)
    console = result_console()
    reports = []
    for assignment_id in ids or available(base):
        loaded = load(base, assignment_id)
        report = measure_strength(
            loaded,
            base / CACHE,
            python=chosen.python,
            jobs=chosen.jobs,
            pairs=chosen.pairs,
        )
        reports.append(report)
        show_strength(report, console)
    if chosen.target is not None:
        text = ",\n".join(map(serial.dumps, reports))
        files.write(chosen.target, f"[{text}]\n")
    has_mistakes = any(report.mistakes for report in reports)
    return 1 if has_mistakes else 0


def measure_strength(
    specification: Specification,
    cache: Path,
    *,
    python: Path | None,
    jobs: int | None,
    pairs: int = 0,
) -> StrengthReport:
    """Measure an assignment's scenarios. Progress is shown on standard error."""
    equivalents = load_equivalents(Path(specification.folder))
    context = prepare(specification, python=python, cache=cache, recall_tier=True)
    with steps(lines=True) as tell:
        return measure(
            context, equivalents, cache=cache, jobs=jobs, most_pairs=pairs, progress=tell
        )


def show_strength(report: StrengthReport, console: Console) -> None:
    """Print the tables by function and by clause, and the changes that no scenario notices."""
    headings = ("changes", "noticed", "equivalent", "not noticed")
    table = Table("function", *_figures(*headings), "noticed first by", title_justify="left")
    table.title = escape(report.assignment)
    for row in report.functions:
        unnoticed = row.changes - row.noticed - row.equivalent
        counts = (row.changes, row.noticed, row.equivalent, unnoticed)
        names = _first_to_notice(report, row.function)
        table.add_row(escape(row.function), *map(str, counts), escape(first_name(names)))
    console.print(table)
    clauses = Table("clause", *_figures("scenarios", "notice changes"))
    for clause in report.clauses:
        clauses.add_row(escape(clause.clause), str(clause.scenarios), str(clause.noticed))
    console.print(clauses)
    _list(report)


def _figures(*headings: str) -> list[Column]:
    return [Column(heading, justify="right") for heading in headings]


def _first_to_notice(report: StrengthReport, function: str) -> list[str]:
    """Return the scenarios that were the first to notice some change of this function, without
    duplicates.
    """
    names: dict[str, None] = {}
    for outcome in report.outcomes:
        if outcome.function == function and outcome.noticed_by:
            names[outcome.noticed_by[0]] = None
    return list(names)


def first_name(names: Sequence[str]) -> str:
    """Return the first name and the number of others; "" if there are none."""
    if not names:
        return ""
    if len(names) == 1:
        return names[0]
    return f"{names[0]} +{len(names) - 1}"


def _list(report: StrengthReport) -> None:
    for change in report.survivors:
        place = f"{change.file}:{change.line}"
        click.echo(f"{place}: not noticed in {change.function}: {change.operator}")
        click.echo(f"  - {change.before}\n  + {change.after}")
    for pair in report.surviving_pairs:
        first = report.outcomes[pair.first]
        second = report.outcomes[pair.second]
        click.echo(f"{first.file}:{first.line} and {second.line}: not noticed in {first.function}")
        for change in (first, second):
            click.echo(f"  - {change.before}\n  + {change.after}")
    for mistake in report.mistakes:
        click.echo(f"equivalent.yaml: {mistake}")
    if report.spare:
        scored = len(report.spare) + len(report.needed)
        names = list(report.spare[:_LISTED])
        if len(report.spare) > _LISTED:
            names.append("…")
        click.echo(
            f"{len(report.needed)} of {scored} scenarios notice all of these changes; the others "
            f"may notice other mistakes of students ({', '.join(names)})"
        )
    if report.pairs:
        noticed = len(report.pairs) - len(report.surviving_pairs)
        share = percent(noticed, len(report.pairs))
        click.echo(f"{noticed} of {len(report.pairs)} pairs of changes are noticed ({share} %)")
    noticed, changes = report.figures.noticed, report.figures.changes
    click.echo(
        f"{report.assignment}: {noticed} of {changes} changes are noticed "
        f"({percent(noticed, changes)} %); {len(report.outcomes) - changes} are equivalent"
    )
