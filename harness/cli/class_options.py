"""Options about a whole class: the layout of its download, when it was due, who is in it."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.options import options
from harness.intake import layout_names

_FILE = click.Path(path_type=Path, readable=False)

class_options = options(
    click.option(
        "--layout",
        type=click.Choice(layout_names()),
        help="Source platform (default: detected).",
    ),
    click.option(
        "--due",
        metavar="TIME",
        help="Grade the latest attempt until this time (2024-09-24T17:00+10:00); others are late.",
    ),
    click.option(
        "--time-zone",
        metavar="ZONE",
        help="The zone of times without one (default: the assignment's time_zone).",
    ),
    click.option(
        "--extensions",
        type=_FILE,
        metavar="FILE",
        help="A CSV with the columns id and due, for students with extensions.",
    ),
    click.option(
        "--roster",
        type=_FILE,
        metavar="FILE",
        help="A CSV of all students, such as a gradebook, to list who is missing.",
    ),
)
