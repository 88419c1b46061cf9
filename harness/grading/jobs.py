"""Programs graded side by side with nothing stored: mutants, samples, changed references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.common.errors import HarnessError
from harness.grading.context import GradingContext
from harness.grading.engines import FailureJob, Job, WorkerFailure
from harness.grading.engines.local import Pool
from harness.grading.grader import Graded
from harness.grading.observing.first_failures import FirstFailures
from harness.results import Piece


def run_jobs(
    context: GradingContext,
    jobs: Sequence[Job],
    workers: int | None,
    *,
    digests: bool = False,
    blame: bool = False,
) -> Iterator[tuple[Job, Graded]]:
    """Each job with its result, in the order in which they end. `digests` is as in `WorkerSetup`;
    with `blame`, causes of failures are found by substitution. Raises HarnessError when the
    harness itself failed on a job."""
    reference = context.specification.reference if blame else ()
    setup = replace(context.worker_setup(), digests=digests, reference=reference)
    with Pool(setup, workers) as pool:
        for job, found in pool.run(jobs):
            if isinstance(found, WorkerFailure):
                raise HarnessError(f"{found.submission_id}: {found.reason}")
            if not isinstance(found, Piece):
                yield job, found


def search_failures(
    context: GradingContext, jobs: Sequence[FailureJob], workers: int | None
) -> Iterator[tuple[FailureJob, FirstFailures]]:
    """Each job with the failures that were found, in the order in which they end. Raises
    HarnessError when the harness itself failed on a job."""
    with Pool(replace(context.worker_setup(), secret=_SEARCHING), workers) as pool:
        for job, found in pool.run(jobs):
            if isinstance(found, WorkerFailure):
                raise HarnessError(f"{found.submission_id}: {found.reason}")
            yield job, found


# Our own programs do not try to exploit the order of a shared run; a fixed one gives the same
# answer each time.
_SEARCHING = bytes(32)
