"""The functions imported, the games in a process each: as for pytest, with the names of the cases
written out, so that each is a test that our plan knows."""

import subprocess
import sys

import a1
import pytest
from cases import UNITS, screen, typed

BY_NAME = {unit.name: unit for unit in UNITS}


@pytest.mark.parametrize("name", [
    "full_when_blank", "full_with_one", "full_but_for_one", "full_when_full", "empty_when_blank",
    "empty_with_one", "empty_half", "empty_when_full", "input_add", "input_remove_last",
    "input_help", "input_no_column", "input_column_zero", "input_column_nine", "win_none_blank",
    "win_none_started", "win_down", "win_across", "win_diagonal", "win_both",
])  # fmt: skip
def test_unit(name):
    unit = BY_NAME[name]
    assert getattr(a1, unit.function)(*unit.arguments) == unit.value


@pytest.mark.parametrize("game", [
    "two_games", "draw", "mistakes", "commands", "unfinished",
])  # fmt: skip
def test_game(game):
    done = subprocess.run(
        [sys.executable, "a1.py"],
        input=typed(game),
        capture_output=True,
        text=True,
        timeout=4,
        check=True,
    )
    assert done.stdout == screen(game)
