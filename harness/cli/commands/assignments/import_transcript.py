"""Turn transcripts of a program into scenarios."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.cli import options
from harness.cli.printing import without_marks
from harness.common.errors import UserError
from harness.common.escaping import visible
from harness.common.words import counted
from harness.study.transcripts import import_transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class _ImportTranscriptOptions:
    """The options: the file for the scenarios, and how the reference is run."""

    target: Annotated[
        Path,
        options.option(
            "--to",
            "target",
            "The YAML file in specs/<id> to add the scenarios to.",
            required=True,
            type=options.FILE,
        ),
    ]
    program: Annotated[
        str,
        options.option(
            "--program", "The file to run (default: the first submitted file).", default=""
        ),
    ]
    constants: Annotated[dict[str, str], options.constants]
    clauses: Annotated[
        tuple[str, ...],
        options.option(
            "--clause",
            "clauses",
            "A clause that the scenarios test. Can be repeated.",
            multiple=True,
        ),
    ]
    python: Annotated[Path | None, options.python]


@options.click_command(
    "import-transcript",
    "harness import-transcript game.txt --to specs/connect4ish/gameplay.yaml",
    "harness import-transcript four.txt --to specs/connect4ish/main.yaml --set BOARD_SIZE=4",
)
@click.argument("transcripts", nargs=-1, required=True, type=options.PATH, metavar="FILE…")
@options.options_of("chosen", _ImportTranscriptOptions)
def command(transcripts: tuple[Path, ...], chosen: _ImportTranscriptOptions) -> int:
    """Turn each FILE, the transcript of a terminal session, into a scenario of a YAML file.

    The command runs the reference to tell prompts from typed lines. If the reference's output
    differs from the transcript, the command shows the line and adds nothing. If `marks:` of the
    other files already give out all marks, the new scenario is informational: it has no points.
    """
    target = chosen.target
    if target.resolve().parent.parent.name != "specs" or target.suffix != ".yaml":
        what = "not a scenario file of an assignment"
        raise UserError(what, place=str(target), hint="specs/<id>/NAME.yaml")
    for path in transcripts:
        added = import_transcript(
            path,
            target,
            program=chosen.program,
            constants=chosen.constants,
            clauses=chosen.clauses,
            python=chosen.python,
        )
        inputs = counted(added.inputs, "input")
        click.echo(f"{visible(str(path))}: scenario {added.name!r} with {inputs}")
        if not added.counts:
            click.echo(without_marks(target))
    return 0
