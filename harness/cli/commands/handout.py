"""`harness handout`: the archive that a course gives its students."""

from __future__ import annotations

from pathlib import Path

import click

from harness.assignment.loading import load
from harness.cli.options import (
    cache_folder,
    click_command,
    options,
    output_option,
    python_option,
    root_option,
    support_option,
    the_assignment,
    the_root,
)
from harness.common.files import write_bytes
from harness.grading.context import prepare, visible_only
from harness.packaging.handout import handout_zip

SECTION = "Publishing"
SUMMARY = "Build the package for students, with a self-check."


@click_command(
    "handout", "harness handout connect4ish", "harness handout connect4ish -o handout.zip"
)
@click.argument("assignment", metavar="ID")
@output_option("The file to write (default: handout-ID.zip).")
@options(root_option, python_option, support_option)
def command(
    assignment: str,
    output: Path | None,
    root: Path | None,
    python: Path | None,
    support: Path | None,
) -> int:
    """Build the archive for the students of assignment ID.

    It holds a stub, the provided files, gameplay/, the visible scenarios and selfcheck.pyz, which
    needs only Python. It holds no hidden scenario and no function body of the reference.
    """
    base = the_root(root)
    assignment_id = the_assignment(base, assignment)
    specification = load(base, assignment_id, support=support)
    visible = visible_only(specification)
    context = prepare(visible, python=python, cache=cache_folder(base), recall_tier=True)
    if context.interpreter.notice:
        click.echo(f"NOTICE {context.interpreter.notice}", err=True)
    target = output or Path(f"handout-{assignment_id}.zip")
    write_bytes(target, handout_zip(specification, context))
    click.echo(target)
    return 0
