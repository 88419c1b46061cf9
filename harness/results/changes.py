"""What people did to a run, in its database: a table that only grows, written a change at a time by
any process at any time, also while another grades."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from harness.common import serial
from harness.model.review import Action, Change
from harness.results.database import (
    CHANGE_TABLE,
    OLDEST_VERSION,
    SCHEMA_VERSION,
    old_changes,
    read_version,
    refuse_other_version,
    translated,
)

WAIT_SECONDS = 10.0  # for another writer's transaction, which takes milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A change before it is stored."""

    who: str
    assignment: str
    submission: str
    action: Action
    source_digest: str = ""


def record(database: Path, drafts: Iterable[Draft]) -> list[Change]:
    """Store changes in one transaction: all of them are there when this returns, whatever happens
    then, and none when it raises UserError (the database cannot be written)."""
    with translated(database), closing(_opened(database)) as connection, connection:
        connection.execute("BEGIN IMMEDIATE")
        upgrade(connection)
        return append(connection, drafts)


def _opened(database: Path) -> sqlite3.Connection:
    address = f"{database.absolute().as_uri()}?mode=rw"  # a folder that is gone is not made anew
    connection = sqlite3.connect(address, timeout=WAIT_SECONDS, uri=True, isolation_level=None)
    try:
        refuse_other_version(database, read_version(connection))
        # What a kill interrupts is left out by whoever reads next, who need not be able to write.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def upgrade(connection: sqlite3.Connection) -> None:
    """Give a database of the oldest version this version's table, inside a transaction."""
    if read_version(connection) != OLDEST_VERSION:
        return
    rows = old_changes(connection)
    for statement in CHANGE_TABLE:
        connection.execute(statement)
    insert(connection, (serial.loads(Change, str(data)) for _, data in rows))
    connection.execute("DROP TABLE by_hand")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def append(connection: sqlite3.Connection, drafts: Iterable[Draft]) -> list[Change]:
    """Add changes inside a transaction, each later than all that are there."""
    last = connection.execute("SELECT data FROM change ORDER BY number DESC LIMIT 1").fetchone()
    newest = serial.loads(Change, last[0]).at if last else ""
    changes = []
    for draft in drafts:
        newest = _after(newest)
        change = Change(
            id=uuid.uuid4().hex,
            at=newest,
            who=draft.who,
            assignment=draft.assignment,
            submission=draft.submission,
            action=draft.action,
            source_digest=draft.source_digest,
        )
        changes.append(change)
    insert(connection, changes)
    return changes


def insert(connection: sqlite3.Connection, changes: Iterable[Change]) -> None:
    """Add changes inside a transaction, but for those that are there."""
    rows = [(change.id, change.submission, serial.dumps(change)) for change in changes]
    query = "INSERT OR IGNORE INTO change (id, submission, data) VALUES (?, ?, ?)"
    connection.executemany(query, rows)


def _after(newest: str) -> str:
    """The time, or where a clock was put back the moment after the newest change: what was done
    later counts."""
    now = datetime.now(UTC)
    if newest:
        now = max(now, datetime.fromisoformat(newest) + timedelta(microseconds=1))
    return now.isoformat(timespec="microseconds")
