"""Show this machine's Python versions and confinement."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from harness.assignment.loading import CACHE, available, find_root, packages_of
from harness.cli import options
from harness.common.errors import UserError
from harness.execution import (
    TierTrial,
    find_interpreter,
    is_installed,
    remedies,
    try_together,
)
from harness.grading.machine import try_tier
from harness.intake.platforms import known_layouts
from harness.judging.explain.rules import registered_rules
from harness.matchers.kinds import matcher_keys
from harness.model.observation import Tier
from harness.policy.rules import policy_rules
from harness.reporting.export import exporters
from harness.stimuli import stimulus_kinds


@options.click_command("doctor", "harness doctor", "harness doctor --python 3.13 -v")
@options.option(
    "--python", "wanted", "The Python version to look for.", default="3.12", metavar="VERSION"
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="List every forbidden act with its result in each tier, and all extensions.",
)
def command(wanted: str, verbose: bool) -> int:
    """Find the Python interpreter, test what each tier prevents, and suggest improvements."""
    console = Console(highlight=False, soft_wrap=True)
    interpreter = find_interpreter(wanted)
    console.print(f"Python {wanted}: {escape(str(interpreter.path))} ({interpreter.version})")
    if interpreter.notice:
        console.print(f"[bold red]notice:[/] {escape(interpreter.notice)}")
    trials = [try_tier(interpreter, tier) for tier in Tier]
    used = next((trial for trial in trials if not trial.shortcoming), None)
    for trial in trials:
        console.print(f"tier {trial.tier}: {_in_short(trial, is_used=trial is used)}")
    if used is not None:
        why = try_together(interpreter, used.tier)
        can = "yes"
        if why:
            can = f"[red]no[/], {escape(why)}: each has its own process, which is slower"
        console.print(f"scenarios may share a process: {can}")
    with suppress(UserError):  # this folder does not belong to a course
        root = find_root(Path.cwd())
        for name in available(root):
            if packages := packages_of(root, name):
                there = is_installed(packages, interpreter, root / CACHE)
                state = "installed" if there else "not installed yet: the first run installs them"
                console.print(escape(f"packages of {name}: {', '.join(packages)} ({state})"))
    for line in remedies(trials):
        console.print(f"[yellow]better:[/] {escape(line)}")
    if verbose:
        console.print(_table(trials))
        if used is not None:
            console.print(f"not prevented: {escape(used.not_prevented)}")
        for line in _places_taken():
            console.print(escape(line))
    return 0


def _places_taken() -> Iterator[str]:
    """Yield a line for each kind of extension with the names and places in use, for authors of new
    extensions.
    """
    yield f"matchers: {', '.join(matcher_keys())}"
    yield f"formats of export: {', '.join(exporters())}"
    for what, group in groupby(_places(), key=itemgetter(0)):
        places = [f"{place} {name}" for _, place, name in group]
        yield f"{what}: {', '.join(places)}"


def _places() -> Iterator[tuple[str, int, str]]:
    """Yield (kind, place, name) of each extension that has a place in an order."""
    for layout in known_layouts():
        yield "layouts", layout.order, layout.name
    for key, kind in stimulus_kinds().items():
        yield "stimulus kinds", kind.order, key
    for rule in policy_rules():
        yield "policy rules", rule.order, rule.kind.name
    for explanation in registered_rules():
        what = f"explanation rules, Stage.{explanation.stage.name}"
        yield what, explanation.place, explanation.name


def _in_short(trial: TierTrial, *, is_used: bool) -> str:
    if trial.shortcoming:
        return f"[red]not here[/], {escape(trial.shortcoming)}"
    prevented = sum(probe.prevented for probe in trial.probes)
    what = f"{prevented} of {len(trial.probes)} forbidden acts prevented"
    if not is_used:
        return what
    return f"[bold]used[/], {what}, input seen by {escape(trial.input_mechanism)}"


def _table(trials: list[TierTrial]) -> Table:
    table = Table("forbidden act", *(str(trial.tier) for trial in trials))
    words = {True: "[green]prevented", False: "[red]possible"}
    columns = [_by_name(trial) for trial in trials]
    names = dict.fromkeys(chain.from_iterable(columns))
    for name in names:
        cells = []
        for prevented in columns:
            cells.append(words[prevented[name]] if name in prevented else "not tried")
        table.add_row(escape(name), *cells)
    return table


def _by_name(trial: TierTrial) -> dict[str, bool]:
    return {probe.name: probe.prevented for probe in trial.probes}
