"""Workers, the scheduler and the client of a cluster are killed while one batch goes on; the
results, the pages and the database are those of a local run."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.soak import course, kill, runs

WORKERS = 2
PATIENCE = 3600.0  # seconds for the whole batch
EXPECTED = ("the scheduler went away", "no scheduler answers", "no worker grades this run")


@dataclass(slots=True)
class LocalCluster:
    """A scheduler and workers as processes of this machine, each of which can be killed and is
    started again at the same place. What they say goes to files in `folder`."""

    folder: Path
    port: int
    workers: int = WORKERS
    jobs: int = 1
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The scheduler's."""
        return f"tcp://127.0.0.1:{self.port}"

    @property
    def names(self) -> list[str]:
        """The workers'."""
        return [f"worker-{number}" for number in range(self.workers)]

    @contextmanager
    def started(self) -> Iterator[LocalCluster]:
        """Scheduler and workers, until the context is left."""
        try:
            self.start("scheduler")
            self._wait_for("scheduler", "Scheduler at")
            for name in self.names:
                self.start(name)
            yield self
        finally:
            for process in self.running.values():
                process.terminate()
            for process in self.running.values():
                process.wait()

    def start(self, name: str) -> None:
        """Start it (again)."""
        here = Path(sys.executable)
        if name == "scheduler":
            command = [here.with_name("dask"), "scheduler", "--host", "127.0.0.1"]
            command += ["--port", str(self.port), "--no-dashboard", "--no-show"]
        else:
            command = [runs.HARNESS, "worker", "--scheduler", self.address, "--name", name]
            command += ["--jobs", str(self.jobs)]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder
            )

    def kill(self, name: str) -> None:
        """SIGKILL, and start it again."""
        self.running[name].kill()
        self.running[name].wait()
        self.start(name)

    def wait_for_workers(self) -> None:
        """Until all of them grade."""
        for name in self.names:
            self._wait_for(name, "grades for")

    def _wait_for(self, name: str, text: str) -> None:
        deadline = time.monotonic() + 120
        while text not in (self.folder / f"{name}.log").read_text("utf-8", "replace"):
            assert self.running[name].poll() is None, f"{name} has ended"
            assert time.monotonic() < deadline, f"{name} does not start"
            time.sleep(0.05)


def run(folder: Path, count: int, seed: int, kills: Counter[str]) -> None:
    """Grade `count` submissions on a cluster while so many workers, schedulers and clients are
    killed; AssertionError where anything is other than in a local run."""
    course.with_class(folder, count)
    started = time.monotonic()
    runs.grade(folder, folder / "whole", "class")
    print(f"{count} submissions, {time.monotonic() - started:.0f} s on this machine; seed {seed}")
    whole = kill.Whole.of(folder / "whole")
    out = folder / "cluster"
    out.mkdir()
    shutil.copy(folder / "whole" / ".audit-secret", out)
    victims = list(kills.elements())
    random.Random(seed).shuffle(victims)
    started = time.monotonic()
    with LocalCluster(folder=folder, port=18700 + seed % 1000).started() as cluster:
        cluster.wait_for_workers()
        starts, lines = _through(cluster, folder, out, count, victims)
    whole.compare(out)
    done = ", ".join(f"{number} of {name}" for name, number in sorted(kills.items()))
    print(f"kills: {done}; the client was started {starts} times; ", end="")
    print(f"{time.monotonic() - started:.0f} s. Results, pages and rows are the local run's.")
    print("It said:", dict(Counter(lines)), flush=True)


def _through(
    cluster: LocalCluster, folder: Path, out: Path, count: int, victims: list[str]
) -> tuple[int, list[str]]:
    """Start the client until the run is complete; every so many submissions somebody is killed."""
    moments = [count * (number + 1) // (len(victims) + 1) for number in range(len(victims))]
    due = list(zip(moments, victims, strict=True))
    starts, turn, lines = 0, 0, []
    deadline = time.monotonic() + PATIENCE
    before = 0
    log_path = folder / "client.log"
    while True:
        starts += 1
        arguments = ("class", "--scheduler", cluster.address)
        with log_path.open("ab") as log:
            client = runs.started(folder, out, *arguments, stderr=log)
        while client.poll() is None:
            assert time.monotonic() < deadline, "the batch does not end"
            done = graded(out, before)
            assert done >= before, f"of {before} graded {done} are left:\n{log_path.read_text()}"
            before = done
            if due and done >= due[0][0]:
                _, victim = due.pop(0)
                if victim == "client":
                    client.kill()
                elif victim == "scheduler":
                    cluster.kill("scheduler")
                else:
                    cluster.kill(cluster.names[turn % len(cluster.names)])
                    turn += 1
            time.sleep(0.02)
        said = log_path.read_text("utf-8").strip().splitlines()
        if client.returncode == 0:
            assert not due, f"never killed: {due}"
            return starts, lines
        if client.returncode == -signal.SIGKILL:
            lines.append("killed")
            continue
        assert client.returncode == 2 and said, (client.returncode, said)
        known = [text for text in EXPECTED if text in said[-1]]
        assert known, said[-1]
        lines += known


def graded(out: Path, otherwise: int) -> int:
    """How many submissions are in the database, `otherwise` where it cannot be read at that
    moment."""
    if not (out / "run.sqlite").exists():
        return otherwise
    try:
        with closing(sqlite3.connect(f"file:{out / 'run.sqlite'}?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM submission").fetchone()[0])
    except sqlite3.OperationalError:
        return otherwise
