"""As check50's own pages show it: `run`, `stdin` that waits for a prompt, `stdout`, `exit`."""

import shlex
import sys
from pathlib import Path

import check50

sys.path.insert(0, str(Path(__file__).parent))
from cases import GAMES, UNITS, turns


@check50.check()
def exists():
    """a1.py exists"""
    check50.exists("a1.py")
    check50.include("a1_support.py")


def unit_check(unit):
    def check():
        code = f"import a1; print(repr(a1.{unit.call}))"
        run = check50.run(f"python3 -c {shlex.quote(code)}")
        run.stdout(f"{unit.value!r}\n", regex=False).exit(0)

    check.__name__ = unit.name
    check.__doc__ = unit.call
    return check50.check(exists, timeout=10)(check)


def game_check(game):
    def check():
        *lines, last = GAMES[game]
        run = check50.run("python3 a1.py")
        for line in lines:
            run.stdin(line)
        # What came before each prompt is consumed by `stdin`; the last screen can be compared.
        run.stdout(turns(game)[-2], regex=False).stdin(last, prompt=False).exit(0)

    check.__name__ = game
    check.__doc__ = game
    return check50.check(exists, timeout=10)(check)


for unit in UNITS:
    globals()[unit.name] = unit_check(unit)
for game in GAMES:
    globals()[game] = game_check(game)
