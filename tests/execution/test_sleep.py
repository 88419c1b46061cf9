"""A sleep that nobody waits for: the clocks that a program reads move as if it had slept, its limit
on time asleep holds, and where something goes on meanwhile it is waited for. How a program ends:
what it leaves to `atexit`, what it printed and has not yet shown, its status and its traceback."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from harness.assignment.scenarios.stimulus import read_clock
from harness.execution import AnyDriver, Driver
from harness.execution.piped import PipedDriver
from harness.model.observation import Ending
from harness.model.stimulus import Limits
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
    turns,
)

LONG = Limits(cpu_seconds=2, wall_seconds=100, memory_mib=128, output_kib=64)
SHORT = Limits(cpu_seconds=2, wall_seconds=1.5, memory_mib=128, output_kib=64)
SOON = 60  # seconds, however busy the machine is: whoever waits for a sleep below takes longer


@pytest.fixture
def soon() -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < SOON


SPELLINGS = """\
import time
import time as t
from time import sleep
from time import sleep as nap, time as now
time.sleep(20)
def f():
    before = now()
    sleep(20)
    nap(20.5)
    t.sleep(19)
    return 59.5 <= now() - before < 59.5 + 60
"""


@pytest.mark.usefixtures("soon")
def test_a_sleep_takes_no_time_however_it_is_called(way: AnyDriver) -> None:
    seen = observe(way, SPELLINGS, call("f()"), LONG)
    assert (seen.ending, plain(seen.value)) == (Ending.ANSWERED, "True")


CLOCKS = """\
import datetime, time
from datetime import datetime as dt
from time import monotonic, perf_counter as measure
EPOCH = datetime.datetime(1970, 1, 1)
READ = [
    lambda: time.time(), lambda: time.time_ns() / 1e9, lambda: monotonic(),
    lambda: time.monotonic_ns() / 1e9, lambda: measure(), lambda: time.perf_counter_ns() / 1e9,
    lambda: time.clock_gettime(time.CLOCK_REALTIME),
    lambda: time.clock_gettime(time.CLOCK_MONOTONIC),
    lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1e9,
    lambda: dt.now().timestamp(), lambda: dt.now(datetime.timezone.utc).timestamp(),
    lambda: (dt.utcnow() - EPOCH).total_seconds(), lambda: time.mktime(time.localtime()),
    lambda: time.mktime(time.strptime(time.ctime())),
]
def f():
    before = [read() for read in READ]
    computed = time.process_time()
    time.sleep(80)
    moved = [read() - start for read, start in zip(READ, before)]
    wrong = [(n, each) for n, each in enumerate(moved) if not 79.99 < each < 99 + n // 12]
    early = [(n, each) for n, each in enumerate(moved[:10]) if each < 80]
    return wrong, early, time.process_time() - computed < 20
"""


@pytest.mark.usefixtures("soon")
def test_every_clock_moves_by_a_sleep_and_none_by_less(way: AnyDriver) -> None:
    assert plain(observe(way, CLOCKS, call("f()"), LONG).value) == "([], [], True)"


@pytest.mark.usefixtures("soon")
def test_a_clock_that_stands_still_moves_by_a_sleep(way: AnyDriver) -> None:
    program = (
        "import time, datetime\ndef f():\n    began = time.monotonic()\n"
        "    time.sleep(60)\n    time.sleep(0.5)\n"
        "    return str(datetime.datetime.now()), time.monotonic() - began > 60\n"
    )
    noon = read_clock("2026-03-01T23:59:30+10:00", "")
    seen = observe(way, program, call("f()", clock=noon), LONG)
    assert plain(seen.value) == "('2026-03-02 00:00:30.500000', True)"


GAME = """\
import time
def ask(text):
    print("...")
    time.sleep({seconds})
    return input(text)
if __name__ == "__main__":
    print(ask("one? "), ask("two? "))
"""


@pytest.mark.usefixtures("soon")
def test_who_sleeps_before_each_prompt_is_typed_what_it_asks_for(way: AnyDriver) -> None:
    seen = observe(way, GAME.format(seconds=40), run("a", "b"), LONG)
    assert (seen.ending, seen.exit_status) == (Ending.ANSWERED, 0)
    assert turns(seen) == [("...\none? ", "a"), ("...\ntwo? ", "b"), ("a b\n", None)]


TOO_LONG = {
    "once": ("    print(1)\n    time.sleep(20)\n    print(2)\n", "1\n"),
    "together": (
        "    for n in range(9):\n        print(n)\n        time.sleep(0.4)\n",
        "0\n1\n2\n3\n",
    ),
    "whatever is raised": (
        "    while True:\n        try:\n            print(1)\n            time.sleep(1.4)\n"
        "        except BaseException:\n            pass\n",
        "1\n1\n",
    ),
    "often": ("    while True:\n        time.sleep(0.001)\n", ""),
    "often and briefly": ("    while True:\n        time.sleep(0.0005)\n", ""),
}


def test_who_sleeps_for_the_whole_limit_is_within_it(way: AnyDriver) -> None:
    program = "import time\ndef f(n):\n    for _ in range(n): time.sleep(1.5 / n)\n    return n\n"
    for number in (1, 3, 10):
        seen = observe(way, program, call(f"f({number})"), SHORT)
        assert (seen.ending, plain(seen.value)) == (Ending.ANSWERED, str(number))


@pytest.mark.parametrize("name", TOO_LONG)
def test_who_sleeps_past_the_limit_ends_there(way: AnyDriver, name: str) -> None:
    body, printed = TOO_LONG[name]
    seen = observe(way, f"import time\ndef f():\n{body}", call("f()"), SHORT)
    assert (seen.ending, seen.printed) == (Ending.TIMEOUT, printed)


def test_a_program_that_is_loaded_too_long_ends_while_loading(way: AnyDriver) -> None:
    seen = observe(way, "import time\nfor _ in range(4): time.sleep(0.4)\n", call("f()"), SHORT)
    assert (seen.ending, seen.phase.value) == (Ending.TIMEOUT, "loading")


WRONG = ("sleep(-1)", "sleep('1')", "sleep()", "sleep(secs=1)", "sleep(float('nan'))",
         "sleep(1e300)", "sleep(10**400)", "sleep(1, 2)")  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_sleep_is_told_in_pythons_own_words(one_driver: Driver, text: str) -> None:
    program = f"import time\ndef f():\n    time.{text}\n"
    own = "import time\ndef f():\n    eval(bytes(" + str([*f"time.{text}".encode()]) + "))\n"
    told, meant = (observe(one_driver, each, call("f()"), LONG).raised for each in (program, own))
    assert (told.type_name, told.message) == (meant.type_name, meant.message)
    assert [(frame.file, frame.line) for frame in told.frames] == [("a1.py", 3)]


# What each prints depends on who is waited for.
MEANWHILE = {
    "a thread": (
        "import threading\n"
        "def late():\n    time.sleep(0.2)\n    print('late')\n"
        "def f():\n    one = threading.Thread(target=late)\n    one.start()\n    print('first')\n"
        "    one.join()\n",
        "first\nlate\n",
    ),
    "a thread without a name": (
        "import _thread\ndef f():\n    _thread.start_new_thread(print, ('thread',))\n"
        "    time.sleep(0.5)\n    print('main')\n",
        "thread\nmain\n",
    ),
    "a process": (
        "import subprocess, sys\ndef f():\n"
        "    one = subprocess.Popen([sys.executable, '-S', '-c', 'print(1)'])\n"
        "    while one.poll() is None:\n        time.sleep(0.05)\n    print(2)\n",
        "1\n2\n",
    ),
    "a child": (
        "import os\ndef f():\n    if os.fork() == 0:\n        time.sleep(0.3)\n"
        "        os.write(1, b'child')\n        os._exit(0)\n"
        "    os.write(1, b'parent ')\n    os.wait()\n",
        "parent child",
    ),
    "an alarm": (
        "import signal\ndef ring(*about): print('ring')\n"
        "def f():\n    signal.signal(signal.SIGALRM, ring)\n"
        "    signal.setitimer(signal.ITIMER_REAL, 0.1)\n    time.sleep(0.4)\n    print('awake')\n",
        "ring\nawake\n",
    ),
}


@pytest.mark.parametrize("name", MEANWHILE)
def test_a_sleep_is_waited_for_where_something_goes_on(pipes: PipedDriver, name: str) -> None:
    program, printed = MEANWHILE[name]
    seen = observe(pipes, f"import time\n{program}", call("f()"), LONG)
    assert (seen.ending, seen.printed) == (Ending.ANSWERED, printed)


def test_the_times_of_files_are_not_before_a_sleep(way: AnyDriver) -> None:
    program = (
        "import os, time\ndef f():\n    before = time.time()\n    time.sleep(0.3)\n"
        "    open('notes', 'w').close()\n    return os.path.getmtime('notes') - before > 0.2\n"
    )
    writing = replace(assignment(), writes_files=True)
    assert plain(observe(way, program, call("f()", folder=True), LONG, writing).value) == "True"


def test_a_program_that_does_not_sleep_has_pythons_own_clocks(way: AnyDriver) -> None:
    program = "import time\ndef f():\n    return [type(time.time) is type(len)]\n"
    assert plain(observe(way, program, call("f()"), LONG).value) == "[True]"


# What a program finds where it looks at a function of `time`, beside what Python's own gives.
AS_BUILTIN = {
    "in a class": (
        "class Clock:\n    nap = time.sleep\n    now = time.time\n    lap = time.perf_counter\n"
        "    day = time.localtime\n"
        "def f():\n    c = Clock()\n    c.nap(0.01)\n"
        "    return c.now() > 0, c.lap() > 0, c.day().tm_year > 2000\n",
        "(True, True, True)",
    ),
    "a copy": (
        "import copy, pickle\ndef f():\n    own = time.time\n"
        "    return [each is own for each in\n"
        "            (copy.copy(own), copy.deepcopy(own), pickle.loads(pickle.dumps(own)))]\n",
        "[True, True, True]",
    ),
    "its names": (
        "def f():\n    own = time.sleep\n"
        "    return own.__name__, own.__qualname__, own.__module__, repr(own), own.__doc__[:5]\n",
        "('sleep', 'sleep', 'time', '<built-in function sleep>', 'sleep')",
    ),
    "without parentheses": (
        "def f():\n    try:\n        return time.time - 1\n    except TypeError as error:\n"
        "        return str(error)\n",
        "\"unsupported operand type(s) for -: 'builtin_function_or_method' and 'int'\"",
    ),
    "too much given": (
        "def f():\n    try:\n        return time.time(1)\n    except TypeError as error:\n"
        "        return str(error)\n",
        "'time.time() takes no arguments (1 given)'",
    ),
    "by name": (
        "def f():\n    try:\n        time.localtime(secs=1)\n    except TypeError as error:\n"
        "        return str(error)\n",
        "'localtime() takes no keyword arguments'",
    ),
    "None for a time": (
        "def f():\n    told = [time.localtime(None).tm_year, time.gmtime(None).tm_year]\n"
        "    for wrong in (lambda: time.asctime(None), lambda: time.strftime('%Y', None)):\n"
        "        try: told.append(wrong())\n        except TypeError: pass\n"
        "    return len(told)\n",
        "2",
    ),
}


@pytest.mark.parametrize("name", AS_BUILTIN)
def test_replacements_of_builtin_functions_are_like_them(one_driver: Driver, name: str) -> None:
    body, value = AS_BUILTIN[name]
    for begins in ("import time\n", "import time  # no sleep\n"):
        seen = observe(one_driver, begins + body, call("f()"), LONG)
        assert (seen.raised, plain(seen.value)) == (None, value)


def test_one_that_is_returned_is_a_function(one_driver: Driver) -> None:
    for begins in ("import time\n", "import time  # no sleep\n"):
        program = f"{begins}def f():\n    return [time.time, time.perf_counter]\n"
        seen = observe(one_driver, program, call("f()"), LONG)
        assert plain(seen.value) == "[<function time>, <function perf_counter>]"


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
def test_a_program_ends_as_in_plain_python(way: AnyDriver, name: str) -> None:
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
    "what is not a module": ("import sys\nsys.modules['threading'] = 7\n", "", Ending.ANSWERED),
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
    "it leaves": ("os._exit(0)", Ending.ANSWERED),  # as a person at a terminal sees it
    "it closes everything": ("os.closerange(0, 200)", Ending.ANSWERED),
}


@pytest.mark.parametrize("name", HELD)
def test_functions_called_at_the_end_are_within_the_limits(
    one_driver: Driver, piped_driver: PipedDriver, name: str
) -> None:
    body, ending = HELD[name]
    program = f"import atexit, os, select, time\n@atexit.register\ndef late():\n    {body}\n"
    limits = replace(QUICK, wall_seconds=0.5) if ending is Ending.TIMEOUT else QUICK
    for driver in (one_driver, piped_driver):
        assert observe(driver, program, run("a"), limits).ending is ending


def test_leftovers_and_sleeps_of_a_scenario_do_not_reach_the_next(way: AnyDriver) -> None:
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
