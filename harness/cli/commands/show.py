"""`harness show`: the table of a run, or the reasons for one submission's mark."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli import options
from harness.cli.printing import print_result
from harness.common.errors import UserError
from harness.reporting.terminal.tables import show_submission, summary_table
from harness.results.database import read_run, store_of
from harness.results.store import Store

SECTION = "Results"
SUMMARY = "Show a finished or interrupted run."


@options.click_command(
    "show",
    "harness show reports/connect4ish",
    "harness show reports/connect4ish --submission perfect",
)
@click.argument("run", type=options.PATH)
@click.option("--submission", metavar="ID", help="Show one submission with its reasons.")
def command(run: Path, submission: str | None) -> int:
    """Show RUN: a report folder, or its run.sqlite."""
    if submission is None:
        result, plan = read_run(run)
        print_result(summary_table(result, plan))
        if not result.facts.complete:
            print_result("[red]This run is not complete: grade again to finish it.")
        return 0
    with Store.read_only(store_of(run)) as store:
        entry = store.whole_result(submission)
        if entry is not None:
            print_result(show_submission(entry, store.plan()))
            return 0
    raise UserError(
        f"no submission {submission!r}", place=str(run), hint=f"harness show {run} lists them"
    )
