"""Marks into gradebooks, each in the form that its platform imports; one module per platform."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from harness.common.csv_tables import Sheet, encoded, read_sheet
from harness.common.discovery import extensions
from harness.common.errors import UserError
from harness.common.words import counted
from harness.model.result import SubmissionResult
from harness.reporting.export.exporter import Exported, Exporter, ExportRequest, Marks
from harness.reporting.export.feedback import feedback_exporter
from harness.reporting.export.gradebooks.matching import GradebookEntry, gradebook_entry
from harness.reporting.export.gradebooks.platform import FilledGradebook, Gradebook, fill


def gradebooks() -> dict[str, Gradebook]:
    """Every platform by name: the `Gradebook` of each module beside this one."""
    platforms = extensions(__name__, __path__, Gradebook, lambda each: each.name)
    return {gradebook.name: gradebook for gradebook in platforms}


def gradebook_exporters() -> tuple[Exporter, ...]:
    """The formats that the platforms have: a gradebook, and a zip of feedback where they take
    one."""
    exporters: list[Exporter] = []
    for platform in gradebooks().values():
        help_line = f"marks for {platform.title}'s gradebook (CSV)"
        export = partial(_export, platform)
        exporters.append(
            Exporter(name=platform.name, help=help_line, export=export, is_gradebook=True)
        )
        if platform.feedback_name is not None:
            exporters.append(
                feedback_exporter(
                    f"feedback-{platform.name}",
                    f"feedback pages to upload to {platform.title} (zip)",
                    partial(_feedback_page, platform.feedback_name),
                    platform=platform.title,
                    index=platform.feedback_index,
                )
            )
    return tuple(exporters)


def make_gradebook(
    platform: Gradebook, entries: Sequence[GradebookEntry], request: ExportRequest
) -> FilledGradebook:
    """The gradebook of these submissions: the downloaded file filled in, or one made from the
    roster or the submissions alone.

    Raises UserError when a file is not the platform's, open in another program, or fits nothing,
    and when the platform needs a file that was not given.
    """
    if not entries:
        raise UserError("there is no submission in this run")
    if request.gradebook is not None:
        sheet = _read(request.gradebook)
        layout = platform.layout(sheet, request.column, request.plan.assignment.title)
        filled = fill(sheet, layout, entries, request)
    elif request.roster is not None:
        filled = _from_roster(platform, entries, request, request.roster)
    else:
        filled = _from_submissions(platform, entries, request)
    return replace(filled, sheet=platform.finished(filled.sheet))


def _export(platform: Gradebook, request: ExportRequest) -> Exported:
    entries = [gradebook_entry(result, request.marks) for result in request.run.submissions]
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


def _feedback_page(name: Callable[[str], str | None], result: SubmissionResult) -> str | None:
    """None for what is not the name of one folder or file, but a path."""
    source = result.source
    is_path = source in ("", ".", "..") or set(source) & set("/\\\0")
    return None if is_path else name(source)


def _from_roster(
    platform: Gradebook, entries: Sequence[GradebookEntry], request: ExportRequest, roster: Path
) -> FilledGradebook:
    """Rows without a mark are left out: there is nothing to import."""
    if platform.from_roster is None:
        raise UserError(f"--roster is not for --to {platform.name}", hint="--gradebook FILE")
    title = request.column or request.plan.assignment.title
    sheet = platform.from_roster(_read(roster), title)
    layout = platform.layout(sheet, None, title)
    filled = fill(sheet, layout, entries, request)
    header, *students = filled.sheet.rows
    rows = (header, *(row for row in students if row[layout.mark]))
    return replace(filled, sheet=replace(filled.sheet, rows=rows))


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
