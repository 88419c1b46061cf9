"""What a platform's gradebook is: how its file is read, filled in (marks into the cells of one
column, every other cell as it was) and made without a download.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from harness.common.csv_tables import Row, Sheet
from harness.common.errors import UserError
from harness.common.person_names import by_name_line
from harness.reporting.export.exporter import ExportRequest
from harness.reporting.export.gradebooks.matching import (
    GradebookEntry,
    Identity,
    Match,
    match_rows,
    read_matches,
)
from harness.reporting.view import words

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookLayout:
    """Where things are in a gradebook; columns and rows count from 0."""

    mark: int  # the column of the marks
    identity: Callable[[Row], Identity | None]  # None for a row below the header without a student
    maximum: Fraction | None = None  # what the platform says the column is out of
    comment: int | None = None
    written: Callable[[str], str] = str  # a mark as the importer takes it


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradebook:
    """A platform. A module of this package that has one as `GRADEBOOK` adds it to the exports.

    `layout` reads a downloaded table, given the column that was asked for (or None) and the
    assignment's title; UserError when the table is not this platform's. `blank` makes a table from
    the submissions alone and the column's title, `from_roster` an unfilled one from a list of
    students; None where the platform's importer does not take one. `finished` is the last change
    before the file is written.

    `feedback_name` is the path in a zip of feedback of what was downloaded under this name, None
    for a name that is not this platform's; None where the platform takes no such zip.
    """

    name: str
    title: str
    layout: Callable[[Sheet, str | None, str], GradebookLayout]
    blank: Callable[[Sequence[GradebookEntry], str], Sheet] | None = None
    from_roster: Callable[[Sheet, str], Sheet] | None = None
    finished: Callable[[Sheet], Sheet] = lambda sheet: sheet
    feedback_name: Callable[[str], str | None] | None = None
    feedback_index: bool = False  # the zip has an `index.html`


def choose_item(
    sheet: Sheet, item: re.Pattern[str], column: str | None, title: str
) -> tuple[int, re.Match[str]]:
    """The column for the marks among those whose header is an `item`, whose group `title` is
    without decoration; see `choose_column`."""
    items = {i: found for i, cell in enumerate(sheet.rows[0]) if (found := item.fullmatch(cell))}
    mark = choose_column(sheet, {i: found["title"] for i, found in items.items()}, column, title)
    return mark, items[mark]


def choose_column(sheet: Sheet, titles: dict[int, str], wanted: str | None, title: str) -> int:
    """The column for the marks among `titles`, each column's title without its decoration: the one
    that was asked for, by its title or its whole header, else the one of the assignment's title.

    Raises UserError when there is none or more than one.
    """
    header = sheet.rows[0]
    asked = title if wanted is None else wanted
    found = [i for i in titles if _same(asked, header[i])]
    found = found or [i for i, name in titles.items() if _same(asked, name)]
    if len(found) == 1:
        return found[0]
    names = " | ".join(dict.fromkeys(f'"{header[i]}"' for i in found or titles)) or "none"
    if not found and wanted is not None:
        what, hint = f"there is no column {wanted!r} for marks", f"the columns are: {names}"
    elif not found:
        what, hint = f"no column is called {title!r}", f"--column {names}"
    else:
        what, hint = f"{len(found)} columns are called {asked!r}", f"--column {names}"
        if all(_same(header[i], header[found[0]]) for i in found):
            hint = "rename one of them on the platform and download the gradebook again"
    raise UserError(what, place=sheet.place, hint=hint)


def find_column(header: Row, *names: str) -> int | None:
    """The column that has one of these names, whatever its case; None without one."""
    wanted = {name.casefold() for name in names}
    return next((i for i, cell in enumerate(header) if cell.strip().casefold() in wanted), None)


def cells_of(row: Row, *columns: int | None) -> tuple[str, ...]:
    """The cells of these columns that the row has and that are not empty."""
    found = (row[i].strip() for i in columns if i is not None and i < len(row))
    return tuple(cell for cell in found if cell)


def number_in(text: str) -> Fraction | None:
    """The first number of a text, with a point or a comma; None without one."""
    found = _NUMBER.search(text)
    return Fraction(found[0].replace(",", ".")) if found else None


def student_of(ids: Row, logins: Row, name: Row) -> Identity | None:
    """Who a row is, by its cells; the name may have several. None without an id or login."""
    names = (" ".join(name),) if name else ()
    return Identity(ids=ids, logins=logins, names=names) if ids or logins else None


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


EXCUSED = "EX"
_NO_MARK = ("", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledGradebook:
    """The table to write, one line for each thing that a person must know about it, and how many
    marks of this run are in it."""

    sheet: Sheet
    warnings: tuple[str, ...]
    marks: int


def fill(
    sheet: Sheet, layout: GradebookLayout, entries: Sequence[GradebookEntry], request: ExportRequest
) -> FilledGradebook:
    """Put each mark into its row.

    Kept as they are: rows without a submission, excused students, and the marks of students who
    have none in this run (unless `request.clear`). Whatever is kept, replaced or removed is named.
    A submission that waits for a person's marks is named once any submission has its mark: before
    that all of them wait. Raises UserError when no row is a student's, no row is found for any
    submission, the column is out of another maximum (where the user did not name the column), or
    the match file is wrong.
    """
    identities = ((i, layout.identity(row)) for i, row in enumerate(sheet.rows) if i)
    students = [replace(student, row=i) for i, student in identities if student is not None]
    if not students:
        raise UserError("has no students in it", place=sheet.place, hint="download it again")
    settled = read_matches(request.match, students, entries) if request.match else ()
    matches = match_rows(students, entries, settled)
    if not matches:
        raise UserError(
            f"no row fits any of {words.counted(len(entries), 'submission')}",
            place=sheet.place,
            hint="is it the gradebook of this course? ids, logins and names were compared",
        )
    filler = _Filler(sheet, layout, request, begun=any(entry.mark for entry in entries))
    filler.check_maximum(entries)
    for match in matches:
        filler.fill(match)
    filler.warnings[:0] = by_name_line(filler.by_name)
    filler.warnings += _left_over(sheet, students, matches, entries)
    return FilledGradebook(
        sheet=sheet.with_rows(filler.rows), warnings=tuple(filler.warnings), marks=filler.marks
    )


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
        self.marks = 0

    def check_maximum(self, entries: Sequence[GradebookEntry]) -> None:
        maximum = self._layout.maximum
        out_of = {entry.out_of for entry in entries}
        if maximum is None or out_of <= {maximum}:
            return
        ours = " or ".join(words.number(most) for most in sorted(out_of))
        title = self._sheet.rows[0][self._layout.mark]
        what = (
            f'the column "{title}" is out of {words.number(maximum)}, the marks are out of {ours}'
        )
        ours_in_all = {entry.total_out_of for entry in entries}
        if maximum not in ours_in_all and self._request.column is None:
            hint = f'--column "{title}" fills it all the same'
            raise UserError(what, place=self._sheet.place, hint=hint)
        self.warnings.append(f"{self._sheet.place}: {what}")

    def fill(self, match: Match) -> None:
        layout, entry = self._layout, match.entry
        row = self.rows[match.student.row]
        row += [""] * (max(layout.mark, layout.comment or 0) + 1 - len(row))
        where = f"{self._sheet.at(match.student.row)}: {match.student.shown}"
        before = row[layout.mark].strip()
        if match.by_name:
            self.by_name.append(f"{where} is taken to be {entry.shown}")
        if before.upper() == EXCUSED:
            self.warnings.append(f"{where} is excused ({EXCUSED}); it stays so")
            return
        if entry.mark:
            row[layout.mark] = layout.written(entry.mark)
            self.marks += 1
            self._warn_about_mark(where, before, entry)
        elif before not in _NO_MARK:
            stays = "stays in the gradebook (--clear removes it)"
            if self._request.clear:
                row[layout.mark], stays = "", "was removed from the gradebook"
            self.warnings.append(f"{where} has no mark: {entry.why}; {before} {stays}")
        elif entry.why and (self._begun or not entry.waits):
            self.warnings.append(f"{where} has no mark: {entry.why}")
        if layout.comment is not None and entry.comment:
            old = row[layout.comment].strip()
            if old and old != entry.comment.strip():
                self.warnings.append(f"{where}: the comment in the gradebook was replaced")
            row[layout.comment] = entry.comment

    def _warn_about_mark(self, where: str, before: str, entry: GradebookEntry) -> None:
        mark, most = number_in(entry.mark), entry.out_of
        if before not in _NO_MARK and number_in(before) != mark:
            self.warnings.append(f"{where}: {before} became {entry.mark}")
        if mark is not None and mark > most:
            maximum = words.number(most)
            self.warnings.append(f"{where}: {entry.mark} is more than the maximum, {maximum}")


def _left_over(
    sheet: Sheet,
    students: Sequence[Identity],
    matches: Sequence[Match],
    entries: Sequence[GradebookEntry],
) -> Iterable[str]:
    matched_rows = {match.student.row for match in matches}
    matched_entries = {match.entry.id for match in matches}
    left_rows = [student for student in students if student.row not in matched_rows]
    left_entries = [entry for entry in entries if entry.id not in matched_entries]
    for student in left_rows:
        yield f"{sheet.at(student.row)}: {student.shown} has no submission; the row stays"
    for entry in left_entries:
        yield f"{sheet.place}: submission {entry.shown} has no row (or more than one)"
    if left_rows and left_entries:
        yield f"{sheet.place}: --match FILE says which row is whose"
