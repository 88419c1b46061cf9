"""Programs graded side by side with nothing stored: mutants, samples, changed references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.common import serial
from harness.common.errors import HarnessError
from harness.grading.context import GradingContext
from harness.grading.engines import Job, WorkerFailure, WorkerSetup
from harness.grading.engines.local import Pool
from harness.grading.grader import Graded
from harness.results import Piece


def run_jobs(
    context: GradingContext,
    jobs: Sequence[Job],
    workers: int | None,
    *,
    digests: bool = False,
    blame: bool = False,
) -> Iterator[tuple[Job, Graded]]:
    """Each job with what it came to, as they end; `digests` as in `WorkerSetup`, with `blame` the
    causes of failures by substitution. HarnessError when our own machinery failed on one."""
    setup = WorkerSetup(
        plan=serial.dumps(context.specification.plan),
        key=serial.dumps(context.key),
        interpreter=context.interpreter,
        tier=context.tier.tier,
        cpu=None,
        store=None,
        thorough=False,
        digests=digests,
        reference=context.specification.reference if blame else (),
    )
    with Pool(setup, workers) as pool:
        for job, found in pool.run(jobs):
            if isinstance(found, WorkerFailure):
                raise HarnessError(f"{found.submission_id}: {found.reason}")
            if not isinstance(found, Piece):
                yield job, found
