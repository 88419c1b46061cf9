"""Two runs of one assignment: whose mark changed, by how much, and through what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from harness.common.errors import UserError
from harness.results.snapshot import RunSnapshot, ScenarioOutcome, SnapshotEntry

PASSED = "passed"


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
    """A submission that differs; None on the side that has no such submission.

    `marks` is the change of the mark, None where one side has none. `weights` is the
    part of it from scenarios with the same verdict that count for more or less, `rest` the part
    that no scenario explains: deductions, rounding.
    """

    id: str
    before: SnapshotEntry | None
    after: SnapshotEntry | None
    marks: Fraction | None
    scenarios: tuple[ScenarioChange, ...] = ()
    weights: Fraction = Fraction(0)
    rest: Fraction = Fraction(0)

    @property
    def other_bytes(self) -> bool:
        """Whether the files handed in are not the same."""
        before, after = self.before, self.after
        return before is not None and after is not None and _differ(before, after, "source_digest")

    @property
    def other_findings(self) -> bool:
        """Whether the policy found something else."""
        before, after = self.before, self.after
        return before is not None and after is not None and _differ(before, after, "findings")

    @property
    def other_by_hand(self) -> bool:
        """Whether people gave something else."""
        before, after = self.before, self.after
        return before is not None and after is not None and _differ(before, after, "by_hand")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioTally:
    """How many submissions with unchanged bytes pass a scenario that they did not, and so on."""

    id: str
    now_pass: int
    now_fail: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthChange:
    """A scenario of both runs that has other points."""

    id: str
    before: Fraction
    after: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """How two runs differ. `made_with` names what the runs were made with differently, `same` is
    the number of submissions without a difference. `added` and `removed` are ids of scenarios that
    only one run has."""

    old: RunSnapshot
    new: RunSnapshot
    made_with: tuple[str, ...]
    changes: tuple[MarkChange, ...]
    same: int
    scenarios: tuple[ScenarioTally, ...]
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    reweighted: tuple[WorthChange, ...] = ()


def compare_runs(old: RunSnapshot, new: RunSnapshot) -> RunComparison:
    """Compare two runs; UserError when they are of different assignments."""
    if old.assignment != new.assignment:
        raise UserError(
            f"a run of {new.assignment} is not compared with one of {old.assignment}",
            place=new.path,
        )
    before = {entry.id: entry for entry in old.entries}
    after = {entry.id: entry for entry in new.entries}
    changes = [_change(before.get(name), after.get(name)) for name in sorted({*before, *after})]
    differing = tuple(change for change in changes if change is not None)
    facts = dict(old.made_with)
    worth, worth_now = dict(old.worth), dict(new.worth)
    return RunComparison(
        old=old,
        new=new,
        made_with=tuple(name for name, value in new.made_with if facts.get(name) != value),
        changes=differing,
        same=len(changes) - len(differing),
        scenarios=_tallies(differing),
        added=tuple(name for name in worth_now if name not in worth),
        removed=tuple(name for name in worth if name not in worth_now),
        reweighted=tuple(
            WorthChange(id=name, before=worth[name], after=now)
            for name, now in worth_now.items()
            if worth.get(name, now) != now
        ),
    )


def _change(before: SnapshotEntry | None, after: SnapshotEntry | None) -> MarkChange | None:
    present = after or before
    if present is None or before == after:
        return None
    if before is None or after is None:
        return MarkChange(id=present.id, before=before, after=after, marks=None)
    marks = None if before.mark is None or after.mark is None else after.mark - before.mark
    scenarios = tuple(_scenario_changes(before, after))
    weights = _other_weights(before, after)
    explained = sum((change.marks for change in scenarios), weights)
    return MarkChange(
        id=present.id,
        before=before,
        after=after,
        marks=marks,
        scenarios=scenarios,
        weights=weights,
        rest=Fraction(0) if marks is None else marks - explained,
    )


def _scenario_changes(before: SnapshotEntry, after: SnapshotEntry) -> Iterable[ScenarioChange]:
    if not before.scenarios or not after.scenarios:
        return  # one of the two was not run at all, which its state says
    old, new = _shares(before), _shares(after)
    verdicts = {outcome.id: outcome.verdict for outcome in before.scenarios}
    verdicts_now = {outcome.id: outcome.verdict for outcome in after.scenarios}
    for name in dict.fromkeys([*verdicts_now, *verdicts]):
        was, now = verdicts.get(name), verdicts_now.get(name)
        if was != now:
            marks = new.get(name, Fraction(0)) - old.get(name, Fraction(0))
            yield ScenarioChange(id=name, before=was, after=now, marks=marks)


def _other_weights(before: SnapshotEntry, after: SnapshotEntry) -> Fraction:
    """How many marks more the scenarios bring whose verdicts are the same on both sides."""
    old, new = _shares(before), _shares(after)
    verdicts = {outcome.id: outcome.verdict for outcome in before.scenarios}
    same = [each.id for each in after.scenarios if verdicts.get(each.id) == each.verdict]
    return sum((new.get(i, Fraction(0)) - old.get(i, Fraction(0)) for i in same), Fraction(0))


def _shares(entry: SnapshotEntry) -> dict[str, Fraction]:
    """What each scenario brought, in marks."""

    def counted(outcome: ScenarioOutcome) -> Fraction:
        return Fraction(0) if outcome.extra_credit else outcome.out_of

    total = sum(map(counted, entry.scenarios), Fraction(0))
    if not total:
        return {}
    return {outcome.id: entry.out_of * outcome.points / total for outcome in entry.scenarios}


def _tallies(changes: Iterable[MarkChange]) -> tuple[ScenarioTally, ...]:
    passes: Counter[str] = Counter()
    fails: Counter[str] = Counter()
    for change in changes:
        if change.other_bytes:
            continue
        for scenario in change.scenarios:
            if scenario.after == PASSED:
                passes[scenario.id] += 1
            elif scenario.before == PASSED:
                fails[scenario.id] += 1
    names = sorted({*passes, *fails}, key=lambda name: (-passes[name] - fails[name], name))
    return tuple(
        ScenarioTally(id=name, now_pass=passes[name], now_fail=fails[name]) for name in names
    )


def _differ(before: SnapshotEntry, after: SnapshotEntry, field: str) -> bool:
    return bool(getattr(before, field) != getattr(after, field))
