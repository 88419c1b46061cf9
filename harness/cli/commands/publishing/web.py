"""Build the page that checks in the browser."""

from pathlib import Path

import click

from harness.assignment.loading import CACHE, load
from harness.cli import options
from harness.common.files import write_bytes
from harness.grading.context import for_students, prepare
from harness.packaging.web.folder import INDEX, web_folder


@options.click_command(
    "web", "harness web connect4ish -o site", "harness web week1 week2 -o public_html/checks"
)
@click.argument("assignments", metavar="ID...", nargs=-1, required=True)
@options.output(
    "The folder to write; several assignments get a folder each.", metavar="DIR", required=True
)
@options.several(options.root, options.python, options.support)
def command(
    assignments: tuple[str, ...],
    output: Path,
    root: Path | None,
    python: Path | None,
    support: Path | None,
) -> int:
    """Build a web page on which students check their work in the browser.

    The result is a static folder for any web space. It contains the visible scenarios and their
    answers, like the self-check file, but no code of the reference. npm fetches Pyodide and the
    editor once.
    """
    base = options.the_root(root)
    for assignment in assignments:
        target = output / assignment if len(assignments) > 1 else output
        click.echo(write_page(base, assignment, target, python, support))
    return 0


def write_page(
    base: Path, assignment: str, target: Path, python: Path | None, support: Path | None
) -> Path:
    """Make the folder of an assignment's page, and return the page's path."""
    specification = load(base, assignment, support=support)
    cache = base / CACHE
    context = prepare(for_students(specification), python=python, cache=cache, recall_tier=True)
    if context.interpreter.notice:
        click.echo(f"notice: {context.interpreter.notice}", err=True)
    for name, data in web_folder(specification, context, cache).items():
        write_bytes(target / name, data)
    return target / INDEX
