"""The command line.

Each command is a module in a subpackage of `harness.cli.commands` (one for each section of the
help, see `SECTIONS`). The module's docstring is its line in `harness --help`; `command` is the
click command, made by `click_command(…)`. The help reads the docstrings from the source files,
because importing all commands takes ten times as long. Only the command that is run is imported.
"""

import difflib
import errno
import importlib
import io
import os
import re
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import NoReturn, TextIO

import click

import harness
import harness.cli.commands as package
from harness.common.errors import HarnessError, UserError, error_lines, without_capital

_HINTS = {
    **dict.fromkeys(
        (errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "free disk space and run the same command again"
    ),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "choose a writable folder"),
}

# The folders of `harness.cli.commands`, in the order of the help, with their headings there.
SECTIONS = {
    "grading": "Grading",
    "results": "Results",
    "assignments": "Assignments",
    "publishing": "Publishing",
    "machine": "This machine",
}
_SUMMARY = re.compile(r'"""(?P<summary>.*)"""\n')


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A command's line in the help."""

    name: str
    module: str
    section: str
    summary: str


def listings() -> tuple[Listing, ...]:
    """Return all commands, sorted by section and name."""
    entries: list[Listing] = []
    for folder, section in SECTIONS.items():
        in_section = _commands_in(importlib.import_module(f"{package.__name__}.{folder}"), section)
        entries += sorted(in_section, key=attrgetter("name"))
    return tuple(entries)


def _commands_in(folder: ModuleType, section: str) -> Iterator[Listing]:
    for place in folder.__path__:
        for path in Path(place).glob("[!_]*.py"):
            summary = _SUMMARY.match(path.read_text(encoding="utf-8"))
            if summary is None:
                raise HarnessError(f"{path} must begin with a docstring of one line")
            yield Listing(
                name=path.stem.replace("_", "-"),
                module=f"{folder.__name__}.{path.stem}",
                section=section,
                summary=summary["summary"],
            )


class CommandGroup(click.Group):
    """The click group of all commands. A command is imported when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [entry.name for entry in listings()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for entry in listings():
            if entry.name == cmd_name:
                command: click.Command = importlib.import_module(entry.module).command
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does, but raise UserError with a suggestion for an unknown name."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            hint = "harness --help lists the commands"
            close = difflib.get_close_matches(args[0], names, n=1)
            if close:
                hint = f"did you mean {close[0]}?"
            raise UserError(f"unknown command {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        entries = listings()
        width = max(len(entry.name) for entry in entries)
        for section, listed in groupby(entries, key=attrgetter("section")):
            rows = [(f"{entry.name:{width}}", entry.summary) for entry in listed]
            with formatter.section(section):
                formatter.write_dl(rows)


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(harness.__version__, prog_name="harness")
def cli() -> None:
    """Grade introductory programming assignments, and explain every lost mark."""


def main() -> None:
    """Run the command line. A user's error is printed as one line on stderr, with exit status 2."""
    _open_closed_streams()
    sys.stdout = _ignoring_epipe(sys.stdout)
    sys.stderr = _ignoring_epipe(sys.stderr)
    _interrupt_at_signals()
    try:
        status = cli.main(prog_name="harness", standalone_mode=False)
        sys.stdout.flush()
    except (click.exceptions.Abort, KeyboardInterrupt):
        _leave("interrupted\n", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        _leave("", 2)
    except click.ClickException as error:
        text = without_capital(error.format_message())
        # Only errors in options carry the command's context.
        context = getattr(error, "ctx", None)
        if context:
            text += f" Hint: {context.command_path} --help"
        _leave(error_lines(text), 2)
    except UserError as error:
        _leave(error_lines(str(error)), 2)
    except HarnessError as error:
        _leave(error_lines(f"the harness failed, not the submission: {error}"), 3)
    except OSError as error:
        _leave(error_lines(_sentence_of(error)), 2)
    sys.exit(status if isinstance(status, int) else 0)


def _open_closed_streams() -> None:
    """Open each closed standard stream.

    Otherwise the next file that is opened would become that stream.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(number, mode, closefd=False))


def _interrupt_at_signals() -> None:
    """Make SIGTERM, and the closing of the terminal, interrupt a command as Ctrl-C does.

    The command then reports finished work and ends its processes. Signals that are ignored (nohup)
    stay ignored.
    """
    for name in ("SIGTERM", "SIGHUP"):
        signum = getattr(signal, name, None)
        if signum is not None and signal.getsignal(signum) is signal.SIG_DFL:
            signal.signal(signum, signal.default_int_handler)


def _sentence_of(error: OSError) -> str:
    """Return a sentence for an OSError: place, cause and a hint if there is one."""
    text = without_capital(error.strerror or str(error))
    if error.filename:
        text = f"{error.filename}: {text}"
    if error.errno in _HINTS:
        text += f". Hint: {_HINTS[error.errno]}"
    return text


def _leave(said: str, status: int) -> NoReturn:
    sys.stderr.write(said)
    sys.stderr.flush()
    if status == 2:
        try:
            sys.stdout.flush()
        except OSError:  # a second attempt at exit would print a traceback
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


class _IgnoringEpipe(io.FileIO):
    """Discards output once its reader is gone, so that `harness grade … | head` still grades
    everything.
    """

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(data)  # type: ignore[arg-type]


def _ignoring_epipe(stream: TextIO) -> TextIO:
    """Return the stream wrapped so that a closed pipe is not an error.

    Characters that its encoding cannot represent are written as escapes. A stream that is not a
    real file stays unchanged.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_IgnoringEpipe(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
