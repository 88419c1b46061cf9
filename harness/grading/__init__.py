"""The use cases: the answer key, one submission, a batch, a check, a validation, a recording."""

from typing import TYPE_CHECKING

from harness.common.discovery import lazy_exports
from harness.grading.context import GradingContext, prepare, recalled_tier
from harness.grading.grader import Graded, Grader
from harness.grading.observing.answer_key import (
    expectation,
    make_key,
    parameters,
    python_expressions,
)
from harness.grading.plans import (
    isolated,
    visible_only,
    with_called_functions,
    without_tags,
)

if TYPE_CHECKING:
    from harness.grading.batch import BatchOptions, Interrupted, Listener, grade_batch
    from harness.grading.check import (
        check_submissions,
        cohort_of,
        handed_in,
        not_here,
        notes,
        one_handed_in,
        submitted,
        without_files,
    )
    from harness.grading.engines import EngineFactory, FailureJob, Job
    from harness.grading.engines.dask import Cluster
    from harness.grading.engines.dask.engine import DaskEngine
    from harness.grading.engines.dask.host import run_worker
    from harness.grading.engines.local import run_jobs, search_failures
    from harness.grading.engines.pool import WorkerDied, WorkerPool
    from harness.grading.engines.processes import import_early
    from harness.grading.engines.worker import SpawnedWorker, worker_process
    from harness.grading.observing.running import read_program
    from harness.grading.observing.shared_run import SharingObserver
    from harness.grading.single_runs import record_transcripts, replay
    from harness.grading.stub import handed_out_stubs, stub

__all__ = [
    "BatchOptions",
    "Cluster",
    "DaskEngine",
    "EngineFactory",
    "FailureJob",
    "Graded",
    "Grader",
    "GradingContext",
    "Interrupted",
    "Job",
    "Listener",
    "SharingObserver",
    "SpawnedWorker",
    "WorkerDied",
    "WorkerPool",
    "check_submissions",
    "cohort_of",
    "expectation",
    "grade_batch",
    "handed_in",
    "handed_out_stubs",
    "import_early",
    "isolated",
    "make_key",
    "not_here",
    "notes",
    "one_handed_in",
    "parameters",
    "prepare",
    "python_expressions",
    "read_program",
    "recalled_tier",
    "record_transcripts",
    "replay",
    "run_jobs",
    "run_worker",
    "search_failures",
    "stub",
    "submitted",
    "visible_only",
    "with_called_functions",
    "without_files",
    "without_tags",
    "worker_process",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "batch": ("BatchOptions", "Interrupted", "Listener", "grade_batch"),
        "check": (
            "check_submissions",
            "cohort_of",
            "handed_in",
            "not_here",
            "notes",
            "one_handed_in",
            "submitted",
            "without_files",
        ),
        "engines": ("EngineFactory", "FailureJob", "Job"),
        "engines.dask": ("Cluster",),
        "engines.dask.engine": ("DaskEngine",),
        "engines.processes": ("import_early",),
        "engines.dask.host": ("run_worker",),
        "engines.local": ("run_jobs", "search_failures"),
        "engines.pool": ("WorkerDied", "WorkerPool"),
        "engines.worker": ("SpawnedWorker", "worker_process"),
        "observing.shared_run": ("SharingObserver",),
        "observing.running": ("read_program",),
        "single_runs": ("record_transcripts", "replay"),
        "stub": ("handed_out_stubs", "stub"),
    },
)
