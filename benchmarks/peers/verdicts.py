"""What every grader says of the right submission, of an empty file and of the wrong ones."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from benchmarks.peers.cases import GAMES, NAMES, UNITS
from benchmarks.peers.processes import Ran
from benchmarks.peers.shop import LIMIT, Shop, must
from benchmarks.peers.tools import Ours, Tool, Verdicts

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
        """The correct program with the edit made; it must fit in one place exactly."""
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


def show_verdicts(shop: Shop, tools: list[Tool]) -> None:
    """Print two tables: tests passed of 25, and how many verdicts are wrong.

    Raises UnexpectedError when a grader does not pass the right submission in all tests and fail
    an empty file in all, or when one of ours is wrong.
    """
    rows: dict[str, list[str]] = {tool.name: [] for tool in tools}
    for tool in tools:
        print(f"verdicts: {tool.name}", file=sys.stderr, flush=True)
        must(tool, *shop.run(tool, shop.right, telling=True), frozenset())
        must(tool, *shop.run(tool, '"""Nothing yet."""\n', telling=True), frozenset(NAMES))
        for wrong in WRONG:
            ran, found = shop.run(tool, wrong.source(shop.right), telling=True)
            if isinstance(tool, Ours):
                must(tool, ran, found, wrong.fails)
            rows[tool.name].append(_cell(wrong, ran, found))
    print(f"\nTests passed of {len(NAMES)}; an empty file passes none in any of them.\n")
    print(f"| grader | right | {' | '.join(wrong.name for wrong in WRONG)} |")
    print(f"|---|---|{'---|' * len(WRONG)}")
    due = " | ".join(str(len(NAMES) - len(wrong.fails)) for wrong in WRONG)
    print(f"| correct result | {len(NAMES)} | {due} |")
    for name, cells in rows.items():
        print(f"| {name} | {len(NAMES)} | {' | '.join(cells)} |")


def _cell(wrong: Wrong, ran: Ran, found: Verdicts) -> str:
    if not found:
        if ran.status is None:
            return f"**no result** in {LIMIT:.0f} s"
        return f"**no result**, exit status {ran.status}"
    passed = sum(found.values())
    astray = [name for name in NAMES if found.get(name, False) is (name in wrong.fails)]
    return f"**{passed}** ({len(astray)} wrong)" if astray else str(passed)
