"""Writes marks into one column of a gradebook and leaves all other cells unchanged.

Rows are matched with students by a match file if given, otherwise by id, by login or email, or by
name if it is unique.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from harness.common.csv_tables import Record, Sheet, encoded, read_sheet
from harness.common.errors import UserError
from harness.common.people import (
    By,
    Person,
    by_key,
    by_name_line,
    id_key,
    id_keys,
    pairs,
    zeros_line,
)
from harness.common.words import counted, rounded
from harness.intake.entries import listed
from harness.intake.gradebook import (
    Gradebook,
    GradebookEntry,
    GradebookLayout,
    number_in,
    person_in,
)
from harness.intake.platforms import gradebooks
from harness.model.result import SubmissionResult
from harness.model.submission import Student
from harness.reporting.export.exporter import (
    Exported,
    Exporter,
    ExportRequest,
    Marks,
    feedback_exporter,
)
from harness.reporting.view import words
from harness.reporting.view.marks import unmarked


def gradebook_exporters() -> tuple[Exporter, ...]:
    """Return each platform's gradebook format, and its feedback format if the platform accepts
    feedback files.
    """
    exporters: list[Exporter] = []
    for platform in gradebooks():
        marks = f"marks for {platform.title}'s gradebook (CSV)"
        export = partial(_export, platform)
        exporter = Exporter(name=platform.name, help=marks, export=export, is_gradebook=True)
        exporters.append(exporter)
        if platform.feedback_name is not None:
            feedback = feedback_exporter(
                f"feedback-{platform.name}",
                f"feedback pages to upload to {platform.title} (zip)",
                partial(_feedback_page, platform.feedback_name),
                platform=platform.title,
                index=platform.feedback_index,
            )
            exporters.append(feedback)
    return tuple(exporters)


def gradebook_entry(result: SubmissionResult, marks: Marks) -> GradebookEntry:
    """Return the data of a result that goes into a gradebook.

    Only graded and unreadable submissions have a mark.
    """
    if marks is Marks.BEFORE_LATENESS:
        result = replace(result, late=None)
    if marks is Marks.FUNCTIONALITY:
        mark, out_of = result.mark, result.out_of
    else:
        mark, out_of = result.total, result.total_out_of
    written, why, waits = "", "", ""
    if mark is None:
        why, waits = _without(result, marks)
    else:
        written = rounded(mark)
    return GradebookEntry(
        id=result.id,
        student=result.student or Student(id=result.id),
        mark=written,
        out_of=out_of,
        total_out_of=result.total_out_of,
        why=why,
        waits=waits,
        comment=words.whole_comment(result),
    )


def _without(result: SubmissionResult, marks: Marks) -> tuple[str, str]:
    """Return why a result has no mark, and the titles of the parts that must still be marked by
    hand.
    """
    if result.excused:
        return f"excused ({result.excused})", ""
    is_overridden = marks is not Marks.FUNCTIONALITY and result.override is not None
    if result.mark is None and not is_overridden:
        return words.STATUS[result.status], ""
    missing = ", ".join(unmarked(result))
    return f"no mark yet for {missing}", missing


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledGradebook:
    """The filled-in table that is written to a file."""

    sheet: Sheet
    warnings: tuple[str, ...]
    marks: int


def make_gradebook(
    platform: Gradebook, entries: Sequence[GradebookEntry], request: ExportRequest
) -> FilledGradebook:
    """Fill in the downloaded gradebook, or make a new table from the roster or the submissions.

    Raise UserError if the file is missing, does not come from this platform, is open in another
    program, or matches no submission.
    """
    if not entries:
        raise UserError("this run has no submissions")
    if request.gradebook is not None:
        filled = _fill(platform, _read(request.gradebook), entries, request)
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
        line = "this file contains no marks"
        waiting = [entry.waits for entry in entries if entry.waits]
        if waiting:
            what = " | ".join(dict.fromkeys(waiting))
            line += f": {counted(len(waiting), 'submission')} still to be marked by hand ({what})"
            line += f"; --marks {Marks.FUNCTIONALITY} exports the marks without that part"
        warnings.append(line)
    return Exported(data=encoded(filled.sheet), warnings=tuple(warnings))


def _feedback_page(name: Callable[[str], str | None], result: SubmissionResult) -> str | None:
    """Return the path for a student's page in the zip.

    None if the submission's file name is a path on some system instead of a plain name. Unprintable
    characters become underscores because no platform uses them.
    """
    if result.source in ("", ".", "..") or _OF_PATHS.search(result.source):
        return None
    path = name(result.source)
    if path is None:
        return None
    for character in set(path):
        if not character.isprintable():
            path = path.replace(character, "_")
    return path


def _from_roster(
    platform: Gradebook, entries: Sequence[GradebookEntry], request: ExportRequest, roster: Path
) -> FilledGradebook:
    """Return a table with a row for each student in the roster who has a mark.

    Other rows would import nothing.
    """
    if platform.from_roster is None:
        raise UserError(f"--roster is not for --to {platform.name}", hint="--gradebook FILE")
    title = request.column or request.plan.assignment.title
    filled = _fill(platform, platform.from_roster(_read(roster), title), entries, request)
    header, *students = filled.sheet.rows
    marked = [row for row in students if row[-1]]
    return replace(filled, sheet=filled.sheet.with_rows([header, *marked]))


def _from_submissions(
    platform: Gradebook, entries: Sequence[GradebookEntry], request: ExportRequest
) -> FilledGradebook:
    if platform.from_roster is not None:
        what = f"{platform.title}'s gradebook has different ids than its downloads"
        hint = "--gradebook FILE, its exported grades, or --roster FILE, its class list"
        raise UserError(what, hint=hint)
    if platform.blank is None:
        what = f"{platform.title} can only import its own worksheet"
        raise UserError(what, hint="--gradebook FILE")
    if request.match is not None or request.clear:
        raise UserError("--match and --clear need a gradebook", hint="--gradebook FILE")
    marked = [entry for entry in entries if entry.mark]
    no_mark: list[tuple[str, GradebookEntry]] = []
    for entry in entries:
        if entry.why and (marked or not entry.waits):
            no_mark.append((entry.label, entry))
    title = request.column or request.plan.assignment.title
    sheet = platform.blank(entries, words.number(entries[0].out_of), title)
    warnings = tuple(_without_mark(no_mark))
    return FilledGradebook(sheet=sheet, warnings=warnings, marks=len(marked))


def _read(path: Path) -> Sheet:
    """Return a table.

    Raise UserError if an office program has the file open, because unsaved changes would be
    missing.
    """
    for name in (f".~lock.{path.name}#", f"~${path.name}"):
        if path.with_name(name).exists():
            hint = f"close it there (or remove {name}, if a program that crashed left it)"
            raise UserError("is open in another program", place=str(path), hint=hint)
    return read_sheet(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    at: int  # row number in the sheet
    person: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class _Match:
    row: _Row
    entry: GradebookEntry
    by: By | None = None  # None if the match file pairs them


def _matched(
    rows: Sequence[_Row], entries: Sequence[GradebookEntry], settled: Sequence[_Match]
) -> list[_Match]:
    """Return the rows that match a student unambiguously: first by id, then by login, then by
    name.
    """
    matches = list(settled)
    for by in By:
        left = _unmatched_rows(rows, matches)
        waiting = _unmatched_entries(entries, matches)
        people = [row.person for row in left]
        students = [entry.person for entry in waiting]
        for row, entry in pairs(people, students, by).items():
            matches.append(_Match(row=left[row], entry=waiting[entry], by=by))
    return sorted(matches, key=lambda match: match.row.at)


def _unmatched_rows(rows: Sequence[_Row], matches: Iterable[_Match]) -> list[_Row]:
    matched = {match.row.at for match in matches}
    return [row for row in rows if row.at not in matched]


def _unmatched_entries(
    entries: Sequence[GradebookEntry], matches: Iterable[_Match]
) -> list[GradebookEntry]:
    matched = {match.entry.id for match in matches}
    return [entry for entry in entries if entry.id not in matched]


_T = TypeVar("_T")
_OF_PATHS = re.compile(r"[/\\\0]|^[A-Za-z]:")
_DOWNLOAD = ("download id", "download", "submission id", "submission")
_GRADEBOOK = ("gradebook id", "gradebook")


def _read_matches(
    path: Path, rows: Sequence[_Row], entries: Sequence[GradebookEntry]
) -> list[_Match]:
    """Return the matches in a CSV file: `download id` is the id of a submission or its student,
    `gradebook id` an id or login in the gradebook.

    Raise UserError with the line if a column is missing, or an id is unknown, ambiguous or
    repeated.
    """
    sheet = read_sheet(path)
    if None in (sheet.column(*_DOWNLOAD), sheet.column(*_GRADEBOOK)):
        what = "needs the columns download id and gradebook id"
        hint = "write one pair a line: a submission's id and the id of its row in the gradebook"
        raise UserError(what, place=f"{path}:1", hint=hint)
    of_entries = by_key((entry, id_keys([entry.id, entry.student.id])) for entry in entries)
    of_rows = by_key((row, row.person.keys(By.LOGIN)) for row in rows)
    matches: list[_Match] = []
    matched_entries: set[str] = set()
    matched_rows: set[int] = set()
    for record in sheet.records:
        download = record.first(*_DOWNLOAD)
        row_id = record.first(*_GRADEBOOK)
        entry = _only(of_entries, download, "submission of this run", record.place)
        row = _only(of_rows, row_id, "row of the gradebook", record.place)
        if entry.id in matched_entries or row.at in matched_rows:
            what = f"a line above already has {download} or {row_id}"
            raise UserError(what, place=record.place)
        matched_entries.add(entry.id)
        matched_rows.add(row.at)
        matches.append(_Match(row=row, entry=entry))
    return matches


def _only(of_key: Mapping[str, list[_T]], key: str, what: str, place: str) -> _T:
    fitting = of_key.get(id_key(key), [])
    if not fitting:
        raise UserError(f"no {what} has the id {key!r}", place=place)
    if len(fitting) > 1:
        raise UserError(f"{len(fitting)} of them have the id {key!r}", place=place)
    return fitting[0]


EXCUSED = "EX"
_NO_MARK = ("", "-")


def _fill(
    platform: Gradebook, sheet: Sheet, entries: Sequence[GradebookEntry], request: ExportRequest
) -> FilledGradebook:
    """Write each mark into its row.

    Rows without a submission and excused students stay unchanged, and so do students without a mark
    in this run (unless `request.clear`). Warnings name everything that is kept, replaced or
    removed. Submissions waiting for marks by hand are only listed if some other submission has its
    mark.

    Raise UserError if no row matches, if the column has another maximum (unless the user named the
    column), or if the match file is wrong.
    """
    layout = platform.layout(sheet, request.column, request.plan.assignment.title)
    records = (layout.students or sheet).records
    rows: list[_Row] = []
    for record in records:
        person = person_in(record, platform.ids, platform.logins)
        if person is not None and (person.ids or person.logins):
            rows.append(_Row(at=record.row, person=person))
    _check_once(platform, records)
    if not rows:
        raise UserError("contains no students", place=sheet.place, hint="download it again")
    settled: list[_Match] = []
    if request.match is not None:
        settled = _read_matches(request.match, rows, entries)
    matches = _matched(rows, entries, settled)
    if not matches:
        what = f"no row fits any of {counted(len(entries), 'submission')}"
        hint = "check that it is the gradebook of this course; the ids, logins and names differ"
        raise UserError(what, place=sheet.place, hint=hint)
    begun = any(entry.mark for entry in entries)
    filler = _Filler(sheet, layout, request, begun=begun)
    filler.check_maximum(entries)
    for match in matches:
        filler.fill(match)
    filler.warnings[:0] = [*by_name_line(filler.by_name), *zeros_line(filler.by_zeros)]
    filler.warnings += _without_mark(filler.no_mark)
    commented = [match for match in matches if match.entry.comment]
    if layout.comment is None and commented:
        count = counted(len(commented), "comment")
        what = f"{count} left out, because the file has no column for them"
        filler.warnings.append(f"{sheet.place}: {what}; the feedback pages have them")
    filler.warnings += _left_over(sheet, rows, matches, entries)
    filled = sheet.with_rows(filler.rows)
    return FilledGradebook(sheet=filled, warnings=tuple(filler.warnings), marks=filler.marks)


def _check_once(platform: Gradebook, records: Iterable[Record]) -> None:
    """Raise UserError if two rows have the same id in the same column: the platform might import
    either of them.
    """
    known: set[tuple[str, str]] = set()
    for record in records:
        for column in platform.ids:
            who = person_in(record, [column])
            if who is None or not who.ids:
                continue
            key = column, id_key(who.ids[0])
            if key in known:
                what = f"two rows have id {who.ids[0]}"
                raise UserError(what, place=record.place, hint="remove one")
            known.add(key)


def _without_mark(no_mark: Iterable[tuple[str, GradebookEntry]]) -> list[str]:
    """Return a line for each reason for a missing mark, naming the first few students."""
    of_reason: dict[str, list[str]] = {}
    for where, entry in no_mark:
        of_reason.setdefault(entry.why, []).append(where)
    lines: list[str] = []
    for why, names in of_reason.items():
        have = "has" if len(names) == 1 else "have"
        lines.append(f"{listed(names)} {have} no mark: {why}")
    return lines


class _Filler:
    def __init__(
        self, sheet: Sheet, layout: GradebookLayout, request: ExportRequest, *, begun: bool
    ) -> None:
        self._sheet = sheet
        self._layout = layout
        self._request = request
        self._begun = begun
        self.rows = [list(row) for row in sheet.rows]
        self.warnings: list[str] = []
        self.by_name: list[str] = []
        self.by_zeros: list[str] = []
        self.no_mark: list[tuple[str, GradebookEntry]] = []  # with their row numbers
        self.marks = 0

    def check_maximum(self, entries: Sequence[GradebookEntry]) -> None:
        maximum = self._layout.maximum
        out_of = {entry.out_of for entry in entries}
        if maximum is None or out_of <= {maximum}:
            return
        ours = " or ".join(words.number(most) for most in sorted(out_of))
        title = self._sheet.rows[0][self._layout.mark]
        most = words.number(maximum)
        what = f'the column "{title}" is out of {most}, but the marks are out of {ours}'
        in_all = {entry.total_out_of for entry in entries}
        if maximum not in in_all and self._request.column is None:
            hint = f'add --column "{title}" to fill it anyway'
            raise UserError(what, place=self._sheet.place, hint=hint)
        self.warnings.append(f"{self._sheet.place}: {what}")

    def fill(self, match: _Match) -> None:
        layout, entry = self._layout, match.entry
        row = self.rows[match.row.at]
        last = max(layout.mark, layout.comment or 0)
        row += [""] * (last + 1 - len(row))
        where = f"{self._sheet.at(match.row.at)}: {match.row.person.label}"
        before = row[layout.mark].strip()
        if match.by is By.NAME:
            self.by_name.append(f"{where} is treated as {entry.label}")
        if match.by is By.ZEROS:
            self.by_zeros.append(f"{where} is treated as {entry.label}")
        if before.upper() == EXCUSED:
            self.warnings.append(f"{where} is excused ({EXCUSED}); it stays excused")
            return
        if entry.mark:
            row[layout.mark] = entry.mark.replace(".", layout.decimal)
            self._count_mark(where, before, entry)
        elif before not in _NO_MARK:
            stays = "stays in the gradebook (--clear removes it)"
            if self._request.clear:
                row[layout.mark] = ""
                stays = "was removed from the gradebook"
            self.warnings.append(f"{where} has no mark: {entry.why}; {before} {stays}")
        elif entry.why and (self._begun or not entry.waits):
            self.no_mark.append((where, entry))
        if layout.comment is not None and entry.comment:
            old = row[layout.comment].strip()
            if old and old != entry.comment.strip():
                self.warnings.append(f"{where}: the comment in the gradebook was replaced")
            row[layout.comment] = entry.comment

    def _count_mark(self, where: str, before: str, entry: GradebookEntry) -> None:
        """Count a written mark. Warn if it replaces another mark or exceeds the maximum."""
        self.marks += 1
        mark = number_in(entry.mark)
        if before not in _NO_MARK and number_in(before) != mark:
            self.warnings.append(f"{where}: {before} became {entry.mark}")
        if mark is not None and mark > entry.out_of:
            maximum = words.number(entry.out_of)
            self.warnings.append(f"{where}: {entry.mark} is more than the maximum, {maximum}")


def _left_over(
    sheet: Sheet, rows: Sequence[_Row], matches: Sequence[_Match], entries: Sequence[GradebookEntry]
) -> Iterable[str]:
    left_rows = _unmatched_rows(rows, matches)
    left_entries = _unmatched_entries(entries, matches)
    for row in left_rows:
        yield f"{sheet.at(row.at)}: {row.person.label} has no submission; the row stays"
    for entry in left_entries:
        yield f"{sheet.place}: submission {entry.label} has no row (or more than one)"
    if left_rows and left_entries:
        yield f"{sheet.place}: use --match FILE to say whose rows they are"
