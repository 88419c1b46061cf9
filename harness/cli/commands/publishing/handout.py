"""Build the package for students, with a self-check."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.assignment.loading import CACHE, load
from harness.cli import options
from harness.cli.printing import tell_notice
from harness.common.errors import UserError
from harness.common.files import write_bytes
from harness.grading.context import for_students, prepare
from harness.packaging.handout import handout_zip


@dataclass(frozen=True, slots=True, kw_only=True)
class _HandoutOptions:
    """The options: the form of the package, and its file."""

    output: Annotated[
        Path | None,
        options.output("The file to write (default: handout-ID.zip), or with --web the folder."),
    ]
    web: Annotated[
        bool,
        options.flag(
            "--web", "Build the browser page instead, as harness web does (default folder: web-ID)."
        ),
    ]
    notebook: Annotated[
        bool,
        options.flag(
            "--notebook", "Hand the stub out as a notebook; its last cell runs the self-check."
        ),
    ]


@options.click_command(
    "handout", "harness handout connect4ish", "harness handout connect4ish -o handout.zip"
)
@click.argument("assignment", metavar="ID")
@options.options_of("chosen", _HandoutOptions)
@options.course
def command(assignment: str, chosen: _HandoutOptions, course: options.CourseOptions) -> int:
    """Build the archive for the students of assignment ID.

    The archive contains a stub, the provided files, transcripts, the visible scenarios and
    selfcheck.pyz, which needs only Python. It contains no hidden scenario and no function body of
    the reference.
    """
    if chosen.web and chosen.notebook:
        raise UserError("--web and --notebook cannot be combined")
    if chosen.web:
        from harness.cli.commands.publishing.web import write_page  # noqa: PLC0415  (templates are slow to load)

        folder = chosen.output or Path(f"web-{assignment}")
        page = write_page(course, assignment, folder)
        click.echo(page)
        return 0
    base = course.base()
    specification = load(base, assignment, support=course.support)
    visible = for_students(specification)
    context = prepare(visible, python=course.python, cache=base / CACHE, recall_tier=True)
    tell_notice(context.interpreter.notice)
    target = chosen.output or Path(f"handout-{assignment}.zip")
    data = handout_zip(specification, context, notebook=chosen.notebook)
    write_bytes(target, data)
    click.echo(target)
    return 0
