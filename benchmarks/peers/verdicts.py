"""What every grader says of the right submission, of an empty file and of the wrong ones."""

from __future__ import annotations

import sys

from benchmarks.peers.cases import NAMES
from benchmarks.peers.processes import Ran
from benchmarks.peers.shop import LIMIT, Shop, must
from benchmarks.peers.tools import Ours, Tool, Verdicts
from benchmarks.peers.wrong import WRONG, Wrong


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
    print(f"| what is true | {len(NAMES)} | {due} |")
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
