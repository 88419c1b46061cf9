"""Brightspace: `OrgDefinedId` and `Username` with a `#`, `<Item> Points Grade`, `#` at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from harness.common.csv_tables import Row, Sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks.filling import (
    GradebookLayout,
    cells,
    column_of,
    number_in,
    the_column,
)
from harness.reporting.export.gradebooks.standing import GradebookEntry

END = "End-of-Line Indicator"
_ITEM = re.compile(r"(?P<title>.*) Points Grade\s*(?P<about><.*>)?\s*", re.IGNORECASE)
_MAXIMUM = re.compile(r"MaxPoints:\s*([\d.,]+)", re.IGNORECASE)


def layout(sheet: Sheet, column: str | None, title: str) -> GradebookLayout:
    """Read a downloaded gradebook's header; UserError when it is none."""
    header = sheet.rows[0]
    own_id, login = column_of(header, "OrgDefinedId"), column_of(header, "Username")
    if own_id is None and login is None:
        raise UserError(
            "has neither a column OrgDefinedId nor Username",
            place=sheet.place,
            hint="export Brightspace's grades with the key that it offers",
        )
    last, first = column_of(header, "Last Name"), column_of(header, "First Name")
    email = column_of(header, "Email")
    items = {i: found for i, cell in enumerate(header) if (found := _ITEM.fullmatch(cell))}
    mark = the_column(sheet, header, {i: m["title"] for i, m in items.items()}, column, title)
    about = _MAXIMUM.search(items[mark]["about"] or "")

    def people(row: Row) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
        ids = tuple(cell.removeprefix("#") for cell in cells(row, own_id))
        logins = tuple(cell.removeprefix("#") for cell in cells(row, login, email))
        name = " ".join(cells(row, first, last))
        return (ids, logins, (name,) if name else ()) if ids or logins else None

    return GradebookLayout(
        mark=mark, first=1, people=people, maximum=number_in(about[1]) if about else None
    )


def ended(sheet: Sheet) -> Sheet:
    """The sheet with the last column that the importer asks for."""
    header = sheet.rows[0]
    at = column_of(header, END)
    if at is None:
        rows = [(*row, *[""] * (len(header) - len(row)), "#") for row in sheet.rows[1:]]
        return replace(sheet, rows=((*header, END), *rows))
    rows = [(*row[:at], *[""] * (at - len(row)), "#", *row[at + 1 :]) for row in sheet.rows[1:]]
    return replace(sheet, rows=(header, *rows))


def made(gradebook_entries: Sequence[GradebookEntry], title: str) -> Sheet:
    """A gradebook from the submissions alone, whose ids are user names."""
    rows = [(f"#{s.student_id}", s.mark) for s in gradebook_entries]
    return ended(Sheet(rows=(("Username", f"{title} Points Grade"), *rows)))
