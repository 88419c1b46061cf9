"""Write marks for a gradebook, feedback pages or results."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.cli import options
from harness.common.errors import UserError
from harness.common.escaping import visible
from harness.common.files import write_bytes
from harness.model.plan import Plan
from harness.model.result import RunResult
from harness.reporting.export import exporter, exporters
from harness.reporting.export.anonymous import anonymous as without_students
from harness.reporting.export.exporter import Exporter, ExportRequest, Marks, export_of_all
from harness.reporting.writing import page_writer
from harness.results.database import read_run


class _ExportCommand(click.Command):
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Formats"):
            formatter.write_dl([(known.name, known.help) for known in exporters().values()])


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExportOptions:
    """The options: format, output file, and the gradebook to fill in."""

    form: Annotated[
        str,
        options.option(
            "--to", "form", "One of the formats below.", required=True, metavar="FORMAT"
        ),
    ]
    output: Annotated[Path | None, options.output("The file to write (default: standard output).")]
    gradebook: Annotated[
        Path | None,
        options.file(
            "--gradebook",
            "The downloaded gradebook or worksheet. The assignment's column is filled in; the "
            "rest stays unchanged.",
        ),
    ]
    column: Annotated[
        str | None,
        options.option(
            "--column", "The gradebook's column (default: the assignment's title).", metavar="TITLE"
        ),
    ]
    match: Annotated[
        Path | None,
        options.file(
            "--match",
            "A CSV with the columns download id and gradebook id, for students whose row is not "
            "found.",
        ),
    ]
    clear: Annotated[
        bool,
        options.flag(
            "--clear",
            "Empty the cells of students without a mark in this run (default: keep them).",
        ),
    ]
    roster: Annotated[
        Path | None,
        options.file(
            "--roster",
            "For Brightspace without --gradebook: the class list, which has the ids for the "
            "import.",
        ),
    ]
    marks: Annotated[
        str,
        options.option(
            "--marks",
            "For gradebooks: the total, the marks before late penalties, or only the functionality "
            "mark.",
            default=Marks.TOTAL.value,
            type=click.Choice(list(map(str, Marks))),
        ),
    ]
    anonymous: Annotated[
        bool,
        options.flag(
            "--anonymous",
            "For json, csv, faults, junit: numbers in place of ids; no names, times or comments.",
        ),
    ]

    def asks_for_gradebook(self) -> bool:
        """Return whether an option was given that only applies to gradebooks."""
        given = (self.gradebook, self.column, self.match, self.clear, self.roster)
        return any(given) or self.marks != Marks.TOTAL


@options.click_command(
    "export",
    "harness export reports/connect4ish --to csv -o marks.csv",
    "harness export reports/connect4ish --to canvas --gradebook Grades.csv -o import.csv",
    cls=_ExportCommand,
)
@click.argument("run", type=options.RUN)
@options.options_of("chosen", _ExportOptions)
def command(run: Path, chosen: _ExportOptions) -> int:
    """Write the run in RUN (a report folder) as FORMAT.

    A submission without a mark gets an empty cell, never a 0. A mark in the gradebook changes only
    if this run has a different one. Messages on stderr list replaced marks, rows without a
    submission, and students who were matched only by name.
    """
    form = exporter(chosen.form)
    _refuse(form, chosen)
    if chosen.gradebook is not None and chosen.roster is not None:
        raise UserError("--roster is for an export without --gradebook", hint="leave out one")
    result, plan = read_run(run)
    if chosen.anonymous:
        result = without_students(result)
    folder = run if run.is_dir() else run.parent
    if form.is_archive:
        _update_pages(folder, result, plan)
    request = ExportRequest(
        run=result,
        plan=plan,
        folder=folder,
        marks=Marks(chosen.marks),
        gradebook=chosen.gradebook,
        column=chosen.column,
        clear=chosen.clear,
        match=chosen.match,
        roster=chosen.roster,
    )
    exported = export_of_all(form, request)
    _write(exported.data, chosen.output)
    if not result.facts.complete:
        click.echo("warning: this run is not complete. Grade again first", err=True)
    for warning in exported.warnings:
        click.echo(visible(warning), err=True)
    return 0


def _update_pages(folder: Path, result: RunResult, plan: Plan) -> None:
    """Rewrite pages that are older than the last change made by a person."""
    ids = [graded.id for graded in result.submissions]
    write_page = page_writer(folder, ids, plan)
    for graded in result.submissions:
        write_page(graded)


def _refuse(form: Exporter, chosen: _ExportOptions) -> None:
    """Raise UserError if an option does not apply to the format, or a required one is missing."""
    if chosen.asks_for_gradebook() and not form.is_gradebook:
        what = "--gradebook, --column, --match, --clear, --roster and --marks"
        raise UserError(f"{what} cannot be used with --to {form.name}")
    if form.is_archive and chosen.output is None:
        raise UserError("this format is a zip file", hint="-o FILE")
    if chosen.anonymous and not form.may_be_anonymous:
        what = f"--to {form.name} needs names and ids"
        raise UserError(what, hint="leave out --anonymous")


def _write(data: bytes, output: Path | None) -> None:
    if output is None:
        click.echo(data, nl=False)
    else:
        write_bytes(output, data)
        click.echo(f"Wrote {output}")
