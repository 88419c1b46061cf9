"""Record transcripts and draws from the reference."""

from pathlib import Path

import click

from harness.assignment.compile import record_draws
from harness.assignment.loading import available, load
from harness.assignment.symbols import as_template
from harness.cli import options
from harness.cli.printing import relative_to_here
from harness.common.words import counted
from harness.grading.single_runs import record_transcripts


@options.click_command("record", "harness record", "harness record connect4ish")
@click.argument("ids", nargs=-1, metavar="[ID…]")
@options.several(options.root, options.python)
def command(ids: tuple[str, ...], root: Path | None, python: Path | None) -> int:
    """Run the references of the assignments ID… or all, and record draws (generated inputs) and
    transcripts for their scenarios.

    Review the changes before you commit them: submissions are compared with them.
    """
    base = options.the_root(root)
    for assignment_id in ids or available(base):
        recording = load(base, assignment_id, recording=True)
        draws = Path(recording.folder, "draws")
        before: dict[Path, bytes] = {}
        for path in sorted(draws.glob("*.json")):
            before[path] = path.read_bytes()
        changed: list[Path] = []
        for path in record_draws(base, assignment_id):
            if before.get(path) != path.read_bytes():
                changed.append(path)
        gone = [path for path in before if not path.exists()]
        changed += record_transcripts(recording, as_template, python=python)
        for path in changed:
            click.echo(f"recorded {relative_to_here(path)}")
        for path in gone:
            click.echo(f"removed {relative_to_here(path)}")
        load(base, assignment_id)
        files = counted(len(changed) + len(gone), "file")
        click.echo(f"{assignment_id}: {files} changed")
    return 0
