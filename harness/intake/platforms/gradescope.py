"""Read a Gradescope export: `submission_metadata.yml` beside a folder for each submission.

The metadata's keys begin with a colon. All scalars are read as text: a student number may begin
with 0. Members of a group are submitters of one submission.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from harness.common.errors import UserError
from harness.intake.caps import MIB
from harness.intake.entries import Entry, RefusedUpload
from harness.intake.platforms import Layout, Named, Times
from harness.intake.uploads import Attempt, StudentUploads, Uploads, in_folder, student, upload_of
from harness.model.plan import Assignment
from harness.model.submission import Student

METADATA = "submission_metadata.yml"
_METADATA = re.compile(re.escape(METADATA))
_MAX_METADATA_BYTES = 256 * MIB
_MAX_DEPTH = 100
_FOLDER = re.compile(r"submission_[0-9]+")
_TIME = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[ T](?P<clock>[0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?P<part>\.[0-9]+)?\s*(?P<zone>Z|UTC|[+-][0-9]{2}:?[0-9]{2})?"
)


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    entries = {named_entry.entry.name: named_entry.entry for named_entry in named}
    where = f"{place.where}/{METADATA}"
    if METADATA not in entries:
        raise UserError(f"{METADATA} is missing", place=where, hint="export the submissions again")
    try:
        metadata = _texts(entries[METADATA].load(_MAX_METADATA_BYTES), where)
    except RefusedUpload as refusal:
        raise UserError(str(refusal), place=where) from None
    if not isinstance(metadata, Mapping):
        raise _malformed(where, "it is not a list of submissions")
    folders = {name: entry for name, entry in entries.items() if entry.is_folder}
    uploads: list[StudentUploads] = []
    for name in sorted({*metadata, *folders}):
        origin = f"{place.where}/{name}"
        if name in folders:
            attempt = in_folder(folders[name], origin)
        else:
            attempt = Attempt(origin=origin, source=name)
        if name in metadata:
            uploads += _of_submission(name, attempt, metadata[name], where)
        else:
            doubt = f"{METADATA} does not say whose it is"
            uploads.append(StudentUploads(identity=name, attempts=(attempt,), doubt=doubt))
    return tuple(uploads)


def _of_submission(name: str, files: Attempt, fields: Any, where: str) -> list[StudentUploads]:
    if not isinstance(fields, Mapping) or not isinstance(fields.get(":submitters"), list):
        raise _malformed(where, f"{name} has no list of :submitters")
    students = []
    for submitter in fields[":submitters"]:
        if not isinstance(submitter, Mapping):
            raise _malformed(where, f"{name} has a submitter without fields")
        students.append(_submitter(submitter, name))
    attempt = replace(files, at=_time(fields.get(":created_at"), name, where))
    earlier = []
    for past in fields.get(":history") or ():
        if isinstance(past, Mapping):
            time = _time(past.get(":created_at"), name, where)
            if time is not None and time != attempt.at:
                earlier.append(time)
    if not students:
        doubt = "it has no submitters"
        return [StudentUploads(identity=name, attempts=(attempt,), doubt=doubt)]
    uploads = []
    for member in students:
        names = [other.name or other.id for other in students if other is not member]
        notes = []
        if len(students) > 1:
            notes.append(f"handed in together with {', '.join(names)}")
        upload = upload_of(member, attempt)
        uploads.append(replace(upload, elsewhere=tuple(earlier), notes=tuple(notes)))
    return uploads


def _submitter(fields: Mapping[str, Any], submission: str) -> Student:
    """Return a submitter, whose id is the first of the known fields that the export has."""
    number = _text(fields.get(":sid"))
    name = _text(fields.get(":name"))
    email = _text(fields.get(":email"))
    return student(number or email or name or submission, name, email)


def _text(value: Any) -> str:
    """Return a scalar as text, and "" for none: this loader gives scalars as they are written."""
    if not isinstance(value, str) or value in ("~", "null"):
        return ""
    return value


def _texts(data: bytes, where: str) -> Any:
    """Return mappings, lists and strings with every scalar of YAML as text, because a student
    number may begin with 0 and "no" be a name. Raise UserError with the line if it is not YAML.
    """
    # Imported here, because a check of a file must not need it.
    import yaml  # noqa: PLC0415

    # The parser in C is many times as fast, and a class's metadata holds every result.
    loader_class = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        text = data.decode("utf-8")
        depth = 0
        for event in yaml.parse(text, loader_class):
            # Loading calls itself at each level, and in C that ends the process.
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise _malformed(where, "it is nested too deeply")
            if isinstance(event, yaml.DocumentEndEvent):
                break
        return next(yaml.load_all(text, loader_class), None)
    except UnicodeDecodeError as error:
        raise _malformed(where, f"byte {error.start} is not UTF-8") from None
    except yaml.YAMLError as error:
        place = where
        mark = getattr(error, "problem_mark", None)
        if mark is not None:
            place += f":{mark.line + 1}"
        problem = getattr(error, "problem", None) or "it is not YAML"
        raise _malformed(place, str(problem)) from None


def _malformed(where: str, problem: str) -> UserError:
    message = f"the metadata cannot be used: {problem}"
    return UserError(message, place=where, hint="export the submissions again")


def _time(value: Any, name: str, where: str) -> datetime | None:
    """Return a time; if Ruby wrote it as an object, its `utc` counts."""
    default_zone = ""
    if isinstance(value, Mapping):
        value = value.get("utc")
        default_zone = "Z"
    text = _text(value)
    if not text:
        return None
    match = _TIME.fullmatch(text.strip())
    try:
        if match is None:
            raise ValueError
        zone = (match["zone"] or default_zone).replace("UTC", "Z")
        part = (match["part"] or "")[:7]
        return datetime.fromisoformat(f"{match['day']}T{match['clock']}{part}{zone}")
    except ValueError:
        raise _malformed(where, f"{name} has no time in {text!r}") from None


def _match(entry: Entry) -> re.Match[str] | None:
    if entry.is_folder:
        return _FOLDER.fullmatch(entry.name)
    return _METADATA.fullmatch(entry.name)


LAYOUT = Layout(
    name="Gradescope",
    order=10,
    example=METADATA,
    times=Times.EXACT,
    match=_match,
    needs=METADATA,
    read=_read,
)
