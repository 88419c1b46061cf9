"""The command line: one file a command, each a thin layer over the rooms."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import NoReturn

import click

import harness
from harness.cli.streams import ignore_epipe
from harness.common.errors import HarnessError, UserError

_COMMANDS = {
    "grade": "Grade submissions: marks, reasons and a report.",
    "check": "Check one file against the visible scenarios.",
    "validate": "Prove that reference, scenarios, mutants and samples agree.",
    "show": "Show a finished or interrupted run.",
    "compare": "Say whose mark changed between two runs, and why.",
    "export": "Write a run for a gradebook, as feedback, or as results.",
    "manual": "Take the marks that people gave into a run.",
    "record": "Record transcripts and freeze draws from the reference.",
    "gradescope": "Build the autograder package for Gradescope.",
    "handout": "Build what students get, with a file that checks their work.",
    "schema": "Print the JSON Schema of the scenario language.",
    "doctor": "Say which interpreters and mechanisms this machine has.",
}
_MENDS = {
    **dict.fromkeys(
        (errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "make room and run the same command again"
    ),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "choose a place that you may write"),
}


class _Commands(click.Group):
    """Loads a command when it is called: `harness check` must not pay for the rest."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"harness.cli.commands.{cmd_name}")
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
    ignore_epipe()
    try:
        status = cli.main(standalone_mode=False)
        sys.stdout.flush()
    except (click.exceptions.Abort, KeyboardInterrupt):
        _leave("interrupted", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        _leave("", 2)
    except click.ClickException as error:
        command = (
            error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
        )
        hint = f" Hint: {command} --help" if command else ""
        _leave(f"{error.format_message()}{hint}", 2)
    except UserError as error:
        _leave(str(error), 2)
    except HarnessError as error:
        _leave(f"harness failed, not the submission: {error}", 3)
    except OSError as error:
        hint = f". Hint: {_MENDS[error.errno]}" if error.errno in _MENDS else ""
        place = f"{error.filename}: " if error.filename else ""
        _leave(f"{place}{error.strerror or error}{hint}", 2)
    sys.exit(status if isinstance(status, int) else 0)


def _leave(line: str, status: int) -> NoReturn:
    if line:
        sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
    if status == 2:
        _drop_output()
    sys.exit(status)


def _drop_output() -> None:
    """What stdout could not take is not tried again at exit, where it would be a traceback."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
