"""Find the paths that a user names, and recognise their layouts (stages 1 and 2).

A path's layout follows from the names in it, or the user states it. Then the uploads in it are
read. The first rule that applies decides:

1. A file that is not an archive is one submission (`lone_file`).
2. A folder that belongs to the submissions at the other paths is also one (`_submissions_beside`).
3. The user's `--layout` decides; names that do not fit it are an error (`with_layout`).
4. A folder with an expected file is one submission (`holds_expected_file`).
5. A folder, or the only folder in it (`possible_roots`), whose names are a platform's is that
   platform's download; it is an error if they are of several (`_of_platform`).
6. An archive without archives in it is one student's, if students hand in archives
   (`_is_handed_in_archive`).
7. Any other folder holds submissions: each folder and file in it is one (`one_in`).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.archives.contents import unpacked
from harness.intake.entries import (
    MAX_CLASS_ENTRIES,
    Entry,
    EntryKind,
    RefusedUpload,
    archive_suffix,
    file_at,
    folder_at,
    is_environment_folder,
    is_program,
    listed,
    must_exist,
    safe_id,
    shown_path,
    without_case,
    without_program_ending,
)
from harness.intake.junk import is_ignored, is_left_behind
from harness.intake.notebooks.reading import is_notebook, program_name
from harness.intake.platforms import Layout, Named, Times, known_layouts
from harness.intake.uploads import Attempt, StudentUploads, accepted, attempt_of, in_folder
from harness.model.plan import Assignment

PLAIN = "plain"
Condition = Callable[[Entry, Assignment], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A path that the user named, with its layout and the uploads in it."""

    path: Path
    # The folder with the uploads: the path itself, or its only folder.
    folder: Entry
    # None for a plain folder.
    layout: Layout | None = None
    # The students' files and folders, by the names of the layout.
    named: tuple[Named, ...] = ()
    # Other files and folders that may be a student's.
    strays: tuple[Entry, ...] = ()
    # Everything beside the folders that contain only `folder`.
    around: tuple[Entry, ...] = ()
    uploads: tuple[StudentUploads, ...] = ()
    # Everything in the path, once.
    contents: tuple[Entry, ...] = ()

    @property
    def name(self) -> str:
        """Return the name of the layout."""
        if self.layout is None:
            return PLAIN
        return self.layout.name

    @property
    def times(self) -> Times:
        """Return the download's facts about times."""
        if self.layout is None:
            return Times.NONE
        return self.layout.times


def find(
    paths: Sequence[Path], archives: ExitStack, *, students_hand_in_archives: bool
) -> tuple[Entry, ...]:
    """Return every path once, in order: a folder, on the disk or in an archive, or one student's
    file.

    Archives can be read until the stack is closed. Raise UserError for a path that is missing, or
    neither a folder, an archive nor a Python file; also for an unreadable archive, unless a student
    may have handed it in: then it is a fault of that submission.
    """
    first = {path.absolute(): path for path in reversed(paths)}
    once = sorted(first.values(), key=paths.index)
    return tuple(_entry(path, archives, students_hand_in_archives) for path in once)


def _entry(path: Path, archives: ExitStack, students_hand_in_archives: bool) -> Entry:
    try:
        if path.is_dir():
            return folder_at(path)
        must_exist(path)
        is_file = path.is_file()
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", place=str(path)) from None
    if is_file and (is_program(path.name) or is_notebook(path.name)):
        return file_at(path)
    if not is_file or not archive_suffix(path.name):
        raise UserError("this is not a folder, an archive or a .py file", place=str(path))
    try:
        return archives.enter_context(unpacked(path))
    except UserError:
        if students_hand_in_archives:
            return file_at(path)
        raise


def recognise(
    named: Sequence[Entry], assignment: Assignment, asked: str | None
) -> tuple[Download, ...]:
    """Return the layout of each path (`asked` None: as its names tell) and its content.

    Raise UserError for a path that cannot be read or whose layout is not clear.
    """
    beside: frozenset[str] = frozenset()
    if asked in (None, PLAIN):
        beside = _submissions_beside(named, assignment)
    return tuple(_download(entry, assignment, asked, entry.where in beside) for entry in named)


def _download(
    entry: Entry, assignment: Assignment, asked: str | None, is_submission: bool
) -> Download:
    try:
        if not entry.is_folder:
            return _of_one(entry, lone_file(entry, entry.where))
        if is_submission:
            return _of_one(entry, folder_itself(entry))
        return _of_folder(entry, assignment, asked)
    except RefusedUpload as refusal:
        raise UserError(f"this folder holds {refusal}", place=entry.where) from None
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", place=entry.where) from None


def _of_folder(entry: Entry, assignment: Assignment, asked: str | None) -> Download:
    """Return the content of a folder or archive: a class, or one submission. Raise OSError, Refused
    or UserError if it cannot be read.
    """
    download = with_layout(entry, assignment, asked)
    if download.layout is None and asked is None and _is_handed_in_archive(entry, assignment):
        file = file_at(Path(entry.where))
        return _of_one(file, lone_file(file, file.where))
    _check_archives(download, assignment)
    uploads = _uploads(download, assignment)
    if download.layout is None and _is_folder_itself(uploads, download.folder):
        return _of_one(entry, uploads[0])
    contents = (*download.around, *download.folder.everything(MAX_CLASS_ENTRIES))
    return replace(download, uploads=uploads, contents=contents)


def _is_handed_in_archive(entry: Entry, assignment: Assignment) -> bool:
    """Return whether an archive may be a student's: students hand in archives, and a class would
    be an archive of archives.
    """
    return bool(assignment.archive) and entry.is_packed and not _holds_archives(entry)


def _is_folder_itself(uploads: Sequence[StudentUploads], folder: Entry) -> bool:
    """Return whether the folder was read as one submission."""
    origins = []
    for student_uploads in uploads:
        origins += [attempt.origin for attempt in student_uploads.attempts]
    return origins == [folder.where]


def _of_one(entry: Entry, uploads: StudentUploads) -> Download:
    """Return a path that is a single submission, with nothing else in it."""
    contents = tuple(Entry(name=part, kind=entry.kind) for part in uploads.parts)
    return Download(path=Path(entry.where), folder=entry, uploads=(uploads,), contents=contents)


def _uploads(download: Download, assignment: Assignment) -> tuple[StudentUploads, ...]:
    """Return all students' uploads in this download. Raise OSError, Refused or UserError if they
    cannot be read."""
    folder = download.folder
    layout = download.layout
    if layout is None:
        if _is_one_submission(folder, assignment):
            return (folder_itself(folder),)
        return tuple(one_in(folder, entry) for entry in candidates_in(folder))
    doubts = {named.entry.name: dot_doubt(named.entry) for named in download.named}
    uploads: list[StudentUploads] = []
    for student_uploads in layout.read(folder, download.named, assignment):
        doubt = student_uploads.doubt
        for part in student_uploads.parts:
            if doubts.get(part):
                doubt = doubts[part]
                break
        uploads.append(replace(student_uploads, doubt=doubt))
    for entry in download.strays:
        stray = f"its name does not look like {layout.name}'s"
        uploads.append(replace(one_in(folder, entry), doubt=stray))
    return tuple(uploads)


def _is_one_submission(folder: Entry, assignment: Assignment) -> bool:
    """Return whether a plain folder is one submission, not a folder of several."""
    entries = folder.entries(MAX_CLASS_ENTRIES)
    if assignment.laid_as and not folder.is_packed and _is_lone_file(entries):
        return True
    return holds_expected_file(folder, assignment)


def _check_archives(download: Download, assignment: Assignment) -> None:
    """Raise UserError if an archive contains only archives and students do not hand in archives."""
    folder = download.folder
    if download.layout is not None or assignment.archive or not folder.is_packed:
        return
    inside = candidates_in(folder)
    if inside and all(archive_suffix(entry.name) and not entry.is_folder for entry in inside):
        names = listed([entry.label for entry in inside])
        problem = f"this archive contains only archives ({names})"
        hint = "unpack it, and grade its content: harness grade FOLDER/*"
        raise UserError(problem, place=folder.where, hint=hint)


def _holds_archives(folder: Entry) -> bool:
    """Return whether the archives in a folder belong to students. They do if students hand in
    archives; but an archive that contains archives is not a student's."""
    entries = list(folder.entries(MAX_CLASS_ENTRIES))
    for entry in tuple(entries):
        entries += entry.entries(MAX_CLASS_ENTRIES)
    return any(archive_suffix(entry.name) for entry in entries)


def _submissions_beside(named: Sequence[Entry], assignment: Assignment) -> frozenset[str]:
    """Return the folders that are submissions because others beside them are named too, as a shell
    does for `class/*`: one of them is clearly a submission, or each has a folder around its
    files, and these are not classes.
    """
    by_parent: dict[Path, list[Entry]] = {}
    for entry in named:
        if entry.is_folder and not entry.is_packed:
            parent = Path(entry.where).absolute().parent
            by_parent.setdefault(parent, []).append(entry)
    submissions: set[str] = set()
    for folders in by_parent.values():
        if len(folders) < 2:
            continue
        classes: set[str] = set()
        others: set[str] = set()
        around = 0
        for folder in folders:
            if _holds(_is_class, folder, assignment, unreadable=True):
                classes.add(folder.where)
            else:
                others.add(folder.where)
            around += _holds(_has_submission_inside, folder, assignment)
        is_clear = any(_holds(_is_clearly_one, folder, assignment) for folder in folders)
        if is_clear or (around > 1 and not classes):
            submissions |= others
    return frozenset(submissions)


def _holds(
    condition: Condition, folder: Entry, assignment: Assignment, *, unreadable: bool = False
) -> bool:
    """Return whether the condition holds.

    False if a folder's layout is not clear, `unreadable` if it cannot be read: both are reported
    when the folder itself is read.
    """
    try:
        return condition(folder, assignment)
    except UserError:
        return False
    except (OSError, RefusedUpload):
        return unreadable


def _has_submission_inside(folder: Entry, assignment: Assignment) -> bool:
    """Return whether the submission is in a folder inside this one and not in the folder itself;
    False in a platform's download.
    """
    if with_layout(folder, assignment).layout is not None:
        return False
    for root in possible_roots(folder):
        inner = root.folder
        is_lone = _is_lone_file(inner.entries())
        if holds_expected_file(inner, assignment) or (assignment.laid_as and is_lone):
            return inner is not folder
    return False


def _is_class(folder: Entry, assignment: Assignment) -> bool:
    # A single name may be a student's file that is called as a platform calls its own.
    if len(with_layout(folder, assignment).named) > 1:
        return True
    folders = [entry for entry in folder.entries(MAX_CLASS_ENTRIES) if entry.is_folder]
    return sum(holds_expected_file(inner, assignment) for inner in folders) > 1


def layout_names() -> tuple[str, ...]:
    """Return the values of `--layout`."""
    return (*sorted(layout.name.lower() for layout in known_layouts()), PLAIN)


def with_layout(folder: Entry, assignment: Assignment, asked: str | None = None) -> Download:
    """Return the folder with the requested layout, otherwise the one on which all names agree,
    otherwise plain; its uploads are not read yet. Raise UserError if names disagree, or none
    has the form of the requested layout.
    """
    if asked is None and holds_expected_file(folder, assignment):
        return _plain(folder)
    if asked == PLAIN:
        return _plain_class(folder, assignment)
    for root in possible_roots(folder):
        download = _of_platform(root, asked)
        if download is not None:
            return download
    if asked is None:
        return _plain_class(folder, assignment)
    layout = _called(asked)
    problem = f"no name here looks like {layout.name}'s ({layout.example})"
    hint = f"--layout {' | '.join(layout_names())}, or leave it out"
    raise UserError(problem, place=folder.where, hint=hint)


def _plain(folder: Entry) -> Download:
    return Download(path=Path(folder.where), folder=folder)


def _plain_class(folder: Entry, assignment: Assignment) -> Download:
    """Return the place of the submissions: the folder, or in an archive often one folder in it."""
    if folder.is_packed and not holds_expected_file(folder, assignment):
        for root in possible_roots(folder):
            holds_several = len(candidates_in(root.folder)) > 1
            if holds_several and not holds_expected_file(root.folder, assignment):
                return root
    return _plain(folder)


def _of_platform(download: Download, asked: str | None) -> Download | None:
    """Return the download with the platform's layout whose names it has; None if it has none.

    Raise UserError if that is not clear.
    """
    everything = download.folder.everything(MAX_CLASS_ENTRIES)
    entries = [entry for entry in everything if not _is_beside(entry)]
    candidates = _candidate_layouts(entries, asked)
    named: dict[str, list[Named]] = {}
    strays: list[Entry] = []
    for entry in entries:
        found = _first_match(entry, candidates)
        if found is not None:
            layout, match = found
            named.setdefault(layout.name, []).append(Named(entry, match))
        elif may_be_one(entry):
            strays.append(entry)
    layouts = [layout for layout in candidates if layout.name in named]
    if not layouts:
        return None
    unknown = [entry for entry in strays if not dot_doubt(entry) and not entry.fault]
    if len(layouts) > 1 or (unknown and asked is None):
        parts = []
        for layout in layouts:
            parts.append(f"{len(named[layout.name])} with names like {layout.name}'s")
        if unknown:
            labels = listed([entry.label for entry in unknown])
            parts.append(f"{len(unknown)} with other names ({labels})")
        choices = [layout.name.lower() for layout in layouts]
        hint = f"--layout {' | '.join([*choices, PLAIN])}"
        problem = f"the layout is not clear: {listed(parts)}"
        raise UserError(problem, place=download.folder.where, hint=hint)
    layout = layouts[0]
    return replace(download, layout=layout, named=tuple(named[layout.name]), strays=tuple(strays))


def _candidate_layouts(entries: Sequence[Entry], asked: str | None) -> list[Layout]:
    """Return the requested layout, or all layouts whose required file is among the entries."""
    if asked:
        return [_called(asked)]
    names = {entry.name for entry in entries}
    layouts = []
    for layout in known_layouts():
        if not layout.needs or layout.needs in names:
            layouts.append(layout)
    return layouts


def _first_match(entry: Entry, layouts: Sequence[Layout]) -> tuple[Layout, re.Match[str]] | None:
    for layout in layouts:
        match = layout.match(entry)
        if match is not None:
            return layout, match
    return None


def _called(name: str) -> Layout:
    return next(layout for layout in known_layouts() if layout.name.lower() == name)


_FOLDERS_AROUND = 3
# A sample's folder is one submission even when its file has the wrong name.
_SAMPLE_MARKER = "expect.yaml"


def holds_expected_file(folder: Entry, assignment: Assignment) -> bool:
    """Return whether the folder itself is one submission: an expected file is in it."""
    names = (*assignment.submission_files, assignment.archive)
    expected = {without_case(name) for name in names if name is not None}
    for entry in folder.everything(MAX_CLASS_ENTRIES):
        if entry.is_folder:
            continue
        if entry.name == _SAMPLE_MARKER and not folder.is_packed:
            return True
        name = entry.name
        if assignment.takes_notebooks and is_notebook(name):
            name = program_name(name)
        if without_case(name) in expected and not is_ignored(name):
            return True
    return False


def folder_itself(folder: Entry) -> StudentUploads:
    """Return the folder as one submission, named by its own name.

    Raise OSError or Refused if it cannot be read.
    """
    attempt = attempt_of(folder, folder.where)
    attempt = replace(attempt, source=attempt.source or Path(folder.where).name)
    return StudentUploads(identity=folder.name, attempts=(attempt,))


def one_in(folder: Entry, entry: Entry) -> StudentUploads:
    """Return a folder or file of a folder of submissions, named by its own name."""
    origin = f"{folder.where}/{entry.name}"
    if entry.is_folder:
        attempt = in_folder(entry, origin)
        return StudentUploads(identity=entry.name, attempts=(attempt,), doubt=dot_doubt(entry))
    return replace(lone_file(entry, origin), doubt=dot_doubt(entry))


def lone_file(entry: Entry, origin: str) -> StudentUploads:
    """Return a file as one submission, named by its own name without the ending."""
    name = entry.name
    if is_notebook(name):
        name = program_name(name)
    stem = without_program_ending(name).removesuffix(archive_suffix(name))
    attempt = Attempt(
        origin=origin,
        entries=(entry,),
        source=Path(origin).name,
        loose=True,
        parts=(entry.name,),
    )
    if entry.kind is EntryKind.LINK:
        problem = f"{safe_id(entry.name)} is a symbolic link, which is not followed"
        attempt = replace(attempt, entries=(), loose=False, problem=problem)
    attempt = accepted(attempt, entry.fault)
    return StudentUploads(identity=stem, attempts=(attempt,))


def possible_roots(folder: Entry) -> Iterator[Download]:
    """Yield a folder, and the nested folders that have no neighbours."""
    path = Path(folder.where)
    place = Download(path=path, folder=folder)
    for _ in range(_FOLDERS_AROUND):
        yield place
        inside = candidates_in(place.folder)
        if len(inside) != 1 or not inside[0].is_folder:
            return
        inner = inside[0]
        around = list(place.around)
        for entry in place.folder.everything(MAX_CLASS_ENTRIES):
            if entry.name != inner.name:
                around.append(entry)
        place = Download(path=path, folder=inner, around=tuple(around))
    yield place


def _is_clearly_one(folder: Entry, assignment: Assignment) -> bool:
    """Return whether an expected file, or only one file that may be graded, is in the folder."""
    return holds_expected_file(folder, assignment) or _is_lone_file(
        folder.entries(MAX_CLASS_ENTRIES)
    )


def _is_lone_file(entries: Sequence[Entry]) -> bool:
    candidates = [entry for entry in entries if may_be_one(entry)]
    return len(candidates) == 1 and not candidates[0].is_folder


def may_be_one(entry: Entry) -> bool:
    """Return whether an entry in a folder of submissions is probably a submission and not a note
    beside them."""
    if entry.kind is EntryKind.NOWHERE:
        return False
    is_program = entry.is_python or is_notebook(entry.name) or bool(archive_suffix(entry.name))
    return is_program or entry.kind in (EntryKind.FOLDER, EntryKind.LINK)


def candidates_in(folder: Entry) -> list[Entry]:
    """Return the entries in a folder of submissions that may be submissions, whatever their names.

    Raise OSError, or Refused for too many.
    """
    everything = folder.everything(MAX_CLASS_ENTRIES)
    return [entry for entry in everything if not _is_beside(entry) and may_be_one(entry)]


def _is_beside(entry: Entry) -> bool:
    """Return whether an entry in a folder of submissions is clearly not a submission."""
    if entry.kind is EntryKind.NOWHERE or is_left_behind(entry.name):
        return True
    return is_environment_folder(entry)


def dot_doubt(entry: Entry) -> str:
    """Return why a person must look at a submission of this name; "" if nobody must."""
    if not entry.name.startswith("."):
        return ""
    return f"its name begins with a dot, like a hidden file's ({shown_path(entry.name)})"
