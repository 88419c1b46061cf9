"""A notebook's kernel has no standard input, so the games are played in a process each."""

import subprocess
import sys

from cases import GAMES, screen, typed
from otter.test_files import test_case

OK_FORMAT = False
name = "games"
points = 5


def game_test(game):
    def test():
        done = subprocess.run(
            [sys.executable, "a1.py"],
            input=typed(game),
            capture_output=True,
            text=True,
            timeout=4,
            check=True,
        )
        assert done.stdout == screen(game)

    return test_case(name=game)(test)


for game in GAMES:
    globals()[game] = game_test(game)
