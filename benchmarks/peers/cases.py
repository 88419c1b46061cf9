"""The twenty unit tests and the five games that every grader here is given. Stdlib only: it is
laid beside the tests of each.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

BLANK = ["----"] * 4
CORNER = ["---X", "--OX", "---O", "---X"]


class Unit(NamedTuple):
    name: str
    function: str
    arguments: tuple[object, ...]
    value: object

    @property
    def call(self) -> str:
        return f"{self.function}({', '.join(map(repr, self.arguments))})"


UNITS = (
    Unit("full_when_blank", "is_column_full", ("--------",), False),
    Unit("full_with_one", "is_column_full", ("-------X",), False),
    Unit("full_but_for_one", "is_column_full", ("-OXXOXOX",), False),
    Unit("full_when_full", "is_column_full", ("XOXXOXOX",), True),
    Unit("empty_when_blank", "is_column_empty", ("--------",), True),
    Unit("empty_with_one", "is_column_empty", ("-------O",), False),
    Unit("empty_half", "is_column_empty", ("----OXOX",), False),
    Unit("empty_when_full", "is_column_empty", ("OXXXOXOX",), False),
    Unit("input_add", "check_input", ("a1",), True),
    Unit("input_remove_last", "check_input", ("R8",), True),
    Unit("input_help", "check_input", ("h",), True),
    Unit("input_no_column", "check_input", ("a",), False),
    Unit("input_column_zero", "check_input", ("a0",), False),
    Unit("input_column_nine", "check_input", ("a9",), False),
    Unit("win_none_blank", "check_win", (BLANK,), None),
    Unit("win_none_started", "check_win", (CORNER,), None),
    Unit("win_down", "check_win", (["XXXX", "---O", "--OO", "----"],), "X"),
    Unit("win_across", "check_win", (["--XO", "--XO", "---O", "-XXO"],), "O"),
    Unit("win_diagonal", "check_win", (["X---", "OX--", "OOX-", "OXOX"],), "X"),
    Unit("win_both", "check_win", (["XXXX", "OOOO", "----", "----"],), "-"),
)


def _moves(*columns: int) -> list[str]:
    return [f"a{column}" for column in columns]


GAMES: dict[str, list[str]] = {
    "two_games": [*_moves(4, 5, 4, 5, 4, 5, 4), "y", *_moves(1, 2, 2), "r1", *_moves(3, 3), "r2",
                  *_moves(3, 8, 3, 8, 3), "n"],
    "draw": ["h", *_moves(1), "a9", *_moves(1, 2, 2, 3, 4, 4, 3, 8), "r", *_moves(4), "r4", "y",
             *_moves(1, 2), "q", "n"],
    "mistakes": ["", "a", "3", "a9", "r0", "move", "r1", *_moves(1, 1, 1, 1, 1, 1, 1, 1, 1, 2),
                 "a 3", "r3", "R1", "q", "n"],
    "commands": ["h", *_moves(1), "H", "r2", "h", *_moves(2, 3, 3), "q", "Y", "h", *_moves(5, 6, 5),
                 "r5", "H", "A7", "h", "Q", ""],
    "unfinished": [*_moves(1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2), "q", "n"],
}  # fmt: skip

NAMES = tuple(unit.name for unit in UNITS) + tuple(GAMES)


def typed(game: str) -> str:
    """A game's input as one text."""
    return "".join(f"{line}\n" for line in GAMES[game])


def turns(game: str) -> list[str]:
    """What a correct program prints before each line of the game, and what it prints at the end."""
    kept = json.loads((Path(__file__).parent / "expected.json").read_text(encoding="utf-8"))
    found: list[str] = kept[game]
    return found


def screen(game: str) -> str:
    """All that a correct program prints in a game whose typing is not echoed."""
    return "".join(turns(game))
