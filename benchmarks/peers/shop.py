"""Where the runs are laid out, and the games' screens, recorded from the reference."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.cases import GAMES, NAMES, typed
from benchmarks.peers.processes import Ran, run
from benchmarks.peers.tools import REFERENCE, ROOT, Tool, Verdicts

RIGHT = ROOT / "submissions" / "connect4ish" / "perfect_in_another_style" / "a1.py"
LIMIT = 90.0
_PROMPT = re.compile(r"(?:\(h to see valid commands\)|\(y/n\)): ")


class UnexpectedError(Exception):
    """A verdict that is asserted is not as it must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """A folder for the runs, the right submission's source, and the screens as JSON."""

    folder: Path
    right: str
    expected: str

    def run(self, tool: Tool, source: str, *, telling: bool = False) -> tuple[Ran, Verdicts]:
        """Grade `source` in a fresh folder, with the command that a user types or, `telling`,
        the one that tells every verdict."""
        folder = self.fresh(tool, source)
        command = tool.telling(folder) if telling else tool.command(folder)
        ran = run(command, folder, tool.environ(self.folder), LIMIT)
        return ran, tool.verdicts(folder, ran.output)

    def fresh(self, tool: Tool, source: str) -> Path:
        """A folder made anew; of ours the compiled plan and the answer key are kept, as they are
        between two students' checks."""
        folder = self.folder / re.sub(r"\W+", "-", tool.name)
        kept = folder / ".harness-cache"
        aside = self.folder / "kept"
        if kept.is_dir():
            kept.rename(aside)
        shutil.rmtree(folder, ignore_errors=True)
        tool.lay(folder, source, self.expected)
        if aside.is_dir():
            aside.rename(kept)
        return folder


def must(tool: Tool, ran: Ran, found: Verdicts, fails: frozenset[str]) -> None:
    """Raise UnexpectedError unless there is a verdict on every test and exactly `fails` failed."""
    wanted = {name: name not in fails for name in NAMES}
    if found != wanted:
        wrong = sorted(name for name in NAMES if found.get(name) is not wanted[name])
        last = "\n".join(ran.output.splitlines()[-30:])
        raise UnexpectedError(
            f"{tool.name}: {len(found)} verdicts, wrong or missing: {wrong}; "
            f"status {ran.status}; it said:\n{last}"
        )


def open_shop(folder: Path, python: Path) -> Shop:
    """An empty folder, and the reference played by `python`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    played = {}
    for game in GAMES:
        done = subprocess.run(
            [str(python), str(REFERENCE / "a1.py")],
            input=typed(game),
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        )
        ends = [0, *(found.end() for found in _PROMPT.finditer(done.stdout))]
        shown = [done.stdout[a:b] for a, b in zip(ends, [*ends[1:], None], strict=True)]
        if len(shown) != len(GAMES[game]) + 1:
            raise UnexpectedError(f"the reference asked {len(shown) - 1} times in {game}")
        played[game] = shown
    right = RIGHT.read_text(encoding="utf-8")
    return Shop(folder=folder, right=right, expected=json.dumps(played))
