"""Moodle: `<Full Name>_<participant>_assignsubmission_file_/…`, or flat with the file's name.

A blind download calls everybody `Participant` (in the site's language). No times anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from harness.intake.entries import Entry
from harness.intake.layouts import Layout, Times
from harness.intake.uploads import (
    StudentUploads,
    at_root,
    in_folder,
    student,
    students_of,
    upload_of,
)
from harness.model.plan import Assignment

_NAME = re.compile(
    r"(?P<name>.*?)_(?P<id>[0-9]+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?",
    re.S,
)


def _is_one(entry: Entry) -> bool:
    match = _NAME.fullmatch(entry.name)
    return match is not None and entry.is_folder == (not match["file"])


def _read(
    place: Entry, entries: Sequence[Entry], assignment: Assignment
) -> tuple[StudentUploads, ...]:
    matches = [(entry, _NAME.fullmatch(entry.name)) for entry in entries]
    named = [(entry, match) for entry, match in matches if match]
    names = {match["name"] for _, match in named}
    is_blind = names == {"Participant"} or (
        len(names) == 1 and len({match["id"] for _, match in named}) > 1
    )
    with_files = {match["id"] for _, match in named if match["kind"] == "file"}
    pieces = []
    for entry, match in named:
        who = student(match["id"], "" if is_blind else match["name"])
        if entry.is_folder:
            attempt = in_folder(entry, f"{place.where}/{entry.name}")
        else:
            attempt = at_root(place, [replace(entry, name=match["file"])], entry.name)
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
    is_one=_is_one,
    read=_read,
)
