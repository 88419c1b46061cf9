"""One run, one SQLite database, one writer, one transaction a submission.

Whatever kills the writer leaves whole submissions only: SQLite's write-ahead log is committed at
once or not at all.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from harness.model import serial
from harness.model.errors import UserError
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan
from harness.model.result import RunFacts, SubmissionResult
from harness.model.verdict import Verdict, VerdictKind
from harness.results.faults import translated
from harness.results.reader import (
    StoreReader,
    connect_to_read,
    read_version,
    refuse_other_version,
)
from harness.results.schema import SCHEMA_VERSION, TABLES
from harness.results.writer_lock import WriterLock

# Never used again: these say as much about the machine at that moment as about the submission.
_PASSING_ENDINGS = frozenset({Ending.TIMEOUT, Ending.HARNESS_ERROR, Ending.STOPPED_EARLY})
_PASSING_KINDS = frozenset(
    {VerdictKind.TIMEOUT, VerdictKind.HARNESS_ERROR, VerdictKind.STOPPED_EARLY}
)


class Store(StoreReader):
    """The writer's side. Open it with `Store.open`; readers use `Store.read_only`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: WriterLock) -> None:
        super().__init__(path, connection)
        self._lock = lock

    @classmethod
    def open(cls, path: Path, *, fresh: bool = False) -> Store:
        """Open a run's database for writing, made if it is not there, emptied if `fresh`.

        Raises UserError: no such folder can be made, another run is writing, a newer harness
        wrote it, the disk is full.
        """
        with translated(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = WriterLock.take(path)
            try:
                if fresh:
                    _remove(path)
                return cls(path, _connect(path), lock)
            except BaseException:
                lock.release()
                raise

    @staticmethod
    def read_only(path: Path) -> StoreReader:
        """Open a run's database for reading, while another process may be writing it."""
        return StoreReader(path, connect_to_read(path))

    def close(self) -> None:
        """Let go of the file and of the right to write it."""
        try:
            with translated(self.path):
                super().close()
        finally:
            self._lock.release()

    def begin(self, facts: RunFacts, plan: Plan) -> None:
        """Write down what the run is made with. Results of the same assignment stay.

        Raises UserError if the database holds another assignment's run.
        """
        row = self._row("SELECT facts FROM run WHERE one = 1")
        earlier = None if row is None else self._read(RunFacts, row[0])
        if earlier is not None and earlier.assignment != facts.assignment:
            raise UserError(
                f"holds a run of {earlier.assignment}, not of {facts.assignment}",
                place=str(self.path),
                hint="choose another folder with --out, or use --fresh",
            )
        with self._transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO run (one, facts, plan) VALUES (1, ?, ?)",
                (serial.dumps(facts), serial.dumps(plan)),
            )

    def keep_only(self, submission_ids: Iterable[str], *, state_digest: str | None = None) -> None:
        """Drop the results of all other submissions, and those made with another state."""
        with self._transaction():
            rows = self._connection.execute("SELECT id, state_digest FROM submission").fetchall()
            wanted = set(submission_ids)
            dropped = [
                (name,)
                for name, state in rows
                if name not in wanted or state_digest not in (None, state)
            ]
            self._connection.executemany("DELETE FROM submission WHERE id = ?", dropped)

    def save(
        self,
        result: SubmissionResult,
        observations: Mapping[str, tuple[Observation, ...]],
        verdicts: Mapping[str, Verdict],
        *,
        state_digest: str = "",
    ) -> None:
        """Store one submission whole, in one transaction.

        `observations` and `verdicts` are by their keys; those that must never be used again are
        left out here, whoever calls. Raises UserError, and then nothing of it is stored.
        """
        seen = [
            (key, zlib.compress(serial.dumps(entry, kind=tuple[Observation, ...]).encode(), 6))
            for key, entry in observations.items()
            if not any(observation.ending in _PASSING_ENDINGS for observation in entry)
        ]
        judged = [
            (key, serial.dumps(verdict))
            for key, verdict in verdicts.items()
            if verdict.kind not in _PASSING_KINDS
        ]
        row = (result.id, serial.dumps(result), result.source_digest, state_digest)
        with self._transaction():
            execute = self._connection.executemany
            execute("INSERT OR REPLACE INTO observation (key, data) VALUES (?, ?)", seen)
            execute("INSERT OR REPLACE INTO verdict (key, data) VALUES (?, ?)", judged)
            execute("INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?)", [row])

    def finish(self, facts: RunFacts) -> None:
        """Write down the facts at the end of the run."""
        with self._transaction():
            self._connection.execute("UPDATE run SET facts = ?", (serial.dumps(facts),))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with translated(self.path):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=10, isolation_level=None)
    try:
        version = read_version(connection)
        if version or _has_tables(connection):
            refuse_other_version(path, version)
        connection.execute("PRAGMA journal_mode = WAL")
        # A power cut may lose the last submissions, never damage the file; they are run again.
        connection.execute("PRAGMA synchronous = NORMAL")
        if not version:
            connection.execute("BEGIN IMMEDIATE")
            for table in TABLES:
                connection.execute(table)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
