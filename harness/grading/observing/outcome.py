"""What one run of a submission found."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from harness.model.observation import Isolation, Observation
from harness.model.verdict import Verdict, VerdictKind
from harness.results.reuse import StoredRun


@dataclass(slots=True, kw_only=True)
class RunOutcome:
    """What one run found. Scenarios are named by their ids."""

    observations: dict[str, tuple[Observation, ...]] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    # New entries for the cache, by their keys.
    new_runs: dict[str, StoredRun] = field(default_factory=dict)
    new_verdicts: dict[str, Verdict] = field(default_factory=dict)
    verdict_keys: dict[str, str] = field(default_factory=dict)  # of scenarios with a new verdict
    isolation: Isolation = Isolation.ALONE
    isolation_reason: str = ""
    not_plain: bool = False  # the reason is an object that might change unseen
    # Of scenarios that passed in a shared run: the key of the `SharedPass`.
    shared: dict[str, str] = field(default_factory=dict)
    audited: frozenset[str] = frozenset()  # the functions whose shared runs were checked
    took_shared: bool = False  # something was answered from a shared run

    @property
    def shown_isolation(self) -> Isolation:
        """Return how the scenarios with counting observations ran. A program's behaviour in a
        shared process does not count if it differs in its own process."""
        return self.isolation if self.took_shared else Isolation.ALONE

    def merged_with(self, later: RunOutcome) -> RunOutcome:
        """Merge this with a later run of other scenarios of the same submission."""
        isolation = Isolation.ALONE
        if self.isolation is later.isolation is Isolation.SHARED:
            isolation = Isolation.SHARED
        return RunOutcome(
            observations=self.observations | later.observations,
            verdicts=self.verdicts | later.verdicts,
            new_runs=self.new_runs | later.new_runs,
            new_verdicts=self.new_verdicts | later.new_verdicts,
            verdict_keys=self.verdict_keys | later.verdict_keys,
            isolation=isolation,
            isolation_reason=self.isolation_reason or later.isolation_reason,
            not_plain=self.not_plain or later.not_plain,
            shared=self.shared | later.shared,
            audited=self.audited | later.audited,
            took_shared=self.took_shared or later.took_shared,
        )

    def copy(self) -> RunOutcome:
        """Return an independent copy, which later changes to this outcome do not reach."""
        return replace(
            self,
            observations={**self.observations},
            verdicts={**self.verdicts},
            new_runs={**self.new_runs},
            new_verdicts={**self.new_verdicts},
            verdict_keys={**self.verdict_keys},
            shared={**self.shared},
        )

    def forget(self, name: str) -> None:
        """Forget the results of this scenario, as if it had not been run."""
        self.observations.pop(name, None)
        self.verdicts.pop(name, None)

    def replace_new(self, name: str, verdict: Verdict) -> None:
        """Put another verdict in the place of the one that this run gave a scenario anew."""
        self.verdicts[name] = verdict
        self.new_verdicts[self.verdict_keys[name]] = verdict

    def failed_anew(self, name: str) -> bool:
        """Return whether the scenario failed, and this run judged that: no earlier run has the
        verdict, and no later step put another one in its place."""
        verdict = self.verdicts[name]
        key = self.verdict_keys.get(name)
        if key is None or verdict.kind is not VerdictKind.FAILED:
            return False
        return self.new_verdicts[key] == verdict
