"""Moodle's grading worksheet: `Identifier` is "Participant 12", and headers are localised."""

from __future__ import annotations

import re
from collections.abc import Iterable

from harness.common.csv_tables import Row, Sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks import platform
from harness.reporting.export.gradebooks.matching import Identity

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
_UPLOAD = re.compile(r"(?P<folder>.+_\d+_assignsubmission_(?:file|onlinetext)_?)(?P<file>.*)")


def _layout(sheet: Sheet, column: str | None, title: str) -> platform.GradebookLayout:
    header, rows = sheet.rows[0], sheet.rows[1:]
    own = next((i for i in range(len(header)) if _all(rows, i, _PARTICIPANT)), None)
    if own is None:
        raise UserError(
            'has no column with "Participant 12" in every row',
            place=sheet.place,
            hint="download the grading worksheet of the assignment",
        )
    # The worksheet is one assignment's: its column has a fixed name, not the assignment's title.
    known = platform.find_column(header, *_GRADE)
    name = "Grade" if known is None else header[known]
    choice = dict(enumerate(header)) if known is None or column else {known: name}
    mark = platform.choose_column(sheet, choice, column, name)
    highest = platform.find_column(header, *_MAXIMUM)
    beside = mark + 1 if highest is None else highest
    outs = [cell for cell in platform.cells_of(rows[0], beside) if _DECIMAL.fullmatch(cell)]
    # Without email addresses names are left out too: the marking is blind.
    email = next((i for i in range(len(header)) if _all(rows, i, _EMAIL)), None)
    decimal = "," if outs and "," in outs[0] else "."

    def identity(row: Row) -> Identity | None:
        found = _PARTICIPANT.fullmatch(row[own].strip()) if own < len(row) else None
        if found is None:
            return None
        names = platform.cells_of(row, None if email is None else own + 1)
        return Identity(ids=(found[1],), logins=platform.cells_of(row, email), names=names)

    return platform.GradebookLayout(
        mark=mark,
        identity=identity,
        maximum=platform.number_in(outs[0]) if outs else None,
        comment=platform.find_column(header, "Feedback comments"),
        written=lambda text: text.replace(".", decimal),
    )


def _all(rows: Iterable[Row], column: int, pattern: re.Pattern[str]) -> bool:
    found = [row[column].strip() for row in rows if column < len(row)]
    return bool(found) and all(pattern.fullmatch(cell) for cell in found)


def _feedback_name(source: str) -> str | None:
    """The folder that was downloaded; of a flat download the same beginning of the file's name."""
    found = _UPLOAD.fullmatch(source)
    if found is None:
        return None
    return f"{found['folder']}feedback.html" if found["file"] else f"{source}/feedback.html"


GRADEBOOK = platform.Gradebook(
    name="moodle", title="Moodle", layout=_layout, feedback_name=_feedback_name
)
