"""Compares the files that are in the scenario's folder after the run."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from harness.judging.compare.mismatch import ValueMismatch
from harness.matchers.kinds.values import AnyValue, Exactly
from harness.model.expectation import Expectation, Matcher, TextRules
from harness.model.observation import Observation
from harness.model.stimulus import Stimulus
from harness.model.values import NONE, Value, ValueKind, file_value, folder_value
from harness.model.verdict import Channel


def written_mismatches(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[ValueMismatch]:
    """Yield a mismatch for every file that differs, ordered by name; `actual` is None for a
    missing file.
    """
    if not stimulus.folder or expectation.stated.writes_any:
        return
    rules = expectation.stated.rules
    actual = {file.name: file.value for file in observation.files}
    expected = expected_files(expectation, stimulus)
    if expected is None:
        expected = _stated_files(expectation)
        names = set(expected)
    else:
        names = {*expected, *actual}
    for name in sorted(names):
        matcher, value = expected.get(name), actual.get(name)
        if matcher is None or not _is_accepted(matcher, value, rules):
            yield ValueMismatch(channel=Channel.WRITES, expected=matcher, actual=value, name=name)


def _is_accepted(matcher: Matcher, value: Value | None, rules: TextRules) -> bool:
    if value is None and isinstance(matcher, AnyValue):
        return False  # a named file must exist, unless {one_of: [null, …]} allows it to be missing
    if value is not None and value.kind is ValueKind.STR:
        return matcher.accepts_text(value.text, rules)
    return matcher.accepts(value or NONE)


def expected_files(expectation: Expectation, stimulus: Stimulus) -> dict[str, Matcher] | None:
    """Return the expected content of every file, keyed by name; None if only the files that the
    scenario states are compared.
    """
    values = _values_of_files(expectation, stimulus)
    if values is None:
        return None
    expected: dict[str, Matcher] = {}
    for name, value in values.items():
        expected[name] = Exactly(value=value)
    expected.update(_stated_files(expectation))
    return expected


def _values_of_files(expectation: Expectation, stimulus: Stimulus) -> dict[str, Value] | None:
    """Return the content of each file if the scenario states nothing else; None if it is
    unknown.
    """
    stated, reference = expectation.stated, expectation.reference
    given = given_files(stimulus)
    if stated.writes_unchanged:
        return given
    made: dict[str, Value] = {}
    if reference is not None:
        made = {file.name: file.value for file in reference.files}
    if stated.writes_only is not None:
        for name in stated.writes_only:
            if name in made:
                given[name] = made[name]
                given.update(_folders_of(name))
        return given
    if reference is None:
        return None
    return made


def given_files(stimulus: Stimulus) -> dict[str, Value]:
    """Return the initial content of the scenario's folder, with subfolders, keyed by path."""
    given: dict[str, Value] = {}
    for file in stimulus.files:
        given[file.name] = file_value(file.data)
        given.update(_folders_of(file.name))
    return given


def _folders_of(name: str) -> dict[str, Value]:
    """Return the folders in a file's path, as entries like those of `given_files`."""
    folders = [folder for folder in PurePosixPath(name).parents if folder.name]
    return {folder.as_posix(): folder_value() for folder in folders}


def _stated_files(expectation: Expectation) -> dict[str, Matcher]:
    return {leave.name: leave.value for leave in expectation.stated.writes}
