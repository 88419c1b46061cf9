"""Moodle: `<Full Name>_<participant>_assignsubmission_file_/…`, or flat with the file's name.

A blind download calls everybody `Participant` (in the site's language). No times anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.intake.entries import Entry
from harness.intake.layouts import Layout, Named, Times
from harness.intake.uploads import StudentUploads, attempt_at, student, students_of, upload_of
from harness.model.plan import Assignment

_NAME = re.compile(
    r"(?P<name>.*?)_(?P<id>[0-9]+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?",
    re.S,
)


def _match(entry: Entry) -> re.Match[str] | None:
    match = _NAME.fullmatch(entry.name)
    return match if match and entry.is_folder == (not match["file"]) else None


def _read(
    place: Entry, named: Sequence[Named], assignment: Assignment
) -> tuple[StudentUploads, ...]:
    names, ids = ({each.match[key] for each in named} for key in ("name", "id"))
    is_blind = names == {"Participant"} or (len(names) == 1 and len(ids) > 1)
    with_files = {each.match["id"] for each in named if each.match["kind"] == "file"}
    pieces = []
    for entry, match in ((each.entry, each.match) for each in named):
        who = student(match["id"], "" if is_blind else match["name"])
        attempt = attempt_at(place, entry, match["file"], entry.name)
        doubt = ""
        if match["id"] not in with_files:
            doubt = f"handed in as a text and not as a file ({entry.shown})"
        pieces.append(upload_of(who, attempt, doubt))
    return students_of(pieces, lambda attempt: "")  # a download has one attempt of each


LAYOUT = Layout(
    name="Moodle",
    order=20,
    example="Mary-Ann Smith_4711_assignsubmission_file_",
    times=Times.NONE,
    match=_match,
    read=_read,
)
