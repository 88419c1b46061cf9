"""Search for faults that the scenarios miss."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import click
from rich.table import Table

from harness.assignment.compile import Compilation, compile_assignment
from harness.assignment.loading import CACHE
from harness.cli import options
from harness.cli.printing import print_result
from harness.cli.progress import Steps, steps
from harness.common import files, serial
from harness.common.errors import UserError
from harness.common.escaping import visible, visible_lines
from harness.grading.check import cohort_of
from harness.grading.context import GradingContext, prepare
from harness.grading.engines import Job
from harness.grading.engines.local import run_jobs
from harness.model.plan import Assignment
from harness.model.result import SubmissionResult
from harness.model.study import FuzzReport
from harness.model.submission import Submission
from harness.results.database import STORE_NAME
from harness.results.store import Store
from harness.study.fuzz.searching import fuzz
from harness.study.similarity import graded_submissions

_Progress = Callable[[int, int], None]  # called with (graded submissions, all submissions)


@dataclass(frozen=True, slots=True, kw_only=True)
class _FuzzOptions:
    """The options: how many inputs to generate, the seed, and where results are written."""

    root: Annotated[Path | None, options.root]
    python: Annotated[Path | None, options.python]
    inputs: Annotated[
        int,
        options.option(
            "--inputs",
            "How many inputs to draw for each function.",
            default=10_000,
            type=click.IntRange(1),
        ),
    ]
    seconds: Annotated[
        float | None,
        options.option(
            "--seconds",
            "Stop after about this many seconds.",
            type=click.FloatRange(0, min_open=True),
        ),
    ]
    seed: Annotated[
        int,
        options.option(
            "--seed", "The seed of the random inputs.", default=0, type=click.IntRange(0)
        ),
    ]
    jobs: Annotated[int | None, options.jobs()]
    target: Annotated[Path | None, options.json_file("Write the result to this file.")]


@options.click_command(
    "fuzz", "harness fuzz connect4ish", "harness fuzz connect4ish jo/a1.py --seconds 60"
)
@click.argument("assignment_id", metavar="ID")
@click.argument("paths", nargs=-1, type=options.PATH, metavar="[FILE…]")
@options.options_of("chosen", _FuzzOptions)
def command(assignment_id: str, paths: tuple[Path, ...], chosen: _FuzzOptions) -> int:
    """Run submissions with full marks on new inputs and compare them with the reference.

    FILE is a report folder (its submissions with full marks are used), a folder of submissions
    (they are graded first) or a single submission (used with any mark). The default is
    reports/ID, or submissions/ID.

    Inputs come from the strategies of the scenarios and from `fuzz:` in assignment.yaml. Each
    difference is shortened to a small example and shown as a scenario to paste. No mark changes.
    Ctrl-C keeps the results so far.

    Exit status: 0 nothing differs, 1 something does, 2 cannot run, 130 interrupted.
    """
    base = options.the_root(chosen.root)
    compilation = _load(base, assignment_id)
    cache = base / CACHE
    context = prepare(
        compilation.specification, python=chosen.python, cache=cache, recall_tier=True
    )
    with steps() as tell:
        tell_grading = partial(tell, "grading first")
        submissions = _choose(base, context, paths, chosen.jobs, tell_grading)
        report = fuzz(
            context,
            compilation.fuzzing,
            submissions,
            inputs=chosen.inputs,
            seconds=chosen.seconds,
            seed=chosen.seed,
            jobs=chosen.jobs,
            cache=cache,
            progress=partial(_tell_function, tell),
        )
    _show(report)
    if chosen.target is not None:
        files.write(chosen.target, serial.dumps(report) + "\n", private=True)
    if not report.complete and chosen.seconds is None:
        return 130
    differs = any(submission.differences for submission in report.submissions)
    return 1 if differs else 0


def _tell_function(tell: Steps, function: str, done: int, total: int, differ: int) -> None:
    tell(f"{function} ({differ} differ)", done, total)


def _load(root: Path, assignment_id: str) -> Compilation:
    compilation = compile_assignment(root, assignment_id)
    if not compilation.specification.reference:
        raise UserError("the assignment has no reference to compare with", place=assignment_id)
    if not compilation.fuzzing.targets:
        what = (
            "no inputs can be generated: no scenario names a strategy, and assignment.yaml has "
            "no fuzz:"
        )
        hint = "add a strategy to a scenario, or describe a game's inputs under fuzz:"
        raise UserError(what, place=assignment_id, hint=hint)
    return compilation


def _choose(
    root: Path,
    context: GradingContext,
    paths: Sequence[Path],
    jobs: int | None,
    progress: _Progress,
) -> list[Submission]:
    assignment = context.specification.plan.assignment
    if not paths:
        paths = [_usual(root, assignment)]
    chosen: list[Submission] = []
    for path in paths:
        run = path
        if path.is_dir():
            run /= STORE_NAME
        if run.name == STORE_NAME and run.is_file():
            chosen += _full_of_run(run, path, assignment)
            continue
        submissions = cohort_of([path], assignment).submissions
        if len(submissions) > 1:
            full = _graded_full(context, submissions, jobs, progress)
            submissions = _with_ids(submissions, full)
        for submission in submissions:
            if not submission.problem:
                chosen.append(submission)
    if not chosen:
        raise UserError("no submission has full marks", place=str(paths[0]))
    return chosen


def _usual(root: Path, assignment: Assignment) -> Path:
    """Return the assignment's report folder if it contains a run, otherwise its submissions."""
    reports = root / "reports" / assignment.id
    if (reports / STORE_NAME).is_file():
        return reports
    return root / "submissions" / assignment.id


def _full_of_run(run: Path, path: Path, assignment: Assignment) -> tuple[Submission, ...]:
    """Return a run's submissions that passed every scenario; print which are left out."""
    with Store.read_only(run) as store:
        if store.plan().assignment.id != assignment.id:
            raise UserError(f"is not a run of {assignment.id}", place=str(path))
        full = {result.id for result in store.run().submissions if _is_full(result)}
        submissions, left_out = graded_submissions(store)
    for name, why in left_out.items():
        if name in full:
            click.echo(f"{visible(name)}: left out, {visible(why)}", err=True)
    return _with_ids(submissions, full)


def _graded_full(
    context: GradingContext,
    submissions: Sequence[Submission],
    jobs: int | None,
    progress: _Progress,
) -> set[str]:
    """Grade the submissions; return the ids of those that passed every scenario."""
    todo = [Job(submission=submission) for submission in submissions]
    full = set()
    for done, (job, graded) in enumerate(run_jobs(context, todo, jobs), start=1):
        progress(done, len(todo))
        if _is_full(graded.result):
            full.add(job.submission.id)
    return full


def _with_ids(submissions: Iterable[Submission], ids: set[str]) -> tuple[Submission, ...]:
    return tuple(submission for submission in submissions if submission.id in ids)


def _is_full(result: SubmissionResult) -> bool:
    """Return whether every scenario passed.

    A full mark is not enough, because extra credit can hide a fault.
    """
    return result.all_passed and result.mark is not None and result.mark >= result.out_of


def _show(report: FuzzReport) -> None:
    table = Table("function", title=report.assignment, title_justify="left")
    for heading in ("inputs", "left out"):
        table.add_column(heading, justify="right")
    for compared in report.functions:
        table.add_row(compared.function, str(compared.inputs), str(compared.left_out))
    print_result(table)
    for other in report.not_fuzzed:
        click.echo(f"{visible(other.function)}: not fuzzed: {other.reason}")
    differing = [submission for submission in report.submissions if submission.differences]
    for submission in differing:
        names = ", ".join(visible(name) for name in submission.ids)
        for difference in submission.differences:
            message = visible(difference.message)
            click.echo(f"\n{names}: differs in {difference.function}: {message}")
            click.echo(visible_lines(difference.scenario), nl=False)
    if differing:
        click.echo("")
    if not report.complete:
        click.echo("not all inputs were compared; run the same command to go on")
    verb = "differs" if len(differing) == 1 else "differ"
    click.echo(
        f"{report.assignment}: {len(differing)} of {len(report.submissions)} submissions {verb} "
        "from the reference; no mark changes"
    )
