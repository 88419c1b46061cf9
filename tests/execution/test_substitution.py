"""A function of the submission answered by the course's: bound where the program will use it, with
nothing of the reference in its process."""

from __future__ import annotations

import pytest

from harness.execution import Driver
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Limits, Stimulus, Substitution
from tests.execution.small_world import TEN, assignment, call, plain, run, source

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
LIMITS = Limits(cpu_seconds=0.5, wall_seconds=5, memory_mib=64, output_kib=8)


def observe(
    driver: Driver, program: str, stimulus: Stimulus, *names: str, provided: str = ""
) -> Observation:
    substitutions = tuple(Substitution(name=name, provided=provided) for name in names)
    asked = Stimulus(
        action=stimulus.action,
        inputs=stimulus.inputs,
        constants=stimulus.constants,
        substitutions=substitutions,
    )
    reference = (source(REFERENCE),)
    with driver.submission(assignment(), (source(program),), reference) as server:
        return server.observe(asked, LIMITS)


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


@pytest.mark.parametrize(
    "program",
    [
        "class Piece:\n    pass\ndef f(x):\n    return 0\ndef g(x):\n    return f(Piece())\n",
        "def f(x):\n    return 0\ndef g(x):\n    return f(lambda: 1)\n",
        "def f(x):\n    return 0\ndef g(x):\n    return f(n for n in [1])\n",
    ],
)
def test_what_cannot_travel_makes_it_inapplicable(driver: Driver, program: str) -> None:
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
