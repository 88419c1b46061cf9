"""Compare two runs of one assignment: whose mark changed, by how much, and why.

Both runs are read in the format of `results.json`.
"""

import functools
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from harness.common.errors import UserError
from harness.model.result import RESULTS_VERSION, SubmissionResult, SubmissionStatus
from harness.model.verdict import VerdictKind
from harness.results.database import STORE_NAME, unreadable_result
from harness.results.results_json import ResultsText
from harness.results.store import Store

_MAX_NUMBER = 100  # digits
PASSED, UNREADABLE = VerdictKind.PASSED.value, SubmissionStatus.UNREADABLE.value
_FACTS = (
    ("python", "the interpreter"),
    ("tier", "the tier of confinement"),
    ("spec_digest", "the scenarios"),
    ("reference_digest", "the reference"),
    ("limits", "the limits"),
    ("harness", "the harness"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioOutcome:
    """A submission's outcome in one scenario. Points are rounded to 0.01 as in `results.json`."""

    id: str
    verdict: str
    points: Fraction
    out_of: Fraction
    extra_credit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotEntry:
    """A submission's results in one of the two runs."""

    id: str
    status: str
    mark: Fraction | None
    out_of: Fraction
    # Not compared, because it follows from the rest.
    total: Fraction | None = field(compare=False)
    source_digest: str
    # Rules and messages.
    findings: tuple[str, ...]
    # Everything that people gave, as text to be compared.
    by_hand: str
    scenarios: tuple[ScenarioOutcome, ...]
    # The cost of lateness, as text to be compared.
    late: str = "null"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSnapshot:
    """A run that is compared with another run."""

    path: str
    assignment: str
    started: str
    complete: bool
    # The facts that a mark may depend on, by name.
    made_with: Mapping[str, str]
    entries: tuple[SnapshotEntry, ...]
    # The points of each scenario of the run, by its id.
    worth: Mapping[str, Fraction] = field(default_factory=dict)


def read_snapshot(path: Path) -> RunSnapshot:
    """Read a run. `path` is its report folder, its database, or a `results.json`.

    A folder's database is preferred to its `results.json`, because a killed run leaves an older
    `results.json`. Raise UserError if the run is missing or cannot be read.
    """
    is_folder = path.is_dir()
    database = path / STORE_NAME if is_folder else path
    if database.suffix != ".json" and database.is_file():
        return _read_database(database, path)
    file = path / "results.json" if is_folder else path
    if not file.is_file():
        hint = "name a report folder or a results.json"
        raise UserError("this is not a run", place=str(file), hint=hint)
    try:
        plain = _loaded(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", place=str(file)) from None
    except (ValueError, RecursionError):
        raise _not_ours(file) from None
    return _snapshot(plain, path)


def _read_database(database: Path, path: Path) -> RunSnapshot:
    with Store.read_only(database) as store:
        run = store.run()
        text = ResultsText(run.facts, store.plan())
        plain = _loaded(text.begin() + "]}")
        # A generator, so that only one submission's text is in memory.
        entries = (_stated(result, text) for result in run.submissions)
        return _snapshot(plain | {"submissions": entries}, path)


def _stated(result: SubmissionResult, text: ResultsText) -> Any:
    """Return a submission in the format of `results.json`.

    If that fails, return it as unreadable.
    """
    try:
        return _loaded(text.submission(result).lstrip(","))
    except UserError:
        raise
    except Exception:
        unreadable = unreadable_result(result.id, result.out_of)
        return _loaded(text.submission(unreadable).lstrip(","))


def _loaded(text: str) -> Any:
    return json.loads(text, parse_float=_fraction, parse_int=_fraction)


def _fraction(text: str) -> Fraction:
    """Convert a number's text to a fraction.

    Raise ValueError for a number that no results.json has, such as one with a large exponent,
    because its fraction would need millions of digits.
    """
    _, _, exponent = text.lower().partition("e")
    if len(text) > _MAX_NUMBER or abs(int(exponent or 0)) > _MAX_NUMBER:
        raise ValueError(f"{text[:_MAX_NUMBER]} is not a number of results.json")
    return Fraction(text)


def _snapshot(plain: Any, path: Path) -> RunSnapshot:
    try:
        version = plain["schema_version"]
        if version != RESULTS_VERSION:
            problem = f"is has version {version}, not {RESULTS_VERSION}"
            raise UserError(problem, place=str(path), hint="use the harness that wrote it")
        run = plain["run"]
        passed = tuple(map(_passed, plain["scenarios"]))
        made_with: dict[str, str] = {}
        for key, name in _FACTS:
            made_with[name] = json.dumps(run[key], default=str)
        entries: list[SnapshotEntry] = []
        for entry in plain["submissions"]:
            entries.append(_readable_entry(entry, passed))
        return RunSnapshot(
            path=str(path),
            assignment=str(run["assignment"]),
            started=str(run["started"]),
            complete=run["complete"] is True,
            made_with=made_with,
            entries=tuple(entries),
            worth={outcome.id: outcome.out_of for outcome in passed},
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _not_ours(path) from None


def _passed(scenario: Any) -> ScenarioOutcome:
    """Return the outcome of a scenario for a submission that passes it."""
    points = Fraction(scenario["points"])
    return ScenarioOutcome(
        id=str(scenario["id"]),
        verdict=PASSED,
        points=points,
        out_of=points,
        extra_credit=scenario["extra_credit"] is True,
    )


def _readable_entry(plain: Any, passed: tuple[ScenarioOutcome, ...]) -> SnapshotEntry:
    """Return the submission's entry.

    If something is missing, return an entry for a failure of the harness.
    """
    try:
        return _entry(plain, passed)
    except (KeyError, TypeError, ValueError, AttributeError):
        return SnapshotEntry(
            id=str(plain["id"]),
            status=SubmissionStatus.HARNESS_ERROR.value,
            mark=None,
            out_of=Fraction(0),
            total=None,
            source_digest="",
            findings=(),
            by_hand="",
            scenarios=(),
        )


def _entry(plain: Any, passed: tuple[ScenarioOutcome, ...]) -> SnapshotEntry:
    by_hand = [plain.get("manual"), plain.get("adjustment"), plain.get("comment") or ""]
    by_hand.append(plain.get("override"))
    by_hand.append(plain.get("line_comments") or [])
    by_hand.append(plain.get("decisions") or {})
    findings: list[str] = []
    for finding in plain["findings"]:
        findings.append(f"{finding['rule']}: {finding['message']}")
    return SnapshotEntry(
        id=str(plain["id"]),
        status=str(plain["status"]),
        mark=_number(plain["mark"]),
        out_of=Fraction(plain["out_of"]),
        total=_number(plain.get("total")),
        late=json.dumps(plain.get("late"), default=str),
        source_digest=str(plain["source_digest"]),
        findings=tuple(findings),
        by_hand=json.dumps(by_hand, default=str),
        scenarios=_outcomes(plain, passed),
    )


def _outcomes(submission: Any, passed: tuple[ScenarioOutcome, ...]) -> tuple[ScenarioOutcome, ...]:
    """Return the outcome of each scenario; empty if the submission is withheld or was not run."""
    if submission["status"] == UNREADABLE:
        return tuple(_outcome(scenario, UNREADABLE, Fraction(0)) for scenario in passed)
    failures = submission["failed"]
    if not failures and not submission["passed"]:
        return ()
    outcomes = []
    for scenario in passed:
        failure = failures.get(scenario.id)
        if failure is None:
            outcomes.append(scenario)
        else:
            points = Fraction(failure["points"])
            outcomes.append(_outcome(scenario, str(failure["verdict"]), points))
    return tuple(outcomes)


# A class has the same few outcomes thousands of times.
@functools.lru_cache(maxsize=16384)
def _outcome(passed: ScenarioOutcome, verdict: str, points: Fraction) -> ScenarioOutcome:
    return replace(passed, verdict=verdict, points=points)


def _number(plain: Any) -> Fraction | None:
    if plain is None:
        return None
    return Fraction(plain)


def _not_ours(path: Path) -> UserError:
    return UserError("this is not a results.json of the harness", place=str(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioChange:
    """A scenario whose verdict differs. A verdict is None if its run does not have the scenario."""

    id: str
    before: str | None
    after: str | None
    # The change of the mark before deductions.
    marks: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkChange:
    """The changes of a submission.

    `before` or `after` is None if that run does not have the submission.
    """

    id: str
    before: SnapshotEntry | None
    after: SnapshotEntry | None
    # The change of the mark; None if one side has no mark.
    marks: Fraction | None
    scenarios: tuple[ScenarioChange, ...] = ()
    # The part from scenarios with the same verdict that count for more or less.
    weights: Fraction = Fraction(0)
    # The part that no scenario explains: deductions, rounding.
    rest: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioTally:
    """The number of submissions that pass, or fail, a scenario only in the new run.

    Only submissions with unchanged files are counted.
    """

    id: str
    now_pass: int
    now_fail: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """The differences between two runs."""

    old: RunSnapshot
    new: RunSnapshot
    # The names of the facts that differ.
    made_with: tuple[str, ...]
    changes: tuple[MarkChange, ...]
    # The number of submissions without a difference.
    same: int
    scenarios: tuple[ScenarioTally, ...]
    # The ids of scenarios that only the new, or only the old run has.
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    # The ids of scenarios that have other points.
    reweighted: tuple[str, ...] = ()


def compare_runs(old: RunSnapshot, new: RunSnapshot) -> RunComparison:
    """Compare two runs. Raise UserError if they are runs of different assignments."""
    if old.assignment != new.assignment:
        problem = f"a run of {new.assignment} cannot be compared with one of {old.assignment}"
        raise UserError(problem, place=new.path)
    before = {entry.id: entry for entry in old.entries}
    after = {entry.id: entry for entry in new.entries}
    changes = []
    same = 0
    for id_ in sorted({*before, *after}):
        change = _change(before.get(id_), after.get(id_))
        if change is None:
            same += 1
        else:
            changes.append(change)
    added, reweighted = [], []
    for id_, points in new.worth.items():
        if id_ not in old.worth:
            added.append(id_)
        elif old.worth[id_] != points:
            reweighted.append(id_)
    made_with: list[str] = []
    for name, fact in new.made_with.items():
        if old.made_with.get(name) != fact:
            made_with.append(name)
    return RunComparison(
        old=old,
        new=new,
        made_with=tuple(made_with),
        changes=tuple(changes),
        same=same,
        scenarios=_tallies(changes),
        added=tuple(added),
        removed=tuple(id_ for id_ in old.worth if id_ not in new.worth),
        reweighted=tuple(reweighted),
    )


def _change(before: SnapshotEntry | None, after: SnapshotEntry | None) -> MarkChange | None:
    """Return the changes of a submission between two runs; None if nothing changed."""
    present = after or before
    if present is None or before == after:
        return None
    if before is None or after is None:
        return MarkChange(id=present.id, before=before, after=after, marks=None)
    scenarios: list[ScenarioChange] = []
    weights = Fraction(0)
    # If one version was not run at all, its status says so.
    if before.scenarios and after.scenarios:
        scenarios, weights = _scenario_changes(before, after)
    # Different points with the same mark do not count as a difference.
    if not scenarios and before == replace(after, scenarios=before.scenarios):
        return None
    marks = None
    rest = Fraction(0)
    if before.mark is not None and after.mark is not None:
        marks = after.mark - before.mark
        rest = marks - sum((change.marks for change in scenarios), weights)
    return MarkChange(
        id=present.id,
        before=before,
        after=after,
        marks=marks,
        scenarios=tuple(scenarios),
        weights=weights,
        rest=rest,
    )


def _scenario_changes(
    before: SnapshotEntry, after: SnapshotEntry
) -> tuple[list[ScenarioChange], Fraction]:
    """Return the scenarios whose verdict differs, and the change in marks from all other
    scenarios.
    """
    nothing = Fraction(0)
    old_marks = _shares(before)
    new_marks = _shares(after)
    old_verdicts = {outcome.id: outcome.verdict for outcome in before.scenarios}
    new_verdicts = {outcome.id: outcome.verdict for outcome in after.scenarios}
    changes: list[ScenarioChange] = []
    weights = nothing
    for id_ in dict.fromkeys([*new_verdicts, *old_verdicts]):
        old = old_verdicts.get(id_)
        new = new_verdicts.get(id_)
        marks = new_marks.get(id_, nothing) - old_marks.get(id_, nothing)
        if old == new:
            weights += marks
        else:
            changes.append(ScenarioChange(id=id_, before=old, after=new, marks=marks))
    return changes, weights


def _shares(entry: SnapshotEntry) -> dict[str, Fraction]:
    """Return the marks that the submission has from each scenario, by the scenario's id."""
    total = Fraction(0)
    for outcome in entry.scenarios:
        if not outcome.extra_credit:
            total += outcome.out_of
    if not total:
        return {}
    shares: dict[str, Fraction] = {}
    for outcome in entry.scenarios:
        shares[outcome.id] = entry.out_of * outcome.points / total
    return shares


def _tallies(changes: Iterable[MarkChange]) -> tuple[ScenarioTally, ...]:
    """Count the changed verdicts of each scenario, the most frequent first.

    Only submissions with unchanged files are counted.
    """
    passes: Counter[str] = Counter()
    fails: Counter[str] = Counter()
    for change in changes:
        before = change.before
        after = change.after
        if before is None or after is None or before.source_digest != after.source_digest:
            continue
        for scenario in change.scenarios:
            passes[scenario.id] += scenario.after == PASSED
            fails[scenario.id] += scenario.before == PASSED
    tallies = []
    for id_ in passes:
        if passes[id_] or fails[id_]:
            tallies.append(ScenarioTally(id=id_, now_pass=passes[id_], now_fail=fails[id_]))
    tallies.sort(key=lambda tally: (-tally.now_pass - tally.now_fail, tally.id))
    return tuple(tallies)
