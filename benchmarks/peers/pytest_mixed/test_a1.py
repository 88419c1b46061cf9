"""The functions imported, the games in a process each."""

import subprocess
import sys

import a1
import pytest
from cases import GAMES, UNITS, screen, typed


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_unit(unit):
    assert getattr(a1, unit.function)(*unit.arguments) == unit.value


@pytest.mark.parametrize("game", GAMES)
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
