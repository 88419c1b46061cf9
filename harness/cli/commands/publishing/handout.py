"""Build the package for students, with a self-check."""

from pathlib import Path

import click

from harness.assignment.loading import CACHE, load
from harness.cli import options
from harness.common.errors import UserError
from harness.common.files import write_bytes
from harness.grading.context import for_students, prepare
from harness.packaging.handout import handout_zip


@options.click_command(
    "handout", "harness handout connect4ish", "harness handout connect4ish -o handout.zip"
)
@click.argument("assignment", metavar="ID")
@options.output("The file to write (default: handout-ID.zip), or with --web the folder.")
@options.flag("--web", "Build the page of harness web instead (default folder: web-ID).")
@options.flag("--notebook", "Hand the stub out as a notebook; its last cell runs the self-check.")
@options.several(options.root, options.python, options.support)
def command(
    assignment: str,
    output: Path | None,
    web: bool,
    notebook: bool,
    root: Path | None,
    python: Path | None,
    support: Path | None,
) -> int:
    """Build the archive for the students of assignment ID.

    The archive contains a stub, the provided files, transcripts, the visible scenarios and
    selfcheck.pyz, which needs only Python. It contains no hidden scenario and no function body of
    the reference.
    """
    if web and notebook:
        raise UserError("--web and --notebook cannot be combined")
    base = options.the_root(root)
    if web:
        from harness.cli.commands.publishing.web import write_page  # noqa: PLC0415  (templates are slow to load)

        folder = output or Path(f"web-{assignment}")
        click.echo(write_page(base, assignment, folder, python, support))
        return 0
    specification = load(base, assignment, support=support)
    visible = for_students(specification)
    context = prepare(visible, python=python, cache=base / CACHE, recall_tier=True)
    if context.interpreter.notice:
        click.echo(f"notice: {context.interpreter.notice}", err=True)
    target = output or Path(f"handout-{assignment}.zip")
    write_bytes(target, handout_zip(specification, context, notebook=notebook))
    click.echo(target)
    return 0
