"""Build the autograder package for Gradescope."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.assignment.loading import load
from harness.cli import options
from harness.common.files import write_bytes
from harness.grading.context import without_tags
from harness.model.plan import Visibility
from harness.packaging.gradescope.package import PLATFORM_SECONDS, gradescope_zip

_MIN_SECONDS = 60
_MAX_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class _GradescopeOptions:
    """The options: what to pack, and how the assignment is configured on Gradescope."""

    output: Annotated[Path | None, options.output("The file to write (default: autograder.zip).")]
    hidden: Annotated[
        str,
        options.option(
            "--hidden-visibility",
            "hidden",
            "When students see the names and verdicts of hidden scenarios, and so their mark.",
            default=Visibility.AFTER_PUBLISHED.value,
            type=click.Choice(list(map(str, Visibility))),
        ),
    ]
    seconds: Annotated[
        int,
        options.option(
            "--time-limit",
            "seconds",
            "How many seconds the platform allows for a run.",
            default=PLATFORM_SECONDS,
            type=click.IntRange(_MIN_SECONDS, _MAX_SECONDS),
        ),
    ]
    root: Annotated[Path | None, options.root]
    support: Annotated[Path | None, options.support]
    without: Annotated[tuple[str, ...], options.without]


@options.click_command(
    "gradescope",
    "harness gradescope connect4ish",
    "harness gradescope connect4ish -o autograder.zip --time-limit 1200",
)
@click.argument("assignment", metavar="ID")
@options.options_of("chosen", _GradescopeOptions)
def command(assignment: str, chosen: _GradescopeOptions) -> int:
    """Build the package that grades assignment ID on Gradescope.

    The package contains the reference and the hidden scenarios: upload it, but do not share it.
    """
    base = options.the_root(chosen.root)
    loaded = load(base, assignment, support=chosen.support)
    specification = without_tags(loaded, chosen.without)
    hidden = Visibility(chosen.hidden)
    data = gradescope_zip(specification, hidden=hidden, platform_seconds=chosen.seconds)
    target = chosen.output or Path("autograder.zip")
    write_bytes(target, data)
    python = specification.plan.assignment.python
    size = len(data) // 1024
    click.echo(f"{target}: {assignment} for Python {python}, {size} KiB")
    return 0
