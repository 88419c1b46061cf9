"""Moodle's grading worksheet: `Identifier` is "Participant 12", and headers are localised."""

from __future__ import annotations

import re
from collections.abc import Iterable

from harness.common.csv_tables import Row, Sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks.filling import (
    GradebookLayout,
    cells,
    column_of,
    number_in,
    the_column,
)

# A word of any language and the participant's number, in every row that there is.
_PARTICIPANT = re.compile(r"\D*\D(\d+)")
# The worksheet's "Grade" and "Maximum grade" in languages whose words are known here.
_GRADE = (
    *("grade", "bewertung", "note", "calificación", "qualificació", "nota", "valutazione"),
    *("cijfer", "beoordeling", "betyg", "karakter", "karakterer", "arvosana", "ocena", "známka"),
    *("оценка", "оцінка", "not", "βαθμός", "成绩", "評点", "성적"),
)
_MAXIMUM = (
    *("maximum grade", "bestwertung", "höchste bewertung", "note maximale", "calificación máxima"),
    *("nota máxima", "valutazione massima", "maximumcijfer", "maximale beoordeling"),
)
_DECIMAL = re.compile(r"\d+(?:[.,]\d+)?")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


def layout(sheet: Sheet, column: str | None, title: str) -> GradebookLayout:
    """Read a downloaded worksheet, whatever its language; UserError when it is none."""
    header, rows = sheet.rows[0], sheet.rows[1:]
    own = next((i for i in range(len(header)) if _all(rows, i, _PARTICIPANT)), None)
    if own is None:
        raise UserError(
            'has no column with "Participant 12" in every row',
            place=sheet.place,
            hint="download the grading worksheet of the assignment",
        )
    known = column_of(header, *_GRADE)
    choice = {known: header[known]} if known is not None else dict(enumerate(header))
    mark = the_column(sheet, header, dict(enumerate(header)) if column else choice, column, "Grade")
    highest = column_of(header, *_MAXIMUM)
    beside = mark + 1 if highest is None else highest
    outs = [cell for cell in cells(rows[0], beside) if _DECIMAL.fullmatch(cell)]
    # Without email addresses names are left out too: the marking is blind.
    email = next((i for i in range(len(header)) if _all(rows, i, _EMAIL)), None)
    decimal = "," if outs and "," in outs[0] else "."

    def people(row: Row) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
        found = _PARTICIPANT.fullmatch(row[own].strip()) if own < len(row) else None
        if found is None:
            return None
        return (found[1],), cells(row, email), cells(row, None if email is None else own + 1)

    return GradebookLayout(
        mark=mark,
        first=1,
        people=people,
        maximum=number_in(outs[0]) if outs else None,
        comment=column_of(header, "Feedback comments"),
        written=lambda text: text.replace(".", decimal),
    )


def _all(rows: Iterable[Row], column: int, pattern: re.Pattern[str]) -> bool:
    found = [row[column].strip() for row in rows if column < len(row)]
    return bool(found) and all(pattern.fullmatch(cell) for cell in found)
