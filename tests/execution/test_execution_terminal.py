"""Programs that ask: a line is typed when it is asked for, and at no other time."""

from __future__ import annotations

import os
import signal

import pexpect
import pexpect.fdpexpect
import pytest

from harness.execution import Driver, Interpreter
from harness.execution.linux import without_pexpect
from harness.execution.linux.pexpect_terminal import Terminal, open_pty
from harness.execution.protocol.observation import plain_screen
from harness.model.observation import Ending, Phase, Tier
from harness.model.stimulus import Key, Limits, Stimulus
from tests.execution.small_world import (
    QUICK,
    call,
    observe,
    plain,
    run,
    turns,
    typed,
)

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
    "bytes that are no text": (
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
def test_turns(driver: Driver, name: str) -> None:
    program, lines, expected = ASKING[name]
    seen = observe(driver, program, run(*lines))
    assert (turns(seen), seen.raised, seen.ending) == (expected, None, Ending.ANSWERED)
    assert seen.exit_status == 0


def test_asking_for_more_ends_at_once(driver: Driver) -> None:
    program = "while True:\n    input('again? ')\n"
    seen = observe(driver, program, run("a"), Limits(cpu_seconds=60, wall_seconds=60))
    assert (seen.ending, seen.phase) == (Ending.ASKED_FOR_MORE, Phase.STIMULUS)
    assert turns(seen) == [("again? ", "a"), ("again? ", None)]


def test_what_runs_while_loading_gets_no_input(driver: Driver) -> None:
    program = "print('hello')\nname = input('name? ')\ndef f(): pass\n"
    seen = observe(driver, program, call("f()", "Ada"))
    assert (seen.ending, seen.phase) == (Ending.ASKED_FOR_MORE, Phase.LOADING)
    assert (seen.loading_printed, seen.turns) == ("hello\nname? ", ())


def test_text_printed_while_loading_stands_apart(driver: Driver) -> None:
    program = "print('loading', end='')\ndef f():\n    return input('ask ')\n"
    seen = observe(driver, program, call("f()", "x"))
    assert (seen.loading_printed, turns(seen)) == ("loading", [("ask ", "x"), ("", None)])


def test_a_call_with_its_conversation(driver: Driver) -> None:
    program = (
        "def ask():\n    while True:\n        x = input('move: ')\n"
        "        if x == 'ok':\n            return x\n        print('bad', x)\n"
    )
    seen = observe(driver, program, call("ask()", "no", "ok"))
    assert plain(seen.value) == "'ok'"
    assert turns(seen) == [("move: ", "no"), ("bad no\nmove: ", "ok"), ("", None)]
    assert seen.transcript() == "move: no\nbad no\nmove: ok\n"


def test_a_job_in_the_background_interrupts_its_programs_too(interpreter: Interpreter) -> None:
    program, lines, expected = ASKING["interrupt"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for `harness … &`
    try:
        with Driver(interpreter, Tier.STANDARD) as driver:
            seen = observe(driver, program, run(*lines))
    finally:
        signal.signal(signal.SIGINT, before)
    assert (turns(seen), seen.ending) == (expected, Ending.ANSWERED)


def test_without_notifications_the_turns_are_the_same(interpreter: Interpreter) -> None:
    unseen = {"select"}
    with Driver(interpreter, Tier.STANDARD, notify=False) as driver:
        for name, (program, lines, expected) in ASKING.items():
            if name in unseen:
                continue
            seen = observe(driver, program, run(*lines))
            assert (name, turns(seen), seen.raised) == (name, expected, None)
        program = "print('a')\nwhile True:\n    input('> ')\n"
        seen = observe(driver, program, run("x"))
        assert (seen.ending, seen.reads) == (Ending.ASKED_FOR_MORE, 1)
        seen = observe(driver, "x = input()\ndef f(): pass\n", call("f()", "a"))
        assert (seen.ending, seen.phase) == (Ending.ASKED_FOR_MORE, Phase.LOADING)


def test_many_turns_are_never_mixed_up(one_driver: Driver) -> None:
    program = "import sys\nfor i in range(300):\n    print(i, input(f'{i}> '))\n"
    stimulus = Stimulus(action=run().action, inputs=typed(*[f"line {i}" for i in range(300)]))
    seen = observe(one_driver, program, stimulus, Limits())
    expected = "".join(f"{i}> line {i}\n{i} line {i}\n" for i in range(300))
    assert seen.transcript() == expected


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
