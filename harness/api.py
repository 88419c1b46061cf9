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
from harness.model.study import StrengthReport
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
    folder = _path_or_none(support)
    return load(Path(root), assignment_id, support=folder)


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
    limits a submission's runs together (None: the assignment's limit, or the reference's). `only`
    has the ids to grade (empty: all; others stay as they are). `asked` has the class's rules,
    `ready` chooses submissions, `listener` hears events. `command` is shown as how to repeat it.

    The run's submissions are read from `out` each time, until another run is written there. Raise
    UserError if nothing can be graded or written, and on Ctrl-C (and SIGTERM) `Interrupted`, after
    the report of what is finished.
    """
    if only and fresh:
        raise UserError("fresh and only cannot be combined", hint="leave one of the two out")
    folder, places = Path(out), _paths(paths)
    cohort = _read_class(specification, places, folder, asked, ready)
    options = BatchOptions(
        out=folder,
        paths=places,
        only=frozenset(only) or None,
        jobs=jobs,
        engine=_engine(cluster, listener),
        fresh=fresh,
        thorough=thorough,
        probes=probes,
        command=command,
    )
    context = _context(specification, python, require=require_tier, total_seconds=total_seconds)
    return _grade_into_report(context, cohort, options, listener)


def _read_class(
    specification: Specification,
    places: Sequence[Path],
    folder: Path,
    asked: ClassOptions | None,
    ready: Callable[[Submission], bool] | None,
) -> Cohort:
    """Return the submissions, of which `ready` chooses some, and make the report's folder."""
    cohort = cohort_of(places, specification.plan.assignment, asked, folder)
    _make_writable(folder)
    if ready is None:
        return cohort
    chosen = [submission for submission in cohort.submissions if ready(submission)]
    return replace(cohort, submissions=tuple(chosen))


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
    paths = _paths(files)
    submissions = submitted(paths, visible.plan.assignment)
    return check_submissions(context, submissions)


def _context(
    specification: Specification,
    python: AnyPath | None,
    *,
    require: Tier | None = None,
    total_seconds: float | None = None,
    recall_tier: bool = False,
) -> GradingContext:
    specification = with_total_seconds(specification, total_seconds)
    cache = _cache(specification)
    interpreter = _path_or_none(python)
    return prepare(
        specification,
        python=interpreter,
        require=require,
        cache=cache,
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
    strength = _latest_strength(specification)
    if strength is not None:
        options = replace(options, strength=strength.figures)

    def hear(event: Event) -> None:
        replaces_pages = isinstance(event, RunStarted) and event.kept < event.total
        # The report is marked before any of its pages is replaced.
        if replaces_pages:
            with _report_errors(folder):
                mark_unfinished(folder)
        listener(event)

    def publish(run: RunResult) -> None:
        def tell(done: int) -> None:
            if done % REPORTS_EVERY == 0:
                written = ReportsWritten(done=done, total=len(run.submissions))
                listener(written)

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


def _latest_strength(specification: Specification) -> StrengthReport | None:
    """Return the newest measurement of the scenarios, if there is one for exactly these."""
    if specification.left_out:
        return None
    cache = _cache(specification)
    return latest_strength(cache, specification.plan)


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
        is_writable = os.access(folder, os.W_OK | os.X_OK)
        if is_writable:
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
