"""Scenarios over pipes: what a program does looks as it does on a terminal."""

from __future__ import annotations

import ast
import os
import select
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import harness
from harness.execution import Driver, Interpreter, has_terminals, piped
from harness.execution.piped import _MODULES, PipedDriver
from harness.model.observation import Ending, Observation, Phase, Tier
from harness.model.stimulus import Stimulus
from tests.execution.small_world import (
    QUICK,
    TEN,
    assignment,
    call,
    observe,
    plain,
    raised,
    run,
    session,
    source,
    turns,
)
from tests.execution.test_execution_hostile import ENDINGS as ON_A_TERMINAL
from tests.execution.test_execution_terminal import ASKING
from tests.per_commit import per_commit
from tests.tiny_course import ran

NO_TERMINALS = Path(__file__).with_name("no_terminals.py")
ROOT = Path(harness.__file__).parent.parent
# What only POSIX has, of all that the programs of ours inside import.
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"}


@pytest.fixture(scope="module")
def terminal(interpreter: Interpreter) -> Iterator[Driver]:
    """What `pipes` is compared with."""
    with Driver(interpreter, Tier.PORTABLE) as running:
        yield running


@pytest.mark.parametrize("name", [name for name in ASKING if name != "select"])
def test_turns_are_those_of_a_terminal(pipes: PipedDriver, name: str) -> None:
    program, lines, expected = ASKING[name]
    seen = observe(pipes, program, run(*lines))
    assert (turns(seen), seen.raised, seen.ending) == (expected, None, Ending.ANSWERED)


def test_a_job_in_the_background_interrupts_its_programs_too(pipes: PipedDriver) -> None:
    program, lines, expected = ASKING["interrupt"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is started inherits it
    try:
        seen = observe(pipes, program, run(*lines))
    finally:
        signal.signal(signal.SIGINT, before)
    assert (turns(seen), seen.ending) == (expected, Ending.ANSWERED)


TERMINAL = """\
import os, shutil, sys
print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty(), os.isatty(0), os.isatty(1))
print(shutil.get_terminal_size(), sys.stdout.encoding, sys.stdout.line_buffering)
print(sys.stdout.newlines, sys.stdout.errors, sys.stderr.errors, sys.stdout.fileno())
print("\\r\\n", end="")
print("not shown yet", end="")
os.write(1, b"first\\n")
sys.stderr.write("to the same screen\\n")
"""


def test_a_program_cannot_tell_by_its_streams(pipes: PipedDriver, terminal: Driver) -> None:
    expected = observe(terminal, TERMINAL, run())
    seen = observe(pipes, TERMINAL, run())
    assert (seen.ending, expected.ending) == (Ending.ANSWERED, Ending.ANSWERED)
    assert (seen.printed, seen.exit_status) == (expected.printed, 0)


QUESTIONS = {
    "a value": call("f(1)"),
    "an argument changed": call("add([1, 2])"),
    "an exception": call("g(0)"),
    "a missing function": call("ask()"),
    "a session": session("x = f(1)", "x", "print(x)", "g(0)", "x = [x]"),
    "an override": Stimulus(action=call("size()").action, constants=TEN),
    "a program": run("5"),
    "a driver's program": run(program="play.py"),
}
PROGRAM = """\
from support import *
import random
def f(x):
    print("in f", x, file=__import__("sys").stderr)
    return (x, "text", {1.5: None})
def g(x): return 1 // x
def add(board): board.append(3)
def size(): return BOARD_SIZE, MESSAGE
if __name__ == "__main__":
    raise SystemExit(int(input("n? ")))
"""


def test_the_same_is_observed_as_on_a_terminal(pipes: PipedDriver, terminal: Driver) -> None:
    handed_in = assignment(), (source(PROGRAM),)
    with terminal.submission(*handed_in) as there, pipes.submission(*handed_in) as here:
        for name, stimulus in QUESTIONS.items():
            expected, seen = there.observe(stimulus, QUICK), here.observe(stimulus, QUICK)
            assert _comparable(seen) == _comparable(expected), name


def _comparable(seen: Observation) -> dict[str, object]:
    return {name: getattr(seen, name) for name in seen.__slots__ if name != "cpu_seconds"}


ENDINGS = {
    **{
        name: ON_A_TERMINAL[name]
        for name in ("loop", "sleep", "flood", "endless prompts", "os._exit 3")
    },
    "a loop that holds the interpreter": ("sum(range(10**12))", Ending.CPU_LIMIT, ""),
    "a loop without any pipe": (
        "import os\n    for n in range(64):\n        try: os.close(n)\n"
        "        except OSError: pass\n    while True: pass",
        Ending.CPU_LIMIT,
        "",
    ),
    "a read past us": ("open(0).read()", Ending.TIMEOUT, ""),
    "memory": ("return len(bytearray(1 << 34))", Ending.MEMORY_LIMIT, ""),
}


@pytest.mark.parametrize(
    "name", per_commit(ENDINGS, "loop", "sleep", "flood", "endless prompts", "memory")
)
def test_how_it_ends(pipes: PipedDriver, name: str) -> None:
    body, ending, detail = ENDINGS[name]
    seen = observe(pipes, f"def f():\n    {body}\n", call("f()"))
    assert (seen.ending, seen.phase, seen.detail) == (ending, Phase.STIMULUS, detail)


def test_a_crash_has_its_signals_name(pipes: PipedDriver) -> None:
    program = "import os, signal\ndef f(): os.kill(os.getpid(), signal.SIGSEGV)\n"
    seen = observe(pipes, program, call("f()"))
    assert (seen.ending, seen.detail) == (Ending.CRASHED, "SIGSEGV")


def test_output_is_cut_at_exactly_the_limit(pipes: PipedDriver) -> None:
    most = QUICK.output_kib * 1024
    for count, ending in ((most, Ending.ANSWERED), (most + 1, Ending.OUTPUT_LIMIT)):
        seen = observe(pipes, f"def f():\n    print('x' * {count}, end='')\n", call("f()"))
        assert (seen.ending, seen.printed) == (ending, "x" * most)


def test_nothing_that_it_started_is_left(pipes: PipedDriver) -> None:
    """A child that holds the pipes open neither lives on nor keeps us waiting for it."""
    program = (
        "import os, subprocess, sys\ndef f():\n"
        "    code = 'import time; time.sleep(600)'\n"
        "    return subprocess.Popen([sys.executable, '-S', '-c', code]).pid\n"
    )
    seen = observe(pipes, program, call("f()"))
    assert seen.ending is Ending.ANSWERED
    try:
        child = os.pidfd_open(int(plain(seen.value)))
    except ProcessLookupError:
        return
    assert select.select([child], [], [], 60)[0]
    os.close(child)


def test_a_file_that_does_not_compile_is_an_error_of_its_own(pipes: PipedDriver) -> None:
    seen = observe(pipes, "def f(:\n", call("f()"))
    assert (seen.phase, raised(seen).type_name) == (Phase.LOADING, "SyntaxError")


KINDS = ("stimuli.call", "stimuli.session", "stimuli.run")


@pytest.mark.parametrize("module", sorted({*_MODULES, *KINDS} - {"stimuli"}))
def test_what_runs_inside_needs_nothing_of_posix(module: str) -> None:
    folder = ROOT / "harness" / "execution" / "inside"
    path = folder.joinpath(*module.split(".")).with_suffix(".py")
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or "")
    if module == "limits":  # the one that is left out where it cannot be loaded
        found.remove("resource")
    assert not found & POSIX_ONLY


WITHOUT = """\
import harness.execution as execution
import harness.grading, harness.reporting.terminal.cards
from harness.execution import create_driver, choose_tier, find_interpreter, has_terminals
from pathlib import Path
import sys
from harness.model.observation import Tier
interpreter = find_interpreter("3.12", Path(sys.executable))
trial = choose_tier(interpreter)
driver = create_driver(interpreter, trial.tier)
print(has_terminals(), type(driver).__name__, trial.tier.value, bool(trial.shortcoming))
try:
    choose_tier(interpreter, Tier.STANDARD)
except harness.common.errors.UserError as error:
    print(error)
with driver, driver.tool({"t": "def up(text): return text.upper()"}, "t:up") as tool:
    print(tool.run("it works"))
"""


def test_where_there_are_no_terminals_the_package_is_imported_all_the_same(tmp_path: Path) -> None:
    assert has_terminals()
    program = tmp_path / "program.py"
    program.write_text(WITHOUT, "utf-8")
    done = ran([sys.executable, NO_TERMINALS, program], env={"PYTHONPATH": str(ROOT)})
    assert done.stderr == ""
    first, refusal, last = done.stdout.splitlines()
    assert first == "False PipedDriver portable False"
    assert refusal.startswith("the standard tier was required and this machine does not give it")
    assert last == "IT WORKS"


def test_a_long_answer_and_what_is_told_meanwhile_do_not_mix(
    piped_driver: PipedDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(piped, "_HEARTBEAT", 0.0001)
    with piped_driver.tool({"t": "def f(text): return text * 3_000_000"}, "t:f") as tool:
        assert tool.run("a") == "a" * 3_000_000
