"""Describe a platform's gradebook (table of marks): how to read it, and how to create it without a
download.

This module also finds the person to whom a row of any list of students belongs.
"""

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
# Three digits after a comma may be thousands, so they tell nothing.
_DECIMAL = re.compile(r"[+-]?\d*(?P<sign>[.,])(?:\d{1,2}|\d{4,})%?")
_NAMES = ("name", "full name", "student", "student name")
# Canvas has a line about points among those about students.
_POINTS = "points possible"
_LINES_ABOVE = 3  # of the lines about students: about points, and how marks are published
# Brightspace writes `#4711`, Moodle `Participant 4711`.
_BEFORE_ID = re.compile(r"\A#?(?:participant (?=[0-9]))?", re.IGNORECASE)


def person_in(record: Record, ids: Iterable[str], logins: Iterable[str] = ()) -> Person | None:
    """Return the person whom a row describes, by the ids and logins in these columns and the name.

    Return None for a row without a person: Canvas has `Student, Test` and a line of maximum points
    in every gradebook.
    """
    name = record.first(*_NAMES)
    if not name:
        name = " ".join(record.every("first name", "last name"))
    key = id_key(name)
    if key.split() == ["student,", "test"] or _POINTS in key:
        return None
    return Person(ids=_plain(record, ids), logins=_plain(record, logins), name=name)


def _plain(record: Record, columns: Iterable[str]) -> tuple[str, ...]:
    """Return the ids in these columns, without the characters that a platform adds."""
    ids = []
    for cell in record.every(*columns):
        id_ = _BEFORE_ID.sub("", cell)
        if id_:
            ids.append(id_)
    return tuple(ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookEntry:
    """The data of one submission for a gradebook."""

    id: str
    # Made from the submission's id if nothing else is known.
    student: Student
    # Rounded once; empty if there is none.
    mark: str
    # The maximum of the exported marks.
    out_of: Fraction
    # The maximum of the whole assignment.
    total_out_of: Fraction | None = None
    # Why the mark is missing.
    why: str = ""
    # The marks by hand that are missing.
    waits: str = ""
    comment: str = ""

    @property
    def label(self) -> str:
        """Return the id, followed by the name if it differs from the id."""
        name = self.student.name
        if not name or name == self.id:
            return self.id
        return f"{self.id} ({name})"

    @property
    def person(self) -> Person:
        """Return the student's ids, logins and name, for finding the student in a list."""
        email = self.student.email
        # At many places a login is the part before the @ of the email: it counts if it is unique.
        login, _, _ = email.partition("@")
        name = self.student.name or self.id
        return Person(ids=(self.student.id,), logins=(email, login), name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookLayout:
    """The columns of a gradebook, counted from 0."""

    # The column of the marks.
    mark: int
    # The maximum of the column, if the file has it.
    maximum: Fraction | None = None
    comment: int | None = None
    # The decimal sign of the file's other numbers.
    decimal: str = "."
    # The table in which the rows' students are looked up; None for the file's own table.
    students: Sheet | None = None


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
    # The plain names of the columns of ids, and of logins.
    ids: tuple[str, ...]
    logins: tuple[str, ...] = ()
    layout: Reader
    blank: Callable[[Sequence[GradebookEntry], str, str], Sheet] | None = None
    from_roster: Callable[[Sheet, str], Sheet] | None = None
    finished: Callable[[Sheet], Sheet] = lambda sheet: sheet
    feedback_name: Callable[[str], str | None] | None = None
    # Whether the zip has an `index.html`.
    feedback_index: bool = False


def by_items(
    item: str,
    *needed: Sequence[str],
    lacks: str,
    hint: str,
    comment: str = "",
    translated: str | None = None,
) -> Reader:
    """Return a reader of gradebooks whose columns of marks have an `item` as header.

    The pattern's group `title` is the title without decoration; `maximum` is the column's maximum,
    if the header has it. Headers in another language match `translated`: there the title is
    followed by unknown words. The reader raises UserError if the table lacks a column of each of
    `needed`.
    """
    pattern = re.compile(item, re.IGNORECASE)
    other = re.compile(translated) if translated else pattern

    def layout(sheet: Sheet, column: str | None, title: str) -> GradebookLayout:
        students = names_in_english(sheet)
        for names in needed:
            if students.column(*names) is None:
                raise UserError(lacks, place=sheet.place, hint=hint)
        titles: dict[int, str] = {}
        maxima: dict[int, str] = {}
        for index, cell in enumerate(sheet.rows[0]):
            match = pattern.fullmatch(cell)
            if match:
                titles[index] = match["title"]
            elif match := other.fullmatch(cell):
                titles[index] = _without_words(match["title"], column or title)
            if match:
                maxima[index] = match.groupdict().get("maximum") or ""
        mark = choose_column(sheet, titles, column, title)
        return GradebookLayout(
            mark=mark,
            maximum=number_in(maxima[mark] or _points_possible(students, mark, needed[-1])),
            comment=sheet.column(comment) if comment else None,
            students=students,
            decimal=decimal_sign(sheet, mark, list(maxima.values())),
        )

    return layout


def _without_words(text: str, title: str) -> str:
    """Return `title` if the text consists of the title and further words; otherwise the text."""
    begins = _same(text[: len(title)], title) and text[len(title) : len(title) + 1] == " "
    return title if begins else text


def _points_possible(sheet: Sheet, column: int, ids: Sequence[str]) -> str:
    """Return the maximum marks of a column from Canvas's line of maxima; empty if the table has no
    such line.

    That line is recognised by its missing id, because its name depends on the site's language.
    """
    id_column = sheet.column(*ids) or 0
    for row in sheet.rows[1 : 1 + _LINES_ABOVE]:
        is_named = _POINTS in row[0].casefold()
        has_id = "".join(row[id_column : id_column + 1]).strip()
        cell = "".join(row[column : column + 1]).strip()
        if is_named or (not has_id and _NUMBER.fullmatch(cell)):
            return cell
    return ""


def choose_column(sheet: Sheet, titles: dict[int, str], wanted: str | None, title: str) -> int:
    """Return the number of the column for the marks. `titles` has the columns' titles without
    decoration.

    It is the `wanted` column, by its title or whole header, otherwise the one with the assignment's
    `title`. Raise UserError if none fits, or more than one.
    """
    header = sheet.rows[0]
    asked = title if wanted is None else wanted
    found = [index for index in titles if _same(asked, header[index])]
    if not found:
        found = [index for index, name in titles.items() if _same(asked, name)]
    if len(found) == 1:
        return found[0]
    headers = [header[index] for index in found or titles]
    names = " | ".join(dict.fromkeys(f'"{text}"' for text in headers)) or "none"
    hint = f"--column {names}"
    if found:
        problem = f"{len(found)} columns are called {asked!r}"
        if all(_same(text, headers[0]) for text in headers):
            hint = "rename one of them on the platform and download the gradebook again"
    elif wanted is not None:
        problem = f"the column {wanted!r} for marks is missing"
        hint = f"the columns are: {names}"
    else:
        problem = f"no column is called {title!r}"
    raise UserError(problem, place=sheet.place, hint=hint)


def decimal_sign(sheet: Sheet, mark: int, maxima: Sequence[str] = ()) -> str:
    """Return the decimal sign of the file, a point or a comma.

    Look at the column of the marks, then at the maxima in its header, then at all cells. Return a
    point if both signs occur, or neither.
    """
    column: list[str] = []
    every: list[str] = []
    for row in sheet.rows[1:]:
        column += row[mark : mark + 1]
        every += row
    numbers = []
    for text in maxima:
        number = _NUMBER.search(text)
        if number:
            numbers.append(number[0])
    for cells in (column, numbers, every):
        signs = set()
        for cell in cells:
            match = _DECIMAL.fullmatch(cell.strip())
            if match:
                signs.add(match["sign"])
        if signs:
            return "," if signs == {","} else "."
    return "."


def number_in(text: str) -> Fraction | None:
    """Return the first number in a text, with a decimal point or comma; None if it has no
    number.
    """
    found = _NUMBER.search(text)
    if found is None:
        return None
    return Fraction(found[0].replace(",", "."))


def _same(text: str, other: str) -> bool:
    """Return whether two texts differ only in case and white space."""
    return " ".join(text.split()).casefold() == " ".join(other.split()).casefold()
