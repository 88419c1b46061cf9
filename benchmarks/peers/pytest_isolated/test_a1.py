"""Every test in a process of its own."""

import subprocess
import sys

import pytest
from cases import GAMES, UNITS, screen, typed


def python(*arguments, typed=""):
    done = subprocess.run(
        [sys.executable, *arguments],
        input=typed,
        capture_output=True,
        text=True,
        timeout=4,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_unit(unit):
    printed = python("-c", f"import a1; print(repr(a1.{unit.call}))")
    assert printed.splitlines()[-1] == repr(unit.value)


@pytest.mark.parametrize("game", GAMES)
def test_game(game):
    assert python("a1.py", typed=typed(game)) == screen(game)
