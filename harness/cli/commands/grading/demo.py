"""Grade a sample class of 30 students."""

import importlib.util
from pathlib import Path

import click
from rich.console import Console

from harness.api import grade, load_assignment
from harness.cli import options
from harness.cli.commands.results import similarity
from harness.cli.printing import print_result
from harness.cli.progress import listener
from harness.common.errors import UserError
from harness.common.extras import install_command
from harness.common.files import write_bytes
from harness.intake.terms import ClassOptions
from harness.model.observation import Tier
from harness.packaging.demo import DOWNLOAD, DUE, ID, demo_files
from harness.reporting.terminal.tables import summary_table


@options.click_command("demo", "harness demo", "harness demo elsewhere")
@click.argument("folder", type=options.FOLDER, default=Path("harness-demo"))
@options.python
def command(folder: Path, python: Path | None) -> int:
    """Write a sample course with the download of 30 students into FOLDER (default: harness-demo),
    grade it and compare its programs.

    The students and their programs are invented. FOLDER must be empty or must not exist. The
    command uses no network.
    """
    if folder.is_dir() and any(folder.iterdir()):
        hint = "name another folder, or remove it"
        raise UserError("the folder is not empty", place=str(folder), hint=hint)
    for name, data in demo_files().items():
        write_bytes(folder / name, data)
    assignment, report = load_assignment(folder, ID), folder / "reports" / ID
    with listener(Console(stderr=True)) as show:
        run = grade(
            assignment,
            [folder / DOWNLOAD],
            report,
            python=python,
            require_tier=Tier.PORTABLE,  # the sample programs are trusted
            asked=ClassOptions(due=DUE),
            listener=show,
        )
    print_result(summary_table(run, assignment.plan))
    similarity.compare(report, folder, python)
    click.echo(f"Open {report / 'index.html'} in a browser.")
    click.echo(f"Mark style by hand: harness review {report}")
    if importlib.util.find_spec("waitress") is None:
        click.echo(f"Before that, install the page's packages: {install_command('review')}")
    click.echo(f"Grade again: cd {folder}; harness grade {DOWNLOAD} --due {DUE}")
    return 0
