"""The whole commands on the right submission: interleaved rounds, medians, ratios to ours."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from benchmarks.peers.environments import version
from benchmarks.peers.processes import Ran, run
from benchmarks.peers.shop import Shop, must
from benchmarks.peers.tools import Ours, Tool
from harness import __version__

COPIES = 20
LIMIT = 600.0


def show_times(shop: Shop, tools: list[Tool], rounds: int) -> None:
    """Print the table of times. Raises UnexpectedError when a verdict in a timed run is wrong."""
    for tool in tools:  # so that nobody pays for a first start: byte code, ours' plan and key
        must(tool, *shop.run(tool, shop.right), frozenset())
    measured: dict[str, list[Ran]] = {tool.name: [] for tool in tools}
    own = [tool for tool in tools if isinstance(tool, Ours)]
    inner: dict[str, list[Ran]] = {tool.name: [] for tool in own}
    for count in range(rounds):
        print(f"times: round {count + 1} of {rounds}", file=sys.stderr, flush=True)
        for tool in tools:
            ran, found = shop.run(tool, shop.right)
            must(tool, ran, found, frozenset())
            measured[tool.name].append(ran)
        for tool in own:
            one, many = _batch(shop, tool, 1), _batch(shop, tool, 1 + COPIES)
            each = [(many.wall - one.wall) / COPIES, (many.cpu - one.cpu) / COPIES]
            inner[tool.name].append(Ran(wall=each[0], cpu=each[1], status=0, output=""))
    print(f"\nOne submission, the whole command, medians of {rounds} interleaved rounds.\n")
    print("| grader | version | kept apart | wall, s | CPU, s | wall to ours | CPU to ours |")
    print("|---|---|---|---|---|---|---|")
    base = measured[own[0].name]
    for tool in tools:
        told = version(tool.peer, tool.package) if tool.package else __version__
        _row(tool.name, told, tool.isolates, measured[tool.name], base)
    for tool in own:
        name = f"{tool.name}, one more in a batch of {COPIES}"
        _row(name, __version__, tool.isolates, inner[tool.name], base)


def _row(name: str, told: str, isolates: str, these: list[Ran], ours: list[Ran]) -> None:
    wall = statistics.median(ran.wall for ran in these)
    cpu = statistics.median(ran.cpu for ran in these)
    pairs = list(zip(these, ours, strict=True))
    walls = statistics.median(this.wall / our.wall for this, our in pairs)
    cpus = statistics.median(this.cpu / our.cpu for this, our in pairs)
    print(f"| {name} | {told} | {isolates} | {wall:.3f} | {cpu:.3f} | {walls:.2f} | {cpus:.2f} |")


def _batch(shop: Shop, ours: Ours, count: int) -> Ran:
    """`harness grade` on `count` copies of distinct bytes, with one worker."""
    folder = shop.fresh(ours, shop.right)
    for number in range(count):
        copy = folder / "submissions" / ours.peer / f"copy_{number:02}" / "a1.py"
        copy.parent.mkdir(parents=True)
        copy.write_text(f"{shop.right}# copy {number}\n", encoding="utf-8")
    command = ours.grade(str(Path("submissions") / ours.peer), "--fresh", "--jobs", "1")
    ran = run(command, folder, ours.environ(shop.folder), LIMIT)
    found = ours.graded(folder)
    if len(found) != count:
        must(ours, ran, {}, frozenset())
    for verdicts in found:
        must(ours, ran, verdicts, frozenset())
    return ran
