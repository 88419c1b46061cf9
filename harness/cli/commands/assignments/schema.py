"""Print the JSON Schema of the scenario language."""

import json
from pathlib import Path

import click

from harness.assignment.schema import json_schema, write_schemas
from harness.cli import options


@options.click_command("schema", "harness schema", "harness schema --write docs/schema")
@options.option(
    "--write",
    "Write one schema for each kind of YAML file into FOLDER.",
    type=options.FOLDER,
    metavar="FOLDER",
)
def command(write: Path | None) -> int:
    """Print the JSON Schema of the scenario language."""
    if write is not None:
        for path in write_schemas(write):
            click.echo(str(path))
    else:
        click.echo(json.dumps(json_schema(), indent=2))
    return 0
