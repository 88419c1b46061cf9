"""Keeps the evidence for the causes of failures, from when a submission has its mark until its
causes are found.

The evidence is stored with the result, so that a machine which looks for causes needs no store.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

from harness.common import serial
from harness.grading.observing.budget import Used
from harness.grading.observing.truncating import short_form
from harness.judging.causes.failed_scenarios import FailedScenario, failing_again
from harness.model.observation import Observation
from harness.model.plan import Plan
from harness.model.result import CausesPending, SubmissionResult

MAX_BYTES = 1 << 20  # packed; beyond that only the short form of each observation is kept


def evidence_of(failures: Sequence[FailedScenario], used: Used) -> CausesPending:
    """Pack the evidence for the causes of these failures."""
    observations = [failure.observation for failure in failures]
    evidence = _packed(observations)
    if len(evidence) > MAX_BYTES:
        evidence = _packed(map(short_form, observations))
    return CausesPending(evidence=evidence, cpu_seconds=used.cpu, waiting_seconds=used.waiting)


def failures_of(
    result: SubmissionResult, pending: CausesPending, plan: Plan
) -> tuple[FailedScenario, ...]:
    """Unpack the failures that `evidence_of` packed for this result."""
    text = zlib.decompress(pending.evidence)
    observations = serial.loads(tuple[Observation, ...], text)
    verdicts = {entry.scenario_id: entry.verdict for entry in result.scenarios}
    return failing_again(plan, verdicts, observations)


def _packed(observations: Iterable[Observation]) -> bytes:
    text = serial.dumps(tuple(observations), kind=tuple[Observation, ...])
    return zlib.compress(text.encode("ascii"), 6)
