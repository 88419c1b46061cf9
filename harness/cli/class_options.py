"""Options about a whole class: the layout of its download, when it was due, who is in it."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.common import options
from harness.intake import LAYOUT_NAMES

_FILE = click.Path(path_type=Path, readable=False)

class_options = options(
    click.option(
        "--layout",
        type=click.Choice(LAYOUT_NAMES),
        help="Whose download it is (default: told by the names in it).",
    ),
    click.option(
        "--due",
        metavar="TIME",
        help="Grade the latest attempt until then (2024-09-24T17:00+10:00); later ones are late.",
    ),
    click.option(
        "--time-zone",
        metavar="ZONE",
        help="The zone of times without one (default: the assignment's time_zone).",
    ),
    click.option(
        "--extensions", type=_FILE, metavar="FILE", help="A CSV of id,due: other times for some."
    ),
    click.option(
        "--roster",
        type=_FILE,
        metavar="FILE",
        help="A CSV of all students (a platform's gradebook will do), to list who is missing.",
    ),
)
