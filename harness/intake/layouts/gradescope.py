"""A Gradescope export: `submission_metadata.yml` beside a folder for each submission.

The metadata's keys begin with a colon. All scalars are read as text: a student number may begin
with 0. Members of a group are submitters of one submission.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from harness.common.errors import UserError
from harness.intake.archives.members import MIB
from harness.intake.files.entries import Entry, EntryKind, Refused
from harness.intake.files.folders import Folder
from harness.intake.files.uploads import Attempt, AttemptFiles, StudentUploads
from harness.intake.layouts.layout import Layout, Times, malformed, student
from harness.intake.layouts.plain import files_in_folder
from harness.model.plan import Assignment
from harness.model.submission import Student

METADATA = "submission_metadata.yml"
_MAX_METADATA_BYTES = 256 * MIB
_FOLDER = re.compile(r"submission_[0-9]+")
_TIME = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[ T](?P<clock>[0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?P<part>\.[0-9]+)?\s*(?P<zone>Z|UTC|[+-][0-9]{2}:?[0-9]{2})?"
)


def _is_one(entry: Entry) -> bool:
    if entry.kind is EntryKind.FOLDER:
        return _FOLDER.fullmatch(entry.name) is not None
    return entry.name == METADATA


def _read(
    place: Folder, entries: Sequence[Entry], assignment: Assignment
) -> tuple[StudentUploads, ...]:
    where = f"{place.shown}/{METADATA}"
    metadata = _metadata(entries, where)
    folders = {entry.name for entry in entries if entry.kind is EntryKind.FOLDER}
    handed: list[StudentUploads] = []
    for name in sorted({*metadata, *folders}):
        origin = f"{place.shown}/{name}"
        if name in folders:
            found = files_in_folder(place.inside(name), origin)
        else:
            found = AttemptFiles(origin=origin, source=name)  # a submission without any file
        if name not in metadata:
            doubt = f"{METADATA} does not say whose it is"
            handed.append(
                StudentUploads(identity=name, attempts=(Attempt(files=found),), doubt=doubt)
            )
            continue
        handed += _of_submission(name, found, metadata[name], where)
    return tuple(handed)


def _of_submission(name: str, found: AttemptFiles, fields: Any, where: str) -> list[StudentUploads]:
    if not isinstance(fields, Mapping) or not isinstance(fields.get(":submitters"), list):
        raise malformed(where, f"{name} has no list of :submitters")
    students = [_student(name, each, where) for each in fields[":submitters"]]
    attempt = Attempt(files=found, at=_time(fields.get(":created_at"), name, where))
    history = fields.get(":history")
    past = [each for each in history if isinstance(each, Mapping)] if history else []
    times = [_time(each.get(":created_at"), name, where) for each in past]
    earlier = tuple(time for time in times if time is not None and time != attempt.at)
    if not students:
        doubt = "it has no submitters"
        return [StudentUploads(identity=name, attempts=(attempt,), doubt=doubt)]
    return [
        StudentUploads(
            identity=who.id,
            student=who,
            attempts=(attempt,),
            elsewhere=earlier,
            notes=_together(who, students),
        )
        for who in students
    ]


def _together(who: Student, students: Sequence[Student]) -> tuple[str, ...]:
    others = [other.name or other.id for other in students if other is not who]
    return (f"handed in together with {', '.join(others)}",) if others else ()


def _student(name: str, fields: Any, where: str) -> Student:
    if not isinstance(fields, Mapping):
        raise malformed(where, f"{name} has a submitter without fields")
    sid, called, email = (_text(fields.get(key)) for key in (":sid", ":name", ":email"))
    return student(sid or email or called or name, called, email)


def _text(value: Any) -> str:
    """A scalar as text; "" for none, which this loader gives as it is written."""
    return value if isinstance(value, str) and value not in ("~", "null") else ""


def _metadata(entries: Sequence[Entry], where: str) -> Mapping[str, Any]:
    entry = next((entry for entry in entries if entry.name == METADATA), None)
    if entry is None:
        raise UserError(f"there is no {METADATA}", place=where, hint="export the submissions again")
    try:
        data = entry.load(_MAX_METADATA_BYTES)
    except Refused as refusal:
        raise UserError(str(refusal), place=where) from None
    from harness.intake.yaml_texts import texts  # noqa: PLC0415

    whole = texts(data, where)
    if not isinstance(whole, Mapping):
        raise malformed(where, "it is no list of submissions")
    return whole


def _time(value: Any, name: str, where: str) -> datetime | None:
    """A time, also one that Ruby wrote as an object, of which `utc` counts."""
    of_object = isinstance(value, Mapping)
    text = _text(value.get("utc")) if of_object else _text(value)
    if not text:
        return None
    match = _TIME.fullmatch(text.strip())
    try:
        if match is None:
            raise ValueError
        zone = (match["zone"] or ("UTC" if of_object else "")).replace("UTC", "Z")
        part = (match["part"] or "")[:7]
        return datetime.fromisoformat(f"{match['day']}T{match['clock']}{part}{zone}")
    except ValueError:
        raise malformed(where, f"{name} has no time in {text!r}") from None


LAYOUT = Layout(
    name="Gradescope",
    order=10,
    example=METADATA,
    times=Times.EXACT,
    is_one=_is_one,
    needs=METADATA,
    read=_read,
)
