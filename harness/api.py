"""The same jobs from Python: `from harness import load_assignment, grade, check`.

    assignment = load_assignment(".", "connect4ish")
    run = grade(assignment, ["submissions/connect4ish"], "reports/connect4ish")
    print([(result.id, result.mark) for result in run.submissions])

Mistakes of the user are raised as `harness.common.errors.UserError`, whose text has one line for
each; a failure of the harness itself as `harness.common.errors.HarnessError`.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from harness.assignment.loading import CACHE, load
from harness.common.errors import UserError
from harness.grading.batch import BatchOptions, Interrupted, Listener, grade_batch
from harness.grading.check import check_submissions, cohort_of, submitted
from harness.grading.context import (
    GradingContext,
    prepare,
    visible_only,
    with_total_seconds,
)
from harness.grading.engines.dask import Cluster
from harness.grading.engines.dask.engine import DaskEngine
from harness.grading.engines.processes import import_early
from harness.intake.pipeline import Cohort
from harness.intake.terms import ClassOptions
from harness.model.observation import Tier
from harness.model.plan import Specification
from harness.model.result import (
    Event,
    Notice,
    ReportsWritten,
    RunResult,
    RunStarted,
    SubmissionResult,
)
from harness.model.submission import Submission
from harness.reporting.html.study_pages import write_study
from harness.reporting.writing import mark_unfinished, page_writer, write_reports
from harness.results.reuse import latest_strength

REPORTS_EVERY = 100  # submissions between two events

AnyPath = str | os.PathLike[str]


def load_assignment(
    root: AnyPath, assignment_id: str, *, support: AnyPath | None = None
) -> Specification:
    """The assignment `specs/<assignment_id>` below `root`, compiled. `support` is a folder whose
    files take the place of the provided files of the same name. Raises UserError: no such
    assignment, or all mistakes of its files together."""
    return load(Path(root), assignment_id, support=None if support is None else Path(support))


def grade(
    specification: Specification,
    paths: Sequence[AnyPath],
    out: AnyPath,
    *,
    python: AnyPath | None = None,
    jobs: int | None = None,
    cluster: Cluster | None = None,
    require_tier: Tier = Tier.STANDARD,
    fresh: bool = False,
    thorough: bool = False,
    total_seconds: float | None = None,
    only: Sequence[str] = (),
    asked: ClassOptions | None = None,
    ready: Callable[[Submission], bool] | None = None,
    listener: Listener = lambda event: None,
) -> RunResult:
    """Grade all submissions below `paths` and write the report and results.json into `out`.

    Unchanged results of an earlier run into `out` are kept, unless `fresh`. `jobs` is the number of
    worker processes (None: one per core); with a `cluster` its workers grade.
    `python` is the interpreter (None: the version that the assignment names), `thorough` runs
    every scenario at its full limit. `total_seconds` is what all runs of a submission may take
    together (None: what the assignment says, else what follows from the reference). `only` has the
    ids of the submissions to grade, where the others stay in the report as they are (empty: all).
    `asked` is what the class is held to, `ready` says which submissions take part at all,
    `listener` is called with each event.
    The run's submissions are read from `out` when they are asked for, until another run is written
    there: go through them once, or keep `list(run.submissions)`.

    Raises UserError when nothing can be graded or written, and on Ctrl-C (and SIGTERM)
    `harness.grading.batch.Interrupted`: the report of what is done is written, and the same call
    goes on.
    """
    if only and fresh:
        what = "fresh forgets the whole class, and only some are to be graded"
        raise UserError(what, hint="leave one of the two out")
    out = Path(out)
    cohort = cohort_of(_paths(paths), specification.plan.assignment, asked, out)
    cohort = replace(cohort, submissions=tuple(filter(ready, cohort.submissions)))
    _make_writable(out)
    engine = _engine(cluster, listener)
    if total_seconds is not None:
        specification = with_total_seconds(specification, total_seconds)
    context = _context(specification, python, require=require_tier)
    options = BatchOptions(
        out=out,
        paths=_paths(paths),
        only=frozenset(only) or None,
        jobs=jobs,
        engine=engine,
        fresh=fresh,
        thorough=thorough,
    )
    return _grade(context, cohort, options, listener)


def _engine(cluster: Cluster | None, listener: Listener) -> DaskEngine | None:
    """A cluster's; None: the workers of this machine, which import meanwhile what they need."""
    if cluster is not None:
        return DaskEngine(cluster, lambda text: listener(Notice(text=text)))
    import_early(page_writer.__module__)
    return None


def check(
    specification: Specification, files: Sequence[AnyPath], *, python: AnyPath | None = None
) -> tuple[SubmissionResult, ...]:
    """Run only the visible scenarios on each file or folder, in this process, and write nothing.

    Raise UserError if a file cannot be read or the assignment has no visible scenario."""
    visible = visible_only(specification)
    context = _context(visible, python, recall_tier=True)
    return check_submissions(context, submitted(_paths(files), visible.plan.assignment))


def _context(
    specification: Specification,
    python: AnyPath | None,
    *,
    require: Tier | None = None,
    recall_tier: bool = False,
) -> GradingContext:
    return prepare(
        specification,
        python=None if python is None else Path(python),
        require=require,
        cache=_cache(specification),
        recall_tier=recall_tier,
    )


def _grade(
    context: GradingContext, cohort: Cohort, options: BatchOptions, listener: Listener
) -> RunResult:
    """Grade and write the report. If interrupted, write the report of the finished submissions."""
    specification, plan = context.specification, context.specification.plan
    # What was measured of exactly these scenarios, all of them.
    strength = latest_strength(_cache(specification), plan) if not specification.left_out else None
    folder = options.out
    options = replace(
        options,
        cohort=cohort.facts,
        notices=cohort.notices,
        on_graded=partial(page_writer, folder),
        strength=strength.figures if strength is not None else None,
    )

    def hear(event: Event) -> None:
        if isinstance(event, RunStarted) and event.kept < event.total:
            with _report_errors(folder):  # before any of its pages is replaced
                mark_unfinished(folder)
        listener(event)

    def publish(run: RunResult) -> None:
        def tell(done: int) -> None:
            if done % REPORTS_EVERY == 0:
                listener(ReportsWritten(done=done, total=len(run.submissions)))

        with _report_errors(folder):
            write_reports(run, plan, folder, after_each=tell)

    try:
        run = grade_batch(context, cohort.submissions, options, hear)
    except Interrupted as interrupted:
        publish(interrupted.run)
        raise
    publish(run)
    with _report_errors(folder):
        write_study(folder, plan, strength)
    return run


def _paths(paths: Sequence[AnyPath]) -> tuple[Path, ...]:
    return tuple(Path(path) for path in paths)


def _cache(specification: Specification) -> Path:
    return Path(specification.folder).parents[1] / CACHE


def _make_writable(folder: Path) -> None:
    what = "the folder cannot be written"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it will hold marks and names
        if os.access(folder, os.W_OK | os.X_OK):
            return
    except OSError as error:
        what = f"cannot make the folder ({error.strerror})"
    raise UserError(what, place=str(folder), hint="choose another with --out")


@contextmanager
def _report_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what, place = f"cannot write the report ({error.strerror})", str(error.filename or folder)
        hint = "free disk space or choose another folder with --out; nothing graded is lost"
        raise UserError(what, place=place, hint=hint) from None
