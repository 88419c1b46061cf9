"""Read a run's SQLite database. Define its tables and the lock that allows only one writer.

Errors of SQLite are reported as one line that tells users what to do. Any process may read at any
time.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import IO, Self, TypeVar

from harness.common import serial
from harness.common.errors import UserError
from harness.model import review
from harness.model.observation import Observation
from harness.model.plan import Plan
from harness.model.result import (
    Decision,
    RunFacts,
    RunResult,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.verdict import Verdict
from harness.results.finding import Called, only_match
from harness.results.reuse import P, ResultCache, SharedPass, row_key

STORE_NAME = "run.sqlite"
SCHEMA_VERSION = 4

# Changes by people, which no grading touches.
CHANGE_TABLE = (
    """
    CREATE TABLE change (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        submission TEXT NOT NULL,
        data TEXT NOT NULL
    )
    """,
    "CREATE INDEX change_of ON change (submission)",
)
# `path` has the paths that the run was asked to grade, `earlier` the last good result of a
# submission that is to be graded again. `text` has the text of each observation and verdict only
# once, compressed: correct submissions behave alike, and a transcript repeats its board dozens of
# times.
TABLES = (
    """
    CREATE TABLE run (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        facts TEXT NOT NULL,
        plan BLOB NOT NULL
    )
    """,
    """
    CREATE TABLE submission (
        id TEXT PRIMARY KEY,
        result BLOB NOT NULL,
        source_digest TEXT NOT NULL,
        state_digest TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE earlier (
        id TEXT PRIMARY KEY,
        result BLOB NOT NULL,
        source_digest TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    *CHANGE_TABLE,
    "CREATE TABLE text (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, data BLOB NOT NULL)",
    "CREATE TABLE observation (key BLOB PRIMARY KEY, text INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE verdict (key BLOB PRIMARY KEY, text INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE path (path TEXT PRIMARY KEY) WITHOUT ROWID",
)

# The tables that the next grading of the same files uses again.
REUSED = ("observation", "verdict", "text")
# The tables that grading can fill again.
FOUND = ("run", "path", "submission", "earlier", *REUSED)


def store_of(run: Path) -> Path:
    """Return the path of a run's database. `run` is the run's report folder, or the database
    itself.

    Raise UserError if there is none.
    """
    path = run
    if run.is_dir():
        path = run / STORE_NAME
    if not path.is_file():
        raise UserError("this is not a run", place=str(run), hint="name a report folder")
    return path


_ELSEWHERE = "choose another folder with --out"
_ANEW = "use --fresh to start again"
_SEE = "check that the folder exists and can be written"
_LOCKED = ("another run is writing these results", f"wait for it or {_ELSEWHERE}")
# SQLite's code, our message, and the hint.
_REASONS = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free disk space, then run the same command"),
    sqlite3.SQLITE_IOERR: ("the disk reported an error", "check that it is not full"),
    sqlite3.SQLITE_READONLY: ("no permission to write results here", _ELSEWHERE),
    sqlite3.SQLITE_CANTOPEN: ("the results cannot be opened here", _SEE),
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_NOTADB: ("this is not a results file", _ANEW),
    sqlite3.SQLITE_CORRUPT: ("the results file is damaged", _ANEW),
    # The code for a wrong statement. Our statements are right, so a table or column is missing.
    sqlite3.SQLITE_ERROR: ("this is not a results file of the harness", _ANEW),
}
_PRIMARY = 0xFF  # these bits of a code tell the kind of error, the others its place


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise UserError instead of the errors of SQLite and of the file system in a `with` block."""
    try:
        yield
    except sqlite3.Error as error:
        raise _as_user_error(path, error) from None
    except OSError as error:
        problem = f"the results cannot be written ({error.strerror or error})"
        raise UserError(problem, place=str(path), hint=_ELSEWHERE) from None


def _as_user_error(path: Path, error: sqlite3.Error) -> UserError:
    # An error of Python's own module has no code.
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is not None and code & _PRIMARY in _REASONS:
        problem, hint = _REASONS[code & _PRIMARY]
        return UserError(problem, place=str(path), hint=hint)
    return UserError(f"the results cannot be used ({error})", place=str(path))


# On Windows there is only SQLite's own lock, for the time of a transaction.
try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]


def lock_for_writing(database: Path) -> IO[bytes]:
    """Lock a file beside the database, so that no other run can write, and return it.

    Closing the file releases the lock. Raise UserError if another run holds it, OSError if the file
    cannot be created.
    """
    path = database.with_name(database.name + ".lock")
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "rb")
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException as error:
        file.close()
        if isinstance(error, BlockingIOError):
            problem, hint = _LOCKED
            raise UserError(problem, place=str(database), hint=hint) from None
        raise
    return file


# The beginning and the end of the scenarios in the text of a result.
_SCENARIOS = b',"scenarios":['
_AFTER_SCENARIOS = b'],"source_digest":'
_LEFT_OUT = ("scenarios", "causes", "students_causes", "files")  # of an outline
T = TypeVar("T")
Row = tuple[object, ...]
Numbered = tuple[int, review.Change]


class StoreReader(ResultCache, AbstractContextManager["StoreReader"]):
    """Reads a run's results from its database.

    Every method raises UserError if the file cannot be read.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @staticmethod
    def read_only(path: Path) -> StoreReader:
        """Open a run's database for reading, even while another process writes it.

        Raise UserError if there is none.
        """
        if not path.is_file():
            raise UserError("no results were found", place=str(path), hint="run harness grade")
        with translated(path):
            address = path.absolute().as_uri()
            connection = sqlite3.connect(f"{address}?mode=ro", uri=True, isolation_level=None)
            try:
                version = read_version(connection)
            except sqlite3.OperationalError:
                # SQLite needs to write the index of the write-ahead log. It cannot in a read-only
                # folder, but then nobody else is writing there either.
                connection.close()
                address += "?immutable=1"
                connection = sqlite3.connect(address, uri=True, isolation_level=None)
                version = read_version(connection)
        refuse_other_version(path, version)
        return StoreReader(path, connection)

    def close(self) -> None:
        self._connection.close()

    def passed_shared(self, key: str) -> bool:
        """Return whether a `SharedPass` is stored under this key."""
        return self._read(SharedPass, self._text("observation", key)) is SharedPass.PASSED

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """Return the stored observations under this key; None if there are none."""
        return self._read(tuple[Observation, ...], self._text("observation", key))

    def verdict(self, key: str) -> Verdict | None:
        """Return the stored verdict under this key; None if there is none."""
        return self._read(Verdict, self._text("verdict", key))

    def probe(self, key: str, kind: type[P]) -> P | None:
        return self._read(kind, self._text("verdict", key))

    def result(self, submission_id: str) -> SubmissionResult | None:
        """Return the result of a submission as graded, without later changes by people.

        Return None if the run does not have the result (yet).
        """
        return self._read(SubmissionResult, self.result_data(submission_id))

    def result_data(self, submission_id: str) -> object | None:
        """Return the stored bytes of a submission's result: equal bytes mean equal results."""
        return self._value("SELECT result FROM submission WHERE id = ?", submission_id)

    def outline(self, submission_id: str) -> SubmissionResult | None:
        """Return a submission's result without scenarios, causes and files. This takes a tenth of
        the time.

        Return None if there is none that can be read.
        """
        data = self.result_data(submission_id)
        if not isinstance(data, bytes):
            return None
        try:
            plain = json.loads(_without_scenarios(zlib.decompress(data)))
            for key in _LEFT_OUT:
                plain.pop(key, None)
            return serial.from_plain(SubmissionResult, plain)
        except (zlib.error, ValueError, AttributeError, TypeError):
            return None

    def states(self) -> dict[str, str]:
        """Return the ids of all submissions that have a result, each with a digest.

        The digest covers everything that the result depends on.
        """
        rows = self._rows("SELECT id, state_digest FROM submission")
        return {str(name): str(state) for name, state in rows}

    def paths(self) -> tuple[str, ...]:
        """Return the paths that the run was asked to grade."""
        return tuple(str(path) for (path,) in self._rows("SELECT path FROM path ORDER BY path"))

    def earlier_facts(self) -> RunFacts | None:
        """Return the facts of the run; None if there are none that this version of the harness can
        read.
        """
        return self._read(RunFacts, self._value("SELECT facts FROM run WHERE one = 1"))

    def facts(self) -> RunFacts:
        """Return the facts of the run."""
        return self._needed(self.earlier_facts(), "facts")

    def plan(self) -> Plan:
        """Return the plan of the run."""
        data = self._value("SELECT plan FROM run WHERE one = 1")
        return self._needed(self._read(Plan, data), "plan")

    def changes(self, submission: str | None = None, *, after: int = 0) -> list[Numbered]:
        """Return the marks and comments by people with numbers above `after`, in the order of
        storing.

        With `submission`, return only those about this submission or the whole assignment.
        """
        rows = self._change_rows(submission, after)
        if not rows:
            return []
        facts = self.earlier_facts()
        changes = []
        for number, data in rows:
            change = self._needed(self._read(review.Change, data), "changes made by people")
            # The folder may have been used for another assignment of the same students before.
            if facts is not None and change.assignment not in ("", facts.assignment):
                continue
            if submission is None or change.submission in ("", submission):
                changes.append((number, change))
        return changes

    def _change_rows(self, submission: str | None, after: int) -> list[tuple[int, str]]:
        """Return the numbers and data of these changes. Other changes may be among them."""
        query = "SELECT number, data FROM change WHERE number > ?"
        values: tuple[object, ...] = (after,)
        if submission is not None:
            query += " AND submission IN (?, '')"
            values = (after, submission)
        with translated(self.path):
            return self._connection.execute(f"{query} ORDER BY number", values).fetchall()

    def whole_result(self, submission_id: str) -> SubmissionResult | None:
        """Return the result of a submission, with later changes by people; None if it is not in
        this run.

        If the stored result cannot be read, return a withheld one (`unreadable`), so that the rest
        of the run can be used.
        """
        data = self.result_data(submission_id)
        if data is None:
            return None
        result = self._read(SubmissionResult, data) or self.unreadable(submission_id)
        return review.apply_changes(result, [change for _, change in self.changes(submission_id)])

    def unreadable(self, submission_id: str) -> SubmissionResult:
        """Return a withheld result that replaces a stored result which cannot be read."""
        return unreadable_result(submission_id, self.plan().assignment.functionality_marks)

    def run(self) -> RunResult:
        """Return the run with later changes by people, and its submissions in the order of their
        ids.

        Each submission is read only when it is used, even after this reader is closed.
        `facts.complete` says whether all were graded.
        """
        facts = self.facts()
        ids = [str(name) for (name,) in self._rows("SELECT id FROM submission ORDER BY id")]
        return RunResult(facts=facts, submissions=StoredResults(ids, facts, self.path))

    def _value(self, query: str, *values: str | bytes) -> object | None:
        """Return the first column of the query's first row; None if it finds nothing."""
        with translated(self.path):
            row: Row | None = self._connection.execute(query, values).fetchone()
        return row[0] if row else None

    def _rows(self, query: str) -> list[Row]:
        with translated(self.path):
            return self._connection.execute(query).fetchall()

    def _text(self, table: str, key: str) -> object | None:
        query = f"SELECT data FROM {table} JOIN text ON text.id = {table}.text WHERE key = ?"
        return self._value(query, row_key(key))

    def _read(self, kind: type[T], text: object | None) -> T | None:
        """Convert stored text, compressed or not, to a value of this type; None if that is not
        possible.
        """
        if text is None:
            return None
        try:
            if isinstance(text, bytes):
                return serial.loads(kind, zlib.decompress(text))
            return serial.loads(kind, str(text))
        except (zlib.error, ValueError, RecursionError):
            return None

    def _needed(self, value: T | None, name: str) -> T:
        if value is None:
            problem = f"holds no {name} that this harness can read"
            raise UserError(problem, place=str(self.path), hint="grade again with --fresh")
        return value


def unreadable_result(submission_id: str, out_of: Fraction) -> SubmissionResult:
    """Return the result of a submission whose stored result cannot be read. It has no mark."""
    return SubmissionResult(
        id=submission_id,
        status=SubmissionStatus.HARNESS_ERROR,
        mark=None,
        out_of=out_of,
        flagged=True,
        problem="its stored result cannot be read; grade it again",
    )


def _without_scenarios(text: bytes) -> bytes:
    """Cut the scenarios, which are its largest part, out of the JSON text of a result.

    The search cannot stop inside a JSON string, because quotes are escaped there.
    """
    before, found, rest = text.partition(_SCENARIOS)
    _, ended, after = rest.rpartition(_AFTER_SCENARIOS)
    if not found or not ended:
        return text
    return before + _AFTER_SCENARIOS[1:] + after


def read_version(connection: sqlite3.Connection) -> int:
    """Return the version of the database's schema; 0 for a new file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


class NewerResultsError(UserError):
    """Raised if a newer version of the harness wrote the database."""


def refuse_other_version(path: Path, version: int) -> None:
    """Raise UserError if this harness cannot read this version of the schema."""
    if version > SCHEMA_VERSION:
        problem = f"these results were written by a newer harness (version {version} of the file)"
        hint = "update the harness, or choose another folder with --out"
        raise NewerResultsError(problem, place=str(path), hint=hint)
    if not version:
        raise UserError("this is not a results file of the harness", place=str(path))
    if version < SCHEMA_VERSION:
        problem = "these results were written before the first version of the harness"
        raise UserError(problem, place=str(path), hint="grade again with --fresh")


def read_run(run: Path) -> tuple[RunResult, Plan]:
    """Return a run with later changes by people, and its plan. Raise UserError if it cannot be
    read.

    `run` is the run's report folder or its database.
    """
    with StoreReader.read_only(store_of(run)) as store:
        return store.run(), store.plan()


def read_submission(run: Path, name: str) -> tuple[SubmissionResult, Plan]:
    """Return one submission of a run, and the run's plan.

    `run` is the run's report folder or its database. `name` is the submission's id, or its
    student's id or name. Raise UserError if no submission or more than one fits, or if it cannot be
    read.
    """
    with StoreReader.read_only(store_of(run)) as store:
        result = store.whole_result(name)
        if result is not None:
            return result, store.plan()
        called = _names_in(store)
        try:
            place = only_match(name, called, listing=f"harness show {run}")
        except UserError as error:
            raise UserError(error.what, place=str(run), hint=error.hint) from None
        chosen, _, _ = called[place]
        result = store.whole_result(chosen)
        if result is None:
            raise UserError(f"no submission {chosen!r}", place=str(run))
        return result, store.plan()


def _names_in(store: StoreReader) -> list[Called]:
    """Return the ids of all submissions, each with its student's name and id if they are known."""
    called: list[Called] = []
    for submission_id in store.states():
        result = store.outline(submission_id)
        if result is None or result.student is None:
            called.append((submission_id, "", ""))
        else:
            called.append((submission_id, result.student.name, result.student.id))
    return called


def decisions_of(run: Path, assignment: str) -> dict[str, tuple[Decision, ...]]:
    """Return people's decisions about submissions, by the submission's id.

    Return nothing if the run cannot be read or is of another assignment. Opening the run for
    writing reports the reason.
    """
    with suppress(UserError), StoreReader.read_only(run / STORE_NAME) as store:
        facts = store.earlier_facts()
        if facts is not None and facts.assignment == assignment:
            hands = review.by_hand(change for _, change in store.changes())
            return {name: tuple(hand.decisions.values()) for name, hand in hands.items()}
    return {}


class StoredResults(Collection[SubmissionResult]):
    """A sequence of results in the order of `ids`, each read only when it is used.

    So a class of thousands takes no more memory than one submission. Reading raises UserError if
    the database was replaced by that of another run.
    """

    def __init__(self, ids: Sequence[str], facts: RunFacts, database: Path) -> None:
        self._ids = ids
        self._run = (facts.assignment, facts.started)
        self._database = database

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, result: object) -> bool:
        return any(stored == result for stored in self)

    def __iter__(self) -> Iterator[SubmissionResult]:
        written_over = UserError(
            "another run has been written here in the meantime",
            place=str(self._database),
            hint="read the run again",
        )
        with StoreReader.read_only(self._database) as store:
            facts = store.facts()
            if (facts.assignment, facts.started) != self._run:
                raise written_over
            for name in self._ids:
                result = store.whole_result(name)
                if result is None:
                    raise written_over
                yield result
