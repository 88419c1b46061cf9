"""From what was handed in to the files that are graded, or one sentence about what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from harness.intake.entries import Entry, EntryKind, Refused
from harness.intake.identity import safe_id
from harness.intake.layout import Found
from harness.model.plan import Assignment, SourceFile

_NAMES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The files to grade, under the names they are laid as; or the `problem`."""

    files: tuple[SourceFile, ...] = ()
    problem: str = ""
    notes: tuple[str, ...] = ()


def choose(found: Found, assignment: Assignment) -> Chosen:
    """Take the expected files and no others; whatever else was handed in is not read."""
    if found.problem:
        return Chosen(problem=found.problem)
    expected = assignment.submission_files
    by_name = {entry.name: entry for entry in found.entries}
    wanted = [name for name in expected if name in by_name]
    if assignment.laid_as or (found.loose and len(expected) == 1):
        return _one_file(found, assignment, wanted)
    if not wanted:
        return Chosen(problem=_wrong_names(found, expected))
    try:
        files = tuple(_load(by_name[name], name) for name in wanted)
    except Refused as refusal:
        return Chosen(problem=str(refusal))
    missing = [name for name in expected if name not in by_name]
    notes = (f"no file {_listed(missing)} was handed in",) if missing else ()
    return Chosen(files=files, notes=notes)


def _one_file(found: Found, assignment: Assignment, wanted: list[str]) -> Chosen:
    """A file of any name: the only one handed in, or the one that is named as expected."""
    laid_as = assignment.laid_as or assignment.submission_files[0]
    candidates = [e for e in found.entries if e.name in wanted or e.name == laid_as]
    candidates = candidates or [entry for entry in found.entries if entry.is_python]
    if len(candidates) != 1:
        return Chosen(problem=_wrong_names(found, assignment.submission_files or (laid_as,)))
    entry = candidates[0]
    try:
        file = _load(entry, laid_as)
    except Refused as refusal:
        return Chosen(problem=str(refusal))
    own_name = entry.name in (laid_as, *assignment.submission_files)
    notes = () if own_name else (f"{safe_id(entry.name)} was graded as {laid_as}",)
    return Chosen(files=(file,), notes=notes)


def _load(entry: Entry, laid_as: str) -> SourceFile:
    name = safe_id(entry.name)
    if entry.kind is EntryKind.LINK:
        raise Refused(f"{name} is a symbolic link, which is not followed")
    if entry.kind is not EntryKind.FILE:
        raise Refused(f"{name} is a {entry.kind.value}, not a file")
    try:
        return SourceFile(name=laid_as, data=entry.load())
    except Refused as refusal:
        raise Refused(f"{name} {refusal}") from None


def _wrong_names(found: Found, expected: tuple[str, ...]) -> str:
    wanted = _listed(expected)
    python = [entry.name for entry in found.entries if entry.is_python]
    names = python or [entry.name for entry in found.entries]
    if not names:
        return f"no file {wanted}"
    return f"found {_listed([safe_id(name) for name in names])}, expected {wanted}"


def _listed(names: list[str] | tuple[str, ...]) -> str:
    shown = list(names[:_NAMES_SHOWN])
    if len(names) > _NAMES_SHOWN:
        shown.append(f"{len(names) - _NAMES_SHOWN} more")
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]
