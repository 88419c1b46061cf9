"""The course's modules and functions instead of a submission's: run in a process of their own,
bound where the program will use them, with nothing of the reference in its process."""

from dataclasses import replace

import pytest

from harness.execution import AnyDriver, Driver
from harness.execution.piped import PipedDriver
from harness.execution.protocol.jobs import proxy_names
from harness.model.assignment import SourceFile
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Limits, StandIn, Stimulus, Substitution
from tests.execution.small_world import (
    ROOMY,
    TEN,
    assignment,
    call,
    plain,
    run,
    session,
    source,
    turns,
)

SECRET = "canary-4e81-of-the-stand-in"
STAND_IN = f'''
from support import BOARD_SIZE
SECRET = "{SECRET}"
Row = list
calls = 0
kept = []
class Board: ...
class BankError(Exception): ...
def count():
    global calls
    calls += 1
    return calls
def put(rows, value, *, times=1):
    for row in rows:
        row.extend([value] * times)
    return rows[0]
def new(count):
    row = ["x"]
    return [row] * count
def change(numbers, by_name, seen):
    by_name["new"] = numbers
    numbers.append(1)
    seen.discard(2)
def ask(prompt):
    print("asking")
    return input(prompt) + "!"
def size():
    return BOARD_SIZE
def fail(name):
    raise {{"value": ValueError, "own": BankError, "exit": SystemExit}}[name]("no", 3)
def remember(row):
    kept.append(row)
def generate():
    yield 1
def crash():
    import os
    os._exit(3)
def hang():
    while True: pass
def shout():
    print("a" * 20000)
def compute():
    from time import process_time
    end = process_time() + 0.25
    while process_time() < end: pass
'''
LIMITS = Limits(cpu_seconds=0.3, wall_seconds=4.0, memory_mib=64, output_kib=64)


def seen(
    driver: AnyDriver, program: str, stimulus: Stimulus, limits: Limits = LIMITS
) -> Observation:
    course = replace(
        assignment(files=("a1.py", "bank.py")),
        stand_in_files=(SourceFile(name="stand_in_bank.py", data=STAND_IN.encode()),),
    )
    stimulus = replace(stimulus, stand_ins=(StandIn(module="bank.py", file="stand_in_bank.py"),))
    files = (source(program), source("def put(): return 'the student's own'", "bank.py"))
    with driver.submission(course, files) as server:
        return server.observe(stimulus, limits)


def test_time_that_a_stand_in_computes_is_counted(way: AnyDriver) -> None:
    before = way.meter.seconds
    answered = seen(way, "import bank\ndef f():\n    bank.compute()\n    return 1", call("f()"))
    assert plain(answered.value) == "1"
    assert way.meter.seconds - before >= 0.15  # reported now and then over pipes
    assert answered.cpu_seconds < 0.25


WORKS: dict[str, tuple[str, str]] = {
    "a result": ("def f(): return bank.size()", "8"),
    "what a module remembers": ("def f(): return [bank.count(), bank.count()]", "[1, 2]"),
    "a changed argument": (
        "def f():\n    rows = [[1], []]\n    bank.put(rows, 'x', times=2)\n    return rows",
        "[[1, 'x', 'x'], ['x', 'x']]",
    ),
    "aliased arguments": (
        "def f():\n    row = [1]\n    rows = [row, row]\n    bank.put(rows, 2)\n"
        "    return rows, row",
        "([[1, 2, 2], [1, 2, 2]], [1, 2, 2])",
    ),
    "a result that is an argument": (
        "def f():\n    rows = [[1], []]\n    return bank.put(rows, 2) is rows[0]",
        "True",
    ),
    "aliased rows of a result": (
        "def f():\n    rows = bank.new(2)\n    rows[0].append(1)\n    return rows",
        "[['x', 1], ['x', 1]]",
    ),
    "every kind of container": (
        "def f():\n    n, d, s = [0], {(1, 'a'): None}, {2, 3}\n    bank.change(n, d, s)\n"
        "    return n, d, s, d['new'] is n",
        "([0, 1], {(1, 'a'): None, 'new': [0, 1]}, {3}, True)",
    ),
    "an exception": (
        "def f():\n    try: bank.fail('value')\n    except ValueError as e: return e.args",
        "('no', 3)",
    ),
    "the submission's exception of that name": (
        "class BankError(Exception): pass\n"
        "def f():\n    try: bank.fail('own')\n    except BankError as e: return str(e)",
        "\"('no', 3)\"",
    ),
    "a wrong number of arguments": (
        "def f():\n    try: bank.put()\n    except TypeError as e: return 'missing' in str(e)",
        "True",
    ),
    "a name that is not there": (
        "def f():\n    try: bank.other\n    except AttributeError as e: return str(e)",
        "\"module 'bank' has no attribute 'other'\"",
    ),
}


@pytest.mark.parametrize("name", WORKS)
def test_a_call_works_as_inside(one_driver: Driver, piped_driver: PipedDriver, name: str) -> None:
    program, expected = WORKS[name]
    for way in (one_driver, piped_driver):
        found = seen(way, "import bank\n" + program, call("f()"))
        assert (found.ending, found.detail) == (Ending.ANSWERED, "")
        assert plain(found.value) == expected


def test_it_asks_on_the_submissions_terminal(one_driver: Driver, piped_driver: PipedDriver) -> None:
    program = "from bank import *\nprint('start')\nprint(ask('Name? '))\n"
    for way in (one_driver, piped_driver):
        found = seen(way, program, run("Ann"))
        assert turns(found) == [("start\nasking\nName? ", "Ann"), ("Ann!\n", None)]
        more = seen(way, program, run())
        assert (more.ending, more.detail) == (Ending.STAND_IN_FAILED, "it asked for more input")


def test_a_session_may_call_it_too(one_driver: Driver) -> None:
    found = seen(one_driver, "import bank\ng = bank.size", session("g()"))
    assert plain(found.steps[0].value) == "8"


INAPPLICABLE: dict[str, tuple[str, str]] = {
    "an instance": ("class T: pass\ndef f(): bank.put([T()], 1)", "not plain data"),
    "a callable": ("def f(): bank.put(f, 1)", "not plain data"),
    "a constant of the module": ("def f(): return bank.SECRET", "bank.SECRET is not a function"),
    "a class of the module": ("def f(): return bank.Board()", "bank.Board is not a function"),
    "what the module remembers": ("def f(): bank.remember([1])", "remembers"),
    "a generator": ("def f(): return list(bank.generate())", "not plain data"),
    "an exception of the module": ("def f(): bank.fail('own')", "BankError is not an exception"),
    "a star import that lacks a name": ("from bank import *\ndef f(): return SECRET", "SECRET"),
}


@pytest.mark.parametrize("name", INAPPLICABLE)
def test_a_value_that_cannot_be_sent_makes_it_inapplicable(
    one_driver: Driver, piped_driver: PipedDriver, name: str
) -> None:
    program, why = INAPPLICABLE[name]
    for way in (one_driver, piped_driver):
        found = seen(way, "import bank\n" + program, call("f()"))
        assert found.ending is Ending.STAND_IN_INAPPLICABLE
        assert why in found.detail
        assert SECRET not in repr(found)


FAILS: dict[str, tuple[str, str]] = {
    "crashes": ("def f(): bank.crash()", "ended by itself"),
    "computes without end": ("def f(): bank.hang()", "ran out of time"),
    "asks for more": ("def f(): bank.ask('? ')", "asked for more input"),
}


@pytest.mark.parametrize("name", FAILS)
def test_a_stand_in_that_fails_is_the_courses_fault(one_driver: Driver, name: str) -> None:
    program, why = FAILS[name]
    found = seen(one_driver, "import bank\n" + program, call("f()"))
    assert found.ending is Ending.STAND_IN_FAILED
    assert why in found.detail


def test_its_output_counts_as_the_submissions_output(one_driver: Driver) -> None:
    program = "import bank\ndef f():\n    while True: bank.shout()"
    assert seen(one_driver, program, call("f()")).ending is Ending.OUTPUT_LIMIT


def test_the_submissions_own_loop_is_its_own_fault(one_driver: Driver) -> None:
    program = "import bank\ndef f():\n    while True: bank.count()"
    ending = seen(one_driver, program, call("f()")).ending
    assert ending in (Ending.CPU_LIMIT, Ending.STAND_IN_FAILED)


def test_only_names_are_learnt_of_a_module() -> None:
    functions, others = proxy_names(SourceFile(name="stand_in_bank.py", data=STAND_IN.encode()))
    assert {"ask", "put", "size"} < set(functions)
    assert others == ("BOARD_SIZE", "BankError", "Board", "Row", "SECRET", "calls", "kept")


REFERENCE = """
from support import BOARD_SIZE
def f(x):
    return x * 2
def add(board, piece):
    board.append(piece)
    print("added", piece)
    return len(board)
def ask():
    return input("course asks: ")
def size():
    return BOARD_SIZE
"""


def observe(
    driver: Driver, program: str, stimulus: Stimulus, *names: str, provided: str = ""
) -> Observation:
    asked = Stimulus(
        action=stimulus.action,
        inputs=stimulus.inputs,
        constants=stimulus.constants,
        substitutions=tuple(Substitution(name=name, provided=provided) for name in names),
    )
    with driver.submission(assignment(), (source(program),), (source(REFERENCE),)) as server:
        return server.observe(asked, ROOMY)


WRONG = """
def f(x):
    return x + 1
def g(x):
    return f(x) + f(x)
if True:
    def add(board, piece):
        return 0
def main():
    print(f(5))
if __name__ == "__main__":
    main()
"""


def test_a_caller_uses_the_course_s_function(driver: Driver) -> None:
    assert plain(observe(driver, WRONG, call("g(4)")).value) == "10"
    assert plain(observe(driver, WRONG, call("g(4)"), "f").value) == "16"


def test_the_function_that_is_called_can_be_substituted(driver: Driver) -> None:
    seen = observe(driver, WRONG, call("add([1], 'x')"), "add")
    assert plain(seen.value) == "2"
    assert [value.source() for value in seen.arguments] == ["[1, 'x']", "'x'"]
    assert seen.printed == "added x\n"


def test_the_main_guard_sees_it(driver: Driver) -> None:
    assert observe(driver, WRONG, run()).printed == "6\n"
    assert observe(driver, WRONG, run(), "f").printed == "10\n"


def test_the_course_s_function_asks_on_the_submission_s_terminal(driver: Driver) -> None:
    program = "def ask():\n    return ''\ndef main():\n    print(ask())\n"
    seen = observe(driver, program, call("main()", "hello"), "ask")
    assert seen.transcript() == "course asks: hello\nhello\n"


def test_it_sees_the_constants_of_the_scenario(driver: Driver) -> None:
    program = "def size():\n    return 1\n"
    assert plain(observe(driver, program, call("size()", constants=TEN), "size").value) == "10"


def test_a_constant_is_taken_from_the_provided_module(driver: Driver) -> None:
    program = "from support import *\nBOARD_SIZE = 3\ndef size():\n    return BOARD_SIZE\n"
    stimulus = call("size()", constants=TEN)
    assert plain(observe(driver, program, stimulus).value) == "3"
    assert plain(observe(driver, program, stimulus, "BOARD_SIZE", provided="support").value) == "10"


ASKED = (
    ("what the reference asks", "def g(x):\n    return f(x) + 1\n", Ending.ANSWERED),
    ("something else", "def g(x):\n    return f(x + 1)\n", Ending.STAND_IN_INAPPLICABLE),
    ("something at module level", "KEPT = f(99)\ndef g(x):\n    return f(x)\n",
     Ending.STAND_IN_INAPPLICABLE),
    ("a line that is not typed", "ask.__globals__['input'] = lambda prompt: 'other'\n"
     "def g(x):\n    return ask()\n", Ending.STAND_IN_INAPPLICABLE),
)  # fmt: skip


@pytest.mark.parametrize(("program", "ending"), [each[1:] for each in ASKED])
def test_only_what_the_reference_asks_is_answered(
    driver: Driver, program: str, ending: Ending
) -> None:
    wrong = "def f(x):\n    return 0\ndef ask():\n    return ''\n" + program
    right = REFERENCE + "def g(x):\n    return f(x), ask()\n"
    substitutions = (Substitution(name="f"), Substitution(name="ask"))
    asked = replace(call("g(4)", "hello"), substitutions=substitutions)
    ours = (source(right),)
    with driver.submission(assignment(), ours, ours) as server:
        answered = server.calls(asked, ROOMY)
    assert answered is not None
    with driver.submission(assignment(), (source(wrong),), ours) as server:
        assert server.observe(replace(asked, answered=answered), ROOMY).ending is ending


@pytest.mark.parametrize(
    "program",
    [
        "class Piece:\n    pass\ndef f(x):\n    return 0\ndef g(x):\n    return f(Piece())\n",
        "def f(x):\n    return 0\ndef g(x):\n    return f(lambda: 1)\n",
        "def f(x):\n    return 0\ndef g(x):\n    return f(n for n in [1])\n",
    ],
)
def test_a_value_that_cannot_be_sent_makes_a_substitution_inapplicable(
    driver: Driver, program: str
) -> None:
    assert observe(driver, program, call("g(1)"), "f").ending is Ending.STAND_IN_INAPPLICABLE


def test_nothing_of_the_reference_is_in_the_submission_s_process(driver: Driver) -> None:
    program = """
import sys, gc
def f(x):
    return 0
def g(x):
    f(x)
    texts = [each for each in gc.get_objects() if type(each) is str]
    frames = [v for m in list(sys.modules.values()) for v in vars(m).values()]
    return any("course " + "asks" in str(each) for each in texts + frames)
"""
    assert plain(observe(driver, program, call("g(1)"), "f").value) == "False"
