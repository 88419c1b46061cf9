"""Read Blackboard's downloads and fill in its gradebook.

A download is flat: `<Assignment>_<user name>_attempt_<time>_<file>`, and a text for each attempt.
The title and the user name may both have underscores. The text names the user; without it, the
title is the part with which all names begin. The gradebook has `Username` and columns called
`<Title> [Total Pts: 6 Score] |<column id>`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from os.path import commonprefix

from harness.common.csv_tables import CsvForm, Sheet
from harness.intake.entries import Entry, RefusedUpload
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
    if entry.is_folder:
        return None
    match = _NAME.fullmatch(entry.name)
    if match is None or _time(match["time"]) is None:
        return None
    return match


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    about: dict[str, re.Match[str]] = {}
    for named_entry in named:
        match = named_entry.match
        text = None if match["file"] else _about(named_entry.entry)
        if text is not None:
            about[match["who"]] = text
    title = _title([named_entry.match["who"] for named_entry in named])
    pieces = []
    for named_entry in named:
        entry = named_entry.entry
        match = named_entry.match
        who = match["who"]
        user = who.removeprefix(title)
        name = ""
        text = about.get(who)
        if text is not None and who.endswith(f"_{text['user']}"):
            user = text["user"]
            name = text["name"]
        files = []
        if match["file"]:
            files.append(replace(entry, name=match["file"]))
        source = f"{who}_attempt_{match['time']}"
        attempt = at_root(place, files, source, [entry.name])
        attempt = replace(attempt, at=_time(match["time"]))
        pieces.append(upload_of(student(user, name), attempt))
    return students_of(pieces)


def _title(texts: Sequence[str]) -> str:
    """Return the common beginning of all texts up to its last underscore, which is the title.

    For a single text everything but the last word is the title.
    """
    # `commonprefix` compares texts, not paths.
    different = sorted(set(texts))
    common = different[0]
    if len(different) > 1:
        common = commonprefix(different)  # noqa: RUF071
    return common[: common.rfind("_") + 1]


def _about(entry: Entry) -> re.Match[str] | None:
    """Return the line of an attempt's text that names the user; None if there is none."""
    try:
        text = entry.start(_TEXT_BYTES).decode("utf-8-sig", "replace")
    except RefusedUpload:
        return None
    for line in text.splitlines():
        match = _ABOUT.fullmatch(line)
        if match:
            return match
    return None


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
    rows = [("Username", f"{title} [Total Pts: {out_of} Score]", _COMMENT, _FORMAT)]
    for entry in entries:
        rows.append((entry.student.id, entry.mark, entry.comment, _SMART_TEXT))
    return Sheet(rows=tuple(rows), form=CsvForm(quoted=True))


def _finished(sheet: Sheet) -> Sheet:
    """Return the table with the format of each comment, without which the importer may
    refuse it.
    """
    comment = sheet.column(_COMMENT)
    form = sheet.column(_FORMAT)
    if comment is None or form is None:
        return sheet
    width = max(comment, form) + 1
    rows = []
    for sheet_row in sheet.rows:
        row = list(sheet_row)
        row += [""] * (width - len(row))
        if row[comment].strip() and not row[form].strip():
            row[form] = _SMART_TEXT
        rows.append(row)
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
