"""One observation against its expectation: the verdict."""

from __future__ import annotations

from harness.judging.case import Case
from harness.judging.comparing import mismatches
from harness.judging.conversing import conversation
from harness.judging.differences import differences
from harness.judging.rules import explain
from harness.model.expectation import Expectation
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Stimulus
from harness.model.verdict import Verdict, VerdictKind

_KINDS = {
    Ending.ANSWERED: VerdictKind.FAILED,
    Ending.ASKED_FOR_MORE: VerdictKind.FAILED,
    Ending.ENDED_EARLY: VerdictKind.ENDED_EARLY,
    Ending.MISSING: VerdictKind.MISSING,
    Ending.TIMEOUT: VerdictKind.TIMEOUT,
    Ending.CPU_LIMIT: VerdictKind.CPU_LIMIT,
    Ending.MEMORY_LIMIT: VerdictKind.MEMORY_LIMIT,
    Ending.OUTPUT_LIMIT: VerdictKind.OUTPUT_LIMIT,
    Ending.CRASHED: VerdictKind.CRASHED,
    Ending.TAMPERED: VerdictKind.TAMPERED,
    Ending.STOPPED_EARLY: VerdictKind.STOPPED_EARLY,
    Ending.HARNESS_ERROR: VerdictKind.HARNESS_ERROR,
}


def judge(observation: Observation, expectation: Expectation, stimulus: Stimulus) -> Verdict:
    """Passed, or failed with the first reason that applies and what differs.

    `expectation.stated` must hold no `{python: …}` any more (`resolve`), else HarnessError.
    """
    found = mismatches(observation, expectation, stimulus)
    if not found:
        return Verdict(kind=VerdictKind.PASSED)
    case = Case(observation, expectation, stimulus, found)
    return Verdict(
        kind=_kind(case),
        explanation=explain(case),
        differences=differences(case.mismatches, stimulus),
        conversation=conversation(observation, expectation, stimulus),
    )


class Judge:
    """Judges over and over what one stimulus led to. A verdict follows from the observation alone,
    so whoever does just what the reference does gets the one that the reference gets."""

    def __init__(self, expectation: Expectation, stimulus: Stimulus) -> None:
        self._expectation = expectation
        self._stimulus = stimulus
        self._of_reference: Verdict | None = None

    def verdict(self, observation: Observation) -> Verdict:
        """As `judge` says."""
        if observation != self._expectation.reference:
            return judge(observation, self._expectation, self._stimulus)
        if self._of_reference is None:
            self._of_reference = judge(observation, self._expectation, self._stimulus)
        return self._of_reference


def _kind(case: Case) -> VerdictKind:
    if case.ending is None:
        # It ended as it should, on a limit perhaps, and differs elsewhere.
        return VerdictKind.FAILED
    return _KINDS[case.ending]
