"""Blackboard: `Username` and `<Title> [Total Pts: 6 Score] |<column id>`, as it was downloaded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.common.csv_tables import Form, Row, Sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks.filling import (
    GradebookLayout,
    cells,
    column_of,
    number_in,
    the_column,
)
from harness.reporting.export.gradebooks.standing import GradebookEntry
from harness.reporting.view.words import number

_ITEM = re.compile(r"(?P<title>.*) \[Total Pts: (?P<about>.*)\]\s*(?:\|\s*\d+)?\s*", re.IGNORECASE)


def layout(sheet: Sheet, column: str | None, title: str) -> GradebookLayout:
    """Read a downloaded gradebook's header; UserError when it is none."""
    header = sheet.rows[0]
    login, own_id = column_of(header, "Username"), column_of(header, "Student ID")
    if login is None:
        raise UserError(
            "has no column Username", place=sheet.place, hint="download Blackboard's grade centre"
        )
    last, first = column_of(header, "Last Name"), column_of(header, "First Name")
    items = {i: found for i, cell in enumerate(header) if (found := _ITEM.fullmatch(cell))}
    mark = the_column(sheet, header, {i: m["title"] for i, m in items.items()}, column, title)

    def people(row: Row) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
        ids, name = cells(row, login, own_id), " ".join(cells(row, first, last))
        return (ids, (), (name,) if name else ()) if ids else None

    return GradebookLayout(
        mark=mark,
        first=1,
        people=people,
        maximum=number_in(items[mark]["about"]),
        comment=column_of(header, "Feedback to Learner"),
    )


def made(gradebook_entries: Sequence[GradebookEntry], title: str) -> Sheet:
    """A gradebook from the submissions alone, whose ids are user names."""
    item = f"{title} [Total Pts: {number(gradebook_entries[0].out_of)} Score]"
    header = ("Username", item, "Feedback to Learner", "Feedback Format")
    rows = [(s.student_id, s.mark, s.comment, "SMART_TEXT") for s in gradebook_entries]
    return Sheet(rows=(header, *rows), form=Form(quoted=True))
