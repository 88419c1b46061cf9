"""The lines that a reader is told to paste do what they say."""

from __future__ import annotations

import code
import io
import random
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest

from harness.model.plan import Scenario
from harness.model.stimulus import Binding, Clock, Stimulus
from harness.model.student_view import Surroundings
from harness.reporting.view.paste import (
    called,
    constant_changes,
    python_lines,
    set_up,
    shell_command,
    to_try,
)
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from harness.stimuli.session import Session
from tests.reporting.report_samples import GAME, LABELS, PLAN, REFUSES, SHEET, SUPPORT, WINS
from tests.tiny_course import ran

AROUND = Surroundings.of(PLAN.assignment)
HEAD = "from a1 import *\nfrom a1_support import *\n"


@pytest.mark.parametrize(
    ("scenario", "lines"),
    [
        (REFUSES, 'check_input(f"a{BOARD_SIZE + 1}")'),
        (LABELS, "board = ['----', '--XO', '----', '---X']\ndisplay_board(board)"),
        (WINS, "board = ['XXXX', '----']\ncheck_win(board)"),
        (
            SHEET,
            "board = ['----', '---X']\nfor _ in range(2):\n    add_piece(board, 'X', 0)\n\nboard",
        ),
    ],
)
def test_python_lines(scenario: Scenario, lines: str) -> None:
    assert python_lines(scenario.stimuli[0], AROUND) == HEAD + lines


def test_a_constant_is_set_in_the_file_that_defines_it() -> None:
    changes = constant_changes(REFUSES.stimuli[0], AROUND)
    assert changes == (("a1_support.py", "BOARD_SIZE = 10"),)


def test_a_program_is_started() -> None:
    assert shell_command(GAME.stimuli[0]) == "python3 a1.py"
    assert shell_command(WINS.stimuli[0]) == ""
    stimulus = Stimulus(action=Run(program="a1.py", argv=("two words", "$HOME")))
    assert shell_command(stimulus) == "python3 a1.py 'two words' '$HOME'"


def test_a_chosen_seed_is_part_of_it() -> None:
    stimulus = Stimulus(action=Call(expression="roll()"), seed=7)
    assert python_lines(stimulus, AROUND) == "import random\nrandom.seed(7)\n" + HEAD + "roll()"
    assert to_try(stimulus) == "import random\nrandom.seed(7)\nroll()"
    at_noon = replace(stimulus, seed=None, clock=Clock(seconds=1_772_330_400, offset=36_000))
    assert to_try(at_noon) == "# at 2026-03-01 12:00:00 (UTC+10:00)\nroll()"
    of_nought = replace(stimulus, seed=0)
    assert to_try(of_nought) == "import random\nrandom.seed(0)\nroll()"
    on_one_line = replace(stimulus, seed=None, given="a = 1; b = 2")
    assert python_lines(on_one_line, AROUND) == HEAD + "a = 1; b = 2\nroll()"


@pytest.mark.process
def test_a_seeded_program_is_tried_in_the_interpreter(tmp_path: Path) -> None:
    stimulus = Stimulus(action=Run(program="dice.py", argv=("six sides",)), seed=7)
    assert shell_command(stimulus) == ""
    lines = python_lines(stimulus, AROUND)
    assert lines == to_try(stimulus)
    (tmp_path / "sides.py").write_text("SIDES = 10 ** 9\n")
    (tmp_path / "dice.py").write_text(
        "import random, sys\nfrom sides import SIDES\n"
        "print(sys.argv[1:], random.randint(1, SIDES))\n"
    )
    done = ran([sys.executable, "-c", lines], cwd=tmp_path, check=True)
    drawn = random.Random(7).randint(1, 10**9)
    assert done.stdout == f"['six sides'] {drawn}\n"


SETTING_UP = """\
import math, random as chance
def unused(): return one
def one():
    return two() + LIMIT
def two(): return 2
LIMIT, = 3,
LOW = HIGH = 1
OTHER = two()
print(LOW)
"""


@pytest.mark.parametrize(
    ("given", "expression", "shown"),
    [
        ("a = 1\nb = 2\n", "f(a)", "a = 1"),
        ("a = 1\nb = a\nc = 3\n", "f(b)", "a = 1\nb = a"),
        ("a = []\nb = a\na.append(1)\n", "f(2)", "a = []\na.append(1)"),
        ("# Both are needed.\na = 1\nb = 2\n", "f(a, b)", "# Both are needed.\na = 1\nb = 2"),
        ("from math import *\nfrom math import pi\n", "f(e)", "from math import *"),
        ("f(  # no Python", "f(a)", "f(  # no Python"),
        (
            SETTING_UP,
            "f(one())",
            "def one():\n    return two() + LIMIT\ndef two(): return 2\nLIMIT, = 3,\n"
            "LOW = HIGH = 1\nprint(LOW)",
        ),
    ],
)
def test_a_definition_that_nothing_uses_is_left_out(
    given: str, expression: str, shown: str
) -> None:
    stimulus = Stimulus(action=Call(expression=expression), given=given)
    assert set_up(stimulus) == shown
    assert set_up(replace(stimulus, seed=1)) == given.rstrip("\n")


def test_the_question_alone() -> None:
    assert called(WINS.stimuli[1]) == "check_win(board)  with  board = ['----', 'OOOO']"


def test_the_case_of_a_session_is_part_of_it() -> None:
    steps = Session(steps=("x = double(n)", "x"))
    stimulus = Stimulus(action=steps, bindings=(Binding(name="n", literal="3"),))
    assert called(stimulus) == "n = 3\nx = double(n)\nx"
    assert python_lines(stimulus, AROUND) == HEAD + called(stimulus)


@pytest.mark.parametrize("scenario", [LABELS, WINS, SHEET])
def test_an_interactive_interpreter_takes_the_lines(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a1.py").write_text(
        "def add_piece(*args):\n    print('called', args)\ndisplay_board = check_win = add_piece\n"
    )
    (tmp_path / "a1_support.py").write_bytes(SUPPORT)
    monkeypatch.syspath_prepend(tmp_path)
    console = code.InteractiveConsole()
    output = io.StringIO()
    with redirect_stdout(output):
        for line in python_lines(scenario.stimuli[0], AROUND).split("\n"):
            waiting = console.push(line)
    assert not waiting
    assert "called" in output.getvalue()
