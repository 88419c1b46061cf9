"""A run as `results.json` has it, read back: what two runs are compared by."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from harness.common.errors import UserError
from harness.model.result import RESULTS_VERSION, SubmissionStatus
from harness.model.verdict import VerdictKind
from harness.results.database import STORE_NAME
from harness.results.reader import StoreReader
from harness.results.results_json import ResultsText
from harness.results.store import Store

PASSED, UNREADABLE = VerdictKind.PASSED.value, SubmissionStatus.UNREADABLE.value


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioOutcome:
    """How one scenario went. `points` and `out_of` as in `results.json`, rounded to 0.01."""

    id: str
    verdict: str
    points: Fraction
    out_of: Fraction
    extra_credit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotEntry:
    """One submission. `findings` are their rules and messages; `by_hand` all that people gave,
    as text to be compared."""

    id: str
    status: str
    mark: Fraction | None
    out_of: Fraction
    total: Fraction | None = field(compare=False)  # follows from the rest
    source_digest: str
    findings: tuple[str, ...]
    by_hand: str
    scenarios: tuple[ScenarioOutcome, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSnapshot:
    """A run. `made_with` has the facts that a mark may depend on, by name; `worth` the points of
    each scenario that the run had, by its id."""

    path: str
    assignment: str
    started: str
    complete: bool
    made_with: tuple[tuple[str, str], ...]
    entries: tuple[SnapshotEntry, ...]
    worth: tuple[tuple[str, Fraction], ...] = ()


_FACTS = (
    ("python", "the interpreter"),
    ("tier", "the tier of confinement"),
    ("spec_digest", "the scenarios"),
    ("reference_digest", "the reference"),
    ("limits", "the limits"),
    ("harness", "the harness"),
)


def read_snapshot(path: Path) -> RunSnapshot:
    """Read a run: its folder, its database, or a `results.json`.

    The database goes before `results.json`: a run that was killed left an older one of these.
    Raises UserError when there is no run, or it cannot be read.
    """
    database = path / STORE_NAME if path.is_dir() else path
    if database.suffix != ".json" and database.is_file():
        with Store.read_only(database) as store:
            return _snapshot(_stored(store), path)
    return _snapshot(_plain(path / "results.json" if path.is_dir() else path), path)


def _stored(store: StoreReader) -> Any:
    """The run as `results.json` would have it, its submissions one at a time."""
    run = store.run()
    text = ResultsText(run.facts, store.plan())
    plain = _loaded(text.begin() + "]}")
    plain["submissions"] = (_loaded(text.submission(one).lstrip(",")) for one in run.submissions)
    return plain


def _plain(path: Path) -> Any:
    if not path.is_file():
        hint = "name a report folder or a results.json"
        raise UserError("there is no run here", place=str(path), hint=hint)
    try:
        return _loaded(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", place=str(path)) from None
    except (ValueError, RecursionError):
        raise _not_ours(path) from None


def _loaded(text: str) -> Any:
    return json.loads(text, parse_float=Fraction, parse_int=Fraction)


def _snapshot(plain: Any, path: Path) -> RunSnapshot:
    try:
        version = plain["schema_version"]
        if version not in (1, RESULTS_VERSION):
            raise UserError(
                f"is of version {version}, not {RESULTS_VERSION}",
                place=str(path),
                hint="use the harness that wrote it",
            )
        run = plain["run"]
        scenarios = _outcomes_of_1 if version == 1 else _Outcomes(plain["scenarios"])
        entries = tuple(_entry(each, scenarios(each)) for each in plain["submissions"])
        return RunSnapshot(
            path=str(path),
            assignment=str(run["assignment"]),
            started=str(run["started"]),
            complete=run["complete"] is True,
            made_with=tuple((name, json.dumps(run[key], default=str)) for key, name in _FACTS),
            entries=entries,
            worth=scenarios.worth if isinstance(scenarios, _Outcomes) else _worth_of_1(entries),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _not_ours(path) from None


def _worth_of_1(entries: tuple[SnapshotEntry, ...]) -> tuple[tuple[str, Fraction], ...]:
    """The scenarios of a run of version 1, which names them in its submissions alone."""
    return tuple({each.id: each.out_of for one in entries for each in one.scenarios}.items())


def _entry(plain: Any, scenarios: tuple[ScenarioOutcome, ...]) -> SnapshotEntry:
    hand = [plain.get("manual"), plain.get("adjustment"), plain.get("comment") or ""]
    return SnapshotEntry(
        id=str(plain["id"]),
        status=str(plain["status"]),
        mark=_number(plain["mark"]),
        out_of=Fraction(plain["out_of"]),
        total=_number(plain.get("total")),
        source_digest=str(plain["source_digest"]),
        findings=tuple(f"{each['rule']}: {each['message']}" for each in plain["findings"]),
        by_hand=json.dumps(hand, default=str),
        scenarios=scenarios,
    )


def _outcomes_of_1(submission: Any) -> tuple[ScenarioOutcome, ...]:
    """The scenarios of a submission in a `results.json` of version 1, which lists them all."""
    return tuple(
        _outcome(
            str(each["id"]),
            str(each["verdict"]),
            Fraction(each["points"]),
            Fraction(each["out_of"]),
            each["extra_credit"] is True,
        )
        for each in submission["scenarios"]
    )


class _Outcomes:
    """The scenarios of a submission in version 2: the run's, where those that failed are named."""

    def __init__(self, scenarios: Any) -> None:
        worth = [
            (str(each["id"]), Fraction(each["points"]), each["extra_credit"] is True)
            for each in scenarios
        ]
        self.worth = tuple((name, points) for name, points, _ in worth)
        self._worth = {name: (points, extra) for name, points, extra in worth}
        self._passed = tuple(
            _outcome(name, PASSED, points, points, extra) for name, points, extra in worth
        )
        self._unreadable = tuple(
            _outcome(name, UNREADABLE, Fraction(0), points, extra) for name, points, extra in worth
        )

    def __call__(self, submission: Any) -> tuple[ScenarioOutcome, ...]:
        if submission["status"] == UNREADABLE:
            return self._unreadable
        failed = submission["failed"]
        if not failed and not submission["passed"]:
            return ()  # withheld, or never run
        return tuple(
            self._failed(each.id, failed[each.id]) if each.id in failed else each
            for each in self._passed
        )

    def _failed(self, name: str, plain: Any) -> ScenarioOutcome:
        points, extra = self._worth[name]
        return _outcome(name, str(plain["verdict"]), Fraction(plain["points"]), points, extra)


@functools.lru_cache(maxsize=16384)  # a class has the same few outcomes thousands of times
def _outcome(
    name: str, verdict: str, points: Fraction, out_of: Fraction, extra_credit: bool
) -> ScenarioOutcome:
    return ScenarioOutcome(
        id=name, verdict=verdict, points=points, out_of=out_of, extra_credit=extra_credit
    )


def _number(plain: Any) -> Fraction | None:
    return None if plain is None else Fraction(plain)


def _not_ours(path: Path) -> UserError:
    return UserError("this is no results.json of the harness", place=str(path))
