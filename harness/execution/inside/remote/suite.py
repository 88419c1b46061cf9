"""Runs a student's tests in a process that holds the tests and nothing of the program that they
test. All tests of all files run in one process, as with pytest.
"""

from __future__ import annotations

import sys
from _json import encode_basestring_ascii as quote
from os import _exit
from pathlib import Path
from typing import Any

from ..messages.protocol import FromTests, SuiteJob
from . import surroundings
from .testing import CourseTestSuite, OneTest, items_below
from .values import MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..messages.frames import Receive, Send

_MAX_TESTS = 500
_MAX_NAME = 200  # characters


class StudentSuite(CourseTestSuite):
    """A submission's test files, compiled."""

    def run(self, job: SuiteJob, send: Send, receive: Receive) -> None:  # type: ignore[override]
        """Run the tests to the end of this process; never returns."""
        run = _RemoteSuiteRun(self, job, send, receive)
        try:
            run.all()
        except MalformedError:
            _exit(72)
        except MemoryError:
            _exit(71)
        send(FromTests.OUTCOME, '{"result":"passed"}')
        receive()  # until the driver has ended this
        _exit(0)


class _RemoteSuiteRun(OneTest):
    """One run of a submission's tests."""

    def __init__(self, suite: StudentSuite, job: SuiteJob, send: Send, receive: Receive) -> None:
        super().__init__(suite, job, send, receive)  # type: ignore[arg-type]
        self._only = None if job.only is None else frozenset(job.only)
        self._without = frozenset(job.without)
        self._file = ""
        self._names: dict[Any, str] = {}  # of all tests
        self._running = ""

    def all(self) -> None:
        """Run the tests and report each outcome."""
        suite = self._suite
        self._hear()  # the program's process is there
        sys.meta_path.insert(0, suite)
        suite.folder = Path(self._files.folder)
        self._files.install(lambda name: None, lambda: False)
        surroundings.install(self._program, suite.names, suite.packages)
        import random  # noqa: PLC0415

        random.seed(self._job.seed)
        suite.watch.test = self
        session = suite.session
        session.config._tmp_path_factory.getbasetemp = self._files.temporary
        for file in suite.conftests:
            session.config.pluginmanager.register(suite.load(file), file)
        session.items = self._collected(session)
        session.testscollected = len(session.items)
        session.config.hook.pytest_runtestloop(session=session)

    def _collected(self, session: Any) -> list[Any]:
        """Return the tests to run. Report files whose tests cannot be collected."""
        found: list[Any] = []
        for name in sorted(self._suite.texts):
            if not name.endswith(".py") or name in self._suite.conftests:
                continue
            try:
                node = self._suite.module_node(session, name)
                found += items_below(node)
            except BaseException as error:  # also exceptions of the file's import
                self._file = name
                self.failed(error)
                self._result = "failed"
                self._tell(name)
        for number, item in enumerate(found[:_MAX_TESTS], 1):
            self._names[item] = numbered(test_name(item), number)
        return [item for item, name in self._names.items() if self._is_asked_for(name)]

    def _is_asked_for(self, name: str) -> bool:
        return name not in self._without and (self._only is None or name in self._only)

    def begins(self, item: Any) -> None:
        """Report which test runs from now on."""
        self._error = None
        self._result = ""
        self._running = self._names[item]
        self._file = item.path.name
        self._send(FromTests.BEGINS, quote(self._running))

    def finished(self) -> None:
        """Report the outcome of the test."""
        self._tell(self._running)

    def _tell(self, name: str) -> None:
        if isinstance(self._error, MalformedError):
            raise self._error
        self._send(FromTests.CAME_OUT, '{"name":' + quote(name) + "," + self._described()[1:])

    def _about(self, error: BaseException) -> str:
        """Return nothing: the course's program does not describe its exceptions to tests."""
        return ""

    def _file_of_place(self) -> str:
        return self._file


def test_name(item: Any) -> str:
    """Return a test's name with its file, its class and its parameters."""
    names = [node.name for node in item.listchain()]
    while names and not names[0].endswith(".py"):
        names.pop(0)
    return "::".join([item.path.name, *names[1:]])


def numbered(name: str, number: int) -> str:
    """Return the name; if it is too long, its beginning and the test's number."""
    return name if len(name) <= _MAX_NAME else f"{name[:_MAX_NAME]}… (test {number})"


test_name.__test__ = False  # type: ignore[attr-defined]  # not a test of ours
