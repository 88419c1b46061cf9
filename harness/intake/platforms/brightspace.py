"""Read Brightspace's downloads and fill in its gradebook.

A download has a folder for each attempt, `397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM`,
or is flat with ` - <file>` at the end. The clock is the course's; the form of the date is the
site's: `24 September, 2024 9:26 pm`, `2024-09-24 2126`.

It is not documented which of the two numbers is the student's. If one of them is the same in a
whole download, it is the other; otherwise both together are the id. The gradebook has neither: it
has `OrgDefinedId` and `Username` with a `#`, `<Item> Points Grade`, and `#` at the end.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from harness.common.csv_tables import Sheet
from harness.common.errors import UserError
from harness.intake.entries import Entry
from harness.intake.gradebook import Gradebook, by_items
from harness.intake.headings import hour_of_day
from harness.intake.platforms import Layout, Named, Times
from harness.intake.uploads import Uploads, attempt_at, student, students_of, upload_of
from harness.model.plan import Assignment

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = "|".join(_MONTHS)
_NAME = re.compile(
    r"(?P<one>[0-9]+)-(?P<two>[0-9]+) - (?P<name>.*?) - "
    rf"(?:(?P<month>{_MONTH})[a-z]*\.? (?P<day>[0-9]{{1,2}}),? (?P<year>[0-9]{{4}})"
    rf"|(?P<day2>[0-9]{{1,2}}) (?P<month2>{_MONTH})[a-z]*\.?,? (?P<year2>[0-9]{{4}})"
    r"|(?P<year3>[0-9]{4})-(?P<month3>[0-9]{2})-(?P<day3>[0-9]{2})) "
    r"(?P<hour>[0-9]{1,2})[:._]?(?P<minute>[0-9]{2})"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?(?: - (?P<file>.+))?",
    re.S,
)


def _match(entry: Entry) -> re.Match[str] | None:
    match = _NAME.fullmatch(entry.name)
    if match is None or entry.is_folder == bool(match["file"]):
        return None
    if _time(match) is None:
        return None
    return match


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    template = _id_template([named_entry.match for named_entry in named])
    pieces = []
    for named_entry in named:
        entry = named_entry.entry
        match = named_entry.match
        source = entry.name.removesuffix(f" - {match['file']}")
        attempt = attempt_at(place, entry, match["file"], source)
        attempt = replace(attempt, at=_time(match))
        id_ = template.format(one=match["one"], two=match["two"])
        pieces.append(upload_of(student(id_, match["name"]), attempt))
    return students_of(pieces)


def _id_template(matches: Sequence[re.Match[str]]) -> str:
    """Return which of the two numbers are a student's id, as a template."""
    first_is_same = len({match["one"] for match in matches}) == 1
    second_is_same = len({match["two"] for match in matches}) == 1
    if first_is_same == second_is_same:
        return "{one}-{two}"
    return "{one}" if second_is_same else "{two}"


def _time(match: re.Match[str]) -> datetime | None:
    hour = hour_of_day(int(match["hour"]), match["half"])
    if hour is None:
        return None
    month_name = match["month"] or match["month2"]
    month = _MONTHS.index(month_name) + 1 if month_name else int(match["month3"])
    year = match["year"] or match["year2"] or match["year3"]
    day = match["day"] or match["day2"] or match["day3"]
    try:
        return datetime(int(year), month, int(day), hour, int(match["minute"]))
    except ValueError:
        return None


LAYOUT = Layout(
    name="Brightspace",
    order=40,
    example="397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM",
    times=Times.EXACT,
    match=_match,
    read=_read,
)


_END = "End-of-Line Indicator"
_KEYS = ("OrgDefinedId", "Username")
_ABOUT = ("Last Name", "First Name", "Email")
_NO_KEY = "has neither a column OrgDefinedId nor Username"


def _from_roster(roster: Sheet, title: str) -> Sheet:
    """Return the roster's keys and names with an empty column for the marks.

    A download's numbers are not in Brightspace's gradebook, so the keys come from the roster. Raise
    UserError if it has none.
    """
    if roster.column(*_KEYS) is None:
        hint = "export the class list or the grades from Brightspace"
        raise UserError(_NO_KEY, place=roster.place, hint=hint)
    columns: dict[str, int] = {}
    for name in (*_KEYS, *_ABOUT):
        column = roster.column(name)
        if column is not None:
            columns[name] = column
    rows = [[*columns, f"{title} Points Grade"]]
    for row in roster.rows[1:]:
        cells = []
        for name, column in columns.items():
            cell = "".join(row[column : column + 1]).strip()
            if cell and name in _KEYS:
                cell = f"#{cell.removeprefix('#')}"
            cells.append(cell)
        rows.append([*cells, ""])
    return roster.with_rows(rows)


def _column_of_signs(sheet: Sheet) -> int | None:
    """Return the last column if it contains only `#`, whatever its name is in the site's
    language."""
    last = len(sheet.rows[0]) - 1
    cells = {"".join(row[last : last + 1]).strip() for row in sheet.rows[1:]}
    return last if cells == {"#"} else None


def _finished(sheet: Sheet) -> Sheet:
    """Return the table with the last column that the importer asks for."""
    header = list(sheet.rows[0])
    column = sheet.column(_END)
    if column is None:
        column = _column_of_signs(sheet)
    if column is None:
        column = len(header)
        header.append(_END)
    rows = [header]
    for sheet_row in sheet.rows[1:]:
        row = list(sheet_row)
        row += [""] * (column + 1 - len(row))
        row[column] = "#"
        rows.append(row)
    return sheet.with_rows(rows)


def _feedback_name(source: str) -> str | None:
    if source.count(" - ") < 2:
        return None
    return f"{source}/feedback.html"


GRADEBOOK = Gradebook(
    name="brightspace",
    title="Brightspace",
    ids=("orgdefinedid",),
    logins=("username", "email"),
    layout=by_items(
        r"(?P<title>.*) Points Grade\s*(?:<(?:.*?MaxPoints:\s*(?P<maximum>[\d.,]+))?.*>)?\s*",
        _KEYS,
        # "Punktebewertung <Numerisch MaxPunkte:6 …>": in brackets, the first number is the maximum.
        translated=r"(?P<title>.*?)\s*<(?:[^<>]*?(?P<maximum>\d+(?:[.,]\d+)?))?[^<>]*>\s*",
        lacks=_NO_KEY,
        hint="export the grades from Brightspace again, and choose a key field there",
    ),
    from_roster=_from_roster,
    finished=_finished,
    feedback_name=_feedback_name,
    feedback_index=True,
)
