"""The tables of a run's database."""

from __future__ import annotations

SCHEMA_VERSION = 1

# An observation row holds all observations of one submission on one scenario, compressed: a
# transcript repeats its board dozens of times.
TABLES = (
    """
    CREATE TABLE run (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        facts TEXT NOT NULL,
        plan TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE submission (
        id TEXT PRIMARY KEY,
        result TEXT NOT NULL,
        source_digest TEXT NOT NULL,
        state_digest TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE TABLE observation (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE verdict (key TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID",
)
