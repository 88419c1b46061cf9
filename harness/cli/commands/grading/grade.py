"""Grade submissions and write a report."""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import click
from rich.console import Console

from harness.api import grade, load_assignment
from harness.cli import options
from harness.cli.again import RepeatedCommand, words_to_repeat
from harness.cli.printing import print_result
from harness.cli.progress import listener
from harness.common.errors import UserError, error_lines
from harness.common.replaceable import Replaceable
from harness.grading.batch import Interrupted
from harness.grading.context import isolated, without_tags
from harness.grading.engines.dask import Cluster
from harness.intake.terms import ClassOptions
from harness.model.observation import Tier
from harness.model.plan import Specification
from harness.model.result import CausesFound, CommandLine, Event, SubmissionGraded, SubmissionStatus
from harness.model.submission import Submission
from harness.reporting.terminal.tables import summary_table

INTERRUPTED = 130
SOME_HARNESS_ERROR = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _GradeOptions:
    """The options: what is graded, where, and within which limits."""

    python: Annotated[Path | None, options.python]
    support: Annotated[Path | None, options.support]
    without: Annotated[tuple[str, ...], options.without]
    out: Annotated[
        Path | None,
        options.option(
            *("-o", "--out", "--output"),
            "Folder for the report (default: reports/<assignment>).",
            type=options.FOLDER,
        ),
    ]
    jobs: Annotated[int | None, options.jobs("How many processes to use (default: one per core).")]
    cluster: Annotated[
        Cluster | None,
        options.cluster_options(
            "Grade on the workers of a dask scheduler: tcp://HOST:8786 or tls://HOST:8786."
        ),
    ]
    require_tier: Annotated[
        str, options.require_tier("Refuse to grade if confinement is weaker than this.")
    ]
    isolate: Annotated[
        str | None,
        options.option(
            "--isolate",
            "Run every scenario in its own process, even for programs without global state.",
            type=click.Choice(["all"]),
        ),
    ]
    only: Annotated[
        tuple[str, ...],
        options.option(
            "--only",
            "Grade only this submission; the others stay as they are. Can be repeated.",
            multiple=True,
            metavar="ID",
        ),
    ]
    fresh: Annotated[
        bool,
        options.flag("--fresh", "Grade everything again and ignore the results of earlier runs."),
    ]
    watch: Annotated[
        bool,
        options.flag(
            "--watch", "Grade submissions as they arrive in the folder PATH, until interrupted."
        ),
    ]
    thorough: Annotated[
        bool,
        options.flag(
            "--thorough",
            "Give every scenario its full time limit, even if many of them loop forever. All "
            "scenarios together have no limit.",
        ),
    ]
    no_probes: Annotated[
        bool,
        options.flag(
            "--no-probes",
            "Run no failed scenario again to find its cause: causes are less exact, marks are the "
            "same.",
        ),
    ]
    total_seconds: Annotated[
        float | None,
        options.option(
            "--total-seconds",
            "Hold a submission for review if all of its runs together take longer (default: "
            "total_seconds in assignment.yaml, otherwise 100 times the reference's time).",
            type=click.FloatRange(min=0, min_open=True),
            metavar="SECONDS",
        ),
    ]


class _Grade(RepeatedCommand):
    only_once = ("fresh", "only", "watch")


@options.click_command(
    "grade",
    "harness grade submissions/connect4ish",
    "harness grade download.zip --assignment connect4ish --due 2024-09-24T17:00+10:00",
    cls=_Grade,
)
@click.argument("paths", nargs=-1, required=True, type=options.PATH, metavar="PATH…")
@options.several(options.assignment, options.root, options.class_options, options.logging)
@options.options_of("chosen", _GradeOptions)
def command(
    paths: tuple[Path, ...],
    assignment: str | None,
    root: Path | None,
    asked: ClassOptions,
    chosen: _GradeOptions,
) -> int:
    """Grade all submissions in PATH…: a folder of submissions, single files, or a download from
    Gradescope, Canvas, Brightspace, Blackboard or Moodle, as a zip or unpacked.

    Run the same command again to go on after an interruption, or to grade only new and changed
    submissions.

    Exit status: 0 complete, 2 cannot run, 3 the harness failed on a submission, 130 interrupted
    (by Ctrl-C or SIGTERM; finished results are in the report).
    """
    _refuse_jobs_of_workers(chosen.jobs, chosen.cluster)
    base = options.the_root(root, paths)
    assignment_id = options.the_assignment(base, assignment, paths)
    load = partial(_load, base, assignment_id, chosen)
    folder = chosen.out or base / options.REPORTS / assignment_id
    once = partial(
        _grade,
        load,
        paths,
        folder,
        python=chosen.python,
        jobs=chosen.jobs,
        cluster=chosen.cluster,
        require_tier=Tier(chosen.require_tier),
        fresh=chosen.fresh,
        thorough=chosen.thorough,
        probes=not chosen.no_probes,
        total_seconds=chosen.total_seconds,
        only=chosen.only,
        asked=asked,
        command=_to_repeat(),
    )
    if chosen.watch:
        is_whole = not chosen.only and not chosen.fresh
        return _watch(paths, once, whole=is_whole)
    return once()


def _to_repeat() -> CommandLine:
    """Return the command that grades the whole class again."""
    words = words_to_repeat(click.get_current_context())
    return CommandLine(folder=str(Path.cwd()), words=words)


def _refuse_jobs_of_workers(jobs: int | None, cluster: Cluster | None) -> None:
    if cluster is not None and jobs is not None:
        what = "--jobs and --scheduler cannot be combined"
        hint = "set the number of jobs for each worker: harness worker --jobs"
        raise UserError(what, hint=hint)


def _load(base: Path, assignment_id: str, chosen: _GradeOptions) -> Specification:
    """Return the assignment with the requested scenarios and isolation."""
    loaded = load_assignment(base, assignment_id, support=chosen.support)
    tagged = without_tags(loaded, chosen.without)
    if chosen.isolate is not None:
        return isolated(tagged)
    return tagged


def _watch(paths: tuple[Path, ...], once: Callable[..., int], *, whole: bool) -> int:
    """Grade each time something new arrives; return the last exit status. `whole` means the
    complete class.

    A UserError (an error in the course's files, a full disk) is printed, and the next arrival tries
    again.
    """
    inbox = paths[0]
    if len(paths) != 1 or not inbox.is_dir() or not whole:
        raise UserError("--watch takes one folder, without --only and --fresh", place=str(inbox))
    stopped = threading.Event()
    status = 0

    def grade_complete(unsettled: frozenset[str]) -> None:
        nonlocal status
        incomplete = [inbox / name for name in unsettled]

        def ready(submission: Submission) -> bool:
            return not any(map(Path(submission.origin).is_relative_to, incomplete))

        try:
            status = once(ready=ready)
        except UserError as error:
            click.echo(error_lines(str(error)), nl=False, err=True)
        if status == INTERRUPTED:
            stopped.set()

    watch_folder(inbox, grade_complete, time.monotonic, stopped)
    return status


def _grade(
    load: Callable[[], Specification], paths: Sequence[Path], folder: Path, **settings: Any
) -> int:
    """Grade once, print the table and return the exit status."""
    loaded = load()
    stopped: Interrupted | None = None
    broken = False

    def hear(event: Event) -> None:
        nonlocal broken
        # Results kept from an earlier run cause no events.
        if isinstance(event, SubmissionGraded | CausesFound):
            result = event.result
            broken |= result.earlier or result.status is SubmissionStatus.HARNESS_ERROR
        show(event)

    try:
        with listener(Console(stderr=True)) as show:
            run = grade(loaded, paths, folder, listener=hear, **settings)
    except Interrupted as interrupted:
        stopped = interrupted
        run = interrupted.run
    print_result(summary_table(run, loaded.plan))
    click.echo(f"Report: {folder / 'index.html'}")
    if stopped is not None:
        click.echo(str(stopped), err=True)
        return INTERRUPTED
    return SOME_HARNESS_ERROR if broken else 0


QUIET_SECONDS = 3.0
POLL_SECONDS = 1.0
MAX_FILES = 200_000

Stamps = Mapping[
    str, tuple[int, int]
]  # (time of change in ns, size) of each file, by path relative to the folder


class FolderEntries:
    """Tells complete entries of a folder from those that are still being written.

    An entry is a file or folder directly inside. It is complete if nothing in it has changed for
    `QUIET_SECONDS`.
    """

    def __init__(self) -> None:
        self._now: dict[str, Stamps] = {}  # state of each entry
        self._since: dict[str, float] = {}  # since when each entry has been in its present state
        self._graded: dict[str, Stamps] = {}

    def look(self, stamps: Stamps, now: float) -> None:
        """Record the folder's state at time `now`, in seconds of a monotonic clock."""
        entries: dict[str, dict[str, tuple[int, int]]] = {}
        for path, stamp in stamps.items():
            name, _, _ = path.partition(os.sep)
            entries.setdefault(name, {})[path] = stamp
        since: dict[str, float] = {}
        for name, inside in entries.items():
            since[name] = now
            if self._now.get(name) == inside:
                since[name] = self._since[name]
        self._since = since
        self._now = {**entries}

    def unsettled(self, now: float) -> frozenset[str]:
        changing: set[str] = set()
        for name, since in self._since.items():
            if now - since < QUIET_SECONDS:
                changing.add(name)
        return frozenset(changing)

    def has_news(self, now: float) -> bool:
        """Return whether a complete entry is new or changed, or a graded entry was deleted."""
        gone = self._graded.keys() - self._now.keys()
        if gone:
            return True
        complete = self._complete(now)
        return any(self._graded.get(name) != stamps for name, stamps in complete.items())

    def graded(self, now: float) -> None:
        self._graded = self._complete(now)

    def _complete(self, now: float) -> dict[str, Stamps]:
        complete = dict(self._now)
        for name in self.unsettled(now):
            del complete[name]
        return complete


def stamps_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the stamps of all files below the folder.

    Raise UserError if it cannot be read or contains too many files.
    """
    stamps: dict[str, tuple[int, int]] = {}

    def failed(error: OSError) -> None:
        if error.filename == str(folder):
            raise UserError(f"cannot be read ({error.strerror})", place=str(folder))

    for where, _, names in os.walk(folder, onerror=failed):
        for name in names:
            path = Path(where, name)
            try:
                status = path.lstat()
            except OSError:
                continue  # deleted in the meantime
            stamps[str(path.relative_to(folder))] = (status.st_mtime_ns, status.st_size)
        if len(stamps) > MAX_FILES:
            raise UserError(f"holds more than {MAX_FILES} files", place=str(folder))
    return stamps


@Replaceable
def watch_folder(
    folder: Path,
    grade: Callable[[frozenset[str]], object],
    clock: Callable[[], float],
    pause: threading.Event,
) -> None:
    """Call `grade` each time something is new, with the entries to leave out because they are
    incomplete. Stop when `pause` is set.

    At the start everything counts as new; `grade` itself reuses the results of an earlier run.
    """
    arrivals = FolderEntries()
    while not pause.is_set():
        arrivals.look(stamps_of(folder), clock())
        now = clock()
        if arrivals.has_news(now):
            grade(arrivals.unsettled(now))
            arrivals.graded(now)
        pause.wait(POLL_SECONDS)
