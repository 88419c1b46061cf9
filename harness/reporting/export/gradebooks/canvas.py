"""Canvas: `Student, ID, SIS User ID, SIS Login ID, Section, <Title (assignment id)>`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from harness.common.csv_tables import Row, Sheet
from harness.common.errors import UserError
from harness.common.person_names import is_test_student
from harness.reporting.export.gradebooks import platform
from harness.reporting.export.gradebooks.matching import GradebookEntry, Identity
from harness.reporting.view.words import number

_ASSIGNMENT = re.compile(r"(?P<title>.*) \(\d+\)\s*")
_POINTS_POSSIBLE = "points possible"
_UPLOAD = re.compile(r".+_\d+_\d+_.+|(?:LATE_)?anon_[A-Za-z0-9]+_.+")


def _layout(sheet: Sheet, column: str | None, title: str) -> platform.GradebookLayout:
    header = sheet.rows[0]
    student, own_id = platform.find_column(header, "Student"), platform.find_column(header, "ID")
    sis_id = platform.find_column(header, "SIS User ID", "Integration ID")
    login = platform.find_column(header, "SIS Login ID")
    if student is None or own_id is None:
        raise UserError(
            "has no columns Student and ID", place=sheet.place, hint="export Canvas's gradebook"
        )
    mark, _ = platform.choose_item(sheet, _ASSIGNMENT, column, title)
    possible = next((row for row in sheet.rows if _is_possible(row)), ())

    def identity(row: Row) -> Identity | None:
        names = platform.cells_of(row, student)
        if _is_possible(row) or any(map(is_test_student, names)):
            return None
        return platform.student_of(
            platform.cells_of(row, own_id, sis_id), platform.cells_of(row, login), names
        )

    return platform.GradebookLayout(
        mark=mark,
        identity=identity,
        maximum=platform.number_in(possible[mark]) if mark < len(possible) else None,
    )


def _blank(entries: Sequence[GradebookEntry], title: str) -> Sheet:
    """Ids that are numbers are Canvas's user ids, others are logins."""
    possible = ("    Points Possible", "", "", "", "", number(entries[0].out_of))
    rows = [(each.name or each.id, *_id_cells(each), "", each.mark) for each in entries]
    header = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", title)
    return Sheet(rows=(header, possible, *rows))


def _is_possible(row: Row) -> bool:
    return bool(row) and _POINTS_POSSIBLE in row[0].casefold()


def _id_cells(entry: GradebookEntry) -> tuple[str, str, str]:
    """The cells under ID, SIS User ID and SIS Login ID."""
    if entry.student_id.isdecimal():
        return entry.student_id, "", entry.email
    return "", "", entry.email or entry.student_id


def _feedback_name(source: str) -> str | None:
    """The file's own name, as a page: Canvas goes by the two numbers in it."""
    if _UPLOAD.fullmatch(source) is None:
        return None
    return str(PurePosixPath(source).with_suffix(".html"))


GRADEBOOK = platform.Gradebook(
    name="canvas", title="Canvas", layout=_layout, blank=_blank, feedback_name=_feedback_name
)
