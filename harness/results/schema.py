"""The tables of a run's database."""

from __future__ import annotations

SCHEMA_VERSION = 2

# An observation row holds all observations of one submission on one scenario, compressed: a
# transcript repeats its board dozens of times.
_FIRST = (
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

# `earlier` has the last good result of a submission that is to be graded again; `by_hand` what
# people gave, which no grading touches.
_SECOND = (
    """
    CREATE TABLE earlier (
        id TEXT PRIMARY KEY,
        result TEXT NOT NULL,
        source_digest TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE TABLE by_hand (id TEXT PRIMARY KEY, given TEXT NOT NULL) WITHOUT ROWID",
)

# What leads from each version to the next; a new file takes all steps from version 0.
STEPS = (_FIRST, _SECOND)

# What a run finds, and so may be forgotten; `by_hand` is not among it.
FOUND = ("run", "submission", "observation", "verdict", "earlier")
