"""`harness export`: a run in the form that others take."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import click

from harness.cli.discovery import examples
from harness.cli.options import PATH
from harness.cli.runs import read_run
from harness.common.csv_tables import encoded, read_sheet
from harness.common.errors import UserError
from harness.common.escaping import visible
from harness.common.files import write_bytes
from harness.model.plan import Plan
from harness.model.result import RunResult
from harness.reporting.export.feedback import FeedbackFor, feedback_zip
from harness.reporting.export.gradebooks import (
    Marks,
    Platform,
    gradebook,
    gradebook_entries,
)
from harness.reporting.export.junit import junit_xml
from harness.reporting.export.manual_marks import manual_template
from harness.reporting.export.marks_csv import marks_csv
from harness.reporting.view.words import counted
from harness.results import results_json

SECTION = "Results"
SUMMARY = "Write a run for a gradebook, as feedback, or as results."


class Format(StrEnum):
    """What a run can be exported to."""

    JSON = "json"
    CSV = "csv"
    JUNIT = "junit"
    MANUAL_MARKS = "manual-marks"
    CANVAS = "canvas"
    BRIGHTSPACE = "brightspace"
    BLACKBOARD = "blackboard"
    MOODLE = "moodle"
    FEEDBACK = "feedback"
    FEEDBACK_CANVAS = "feedback-canvas"
    FEEDBACK_BRIGHTSPACE = "feedback-brightspace"
    FEEDBACK_MOODLE = "feedback-moodle"


_TEXTS = {
    Format.JSON: results_json,
    Format.CSV: marks_csv,
    Format.JUNIT: junit_xml,
    Format.MANUAL_MARKS: manual_template,
}
_ZIPS = {
    Format.FEEDBACK: FeedbackFor.PLAIN,
    Format.FEEDBACK_CANVAS: FeedbackFor.CANVAS,
    Format.FEEDBACK_BRIGHTSPACE: FeedbackFor.BRIGHTSPACE,
    Format.FEEDBACK_MOODLE: FeedbackFor.MOODLE,
}


@click.command(
    "export",
    epilog=examples(
        "harness export reports/connect4ish --to csv -o marks.csv",
        "harness export reports/connect4ish --to feedback -o feedback.zip",
    ),
)
@click.argument("run", type=PATH)
@click.option(
    "--to",
    "form",
    required=True,
    metavar="FORMAT",
    type=click.Choice([each.value for each in Format]),
    help=f"One of {', '.join(Format)}.",
)
@click.option(
    "-o", "--output", type=PATH, metavar="FILE", help="Where to (default: standard output)."
)
@click.option(
    "--gradebook",
    "book",
    type=PATH,
    metavar="FILE",
    help="The gradebook or worksheet as downloaded: its column is filled in, the rest is kept.",
)
@click.option(
    "--column", metavar="TITLE", help="The gradebook's column (default: the assignment's title)."
)
@click.option(
    "--marks",
    type=click.Choice([each.value for each in Marks]),
    default=Marks.TOTAL.value,
    show_default=True,
    help="With the marks that people give, or what the harness found alone.",
)
def command(
    run: Path, form: str, output: Path | None, book: Path | None, column: str | None, marks: str
) -> int:
    """Write RUN (a report folder) as FORMAT: marks for a gradebook, feedback, results.

    A submission without a mark has an empty cell, never a 0. What a person must know about the
    file (rows without a submission, matches by name alone) is said line by line on stderr.
    """
    wanted = Format(form)
    if form not in set(Platform) and (book or column):
        raise UserError(f"--gradebook and --column are not for --to {form}")
    result, plan = read_run(run)
    warnings: tuple[str, ...] = ()
    if wanted in _TEXTS:
        data = _TEXTS[wanted](result, plan).encode("utf-8", "backslashreplace")
    elif wanted in _ZIPS:
        if output is None:
            raise UserError("a zip needs a file to go to", hint="-o FILE")
        packed = feedback_zip(result, run if run.is_dir() else run.parent, _ZIPS[wanted])
        data, warnings = packed.data, packed.warnings
    else:
        data, warnings = _gradebook(Platform(form), result, plan, book, column, Marks(marks))
    _put(data, output)
    _say(warnings, result)
    return 0


def _gradebook(
    platform: Platform,
    run: RunResult,
    plan: Plan,
    book: Path | None,
    column: str | None,
    marks: Marks,
) -> tuple[bytes, tuple[str, ...]]:
    found = gradebook_entries(run, marks)
    filled = gradebook(
        platform,
        found,
        None if book is None else read_sheet(book),
        column=column,
        title=plan.assignment.title,
    )
    told = list(filled.warnings)
    if not filled.marks:
        told.append("there is not one mark in this file")
        if waiting := [each.waits for each in found if each.waits]:
            what = " | ".join(dict.fromkeys(waiting))
            told[-1] += f": {counted(len(waiting), 'submission')} wait for {what}"
            told[-1] += "; --marks functionality exports without the marks that people give"
    return encoded(filled.sheet), tuple(told)


def _put(data: bytes, output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    write_bytes(output, data)
    click.echo(f"Wrote {output}")


def _say(warnings: Sequence[str], run: RunResult) -> None:
    if not run.facts.complete:
        click.echo("this run is not complete: it is not a result. Grade again first", err=True)
    for warning in warnings:
        click.echo(visible(warning), err=True)
