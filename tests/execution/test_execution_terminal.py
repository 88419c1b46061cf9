"""Programs that ask: a line is typed when it is asked for, and at no other time; over pipes, what a
program does looks as it does on a terminal."""

import ast
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pexpect
import pexpect.fdpexpect
import pytest

import harness
from harness.execution import AnyDriver, Driver, Interpreter, has_terminals, piped
from harness.execution.linux import without_pexpect
from harness.execution.linux.pexpect_terminal import Terminal, open_pty
from harness.execution.piped import _MODULES, PipedDriver, PipedProcess
from harness.execution.protocol.screen import plain_screen
from harness.model.assignment import FunctionSignature
from harness.model.observation import Ending, Phase, Tier
from harness.model.stimulus import Key, Limits, Stimulus, Typed
from harness.model.values import Value
from harness.stimuli.exists import Exists
from tests.execution.small_world import (
    QUICK,
    TEN,
    assignment,
    call,
    observe,
    plain,
    run,
    session,
    source,
    turns,
)
from tests.tiny_course import ran

Turns = list[tuple[str, str | None]]

ASKING: dict[str, tuple[str, tuple[str | Key, ...], Turns]] = {
    "a prompt": ("x = input('n? ')\nprint(x)", ("5",), [("n? ", "5"), ("5\n", None)]),
    "no prompt": ("x = input()\nprint(x)", ("5",), [("", "5"), ("5\n", None)]),
    "text before": ("print('a')\ninput('b')", ("5",), [("a\nb", "5"), ("", None)]),
    "readline": (
        "import sys\nprint('p')\nprint(repr(sys.stdin.readline()))",
        ("5",),
        [("p\n", "5"), ("'5\\n'\n", None)],
    ),
    "a prompt not flushed": (
        "import sys\nprint('p', end='')\nsys.stdin.readline()",
        ("5",),
        [("", "5"), ("p", None)],
    ),
    "a loop over lines": (
        "import sys\nfor line in sys.stdin:\n    print(line, end='')",
        ("a", "b", Key.CTRL_D),
        [("", "a"), ("a\n", "b"), ("b\n", "^D"), ("", None)],
    ),
    "read all": (
        "import sys\nprint(repr(sys.stdin.read()))",
        ("a", "b", Key.CTRL_D),
        [("", "a"), ("", "b"), ("", "^D"), ("'a\\nb\\n'\n", None)],
    ),
    "os.read by parts": (
        "import os\nprint(os.read(0, 2))\nprint(os.read(0, 9))\nprint(os.read(0, 9))",
        ("abc", "d"),
        [("", "abc"), ("b'ab'\nb'c\\n'\n", "d"), ("b'd\\n'\n", None)],
    ),
    "select": (
        "import select, sys\nprint(len(select.select([0], [], [], 5)[0]))\nprint(input())",
        ("a",),
        [("", "a"), ("1\na\n", None)],
    ),
    "end of input": (
        "try:\n    input('> ')\nexcept EOFError:\n    print('end')",
        (Key.CTRL_D,),
        [("> ", "^D"), ("end\n", None)],
    ),
    "interrupt": (
        "try:\n    input('> ')\nexcept KeyboardInterrupt:\n    print('stop')\nprint(input('? '))",
        (Key.CTRL_C, "on"),
        [("> ", "^C"), ("stop\n? ", "on"), ("on\n", None)],
    ),
    "empty and blank lines": (
        "print([input(), input()])",
        ("", "  "),
        [("", ""), ("", "  "), ("['', '  ']\n", None)],
    ),
    "not ASCII": ("print(input('é? '))", ("ñ→",), [("é? ", "ñ→"), ("ñ→\n", None)]),
    "a long line": ("print(len(input()))", ("x" * 4000,), [("", "x" * 4000), ("4000\n", None)]),
    "on standard error": (
        "import sys\nprint('e', file=sys.stderr)\ninput('p')",
        ("1",),
        [("e\np", "1"), ("", None)],
    ),
    "input left unread": ("print('done')", ("1", "2"), [("done\n", None)]),
    "a replaced input": ("input = lambda p='': 'mine'\nprint(input())", ("1",), [("mine\n", None)]),
    "bytes that are not text": (
        "import os\nos.write(1, b'a\\xff\\n')",
        (),
        [("a\\xff\n", None)],
    ),
    "much before a prompt": (
        "print('x' * 7000)\ninput('p')",
        ("1",),
        [("x" * 7000 + "\np", "1"), ("", None)],
    ),
}


@pytest.mark.parametrize("name", ASKING)
def test_turns(driver: Driver, pipes: PipedDriver, name: str) -> None:
    program, lines, expected = ASKING[name]
    for way in (driver, pipes) if name != "select" else (driver,):
        seen = observe(way, program, run(*lines))
        assert (turns(seen), seen.raised, seen.ending) == (expected, None, Ending.ANSWERED)
        assert seen.exit_status == 0


def test_a_program_that_asks_for_more_input_ends_at_once(driver: Driver) -> None:
    program = "while True:\n    input('again? ')\n"
    seen = observe(driver, program, run("a"), Limits(cpu_seconds=60, wall_seconds=60))
    assert (seen.ending, seen.phase) == (Ending.ASKED_FOR_MORE, Phase.STIMULUS)
    assert turns(seen) == [("again? ", "a"), ("again? ", None)]


def test_code_that_runs_while_loading_gets_no_input(driver: Driver) -> None:
    program = "print('hello')\nname = input('name? ')\ndef f(): pass\n"
    seen = observe(driver, program, call("f()", "Ada"))
    assert (seen.ending, seen.phase) == (Ending.ASKED_FOR_MORE, Phase.LOADING)
    assert (seen.loading_printed, seen.turns) == ("hello\nname? ", ())


def test_a_call_with_its_conversation(driver: Driver) -> None:
    program = (
        "def ask():\n    while True:\n        x = input('move: ')\n"
        "        if x == 'ok':\n            return x\n        print('bad', x)\n"
    )
    seen = observe(driver, program, call("ask()", "no", "ok"))
    assert plain(seen.value) == "'ok'"
    assert turns(seen) == [("move: ", "no"), ("bad no\nmove: ", "ok"), ("", None)]
    assert seen.transcript() == "move: no\nbad no\nmove: ok\n"


@pytest.mark.parametrize("begin", [partial(Driver, tier=Tier.STANDARD), PipedDriver])
def test_a_job_in_the_background_interrupts_its_programs_too(
    interpreter: Interpreter, begin: Callable[[Interpreter], AnyDriver]
) -> None:
    program, lines, expected = ASKING["interrupt"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for `harness … &`
    try:
        with begin(interpreter) as driver:
            seen = observe(driver, program, run(*lines))
    finally:
        signal.signal(signal.SIGINT, before)
    assert (turns(seen), seen.ending) == (expected, Ending.ANSWERED)


def test_without_notifications_the_turns_are_the_same(interpreter: Interpreter) -> None:
    with Driver(interpreter, Tier.STANDARD, notify=False) as driver:
        for name, (program, lines, expected) in ASKING.items():
            if name != "select":
                seen = observe(driver, program, run(*lines))
                assert (turns(seen), seen.raised) == (expected, None), name
        program = "print('a')\nwhile True:\n    input('> ')\n"
        seen = observe(driver, program, run("x"))
        assert (seen.ending, seen.reads) == (Ending.ASKED_FOR_MORE, 1)
        seen = observe(driver, "x = input()\ndef f(): pass\n", call("f()", "a"))
        assert (seen.ending, seen.phase) == (Ending.ASKED_FOR_MORE, Phase.LOADING)


PROMPTING = """
import sys
def ask():
    print("head")
    print("a", end="")
    first = input("N\u00e4m\u00e9?\\n> ")
    print("b", end=" ")
    second = input()
    print("c", end="", flush=True)
    third = sys.stdin.readline()
    return first, second, third, input("more? ")
"""


def test_the_text_of_an_input_call_is_told_from_other_output(driver: AnyDriver) -> None:
    stimulus = call("ask()", "x", "y", "z", marks_prompts=True)
    seen = observe(driver, PROMPTING, stimulus)
    assert seen.ending is Ending.ASKED_FOR_MORE
    shown = [(turn.printed, turn.prompt) for turn in seen.turns]
    first = ("head\naN\u00e4m\u00e9?\n> ", "N\u00e4m\u00e9?\n> ")
    assert shown == [first, ("b ", ""), ("c", ""), ("more? ", "more? ")]
    unmarked = observe(driver, PROMPTING, call("ask()", "x", "y", "z"))
    assert [turn.printed for turn in unmarked.turns] == [turn.printed for turn in seen.turns]
    assert not any(turn.prompt for turn in unmarked.turns)


ASKS_AT_LOAD = """
name = input("Name? ")
def f(word):
    return word + name + input()
"""


def test_lines_are_typed_while_a_program_loads_and_afterwards(driver: AnyDriver) -> None:
    at_load = (Typed(text="Ann"),)
    seen = observe(driver, ASKS_AT_LOAD, call("f('Hi ')", "!", at_load=at_load))
    assert (seen.ending, seen.value) == (Ending.ANSWERED, Value.of("Hi Ann!"))
    assert (seen.loading_printed, seen.reads) == ("Name? ", 1)
    seen = observe(driver, ASKS_AT_LOAD, call("f('')", "Ann", "!"))
    assert (seen.ending, seen.phase) == (Ending.ASKED_FOR_MORE, Phase.LOADING)


SIGNATURES = """
class Animal:
    kind = "any"
    def __init__(self, name, *, age=0):
        self.name = name
        self._age = age
class Pet(Animal):
    @staticmethod
    def of(name): ...
    @property
    def old(self): ...
    def feed(self, food="hay", *more, **how):
        self.hungry = False
limit = 3
"""
NAMES = {
    "Pet": ("class", ["name", "*", "age=0"], ["hungry", "kind", "name", "old"]),
    "Pet.of": ("function", ["name"], []),
    "Pet.feed": ("function", ["food='hay'", "*more", "**how"], []),
    "Pet.old": ("value", None, []),
    "Pet.name": ("nothing", None, []),
    "limit": ("value", None, []),
}


def test_a_name_tells_what_it_is_and_how_it_is_called(driver: AnyDriver) -> None:
    known = tuple(FunctionSignature(name=name, parameters=()) for name in ("Pet", "limit"))
    of = replace(assignment(), functions=known)
    for name, (what, parameters, attributes) in NAMES.items():
        seen = observe(driver, SIGNATURES, Stimulus(action=Exists(expression=name)), of=of)
        told = {"is": what, "parameters": parameters, "attributes": attributes}
        assert seen.value == Value.of(told), name


def test_many_turns_are_never_mixed_up(one_driver: Driver) -> None:
    program = "import sys\nfor i in range(300):\n    print(i, input(f'{i}> '))\n"
    seen = observe(one_driver, program, run(*[f"line {i}" for i in range(300)]), Limits())
    assert seen.transcript() == "".join(f"{i}> line {i}\n{i} line {i}\n" for i in range(300))


def test_expect_keeps_its_meaning() -> None:
    terminal = Terminal(plain_screen())
    os.write(terminal.slave, b"Welcome\nname? ")
    terminal.expect_exact(b"name? ")
    assert terminal.before == b"Welcome\n"
    os.write(terminal.slave, b"Hello Ada!\n")
    assert terminal.expect([rb"Hello (\w+)!", pexpect.EOF]) == 0
    assert terminal.match.group(1) == b"Ada"
    with pytest.raises(pexpect.TIMEOUT):
        terminal.expect_exact(b"never", timeout=0.01)
    terminal.finish()
    terminal.expect(pexpect.EOF)
    assert terminal.screen.raw == b"Welcome\nname? Hello Ada!\n"
    terminal.close()


def test_the_part_of_pexpect_in_the_self_check_file_means_the_same() -> None:
    """Both kinds of terminal under the same conversation."""
    seen = []
    for kind, ended, late in (
        (pexpect.fdpexpect.fdspawn, pexpect.EOF, pexpect.TIMEOUT),
        (without_pexpect.fdspawn, without_pexpect.EOF, without_pexpect.TIMEOUT),
    ):
        master, slave = open_pty()
        os.set_blocking(master, False)
        terminal = kind(master, timeout=1, maxread=100, use_poll=True)
        with pytest.raises(late):
            terminal.read_nonblocking(10, timeout=0.01)
        with pytest.raises(BlockingIOError):
            super(kind, terminal).read_nonblocking(10)
        terminal.send(b"typed\n")
        os.write(slave, b"printed")
        seen.append((os.read(slave, 100), terminal.read_nonblocking(100, timeout=5)))
        os.close(slave)
        with pytest.raises(ended):
            terminal.read_nonblocking(10, timeout=5)
        terminal.close()
    assert seen == [(b"typed\n", b"printed")] * 2


def test_quick_limits_do_not_cut_a_conversation_short(driver: Driver) -> None:
    seen = observe(driver, "for _ in range(20):\n    input()\n", run(*["x"] * 20), QUICK)
    assert (seen.ending, seen.reads) == (Ending.ANSWERED, 20)


NO_TERMINALS = Path(__file__).with_name("no_terminals.py")
ROOT = Path(harness.__file__).parent.parent
# What only POSIX has, of all that the programs of ours inside import.
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"}


@pytest.fixture(scope="module")
def terminal(interpreter: Interpreter) -> Iterator[Driver]:
    """What `pipes` is compared with."""
    with Driver(interpreter, Tier.PORTABLE) as running:
        yield running


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
    "a missing function": call("message()"),
    "lines": call("ask(2)", "a", "b"),
    "a line too few": call("ask(3)", "a"),
    "a wrong argument": call("ask('x')"),
    "lines of a session": session("x = ask(1)", "x", "1 / 0", lines=("q",)),
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
def ask(n):
    print(BOARD_SIZE)
    return [input(f"{i}> ") for i in range(n)]
if __name__ == "__main__":
    raise SystemExit(int(input("n? ")))
"""


def test_the_same_is_observed_whatever_is_between(
    pipes: PipedDriver, terminal: Driver, driver: Driver
) -> None:
    handed_in = assignment(), (source(PROGRAM),)
    with (
        driver.submission(*handed_in) as confined,
        terminal.submission(*handed_in) as portable,
        pipes.submission(*handed_in) as piped,
    ):
        for name, stimulus in QUESTIONS.items():
            expected = confined.observe(stimulus, QUICK)
            for way in (portable, piped):
                assert way.observe(stimulus, QUICK) == expected, name


def test_no_child_of_a_program_survives(pipes: PipedDriver) -> None:
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


def test_one_that_does_not_read_what_it_is_sent_is_ended(tmp_path: Path) -> None:
    command = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    process = PipedProcess(command, dict(os.environ), str(tmp_path), Limits(cpu_seconds=0.01))
    process.beats.began = True
    process.send(bytes(1_000_000))
    assert process.exit_code() == -signal.SIGKILL
    process.close()


KINDS = ("stimuli.call", "stimuli.session", "stimuli.run")


@pytest.mark.parametrize("module", sorted({*_MODULES, *KINDS} - {"stimuli"}))
def test_confined_code_needs_nothing_of_posix(module: str) -> None:
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


def test_the_package_is_imported_without_terminals(tmp_path: Path) -> None:
    assert has_terminals()
    program = tmp_path / "program.py"
    program.write_text(WITHOUT, "utf-8")
    done = ran([sys.executable, NO_TERMINALS, program], env={"PYTHONPATH": str(ROOT)})
    assert done.stderr == ""
    first, refusal, last = done.stdout.splitlines()
    assert first == "False PipedDriver portable False"
    assert refusal.startswith("the standard tier is required, but does not work on this machine")
    assert last == "IT WORKS"


def test_a_long_answer_and_what_is_told_meanwhile_do_not_mix(
    piped_driver: PipedDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(piped, "_HEARTBEAT", 0.0001)
    with piped_driver.tool({"t": "def f(text): return text * 3_000_000"}, "t:f") as tool:
        assert tool.run("a") == "a" * 3_000_000
