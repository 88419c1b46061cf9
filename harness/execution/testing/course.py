"""Runs one of the course's tests in its own process, beside the program's process.

Passes messages between the two, and records the test's actions and outcome.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path

from harness.common.errors import HarnessError, UserError
from harness.common.escaping import plain
from harness.execution.folder import ScenarioFolder
from harness.execution.inside.messages.protocol import (
    MAX_MESSAGE,
    MAX_NAME,
    CourseTestJob,
    FromTests,
    split,
)
from harness.execution.protocol.answers import Answerable
from harness.execution.protocol.jobs import main_file, process_limits, tool_modules
from harness.execution.protocol.replies import RaisedReply, TamperedError, read_as
from harness.execution.stand_in_process import (
    StandInProcess,
    StandInUnusableError,
    folder_is_full,
)
from harness.execution.testing.documented import documented_tests
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import CourseTestOutcome, CourseTestResult, Ending, Observation
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.test import CourseTest

# A test's own process gets at least these limits. Its output is not shown.
_LEAST = Limits(cpu_seconds=10.0, wall_seconds=30.0, memory_mib=512, output_kib=0)
MAX_SOURCE = 500  # characters
END = b'{"do":"end","with":[],"changed":[]}'
_OURS = (
    "acts",
    "client",
    "files",
    "imports",
    "proxies",
    "sending",
    "suite",
    "surroundings",
    "testing",
)  # modules of `inside.remote` that only tests need
_PACKAGES = ("pytest", "_pytest", "pluggy", "iniconfig", "packaging")
# The modules of Pygments that pytest imports.
_OF_PYGMENTS = (
    "__init__", "console", "filter", "filters/__init__", "formatter", "formatters/__init__",
    "formatters/_mapping", "formatters/terminal", "lexer", "lexers/__init__", "lexers/_mapping",
    "lexers/diff", "lexers/python", "modeline", "plugin", "regexopt", "style", "styles/__init__",
    "styles/_mapping", "token", "unistring", "util",
)  # fmt: skip


@cache
def _sources() -> Mapping[str, str]:
    """Return the source texts of pytest's modules and of our modules that use pytest, by name.

    Raise UserError if pytest is not installed.
    """
    texts: dict[str, str] = {}
    for package in _PACKAGES:
        folder = _folder(package)
        for path in sorted(folder.rglob("*.py")):
            texts[_module_name(package, path.relative_to(folder))] = path.read_text("utf-8")
    texts["py"] = (_folder("_pytest").parent / "py.py").read_text("utf-8")
    folder = _folder("pygments")
    for name in _OF_PYGMENTS:
        path = Path(f"{name}.py")
        texts[_module_name("pygments", path)] = (folder / path).read_text("utf-8")
    ours = resources.files("harness.execution").joinpath("inside", "remote")
    for name in _OURS:
        texts[f"inside.remote.{name}"] = ours.joinpath(f"{name}.py").read_text("utf-8")
    return texts


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        what = f"tests: needs pytest, and {package} is not installed"
        raise UserError(what, hint="pip install pytest")
    return Path(spec.origin).parent


def _module_name(package: str, path: Path) -> str:
    parts = [package, *path.with_suffix("").parts]
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def tests_setup(assignment: Assignment, interpreter: object) -> dict[str, object]:
    """Return the setup of the server for an assignment's tests.

    It contains nothing of a student.
    """
    modules = [name.removesuffix(".py") for name in _program_names(assignment)]
    return {
        "pytest": tool_modules(interpreter, _sources(), "tests"),  # type: ignore[arg-type]
        "tests": [(file.name, file.data) for file in assignment.test_files],
        "modules": modules,
        "sent_names": (assignment.sent_names.objects, assignment.sent_names.modules),
        "writes": assignment.writes_files,
        "are_handed_in": False,
        "limits": None,  # the tests are the course's
    }


def tests_key(assignment: Assignment) -> Hashable:
    """Return a key that changes with everything on which the server for an assignment's tests
    depends.
    """
    names = tuple(_program_names(assignment))
    return assignment.test_files, names, assignment.sent_names, assignment.writes_files


def suite_setup(
    assignment: Assignment, files: tuple[SourceFile, ...], interpreter: object
) -> dict[str, object]:
    """Return the setup of the server for a student's tests.

    It has the names of the course's programs and none of their text.
    """
    writing = assignment.test_writing
    assert writing is not None
    modules = [name.removesuffix(".py") for name in writing.program_files]
    modules += [file.name.removesuffix(".py") for file in assignment.variants[0].files]
    tests = [(file.name, file.data) for file in files if file.name in writing.files]
    documented = [file for file in files if file.name in writing.documented_files]
    tests += documented_tests(documented, writing.public_names)
    return {
        "pytest": tool_modules(interpreter, _sources(), "tests"),  # type: ignore[arg-type]
        "tests": tests,
        "modules": modules,
        "sent_names": (None, None),  # the program is the course's, which learns nothing from values
        "writes": assignment.writes_files,
        "are_handed_in": True,
        "limits": vars(process_limits(test_limits(assignment.limits))),
    }


def _program_names(assignment: Assignment) -> list[str]:
    """Return the names of the program's files, the main one first, then those provided."""
    names = [main_file(assignment), *assignment.submission_files]
    names += [file.name for file in assignment.variants[0].files]
    return list(dict.fromkeys(name for name in names if name.endswith(".py")))


def test_job(stimulus: Stimulus, folder: str) -> CourseTestJob:
    """Return the job of the test's process."""
    action = stimulus.action
    assert isinstance(action, CourseTest)
    return CourseTestJob(
        file=action.file,
        test=action.test,
        index=action.index,
        part=action.part,
        is_doctest=action.runner == "doctest" or not action.file.endswith(".py"),
        seed=stimulus.seed or 0,
        folder=folder,
    )


def test_limits(limits: Limits) -> Limits:
    """Return the limits of the test's own process; the program's process has its own."""
    return limits.at_least(_LEAST)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SentOutcome:
    """A test's outcome, as its process sends it."""

    result: str
    message: str = ""
    type_name: str = ""
    line: int = 0
    source: str = ""
    given_values: list[str] = field(default_factory=list)
    ignored: str | None = None


class TestsStoppedError(StandInUnusableError):
    """Raised if the process with the tests, not the program's, reached a limit or ended."""

    __test__ = False  # no test of ours


class ProcessOfTests:
    """A process with tests, which takes turns with the program's process.

    If both may write into a folder, its size is checked after each turn, so that only the process
    that filled it is ended.
    """

    def __init__(self, process: StandInProcess, folder: ScenarioFolder | None) -> None:
        self._process = process
        self._folder = folder

    def tell(self, message: bytes) -> None:
        """Send a message of the program to the tests.

        Raise StandInUnusableError if the program has filled the folder.
        """
        if self._is_full():
            raise folder_is_full()
        self._process.tell(message)

    def next(self) -> bytes:
        """Return the tests' next message.

        Raise TestsStoppedError if none comes, or if the tests have filled the folder.
        """
        try:
            message = self._process.next_answer(self._folder)
        except StandInUnusableError as error:
            if error.ending is Ending.OUTPUT_LIMIT:
                raise _stopped(error) from None
            ending = Ending.CPU_LIMIT if error.is_late else Ending.CRASHED
            raise TestsStoppedError(ending, "the tests' own process") from None
        kind, _ = split(message)
        hands_over = kind in (FromTests.FOR_PROGRAM, FromTests.OUTCOME)
        if hands_over and self._is_full():
            raise _stopped(folder_is_full())
        return message

    def _is_full(self) -> bool:
        return self._folder is not None and self._folder.holds_too_much()


def _stopped(error: StandInUnusableError) -> TestsStoppedError:
    """Convert the ending of a conversation to one that the tests caused."""
    return TestsStoppedError(error.ending, str(error), filled=error.filled)


class CourseTestConversation:
    """The process of one of the course's tests, while it talks to the program's process."""

    def __init__(self, process: StandInProcess, folder: ScenarioFolder | None) -> None:
        self._process = ProcessOfTests(process, folder)
        self._calls: dict[int, str] = {}
        self._outcome: bytes | None = None
        self._stopped_by: Ending | None = None

    def exchange(self, message: bytes, deliver: Callable[[bytes], None]) -> bool:
        """Pass the program's message to the test, and give its next request to `deliver`.

        Raise StandInUnusableError if the test exceeds its limits.
        """
        if self._outcome is not None:
            raise StandInUnusableError(Ending.TAMPERED, "it goes on after the test")
        self._process.tell(message)
        try:
            return self._listen(deliver)
        except TestsStoppedError as error:
            self._stopped_by = error.ending
            raise

    def _listen(self, deliver: Callable[[bytes], None]) -> bool:
        """Handle the test's messages until it is the program's turn."""
        while True:
            kind, body = split(self._process.next())
            if kind in (FromTests.CALLED, FromTests.CAME_BACK):
                number, words = json.loads(body)
                self._calls[number] = f"{self._calls.get(number, '')} {words}".strip()
            elif kind == FromTests.FOR_PROGRAM:
                deliver(body)
                return False
            elif kind == FromTests.OUTCOME:
                self._outcome = body
                deliver(END)
                return False
            else:
                raise HarnessError("a test's process sent an invalid message")

    def observed(self, observed: Observation, answerable: Answerable) -> Observation:
        """Return the program's observation with the outcome of the test added.

        The list of files that the program left open is emptied, because only the test judges them.
        """
        observed = replace(observed, left_open=())
        calls = tuple(plain(call, limit=MAX_NAME) for call in self._calls.values())
        if self._outcome is None:
            test = CourseTestOutcome(
                result=CourseTestResult.NOT_ENDED, calls=calls, stopped_by=self._stopped_by
            )
            if observed.ending is Ending.ANSWERED:  # it answers without having been asked to end
                detail = "it ends a test by itself"
                observed = replace(observed, ending=Ending.TAMPERED, detail=detail)
            return replace(observed, value=None, test=test)
        sent = json.loads(self._outcome)
        about = sent.pop("about", None)
        if sent["result"] == "tampered":
            detail = plain(sent["message"], limit=MAX_NAME)
            test = CourseTestOutcome(result=CourseTestResult.NOT_ENDED, calls=calls)
            return replace(observed, ending=Ending.TAMPERED, detail=detail, value=None, test=test)
        outcome = _SentOutcome(**sent)
        test = CourseTestOutcome(
            result=CourseTestResult(outcome.result),
            message=outcome.message[:MAX_MESSAGE],
            type_name=outcome.type_name[:MAX_NAME],
            line=outcome.line,
            source=outcome.source[:MAX_SOURCE],
            calls=calls,
            given_values=tuple(outcome.given_values),
            ignored=outcome.ignored,
        )
        # The test has ended: later acts of the program do not concern it.
        observed = replace(observed, ending=Ending.ANSWERED, detail="", value=None, test=test)
        return _with_exception(observed, about, answerable) if about is not None else observed


def _with_exception(observed: Observation, about: object, answerable: Answerable) -> Observation:
    """Return the observation with the program's exception that ended the test, described by the
    program's process. If the description is not valid, the ending is TAMPERED.
    """
    try:
        body = json.dumps(about).encode("ascii")
        raised = read_as(RaisedReply, body)
        raised.check_size()
        answerable.check_raised(raised)
    except TamperedError as error:
        return replace(observed, ending=Ending.TAMPERED, detail=str(error))
    return replace(observed, raised=answerable.raised(raised))
