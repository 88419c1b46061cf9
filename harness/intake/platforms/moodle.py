"""Moodle: `<Full Name>_<participant>_assignsubmission_file_/…`, or flat with the file's name.

A blind download calls everybody `Participant` (in the site's language). No times anywhere. The
grading worksheet has "Participant 12" in its column `Identifier`, and headers are localised.
"""

import re
from collections.abc import Sequence

from harness.common.csv_tables import Sheet
from harness.common.errors import UserError
from harness.intake.entries import Entry
from harness.intake.gradebook import (
    Gradebook,
    GradebookLayout,
    choose_column,
    decimal_sign,
    number_in,
)
from harness.intake.platforms import Layout, Named, Times
from harness.intake.uploads import Uploads, attempt_at, student, students_of, upload_of
from harness.model.plan import Assignment

_NAME = re.compile(
    r"(?P<name>.*?)_(?P<id>[0-9]+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?",
    re.S,
)


def _match(entry: Entry) -> re.Match[str] | None:
    match = _NAME.fullmatch(entry.name)
    return match if match and entry.is_folder == (not match["file"]) else None


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    names, ids = ({each.match[key] for each in named} for key in ("name", "id"))
    is_blind = names == {"Participant"} or (len(names) == 1 and len(ids) > 1)
    with_files = {each.match["id"] for each in named if each.match["kind"] == "file"}
    pieces = []
    for entry, match in ((each.entry, each.match) for each in named):
        who = student(match["id"], "" if is_blind else match["name"])
        attempt = attempt_at(place, entry, match["file"], entry.name)
        doubt = f"handed in as a text and not as a file ({entry.label})"
        pieces.append(upload_of(who, attempt, "" if match["id"] in with_files else doubt))
    return students_of(pieces, lambda attempt: "")  # a download has one attempt of each


LAYOUT = Layout(
    name="Moodle",
    order=20,
    example="Mary-Ann Smith_4711_assignsubmission_file_",
    times=Times.NONE,
    match=_match,
    read=_read,
)


# A word of any language and the participant's number, in every row that there is.
_PARTICIPANT = re.compile(r"(?P<word>[^\W\d][^\d@]*)(?P<number>[0-9]+)")
_LONG_WORD = 8
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_DECIMAL = re.compile(r"\d+(?:[.,]\d+)?")
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


def worksheet_in_english(sheet: Sheet, *, is_moodles: bool) -> Sheet | None:
    """Return a worksheet of any language with English names for its columns of people, and with
    only the participants' numbers.

    It is known by a column of one word and a number in every row; None for any other table. Unless
    it `is_moodles` for sure, a short word before a number is a login's (`student12`).
    """
    header, *rows = [list(row) for row in sheet.rows]
    for own in range(len(header)):
        cells = [row for row in rows if own < len(row)]
        matches = [_PARTICIPANT.fullmatch(row[own].strip()) for row in cells]
        words = {match["word"] if match else "" for match in matches}
        word = next(iter(words)) if len(words) == 1 else ""
        if not word or (not is_moodles and len(word) < _LONG_WORD):
            continue
        header[own] = "Identifier"
        emails = [at for at in range(own + 1, len(header)) if _has_emails(rows, at)]
        if emails:  # without them names are left out too: the marking is blind
            header[own + 1] = "Full name"
        for at in emails:
            header[at] = "Email address"
        for row, match in zip(cells, matches, strict=True):
            row[own] = match["number"] if match else ""
        return sheet.with_rows([header, *rows])
    return None


def _has_emails(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = [row[column].strip() for row in rows if column < len(row)]
    return bool(cells) and all(map(_EMAIL.fullmatch, cells))


def _layout(sheet: Sheet, column: str | None, title: str) -> GradebookLayout:
    students = worksheet_in_english(sheet, is_moodles=True)
    if students is None:
        what = 'has no column with "Participant 12" in every row'
        hint = "download the grading worksheet of the assignment"
        raise UserError(what, place=sheet.place, hint=hint)
    # The worksheet is one assignment's: its column has a fixed name, not the assignment's title.
    header, first = sheet.rows[:2]
    known = sheet.column(*_GRADE)
    name = "Grade" if known is None else header[known]
    choice = dict(enumerate(header)) if known is None or column else {known: name}
    mark = choose_column(sheet, choice, column, name)
    highest = sheet.column(*_MAXIMUM)
    beside = mark + 1 if highest is None else highest
    out_of = first[beside].strip() if beside < len(first) else ""
    is_number = _DECIMAL.fullmatch(out_of) is not None
    return GradebookLayout(
        mark=mark,
        maximum=number_in(out_of) if is_number else None,
        comment=sheet.column("Feedback comments"),
        decimal=decimal_sign(sheet, mark, [out_of]),
        students=students,
    )


def _feedback_name(source: str) -> str | None:
    """Return the downloaded folder, or for a flat download the same beginning of the
    file's name.
    """
    match = _NAME.fullmatch(source)
    if match is None:
        return None
    beginning = source[: match.start("file")] if match["file"] else f"{source}/"
    return f"{beginning}feedback.html"


GRADEBOOK = Gradebook(
    name="moodle",
    title="Moodle",
    ids=("identifier",),
    logins=("email address",),
    layout=_layout,
    feedback_name=_feedback_name,
)
