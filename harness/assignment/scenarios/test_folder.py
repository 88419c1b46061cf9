"""The folder in which a test of the course's and the program that it uses run."""

from __future__ import annotations

from dataclasses import replace

from harness.assignment.test_files import uses_files
from harness.assignment.vocabulary import AssignmentSymbols
from harness.model.assignment import SourceFile
from harness.model.stimulus import Stimulus


def in_folder(stimulus: Stimulus, vocabulary: AssignmentSymbols) -> Stimulus:
    """Return the stimulus of a test with a folder, if the tests or the reference may use files."""
    tests = vocabulary.shape.tests
    if tests is None:
        return stimulus
    data = tuple(_read(vocabulary, name) for name in tests.data if _is_there(vocabulary, name))
    texts = [_read(vocabulary, name).data for name in tests.files if _is_there(vocabulary, name)]
    texts += [_read(vocabulary, name).data for name in tests.beside if _is_there(vocabulary, name)]
    texts += [file.data for file in vocabulary.reference]
    if not data and not any(uses_files(text) for text in texts):
        return stimulus
    return replace(stimulus, folder=True, files=data)


def _is_there(vocabulary: AssignmentSymbols, name: str) -> bool:
    return "/" not in name and (vocabulary.folder / name).is_file()


def _read(vocabulary: AssignmentSymbols, name: str) -> SourceFile:
    return SourceFile(name=name, data=(vocabulary.folder / name).read_bytes())
