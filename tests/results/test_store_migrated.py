"""A database of an older harness is migrated when it is written, and read as it is before that."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from harness.common import serial
from harness.common.errors import UserError
from harness.model.observation import Observation
from harness.model.result import ByHand, SlotMark
from harness.results import Store
from tests.results.small_run import FACTS, PLAN, observed, result

# What version 1 was, written out: the code that made it is gone.
VERSION_1 = """
PRAGMA journal_mode = WAL;
CREATE TABLE run (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    facts TEXT NOT NULL,
    plan TEXT NOT NULL
);
CREATE TABLE submission (
    id TEXT PRIMARY KEY,
    result TEXT NOT NULL,
    source_digest TEXT NOT NULL,
    state_digest TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE observation (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE verdict (key TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
"""
ADA = result("ada")
STYLE = {"ada": ByHand(marks=(SlotMark(slot="style", mark=Fraction(3)),), comment="Well done.")}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "run.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.executescript(VERSION_1)
        raw.execute("INSERT INTO run VALUES (1, ?, ?)", (serial.dumps(FACTS), serial.dumps(PLAN)))
        row = ("ada", serial.dumps(ADA), ADA.source_digest, "s1")
        raw.execute("INSERT INTO submission VALUES (?, ?, ?, ?)", row)
        data = serial.dumps((observed(),), kind=tuple[Observation, ...]).encode()
        raw.execute("INSERT INTO observation VALUES ('k', ?)", (zlib.compress(data),))
        verdict = serial.dumps(ADA.scenarios[1].verdict)
        raw.execute("INSERT INTO verdict VALUES ('v', ?)", (verdict,))
    return path


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as raw:
        return int(raw.execute("PRAGMA user_version").fetchone()[0])


def test_everything_is_there_after_the_migration(old: Path) -> None:
    with Store.open(old) as store:
        assert store.run().submissions == (ADA,)
        assert (store.facts(), store.plan()) == (FACTS, PLAN)
        assert store.state_digest("ada") == "s1"
        assert store.observations("k") is None  # its key names the code that observed it
        assert store.verdict("v") is None
        store.give(STYLE)
        store.keep_only(["ada"], state_digest="s2")
        assert store.earlier("ada", ADA.source_digest) == ADA
    assert version(old) == 3
    with Store.open(old) as store:
        assert store.by_hand() == STYLE


def test_reading_changes_nothing(old: Path) -> None:
    with Store.read_only(old) as reader:
        assert reader.run().submissions == (ADA,)
        assert reader.by_hand() == {}
    assert version(old) == 1


def test_a_migration_that_cannot_be_done_leaves_the_old_file(old: Path) -> None:
    with closing(sqlite3.connect(old)) as raw:
        raw.execute("CREATE TABLE by_hand (theirs)")  # stands in the way of the last statement
    with pytest.raises(UserError):
        Store.open(old)
    assert version(old) == 1
    with closing(sqlite3.connect(old)) as raw:
        assert raw.execute("SELECT id FROM submission").fetchall() == [("ada",)]
        assert not raw.execute("SELECT 1 FROM sqlite_master WHERE name = 'earlier'").fetchall()


def test_an_old_file_can_be_begun_anew(old: Path) -> None:
    with Store.open(old, fresh=True) as store:
        assert store.result("ada") is None
        assert store.observations("k") is None
    assert version(old) == 3
