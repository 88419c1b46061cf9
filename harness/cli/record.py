"""`harness record`: freeze draws and transcripts from the reference."""

from __future__ import annotations

from pathlib import Path

import click

from harness.assignment import as_template, available, load, record_draws
from harness.cli.common import options, python_option, root_option, the_root
from harness.grading import record_transcripts


@click.command("record")
@click.argument("ids", nargs=-1, metavar="[ID…]")
@options(root_option, python_option)
def command(ids: tuple[str, ...], root: Path | None, python: Path | None) -> int:
    """Draw the samples and cases, and play the transcripts, that scenarios name.

    Review what changed before committing it: what is recorded is what will be graded.
    """
    base = the_root(root)
    for assignment_id in ids or available(base):
        written = list(record_draws(base, assignment_id))
        recording = load(base, assignment_id, recording=True)
        written += record_transcripts(recording, as_template, python=python)
        for path in written:
            click.echo(f"recorded {path}")
        load(base, assignment_id)
        click.echo(f"{assignment_id}: {len(written)} files recorded")
    return 0
