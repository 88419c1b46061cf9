"""Prepares the folder in which a course test and the program under test run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from harness.assignment.symbols import AssignmentSymbols
from harness.assignment.test_files import uses_files
from harness.model.assignment import SourceFile
from harness.model.stimulus import Stimulus


def in_folder(stimulus: Stimulus, symbols: AssignmentSymbols) -> Stimulus:
    """Return the stimulus with a folder of files, if the tests or the reference may use files."""
    tests = symbols.shape.tests
    if tests is None:
        return stimulus
    data = tuple(_read(symbols, tests.data))
    files = [*_read(symbols, tests.files), *_read(symbols, tests.beside)]
    texts = [file.data for file in (*files, *symbols.reference)]
    if not data and not any(uses_files(text) for text in texts):
        return stimulus
    return replace(stimulus, folder=True, files=data)


def _read(symbols: AssignmentSymbols, names: Iterable[str]) -> Iterator[SourceFile]:
    """Yield the files that exist."""
    for name in names:
        path = symbols.folder / name
        if path.is_file():
            yield SourceFile(name=name, data=path.read_bytes())
