"""`harness schema`: the language for an editor to check."""

from __future__ import annotations

import json
from pathlib import Path

import click

from harness.assignment import json_schema, write_schemas
from harness.cli.discovery import examples

SECTION = "Assignments"
SUMMARY = "Print the JSON Schema of the scenario language."


@click.command(
    "schema",
    epilog=examples(
        "harness schema",
        "harness schema --write docs/schema",
    ),
)
@click.option(
    "--write",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write one file a kind of YAML instead, for the editor line of each.",
)
def command(write: Path | None) -> int:
    """Print the JSON Schema of the scenario language."""
    if write is not None:
        for path in write_schemas(write):
            click.echo(str(path))
    else:
        click.echo(json.dumps(json_schema(), indent=2))
    return 0
