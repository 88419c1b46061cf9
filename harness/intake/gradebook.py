"""What a platform's gradebook is, how its file is read and made without a download; and who a row
of any list of students is."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.common.csv_tables import Record, Sheet
from harness.common.errors import UserError
from harness.common.people import Person, id_key
from harness.intake.headings import names_in_english
from harness.model.submission import Student

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
# Three digits behind a comma may be thousands, and tell nothing.
_DECIMAL = re.compile(r"[+-]?\d*(?P<sign>[.,])(?:\d{1,2}|\d{4,})%?")
_NAMES = ("name", "full name", "student", "student name")
_POINTS = "points possible"  # Canvas has a line about points among those about students
# Brightspace writes `#4711`, Moodle `Participant 4711`.
_BEFORE_ID = re.compile(r"\A#?(?:participant (?=[0-9]))?", re.IGNORECASE)


def person_in(record: Record, ids: Iterable[str], logins: Iterable[str] = ()) -> Person | None:
    """Return the person of a row, by its columns of these plain names and its name.

    None for a row without a person: Canvas has `Student, Test` and a line of points in every
    gradebook.
    """
    name = record.first(*_NAMES) or " ".join(record.every("first name", "last name"))
    if id_key(name).split() == ["student,", "test"] or _POINTS in id_key(name):
        return None
    return Person(ids=_plain(record, ids), logins=_plain(record, logins), name=name)


def _plain(record: Record, columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(filter(None, (_BEFORE_ID.sub("", cell) for cell in record.every(*columns))))


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookEntry:
    """What goes out of one submission."""

    id: str
    student: Student  # only from the submission's id, if nothing else is known
    mark: str  # rounded once; empty without one
    out_of: Fraction  # the maximum of the marks that go out
    total_out_of: Fraction | None = None  # that of the whole assignment
    why: str = ""  # without a mark
    waits: str = ""  # for these marks of a person
    comment: str = ""

    @property
    def label(self) -> str:
        name = self.student.name
        return f"{self.id} ({name})" if name and name != self.id else self.id

    @property
    def person(self) -> Person:
        who = self.student
        # At many places a login is the part before the @ of the email: it counts if it is unique.
        logins = (who.email, who.email.partition("@")[0])
        return Person(ids=(who.id,), logins=logins, name=who.name or self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookLayout:
    """Where things are in a gradebook; columns count from 0."""

    mark: int  # the column of the marks
    maximum: Fraction | None = None  # what the platform says the column is out of
    comment: int | None = None
    decimal: str = "."  # the sign in marks that the file's other numbers have
    students: Sheet | None = None  # the table as who its rows are is read; None: as it is


Reader = Callable[[Sheet, str | None, str], GradebookLayout]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradebook:
    """A platform's gradebook. A module of `platforms` that has one as `GRADEBOOK` adds it to the
    exports.

    `layout` reads a downloaded table, given the requested column (or None) and the assignment's
    title; it raises UserError if the table is not this platform's. `blank` makes a table only from
    the submissions, their maximum and the column's title; `from_roster` makes one from a list of
    students, whose last column is for the marks. It is None if the platform's importer does not
    take one. `finished` is the last change before the file is written.

    `feedback_name` returns the path in a zip of feedback for a download of this name, or None for a
    name that is not this platform's. It is None if the platform takes no such zip.
    """

    name: str
    title: str
    ids: tuple[str, ...]  # the plain names of the columns of ids
    logins: tuple[str, ...] = ()
    layout: Reader
    blank: Callable[[Sequence[GradebookEntry], str, str], Sheet] | None = None
    from_roster: Callable[[Sheet, str], Sheet] | None = None
    finished: Callable[[Sheet], Sheet] = lambda sheet: sheet
    feedback_name: Callable[[str], str | None] | None = None
    feedback_index: bool = False  # the zip has an `index.html`


def by_items(item: str, *needed: Sequence[str], lacks: str, hint: str, comment: str = "") -> Reader:
    """Return a reader of gradebooks whose columns of marks have an `item` as header.

    The pattern's group `title` is the title without decoration; `maximum` is the column's maximum,
    if the header has it. The reader raises UserError if the table lacks a column of each of
    `needed`.
    """
    pattern = re.compile(item, re.IGNORECASE)

    def layout(sheet: Sheet, column: str | None, title: str) -> GradebookLayout:
        students = names_in_english(sheet)
        if any(students.column(*names) is None for names in needed):
            raise UserError(lacks, place=sheet.place, hint=hint)
        matches = {i: pattern.fullmatch(cell) for i, cell in enumerate(sheet.rows[0])}
        items = {i: match.groupdict() for i, match in matches.items() if match}
        titles = {i: groups["title"] for i, groups in items.items()}
        mark = choose_column(sheet, titles, column, title)
        # Canvas has a line of what each column is out of.
        points = next((row for row in sheet.rows if _POINTS in row[0].casefold()), ())
        below = points[mark] if mark < len(points) else ""
        maximum = items[mark].get("maximum") or below
        remarks = sheet.column(comment) if comment else None
        return GradebookLayout(
            mark=mark,
            maximum=number_in(maximum),
            comment=remarks,
            students=students,
            decimal=decimal_sign(
                sheet, mark, [each.get("maximum") or "" for each in items.values()]
            ),
        )

    return layout


def choose_column(sheet: Sheet, titles: dict[int, str], wanted: str | None, title: str) -> int:
    """Return the column for the marks among `titles`, the columns' titles without decoration.

    It is the requested one, by its title or its whole header, otherwise the one with the
    assignment's title. Raise UserError if there is none or more than one.
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


def decimal_sign(sheet: Sheet, mark: int, maxima: Sequence[str] = ()) -> str:
    """Return the decimal sign of the file: of the column of the marks, otherwise of the maxima in
    its header, otherwise of all its cells. A point if there are both, or none.
    """
    rows = sheet.rows[1:]
    own = [row[mark] for row in rows if mark < len(row)]
    every = [cell for row in rows for cell in row]
    numbers = [match[0] for text in maxima if (match := _NUMBER.search(text))]
    for cells in (own, numbers, every):
        matches = [_DECIMAL.fullmatch(cell.strip()) for cell in cells]
        found = {match["sign"] for match in matches if match}
        if found:
            return "," if found == {","} else "."
    return "."


def number_in(text: str) -> Fraction | None:
    """Return the first number of a text, with a point or a comma; None without one."""
    found = _NUMBER.search(text)
    return Fraction(found[0].replace(",", ".")) if found else None


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
