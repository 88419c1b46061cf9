"""`harness strength`: how many faults of a program an assignment's scenarios would notice."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from harness.assignment import available, load, load_equivalents
from harness.cli.discovery import examples
from harness.cli.options import cache_folder, options, python_option, root_option, the_root
from harness.common import files, serial
from harness.grading import prepare
from harness.model.study import StrengthReport
from harness.study import measure

SECTION = "Assignments"
SUMMARY = "Measure how many faults the scenarios notice."


@click.command(
    "strength",
    epilog=examples(
        "harness strength connect4ish",
        "harness strength connect4ish --json strength.json",
    ),
)
@click.argument("ids", nargs=-1, metavar="[ID…]")
@options(root_option, python_option)
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes (default: one per core).")
@click.option(
    "--json",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write every change and what notices it to this file.",
)
def command(
    ids: tuple[str, ...],
    root: Path | None,
    python: Path | None,
    jobs: int | None,
    target: Path | None,
) -> int:
    """Change the reference in one place at a time, and run each changed program against the
    scenarios: those named, or all assignments.

    What no scenario notices is listed: add a scenario, or write it into specs/<id>/equivalent.yaml
    with the reason why nobody can notice it. What is known is kept, so that an interrupted run goes
    on, and only what changed is run again.

    Exit status: 0 measured, 1 an entry of equivalent.yaml is wrong, 2 cannot run.
    """
    base = the_root(root)
    console = Console()
    reports = []
    for assignment_id in ids or available(base):
        loaded = load(base, assignment_id)
        equivalents = load_equivalents(Path(loaded.folder))
        cache = cache_folder(base)
        context = prepare(loaded, python=python, cache=cache, recall_tier=True)
        screen = Console(stderr=True)
        with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
            task = bar.add_task("", total=None)

            def tell(what: str, done: int, total: int) -> None:
                bar.update(task, description=what, completed=done, total=total or None)  # noqa: B023

            report = measure(context, equivalents, cache=cache, jobs=jobs, progress=tell)
        reports.append(report)
        _show(report, console)
    if target is not None:
        text = "[" + ",\n".join(serial.dumps(report) for report in reports) + "]\n"
        files.write(target, text)
    return 1 if any(report.mistakes for report in reports) else 0


def _show(report: StrengthReport, console: Console) -> None:
    table = Table(title=report.assignment, title_justify="left")
    table.add_column("function")
    for heading in ("changes", "noticed", "equivalent", "not noticed"):
        table.add_column(heading, justify="right")
    for each in report.functions:
        left = each.changes - each.noticed - each.equivalent
        counts = (each.changes, each.noticed, each.equivalent, left)
        table.add_row(each.function, *(str(count) for count in counts))
    console.print(table)
    for one in report.survivors:
        click.echo(f"{one.file}:{one.line}: not noticed in {one.function}: {one.operator}")
        click.echo(f"  - {one.before}\n  + {one.after}")
    for mistake in report.mistakes:
        click.echo(f"equivalent.yaml: {mistake}")
    share = 100 * report.noticed / report.counted if report.counted else 0
    click.echo(
        f"{report.assignment}: {report.noticed} of {report.counted} changes are noticed "
        f"({share:.1f} %); {len(report.outcomes) - report.counted} are equivalent"
    )
