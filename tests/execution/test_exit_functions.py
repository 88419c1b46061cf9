"""How a program ends: what it leaves to `atexit`, what it printed and has not yet shown, its exit
status, and the traceback that it prints itself, each as Python has it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.execution import AnyDriver, Driver
from harness.execution.piped import PipedDriver
from harness.model.observation import Ending
from tests.execution.small_world import (
    QUICK,
    ROOMY,
    assignment,
    call,
    observe,
    plain,
    run,
    session,
    source,
)

ERRS = "import atexit, sys\natexit.register(lambda: print('late', file=sys.stderr))\n"
# A program's text, what it shows, and its exit status: from a terminal with Python 3.12.
ENDS = {
    "it leaves": ("raise SystemExit", "", 0),
    "it leaves with a status": ("raise SystemExit(3)", "", 3),
    "it leaves with a message": ("raise SystemExit('bye')", "bye\n", 1),
    "exit": ("exit()", "", 0),
    "a status of True": ("quit(True)", "", 1),
    "a status of 256": ("import sys; sys.exit(256)", "", 0),
    "a line that is not ended stands before what is written at the end": (
        f"{ERRS}print('Score: 5', end='')\n",
        "Score: 5late\n",
        0,
    ),
    "it stands before the message of the exit": (
        f"{ERRS}print('Score: 5', end='')\nsys.exit('no')\n",
        "Score: 5no\nlate\n",
        1,
    ),
    "stderr is shown first": (
        "import sys\nprint('out', end='')\nsys.stderr.write('err ')\n",
        "err out",
        0,
    ),
    "a status that is an IntEnum": (
        "import enum, sys\nclass Code(enum.IntEnum):\n    BAD = 3\nsys.exit(Code.BAD)\n",
        "",
        3,
    ),
    "stderr is None": (
        "import atexit, sys\nsys.stderr = None\natexit.register(print, 'bye')\nsys.exit('no')\n",
        "no\nbye\n",
        1,
    ),
    "the status has no text": (
        "import sys\nclass Odd:\n    def __str__(self): raise ValueError\nsys.exit(Odd())\n",
        "",
        1,
    ),
    "the status lies about its class": (
        "import sys\nclass Odd:\n    __class__ = int\n    def __str__(self): return 'odd'\n"
        "sys.exit(Odd())\n",
        "odd\n",
        1,
    ),
    "both streams are closed": (
        "import sys\nprint('a')\nsys.stderr.close()\nsys.stdout.close()\nsys.exit(4)\n",
        "a\n",
        4,
    ),
    "a traceback that it prints": (
        "import sys, traceback\ntry:\n    [][1]\nexcept IndexError:\n"
        "    print(traceback.format_exc().splitlines()[2].strip())\n",
        "[][1]\n",
        0,
    ),
    "an exception that it logs": (
        "import logging, sys\nlogging.basicConfig(stream=sys.stdout, format='%(message)s')\n"
        "try:\n    int('x')\nexcept ValueError:\n    logging.exception('wrong')\nprint('on')\n",
        None,
        0,
    ),
    "registered by what is registered": (
        "import atexit\ndef f(n):\n    print(n)\n    if n: atexit.register(f, n - 1)\n"
        "atexit.register(f, 2)\n",
        "2\n",
        0,
    ),
    "unregistered by what is registered": (
        "import atexit\ndef f():\n    print('f')\n    atexit.unregister(f)\n"
        "atexit.register(f)\natexit.register(f)\n",
        "f\n",
        0,
    ),
    "sys.exit at the end": (
        "import atexit, io, sys\nsys.stderr = io.StringIO()\n"
        "atexit.register(lambda: sys.exit(3))\natexit.register(print, 'bye')\nsys.exit(2)\n",
        "bye\n",
        2,
    ),
    "a finalizer": (
        "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, 'gone')\n"
        "print('end')\n",
        "end\ngone\n",
        0,
    ),
    "it clears the modules": (
        "import atexit, sys\natexit.register(sys.modules.clear)\natexit.register(print, 'bye')\n",
        "bye\n",
        0,
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_program_ends_as_at_home(way: AnyDriver, name: str) -> None:
    program, shown, status = ENDS[name]
    seen = observe(way, program, run(), ROOMY)
    assert (seen.ending, seen.raised, seen.exit_status) == (Ending.ANSWERED, None, status)
    if shown is None:
        assert seen.printed.startswith("wrong\nTraceback")
        assert "    int('x')\n" in seen.printed
        assert seen.printed.endswith(
            "ValueError: invalid literal for int() with base 10: 'x'\non\n"
        )
    else:
        assert seen.printed == shown


THREADS = {
    "one that it does not wait for": (
        "import atexit, threading, time\natexit.register(print, 'bye')\n"
        "def late():\n    time.sleep(0.2)\n    print('thread')\n"
        "threading.Thread(target=late).start()\nprint('main')\n",
        "main\nthread\nbye\n",
        Ending.ANSWERED,
    ),
    "a timer": (
        "import threading\nthreading.Timer(0.1, print, ['ring']).start()\nprint('main')\n",
        "main\nring\n",
        Ending.ANSWERED,
    ),
    "a daemon": (
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(99,), daemon=True).start()\nprint('main')\n",
        "main\n",
        Ending.ANSWERED,
    ),
    "one that never ends": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()\n"
        "print('main')\n",
        "main\n",
        Ending.TIMEOUT,
    ),
    "what is no module": ("import sys\nsys.modules['threading'] = 7\n", "", Ending.ANSWERED),
}


@pytest.mark.parametrize("name", THREADS)
def test_a_program_ends_after_its_threads(piped_driver: PipedDriver, name: str) -> None:
    program, shown, ending = THREADS[name]
    limits = replace(QUICK, wall_seconds=0.8) if ending is Ending.TIMEOUT else QUICK
    seen = observe(piped_driver, program, run(), limits)
    assert (seen.ending, seen.printed) == (ending, shown)


# What is called at the end, and how that ends the program.
HELD = {
    "it sleeps again and again": ("while True: time.sleep(1)", Ending.TIMEOUT),
    "it waits": ("select.select([], [], [], 99)", Ending.TIMEOUT),
    "it asks again and again": ("while True: input('? ')", Ending.ASKED_FOR_MORE),
    "it computes without end": ("while True: pass", Ending.CPU_LIMIT),
    "it prints without end": ("while True: print('x' * 100)", Ending.OUTPUT_LIMIT),
    "it leaves": ("os._exit(0)", Ending.ENDED_EARLY),
    "it closes everything": ("os.closerange(0, 200)", Ending.ENDED_EARLY),
}


@pytest.mark.parametrize("name", HELD)
def test_what_is_called_at_the_end_is_within_the_limits(
    one_driver: Driver, piped_driver: PipedDriver, name: str
) -> None:
    body, ending = HELD[name]
    program = f"import atexit, os, select, time\n@atexit.register\ndef late():\n    {body}\n"
    limits = replace(QUICK, wall_seconds=0.5) if ending is Ending.TIMEOUT else QUICK
    for driver in (one_driver, piped_driver):
        assert observe(driver, program, run("a"), limits).ending is ending


def test_no_scenario_meets_what_another_left_or_slept(way: AnyDriver) -> None:
    program = (
        "import atexit, time\nbegan = time.time()\ndef f():\n    atexit.register(print, 'late')\n"
        "    time.sleep(5)\n    return round(time.time() - began)\n"
        "if __name__ == '__main__':\n    print(f())\n"
    )
    with way.submission(assignment(), (source(program),)) as server:
        for _ in range(2):
            seen = server.observe(call("f()"), ROOMY)
            assert (plain(seen.value), seen.printed) == ("5", "")
            assert server.observe(run(), ROOMY).printed == "5\nlate\n"
        steps = server.observe(session("f()", "f()"), replace(ROOMY, wall_seconds=11)).steps
    assert [plain(each.value) for each in steps] == ["5", "10"]


def test_a_program_that_cannot_start_a_thread_ends(one_driver: Driver) -> None:
    program = (
        "import atexit, threading\natexit.register(print, 'bye')\ntry:\n"
        "    threading.Thread(target=print).start()\nexcept RuntimeError:\n    print('no')\n"
    )
    seen = observe(one_driver, program, run(), ROOMY)
    assert (seen.ending, seen.printed) == (Ending.ANSWERED, "no\nbye\n")
