"""Write one run into a SQLite database. Only one process at a time writes results.

A submission's result is written after its observations, each in one transaction. So if the writer
is killed, every stored result is complete, and stored observations are reused.

Marks and comments by people ("changes") are in a table to which rows are only added. Any process
may add a change at any time (`record`), even while another process grades.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO

from harness.common import serial
from harness.common.errors import UserError
from harness.model.plan import Plan
from harness.model.result import RunFacts, SubmissionResult
from harness.model.review import Change
from harness.results.database import (
    FOUND,
    REUSED,
    SCHEMA_VERSION,
    TABLES,
    NewerResultsError,
    StoreReader,
    lock_for_writing,
    read_version,
    refuse_other_version,
    translated,
)
from harness.results.reuse import Piece, compress

# Seconds to wait for another writer's transaction, which takes milliseconds.
WAIT_SECONDS = 10.0
_KNOWN = f"PRAGMA user_version = {SCHEMA_VERSION}"


def record(database: Path, drafts: Iterable[Change]) -> list[Change]:
    """Store people's changes (marks, comments) in one transaction, and return them with their ids
    and times.

    All of them are stored when this returns. None is stored if the database cannot be written,
    which raises UserError.
    """
    with (
        translated(database),
        closing(_connect(database, mode="rw", synchronous="FULL")) as connection,
        connection,
    ):
        connection.execute("BEGIN IMMEDIATE")
        return append(connection, drafts)


def append(connection: sqlite3.Connection, drafts: Iterable[Change]) -> list[Change]:
    """Add people's changes inside a transaction. Each gets a time later than all stored ones."""
    last = connection.execute("SELECT data FROM change ORDER BY number DESC LIMIT 1").fetchone()
    newest: datetime | None = None
    if last:
        at = serial.loads(Change, last[0]).at
        newest = datetime.fromisoformat(at) if at else None
    changes = []
    for draft in drafts:
        now = datetime.now(UTC)
        # Even if a clock was set back, the last change must be the latest.
        if newest is not None:
            now = max(now, newest + timedelta(microseconds=1))
        newest = now
        at = now.isoformat(timespec="microseconds")
        changes.append(replace(draft, id=uuid.uuid4().hex, at=at))
    insert(connection, changes)
    return changes


def insert(connection: sqlite3.Connection, changes: Iterable[Change]) -> None:
    """Add people's changes inside a transaction, except those that are already stored."""
    rows = [(change.id, change.submission, serial.dumps(change)) for change in changes]
    query = "INSERT OR IGNORE INTO change (id, submission, data) VALUES (?, ?, ?)"
    connection.executemany(query, rows)


class Store(StoreReader):
    """Writes a run's database. Open it with `Store.open`; readers use `Store.read_only`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: IO[bytes]) -> None:
        super().__init__(path, connection)
        self._lock = lock

    @classmethod
    def open(cls, path: Path, *, fresh: bool = False) -> Store:
        """Open a run's database for writing. Create it if it does not exist.

        `fresh` empties it, except for marks and comments by people. Raise UserError if the folder
        cannot be created, another run is writing, another version of the harness wrote it, or the
        disk is full.
        """
        with translated(path):
            # The folder will contain marks and names, so only its owner may read it.
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = lock_for_writing(path)
            try:
                # A power cut may lose the last submissions, which then run again, but it never
                # damages the file.
                connection = _emptied(path) if fresh else _connect(path)
                return cls(path, connection, lock)
            except BaseException:
                lock.close()
                raise

    def close(self) -> None:
        """Close the file, and allow other runs to write.

        Usually the run is then a single file. If somebody reads it at that moment, SQLite's
        write-ahead log stays beside it, and the reader may not be able to remove the log.
        """
        try:
            with translated(self.path):
                with suppress(sqlite3.Error):
                    self._connection.execute("PRAGMA busy_timeout = 0")
                    self._connection.execute("PRAGMA journal_mode = DELETE")
                super().close()
        finally:
            self._lock.close()

    def begin(self, facts: RunFacts, plan: Plan, paths: Iterable[str] | None = None) -> None:
        """Store the facts of a run that starts, and the `paths` to grade (None: keep the stored
        ones).

        Earlier results of the same assignment stay. Raise UserError if the database has a run of
        another assignment.
        """
        earlier = self.earlier_facts()
        if earlier is not None and earlier.assignment != facts.assignment:
            problem = f"contains a run of {earlier.assignment}, not of {facts.assignment}"
            hint = "choose another folder with --out, or use --fresh"
            raise UserError(problem, place=str(self.path), hint=hint)
        with self._transaction():
            self._connection.execute(
                "INSERT OR REPLACE INTO run (one, facts, plan) VALUES (1, ?, ?)",
                (serial.dumps(facts), compress(serial.dumps(plan).encode())),
            )
            if paths is not None:
                self._connection.execute("DELETE FROM path")
                rows = [(path,) for path in sorted(set(paths))]
                self._connection.executemany("INSERT INTO path VALUES (?)", rows)

    def keep_only(self, submission_ids: Iterable[str], *, state_digest: str | None = None) -> None:
        """Delete the results of all other submissions.

        With `state_digest`, also delete outdated results of these submissions, as `drop_stale`
        does.
        """
        wanted = set(submission_ids)
        self._drop_results(self.states().keys() - wanted)
        if state_digest is not None:
            self.drop_stale(wanted, state_digest)

    def drop_stale(self, submission_ids: Iterable[str], state_digest: str) -> None:
        """Delete results of these submissions whose stored digest differs from `state_digest`.

        The digest covers everything that a result depends on. Deleted results with a mark can still
        be read with `earlier`.
        """
        states = self.states()
        stale, good = [], []
        for name in submission_ids:
            if states.get(name, state_digest) == state_digest:
                continue
            stale.append(name)
            if _is_good(self.result(name)):
                good.append(name)
        self._drop_results(stale, keep=good)

    def _drop_results(self, names: Iterable[str], keep: Iterable[str] = ()) -> None:
        """Delete the results of these submissions.

        Those in `keep` can still be read with `earlier`.
        """
        copy = "INSERT OR REPLACE INTO earlier SELECT id, result, source_digest FROM submission"
        with self._transaction():
            execute = self._connection.executemany
            execute(f"{copy} WHERE id = ?", [(name,) for name in keep])
            execute("DELETE FROM submission WHERE id = ?", [(name,) for name in names])

    def earlier(self, submission_id: str, source_digest: str) -> SubmissionResult | None:
        """Return the last result with a mark for exactly these files, even if it is outdated.

        Return None if there is none.
        """
        for table in ("submission", "earlier"):
            query = f"SELECT result FROM {table} WHERE id = ? AND source_digest = ?"
            result = self._read(SubmissionResult, self._value(query, submission_id, source_digest))
            if _is_good(result):
                return result
        return None

    def forget(self, submission_id: str, facts: RunFacts) -> None:
        """Remove a submission with its marks and comments, and replace the facts of the run.

        Observations and verdicts are stored by scenario and not by submission, so all of them are
        removed; the next grading makes them again. The file keeps no byte of deleted rows."""
        with self._transaction():
            for table in ("submission", "earlier"):
                self._connection.execute(f"DELETE FROM {table} WHERE id = ?", (submission_id,))
            self._connection.execute("DELETE FROM change WHERE submission = ?", (submission_id,))
            for table in REUSED:
                self._connection.execute(f"DELETE FROM {table}")
            self._connection.execute("UPDATE run SET facts = ?", (serial.dumps(facts),))
        with translated(self.path):
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def append(self, drafts: Iterable[Change]) -> None:
        """Store people's changes: all of them or, if UserError is raised, none."""
        with self._transaction():
            append(self._connection, drafts)

    def take(self, changes: Iterable[Change]) -> None:
        """Store changes from another database: all of them or, if UserError is raised, none."""
        with self._transaction():
            insert(self._connection, changes)

    def add(self, piece: Piece) -> None:
        """Store part of the results of grading in one transaction.

        If that fails, nothing is stored and UserError is raised.
        """
        with self._transaction():
            execute = self._connection.executemany
            # A text that is stored already is written again, because it may be damaged.
            execute(
                "INSERT INTO text (digest, data) VALUES (?, ?) "
                "ON CONFLICT (digest) DO UPDATE SET data = excluded.data",
                piece.texts,
            )
            for table, rows in (("observation", piece.observations), ("verdict", piece.verdicts)):
                query = f"INSERT OR REPLACE INTO {table} SELECT ?, id FROM text WHERE digest = ?"
                execute(query, rows)

    def save(self, result: SubmissionResult, *, state_digest: str = "") -> None:
        """Store one submission's result.

        If that fails, nothing is stored and UserError is raised.
        """
        data = compress(serial.dumps(result).encode())
        row = (result.id, data, result.source_digest, state_digest)
        with self._transaction():
            execute = self._connection.execute
            execute("INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?)", row)
            if _is_good(result):
                execute("DELETE FROM earlier WHERE id = ?", (result.id,))

    def finish(self, facts: RunFacts) -> None:
        """Replace the facts of the run."""
        with self._transaction():
            self._connection.execute("UPDATE run SET facts = ?", (serial.dumps(facts),))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        # The connection commits at the end, or undoes everything after an error.
        with translated(self.path), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield


def _is_good(result: SubmissionResult | None) -> bool:
    """Return whether a result has a mark that a failure of the harness must not remove."""
    return result is not None and result.mark is not None


def _emptied(path: Path) -> sqlite3.Connection:
    """Open a database and empty it. A file that cannot be read is replaced by a new database.

    Raise UserError if a newer harness wrote it.
    """
    try:
        connection = _connect(path)
    # Marks by people would be lost, and the disk or another program is the cause.
    except (NewerResultsError, sqlite3.OperationalError):
        raise
    except (UserError, sqlite3.DatabaseError):
        for suffix in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return _connect(path)
    try:
        connection.execute("BEGIN IMMEDIATE")
        for table in FOUND:
            connection.execute(f"DELETE FROM {table}")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path, *, mode: str = "rwc", synchronous: str = "NORMAL") -> sqlite3.Connection:
    """Open a database, and create its tables if it is new."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, timeout=WAIT_SECONDS, uri=True, isolation_level=None)
    try:
        version = read_version(connection)
        has_tables = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        if version or has_tables is not None or mode == "rw":
            refuse_other_version(path, version)
        # The next reader ignores an interrupted transaction, and need not be able to write.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("BEGIN IMMEDIATE")
        if not version:
            for statement in (*TABLES, _KNOWN):
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection
