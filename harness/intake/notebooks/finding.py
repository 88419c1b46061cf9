"""Find the notebook that stands for an expected file."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from harness.intake.entries import Entry, intended_name
from harness.intake.notebooks.reading import is_notebook, program_name
from harness.model.assignment import Assignment


def may_stand_for(entry: Entry, assignment: Assignment) -> bool:
    """Return whether a file is a notebook that may replace one of the expected files."""
    if not assignment.takes_notebooks or entry.is_folder:
        return False
    return any(_is_meant(entry, name, assignment) for name in assignment.submission_files)


def notebooks_for(name: str, entries: Iterable[Entry], assignment: Assignment) -> list[Entry]:
    """Return the notebooks that may be meant by this expected name: those with exactly this
    name, otherwise copies of them."""
    if not assignment.takes_notebooks:
        return []
    meant: list[Entry] = []
    for entry in entries:
        if not entry.is_folder and _is_meant(entry, name, assignment):
            meant.append(entry)
    exact = [entry for entry in meant if program_name(entry.name) == name]
    return exact or meant


def notebooks_among(entries: Iterable[Entry], assignment: Assignment) -> list[Entry]:
    """Return all notebooks, if the assignment takes any."""
    if not assignment.takes_notebooks:
        return []
    return [entry for entry in entries if is_notebook(entry.name) and not entry.is_folder]


def _is_meant(entry: Entry, name: str, assignment: Assignment) -> bool:
    if not is_notebook(entry.name):
        return False
    written = program_name(entry.name)
    expected: Collection[str] = assignment.submission_files
    return written == name or intended_name(written, expected) == name
