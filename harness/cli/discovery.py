"""Finds the commands: each is one file of `harness.cli.commands`.

A command file defines

- `SECTION`: one of `SECTIONS`, the headings of `harness --help`,
- `SUMMARY`: its line there; both on one line in double quotes, for a pattern finds them,
- `command`: the click command, whose `epilog` is `examples(…)`.

The list is read from the files' text, because importing all commands takes ten times as long as
printing the help. Only the command that is called is imported.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import re
from dataclasses import dataclass
from pathlib import Path

import click

import harness.cli.commands as package
from harness.common.errors import UserError

SECTIONS = ("Grading", "Results", "Assignments", "Publishing", "This machine")
_CONSTANT = re.compile(r"^(SECTION|SUMMARY) = (\".*\")$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """How a command is listed."""

    name: str
    section: str
    summary: str


def examples(first: str, second: str) -> str:
    """The end of a command's help: two command lines that work unchanged."""
    return f"\b\nExamples:\n  {first}\n  {second}"


def listings() -> tuple[Listing, ...]:
    """All commands: by section, then by name. A section that is not in SECTIONS comes last."""
    entries = [
        _listing(path)
        for folder in package.__path__
        for path in Path(folder).glob("*.py")
        if path.stem != "__init__"
    ]
    order = {section: place for place, section in enumerate(SECTIONS)}
    entries.sort(key=lambda each: (order.get(each.section, len(order)), each.section, each.name))
    return tuple(entries)


def _listing(path: Path) -> Listing:
    constants = {
        name: ast.literal_eval(text)
        for name, text in _CONSTANT.findall(path.read_text(encoding="utf-8"))
    }
    return Listing(
        name=path.stem.replace("_", "-"), section=constants["SECTION"], summary=constants["SUMMARY"]
    )


class CommandGroup(click.Group):
    """The commands of the package, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return [each.name for each in listings()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command; None when there is none of this name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = f"{package.__name__}.{cmd_name.replace('-', '_')}"
        command: click.Command = importlib.import_module(module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, but an unknown name is a UserError with a suggestion."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            close = difflib.get_close_matches(args[0], names, n=1)
            hint = f"did you mean {close[0]}?" if close else "harness --help lists the commands"
            raise UserError(f"there is no command {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a list of commands for each section."""
        entries = listings()
        width = max(len(each.name) for each in entries)
        for section in dict.fromkeys(each.section for each in entries):
            rows = [(f"{e.name:{width}}", e.summary) for e in entries if e.section == section]
            with formatter.section(section):
                formatter.write_dl(rows)
