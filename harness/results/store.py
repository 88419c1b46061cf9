"""One run, one SQLite database, one writer.

A submission's result is written after the observations that it rests on, each in one transaction.
A writer that is killed leaves only complete results, and stored observations are not made again.

Changes by people are a table that only grows. Any process may add a change at any time (`record`),
also while another process grades.
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
    CHANGE_TABLE,
    FOUND,
    OLDEST_VERSION,
    REUSED,
    SCHEMA_VERSION,
    TABLES,
    NewerResultsError,
    StoreReader,
    lock_for_writing,
    old_changes,
    read_version,
    refuse_other_version,
    translated,
)
from harness.results.reuse import Piece, compress

WAIT_SECONDS = 10.0  # for another writer's transaction, which takes milliseconds
_KNOWN = f"PRAGMA user_version = {SCHEMA_VERSION}"


def record(database: Path, drafts: Iterable[Change]) -> list[Change]:
    """Store changes, which get their ids and times, in one transaction: all of them are there when
    this returns, whatever happens then, and none when it raises UserError (the database cannot be
    written)."""
    with (
        translated(database),
        closing(_connect(database, mode="rw", synchronous="FULL")) as connection,
        connection,
    ):
        connection.execute("BEGIN IMMEDIATE")
        return append(connection, drafts)


def append(connection: sqlite3.Connection, drafts: Iterable[Change]) -> list[Change]:
    """Add changes inside a transaction, each later than all that are there."""
    last = connection.execute("SELECT data FROM change ORDER BY number DESC LIMIT 1").fetchone()
    newest = serial.loads(Change, last[0]).at if last else ""
    changes = []
    for draft in drafts:
        now = datetime.now(UTC)
        if newest:  # where a clock was put back, the moment after: what was done later counts
            now = max(now, datetime.fromisoformat(newest) + timedelta(microseconds=1))
        newest = now.isoformat(timespec="microseconds")
        changes.append(replace(draft, id=uuid.uuid4().hex, at=newest))
    insert(connection, changes)
    return changes


def insert(connection: sqlite3.Connection, changes: Iterable[Change]) -> None:
    """Add changes inside a transaction, but for those that are there."""
    rows = [(change.id, change.submission, serial.dumps(change)) for change in changes]
    query = "INSERT OR IGNORE INTO change (id, submission, data) VALUES (?, ?, ?)"
    connection.executemany(query, rows)


class Store(StoreReader):
    """The writer's side. Open it with `Store.open`; readers use `Store.read_only`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: IO[bytes]) -> None:
        super().__init__(path, connection)
        self._lock = lock

    @classmethod
    def open(cls, path: Path, *, fresh: bool = False) -> Store:
        """Open a run's database for writing. Create it if necessary, and empty it if `fresh`,
        except for marks and comments by people.

        Raise UserError if the folder cannot be created, another run is writing, another version of
        the harness wrote it, or the disk is full.
        """
        with translated(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # marks and names
            lock = lock_for_writing(path)
            try:
                # A power cut may lose the last submissions, never damage the file; they run again.
                return cls(path, _emptied(path) if fresh else _connect(path), lock)
            except BaseException:
                lock.close()
                raise

    def close(self) -> None:
        """Close the file and release the lock on writing it. Where nobody reads it at that moment,
        the run is one file from then on: a reader of a database with a write-ahead log makes that
        log anew, and may not remove it."""
        try:
            with translated(self.path):
                with suppress(sqlite3.Error):
                    self._connection.execute("PRAGMA busy_timeout = 0")
                    self._connection.execute("PRAGMA journal_mode = DELETE")
                super().close()
        finally:
            self._lock.close()

    def begin(self, facts: RunFacts, plan: Plan, paths: Iterable[str] | None = None) -> None:
        """Store what the run is made with, and the `paths` it was asked to grade (None: as before).
        Results of the same assignment stay; UserError if the database holds another's run."""
        earlier = self.earlier_facts()
        if earlier is not None and earlier.assignment != facts.assignment:
            what = f"holds a run of {earlier.assignment}, not of {facts.assignment}"
            hint = "choose another folder with --out, or use --fresh"
            raise UserError(what, place=str(self.path), hint=hint)
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
        """Drop the results of all other submissions; with a `state_digest`, `drop_stale` these."""
        wanted = set(submission_ids)
        self._drop_results(self.states().keys() - wanted)
        if state_digest is not None:
            self.drop_stale(wanted, state_digest)

    def drop_stale(self, submission_ids: Iterable[str], state_digest: str) -> None:
        """Drop the results of these submissions that were made with another state; the good ones
        can still be asked for as `earlier`."""
        states = self.states()
        stale = [name for name in submission_ids if states.get(name, state_digest) != state_digest]
        self._drop_results(stale, keep=[name for name in stale if _is_good(self.result(name))])

    def _drop_results(self, names: Iterable[str], keep: Iterable[str] = ()) -> None:
        """Drop results, of which those to `keep` can still be asked for as `earlier`."""
        copy = "INSERT OR REPLACE INTO earlier SELECT id, result, source_digest FROM submission"
        with self._transaction():
            execute = self._connection.executemany
            execute(f"{copy} WHERE id = ?", [(name,) for name in keep])
            execute("DELETE FROM submission WHERE id = ?", [(name,) for name in names])

    def earlier(self, submission_id: str, source_digest: str) -> SubmissionResult | None:
        """The last good result of these very bytes, made with whatever state; None without one."""
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
        """Store these changes: all of them or, if UserError is raised, none."""
        with self._transaction():
            append(self._connection, drafts)

    def take(self, changes: Iterable[Change]) -> None:
        """Store changes that were made elsewhere; all or, when UserError is raised, none."""
        with self._transaction():
            insert(self._connection, changes)

    def add(self, piece: Piece) -> None:
        """Store part of the results of grading in one transaction. Raise UserError, and store
        nothing, if it fails."""
        with self._transaction():
            execute = self._connection.executemany
            # A text that is there already is written again: it may be the one that was damaged.
            execute(
                "INSERT INTO text (digest, data) VALUES (?, ?) "
                "ON CONFLICT (digest) DO UPDATE SET data = excluded.data",
                piece.texts,
            )
            for table, rows in (("observation", piece.observations), ("verdict", piece.verdicts)):
                query = f"INSERT OR REPLACE INTO {table} SELECT ?, id FROM text WHERE digest = ?"
                execute(query, rows)

    def save(self, result: SubmissionResult, *, state_digest: str = "") -> None:
        """Store one submission's result. Raises UserError, and then nothing of it is stored."""
        data = compress(serial.dumps(result).encode())
        row = (result.id, data, result.source_digest, state_digest)
        with self._transaction():
            execute = self._connection.execute
            execute("INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?)", row)
            if _is_good(result):
                execute("DELETE FROM earlier WHERE id = ?", (result.id,))

    def finish(self, facts: RunFacts) -> None:
        with self._transaction():
            self._connection.execute("UPDATE run SET facts = ?", (serial.dumps(facts),))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with translated(self.path), self._connection:  # which commits, or undoes all on an error
            self._connection.execute("BEGIN IMMEDIATE")
            yield


def _is_good(result: SubmissionResult | None) -> bool:
    """Whether there is something here that a failure of ours must not take away."""
    return result is not None and result.mark is not None


def _emptied(path: Path) -> sqlite3.Connection:
    """A database without a run: one that cannot be read is made anew, but for a newer harness's."""
    try:
        connection = _connect(path)
    except (NewerResultsError, sqlite3.OperationalError):
        raise  # what people gave would be lost; the disk or another program is the cause
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
    """A database with this version's tables: a new file and one of the oldest version get them."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, timeout=WAIT_SECONDS, uri=True, isolation_level=None)
    try:
        version = read_version(connection)
        has_tables = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        if version or has_tables is not None or mode == "rw":
            refuse_other_version(path, version)
        # What a kill interrupts is left out by whoever reads next, who need not be able to write.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("BEGIN IMMEDIATE")
        if not version:
            for statement in (*TABLES, _KNOWN):
                connection.execute(statement)
        elif read_version(connection) == OLDEST_VERSION:  # still: no other process has upgraded it
            rows = old_changes(connection)
            for statement in CHANGE_TABLE:
                connection.execute(statement)
            insert(connection, (serial.loads(Change, str(data)) for _, data in rows))
            connection.execute("DROP TABLE by_hand")
            connection.execute(_KNOWN)
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection
