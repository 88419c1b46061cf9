"""Brightspace: `OrgDefinedId` and `Username` with a `#`, `<Item> Points Grade`, `#` at the end."""

from __future__ import annotations

import re
from dataclasses import replace

from harness.common.csv_tables import Row, Sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks import platform

_END = "End-of-Line Indicator"
_KEYS = ("OrgDefinedId", "Username")
_ABOUT = ("Last Name", "First Name", "Email")
_ITEM = re.compile(r"(?P<title>.*) Points Grade\s*(?P<about><.*>)?\s*", re.IGNORECASE)
_MAXIMUM = re.compile(r"MaxPoints:\s*([\d.,]+)", re.IGNORECASE)


def _layout(sheet: Sheet, column: str | None, title: str) -> platform.GradebookLayout:
    header = sheet.rows[0]
    own_id, login = (platform.find_column(header, key) for key in _KEYS)
    if own_id is None and login is None:
        raise _no_key(sheet, "export Brightspace's grades with the key that it offers")
    last, first, email = (platform.find_column(header, name) for name in _ABOUT)
    mark, item = platform.choose_item(sheet, _ITEM, column, title)
    about = _MAXIMUM.search(item["about"] or "")

    def plain(row: Row, *columns: int | None) -> Row:
        return tuple(cell.removeprefix("#") for cell in platform.cells_of(row, *columns))

    return platform.GradebookLayout(
        mark=mark,
        identity=lambda row: platform.student_of(
            plain(row, own_id), plain(row, login, email), platform.cells_of(row, first, last)
        ),
        maximum=platform.number_in(about[1]) if about else None,
    )


def _no_key(sheet: Sheet, hint: str) -> UserError:
    return UserError("has neither a column OrgDefinedId nor Username", place=sheet.place, hint=hint)


def _from_roster(roster: Sheet, title: str) -> Sheet:
    """The roster's keys and names with an empty column for the marks.

    A download's numbers are not in Brightspace's gradebook, so the keys come from the roster.
    Raises UserError when it has none.
    """
    header = roster.rows[0]
    known = [(name, at) for name in _KEYS if (at := platform.find_column(header, name)) is not None]
    if not known:
        raise _no_key(roster, "export the class list or the grades from Brightspace")
    keys = len(known)
    known += [
        (name, at) for name in _ABOUT if (at := platform.find_column(header, name)) is not None
    ]
    rows = [[name for name, _ in known] + [f"{title} Points Grade"]]
    for row in roster.rows[1:]:
        cells = [row[at].strip() if at < len(row) else "" for _, at in known]
        cells[:keys] = [f"#{cell.removeprefix('#')}" if cell else "" for cell in cells[:keys]]
        rows.append([*cells, ""])
    return roster.with_rows(rows)


def _finished(sheet: Sheet) -> Sheet:
    """With the last column that the importer asks for."""
    header = sheet.rows[0]
    at = platform.find_column(header, _END)
    if at is None:
        at, header = len(header), (*header, _END)
    rows = [(*row[:at], *[""] * (at - len(row)), "#", *row[at + 1 :]) for row in sheet.rows[1:]]
    return replace(sheet, rows=(header, *rows))


def _feedback_name(source: str) -> str | None:
    """The folder that was downloaded."""
    return f"{source}/feedback.html" if source.count(" - ") >= 2 else None


GRADEBOOK = platform.Gradebook(
    name="brightspace",
    title="Brightspace",
    layout=_layout,
    from_roster=_from_roster,
    finished=_finished,
    feedback_name=_feedback_name,
    feedback_index=True,
)
