"""Choose which tests become scenarios: their scenarios are valid, and the reference passes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from harness.common.errors import UserError
from harness.grading.observing.answer_key import CheckName
from harness.grading.validation.validate import validate
from harness.packaging.scaffold.first_scenarios import First, unwritten
from harness.packaging.scaffold.parts import mutants_file, text_of
from harness.packaging.scaffold.recording.expressions import NotRecordedError
from harness.packaging.scaffold.recording.scenario import Recorded
from harness.packaging.scaffold.recording.test_file import KeptTest, RecordedTest
from harness.packaging.scaffold.trying import loaded, prepared

# Problems of an assignment that no test can help.
_NOT_OF_TESTS = (CheckName.FLOATS, CheckName.MUTANTS, CheckName.CAUSES, CheckName.COVERAGE)
_MAX_ROUNDS = 3

FilesOf = Callable[["Recording"], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True)
class _StatedTest:
    """A scenario, and its keys and values in YAML."""

    recorded: Recorded
    keys: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A test, and the scenarios that replace it."""

    test: RecordedTest
    stated: tuple[_StatedTest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """The result of converting tests: those that became scenarios, and those that stay tests."""

    chosen: tuple[_Chosen, ...] = ()
    kept: tuple[KeptTest, ...] = ()

    @property
    def scenarios(self) -> int:
        return sum(len(chosen.stated) for chosen in self.chosen)

    @property
    def tests(self) -> tuple[tuple[str, str], ...]:
        """Return the file and the name of each test that became a scenario."""
        return tuple(chosen.test.key for chosen in self.chosen)

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the functions and programs that the scenarios test. Each becomes a clause."""
        names: dict[str, None] = {}
        for chosen in self.chosen:
            for scenario in chosen.stated:
                names[scenario.recorded.function] = None
        return tuple(names)

    def files(self) -> dict[str, bytes]:
        """Return the scenario files by name, one for each test file."""
        lines_of: dict[str, list[str]] = {}
        for chosen in self.chosen:
            name = _file_name(chosen.test.file)
            lines = lines_of.setdefault(name, ["scenarios:"])
            for scenario in chosen.stated:
                lines += scenario.recorded.lines(scenario.keys)
        return {name: text_of(lines) for name, lines in lines_of.items()}

    def without(self, whys: Mapping[tuple[str, str], str]) -> Recording:
        """Return a copy in which these tests stay tests.

        `whys` has the reason by file and name of the test.
        """
        chosen = [entry for entry in self.chosen if entry.test.key not in whys]
        kept = [KeptTest(file, test, why) for (file, test), why in whys.items()]
        return Recording(chosen=tuple(chosen), kept=(*self.kept, *kept))


def _file_name(test_file: str) -> str:
    """Return the name of the scenario file for a test file.

    The name includes the test file's folders, because two folders may have a file of the same name.
    """
    return "_".join(PurePosixPath(test_file).with_suffix("").parts) + "_recorded.yaml"


def mutants_of(names: Sequence[str], reference: Mapping[str, bytes]) -> bytes:
    """Return mutants.yaml with one mutant for each of these functions or programs: its body is
    missing.
    """
    changes: dict[str, First] = {}
    for file, data in reference.items():
        for first in unwritten(file, data):
            changes.setdefault(first.name, first)
    return mutants_file(changes[name] for name in names if name in changes)


def choose(
    tests: Sequence[RecordedTest], kept: Sequence[KeptTest], files_of: FilesOf, assignment_id: str
) -> Recording:
    """Return which tests become scenarios.

    `files_of` returns the files of a whole assignment with given scenarios. Each scenario is
    validated, and tried on the reference.
    """
    recording = Recording(kept=tuple(kept))
    taken: set[tuple[str, str]] = set()
    for test in tests:
        try:
            stated = tuple(_readable(test, files_of, assignment_id, taken))
        except NotRecordedError as error:
            recording = recording.without({test.key: str(error)})
            continue
        recording = replace(recording, chosen=(*recording.chosen, _Chosen(test, stated)))
    for _ in range(_MAX_ROUNDS):
        whys = dict(_unsound(recording, files_of, assignment_id))
        if not whys:
            break
        recording = recording.without(whys)
    return recording


def _readable(
    test: RecordedTest, files_of: FilesOf, assignment_id: str, taken: set[tuple[str, str]]
) -> Iterator[_StatedTest]:
    """Yield the test's scenarios, each in the first form that is a valid scenario.

    Raise NotRecordedError if no form is valid.
    """
    for recorded in test.scenarios:
        recorded.name = _free_name(recorded.name, test.file, taken)
        why = ""
        for keys in recorded.forms():
            stated = _StatedTest(recorded, keys)
            chosen = _Chosen(test, (stated,))
            alone = Recording(chosen=(chosen,))
            why = _why_not_read(files_of(alone), assignment_id)
            if not why:
                yield stated
                break
        if why:
            raise NotRecordedError(why)


def _free_name(wanted: str, file: str, taken: set[tuple[str, str]]) -> str:
    """Return a name that no scenario of this file has yet, and add it to `taken`."""
    number = 1
    name = wanted
    while (file, name.lower()) in taken:
        number += 1
        name = f"{wanted} ({number})"
    taken.add((file, name.lower()))
    return name


def _why_not_read(files: Mapping[str, bytes], assignment_id: str) -> str:
    """Return the reason why the files are not a valid assignment; empty if they are one."""
    try:
        loaded(files, assignment_id)
    except UserError as error:
        return error.what
    return ""


def _unsound(
    recording: Recording, files_of: FilesOf, assignment_id: str
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each test whose scenario has a problem in `harness validate`, with the problem."""
    if not recording.chosen:
        return
    try:
        context = prepared(files_of(recording), assignment_id)
    except UserError as error:
        yield from _unsound_alone(recording, files_of, assignment_id, error)
        return
    tests: dict[tuple[str, str], tuple[str, str]] = {}
    for chosen in recording.chosen:
        file_name = _file_name(chosen.test.file)
        for entry in chosen.stated:
            tests[file_name, entry.recorded.name] = chosen.test.key
    test_of: dict[str, tuple[str, str]] = {}
    for scenario in context.specification.plan.scenarios:
        file_name = PurePosixPath(scenario.place.file).name
        test = tests.get((file_name, scenario.name))
        if test is not None:
            test_of[scenario.id] = test
    report = validate(context, (), jobs=1)
    for problem in report.problems:
        if problem.check not in _NOT_OF_TESTS and problem.scenario in test_of:
            yield test_of[problem.scenario], problem.reason or problem.message


def _unsound_alone(
    recording: Recording, files_of: FilesOf, assignment_id: str, error: UserError
) -> Iterator[tuple[tuple[str, str], str]]:
    """Find the tests because of which the reference cannot be run with all scenarios (`error`).

    Try the scenarios of each test separately. Yield the tests for which that fails, with the
    reason.
    """
    if len(recording.chosen) == 1:
        yield recording.chosen[0].test.key, str(error)
        return
    for chosen in recording.chosen:
        alone = replace(recording, chosen=(chosen,))
        try:
            prepared(files_of(alone), assignment_id)
        except UserError as own:
            yield chosen.test.key, str(own)
