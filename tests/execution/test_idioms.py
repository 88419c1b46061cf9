"""Programs use Python's own objects as under plain Python, in every launcher of ours; `idioms.txt`
has the programs, and where they are prevented."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from textwrap import indent

import pytest

from harness.execution import AnyDriver, Driver, Interpreter, find_interpreter
from harness.execution.piped import PipedDriver
from harness.execution.sharing import decoded
from harness.model.assignment import SourceFile
from harness.model.observation import CourseTestResult, Ending, Observation, Tier
from harness.model.stimulus import Key, Limits, Stimulus
from harness.policy.checking import check_sharing
from harness.stimuli.test import CourseTest
from tests.execution.idioms import (
    LINES,
    Idiom,
    Outcome,
    as_a_process,
    by_run_path,
    difference,
    idioms,
    page_rows,
    plain,
)
from tests.execution.small_world import assignment, run, source
from tests.shipped import ROOT

LIMITS = Limits(cpu_seconds=4, wall_seconds=10, memory_mib=256, output_kib=64)
PIPED = "".join(line + "\n" for line in LINES)
TABLE = {idiom.name: idiom for idiom in idioms()}
# These run with every change; before a release all do.
OFTEN = (
    "a wrapped stdin",
    "a detached stdin",
    "open(0).read()",
    "sys.stdin's attributes",
    "sys.stdout's attributes",
    "fileinput",
    "os.read(0)",
    "os.devnull for writing",
    "redirect_stdout to devnull",
    "os._exit(3) after a flush",
    "names of a module",
    "sys.excepthook",
    "__del__ at the end",
    "shutil",
    "sqlite3 in a file",
    "atexit and sys.exit",
    "traceback.print_exc",
)
STARTED_BY_TESTS = (
    *("a wrapped stdin", "open(0).read()", "os.read(0)", "sys.stdout's attributes", "os.write(1)"),
    *("an uncaught exception", "sys.excepthook", "atexit", "os._exit(3) after a flush"),
    *("ANSI colours and a bell", "KeyboardInterrupt raised"),
)
RUN_BY_TESTS = (
    *("a wrapped stdin", "sys.stdin.close()", "sys.stdin = io.StringIO", "sys.__stdin__"),
    *("sys.stdin = open(0)", "fileinput", "sys.stdout.buffer.write", "a wrapped stdout"),
    *("os.devnull as stdout", "pickle of own classes", "names of a module", "inspect"),
)


@pytest.fixture(scope="module")
def python() -> Interpreter:
    return find_interpreter("3.12")


class Launchers:
    """The drivers, each started when it is first asked for."""

    def __init__(self, python: Interpreter, stack: ExitStack) -> None:
        self._python = python
        self.driver = cache(lambda name: stack.enter_context(self._make(name)))

    def _make(self, name: str) -> AnyDriver:
        if name == "pipes":
            return PipedDriver(self._python)
        return Driver(self._python, Tier(name))


@pytest.fixture(scope="module")
def launchers(python: Interpreter) -> Iterator[Launchers]:
    with ExitStack() as stack:
        yield Launchers(python, stack)


def stimulus(idiom: Idiom, *, piped: bool) -> Stimulus:
    typed = run(*LINES, Key.CTRL_D, Key.CTRL_D)
    if piped:
        typed = replace(typed, inputs=(), stdin=PIPED)
    return replace(typed, folder=idiom.folder)


def observed(driver: AnyDriver, idiom: Idiom, *, piped: bool) -> Observation:
    given = replace(assignment(), writes_files=idiom.folder)
    with driver.submission(given, (source(idiom.program),)) as server:
        return server.observe(stimulus(idiom, piped=piped), LIMITS)


def test_the_page_lists_every_known_difference() -> None:
    page = (ROOT / "docs/reference/programs.md").read_text("utf-8")
    table = [line for line in page.splitlines() if line.startswith("|")]
    assert table == page_rows()


def differences(
    launchers: Launchers, names: tuple[str, ...], table: list[Idiom], python: Interpreter, tmp: Path
) -> dict[tuple[str, str, bool], str]:
    """Every difference, by launcher, idiom and whether the input was piped in."""
    found = {}
    for idiom in table:
        for piped in (False, True):
            folder = tmp / f"{len(list(tmp.iterdir()))}"
            folder.mkdir()
            expected = plain(python, idiom, folder, piped=piped)
            for name in filter(lambda each: idiom.runs(each, piped=piped), names):
                seen = observed(launchers.driver(name), idiom, piped=piped)
                if said := difference(expected, seen):
                    found[name, idiom.name, piped] = said
    return found


def test_common_idioms_behave_as_in_plain_python(
    launchers: Launchers, python: Interpreter, tmp_path: Path, strong_here: bool
) -> None:
    names = ("strong" if strong_here else "standard", "pipes")
    table = [TABLE[name] for name in OFTEN]
    assert differences(launchers, names, table, python, tmp_path) == {}


@pytest.mark.release
@pytest.mark.parametrize("name", ["strong", "standard", "portable", "pipes"])
def test_every_idiom_behaves_as_in_plain_python(
    launchers: Launchers, python: Interpreter, tmp_path: Path, strong_here: bool, name: str
) -> None:
    if name == "strong" and not strong_here:
        pytest.skip("there is no strong tier here")
    assert differences(launchers, (name,), list(TABLE.values()), python, tmp_path) == {}


def _test_of(expected: Outcome) -> bytes:
    """Return a test that starts the program as a process and fails unless its end is this."""
    return f"""
import subprocess, sys

def test_it():
    done = subprocess.run(
        [sys.executable, "a1.py"], input={PIPED!r}, text=True, capture_output=True
    )
    assert (done.returncode, done.stdout) == ({expected.status}, {expected.screen!r})
""".encode()


def outcome_of_test(driver: AnyDriver, idiom: Idiom, test: bytes) -> Observation:
    """Return what is observed of a test of the course's about the idiom's program."""
    tests = (SourceFile(name="test_a1.py", data=test),)
    given = replace(assignment(), test_files=tests, writes_files=idiom.folder)
    asked = Stimulus(action=CourseTest(file="test_a1.py", test="test_it"), folder=idiom.folder)
    with driver.submission(given, (source(idiom.program),)) as server:
        return server.observe(asked, LIMITS)


# Writes the test that passes only if an idiom's program behaves as in plain Python, which runs in
# the folder; None if plain Python cannot run it so.
TestWriter = Callable[[Idiom, Path], bytes | None]


def started_by_subprocess(idiom: Idiom, folder: Path) -> bytes | None:
    return _test_of(as_a_process(find_interpreter("3.12"), idiom, folder))


def run_by_path(idiom: Idiom, folder: Path) -> bytes | None:
    expected = by_run_path(find_interpreter("3.12"), idiom, folder)
    return None if expected is None else _run_path_test_of(expected)


def differing_in_a_test(
    driver: AnyDriver, table: list[Idiom], folder: Path, write_test: TestWriter
) -> dict[str, str]:
    """Return how idioms differ whose program a test of the course's runs."""
    found = {}
    for idiom in table:
        if not idiom.runs("test", piped=True):
            continue
        of_idiom = folder / str(len(list(folder.iterdir())))
        of_idiom.mkdir()
        test = write_test(idiom, of_idiom)
        if test is None:
            continue
        observed = outcome_of_test(driver, idiom, test)
        if observed.test is None or observed.test.result is not CourseTestResult.PASSED:
            found[idiom.name] = f"{observed.ending} {observed.detail} {observed.test}"
    return found


def test_common_idioms_behave_so_in_a_program_that_a_test_starts(
    launchers: Launchers, tmp_path: Path
) -> None:
    table = [TABLE[name] for name in STARTED_BY_TESTS]
    driver = launchers.driver("standard")
    assert differing_in_a_test(driver, table, tmp_path, started_by_subprocess) == {}


@pytest.mark.release
def test_every_idiom_behaves_so_in_a_program_that_a_test_starts(
    launchers: Launchers, tmp_path: Path
) -> None:
    table = list(TABLE.values())
    driver = launchers.driver("standard")
    assert differing_in_a_test(driver, table, tmp_path, started_by_subprocess) == {}


def _run_path_test_of(expected: tuple[object, str]) -> bytes:
    """Return a test that runs the program by `runpy` and fails unless it ends like this."""
    return f"""
import io, runpy

def test_it(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["a1.py"])
    monkeypatch.setattr("sys.stdin", io.StringIO({PIPED!r}))
    ended = 0
    try:
        runpy.run_path("a1.py", run_name="__main__")
    except SystemExit as error:
        ended = error.code
    except BaseException as error:
        ended = type(error).__name__
    assert (ended, capsys.readouterr().out) == {expected!r}
""".encode()


def test_common_idioms_behave_so_in_a_program_that_a_test_runs_by_its_path(
    launchers: Launchers, tmp_path: Path
) -> None:
    table = [TABLE[name] for name in RUN_BY_TESTS]
    driver = launchers.driver("standard")
    assert differing_in_a_test(driver, table, tmp_path, run_by_path) == {}


@pytest.mark.release
def test_every_idiom_behaves_so_in_a_program_that_a_test_runs_by_its_path(
    launchers: Launchers, tmp_path: Path
) -> None:
    table = list(TABLE.values())
    driver = launchers.driver("standard")
    assert differing_in_a_test(driver, table, tmp_path, run_by_path) == {}


def test_a_piped_input_that_fills_no_pipe_is_read_whole(launchers: Launchers) -> None:
    program = "import sys\nprint(sys.stdin.isatty(), len(sys.stdin.buffer.read()))\n"
    given = replace(run(), stdin="x" * 99 + "\n")
    for name, size in (("standard", 100), ("standard", 200_000), ("pipes", 200_000)):
        long = replace(given, stdin=(given.stdin or "") * (size // 100))
        with launchers.driver(name).submission(assignment(), (source(program),)) as server:
            (turn,) = server.observe(long, LIMITS).turns
        assert turn.printed == f"False {size}\n"


def in_main(idiom: Idiom) -> Idiom:
    """Return the idiom in a function `main`: nothing shared may happen while a file is loaded."""
    body = indent(idiom.program, "    ")
    guard = 'if __name__ == "__main__":\n    main()\n'
    return replace(idiom, program=f"def main():\n{body}{guard}")


def shared_observations(driver: AnyDriver, idiom: Idiom) -> Iterator[Observation]:
    """Yield what a process that scenarios share shows of the idiom, asked twice, if it ends there.
    Keys cannot be typed there, nor the end of the input."""
    typed = run(*LINES)
    given = dict.fromkeys(range(2), (typed, LIMITS))
    with driver.submission(assignment(), (source(idiom.program),)) as server:
        for group in server.group(given):
            outcome = server.observe_together(group, sorted(group.jobs))
            for number, data in outcome.answers.items():
                arguments = group.jobs[number].arguments
                seen = decoded(data, typed, LIMITS, arguments=arguments)
                if seen is not None and seen.ending is Ending.ANSWERED:
                    yield seen


def test_idioms_in_a_shared_process_behave_as_in_plain_python(
    launchers: Launchers, python: Interpreter, tmp_path: Path
) -> None:
    """Most idioms name what no shared process has and run alone; the others give the same."""
    found, shared = {}, set()
    for idiom in map(in_main, TABLE.values()):
        if not check_sharing([source(idiom.program)], []).allowed:
            continue
        expected = None
        for seen in shared_observations(launchers.driver("standard"), idiom):
            if expected is None:
                expected = plain(python, idiom, tmp_path, piped=False)
            shared.add(idiom.name)
            if said := difference(expected, seen):
                found[idiom.name] = said
    assert found == {}
    assert len(shared) >= 15, shared
