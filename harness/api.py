"""Grade and check from Python: `from harness import load_assignment, grade, check`.

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
    CommandLine,
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

# Submissions between two events.
REPORTS_EVERY = 100

AnyPath = str | os.PathLike[str]


def load_assignment(
    root: AnyPath, assignment_id: str, *, support: AnyPath | None = None
) -> Specification:
    """Compile the assignment `specs/<assignment_id>` below `root`.

    `support` is a folder whose files replace the provided files of the same name. Raise UserError
    if the assignment does not exist, or with all mistakes of its files together.
    """
    return load(Path(root), assignment_id, support=_path_or_none(support))


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
    probes: bool = True,
    total_seconds: float | None = None,
    only: Sequence[str] = (),
    asked: ClassOptions | None = None,
    ready: Callable[[Submission], bool] | None = None,
    command: CommandLine | None = None,
    listener: Listener = lambda event: None,
) -> RunResult:
    """Grade all submissions below `paths` and write the report and results.json into `out`.

    Unchanged results of an earlier run into `out` are kept, unless `fresh`. `jobs` is the number of
    worker processes (None: one per core); a `cluster` grades with its own. `python` is the
    interpreter (None: the version that the assignment names); `thorough` runs every scenario at its
    full limit. Without `probes` no failed scenario runs again to find its cause. `total_seconds`
    limits all runs of a submission together (None: the assignment's limit, or the reference's).
    `only` has the ids to grade (empty: all); the others stay as they are. `asked` has the rules for
    the class, `ready` chooses submissions, `listener` hears events. `command` is shown to people
    who want to grade the class again.

    The run's submissions are read from `out` each time, until another run is written there. Raise
    UserError if nothing can be graded or written, and on Ctrl-C (and SIGTERM) `Interrupted`, after
    the report of what is finished.
    """
    if only and fresh:
        raise UserError("fresh and only cannot be combined", hint="leave one of the two out")
    out, places = Path(out), _paths(paths)
    cohort = cohort_of(places, specification.plan.assignment, asked, out)
    _make_writable(out)
    if total_seconds is not None:
        specification = with_total_seconds(specification, total_seconds)
    options = BatchOptions(
        out=out,
        paths=places,
        only=frozenset(only) or None,
        jobs=jobs,
        engine=_engine(cluster, listener),
        fresh=fresh,
        thorough=thorough,
        probes=probes,
        command=command,
    )
    cohort = replace(cohort, submissions=tuple(filter(ready, cohort.submissions)))
    return _grade_into_report(
        _context(specification, python, require=require_tier), cohort, options, listener
    )


def _engine(cluster: Cluster | None, listener: Listener) -> DaskEngine | None:
    """Return a cluster's engine, or None for the workers of this machine.

    For these, start to import the modules that they will need.
    """

    def notify(text: str) -> None:
        listener(Notice(text=text))

    if cluster is not None:
        return DaskEngine(cluster, notify)
    import_early(page_writer.__module__)
    return None


def check(
    specification: Specification, files: Sequence[AnyPath], *, python: AnyPath | None = None
) -> tuple[SubmissionResult, ...]:
    """Run only the visible scenarios on each file or folder, in this process, and write nothing.

    Raise UserError if a file cannot be read or the assignment has no visible scenario."""
    visible = visible_only(specification)
    context = _context(visible, python, recall_tier=True)
    submissions = submitted(_paths(files), visible.plan.assignment)
    return check_submissions(context, submissions)


def _context(
    specification: Specification,
    python: AnyPath | None,
    *,
    require: Tier | None = None,
    recall_tier: bool = False,
) -> GradingContext:
    return prepare(
        specification,
        python=_path_or_none(python),
        require=require,
        cache=_cache(specification),
        recall_tier=recall_tier,
    )


def _grade_into_report(
    context: GradingContext, cohort: Cohort, options: BatchOptions, listener: Listener
) -> RunResult:
    """Grade and write the report. If interrupted, write the report of the finished submissions."""
    specification = context.specification
    plan = specification.plan
    folder = options.out

    def publish_marks(run: RunResult) -> None:
        with _report_errors(folder):
            write_reports(run, plan, folder)

    options = replace(
        options,
        on_marks=publish_marks,
        cohort=cohort.facts,
        notices=cohort.notices,
        on_graded=partial(page_writer, folder),
    )
    # A report holds only for exactly these scenarios, and for all of them.
    strength = None
    if not specification.left_out:
        strength = latest_strength(_cache(specification), plan)
    if strength is not None:
        options = replace(options, strength=strength.figures)

    def hear(event: Event) -> None:
        # The report is marked before any of its pages is replaced.
        if isinstance(event, RunStarted) and event.kept < event.total:
            with _report_errors(folder):
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
    return tuple(map(Path, paths))


def _path_or_none(path: AnyPath | None) -> Path | None:
    if path is None:
        return None
    return Path(path)


def _cache(specification: Specification) -> Path:
    root = Path(specification.folder).parents[1]
    return root / CACHE


def _make_writable(folder: Path) -> None:
    problem = "the folder cannot be written"
    try:
        # It will have marks and names, so only its owner may read it.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return
    except OSError as error:
        problem = f"cannot make the folder ({error.strerror})"
    raise UserError(problem, place=str(folder), hint="choose another with --out")


@contextmanager
def _report_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problem = f"cannot write the report ({error.strerror})"
        place = str(error.filename or folder)
        hint = "free disk space or choose another folder with --out; nothing graded is lost"
        raise UserError(problem, place=place, hint=hint) from None
