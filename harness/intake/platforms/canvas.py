"""Read Canvas's downloads and fill in its gradebook.

A download is flat: `<sortable name>[_LATE]_<user>_<attachment>_<file>`, `[LATE_]anon_<id>_…`,
`anon_LATE_<id>_…`. `<sortable name>[_LATE]_<user>_text.html` and `…_link.html` are not files.

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
# Text that was typed into Canvas.
_NO_FILES = {"text.html": "a text", "link.html": "a link"}
# Two numbers, even if they begin inside two others.
_NUMBERS = re.compile(r"(?=(_[0-9]+_[0-9]+_))")
_AGAIN = re.compile(r"(?P<stem>.+)-(?P<count>[0-9]{1,3})(?P<ending>\.[^.]+(?:\.gz)?)", re.S)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Upload:
    """One file of one student."""

    entry: Entry
    doubt: str
    name: str
    # How often the file was uploaded before.
    again: int
    late: bool


def _match(entry: Entry) -> re.Match[str] | None:
    if entry.is_folder:
        return None
    for form in (_ANONYMOUS, _NAMED, _TYPED):
        match = form.fullmatch(entry.name)
        if match:
            return match
    return None


def _read(place: Entry, named: Sequence[Named], assignment: Assignment) -> Uploads:
    by_student: dict[tuple[str, str], list[_Upload]] = {}
    for named_entry in named:
        match = named_entry.match
        key = (match["id"], match.groupdict().get("name") or "")
        upload = _upload(named_entry.entry, match, assignment)
        by_student.setdefault(key, []).append(upload)
    pieces = []
    for (id_, name), uploads in by_student.items():
        doubts = [upload.doubt for upload in uploads if upload.doubt]
        doubt = doubts[0] if doubts else _two_meant(uploads)
        for attempt in _attempts(place, uploads):
            pieces.append(upload_of(student(id_, name), attempt, doubt))
    return students_of(pieces, lambda attempt: attempt.number)


def _upload(entry: Entry, match: re.Match[str], assignment: Assignment) -> _Upload:
    """Return a file by its name in the download."""
    file = match["file"]
    name, again = _numbered(file, assignment)
    doubt = ""
    if _can_be_anothers(entry, match, assignment):
        doubt = f"{entry.label} can be read as two students'"
    # An uploaded file has an attachment's number before its name.
    is_upload = match.start("file") > match.end("id") + 1
    if not is_upload and file in _NO_FILES:
        doubt = f"handed in as {_NO_FILES[file]} and not as a file ({entry.label})"
    return _Upload(entry=entry, doubt=doubt, name=name, again=again, late=bool(match["late"]))


def _can_be_anothers(entry: Entry, match: re.Match[str], assignment: Assignment) -> bool:
    """Return whether the name could also be another student's upload: two later numbers and a file.

    A student may have such a name, or have named the file so to be taken for another student.
    """
    for numbers in _NUMBERS.finditer(entry.name, match.end("id")):
        name, _ = _numbered(entry.name[numbers.end(1) :], assignment)
        if name in _expected(assignment):
            return True
    return False


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
    given = match["stem"] + match["ending"]
    expected = _expected(assignment)
    if given not in expected and original_name(given, expected) is None:
        return name, 0
    return given, int(match["count"])


def _attempts(place: Entry, uploads: Sequence[_Upload]) -> Iterator[Attempt]:
    """Yield an attempt for each number; a file that did not come again is part of the next."""
    numbered = _after_those_in_time(uploads)
    for again in sorted({upload.again for upload in numbered}):
        present: list[_Upload] = []
        parts: list[str] = []
        late = False
        for upload in numbered:
            if upload.again <= again:
                present.append(upload)
            if upload.again == again:
                parts.append(upload.entry.name)
                late = late or upload.late
        entries = [replace(upload.entry, name=upload.name) for upload in _newest(present)]
        attempt = at_root(place, entries, parts[0], parts)
        yield replace(attempt, late=late, number=again + 1)


def _after_those_in_time(uploads: Sequence[_Upload]) -> list[_Upload]:
    """Return the uploads with numbers of late ones that are above all others."""
    first_late = 0
    for upload in uploads:
        if not upload.late:
            first_late = max(first_late, upload.again + 1)
    numbered = []
    for upload in uploads:
        again = max(upload.again, first_late) if upload.late else upload.again
        numbered.append(replace(upload, again=again))
    return numbered


def _newest(uploads: Sequence[_Upload]) -> list[_Upload]:
    """Return for each name the newest upload, then others of the same name and number."""
    newest: dict[str, _Upload] = {}
    extra = []
    for upload in uploads:
        known = newest.get(upload.name)
        if known is None or known.again < upload.again:
            newest[upload.name] = upload
        elif known.again == upload.again:
            extra.append(upload)
    chosen = list(newest.values())
    for upload in extra:
        if newest[upload.name].again == upload.again:
            chosen.append(upload)
    return chosen


LAYOUT = Layout(
    name="Canvas",
    # The last one, because its names say least.
    order=90,
    example="smithmaryann_LATE_1234_56789_a1.py",
    times=Times.LATE_ONLY,
    match=_match,
    read=_read,
)


def _blank(entries: Sequence[GradebookEntry], out_of: str, title: str) -> Sheet:
    """Return a table in which ids that are numbers are Canvas's user ids, and others are logins."""
    header = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", title)
    rows = [header, ("    Points Possible", "", "", "", "", out_of)]
    for entry in entries:
        id_ = entry.student.id
        number = ""
        login = entry.student.email
        if id_.isdecimal():
            number = id_
        else:
            login = login or id_
        rows.append((entry.student.name or entry.id, number, "", login, "", entry.mark))
    return Sheet(rows=tuple(rows))


def _feedback_name(source: str) -> str | None:
    """Return the file's own name as a page: Canvas uses the two numbers in it."""
    if _NAMED.fullmatch(source) is None and _ANONYMOUS.fullmatch(source) is None:
        return None
    return str(PurePosixPath(source).with_suffix(".html"))


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
