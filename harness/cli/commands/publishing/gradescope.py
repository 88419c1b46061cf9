"""Build the autograder package for Gradescope."""

from pathlib import Path

import click

from harness.assignment.loading import load
from harness.cli import options
from harness.common.files import write_bytes
from harness.grading.context import without_tags
from harness.model.plan import Visibility
from harness.packaging.gradescope.package import PLATFORM_SECONDS, gradescope_zip


@options.click_command(
    "gradescope",
    "harness gradescope connect4ish",
    "harness gradescope connect4ish -o autograder.zip --time-limit 1200",
)
@click.argument("assignment", metavar="ID")
@options.output("The file to write (default: autograder.zip).")
@options.option(
    "--hidden-visibility",
    "hidden",
    "When students see the names and verdicts of hidden scenarios, and therefore their mark.",
    default=Visibility.AFTER_PUBLISHED.value,
    type=click.Choice([visibility.value for visibility in Visibility]),
)
@options.option(
    "--time-limit",
    "seconds",
    "How many seconds the platform allows for a run.",
    default=PLATFORM_SECONDS,
    type=click.IntRange(60, 24 * 3600),
)
@options.several(options.root, options.support, options.without)
def command(
    assignment: str,
    output: Path | None,
    hidden: str,
    seconds: int,
    root: Path | None,
    support: Path | None,
    without: tuple[str, ...],
) -> int:
    """Build the package that grades assignment ID on Gradescope.

    The package contains the reference and the hidden scenarios: upload it, but do not share it.
    """
    base = options.the_root(root)
    loaded = load(base, assignment, support=support)
    specification = without_tags(loaded, without)
    data = gradescope_zip(specification, hidden=Visibility(hidden), platform_seconds=seconds)
    target = output or Path("autograder.zip")
    write_bytes(target, data)
    python = specification.plan.assignment.python
    size = len(data) // 1024
    click.echo(f"{target}: {assignment} for Python {python}, {size} KiB")
    return 0
