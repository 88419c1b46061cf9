"""Build the page that checks in the browser."""

from pathlib import Path

import click

from harness.assignment.loading import CACHE, load
from harness.cli import options
from harness.cli.printing import tell_notice
from harness.common.files import write_bytes
from harness.grading.context import for_browser, prepare
from harness.packaging.web.folder import INDEX, web_folder


@options.click_command(
    "web", "harness web connect4ish -o site", "harness web week1 week2 -o public_html/checks"
)
@click.argument("assignments", metavar="ID...", nargs=-1, required=True)
@options.output(
    "The folder to write. For several assignments, it gets one folder each.",
    metavar="DIR",
    required=True,
)
@options.course
def command(assignments: tuple[str, ...], output: Path, course: options.CourseOptions) -> int:
    """Build a web page on which students check their work in the browser.

    The result is a static folder for any web space. It contains the visible scenarios and their
    answers, like the self-check file, but no code of the reference. npm fetches Pyodide and the
    editor once.
    """
    for assignment in assignments:
        target = output
        if len(assignments) > 1:
            target /= assignment
        page = write_page(course, assignment, target)
        click.echo(page)
    return 0


def write_page(course: options.CourseOptions, assignment: str, target: Path) -> Path:
    """Build the folder of an assignment's web page; return the page's path."""
    base = course.base()
    specification = load(base, assignment, support=course.support)
    visible = for_browser(specification)
    cache = base / CACHE
    context = prepare(visible, python=course.python, cache=cache, recall_tier=True)
    tell_notice(context.interpreter.notice)
    for name, data in web_folder(specification, context, cache).items():
        write_bytes(target / name, data)
    return target / INDEX
