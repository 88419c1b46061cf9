"""`harness strength`: how many faults of a program an assignment's scenarios would notice."""

from __future__ import annotations

from pathlib import Path

import click

from harness.assignment import available, load
from harness.cli.discovery import examples
from harness.cli.options import (
    cache_folder,
    jobs_option,
    json_option,
    options,
    python_option,
    root_option,
    the_root,
)
from harness.cli.printing import result_console
from harness.cli.strengths import measured, show_strength
from harness.common import files, serial

SECTION = "Assignments"
SUMMARY = "Measure how many faults the scenarios notice."


@click.command(
    "strength",
    epilog=examples(
        "harness strength connect4ish",
        "harness strength connect4ish --pairs 200 --json strength.json",
    ),
)
@click.argument("ids", nargs=-1, metavar="[ID…]")
@options(root_option, python_option)
@jobs_option
@click.option(
    "--pairs",
    type=click.IntRange(0, 100_000),
    default=0,
    help="Also try so many programs with two changes in one function, which may hide each other.",
)
@json_option("Write every change and what notices it to this file.")
def command(
    ids: tuple[str, ...],
    root: Path | None,
    python: Path | None,
    jobs: int | None,
    pairs: int,
    target: Path | None,
) -> int:
    """Change the reference in one place at a time, and run each changed program against the
    scenarios: those named, or all assignments.

    What no scenario notices is listed: add a scenario, or write it into specs/<id>/equivalent.yaml
    with the reason why it cannot be noticed. Results are stored: an interrupted run
    continues, and only what changed is run again.

    Exit status: 0 measured, 1 an entry of equivalent.yaml is wrong, 2 cannot run.
    """
    base = the_root(root)
    console = result_console()
    reports = []
    for assignment_id in ids or available(base):
        loaded = load(base, assignment_id)
        report = measured(loaded, cache_folder(base), python=python, jobs=jobs, pairs=pairs)
        reports.append(report)
        show_strength(report, console)
    if target is not None:
        text = "[" + ",\n".join(serial.dumps(report) for report in reports) + "]\n"
        files.write(target, text)
    return 1 if any(report.mistakes for report in reports) else 0
