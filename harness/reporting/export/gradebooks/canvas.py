"""Canvas: `Student, ID, SIS User ID, SIS Login ID, Section, <Title (assignment id)>`."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
from harness.reporting.view.words import number

_ASSIGNMENT = re.compile(r"(?P<title>.*) \(\d+\)\s*")
_POINTS_POSSIBLE = "points possible"


def layout(sheet: Sheet, column: str | None, title: str) -> GradebookLayout:
    """Read a downloaded gradebook's header; UserError when it is none."""
    header = sheet.rows[0]
    student, own_id = column_of(header, "Student"), column_of(header, "ID")
    sis_id = column_of(header, "SIS User ID", "Integration ID")
    login = column_of(header, "SIS Login ID")
    if student is None or own_id is None:
        raise UserError(
            "has no columns Student and ID", place=sheet.place, hint="export Canvas's gradebook"
        )
    titles = {
        i: found["title"] for i, c in enumerate(header) if (found := _ASSIGNMENT.fullmatch(c))
    }
    mark = the_column(sheet, header, titles, column, title)
    possible = next((r for r in sheet.rows if _is_possible(r)), ())

    def people(row: Row) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
        told = cells(row, own_id, sis_id), cells(row, login), cells(row, student)
        return told if (told[0] or told[1]) and not _is_possible(row) else None

    return GradebookLayout(
        mark=mark,
        first=1,
        people=people,
        maximum=number_in(possible[mark]) if mark < len(possible) else None,
    )


def made(gradebook_entries: Sequence[GradebookEntry], title: str) -> Sheet:
    """A gradebook from the submissions alone: numbers are Canvas's user ids, others are logins."""
    possible = ("    Points Possible", "", "", "", "", number(gradebook_entries[0].out_of))
    rows = [(s.name or s.id, *_ids(s), "", s.mark) for s in gradebook_entries]
    header = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", title)
    return Sheet(rows=(header, possible, *rows))


def _is_possible(row: Row) -> bool:
    return bool(row) and _POINTS_POSSIBLE in row[0].casefold()


def _ids(standing: GradebookEntry) -> tuple[str, str, str]:
    """The cells under ID, SIS User ID and SIS Login ID."""
    if standing.student_id.isdecimal():
        return standing.student_id, "", standing.email
    return "", "", standing.email or standing.student_id
