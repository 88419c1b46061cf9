"""The command line: one file a command, each a thin layer over the rooms."""

from __future__ import annotations

import importlib
import sys

import click

import harness
from harness.model.errors import HarnessError, UserError

_COMMANDS = {
    "grade": "Grade submissions: marks, reasons and a report.",
    "check": "Check one file against the visible scenarios.",
    "validate": "Prove that reference, scenarios, mutants and samples agree.",
    "show": "Show a finished or interrupted run.",
    "record": "Record transcripts and freeze draws from the reference.",
    "schema": "Print the JSON Schema of the scenario language.",
    "doctor": "Say which interpreters and mechanisms this machine has.",
}


class _Commands(click.Group):
    """Loads a command when it is called: `harness check` must not pay for the rest."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"harness.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(harness.__version__, prog_name="harness")
def cli() -> None:
    """Grade introductory programming assignments, and explain every lost mark."""


def main() -> None:
    """Run the command line; what a user can mend is one line on stderr and status 2."""
    try:
        status = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    except HarnessError as error:
        sys.stderr.write(f"harness failed, not the submission: {error}\n")
        sys.exit(3)
    sys.exit(status if isinstance(status, int) else 0)
