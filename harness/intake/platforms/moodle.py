"""Read Moodle's downloads and fill in its grading worksheet.

A download has `<Full Name>_<participant>_assignsubmission_file_/…`, or is flat with the file's
name. A blind download calls everybody `Participant` (in the site's language). It has no times. The
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
    if match is None or entry.is_folder == bool(match["file"]):
        return None
    return match


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    is_blind = _is_blind([named_entry.match for named_entry in named])
    with_files = set()
    for named_entry in named:
        if named_entry.match["kind"] == "file":
            with_files.add(named_entry.match["id"])
    pieces = []
    for named_entry in named:
        entry = named_entry.entry
        match = named_entry.match
        name = "" if is_blind else match["name"]
        attempt = attempt_at(place, entry, match["file"], entry.name)
        doubt = ""
        if match["id"] not in with_files:
            doubt = f"handed in as a text and not as a file ({entry.label})"
        pieces.append(upload_of(student(match["id"], name), attempt, doubt))
    # A download has one attempt of each student.
    return students_of(pieces, lambda attempt: "")


def _is_blind(matches: Sequence[re.Match[str]]) -> bool:
    """Return whether the download hides names, because everybody has the same one."""
    names: set[str] = set()
    ids: set[str] = set()
    for match in matches:
        names.add(match["name"])
        ids.add(match["id"])
    return names == {"Participant"} or (len(names) == 1 and len(ids) > 1)


LAYOUT = Layout(
    name="Moodle",
    order=20,
    example="Mary-Ann Smith_4711_assignsubmission_file_",
    times=Times.NONE,
    match=_match,
    read=_read,
)


# A word of any language and the participant's number, in every row.
_PARTICIPANT = re.compile(r"(?P<word>[^\W\d][^\d@]*)(?P<number>[0-9]+)")
_LONG_WORD = 8
# Comments in English and French, German and Swedish, Spanish, and Dutch.
_COMMENT = re.compile(r"comment|kommentar|coment|opmerking", re.IGNORECASE)
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
    for column in range(len(header)):
        with_cell = [row for row in rows if column < len(row)]
        matches = [_PARTICIPANT.fullmatch(row[column].strip()) for row in with_cell]
        word = _common_word(matches)
        if not word or (not is_moodles and len(word) < _LONG_WORD):
            continue
        header[column] = "Identifier"
        emails = [index for index in range(column + 1, len(header)) if _has_emails(rows, index)]
        # If emails are left out, names are too: the marking is blind.
        if emails:
            header[column + 1] = "Full name"
        for index in emails:
            header[index] = "Email address"
        for row, match in zip(with_cell, matches, strict=True):
            row[column] = match["number"] if match else ""
        return sheet.with_rows([header, *rows])
    return None


def _common_word(matches: Sequence[re.Match[str] | None]) -> str:
    """Return the word that all cells have before their number; empty if there is none."""
    words = set()
    for match in matches:
        if match is None:
            return ""
        words.add(match["word"])
    if len(words) != 1:
        return ""
    return words.pop()


def _has_emails(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = [row[column].strip() for row in rows if column < len(row)]
    return bool(cells) and all(map(_EMAIL.fullmatch, cells))


def _layout(sheet: Sheet, column: str | None, title: str) -> GradebookLayout:
    students = worksheet_in_english(sheet, is_moodles=True)
    if students is None:
        problem = 'has no column with "Participant 12" in every row'
        hint = "download the grading worksheet of the assignment"
        raise UserError(problem, place=sheet.place, hint=hint)
    # The worksheet is one assignment's: its column has a fixed name, not the assignment's title.
    header, first = sheet.rows[:2]
    titles = dict(enumerate(header))
    name = "Grade"
    known = sheet.column(*_GRADE)
    if known is not None:
        name = header[known]
        if not column:
            titles = {known: name}
    mark = choose_column(sheet, titles, column, name)
    maximum_column = sheet.column(*_MAXIMUM)
    if maximum_column is None:
        maximum_column = mark + 1
    out_of = "".join(first[maximum_column : maximum_column + 1]).strip()
    maximum = None
    if _DECIMAL.fullmatch(out_of):
        maximum = number_in(out_of)
    return GradebookLayout(
        mark=mark,
        maximum=maximum,
        comment=_column_of_comments(header, mark),
        decimal=decimal_sign(sheet, mark, [out_of]),
        students=students,
    )


def _column_of_comments(header: Sequence[str], mark: int) -> int | None:
    """Return the column behind the marks whose name has a word for comments, if only one has."""
    found: list[int] = []
    for index in range(mark + 1, len(header)):
        if _COMMENT.search(header[index]):
            found.append(index)
    return found[0] if len(found) == 1 else None


def _feedback_name(source: str) -> str | None:
    """Return the downloaded folder, or for a flat download the same beginning of the
    file's name.
    """
    match = _NAME.fullmatch(source)
    if match is None:
        return None
    beginning = f"{source}/"
    if match["file"]:
        beginning = source[: match.start("file")]
    return f"{beginning}feedback.html"


GRADEBOOK = Gradebook(
    name="moodle",
    title="Moodle",
    ids=("identifier",),
    logins=("email address",),
    layout=_layout,
    feedback_name=_feedback_name,
)
