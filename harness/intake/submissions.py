"""Stage 5, submission: the files of the selected attempt, or why there are none to grade."""

import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from harness.common.errors import UserError
from harness.common.escaping import visible
from harness.common.logs import logger_of
from harness.intake.archives.contents import kind_named, read_archive, same_name
from harness.intake.caps import MIB
from harness.intake.entries import (
    MAX_FILE_BYTES,
    Entry,
    EntryKind,
    RefusedUpload,
    archive_suffix,
    described,
    folder_at,
    intended_name,
    kind_of_bytes,
    listed,
    original_name,
    same_bytes,
    without_copy_mark,
)
from harness.intake.folders import files_in_folders, with_folders
from harness.intake.notebooks.finding import notebooks_among, notebooks_for
from harness.intake.notebooks.reading import NotebookProgram, is_notebook, read_notebook
from harness.intake.selecting import select_attempt, to_review
from harness.intake.terms import iso_time
from harness.intake.uploads import Attempt, StudentUploads, in_folder
from harness.model.assignment import Assignment, ExtraUse, OtherFiles, SourceFile
from harness.model.policy import MAX_SOURCE_BYTES
from harness.model.submission import (
    ARCHIVE_ENDINGS,
    MissingFiles,
    Renaming,
    Submission,
    Withheld,
    WrongFiles,
)

_log = logger_of(__name__)
MAX_ARCHIVE_BYTES = 32 * MIB
_MAX_EXTRA_BYTES = 2 * MIB  # of modules that were not asked for
_BESIDE = "__MACOSX"  # what macOS adds to an archive beside the folder that was packed


def submission_of(name: str, uploads: StudentUploads, assignment: Assignment) -> Submission:
    """Return the submission `name` of a member of the class."""
    attempt = select_attempt(uploads)
    if attempt.withheld is not None:
        attempt = replace(
            attempt, problem="", wrong_files=None
        )  # why it is withheld is what counts
    elif attempt.is_empty and attempt.left_out:
        note = f"only hidden or system files: {listed(attempt.left_out)}"
        attempt = to_review(_with_files(attempt, assignment), *attempt.notes, note)
    elif attempt.is_empty and uploads.student:
        notes = (*attempt.notes, "handed in without any file")
        attempt = replace(attempt, withheld=Withheld.NO_SUBMISSION, notes=notes)
    else:
        attempt = _graded(attempt, assignment)
    return _with_attempt(name, uploads, attempt)


def _with_attempt(name: str, uploads: StudentUploads, attempt: Attempt) -> Submission:
    """Return the submission of a student with the attempt that counts, which is ready to be graded,
    refused or withheld.
    """
    if attempt.problem:
        _log.info("refused %s: %s", visible(name), visible(attempt.problem))
    extended_to = ""
    if uploads.is_extended and uploads.due is not None:
        extended_to = iso_time(uploads.due)
    return Submission(
        id=name,
        files=attempt.files,
        origin=attempt.origin,
        problem=attempt.problem,
        notes=(*uploads.notes, *attempt.notes),
        student=uploads.student,
        handed_in=iso_time(attempt.at) if attempt.at else "",
        attempt=attempt.number if uploads.student else None,
        attempts=attempt.of if uploads.student else None,
        withheld=attempt.withheld,
        source=attempt.source,
        late=attempt.lateness if attempt.withheld is None else None,
        extended_to=extended_to,
        not_taken=attempt.not_taken,
        left_out=attempt.left_out,
        wrong_files=attempt.wrong_files,
        missing=attempt.missing,
        notebook=attempt.notebook,
    )


def held_for_review(name: str, uploads: StudentUploads, problem: str) -> Submission:
    """Return the submission `name`; nothing of it is graded until a person has seen it."""
    first = uploads.attempts[0] if uploads.attempts else Attempt(origin="")
    without_files = replace(
        first, entries=(), files=(), problem=problem, withheld=Withheld.NEEDS_REVIEW, lateness=None
    )
    return _with_attempt(name, uploads, without_files)


def read_one(folder: Path, assignment: Assignment, name: str) -> Submission:
    """Return the content of the folder as the submission `name`.

    A platform may have unpacked the expected archive: then its files are taken as they are, or
    those of its only folder. Raise UserError if it does not exist.
    """
    if not folder.is_dir():
        raise UserError("this folder does not exist", place=str(folder))
    attempt = in_folder(folder_at(folder), str(folder))
    expected = assignment.archive
    if expected and not any(entry.name == expected for entry in attempt.entries):
        assignment = replace(assignment, archive=None)
        packed = []
        for entry in attempt.entries:
            if entry.name != _BESIDE and not entry.name.startswith("."):
                packed.append(entry)
        if len(packed) == 1 and packed[0].is_folder:
            attempt = in_folder(packed[0], attempt.origin)
    attempt = replace(_graded(attempt, assignment), source="")
    return _with_attempt(name, StudentUploads(identity=name, attempts=(attempt,)), attempt)


def program_files(attempt: Attempt, assignment: Assignment) -> list[Entry]:
    """Return the Python files of an attempt, also those in its archive and folders."""
    entries = _unpacked(attempt, assignment).entries
    every = (*entries, *files_in_folders(entries)[0])
    return [entry for entry in every if entry.is_python and not entry.is_folder]


def _with_files(attempt: Attempt, assignment: Assignment) -> Attempt:
    """Return the attempt with the expected files, or with the problem; no other file is read.

    If several files are expected, an unreadable one is missing, with a note.
    """
    attempt = with_folders(_unpacked(attempt, assignment), assignment)
    if attempt.problem:
        return attempt
    try:
        return _chosen(attempt, assignment)
    except RefusedUpload as refusal:
        return replace(
            attempt, problem=str(refusal), ours=refusal.ours, wrong_files=refusal.wrong_files
        )


def _graded(attempt: Attempt, assignment: Assignment) -> Attempt:
    """Return the attempt with its files. Withhold it for a person if the problem is ours, or if
    the course wants to see submissions of other files itself."""
    attempt = _with_files(attempt, assignment)
    if attempt.problem and (attempt.ours or assignment.otherwise is OtherFiles.REVIEW):
        return replace(attempt, withheld=Withheld.NEEDS_REVIEW)
    return attempt


def _unpacked(attempt: Attempt, assignment: Assignment) -> Attempt:
    """Return the attempt with the files of the expected archive instead of those beside it.

    Without an archive, expected files are taken, with a note. Without either, everything stays as
    it is, and `_chosen` names the expected one.
    """
    expected = assignment.archive
    if expected is None or attempt.problem:
        return attempt
    archive = _archive(attempt, expected)
    loose = _loose_files(attempt, assignment)
    if archive is None:
        if not loose:
            return attempt
        note = f"{listed(loose)} {_were(loose)} handed in without {expected}"
        return replace(attempt, notes=(*attempt.notes, note))
    notes = list(attempt.notes)
    if archive.name != expected:
        notes.append(f"{archive.label} was read as {expected}")
    if loose:
        notes.append(f"{listed(loose)} beside {archive.label} {_were(loose)} not read")
    try:
        if archive.kind is EntryKind.LINK:
            raise RefusedUpload("is a symbolic link, which is not followed")
        if archive.kind is not EntryKind.FILE:
            raise RefusedUpload(f"is a {archive.kind}, expected {kind_named(expected)}")
        stream = io.BytesIO(archive.load(MAX_ARCHIVE_BYTES))
        archived = read_archive(stream, kind_named(expected))
    except RefusedUpload as refusal:
        return replace(attempt, problem=f"{archive.label} {refusal}", ours=refusal.ours)
    if archived.has_backslashes:
        notes.append(f"backslashes in {archive.label} were read as folders")
    if archived.faults:
        fault = archived.faults[0]
        if len(archived.faults) > 1:
            fault += f" (and {len(archived.faults) - 1} more)"
        notes.append(f"{archive.label} {fault}: the rest of it was read")
    return replace(
        attempt,
        entries=archived.entries,
        inside=archive.label,
        inside_fault=next(iter(archived.faults), ""),
        loose=False,
        left_out=(*attempt.left_out, *archived.left_out),
        notes=tuple(notes),
    )


def _loose_files(attempt: Attempt, assignment: Assignment) -> list[str]:
    """Return the labels of files outside the archive that may be meant to be graded."""
    any_name = attempt.loose or assignment.laid_as is not None
    labels = []
    for entry in attempt.entries:
        if entry.name in assignment.submission_files or (any_name and entry.is_python):
            labels.append(entry.label)
    return labels


def _archive(attempt: Attempt, expected: str) -> Entry | None:
    """Return the entry of that name, or its only copy, or the only archive, which may be named
    after its student.
    """
    copies: list[Entry] = []
    for entry in attempt.entries:
        if entry.name == expected:
            return entry
        if original_name(entry.name, (expected,)) == expected:
            copies.append(entry)
    if len(copies) == 1:
        return copies[0]
    ending = next(end for end in ARCHIVE_ENDINGS if expected.endswith(end))
    if attempt.loose and attempt.entries[0].name.lower().endswith(ending):
        return attempt.entries[0]
    return None


def _chosen(attempt: Attempt, assignment: Assignment) -> Attempt:
    """Return the attempt with the expected files among its entries.

    Raise Refused if there is none.
    """
    expected = assignment.submission_files
    found = _found(attempt, assignment)
    if assignment.laid_as or (attempt.loose and len(expected) == 1):
        found = _of_any_name(attempt, assignment, found)
        expected = tuple(found)
    is_complete = bool(found) and all(name in found for name in expected)
    if attempt.inside_fault and not is_complete:  # it may be the missing file
        raise RefusedUpload(f"{attempt.inside} {attempt.inside_fault}")
    if not found:
        raise _wrong_names(attempt, assignment)
    files, notebooks, refusals = _readable(found, attempt)
    if not files:
        raise RefusedUpload(refusals[0])
    notes = [*attempt.notes, *_notes_on_places(found, attempt, assignment)]
    for program in notebooks:
        notes += program.notes
    if assignment.laid_as is None:
        for name, entry in found.items():
            notes += _copies_beside(name, entry, attempt, tuple(found))
    notes += refusals
    missing = [name for name in expected if name not in found]
    others = [entry for entry in _python_of(attempt) if entry.name not in expected]
    if missing:
        notes.append(_note_on_missing(missing, others))
    beside = _modules_beside(attempt, list(found.values()), expected)
    extra, not_taken = extra_modules(beside, assignment)
    _refuse_extra(not_taken, assignment, list(found))
    modules, of_modules = _loaded(extra, attempt)
    _refuse_large_modules(modules, found)
    files += modules
    notes += of_modules
    names = tuple(sorted({entry.name for entry in not_taken}))
    attempt = replace(
        attempt,
        files=tuple(files),
        notebook=notebooks[0].notebook if notebooks and len(expected) == 1 else None,
        not_taken=names,
        notes=tuple(notes),
    )
    if missing and not others:
        attempt = replace(attempt, missing=MissingFiles(names=tuple(missing)))
    return attempt


def _refuse_large_modules(modules: Sequence[SourceFile], found: Collection[str]) -> None:
    """Raise Refused if the student's modules beside the expected files are too large together."""
    if sum(len(file.data) for file in modules) > _MAX_EXTRA_BYTES:
        what = f"more than {_MAX_EXTRA_BYTES // 1024} KiB of modules"
        problem = f"found {what} beside {listed(list(found))}"
        raise RefusedUpload(problem, wrong_files=WrongFiles())


def _found(attempt: Attempt, assignment: Assignment) -> dict[str, Entry]:
    """Return the entries of the expected files, by their names, without missing files.

    A notebook replaces an expected file that is missing.
    """
    found = {}
    expected = assignment.submission_files
    for name in expected:
        entry = _named(attempt, name, expected) or _notebook_for(name, attempt, assignment)
        if entry is not None:
            found[name] = entry
    return found


def _notebook_for(name: str, attempt: Attempt, assignment: Assignment) -> Entry | None:
    """Return the notebook that replaces this expected file. Raise Refused if several notebooks
    may."""
    candidates = notebooks_for(name, attempt.entries, assignment)
    if len(candidates) > 1 and not same_bytes(candidates):
        raise _ambiguous(candidates, attempt, name)
    return candidates[0] if candidates else None


def _readable(
    found: Mapping[str, Entry], attempt: Attempt
) -> tuple[list[SourceFile], list[NotebookProgram], list[str]]:
    """Return the readable files, those of them that are notebooks, and the reasons why the others
    cannot be read.

    Raise Refused if an unreadable file is not the student's fault.
    """
    files: list[SourceFile] = []
    notebooks: list[NotebookProgram] = []
    refusals: list[str] = []
    for name, entry in found.items():
        try:
            if is_notebook(entry.name):
                notebooks.append(read_notebook(entry, name))
                files.append(notebooks[-1].file)
            else:
                files.append(_load(entry, name, attempt))
        except RefusedUpload as refusal:
            if refusal.ours:
                raise
            refusals.append(str(refusal))
    return files, notebooks, refusals


def _notes_on_places(
    found: Mapping[str, Entry], attempt: Attempt, assignment: Assignment
) -> Iterator[str]:
    """Yield notes about graded files that lie in folders or have another name."""
    in_folders = [entry for entry in found.values() if entry.folder]
    if in_folders:
        where = f"a folder inside {attempt.inside}" if attempt.inside else "a folder"
        yield f"{described(in_folders)} {_were(in_folders)} in {where}"
    for name, entry in found.items():
        is_renamed = entry.name not in (name, *assignment.submission_files)
        if is_renamed and not is_notebook(entry.name):
            yield f"{entry.label} was graded as {name}"


def _python_of(attempt: Attempt) -> list[Entry]:
    return [entry for entry in attempt.entries if entry.is_python]


def _note_on_missing(missing: Sequence[str], others: Sequence[Entry]) -> str:
    """Return the note about expected files that are missing, with the names of other programs."""
    note = MissingFiles(names=tuple(missing)).note
    if others:
        note += f", but {described(others)}"
    return note


def _modules_beside(
    attempt: Attempt, taken: Sequence[Entry], expected: Sequence[str]
) -> list[Entry]:
    """Return the modules beside a graded file, in the folder from which it would import them."""
    folders = {entry.folder for entry in taken}
    beside: list[Entry] = []
    for entry in attempt.entries:
        is_module = entry.is_python and entry.kind is EntryKind.FILE
        is_copy = entry.name in expected or original_name(entry.name, expected) is not None
        if is_module and entry.folder in folders and entry not in taken and not is_copy:
            beside.append(entry)
    return beside


def extra_modules(
    beside: Sequence[Entry], assignment: Assignment
) -> tuple[dict[str, list[Entry]], list[Entry]]:
    """Return the modules that the assignment allows, by their names in imports, and all others.

    With a module come its numbered copies. A numbered file without the module is the name that a
    platform or browser made of the module.
    """
    taken: dict[str, list[Entry]] = {}
    copies: dict[str, list[Entry]] = {}
    others: list[Entry] = []
    for entry in beside:
        original = without_copy_mark(entry.name)
        if assignment.use_of_extra(entry.name) is ExtraUse.ALLOW:
            taken.setdefault(entry.name, []).append(entry)
        elif assignment.use_of_extra(original) is ExtraUse.ALLOW:
            copies.setdefault(original, []).append(entry)
        else:
            others.append(entry)
    for name, entries in copies.items():
        if name in taken or len(entries) == 1:
            taken.setdefault(name, []).extend(entries)
        else:
            others += entries
    return taken, others


def _refuse_extra(entries: Sequence[Entry], assignment: Assignment, files: Sequence[str]) -> None:
    """Refuse the submission if the assignment refuses one of these modules."""
    refused = [entry for entry in entries if assignment.use_of_extra(entry.name) is ExtraUse.REFUSE]
    if refused:
        problem = f"found {described(refused)} beside {listed(files)}; only these are accepted"
        raise RefusedUpload(problem, wrong_files=WrongFiles())


def _loaded(
    extra: Mapping[str, list[Entry]], attempt: Attempt
) -> tuple[list[SourceFile], list[str]]:
    """Return these modules and notes about them; an unreadable one is missing, with a note."""
    files: list[SourceFile] = []
    notes: list[str] = []
    for name, entries in extra.items():
        try:
            files.append(_load(entries[0], name, attempt))
        except RefusedUpload as refusal:
            if refusal.ours:
                raise
            notes.append(str(refusal))
        else:
            notes += _copies_of_extra(name, entries, attempt)
    return files, notes


def _copies_of_extra(name: str, entries: Sequence[Entry], attempt: Attempt) -> list[str]:
    """Return a note about the copies of a module that is taken.

    Raise Refused if one of them may be meant.
    """
    first, *copies = entries
    if not copies and first.name == name:
        return []
    if not copies:
        return [f"{first.label} was taken as {name}"]
    if not same_bytes(entries):
        raise _ambiguous(entries, attempt, name)
    return [f"{described(copies)} {_were(copies)} not taken: the same as {first.label}"]


def _of_any_name(
    attempt: Attempt, assignment: Assignment, found: Mapping[str, Entry]
) -> dict[str, Entry]:
    """Return the file with the expected name, otherwise the only Python file; empty if there are
    several.
    """
    laid_as = assignment.laid_as or assignment.submission_files[0]
    named = list(found.values())
    as_laid = _named(attempt, laid_as, (laid_as,))
    if as_laid is not None and as_laid not in named:
        named.append(as_laid)
    candidates = named or _python_of(attempt) or notebooks_among(attempt.entries, assignment)
    if len(candidates) != 1:
        return {}
    return {laid_as: candidates[0]}


def _named(attempt: Attempt, name: str, expected: Sequence[str]) -> Entry | None:
    """Return the entry with the name `name`, otherwise the only copy of it.

    Raise Refused if several entries match; in an archive also if several names are equal on some
    systems.
    """
    candidates = [entry for entry in attempt.entries if entry.name == name]
    if not candidates:
        candidates = _in_place_of(name, attempt.entries, expected)
    elif attempt.inside:
        candidates = [entry for entry in attempt.entries if same_name(entry.name, name)]
    elif len(candidates) > 1 and len({entry.folder for entry in candidates}) == 1:
        problem = f"found {len(candidates)} files named {name}"
        raise RefusedUpload(problem, ours=True, wrong_files=WrongFiles())
    if len(candidates) > 1:
        raise _ambiguous(candidates, attempt, name)
    return candidates[0] if candidates else None


def _copies_of(name: str, entries: Sequence[Entry], expected: Sequence[str]) -> list[Entry]:
    """Return the entries whose names are copies of `name`, one of the expected names."""
    return _files_meant(name, entries, lambda written: original_name(written, expected))


def _in_place_of(name: str, entries: Sequence[Entry], expected: Sequence[str]) -> list[Entry]:
    """Return the entries that may be meant by the expected `name`, which no entry has."""
    copies = _copies_of(name, entries, expected)
    if copies:
        return copies
    return _files_meant(name, entries, lambda written: intended_name(written, expected))


def _files_meant(
    name: str, entries: Sequence[Entry], meaning: Callable[[str], str | None]
) -> list[Entry]:
    """Return the files whose names mean this one."""
    files: list[Entry] = []
    for entry in entries:
        if not entry.is_folder and meaning(entry.name) == name:
            files.append(entry)
    return files


def _copies_beside(name: str, entry: Entry, attempt: Attempt, expected: Sequence[str]) -> list[str]:
    """Return a note about the copies of a graded file.

    Raise Refused if one of them may be meant.
    """
    copies = [copy for copy in _copies_of(name, attempt.entries, expected) if copy is not entry]
    if not copies:
        return []
    if not same_bytes([entry, *copies]):
        raise _ambiguous([entry, *copies], attempt, name)
    return [f"{described(copies)} {_were(copies)} not graded: the same as {entry.label}"]


def _ambiguous(candidates: Sequence[Entry], attempt: Attempt, name: str) -> RefusedUpload:
    """Return the refusal because several files may be meant.

    If they are in one folder, a person must choose, because platforms and browsers number files
    too. If they are in several folders, the student made them.
    """
    where = f" in {attempt.inside}" if attempt.inside else ""
    what = f"found {described(candidates)}{where}, expected one file {name}"
    folders = {candidate.folder for candidate in candidates}
    return RefusedUpload(what, ours=len(folders) == 1, wrong_files=WrongFiles())


def _were(things: Sequence[object]) -> str:
    return "was" if len(things) == 1 else "were"


def _load(entry: Entry, laid_as: str, attempt: Attempt) -> SourceFile:
    name = f"{entry.label} in {attempt.inside}" if attempt.inside else entry.label
    if entry.kind is EntryKind.LINK:
        raise RefusedUpload(f"{name} is a symbolic link, which is not followed")
    if entry.kind is not EntryKind.FILE:
        raise RefusedUpload(f"{name} is a {entry.kind.value}, not a file")
    try:
        data = entry.load(MAX_SOURCE_BYTES if laid_as.endswith(".py") else MAX_FILE_BYTES)
    except RefusedUpload as refusal:
        raise RefusedUpload(f"{name} {refusal}", ours=refusal.ours) from None
    if laid_as.endswith(".py") and (kind := kind_of_bytes(data)):
        problem = f"found {kind} named {name}, expected a Python file"
        raise RefusedUpload(problem, wrong_files=WrongFiles())
    return SourceFile(name=laid_as, data=data)


def _wrong_names(attempt: Attempt, assignment: Assignment) -> RefusedUpload:
    """Return the refusal that none of the expected files is there."""
    files = assignment.submission_files or (assignment.laid_as or "",)
    archive = None if attempt.inside else assignment.archive
    what = archive or listed(files)
    where = f" in {attempt.inside}" if attempt.inside else ""
    python = _python_of(attempt)
    packed: list[Entry] = []
    if archive:
        packed += (entry for entry in attempt.entries if archive_suffix(entry.name))
    shown = packed or python or attempt.entries
    if not shown and not attempt.inside:
        return RefusedUpload(f"no file {what}", wrong_files=WrongFiles())
    problem = f"found {described(shown) or 'no file'}{where}, expected {what}"
    wrong = WrongFiles()
    if not attempt.inside and len(shown) == 1 and shown == python and what.endswith(".py"):
        (only,) = shown
        if len(files) == 1:
            wrong = WrongFiles(renaming=Renaming(found=only.label, expected=what))
    return RefusedUpload(problem, wrong_files=wrong)
