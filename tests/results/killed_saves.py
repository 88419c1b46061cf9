"""`python -m tests.results.killed_saves DATABASE COUNT SEED`: processes that save changes until a
timer kills each at some instruction; after each everything that was acknowledged is there, whole.
Prints how many changes there are in the end. A program of its own, for it forks."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from harness.model.review import Change, Commented
from harness.results.database import StoreReader
from harness.results.store import record

TOGETHER = 3  # changes of one save
ROOM = b"."


def save_until_killed(database: Path, seconds: float, out: int) -> None:
    signal.setitimer(signal.ITIMER_REAL, seconds)
    drafts = [
        Change(who="ann", assignment="", submission="ada", action=Commented(text=f"{n}" * 50))
        for n in range(TOGETHER)
    ]
    while True:
        record(database, drafts)
        os.write(out, ROOM)


def acknowledged(database: Path, seconds: float) -> int:
    """How many saves a process told of before it was killed."""
    come, out = os.pipe()
    child = os.fork()
    if not child:
        save_until_killed(database, seconds, out)
    os.close(out)
    with os.fdopen(come, "rb") as told:
        count = len(told.read())
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    return count


def main(path: str, count: str, seed: str) -> None:
    database, moments = Path(path), random.Random(int(seed))
    there, longest = 0, 0.08
    for _ in range(int(count)):
        saves = acknowledged(database, moments.uniform(0.002, longest))
        longest *= 1 if there or saves else 2  # a busy machine saves nothing so soon
        with StoreReader.read_only(database) as reader:
            now = len(reader.changes())
        assert now % TOGETHER == 0, "a part of a save is there"
        missing = there + saves * TOGETHER - now
        assert missing in (0, -TOGETHER), f"{missing} changes are missing"
        there = now
        with closing(sqlite3.connect(database)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    print(there)


if __name__ == "__main__":
    main(*sys.argv[1:])
