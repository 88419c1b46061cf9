"""`harness grade`: submissions in, marks and reports out."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console

from harness.cli.common import (
    assignment_option,
    cache_folder,
    options,
    python_option,
    root_option,
    specification,
    support_option,
    the_assignment,
    the_root,
    writable_folder,
)
from harness.cli.progress import listener
from harness.grading import BatchOptions, Interrupted, grade_batch, prepare
from harness.intake import read
from harness.model.errors import UserError
from harness.model.plan import Plan
from harness.model.result import RunResult, SubmissionStatus, Tier
from harness.reporting import summary_table, write_reports, write_results

INTERRUPTED = 130
SOME_HARNESS_ERROR = 3


@click.command("grade")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH…")
@options(assignment_option, root_option, python_option, support_option)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the report goes (default: reports/<assignment>).",
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Worker processes (default: one a core).")
@click.option(
    "--require-tier",
    type=click.Choice([tier.value for tier in Tier]),
    default=Tier.STANDARD.value,
    show_default=True,
    help="Refuse to grade under weaker confinement.",
)
@click.option("--fresh", is_flag=True, help="Forget what an earlier run of this folder found.")
@click.option(
    "--thorough",
    is_flag=True,
    help="Run every scenario at its full limit, also of programs that loop everywhere.",
)
def command(
    paths: tuple[Path, ...],
    assignment: str | None,
    root: Path | None,
    python: Path | None,
    support: Path | None,
    out: Path | None,
    jobs: int | None,
    require_tier: str,
    fresh: bool,
    thorough: bool,
) -> int:
    """Grade every submission below PATH… (folders of submissions, or single files).

    The same command again resumes an interrupted run and keeps what has not changed. Exit status:
    0 complete, 2 cannot run, 3 some submission met a failure of the harness, 130 interrupted.
    """
    base = the_root(root, paths)
    assignment_id = the_assignment(base, assignment, paths)
    loaded = specification(base, assignment_id, support)
    submissions = read(paths, loaded.plan.assignment)
    if not submissions:
        raise UserError("no submissions", place=str(paths[0]), hint="a folder of folders, or files")
    folder = writable_folder(out or base / "reports" / assignment_id)
    bench = prepare(loaded, python=python, require=Tier(require_tier), cache=cache_folder(base))
    console = Console(stderr=True)
    settings = BatchOptions(out=folder, jobs=jobs, fresh=fresh, thorough=thorough)
    try:
        with listener(console) as show:
            run = grade_batch(bench, submissions, settings, show)
        status = 0
    except Interrupted as interrupted:
        run, status = interrupted.run, INTERRUPTED
    index = publish(run, loaded.plan, folder)
    Console().print(summary_table(run, loaded.plan))
    click.echo(f"Report: {index}")
    if status == INTERRUPTED:
        done = len(run.submissions)
        sys.stderr.write(
            f"interrupted after {done} of {len(submissions)}; the same command goes on from there\n"
        )
        return status
    broken = any(s.status is SubmissionStatus.HARNESS_ERROR for s in run.submissions)
    return SOME_HARNESS_ERROR if broken else 0


def publish(run: RunResult, plan: Plan, folder: Path) -> Path:
    """Write the pages and results.json; return the class page."""
    try:
        write_results(run, plan, folder)
        return write_reports(run, plan, folder)
    except OSError as error:
        raise UserError(
            f"cannot write the report ({error.strerror})",
            place=str(error.filename or folder),
            hint="make room or choose another folder with --out; nothing graded is lost",
        ) from None
