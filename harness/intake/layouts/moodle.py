"""Moodle: `<Full Name>_<participant>_assignsubmission_file_/…`, or flat with the file's name.

A blind download calls everybody `Participant` (in the site's language). No times anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from harness.intake.files.entries import Entry, EntryKind
from harness.intake.files.folders import Folder
from harness.intake.files.uploads import Attempt, StudentUploads
from harness.intake.layouts.layout import (
    Layout,
    NamePart,
    Times,
    files_at_root,
    student,
    students_of,
)
from harness.intake.layouts.plain import files_in_folder
from harness.model.plan import Assignment

_NAME = re.compile(
    r"(?P<name>.*?)_(?P<id>[0-9]+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<file>.*))?",
    re.S,
)


def _is_one(entry: Entry) -> bool:
    match = _NAME.fullmatch(entry.name)
    return match is not None and (entry.kind is EntryKind.FOLDER) == (not match["file"])


def _read(
    place: Folder, entries: Sequence[Entry], assignment: Assignment
) -> tuple[StudentUploads, ...]:
    matches = [(entry, _NAME.fullmatch(entry.name)) for entry in entries]
    known = [(entry, match) for entry, match in matches if match]
    names = {match["name"] for _, match in known}
    is_blind = names == {"Participant"} or (
        len(names) == 1 and len({match["id"] for _, match in known}) > 1
    )
    with_files = {match["id"] for _, match in known if match["kind"] == "file"}
    pieces = []
    for entry, match in known:
        who = student(match["id"], "" if is_blind else match["name"])
        if entry.kind is EntryKind.FOLDER:
            found = files_in_folder(place.inside(entry.name), f"{place.shown}/{entry.name}")
        else:
            file = replace(entry, name=match["file"])
            found = files_at_root(place, [file], entry.name, [entry.name])
        doubt = ""
        if match["id"] not in with_files:
            doubt = f"handed in as a text and not as a file ({entry.shown})"
        pieces.append(NamePart(student=who, attempt=Attempt(files=found), doubt=doubt))
    return students_of(pieces)


LAYOUT = Layout(
    name="Moodle",
    order=20,
    example="Mary-Ann Smith_4711_assignsubmission_file_",
    times=Times.NONE,
    is_one=_is_one,
    read=_read,
)
