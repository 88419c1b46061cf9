"""Judges large observations of one submission when they arrive, so that they need not be kept."""

from __future__ import annotations

from dataclasses import replace

from harness.common.errors import HarnessError
from harness.grading.faults import not_judged
from harness.grading.observing.draws import LIMIT_ENDINGS, Observed, Source
from harness.grading.observing.shared_process.checked import JudgeOf
from harness.grading.observing.truncating import truncated
from harness.judging.judge import LAST_KINDS
from harness.model.observation import Ending, Observation
from harness.model.plan import Scenario
from harness.model.verdict import Verdict, VerdictKind


class Arrivals:
    """Judges the draws of one submission's scenarios as they are observed, if they are large.
    `judge_of` returns the judge of a scenario's draw by its index."""

    def __init__(self, judge_of: JudgeOf) -> None:
        self._judge_of = judge_of
        # Verdicts of large observations, by scenario id, index of the draw and ending.
        self._verdicts: dict[tuple[str, int, Ending], Verdict] = {}
        self._explained: dict[str, set[Ending]] = {}  # by scenario id: of failing draws so far

    def receive_and_judge(self, scenario: Scenario, index: int, observed: Observed) -> Observation:
        """Return the observation to keep of the draw of this index; its verdict can be asked for
        from now on.

        Raise HarnessError if the expected value cannot be compared.
        """
        if index == 0:
            self._explained.pop(scenario.id, None)
        observation = observed.observation
        if observed.source is Source.SHARED:
            return observation
        kept = truncated(observation)
        if not kept.is_truncated:
            return observation
        reference = self._judge_of(scenario, index).reference
        if reference is not None and observation == reference:
            # Its texts and values are in memory only once.
            return reference.with_varying_of(observation)
        self._remember_verdict(scenario, index, observation)
        if observation.ending in LIMIT_ENDINGS:
            # It may turn out that the limit was a shortened one.
            stopped = replace(
                observation, ending=Ending.STOPPED_EARLY, detail=observation.ending.value
            )
            self._remember_verdict(scenario, index, stopped)
        return kept

    def _remember_verdict(self, scenario: Scenario, index: int, observation: Observation) -> None:
        """Store the verdict.

        It is explained only for the first draw, and for the first one that fails with this ending:
        no other explanation is needed.
        """
        judge = self._judge_of(scenario, index)
        explained = self._explained.setdefault(scenario.id, set())
        try:
            kind = judge.kind(observation)
            fails_anew = kind is not VerdictKind.PASSED and observation.ending not in explained
            verdict = Verdict(kind=kind)
            if index == 0 or fails_anew:
                verdict = judge.verdict(observation)
        except HarnessError as failure:
            raise HarnessError(f"{scenario.id}: {failure}") from None
        except Exception as error:
            kind, verdict = VerdictKind.HARNESS_ERROR, not_judged(error)
        if kind not in (VerdictKind.PASSED, *LAST_KINDS):
            explained.add(observation.ending)
        self._verdicts[scenario.id, index, observation.ending] = verdict

    def verdict(self, scenario: Scenario, index: int, observation: Observation) -> Verdict:
        """Return the verdict of an observation that `receive_and_judge` returned.

        Raise HarnessError if the expected value cannot be compared.
        """
        if observation.is_truncated:
            return self._verdicts[scenario.id, index, observation.ending]
        return self._judge_of(scenario, index).verdict(observation)

    def kind(self, scenario: Scenario, index: int, observation: Observation) -> VerdictKind:
        """Return the kind of the verdict that `verdict` gives, in less time."""
        if observation.is_truncated:
            return self._verdicts[scenario.id, index, observation.ending].kind
        return self._judge_of(scenario, index).kind(observation)
