"""`harness doctor`: what this machine can do, and how to get what it cannot."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from harness.execution import choose_tier, find_interpreter, mends


@click.command("doctor")
@click.option(
    "--python",
    "wanted",
    default="3.12",
    show_default=True,
    metavar="VERSION",
    help="The version to look for.",
)
def command(wanted: str) -> int:
    """Find the interpreter, try every forbidden act, and say what would make it better."""
    console = Console()
    interpreter = find_interpreter(wanted)
    console.print(f"Python {wanted}: {escape(str(interpreter.path))} ({interpreter.version})")
    if interpreter.notice:
        notice = escape(interpreter.notice)
        console.print(f"[bold red]NOTICE[/] {notice}", highlight=False, soft_wrap=True)
    choice = choose_tier(interpreter)
    console.print(f"tier: [bold]{choice.tier}[/]; input seen by {escape(choice.input_mechanism)}")
    table = Table("forbidden act", "prevented", "how it ended")
    for probe in choice.probes:
        table.add_row(
            escape(probe.name), "[green]yes" if probe.prevented else "[red]no", escape(probe.detail)
        )
    console.print(table)
    console.print(escape(choice.not_prevented))
    for line in mends(choice):
        console.print(f"[yellow]better:[/] {escape(line)}")
    return 0
