"""Many submissions in one batch, one in twenty hostile: no honest mark is another, nothing is left,
and no process of ours grows."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import threading
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.soak import course, machine, runs

GROWTH = 1.15  # the last quarter's memory to the first quarter's, at most
SLACK_MIB = 2.0
# What the largest reply that is let in leaves of an allocator's high-water mark, once a process.
MAX_REPLY_MIB = 32.0
MAX_MIB = 512.0  # at once, in any process of ours
WARM_UP = 25  # submissions; by then every process holds the plan and the key


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A run that was watched: wall seconds, memory by process (MiB, first and last quarter, and
    the most at once), and what it left behind."""

    seconds: float
    memory: dict[str, tuple[float, float]]
    peaks: dict[str, float]
    orphans: int
    left: list[str]


def run_corpus(folder: Path) -> None:
    """As `run`, with every program of the corpus once, and as many honest ones."""
    run(folder, 2 * len(course.hostile_programs("", {})), every=2)


def run(folder: Path, count: int, every: int = course.EVERY) -> None:
    """Grade `count` submissions, one of `every` hostile, with and without the hostile ones;
    AssertionError where anything differs or is left, or a process of ours is too large."""
    machine.adopt_orphans()
    token = f"soak{secrets.token_hex(6)}"
    names = _lay(folder, count, every, token)
    with_hostile = watched(folder, folder / "with", token, "class", str(folder / "hostile"))
    without = watched(folder, folder / "without", token, "class")
    honest = _entries(folder / "without")
    among = _entries(folder / "with")
    assert len(honest) == len(names) and len(among) == count
    differing = [name for name in honest if honest[name] != among[name]]
    assert not differing, f"marks that hostile neighbours changed: {differing}"
    left = with_hostile.left + without.left
    assert not left, left
    per_second = count / with_hostile.seconds
    hostile = count - len(names)
    print(f"{count} submissions, {hostile} of them hostile: {with_hostile.seconds:.0f} s")
    print(f"({per_second:.1f} a second). The {len(names)} honest ones: results byte-identical to a")
    print(f"batch of them alone. Left behind: nothing; {with_hostile.orphans} orphans.")
    print("| batch | process | MiB in the first quarter | in the last | ratio |")
    print("|---|---|---|---|---|")
    _flat("honest ones alone", without, SLACK_MIB)
    _flat("hostile ones among them", with_hostile, SLACK_MIB + MAX_REPLY_MIB)
    for name, most in sorted((without.peaks | with_hostile.peaks).items()):
        print(f"{name}: {most:.0f} MiB at most", flush=True)
        assert name.startswith("servers") or most <= MAX_MIB, f"{name} had {most} MiB"


def _flat(batch: str, watched: Watched, slack: float) -> None:
    for name, (first, last) in watched.memory.items():
        print(f"| {batch} | {name} | {first:.1f} | {last:.1f} | {last / first:.2f} |", flush=True)
        assert last <= GROWTH * first + slack, f"{name} grew from {first} to {last} MiB"


def watched(folder: Path, out: Path, token: str, *paths: str) -> Watched:
    """Grade `paths` and look at the machine before, meanwhile and afterwards."""
    temporary = out.with_name(out.name + ".tmp")
    before = machine.Traces.now()
    started = time.monotonic()
    arguments = (*paths, "--assignment", "hostile")
    process = runs.started(folder, out, *arguments, stderr=subprocess.PIPE)
    memory = machine.MemorySamples(process.pid)
    moments: dict[int, float] = {}
    listener = threading.Thread(target=_listen, args=(process, moments))
    listener.start()
    status = process.wait()
    listener.join()
    seconds = time.monotonic() - started
    memory.stop()
    assert status == 0, f"exit status {status}"
    orphans = machine.wait_for_orphans()
    left = machine.Traces.now().new_since(before, token, folder)
    left += [str(path) for path in temporary.iterdir()]
    left += [f"process {pid}" for pid in machine.below(os.getpid())]
    begin = moments.get(WARM_UP, min(moments.values()))
    quarters = memory.quarters(begin, max(moments.values()))
    return Watched(seconds=seconds, memory=quarters, peaks=memory.peaks, orphans=orphans, left=left)


def _lay(folder: Path, count: int, every: int, token: str) -> list[str]:
    """The course and its students, the hostile ones in a folder of their own; the honest names."""
    course.lay(folder)
    hostile = count // every
    names = [f"s{number:05}" for number in range(count) if number % every != 7 % every]
    names = names[: count - hostile]
    for number, name in enumerate(names):
        course.hand_in(folder / "class", name, course.honest(number))
    facts = {
        "@DRIVER@": str(os.getpid()).encode(),
        "@COURSE@": str(folder).encode(),
        "@NEIGHBOUR@": str(folder / "class" / names[0] / "a1.py").encode(),
        "@PORT@": b"9",
    }
    for number, program in enumerate(islice(course.hostile(token, facts), hostile)):
        name = f"s{number * every + 7 % every:05}"
        course.hand_in(folder / "hostile", name, program)
    return names


def _entries(out: Path) -> dict[str, str]:
    whole = runs.results(out)
    assert whole["run"]["complete"]
    return {entry["id"]: json.dumps(entry) for entry in whole["submissions"]}


def _listen(process: subprocess.Popen[str], moments: dict[int, float]) -> None:
    """Note when how many were graded; say what else the run says."""
    assert process.stderr is not None
    for line in process.stderr:
        words = line.split()
        if words[1:2] == ["of"] and " graded" in line:
            moments[int(words[0])] = time.monotonic()
        elif "stopped early" not in line:
            print(line, end="", flush=True)
