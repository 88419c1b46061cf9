"""Answers from a shared run as far as that can be trusted, and checks the run."""

from __future__ import annotations

from collections.abc import Callable

from harness.grading.observing.draws import (
    SAYS_NOTHING_ALONE,
    Observed,
    Observer,
    Source,
    StimulusId,
)
from harness.grading.observing.shared_process.shared_run import DifferingDraw, SharedRunResult
from harness.judging.judge import Judge
from harness.model.observation import Observation
from harness.model.plan import Scenario
from harness.model.stimulus import Limits
from harness.model.verdict import VerdictKind

JudgeOf = Callable[[Scenario, int], Judge]  # of the draw of this index


class CheckedObserver:
    """Answers with the reference's observation if the shared run found an equal one, otherwise
    observes in the scenario's own process; and checks the shared run.

    `has_answered`: something was answered from the shared run. `refuted` is the stimulus that
    showed that the program depends on earlier runs: by itself it agrees with the reference though
    it did not in the shared run, or it is audited and differs by itself.

    One failing draw decides about a sample, and is observed in its own process. Draws that come
    after it and failed in the shared run as well, by the judges of `judge_of`, are answered from
    there: they are counted and explain, and no mark depends on them.
    """

    def __init__(
        self, server: Observer, shared: SharedRunResult, judge_of: JudgeOf | None = None
    ) -> None:
        self._server = server
        self._shared = shared
        self._judge_of = judge_of
        self._failed_alone: set[str] = set()  # ids of samples
        self.has_answered = False
        self.refuted: StimulusId | None = None

    def observe_draw(self, scenario: Scenario, index: int, limits: Limits) -> Observed:
        """Answer from the shared run or observe the draw of this index."""
        observed = self._observed(scenario, index, limits)
        self.has_answered |= observed.source is not Source.ALONE
        return observed

    def _observed(self, scenario: Scenario, index: int, limits: Limits) -> Observed:
        name = StimulusId(scenario.id, index)
        reference = self._shared.passed.get(name)  # None: the shared run found no equal one
        is_audited = name in self._shared.audit
        if reference is not None and not is_audited:
            return Observed(reference, Source.SHARED)
        draw = self._shared.draws.get(name)
        if draw is not None and scenario.id in self._failed_alone:
            failure = draw.observation()
            if failure is not None and self._fails(draw, failure):
                return Observed(failure, Source.SHARED_FAILURE)
        alone = self._server.observe(scenario.stimuli[index], limits)
        if draw is not None and self._fails(draw, alone):
            self._failed_alone.add(scenario.id)
        if reference is not None and alone == reference:  # the audit agrees
            return Observed(reference, Source.SHARED)
        if self.refuted is None and self._refutes(name, alone):
            self.refuted = name
        return Observed(alone, Source.ALONE)

    def _refutes(self, name: StimulusId, alone: Observation) -> bool:
        """Return whether the observation `alone`, in the scenario's own process, contradicts the
        shared run."""
        was_audited = name in self._shared.passed
        if was_audited:
            # Right in the shared run, and different by itself, as the caller knows.
            return alone.ending not in SAYS_NOTHING_ALONE
        # Wrong in the shared run. If it is right by itself, it depends on earlier runs.
        reference = self._shared.differs.get(name)
        return alone == reference

    def _fails(self, draw: DifferingDraw, observation: Observation) -> bool:
        if self._judge_of is None:
            return False
        judge = self._judge_of(draw.entry.scenario, draw.entry.index)
        return judge.kind(observation) is VerdictKind.FAILED
