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
class _GradebookOptions:
    """The gradebook to fill in, and how."""

    gradebook: Annotated[
        Path | None,
        options.file(
            "--gradebook",
            "The downloaded gradebook or worksheet: its column is filled in, the rest stays as it "
            "is.",
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
            "A CSV (download id, gradebook id) for students whose row is not found otherwise.",
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

    def any_given(self) -> bool:
        """Return whether one of these options is given."""
        given = (self.gradebook, self.column, self.match, self.clear, self.roster)
        return any(given) or self.marks != Marks.TOTAL


@options.click_command(
    "export",
    "harness export reports/connect4ish --to csv -o marks.csv",
    "harness export reports/connect4ish --to canvas --gradebook Grades.csv -o import.csv",
    cls=_ExportCommand,
)
@click.argument("run", type=options.RUN)
@click.option("--to", "form", required=True, metavar="FORMAT", help="One of the formats below.")
@options.output("The file to write (default: standard output).")
@options.options_of("book", _GradebookOptions)
@options.flag(
    "--anonymous", "For json, csv, junit: numbers in place of ids; no names, times or comments."
)
def command(
    run: Path,
    form: str,
    output: Path | None,
    book: _GradebookOptions,
    anonymous: bool,
) -> int:
    """Write the run in RUN (a report folder) as FORMAT.

    A submission without a mark gets an empty cell, never a 0. A mark that is already in the
    gradebook stays, unless this run has another one. Messages on stderr list replaced marks, rows
    without a submission, and students who were matched only by name.
    """
    chosen = exporter(form)
    to_file = output is not None
    _refuse(chosen, of_gradebook=book.any_given(), anonymous=anonymous, to_file=to_file)
    if book.gradebook is not None and book.roster is not None:
        raise UserError("--roster is for an export without --gradebook", hint="leave out one")
    result, plan = read_run(run)
    if anonymous:
        result = without_students(result)
    folder = run if run.is_dir() else run.parent
    if chosen.is_archive:
        _update_pages(folder, result, plan)
    request = ExportRequest(
        run=result,
        plan=plan,
        folder=folder,
        marks=Marks(book.marks),
        gradebook=book.gradebook,
        column=book.column,
        clear=book.clear,
        match=book.match,
        roster=book.roster,
    )
    exported = export_of_all(chosen, request)
    _write(exported.data, output)
    if not result.facts.complete:
        click.echo("warning: this run is not complete. Grade again first", err=True)
    for warning in exported.warnings:
        click.echo(visible(warning), err=True)
    return 0


def _update_pages(folder: Path, result: RunResult, plan: Plan) -> None:
    """Write pages again that are older than the last change by a person."""
    ids = [graded.id for graded in result.submissions]
    write_page = page_writer(folder, ids, plan)
    for graded in result.submissions:
        write_page(graded)


def _refuse(chosen: Exporter, *, of_gradebook: bool, anonymous: bool, to_file: bool) -> None:
    """Raise UserError for options that the format does not take, or that it needs."""
    if of_gradebook and not chosen.is_gradebook:
        what = "--gradebook, --column, --match, --clear, --roster and --marks"
        raise UserError(f"{what} are not for --to {chosen.name}")
    if chosen.is_archive and not to_file:
        raise UserError("a zip needs a file to go to", hint="-o FILE")
    if anonymous and not chosen.may_be_anonymous:
        what = f"--to {chosen.name} needs names and ids"
        raise UserError(what, hint="leave out --anonymous")


def _write(data: bytes, output: Path | None) -> None:
    if output is None:
        click.echo(data, nl=False)
    else:
        write_bytes(output, data)
        click.echo(f"Wrote {output}")
