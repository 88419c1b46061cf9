"""Marks into the cells of one column, every other cell as it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.common.csv_tables import Row, Sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks.matching import By, Match, Person, match
from harness.reporting.export.gradebooks.standing import GradebookEntry
from harness.reporting.view import words

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
EXCUSED = "EX"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookLayout:
    """Where things stand in a platform's gradebook; columns count from 0.

    `people` says of each row from `first` on who it is, None for one of nobody's. `maximum` is
    what the platform says the column is out of. `written` puts a mark as the importer takes it.
    """

    mark: int
    first: int
    people: Callable[[Row], tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None]
    maximum: Fraction | None = None
    comment: int | None = None
    written: Callable[[str], str] = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The table to write, and one line for each thing that a person must know about it."""

    sheet: Sheet
    warnings: tuple[str, ...]
    marks: int


def fill(
    sheet: Sheet, layout: GradebookLayout, gradebook_entries: Sequence[GradebookEntry]
) -> Filled:
    """Put each mark into its row. A submission without a mark blanks its cell, a row without a
    submission and an excused one stay. Who waits for a person's marks is told once somebody has a
    mark: before that everybody does. UserError when not one row is found for a submission."""
    people = list(_people(sheet, layout))
    matches = match(people, gradebook_entries)
    if not matches:
        raise UserError(
            f"no row fits any of {words.counted(len(gradebook_entries), 'submission')}",
            place=sheet.place,
            hint="is it the gradebook of this course? ids, logins and names were compared",
        )
    rows = [list(row) for row in sheet.rows]
    warnings = _maximum_warning(sheet, layout, gradebook_entries)
    marks = 0
    begun = any(standing.mark for standing in gradebook_entries)
    for each in matches:
        row = rows[each.person.row]
        row += [""] * (max(layout.mark, layout.comment or 0) + 1 - len(row))
        where = f"{sheet.at(each.person.row)}: {each.person.shown}"
        if each.by is By.NAME:
            warnings.append(f"BY NAME ALONE: {where} got the mark of {each.standing.shown}")
        if row[layout.mark].strip().upper() == EXCUSED:
            warnings.append(f"{where} is excused ({EXCUSED}); it stays so")
            continue
        row[layout.mark] = layout.written(each.standing.mark) if each.standing.mark else ""
        marks += bool(each.standing.mark)
        if each.standing.why and (begun or not each.standing.waits):
            warnings.append(f"{where} has no mark: {each.standing.why}")
        if layout.comment is not None and each.standing.comment:
            row[layout.comment] = each.standing.comment
    warnings += _left_over(sheet, people, matches, gradebook_entries)
    return Filled(sheet=sheet.with_rows(rows), warnings=tuple(warnings), marks=marks)


def the_column(
    sheet: Sheet, header: Row, titles: dict[int, str], wanted: str | None, title: str
) -> int:
    """The column for the marks among `titles` (each column's title without its decoration): the
    one asked for, the assignment's by its title, or the only one. UserError otherwise."""
    asked = wanted if wanted is not None else title
    for index, name in titles.items():
        if _same(asked, name) or _same(asked, header[index]):
            return index
    if wanted is None and len(titles) == 1:
        return next(iter(titles))
    names = " | ".join(f'"{header[index]}"' for index in titles) or "none"
    if wanted is None:
        raise UserError(
            f"no column is called {title!r}", place=sheet.place, hint=f"--column {names}"
        )
    raise UserError(
        f"there is no column {wanted!r} for marks",
        place=sheet.place,
        hint=f"the columns are: {names}",
    )


def column_of(header: Row, *names: str) -> int | None:
    """The column that has one of these names, whatever its case; None without one."""
    wanted = {name.casefold() for name in names}
    return next((i for i, cell in enumerate(header) if cell.strip().casefold() in wanted), None)


def cells(row: Row, *columns: int | None) -> tuple[str, ...]:
    """The cells of these columns that the row has and that are not empty."""
    found = (row[i].strip() for i in columns if i is not None and i < len(row))
    return tuple(cell for cell in found if cell)


def number_in(text: str) -> Fraction | None:
    """The first number of a text, with a point or a comma; None without one."""
    found = _NUMBER.search(text)
    return Fraction(found[0].replace(",", ".")) if found else None


def _people(sheet: Sheet, layout: GradebookLayout) -> Iterable[Person]:
    for index, row in enumerate(sheet.rows):
        told = layout.people(row) if index >= layout.first else None
        if told is not None:
            ids, logins, names = told
            yield Person(row=index, ids=ids, logins=logins, names=names)


def _maximum_warning(
    sheet: Sheet, layout: GradebookLayout, gradebook_entries: Sequence[GradebookEntry]
) -> list[str]:
    out_of = {standing.out_of for standing in gradebook_entries}
    if layout.maximum is None or out_of <= {layout.maximum}:
        return []
    ours = " or ".join(words.number(each) for each in sorted(out_of))
    theirs = words.number(layout.maximum)
    return [f"{sheet.place}: this column is out of {theirs}, the marks are out of {ours}"]


def _left_over(
    sheet: Sheet,
    people: Sequence[Person],
    matches: Sequence[Match],
    gradebook_entries: Sequence[GradebookEntry],
) -> Iterable[str]:
    rows = {each.person.row for each in matches}
    taken = {each.standing.id for each in matches}
    for person in people:
        if person.row not in rows:
            yield f"{sheet.at(person.row)}: {person.shown} has no submission; the row stays"
    for standing in gradebook_entries:
        if standing.id not in taken:
            yield f"{sheet.place}: submission {standing.shown} has no row (or more than one)"


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
