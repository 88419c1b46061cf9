"""What a platform's gradebook is: how its file is read, filled in and made without a download."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.common.csv_tables import Row, Sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks.entries import GradebookEntry
from harness.reporting.export.gradebooks.matching import Identity

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookLayout:
    """Where things are in a gradebook; columns and rows count from 0.

    `mark` is the column of the marks and `comment` that of comments. `identity` says who a row
    below the header is, None for a row that is no student's. `maximum` is what the platform says
    the column is out of. `written` puts a mark as the importer takes it.
    """

    mark: int
    identity: Callable[[Row], Identity | None]
    maximum: Fraction | None = None
    comment: int | None = None
    written: Callable[[str], str] = str


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
    `feedback_index`: the zip has an `index.html`.
    """

    name: str
    title: str
    layout: Callable[[Sheet, str | None, str], GradebookLayout]
    blank: Callable[[Sequence[GradebookEntry], str], Sheet] | None = None
    from_roster: Callable[[Sheet, str], Sheet] | None = None
    finished: Callable[[Sheet], Sheet] = lambda sheet: sheet
    feedback_name: Callable[[str], str | None] | None = None
    feedback_index: bool = False


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
    if not found:
        names = " | ".join(f'"{header[i]}"' for i in titles) or "none"
        if wanted is None:
            raise UserError(
                f"no column is called {title!r}", place=sheet.place, hint=f"--column {names}"
            )
        raise UserError(
            f"there is no column {wanted!r} for marks",
            place=sheet.place,
            hint=f"the columns are: {names}",
        )
    names = " | ".join(dict.fromkeys(f'"{header[i]}"' for i in found))
    distinct = len({" ".join(header[i].split()).casefold() for i in found}) > 1
    raise UserError(
        f"{len(found)} columns are called {asked!r}",
        place=sheet.place,
        hint=f"--column {names}"
        if distinct
        else "rename one of them on the platform and download the gradebook again",
    )


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


def _same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()
