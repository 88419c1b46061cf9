"""`harness grade`: submissions in, marks and reports out."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from harness.api import grade, load_assignment
from harness.cli.class_options import class_options
from harness.cli.discovery import examples
from harness.cli.options import (
    PATH,
    assignment_option,
    options,
    python_option,
    root_option,
    support_option,
    the_assignment,
    the_root,
    without_option,
)
from harness.cli.progress import listener
from harness.grading import Interrupted, isolated, without_tags
from harness.intake import ClassOptions
from harness.model.events import Event, SubmissionGraded
from harness.model.result import SubmissionStatus, Tier
from harness.reporting import summary_table

SECTION = "Grading"
SUMMARY = "Grade submissions: marks, reasons and a report."

INTERRUPTED = 130
SOME_HARNESS_ERROR = 3


@click.command(
    "grade",
    epilog=examples(
        "harness grade submissions/connect4ish",
        "harness grade download.zip --assignment connect4ish --due 2024-09-24T17:00+10:00",
    ),
)
@click.argument("paths", nargs=-1, required=True, type=PATH, metavar="PATH…")
@options(assignment_option, root_option, class_options, python_option, support_option)
@options(without_option)
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
@click.option(
    "--isolate",
    type=click.Choice(["all"]),
    help="Give every scenario a process of its own, also of programs proved to keep nothing.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="ID",
    help="Grade this submission (may be given again); the others of the class stay as they are.",
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
    layout: str | None,
    due: str | None,
    time_zone: str | None,
    extensions: Path | None,
    roster: Path | None,
    python: Path | None,
    support: Path | None,
    without: tuple[str, ...],
    out: Path | None,
    jobs: int | None,
    require_tier: str,
    isolate: str | None,
    only: tuple[str, ...],
    fresh: bool,
    thorough: bool,
) -> int:
    """Grade every submission below PATH…: folders of submissions, single files, or a class's
    download from Gradescope, Canvas, Brightspace, Blackboard or Moodle, packed or not.

    The same command again resumes an interrupted run and keeps what has not changed. Exit status:
    0 complete, 2 cannot run, 3 some submission met a failure of the harness, 130 interrupted (by
    Ctrl-C or SIGTERM; what is done is in the report).
    """
    base = the_root(root, paths)
    assignment_id = the_assignment(base, assignment, paths)
    loaded = without_tags(load_assignment(base, assignment_id, support=support), without)
    if isolate is not None:
        loaded = isolated(loaded)
    folder = out or base / "reports" / assignment_id
    asked = ClassOptions(
        layout=layout, due=due, time_zone=time_zone, extensions=extensions, roster=roster
    )
    stopped: Interrupted | None = None
    broken = False

    def hear(event: Event) -> None:
        nonlocal broken
        if isinstance(event, SubmissionGraded):  # what is kept from before was never broken
            status = event.result.status
            broken |= event.result.earlier or status is SubmissionStatus.HARNESS_ERROR
        show(event)

    try:
        with listener(Console(stderr=True)) as show:
            run = grade(
                loaded,
                paths,
                folder,
                python=python,
                jobs=jobs,
                require_tier=Tier(require_tier),
                fresh=fresh,
                thorough=thorough,
                only=only,
                asked=asked,
                listener=hear,
            )
    except Interrupted as interrupted:
        stopped, run = interrupted, interrupted.run
    Console().print(summary_table(run, loaded.plan))
    click.echo(f"Report: {folder / 'index.html'}")
    if stopped is not None:
        click.echo(str(stopped), err=True)
        return INTERRUPTED
    return SOME_HARNESS_ERROR if broken else 0
