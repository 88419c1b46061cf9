"""Runs one of the course's tests with pytest, in a process that holds the tests and nothing of the
program. pytest gets the tests' texts from memory, because a program could read a folder.

The process is forked when pytest is loaded and the tests are compiled. It is told which test to
run, sends the test's requests to the program, and reports the outcome once.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import re
import sys
import types
from _json import encode_basestring_ascii as quote
from importlib.machinery import ModuleSpec
from os import _exit
from pathlib import Path
from typing import Any

from ..messages.protocol import CourseTestJob, FromTests
from . import surroundings
from .client import RemoteProgram
from .files import FilesOfTest
from .imports import load_nothing_below
from .sending import SentNames
from .values import MalformedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..messages.frames import Receive, Send

MAX_MESSAGE = 8_000  # characters
_MAX_CALLS = 200
_MAX_CALL = 1_000  # characters
_FOLDER = Path("/tests")  # none: the name under which tests are shown
_OPTIONS = (
    "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:junitxml", "-p", "no:pastebin",
    "-p", "no:threadexception", "-p", "no:unraisableexception", "-p", "no:warnings",
    "-p", "no:stepwise", "-p", "no:setuponly", "-p", "no:setupplan",
    "-p", "no:logging",
    "--assert=plain", "--tb=native", "--capture=sys", "-q", "--color=no", "-c", "/dev/null",
    "--rootdir=/",
)  # fmt: skip
_IS_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", re.ASCII).fullmatch
# Packages of others whose decorators give a test's points, which were read from its text.
_DECORATING = frozenset(("gradescope_utils", "tmc"))


class CourseTestSuite:
    """The test files of an assignment, compiled."""

    def __init__(self, setup: dict[str, Any]) -> None:
        import json  # noqa: PLC0415
        import unittest.mock  # noqa: PLC0415

        import pytest  # noqa: PLC0415

        self._loads = json.loads
        self._pytest = pytest
        self._mock = unittest.mock
        self._names: list[str] = setup["modules"]
        self.sent_names = SentNames(*setup["sent_names"])
        self._texts: dict[str, bytes] = dict(setup["tests"])
        self._codes: dict[str, Any] = {}  # by the name of a module
        self._file_of: dict[str, str] = {}
        self._short_names: dict[str, str] = {}  # by which tests of the same folder import modules
        self._folders: set[str] = set()
        self.packages: set[str] = set()  # in which tests look for the program's modules
        for name, data in self._texts.items():
            if name.endswith(".py"):
                self._compile(name, data)
        self.folder = _FOLDER  # in which tests believe to lie
        self.watch = _Watch()
        self.session = self._prepared_session()

    def _prepared_session(self) -> Any:
        """Return a session of pytest that is ready to collect tests, as `pytest.main` would make
        it. This is done once for all tests.
        """
        import _pytest.tmpdir  # noqa: PLC0415
        from _pytest.config import _prepareconfig  # noqa: PLC0415
        from _pytest.main import Session  # noqa: PLC0415

        config = _prepareconfig(list(_OPTIONS), [self.watch])
        # The program sees the folder's name, which would be the test's.
        _pytest.tmpdir._mk_tmp = lambda request, factory: factory.mktemp("test", numbered=True)
        config._do_configure()
        # The asserts are rewritten, by us: pytest must escape the `%` of values for that.
        config.option.assertmode = "rewrite"
        session = Session.from_config(config)
        config.hook.pytest_sessionstart(session=session)
        return session

    def _compile(self, name: str, data: bytes) -> None:
        from _pytest.assertion.rewrite import rewrite_asserts  # noqa: PLC0415

        path = str(_FOLDER / name)
        lines = data.decode("utf-8-sig", "replace").splitlines(keepends=True)
        linecache.cache[path] = len(data), None, lines, path
        try:
            tree = ast.parse(data, path)
            self.packages.update(_packages_in(tree, self._names))
            rewrite_asserts(tree, data, path, None)
            self._add(name, compile(tree, path, "exec", dont_inherit=True))
        except (SyntaxError, ValueError, RecursionError) as error:
            self._add(name, error)

    def _add(self, file: str, code: Any) -> None:
        """Store the compiled code of a test file under its module name, or the error if it does
        not compile.
        """
        module = _module_of(file)
        self._codes[module] = code
        self._file_of[module] = file
        self._short_names.setdefault(module.rpartition(".")[2], module)
        folder = module.rpartition(".")[0]
        while folder:
            self._folders.add(folder)
            folder = folder.rpartition(".")[0]

    def run(self, job: CourseTestJob, send: Send, receive: Receive) -> None:
        """Run one test to the end of this process; never returns."""
        run = OneTest(self, job, send, receive)
        try:
            outcome = run.outcome()
        except MalformedError as error:
            outcome = '{"result":"tampered","message":' + quote(str(error)) + "}"
        except MemoryError:
            _exit(71)
        send(FromTests.OUTCOME, outcome)
        receive()  # until the driver has ended this
        _exit(0)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Find a test file that another test file imports (part of the import protocol)."""
        if self._known(name):
            is_package = name in self._folders
            return ModuleSpec(name, self, is_package=is_package)  # type: ignore[arg-type]
        if name.partition(".")[0] in _DECORATING:
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        return None

    def _known(self, name: str) -> bool:
        return name in self._codes or name in self._folders or name in self._short_names

    def create_module(self, spec: ModuleSpec) -> Any:
        return None if self._known(spec.name) else _Decorators(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        name = module.__name__
        if name not in self._codes:
            name = self._short_names.get(name, "")
        if not name:
            return
        code = self._codes[name]
        if isinstance(code, Exception):
            raise code
        module.__file__ = str(self.folder / self._file_of[name])
        exec(code, module.__dict__)

    def load(self, file: str) -> types.ModuleType:
        """Import a test file."""
        name = _module_of(file)
        __import__(name)
        return sys.modules[name]

    def text(self, name: str) -> str:
        return self._texts[name].decode("utf-8-sig", "replace")

    @property
    def texts(self) -> dict[str, bytes]:
        return self._texts

    @property
    def names(self) -> list[str]:
        """Return the names of the program's modules."""
        return self._names

    @property
    def conftests(self) -> list[str]:
        """Return the `conftest.py` files, which contain fixtures for other files."""
        names = self._file_of.values()
        return [name for name in names if name.rpartition("/")[2] == "conftest.py"]

    def loads(self, data: bytes) -> Any:
        """Parse a message of the program. Raise MalformedError if it is not JSON."""
        try:
            return self._loads(data)
        except (ValueError, RecursionError):
            raise MalformedError("a message") from None

    def module_node(self, parent: Any, name: str) -> Any:
        """Return pytest's object (node) for a test file."""
        load = self.load

        class Module(self._pytest.Module):  # type: ignore[name-defined, misc]
            def _getobj(self) -> types.ModuleType:
                return load(name)

        return Module.from_parent(parent, path=_FOLDER / name)


def _module_of(file: str) -> str:
    """Return the module name of a file, including its folders, such as `unit.test_a1` for
    `unit/test_a1.py`.
    """
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _packages_in(tree: ast.Module, names: list[str]) -> Iterator[str]:
    """Yield the package names by which a test file imports the program:

    `src` for `import src.a1`, `from src.a1 import f`, `from src import a1` and the text "src.a1".
    """
    for node in ast.walk(tree):
        paths: list[str] = []
        if isinstance(node, ast.Import):
            paths = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            paths = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and type(node.value) is str:
            paths = [node.value] if _IS_PATH(node.value) else []  # of `import_module`
        for path in paths:
            package, _, last = path.rpartition(".")
            # A function may be called as its module is: `from src.line import line`.
            is_module = package.rpartition(".")[2] in names
            while package and last in names and not is_module:
                yield package
                package, _, _ = package.rpartition(".")


class _Decorators(types.ModuleType):
    """A module whose names are decorators that change nothing."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)

        def decorator(*arguments: Any, **keywords: Any) -> Any:
            if len(arguments) == 1 and not keywords and callable(arguments[0]):
                return arguments[0]
            return lambda function: function

        return decorator


class _Watch:
    """A pytest plugin that reports the outcome of each phase of the running test."""

    test: OneTest

    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> None:
        """Report which test runs next."""
        self.test.begins(item)

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Keep the first exception of the test."""
        if call.excinfo is not None:
            self.test.failed(call.excinfo.value)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the worst outcome of all phases."""
        outcome = report.outcome
        if outcome == "skipped" and hasattr(report, "wasxfail"):
            outcome = "passed"
        self.test.came_out(outcome, is_call=report.when == "call")

    def pytest_runtest_logfinish(self, nodeid: str, location: object) -> None:
        """Report that a test has ended."""
        self.test.finished()


class OneTest:
    """One run of one test."""

    def __init__(
        self, suite: CourseTestSuite, job: CourseTestJob, send: Send, receive: Receive
    ) -> None:
        self._suite = suite
        self._job = job
        self._send = send
        self._receive = receive
        self._error: BaseException | None = None
        self._result = ""
        self._has_reached_part = True  # if only a part of a test is asked for, not yet
        self._program = RemoteProgram(self._say, self._hear, self._told, suite.sent_names)
        self._files = FilesOfTest(job.folder, suite.texts)

    def outcome(self) -> str:
        """Run the test; return its outcome as JSON."""
        self._hear()  # the program's process is there
        sys.meta_path.insert(0, self._suite)
        self._suite.folder = Path(self._files.folder)
        load_nothing_below(self._files.folder, self._files)
        self._files.install(self._text_of_program, lambda: self._program.is_answering)
        surroundings.install(self._program, self._suite.names, self._suite.packages)
        if self._job.is_doctest:
            self._run_doctest()
        else:
            self._run_with_pytest()
        if self._error is not None and isinstance(self._error, MalformedError):
            raise self._error
        return self._described()

    def _text_of_program(self, name: str) -> Any:
        """Return the text of a file of the program.

        Return None for any other file, and do not send its name to the program.
        """
        is_known = name.endswith(".py") and name[:-3] in self._suite.names
        return self._program.request("text", name) if is_known else None

    def _say(self, text: str) -> None:
        self._send(FromTests.FOR_PROGRAM, text)

    def _hear(self) -> Any:
        message = self._receive()
        self._files.hear(message)
        return self._suite.loads(message)

    def _told(self, number: int, words: str) -> None:
        if abs(number) <= _MAX_CALLS:
            kind = FromTests.CALLED if number > 0 else FromTests.CAME_BACK
            self._send(kind, f"[{abs(number)},{quote(words[:_MAX_CALL])}]")

    def _run_with_pytest(self) -> None:
        session = self._suite.session
        self._suite.watch.test = self
        session.config._tmp_path_factory.getbasetemp = self._files.temporary
        try:
            for file in self._suite.conftests:
                # pytest would look for the folder of a plugin that is called conftest.py.
                name = f"{file}, for all tests"
                session.config.pluginmanager.register(self._suite.load(file), name)
            node = self._suite.module_node(session, self._job.file)
            found = [item for item in items_below(node) if _name_of(item) == self._job.test]
            if self._job.index >= 0:
                found = found[self._job.index : self._job.index + 1]
            if self._job.part >= 0:
                self._only_one_part()
            session.items = found
            session.testscollected = len(found)
            session.config.hook.pytest_runtestloop(session=session)
        except BaseException as error:  # also the program's exceptions while it is imported
            self.failed(error)
            self._result = "failed"

    def _only_one_part(self) -> None:
        """Let only one subTest decide the outcome.

        The others run too, because it may depend on them.
        """
        from contextlib import contextmanager  # noqa: PLC0415
        from unittest import TestCase  # noqa: PLC0415

        self._has_reached_part = False
        numbers = itertools.count()
        wanted = self._job.part

        @contextmanager
        def sub_test(case: Any, *arguments: Any, **keywords: Any) -> Iterator[None]:
            is_wanted = next(numbers) == wanted
            try:
                yield
            except Exception:
                if is_wanted:
                    raise
            if is_wanted:
                self._has_reached_part = True

        TestCase.subTest = sub_test  # type: ignore[assignment]

    def begins(self, item: Any) -> None:
        """Note that a test begins (called by `_Watch`)."""

    def finished(self) -> None:
        """Note that a test has ended (called by `_Watch`)."""

    def failed(self, error: BaseException) -> None:
        """Keep the first exception of the test."""
        if self._error is None:
            self._error = error

    def came_out(self, outcome: str, *, is_call: bool) -> None:
        """Keep the worst outcome of the test's phases, over all its sets of parameters."""
        if self._result != "failed" and (outcome != "passed" or is_call):
            self._result = outcome

    def _run_doctest(self) -> None:
        import doctest  # noqa: PLC0415

        name = self._job.file
        space: dict[str, Any] = {"__name__": "__main__"}
        try:
            for module in self._suite.names[:1]:
                exec(f"from {module} import *", space)
            text = self._documentation(name)
            test = doctest.DocTestParser().get_doctest(text, space, name, name, 0)
            doctest.DebugRunner(verbose=False).run(test, clear_globs=False)
            self._result = "passed"
        except doctest.DocTestFailure as failure:
            self._result = "failed"
            shown = f">>> {failure.example.source}expected: {failure.example.want}"
            self._error = AssertionError(f"{shown}got: {failure.got}")
        except doctest.UnexpectedException as failure:
            self._result, self._error = "failed", failure.exc_info[1]
        except BaseException as error:
            self._result, self._error = "failed", error

    def _documentation(self, name: str) -> str:
        """Return the text that contains the doctest examples: the whole file, or a docstring in
        it.
        """
        text = self._suite.text(name)
        if not name.endswith(".py"):
            return text
        for node in ast.walk(ast.parse(text)):
            is_named = getattr(node, "name", "the docstring") == self._job.test
            if is_named and isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
                return ast.get_docstring(node, clean=False) or ""
        return ""

    def _described(self) -> str:
        """Return, as JSON, the test's result, its exception, and the place of the exception."""
        error = self._error
        if self._result == "passed" and self._has_reached_part:
            return '{"result":"passed"' + self._taken_on_trust() + "}"
        if self._result == "skipped":
            return '{"result":"skipped","message":' + quote(_words(error)) + "}"
        if error is None:
            return '{"result":"not_found"}'
        head = '{"result":"failed","message":' + quote(_words(error))
        head += ',"type_name":' + quote(type(error).__name__)
        place = self._place(error)
        if place:
            head += f',"line":{place[0]},"source":' + quote(place[1])
        return head + self._about(error) + "}"

    def _taken_on_trust(self) -> str:
        """Return, as fields of a JSON object, the ways in which the program may have influenced
        the test so that it passed.
        """
        names = ",".join(map(quote, sorted(self._program.given_values)))
        failure = self._program.failure
        ignored = "null" if failure is None else quote(_words(failure))
        return f',"given_values":[{names}],"ignored":{ignored}'

    def _about(self, error: BaseException) -> str:
        """Return the program's description of its own exception, as a field of a JSON object."""
        about = self._program.of_program(error)
        return "" if about is None else ',"about":' + self._program.encoded(about)

    def _file_of_place(self) -> str:
        """Return the name of the file that contains the test."""
        return self._job.file

    def _place(self, error: BaseException) -> tuple[int, str] | None:
        """Return the number and the text of the last line of the test file that was running when
        the exception was raised.
        """
        path = str(_FOLDER / self._file_of_place())
        found = None
        step = error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == path:
                found = step.tb_lineno
            step = step.tb_next
        if found is None:
            return None
        return found, linecache.getline(path, found).strip()


def _words(error: BaseException | None) -> str:
    """Return an exception's message, shortened if it is long."""
    from _pytest.fixtures import FixtureLookupError  # noqa: PLC0415

    if isinstance(error, FixtureLookupError):
        return f"fixture '{error.argname}' not found"
    try:
        text = str(error)
    except BaseException:  # the program's own `__str__`
        text = ""
    return text[:MAX_MESSAGE]


def items_below(node: Any) -> Iterator[Any]:
    """Yield all tests below a node of pytest."""
    for child in node.collect():
        if hasattr(child, "runtest"):
            yield child
        else:
            yield from items_below(child)


def _name_of(item: Any) -> str:
    """Return a test's name without its file and without its parameters' values."""
    names = [node.name for node in item.listchain()]
    while names and not names[0].endswith(".py"):
        names.pop(0)
    return "::".join([*names[1:-1], getattr(item, "originalname", None) or item.name])
