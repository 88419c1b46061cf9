"""SIGKILL at random moments, and the same command again: as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.soak import course, machine, runs

TWICE = 0.5  # of the runs are killed again while they go on
LONGEST = 2.0  # seconds that anything may live after the run was killed
SCRAPS = 4096  # bytes
WRITING = 0.3  # seconds; about what the pages of such a batch take
NOT_COMPLETE = "not complete"


def run(folder: Path, kills: int, seed: int, students: int) -> None:
    """Kill a batch `kills` times; AssertionError where anything is left, lost, doubled or half."""
    machine.adopt_orphans()
    course.with_class(folder, students)
    course.hand_in(folder / "class", "endless", course.endless())
    started = time.monotonic()
    runs.grade(folder, folder / "whole", "class")
    seconds = time.monotonic() - started
    whole = Whole.of(folder / "whole")
    print(f"{students + 1} submissions, {seconds:.1f} s uninterrupted; seed {seed}", flush=True)
    moments = random.Random(seed)
    done, found = 0, dict.fromkeys(("nothing", "database", "pages", "marked", "report"), 0)
    number = 0
    while done < kills:
        out = folder / f"run-{number}"
        earlier = number % 3 == 2
        if earlier:  # a whole report of other inputs is there already
            _other_inputs(folder, out)
        again = 2 if moments.random() < TWICE and done + 1 < kills else 1
        for turn in range(again):
            writing = done % 3 == 2
            share = moments.random()
            moment = share * (WRITING if writing else seconds)
            since = "its results.json" if writing else "its start"
            ended, lived = _killed(folder, out, moment, writing=writing)
            state = whole.look_at(out)
            if ended is None:  # it was faster: no kill
                if not writing and not turn:
                    seconds = moment
                break
            done += 1
            found[state] += 1
            print(
                f"kill {done}, {moment:.3f} s after {since}{', earlier report' * earlier}:"
                f" {ended} processes ended by themselves, the last after {lived:.2f} s; {state}",
                flush=True,
            )
        runs.grade(folder, out, "class")
        whole.compare(out)
        shutil.rmtree(out)
        number += 1
    print(f"{done} kills, {number} runs resumed: each as the uninterrupted one. Found: {found}")


class Whole:
    """What the uninterrupted run wrote, for others to be held against."""

    def __init__(self, results: bytes, pages: dict[str, str], rows: list[Any], ids: set[str]):
        self._results, self._pages, self._rows, self._ids = results, pages, rows, ids

    @classmethod
    def of(cls, out: Path) -> Whole:
        """Of a complete run."""
        ids = {entry["id"] for entry in runs.results(out)["submissions"]}
        return cls(runs.timeless(out), runs.pages(out), rows(out), ids)

    def compare(self, out: Path) -> None:
        """AssertionError unless `out` holds the same results, pages and rows."""
        assert runs.timeless(out) == self._results, "other results"
        found = runs.pages(out)
        assert found == self._pages, sorted(found.items() ^ self._pages.items())
        assert rows(out) == self._rows, "other rows"

    def look_at(self, out: Path) -> str:
        """Right after a kill: AssertionError if a row is doubled, or if something that is not
        whole says that it is. Returns how far the run had come."""
        if not (out / "run.sqlite").exists():
            assert not out.exists() or not any(out.glob("*.*"))
            return "nothing"
        ids = [row[0] for row in rows(out)] if _selected(out, "1 FROM sqlite_master") else []
        assert len(ids) == len(set(ids)) and set(ids) <= self._ids, ids
        return self._report(out)

    def _report(self, out: Path) -> str:
        json_there, index = (out / "results.json").exists(), out / "index.html"
        whole = runs.results(out) if json_there else None  # JSON to the end, or it would raise
        page = index.read_text(encoding="utf-8") if index.exists() else ""
        for each in out.rglob("*.html"):
            assert each.read_bytes().rstrip().endswith(b"</html>"), f"{each} is cut off"
        if whole is None and not page:
            return "pages" if any(out.rglob("*.html")) else "database"
        marked = [whole is not None and not whole["run"]["complete"], NOT_COMPLETE in page]
        if any(marked):
            return "marked"
        if whole is not None and not page:
            return "pages"  # the first report of all: no index is there yet that could mislead
        assert whole is not None, "an index without results"
        self._agree(out, whole, page)
        return "report"

    def _agree(self, out: Path, whole: dict[str, Any], page: str) -> None:
        """A report that says it is complete: results, index and pages are of one and the same
        run."""
        for fact in ("started", "finished"):
            assert whole["run"][fact] in page, f"index and results of different runs ({fact})"
        for entry in whole["submissions"]:
            text = (out / "submissions" / f"{entry['id']}.html").read_text(encoding="utf-8")
            mark = f"{entry['mark']:.2f}"
            assert mark in text, f"{entry['id']}: another mark in results.json than on its page"


def rows(out: Path) -> list[Any]:
    """The submissions in the database: id, digest of the source, mark, in the order of ids."""
    found = _selected(out, "id, source_digest, result FROM submission ORDER BY id")
    return [
        (name, digest, json.loads(zlib.decompress(data))["mark"]) for name, digest, data in found
    ]


def _selected(out: Path, query: str) -> list[Any]:
    address = f"file:{out / 'run.sqlite'}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as database:
        return database.execute(f"SELECT {query}").fetchall()


def _killed(folder: Path, out: Path, moment: float, *, writing: bool) -> tuple[int | None, float]:
    """Start a run, kill it after `moment` seconds (`writing`: counted from when it begins to write
    its report), and wait until all below it has ended; how many processes that were (None if the
    run was over before), and how many seconds the last lived. AssertionError if one stays."""
    temporary = out.with_name(out.name + ".tmp")
    process = runs.started(folder, out, "class")
    before = _written(out)
    while writing and process.poll() is None and _written(out) == before:
        time.sleep(0.001)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        process.kill()
    killed = process.wait() == -signal.SIGKILL
    dead = time.monotonic()
    ended = machine.wait_for_orphans()
    lived = time.monotonic() - dead
    assert not killed or lived < LONGEST, f"a process lived {lived:.2f} s after the run"
    # The run itself cannot tidy up any more. What it has in /tmp is its own: an empty folder that
    # its programs start in, and bait for the probes.
    size = sum(path.lstat().st_size for path in temporary.rglob("*") if path.is_file())
    assert size < SCRAPS, f"{size} bytes in {temporary}"
    shutil.rmtree(temporary)
    return (ended if killed else None), lived


def _written(out: Path) -> int | None:
    """Which results.json there is; it is replaced as a whole."""
    try:
        return (out / "results.json").stat().st_ino
    except FileNotFoundError:
        return None


def _other_inputs(folder: Path, out: Path) -> None:
    """A complete report in `out`, of the same students with other programs."""
    other = folder / "other"
    if not other.exists():
        course.lay(other)
        for path in sorted((folder / "class").iterdir()):
            course.hand_in(
                other / "class", path.name, course.honest_program().replace("result", "nothing")
            )
        runs.grade(other, other / "out", "class")
    shutil.copytree(other / "out", out)
    os.utime(out)
