"""A Gradescope export: `submission_metadata.yml` beside a folder for each submission.

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
from harness.intake.entries import Entry, Refused
from harness.intake.platforms import Layout, Named, Times
from harness.intake.uploads import Attempt, StudentUploads, Uploads, in_folder, student, upload_of
from harness.model.plan import Assignment

METADATA = "submission_metadata.yml"
_METADATA = re.compile(re.escape(METADATA))
_MAX_METADATA_BYTES = 256 * MIB
_DEEPEST = 100
_FOLDER = re.compile(r"submission_[0-9]+")
_TIME = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[ T](?P<clock>[0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?P<part>\.[0-9]+)?\s*(?P<zone>Z|UTC|[+-][0-9]{2}:?[0-9]{2})?"
)


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    entries = {each.entry.name: each.entry for each in named}
    where = f"{place.where}/{METADATA}"
    if METADATA not in entries:
        raise UserError(f"there is no {METADATA}", place=where, hint="export the submissions again")
    try:
        metadata = _texts(entries[METADATA].load(_MAX_METADATA_BYTES), where)
    except Refused as refusal:
        raise UserError(str(refusal), place=where) from None
    if not isinstance(metadata, Mapping):
        raise _malformed(where, "it is not a list of submissions")
    folders = {name: entry for name, entry in entries.items() if entry.is_folder}
    uploads: list[StudentUploads] = []
    for name in sorted({*metadata, *folders}):
        attempt = Attempt(origin=f"{place.where}/{name}", source=name)  # without any file
        if name in folders:
            attempt = in_folder(folders[name], attempt.origin)
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
    for each in fields[":submitters"]:
        if not isinstance(each, Mapping):
            raise _malformed(where, f"{name} has a submitter without fields")
        sid, called, email = (_text(each.get(key)) for key in (":sid", ":name", ":email"))
        students.append(student(sid or email or called or name, called, email))
    attempt = replace(files, at=_time(fields.get(":created_at"), name, where))
    past = [each for each in fields.get(":history") or () if isinstance(each, Mapping)]
    times = [_time(each.get(":created_at"), name, where) for each in past]
    earlier = tuple(time for time in times if time is not None and time != attempt.at)
    if not students:
        doubt = "it has no submitters"
        return [StudentUploads(identity=name, attempts=(attempt,), doubt=doubt)]
    uploads = []
    for who in students:
        others = ", ".join(other.name or other.id for other in students if other is not who)
        notes = (f"handed in together with {others}",) if len(students) > 1 else ()
        uploads.append(replace(upload_of(who, attempt), elsewhere=earlier, notes=notes))
    return uploads


def _text(value: Any) -> str:
    """Return a scalar as text, and "" for none: this loader gives scalars as they are written."""
    return value if isinstance(value, str) and value not in ("~", "null") else ""


def _texts(data: bytes, where: str) -> Any:
    """Return mappings, lists and strings with every scalar of YAML as text, because a student
    number may begin with 0 and "no" be a name. Raise UserError with the line if it is not YAML.
    """
    import yaml  # noqa: PLC0415  (checking a file must not need it)

    # The parser in C is many times as fast, and a class's metadata holds every result.
    loader_class = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        text = data.decode("utf-8")
        depth = 0
        for event in yaml.parse(text, loader_class):
            # Loading calls itself at each level, and in C that ends the process.
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise _malformed(where, "it is nested too deeply")
            if isinstance(event, yaml.DocumentEndEvent):
                break
        return next(yaml.load_all(text, loader_class), None)
    except UnicodeDecodeError as error:
        raise _malformed(where, f"byte {error.start} is not UTF-8") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        what = getattr(error, "problem", None) or "it is not YAML"
        raise _malformed(f"{where}{line}", str(what)) from None


def _malformed(where: str, what: str) -> UserError:
    what = f"the metadata cannot be used: {what}"
    return UserError(what, place=where, hint="export the submissions again")


def _time(value: Any, name: str, where: str) -> datetime | None:
    """Return a time; if Ruby wrote it as an object, its `utc` counts."""
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
        raise _malformed(where, f"{name} has no time in {text!r}") from None


LAYOUT = Layout(
    name="Gradescope",
    order=10,
    example=METADATA,
    times=Times.EXACT,
    match=lambda entry: (_FOLDER if entry.is_folder else _METADATA).fullmatch(entry.name),
    needs=METADATA,
    read=_read,
)
