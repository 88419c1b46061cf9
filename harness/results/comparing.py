"""Two runs of one assignment, each read as `results.json` has it: whose mark changed, by how much,
and through what."""

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
    """How one scenario went. `points` and `out_of` as in `results.json`, rounded to 0.01."""

    id: str
    verdict: str
    points: Fraction
    out_of: Fraction
    extra_credit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotEntry:
    """One submission. `findings` are their rules and messages; `by_hand` all that people gave
    and `late` what lateness costs, as text to be compared."""

    id: str
    status: str
    mark: Fraction | None
    out_of: Fraction
    total: Fraction | None = field(compare=False)  # follows from the rest
    source_digest: str
    findings: tuple[str, ...]
    by_hand: str
    scenarios: tuple[ScenarioOutcome, ...]
    late: str = "null"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSnapshot:
    """A run. `made_with` has the facts that a mark may depend on, by name; `worth` the points of
    each scenario that the run had, by its id."""

    path: str
    assignment: str
    started: str
    complete: bool
    made_with: Mapping[str, str]
    entries: tuple[SnapshotEntry, ...]
    worth: Mapping[str, Fraction] = field(default_factory=dict)


def read_snapshot(path: Path) -> RunSnapshot:
    """Read a run: its folder, its database, or a `results.json`. The database goes before
    `results.json`: a run that was killed left an older one of these. Raises UserError when there is
    no run, or it cannot be read."""
    database = path / STORE_NAME if path.is_dir() else path
    if database.suffix != ".json" and database.is_file():
        with Store.read_only(database) as store:
            run = store.run()
            text = ResultsText(run.facts, store.plan())
            plain = _loaded(text.begin() + "]}")
            entries = (_stated(one, text) for one in run.submissions)
            return _snapshot(plain | {"submissions": entries}, path)
    file = path / "results.json" if path.is_dir() else path
    if not file.is_file():
        hint = "name a report folder or a results.json"
        raise UserError("there is no run here", place=str(file), hint=hint)
    try:
        plain = _loaded(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", place=str(file)) from None
    except (ValueError, RecursionError):
        raise _not_ours(file) from None
    return _snapshot(plain, path)


def _stated(result: SubmissionResult, text: ResultsText) -> Any:
    """Return a submission as results.json has it, one of which none can be made as unreadable."""
    try:
        return _loaded(text.submission(result).lstrip(","))
    except UserError:
        raise
    except Exception:
        return _loaded(text.submission(unreadable_result(result.id, result.out_of)).lstrip(","))


def _loaded(text: str) -> Any:
    return json.loads(text, parse_float=_fraction, parse_int=_fraction)


def _fraction(text: str) -> Fraction:
    """Return the number; ValueError for one that no results.json has: as a fraction its exponent
    would be as many digits."""
    _, _, exponent = text.lower().partition("e")
    if len(text) > _MAX_NUMBER or abs(int(exponent or 0)) > _MAX_NUMBER:
        raise ValueError(f"{text[:_MAX_NUMBER]} is no number of results.json")
    return Fraction(text)


def _snapshot(plain: Any, path: Path) -> RunSnapshot:
    try:
        version = plain["schema_version"]
        if version != RESULTS_VERSION:
            what = f"is of version {version}, not {RESULTS_VERSION}"
            raise UserError(what, place=str(path), hint="use the harness that wrote it")
        run = plain["run"]
        scenarios = tuple(  # as of a submission that passed them
            ScenarioOutcome(
                id=str(each["id"]),
                verdict=PASSED,
                points=Fraction(each["points"]),
                out_of=Fraction(each["points"]),
                extra_credit=each["extra_credit"] is True,
            )
            for each in plain["scenarios"]
        )
        return RunSnapshot(
            path=str(path),
            assignment=str(run["assignment"]),
            started=str(run["started"]),
            complete=run["complete"] is True,
            made_with={name: json.dumps(run[key], default=str) for key, name in _FACTS},
            entries=tuple(_readable_entry(each, scenarios) for each in plain["submissions"]),
            worth={each.id: each.out_of for each in scenarios},
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _not_ours(path) from None


def _readable_entry(plain: Any, passed: tuple[ScenarioOutcome, ...]) -> SnapshotEntry:
    """Return the entry; one that lacks what entries have stands for an error of ours."""
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
    hand = [plain.get("manual"), plain.get("adjustment"), plain.get("comment") or ""]
    hand += [plain.get("override"), plain.get("line_comments") or [], plain.get("decisions") or {}]
    return SnapshotEntry(
        id=str(plain["id"]),
        status=str(plain["status"]),
        mark=_number(plain["mark"]),
        out_of=Fraction(plain["out_of"]),
        total=_number(plain.get("total")),
        late=json.dumps(plain.get("late"), default=str),
        source_digest=str(plain["source_digest"]),
        findings=tuple(f"{each['rule']}: {each['message']}" for each in plain["findings"]),
        by_hand=json.dumps(hand, default=str),
        scenarios=_outcomes(plain, passed),
    )


def _outcomes(submission: Any, passed: tuple[ScenarioOutcome, ...]) -> tuple[ScenarioOutcome, ...]:
    if submission["status"] == UNREADABLE:
        return tuple(_outcome(each, UNREADABLE, Fraction(0)) for each in passed)
    failed = submission["failed"]
    if not failed and not submission["passed"]:
        return ()  # withheld, or never run
    return tuple(
        _outcome(each, str(failure["verdict"]), Fraction(failure["points"]))
        if (failure := failed.get(each.id)) is not None
        else each
        for each in passed
    )


@functools.lru_cache(maxsize=16384)  # a class has the same few outcomes thousands of times
def _outcome(passed: ScenarioOutcome, verdict: str, points: Fraction) -> ScenarioOutcome:
    return replace(passed, verdict=verdict, points=points)


def _number(plain: Any) -> Fraction | None:
    return None if plain is None else Fraction(plain)


def _not_ours(path: Path) -> UserError:
    return UserError("this is not a results.json of the harness", place=str(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioChange:
    """A scenario whose verdict differs; None on the side that has no such scenario. `marks` is
    what that changed in the mark before deductions."""

    id: str
    before: str | None
    after: str | None
    marks: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkChange:
    """A submission that differs; None on the side that has no such submission. `marks` is the
    change of the mark, None where one side has none. `weights` is the part of it from scenarios
    with the same verdict that count for more or less, `rest` the part that no scenario explains:
    deductions, rounding."""

    id: str
    before: SnapshotEntry | None
    after: SnapshotEntry | None
    marks: Fraction | None
    scenarios: tuple[ScenarioChange, ...] = ()
    weights: Fraction = Fraction(0)
    rest: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioTally:
    """How many submissions with unchanged bytes pass a scenario that they did not, and so on."""

    id: str
    now_pass: int
    now_fail: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """How two runs differ. `made_with` names what the runs were made with differently, `same` is
    the number of submissions without a difference. `added` and `removed` are ids of scenarios that
    only one run has, `reweighted` those of scenarios of both that have other points."""

    old: RunSnapshot
    new: RunSnapshot
    made_with: tuple[str, ...]
    changes: tuple[MarkChange, ...]
    same: int
    scenarios: tuple[ScenarioTally, ...]
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    reweighted: tuple[str, ...] = ()


def compare_runs(old: RunSnapshot, new: RunSnapshot) -> RunComparison:
    """Compare two runs; UserError when they are of different assignments."""
    if old.assignment != new.assignment:
        what = f"a run of {new.assignment} is not compared with one of {old.assignment}"
        raise UserError(what, place=new.path)
    before = {entry.id: entry for entry in old.entries}
    after = {entry.id: entry for entry in new.entries}
    changes = [_change(before.get(name), after.get(name)) for name in sorted({*before, *after})]
    differing = tuple(change for change in changes if change is not None)
    facts, worth = new.made_with.items(), new.worth.items()
    return RunComparison(
        old=old,
        new=new,
        made_with=tuple(name for name, fact in facts if old.made_with.get(name) != fact),
        changes=differing,
        same=len(changes) - len(differing),
        scenarios=_tallies(differing),
        added=tuple(name for name in new.worth if name not in old.worth),
        removed=tuple(name for name in old.worth if name not in new.worth),
        reweighted=tuple(name for name, now in worth if old.worth.get(name, now) != now),
    )


def _change(before: SnapshotEntry | None, after: SnapshotEntry | None) -> MarkChange | None:
    present = after or before
    if present is None or before == after:
        return None
    if before is None or after is None:
        return MarkChange(id=present.id, before=before, after=after, marks=None)
    marks = None if before.mark is None or after.mark is None else after.mark - before.mark
    scenarios, weights, nothing = [], Fraction(0), Fraction(0)
    if before.scenarios and after.scenarios:  # else one was not run at all, which its state says
        old, new = _shares(before), _shares(after)
        verdicts = {outcome.id: outcome.verdict for outcome in before.scenarios}
        verdicts_now = {outcome.id: outcome.verdict for outcome in after.scenarios}
        for name in dict.fromkeys([*verdicts_now, *verdicts]):
            was, now = verdicts.get(name), verdicts_now.get(name)
            more = new.get(name, nothing) - old.get(name, nothing)
            if was == now:
                weights += more
            else:
                scenarios.append(ScenarioChange(id=name, before=was, after=now, marks=more))
    if not scenarios and before == replace(after, scenarios=before.scenarios):
        return None  # other points alone, which come to the same mark
    explained = sum((change.marks for change in scenarios), weights)
    return MarkChange(
        id=present.id,
        before=before,
        after=after,
        marks=marks,
        scenarios=tuple(scenarios),
        weights=weights,
        rest=nothing if marks is None else marks - explained,
    )


def _shares(entry: SnapshotEntry) -> dict[str, Fraction]:
    """What each scenario brought, in marks."""
    total = sum((each.out_of for each in entry.scenarios if not each.extra_credit), Fraction(0))
    if not total:
        return {}
    return {outcome.id: entry.out_of * outcome.points / total for outcome in entry.scenarios}


def _tallies(changes: Iterable[MarkChange]) -> tuple[ScenarioTally, ...]:
    scenarios: list[ScenarioChange] = []
    for change in changes:
        before, after = change.before, change.after
        if before and after and before.source_digest == after.source_digest:
            scenarios += change.scenarios
    passes = Counter(each.id for each in scenarios if each.after == PASSED)
    fails = Counter(each.id for each in scenarios if each.before == PASSED)
    tallies = [
        ScenarioTally(id=name, now_pass=passes[name], now_fail=fails[name])
        for name in {*passes, *fails}
    ]
    return tuple(sorted(tallies, key=lambda each: (-each.now_pass - each.now_fail, each.id)))
