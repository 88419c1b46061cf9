"""The functions imported, the games by `runpy` with the standard streams exchanged."""

import contextlib
import io
import runpy
import unittest
from unittest.mock import patch

import a1
from cases import GAMES, UNITS, screen, typed
from gradescope_utils.autograder_utils.decorators import weight


class TestUnits(unittest.TestCase):
    pass


class TestGames(unittest.TestCase):
    maxDiff = None


def unit_test(unit):
    @weight(1)
    def test(self):
        self.assertEqual(getattr(a1, unit.function)(*unit.arguments), unit.value)

    test.__doc__ = unit.name
    return test


def game_test(game):
    @weight(1)
    def test(self):
        shown = io.StringIO()
        with patch("sys.stdin", io.StringIO(typed(game))), contextlib.redirect_stdout(shown):
            runpy.run_path("a1.py", run_name="__main__")
        self.assertEqual(shown.getvalue(), screen(game))

    test.__doc__ = game
    return test


for unit in UNITS:
    setattr(TestUnits, f"test_{unit.name}", unit_test(unit))
for game in GAMES:
    setattr(TestGames, f"test_{game}", game_test(game))
