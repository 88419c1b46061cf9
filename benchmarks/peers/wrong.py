"""Wrong submissions, each one edit of the right one, and the tests that each must fail."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.peers.cases import GAMES, NAMES, UNITS

_ALL = frozenset(NAMES)
_GAMES = frozenset(GAMES)
_EQUAL = """\
class Same:
    def __init__(self, *arguments):
        pass

    def __eq__(self, other):
        return True


if __name__ == "__main__" and "__file__" in globals():
    main()
else:
    is_column_full = is_column_empty = check_input = check_win = Same
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """What is wrong with it, the edit, and the names of the tests that a right grader fails."""

    name: str
    old: str
    new: str
    fails: frozenset[str]

    def source(self, right: str) -> str:
        """The right program with the edit made; it must fit in one place exactly."""
        if right.count(self.old) != 1:
            raise ValueError(f"{self.name}: the edit does not fit the right submission once")
        return right.replace(self.old, self.new)


WRONG = (
    Wrong(
        name="another prompt",
        old="input(ENTER_COMMAND_MESSAGE)",
        new='input("Your move: ")',
        fails=_GAMES,
    ),
    Wrong(
        name="column 9 accepted",
        old="column > BOARD_SIZE:",
        new="column > BOARD_SIZE + 1:",
        fails=frozenset({"input_column_nine", "draw", "mistakes"}),
    ),
    Wrong(
        name="`check_win` loops for ever",
        old="    # work on a grid of rows",
        new="    while True:\n        pass\n    # work on a grid of rows",
        fails=_GAMES | {unit.name for unit in UNITS if unit.function == "check_win"},
    ),
    Wrong(
        name="`os._exit(0)` at import",
        old="from typing import Optional\n",
        new="from typing import Optional\nimport os\nos._exit(0)\n",
        fails=_ALL,
    ),
    Wrong(
        name="returns an object equal to everything",
        old='if __name__ == "__main__":\n    main()\n',
        new=_EQUAL,
        fails=_ALL - _GAMES,
    ),
)
