"""Broken and hostile programs: each ends where it should, and harms nobody but itself."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from harness.execution import AnyDriver, Driver, Interpreter
from harness.execution.piped import PipedDriver
from harness.model.observation import Ending, Filled, OutputLimit, Phase, Tier
from harness.model.stimulus import Limits
from tests.execution.small_world import (
    QUICK,
    assignment,
    call,
    observe,
    plain,
    session,
    source,
)
from tests.hostile.hostile_machine import below
from tests.per_commit import per_commit

CATCHES = "while True:\n        try:\n            while True: pass\n        except: pass"
IGNORES = (
    "import signal\n    for n in (24, 27, 14, 15):\n        signal.signal(n, signal.SIG_IGN)\n"
    "    while True: pass"
)
# What a function does, how that ends and the detail; over pipes as well what is named so below.
ENDINGS: dict[str, tuple[str, Ending, str]] = {
    "loop": ("while True: pass", Ending.CPU_LIMIT, ""),
    "loop that catches everything": (CATCHES, Ending.CPU_LIMIT, ""),
    "loop that ignores signals": (IGNORES, Ending.CPU_LIMIT, ""),
    "sleep": ("import time; time.sleep(60)", Ending.TIMEOUT, ""),
    "large power": ("return 7 ** 10 ** 8", Ending.CPU_LIMIT, ""),
    "regex": ("import re; re.match('(a+)+$', 'a' * 40 + 'b')", Ending.CPU_LIMIT, ""),
    "memory": ("return [0] * 10 ** 9", Ending.MEMORY_LIMIT, ""),
    "memory by and by": (
        "x = []\n    while True: x.append(bytearray(1000000))",
        Ending.MEMORY_LIMIT,
        "",
    ),
    "os._exit": ("import os; os._exit(0)", Ending.ENDED_EARLY, "exit status 0"),
    "os._exit 3": ("import os; os._exit(3)", Ending.ENDED_EARLY, "exit status 3"),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", Ending.CRASHED, "SIGSEGV"),
    "flood": ("while True: print('x' * 100)", Ending.OUTPUT_LIMIT, ""),
    "endless prompts": ("while True: input('again? ' * 100)", Ending.ASKED_FOR_MORE, ""),
    "closes everything and spins": (
        "import os\n    os.closerange(0, 200)\n    while True: pass",
        Ending.CPU_LIMIT,
        "",
    ),
    "closes everything": ("import os; os.closerange(0, 200)", Ending.ENDED_EARLY, "exit status 70"),
    "exec": ("import os; os.execv('/bin/true', ['true'])", Ending.ANSWERED, ""),
}
OVER_PIPES = ENDINGS | {
    "a loop that holds the interpreter": ("sum(range(10**12))", Ending.CPU_LIMIT, ""),
    "a read past us": ("open(0).read()", Ending.TIMEOUT, ""),
    "exec": ("import os; os.execv('/bin/true', ['true'])", Ending.ENDED_EARLY, "exit status 0"),
}
QUICK_OVER_PIPES = ("loop", "sleep", "flood", "endless prompts", "memory", "segmentation fault")


@pytest.mark.parametrize("name", ENDINGS)
def test_how_it_ends(driver: Driver, name: str) -> None:
    how_it_ends(driver, *ENDINGS[name])


@pytest.mark.parametrize("name", per_commit(OVER_PIPES, *QUICK_OVER_PIPES))
def test_how_it_ends_over_pipes(pipes: PipedDriver, name: str) -> None:
    how_it_ends(pipes, *OVER_PIPES[name])


def how_it_ends(driver: AnyDriver, body: str, ending: Ending, detail: str) -> None:
    limits = replace(QUICK, cpu_seconds=0.1) if ending is Ending.CPU_LIMIT else QUICK
    seen = observe(driver, f"def f():\n    {body}\n", call("f()"), limits)
    assert (seen.ending, seen.detail, seen.phase) == (ending, detail, Phase.STIMULUS)


def test_limits_hold_while_loading(driver: Driver) -> None:
    flood = ("x" * 100 + "\n") * 100
    for program, ending, printed in (
        ("print('a')\nwhile True: pass\n", Ending.CPU_LIMIT, "a\n"),
        ("import os; os._exit(0)\n", Ending.ENDED_EARLY, ""),
        ("while True: print('x' * 100)\n", Ending.OUTPUT_LIMIT, flood[: QUICK.output_kib * 1024]),
    ):
        seen = observe(driver, program, call("f()"))
        assert (seen.ending, seen.phase, seen.loading_printed) == (ending, Phase.LOADING, printed)


def test_output_is_cut_at_exactly_the_limit(driver: Driver, pipes: PipedDriver) -> None:
    most = QUICK.output_kib * 1024
    for count, ending in ((most, Ending.ANSWERED), (most + 1, Ending.OUTPUT_LIMIT)):
        program = f"def f():\n    print('x' * {count}, end='')\n"
        for way in (driver, pipes):
            seen = observe(way, program, call("f()"))
            assert (seen.ending, seen.printed) == (ending, "x" * most)
            full = OutputLimit(filled=Filled.SCREEN, kib=QUICK.output_kib)
            assert seen.output_limit == (full if ending is Ending.OUTPUT_LIMIT else None)


def test_a_fraction_of_a_second_of_cpu_is_honoured(driver: Driver) -> None:
    program = "def f():\n    while True: pass\n"
    used = []
    while not used or (used[-1] >= 0.2 and len(used) < 10):  # we may look late on a busy machine
        seen = observe(driver, program, call("f()"), Limits(cpu_seconds=0.05))
        assert seen.ending is Ending.CPU_LIMIT
        assert seen.cpu_seconds >= 0.05
        used.append(seen.cpu_seconds)
    assert used[-1] < 0.2, used


def test_a_session_that_ends_keeps_what_it_did(driver: Driver) -> None:
    program = "def f():\n    print('in f')\n    while True: pass\n"
    seen = observe(driver, program, session("x = 1", "x", "f()", "2"))
    assert seen.ending is Ending.CPU_LIMIT
    assert [(step.printed, plain(step.value)) for step in seen.steps] == [
        ("", None),
        ("", "1"),
        ("in f\n", None),
    ]


# Beside what `forbidden_acts.py` tries in every tier that confines: see test_tiers.py.
FORBIDDEN: dict[str, str] = {
    "password file": "open('/etc/passwd').read()",
    "root folder": "os.listdir('/')",
    "own environment": "open('/proc/self/environ').read()",
    "kill by group": "os.killpg(0, 9)",
    "priority": "os.nice(1)",
    "write in /tmp": "open('/tmp/written-by-a-submission', 'w')",
    "truncate": "os.truncate({spec!r}, 0)",
    "remove": "os.remove({spec!r})",
    "mode": "os.chmod({spec!r}, 0)",
    "folder": "os.mkdir('/tmp/y')",
    "own terminal anew": "open('/dev/tty')",
    "memory file": "os.memfd_create('x')",
}


def test_a_forbidden_act_fails(one_driver: Driver, tmp_path: Path) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text("expected: 42\n", "utf-8")
    tmp_path.chmod(0o755)
    program = "import os\ndef f(number):\n" + "".join(
        f"    if number == {number}: {act.format(spec=str(spec))}\n"
        for number, act in enumerate(FORBIDDEN.values())
    )
    for number, name in enumerate(FORBIDDEN):
        seen = observe(one_driver, program, call(f"f({number})"))
        assert seen.ending is Ending.ANSWERED, name
        assert seen.raised.type_name in ("OSError", "PermissionError", "FileNotFoundError"), name
        assert spec.read_text("utf-8") == "expected: 42\n", name


PATCHES = {
    "builtins": "import builtins\nfor name in ('len', 'type', 'repr', 'str', 'id', 'list'):\n"
    "    setattr(builtins, name, None)\n",
    "os": "import os\nos.write = os._exit = os.dup2 = None\n",
    "sys": "import sys\nsys.stdout = sys.stderr = None\nsys.modules.clear()\nsys.meta_path = []\n",
    "streams": "import sys\nclass S:\n    def flush(self): raise SystemExit\nsys.stdout = S()\n",
    "recursion": "import sys\nsys.setrecursionlimit(50)\n",
    "digits": "import sys\nsys.set_int_max_str_digits(640)\n",
}


@pytest.mark.parametrize("name", PATCHES)
def test_a_program_patches_only_itself(driver: Driver, name: str) -> None:
    seen = observe(driver, f"{PATCHES[name]}def f(x):\n    return [x, 1]\n", call("f('a')"))
    assert (seen.ending, plain(seen.value)) == (Ending.ANSWERED, "['a', 1]")
    clean = observe(driver, "def f(x):\n    return [x, 1]\n", call("f('a')"))
    assert plain(clean.value) == "['a', 1]"


COMPILE_BOMBS = {
    "brackets": "(" * 100_000,
    "deep expression": "x = " + "-" * 500_000 + "1\n",
    "deep tree": "x = " + "+".join(["1"] * 200_000) + "\n",
    "null byte": "x = 1\0\n",
    "codec": "# -*- coding: nonsense -*-\nx = 1\n",
    "rot13": "# -*- coding: rot13 -*-\nk = 1\n",
    "large constants": "x = " + "(1,) * 255 * " * 3 + "1\ny = 'a' * 4096 * 4096\n",
}


def test_compiling_ends_when_its_time_is_over(one_driver: Driver) -> None:
    long = "".join(f"def f{n}(a):\n    return [a, {n}]\n" for n in range(10_000))
    files = (source(long),)
    with one_driver.submission(assignment(), files, preparing_seconds=0.01) as server:
        seen = server.observe(call("f()"), QUICK)
    assert (seen.ending, seen.phase) == (Ending.CPU_LIMIT, Phase.LOADING)


@pytest.mark.parametrize("name", COMPILE_BOMBS)
def test_a_file_cannot_hurt_its_server(driver: Driver, name: str) -> None:
    seen = observe(driver, COMPILE_BOMBS[name], call("f()"))
    assert seen.phase is Phase.LOADING or seen.ending is Ending.MISSING
    limits = (Ending.MEMORY_LIMIT, Ending.CPU_LIMIT)
    assert seen.ending in (Ending.ANSWERED, Ending.CRASHED, Ending.MISSING, *limits)
    assert plain(observe(driver, "def f(): return 1\n", call("f()")).value) == "1"


def test_the_terminals_modes_are_fresh_for_each_scenario(driver: Driver) -> None:
    program = (
        "import termios, tty, sys\n"
        "def f():\n    was = termios.tcgetattr(0)\n    tty.setraw(0)\n    return was[3]\n"
        "def g():\n    return termios.tcgetattr(0)[3]\n"
    )
    with driver.submission(assignment(), (source(program),)) as server:
        first = server.observe(call("f()"), QUICK)
        second = server.observe(call("g()"), QUICK)
    assert first.value == second.value is not None


def test_nothing_is_left_running(interpreter: Interpreter) -> None:
    before = below(os.getpid())
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    with Driver(interpreter, Tier.STANDARD) as driver:
        during = below(os.getpid()) - before
        assert len(during) == 2  # the zygote, and the compile worker
        for body in ("while True: pass", "import time; time.sleep(99)", "return 1"):
            observe(driver, f"def f():\n    {body}\n", call("f()"))
            assert below(os.getpid()) - before == during
    assert below(os.getpid()) == before
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


def test_a_daemon_in_the_portable_tier_does_not_survive(portable_driver: Driver) -> None:
    program = (
        "import os, time\n"
        "def f():\n"
        "    ours, theirs = os.pipe()\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            print(os.getpid(), flush=True)\n"
        "            os.write(theirs, b'.')\n"
        "            time.sleep(600)\n"
        "        os._exit(0)\n"
        "    os.read(ours, 1)\n"
        "    return 1\n"
    )
    before = below(os.getpid())
    with portable_driver.submission(assignment(), (source(program),)) as server:
        during = below(os.getpid())
        seen = server.observe(call("f()"), QUICK)
        daemon = int(seen.printed)
        assert plain(seen.value) == "1"
        assert not Path(f"/proc/{daemon}").exists()
        assert below(os.getpid()) == during
    assert below(os.getpid()) == before
