"""Marks into gradebooks, each in the form that its platform imports; one module per platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from harness.common.csv_tables import Sheet, encoded, read_sheet
from harness.common.discovery import extensions
from harness.common.errors import UserError
from harness.common.words import counted
from harness.reporting.export.exporter import Exported, Exporter, ExportRequest, Marks
from harness.reporting.export.feedback import feedback_exporter
from harness.reporting.export.gradebooks.matching import GradebookEntry, gradebook_entries
from harness.reporting.export.gradebooks.platform import (
    FilledGradebook,
    FillOptions,
    Gradebook,
    fill,
)

__all__ = [
    "FilledGradebook",
    "Gradebook",
    "GradebookEntry",
    "gradebook_entries",
    "gradebook_exporters",
    "gradebooks",
    "make_gradebook",
]


def gradebooks() -> dict[str, Gradebook]:
    """Every platform by name: the `Gradebook` of each module beside this one."""
    platforms = extensions(__name__, __path__, Gradebook, lambda each: each.name)
    return {gradebook.name: gradebook for gradebook in platforms}


def gradebook_exporters() -> tuple[Exporter, ...]:
    """The formats that the platforms have: a gradebook, and a zip of feedback where they take
    one."""
    found: list[Exporter] = []
    for each in gradebooks().values():
        found.append(
            Exporter(
                name=each.name,
                help=f"marks for {each.title}'s gradebook (CSV)",
                export=partial(_export, each),
                is_gradebook=True,
            )
        )
        if each.feedback_name is not None:
            found.append(
                feedback_exporter(
                    each.name, each.title, each.feedback_name, index=each.feedback_index
                )
            )
    return tuple(found)


def make_gradebook(
    platform: Gradebook,
    entries: Sequence[GradebookEntry],
    request: ExportRequest,
) -> FilledGradebook:
    """The gradebook of these submissions: the downloaded file filled in, or one made from the
    roster or the submissions alone.

    Raises UserError when a file is not the platform's, open in another program, or fits nothing,
    and when the platform needs a file that was not given.
    """
    if not entries:
        raise UserError("there is no submission in this run")
    title = request.plan.assignment.title
    options = FillOptions(
        column_given=request.column is not None, clear=request.clear, match=request.match
    )
    if request.gradebook is not None:
        sheet = _read(request.gradebook)
        layout = platform.layout(sheet, request.column, title)
        filled = fill(sheet, layout, entries, options)
    elif request.roster is not None:
        filled = _from_roster(platform, entries, request, options)
    else:
        filled = _from_submissions(platform, entries, request)
    return replace(filled, sheet=platform.finished(filled.sheet))


def _export(platform: Gradebook, request: ExportRequest) -> Exported:
    entries = gradebook_entries(request.run, request.marks)
    filled = make_gradebook(platform, entries, request)
    warnings = list(filled.warnings)
    if not filled.marks:
        line = "there is not one mark in this file"
        if waiting := [entry.waits for entry in entries if entry.waits]:
            what = " | ".join(dict.fromkeys(waiting))
            line += f": {counted(len(waiting), 'submission')} wait for {what}"
            line += f"; --marks {Marks.FUNCTIONALITY} exports without the marks that people give"
        warnings.append(line)
    return Exported(data=encoded(filled.sheet), warnings=tuple(warnings))


def _from_roster(
    platform: Gradebook,
    entries: Sequence[GradebookEntry],
    request: ExportRequest,
    options: FillOptions,
) -> FilledGradebook:
    """Rows without a mark are left out: there is nothing to import."""
    if platform.from_roster is None or request.roster is None:
        raise UserError(f"--roster is not for --to {platform.name}", hint="--gradebook FILE")
    title = request.column or request.plan.assignment.title
    sheet = platform.from_roster(_read(request.roster), title)
    layout = platform.layout(sheet, None, title)
    filled = fill(sheet, layout, entries, options)
    header, *students = filled.sheet.rows
    rows = [list(header), *(list(row) for row in students if row[layout.mark])]
    return replace(filled, sheet=filled.sheet.with_rows(rows))


def _from_submissions(
    platform: Gradebook, entries: Sequence[GradebookEntry], request: ExportRequest
) -> FilledGradebook:
    if platform.from_roster is not None:
        raise UserError(
            f"{platform.title}'s gradebook has none of the ids that its downloads have",
            hint="--gradebook FILE, its exported grades, or --roster FILE, its class list",
        )
    if platform.blank is None:
        raise UserError(
            f"{platform.title} imports only the worksheet that it offers for download",
            hint="--gradebook FILE",
        )
    if request.match is not None or request.clear:
        raise UserError("--match and --clear need a gradebook", hint="--gradebook FILE")
    begun = any(entry.mark for entry in entries)
    named = [entry for entry in entries if entry.why and (begun or not entry.waits)]
    return FilledGradebook(
        sheet=platform.blank(entries, request.column or request.plan.assignment.title),
        warnings=tuple(f"{entry.shown} has no mark: {entry.why}" for entry in named),
        marks=sum(bool(entry.mark) for entry in entries),
    )


def _read(path: Path) -> Sheet:
    """A table, unless an office program has it open: what is unsaved there is not in the file."""
    for name in (f".~lock.{path.name}#", f"~${path.name}"):
        if path.with_name(name).exists():
            raise UserError(
                "is open in another program",
                place=str(path),
                hint=f"close it there (or remove {name}, if a program that crashed left it)",
            )
    return read_sheet(path)
