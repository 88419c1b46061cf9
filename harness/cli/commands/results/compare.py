"""Show whose marks changed between two runs, and why."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.cli import options
from harness.cli.printing import print_result
from harness.common.errors import UserError
from harness.common.files import write
from harness.reporting.two_runs import comparison_csv, comparison_page, comparison_table
from harness.results.comparing import compare_runs, read_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class _CompareOptions:
    """The options: the format of the comparison, and its file."""

    form: Annotated[
        str,
        options.option(
            "--to",
            "form",
            "A table for the terminal, CSV for a spreadsheet, or a page.",
            default="table",
            type=click.Choice(["table", "csv", "html"]),
        ),
    ]
    output: Annotated[Path | None, options.output("The file to write (default: standard output).")]


@options.click_command(
    "compare",
    "harness compare reports/before reports/after",
    "harness compare reports/before reports/after --to html -o changes.html",
)
@click.argument("old", type=options.RUN)
@click.argument("new", type=options.RUN)
@options.options_of("chosen", _CompareOptions)
def command(old: Path, new: Path, chosen: _CompareOptions) -> int:
    """Compare two runs of one assignment: report folders, or results.json files.

    The command lists every submission whose mark, state, verdicts, findings, files or marks by hand
    differ, and the scenarios that caused the difference.
    """
    before = read_snapshot(old)
    after = read_snapshot(new)
    comparison = compare_runs(before, after)
    output = chosen.output
    if chosen.form == "table":
        if output is None:
            print_result(comparison_table(comparison))
            return 0
        raise UserError("a table can only be shown on the terminal", hint="--to csv or --to html")
    write_form = comparison_csv if chosen.form == "csv" else comparison_page
    text = write_form(comparison)
    if output is None:
        click.echo(text, nl=False)
        return 0
    write(output, text)
    click.echo(f"Wrote {output}")
    for run in (comparison.old, comparison.new):
        if not run.complete:
            click.echo(
                f"{run.path}: this run is not complete, so its marks are not final", err=True
            )
    return 0
