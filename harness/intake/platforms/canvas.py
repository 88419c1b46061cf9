"""Canvas: flat, `<sortable name>[_LATE]_<user>_<attachment>_<file>`, `[LATE_]anon_<id>_…`,
`anon_LATE_<id>_…`; `<sortable name>[_LATE]_<user>_text.html` and `…_link.html` are not files.

A file that is handed in again has -1, -2 before its ending; if two differ, a person must look.
Canvas gives no times, and says LATE by its own due time: a student's late files came after those
that are not late.

The gradebook: `Student, ID, SIS User ID, SIS Login ID, Section, <Title (assignment id)>`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from harness.common.csv_tables import Sheet
from harness.intake.entries import Entry, described, original_name, same_bytes
from harness.intake.gradebook import Gradebook, GradebookEntry, by_items
from harness.intake.platforms import Layout, Named, Times
from harness.intake.uploads import Attempt, Uploads, at_root, student, students_of, upload_of
from harness.model.plan import Assignment

_ANONYMOUS = re.compile(
    r"(?:(?P<late>LATE_anon_|anon_LATE_)|anon_)(?!LATE_)(?P<id>[A-Za-z0-9]+)_(?:[0-9]+_)?"
    r"(?P<file>.+)",
    re.S,
)
_TYPED = re.compile(
    r"(?P<name>.+?)(?P<late>_LATE)?_(?P<id>[0-9]+)_(?P<file>(?:text|link)\.html)", re.S
)
_NAMED = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<id>[0-9]+)_[0-9]+_(?P<file>.+)", re.S)
_NO_FILES = {"text.html": "a text", "link.html": "a link"}  # text typed into Canvas
_NUMBERS = re.compile(r"(?=(_[0-9]+_[0-9]+_))")  # also where one begins in another
_AGAIN = re.compile(r"(?P<stem>.+)-(?P<count>[0-9]{1,3})(?P<ending>\.[^.]+(?:\.gz)?)", re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Upload:
    entry: Entry  # one file of one student
    doubt: str
    name: str
    again: int  # from 0
    late: bool


def _match(entry: Entry) -> re.Match[str] | None:
    if entry.is_folder:
        return None
    matches = (form.fullmatch(entry.name) for form in (_ANONYMOUS, _NAMED, _TYPED))
    return next(filter(None, matches), None)


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    uploads: dict[tuple[str, str], list[_Upload]] = {}
    for entry, match in ((each.entry, each.match) for each in named):
        who = (match["id"], match.groupdict().get("name") or "")
        name, again = _numbered(match["file"], assignment)
        doubt = ""
        # Two numbers further on may leave an expected file: a student may have such a name, or have
        # named the file so to be taken for another student.
        inner = _NUMBERS.finditer(entry.name, match.end("id"))
        others = (_numbered(entry.name[each.end(1) :], assignment)[0] for each in inner)
        if not _expected(assignment).isdisjoint(others):
            doubt = f"{entry.label} can be read as two students'"
        is_upload = match.start("file") > match.end("id") + 1  # it has an attachment's number
        if not is_upload and match["file"] in _NO_FILES:
            doubt = f"handed in as {_NO_FILES[match['file']]} and not as a file ({entry.label})"
        upload = _Upload(entry=entry, doubt=doubt, name=name, again=again, late=bool(match["late"]))
        uploads.setdefault(who, []).append(upload)
    pieces = []
    for who, theirs in uploads.items():
        doubts = [each.doubt for each in theirs if each.doubt] or [_two_meant(theirs)]
        for attempt in _attempts(place, theirs):
            pieces.append(upload_of(student(*who), attempt, doubts[0]))
    return students_of(pieces, lambda attempt: attempt.number)


def _two_meant(uploads: Sequence[_Upload]) -> str:
    """Return why a person must look.

    Canvas gives the files of one submission, and a number before the ending may be the student's
    own. Files that it marked late came after those that it did not.
    """
    groups: dict[tuple[str, bool], list[_Upload]] = {}
    for upload in uploads:
        groups.setdefault((upload.name, upload.late), []).append(upload)
    for (name, _), several in groups.items():
        entries = [upload.entry for upload in several]
        if len({upload.again for upload in several}) > 1 and not same_bytes(entries):
            return f"found {described(entries)}, expected one file {name}"
    return ""


def _expected(assignment: Assignment) -> set[str]:
    names = (*assignment.submission_files, assignment.archive, assignment.laid_as)
    return {name for name in names if name is not None}


def _numbered(name: str, assignment: Assignment) -> tuple[str, int]:
    """Return the name that the student gave it and how often it had come before.

    A number counts only behind an expected name: in other names it could belong to the name.
    """
    match = _AGAIN.fullmatch(name)
    if match is None:
        return name, 0
    given, expected = match["stem"] + match["ending"], _expected(assignment)
    is_expected = given in expected or original_name(given, expected) is not None
    return (given, int(match["count"])) if is_expected else (name, 0)


def _attempts(place: Entry, uploads: Sequence[_Upload]) -> Iterator[Attempt]:
    """Return an attempt for each number; a file that did not come again is part of the next."""
    first_late = 1 + max((upload.again for upload in uploads if not upload.late), default=-1)
    uploads = [
        replace(upload, again=max(upload.again, first_late)) if upload.late else upload
        for upload in uploads
    ]
    for again in sorted({upload.again for upload in uploads}):
        newest: dict[str, _Upload] = {}
        extra = []
        for upload in uploads:
            if upload.again > again:
                continue
            held = newest.get(upload.name)
            if held is not None and held.again == upload.again:
                extra.append(upload)
            elif held is None or held.again < upload.again:
                newest[upload.name] = upload
        chosen = [*newest.values(), *(u for u in extra if newest[u.name].again == u.again)]
        mine = [upload for upload in uploads if upload.again == again]
        entries = [replace(upload.entry, name=upload.name) for upload in chosen]
        parts = [upload.entry.name for upload in mine]
        attempt = at_root(place, entries, parts[0], parts)
        late = any(upload.late for upload in mine)
        yield replace(attempt, late=late, number=again + 1)


LAYOUT = Layout(
    name="Canvas",
    order=90,  # last: its names say least
    example="smithmaryann_LATE_1234_56789_a1.py",
    times=Times.LATE_ONLY,
    match=_match,
    read=_read,
)


def _blank(entries: Sequence[GradebookEntry], out_of: str, title: str) -> Sheet:
    """Return a table in which ids that are numbers are Canvas's user ids, and others are logins."""
    header = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", title)
    rows = [header, ("    Points Possible", "", "", "", "", out_of)]
    for each in entries:
        who = each.student
        number, login = (who.id, "") if who.id.isdecimal() else ("", who.id)
        rows.append((who.name or each.id, number, "", who.email or login, "", each.mark))
    return Sheet(rows=tuple(rows))


def _feedback_name(source: str) -> str | None:
    """Return the file's own name as a page: Canvas uses the two numbers in it."""
    is_canvas = _NAMED.fullmatch(source) or _ANONYMOUS.fullmatch(source)
    return str(PurePosixPath(source).with_suffix(".html")) if is_canvas else None


GRADEBOOK = Gradebook(
    name="canvas",
    title="Canvas",
    ids=("id", "sis user id", "integration id"),
    logins=("sis login id",),
    layout=by_items(
        r"(?P<title>.*) \(\d+\)\s*",
        ["Student"],
        ["ID"],
        lacks="has no columns Student and ID",
        hint="export Canvas's gradebook",
    ),
    blank=_blank,
    feedback_name=_feedback_name,
)
