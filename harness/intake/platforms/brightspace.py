"""Brightspace: a folder an attempt, `397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM`, or
flat with ` - <file>` behind. The clock is the course's; the form of the date is the site's: `24
September, 2024 9:26 pm`, `2024-09-24 2126`.

It is not documented which of the two numbers is the student's. If one of them is the same in a
whole download, it is the other; otherwise both together are the id. The gradebook has neither:
`OrgDefinedId` and `Username` with a `#`, `<Item> Points Grade`, and `#` at the end.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from harness.common.csv_tables import Sheet
from harness.common.errors import UserError
from harness.intake.entries import Entry
from harness.intake.gradebook import Gradebook, by_items
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
    return match if _time(match) else None


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    ones, twos = ({each.match[key] for each in named} for key in ("one", "two"))
    template = "{one}-{two}"
    if (len(ones) == 1) != (len(twos) == 1):
        template = "{one}" if len(twos) == 1 else "{two}"
    pieces = []
    for entry, match in ((each.entry, each.match) for each in named):
        source = entry.name.removesuffix(f" - {match['file']}")
        attempt = attempt_at(place, entry, match["file"], source)
        who = student(template.format(one=match["one"], two=match["two"]), match["name"])
        pieces.append(upload_of(who, replace(attempt, at=_time(match))))
    return students_of(pieces)


def _time(match: re.Match[str]) -> datetime | None:
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"] in "Pp" else 0)
    name = match["month"] or match["month2"]
    month = _MONTHS.index(name) + 1 if name else int(match["month3"])
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
    columns = ((name, roster.column(name)) for name in (*_KEYS, *_ABOUT))
    present = [(name, at) for name, at in columns if at is not None]
    rows = [[*(name for name, _ in present), f"{title} Points Grade"]]
    for row in roster.rows[1:]:
        cells = []
        for name, at in present:
            cell = row[at].strip() if at < len(row) else ""
            cells.append(f"#{cell.removeprefix('#')}" if cell and name in _KEYS else cell)
        rows.append([*cells, ""])
    return roster.with_rows(rows)


def _finished(sheet: Sheet) -> Sheet:
    """Return the table with the last column that the importer asks for."""
    header = sheet.rows[0]
    at = sheet.column(_END)
    if at is None:
        at, header = len(header), (*header, _END)
    rows = [(*row[:at], *[""] * (at - len(row)), "#", *row[at + 1 :]) for row in sheet.rows[1:]]
    return sheet.with_rows([header, *rows])


GRADEBOOK = Gradebook(
    name="brightspace",
    title="Brightspace",
    ids=("orgdefinedid",),
    logins=("username", "email"),
    layout=by_items(
        r"(?P<title>.*) Points Grade\s*(?:<(?:.*?MaxPoints:\s*(?P<maximum>[\d.,]+))?.*>)?\s*",
        _KEYS,
        lacks=_NO_KEY,
        hint="export Brightspace's grades with the key that it offers",
    ),
    from_roster=_from_roster,
    finished=_finished,
    feedback_name=lambda source: f"{source}/feedback.html" if source.count(" - ") >= 2 else None,
    feedback_index=True,
)
