"""Blackboard: flat, `<Assignment>_<user name>_attempt_<time>_<file>`, and a text an attempt.

The title and the user name may both have underscores. The text names the user; without it, what
all names begin with is the title. The gradebook has `Username` and columns called
`<Title> [Total Pts: 6 Score] |<column id>`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from os.path import commonprefix  # of texts, not of paths

from harness.common.csv_tables import Form, Sheet
from harness.intake.entries import Entry, Refused
from harness.intake.gradebook import Gradebook, GradebookEntry, by_items
from harness.intake.platforms import Layout, Named, Times
from harness.intake.uploads import Uploads, at_root, student, students_of, upload_of
from harness.model.plan import Assignment

_NAME = re.compile(
    r"(?P<who>.+?)_attempt_(?P<time>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<file>.+)|\.txt)", re.S
)
_TEXT_BYTES = 64 * 1024
_ABOUT = re.compile(r"Name: (?P<name>.*) \((?P<user>[^()]+)\)\s*")


def _match(entry: Entry) -> re.Match[str] | None:
    match = None if entry.is_folder else _NAME.fullmatch(entry.name)
    return match if match and _time(match["time"]) else None


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    about = {
        each.match["who"]: text
        for each in named
        if not each.match["file"] and (text := _about(each.entry)) is not None
    }
    # What all names begin with, as far as its last underscore; of a lone one all but the end.
    names = sorted({each.match["who"] for each in named})
    common = commonprefix(names) if len(names) > 1 else names[0]  # noqa: RUF071
    title = common[: common.rfind("_") + 1]
    pieces = []
    for entry, match in ((each.entry, each.match) for each in named):
        text = about.get(match["who"])
        user, name = match["who"].removeprefix(title), ""
        if text is not None and match["who"].endswith(f"_{text['user']}"):
            user, name = text["user"], text["name"]
        source = f"{match['who']}_attempt_{match['time']}"
        files = [replace(entry, name=match["file"])] if match["file"] else []
        attempt = at_root(place, files, source, [entry.name])
        pieces.append(upload_of(student(user, name), replace(attempt, at=_time(match["time"]))))
    return students_of(pieces)


def _about(entry: Entry) -> re.Match[str] | None:
    try:
        text = entry.start(_TEXT_BYTES).decode("utf-8-sig", "replace")
    except Refused:
        return None
    return next((match for line in text.splitlines() if (match := _ABOUT.fullmatch(line))), None)


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d-%H-%M-%S")
    except ValueError:
        return None


LAYOUT = Layout(
    name="Blackboard",
    order=30,
    example="Assignment 1_msmith_attempt_2024-09-24-21-26-00_a1.py",
    times=Times.EXACT,
    match=_match,
    read=_read,
)


_COMMENT, _FORMAT, _SMART_TEXT = "Feedback to Learner", "Feedback Format", "SMART_TEXT"


def _blank(entries: Sequence[GradebookEntry], out_of: str, title: str) -> Sheet:
    """Return a table with the ids of submissions as user names."""
    item = f"{title} [Total Pts: {out_of} Score]"
    header = ("Username", item, _COMMENT, _FORMAT)
    rows = [(each.student.id, each.mark, each.comment, _SMART_TEXT) for each in entries]
    return Sheet(rows=(header, *rows), form=Form(quoted=True))


def _finished(sheet: Sheet) -> Sheet:
    """Return the table with the format of each comment, without which the importer may
    refuse it.
    """
    comment, form = sheet.column(_COMMENT), sheet.column(_FORMAT)
    if comment is None or form is None:
        return sheet
    rows = [[*row, *[""] * (max(comment, form) + 1 - len(row))] for row in sheet.rows]
    for row in rows:
        if row[comment].strip() and not row[form].strip():
            row[form] = _SMART_TEXT
    return sheet.with_rows(rows)


GRADEBOOK = Gradebook(
    name="blackboard",
    title="Blackboard",
    ids=("username", "student id"),
    layout=by_items(
        # `Total Pts`, in the site's language
        r"(?P<title>.*) \[[^\[\]:]+: ?(?P<maximum>[^\[\]]*)\]\s*(?:\|\s*\d+)?\s*",
        ["Username"],
        lacks="has no column Username",
        hint="download Blackboard's grade centre",
        comment=_COMMENT,
    ),
    blank=_blank,
    finished=_finished,
)
