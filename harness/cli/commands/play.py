"""Play a program as a student would, and record it."""

import os
import sys
from pathlib import Path

import click

from harness.assignment.loading import CACHE
from harness.cli import options
from harness.cli.printing import without_marks
from harness.common.errors import UserError
from harness.common.words import counted
from harness.execution import attach_terminal

SECTION = "Assignments"

_ATTACHED = "HARNESS_PLAY_ATTACHED"  # set for the process on the other side of `interact`
_INTERRUPTED = 130


@options.click_command(
    "play",
    "harness play connect4ish --set BOARD_SIZE=4",
    'harness play connect4ish --record "a win by a removal"',
)
@click.argument("assignment_id", metavar="ID")
@options.option(
    "--submission", "The submission to play (default: the reference).", type=options.PATH
)
@options.option(
    "--run", "program", "The program to run, where several are handed in.", metavar="FILE"
)
@options.constants
@options.option("--record", "name", "Add what is typed as a scenario of this name.", metavar="NAME")
@options.several(options.root, options.python)
def command(
    assignment_id: str,
    submission: Path | None,
    program: str | None,
    constants: dict[str, str],
    name: str | None,
    root: Path | None,
    python: Path | None,
) -> int:
    """Run the assignment's program on this terminal, under the confinement of a grading run.

    A recorded game becomes a scenario in specs/ID/recorded.yaml, with the reference's transcript of
    what was typed below specs/ID/gameplay. Ctrl-C ends the game; what was typed until then is
    recorded as well, as is a game whose terminal is closed.

    Exit status: 0 played to the end, 2 cannot run, 130 interrupted.
    """
    if not sys.stdin.isatty():
        raise UserError("play needs a terminal", hint="grade and check need none")
    if _ATTACHED not in os.environ:
        os.environ[_ATTACHED] = "1"
        code = "import sys; from harness.cli import main; sys.exit(main())"
        # -P: the current folder may be a submission's, whose modules are not ours.
        return attach_terminal([sys.executable, "-P", "-c", code, *sys.argv[1:]])
    # Only on this side of the terminal: it takes a while to load.
    from harness.study.transcripts import RECORDED, check_name, play, record  # noqa: PLC0415

    base = options.the_root(root)
    if name is not None:
        check_name(base, assignment_id, name)
    played = play(
        base,
        assignment_id,
        program=program or "",
        submission=submission,
        constants=constants,
        python=python,
        cache=base / CACHE,
    )
    if name is not None:
        target = base / "specs" / assignment_id / RECORDED
        counts = record(target, name, played, constants)
        inputs = counted(len(played.typed), "input")
        until = " until it was interrupted" if played.interrupted else ""
        _say(f"recorded{until}: {name!r} with {inputs} in {target}")
        if not counts:
            _say(without_marks(target))
    elif played.interrupted:
        _say("interrupted")
    return _INTERRUPTED if played.interrupted else 0


def _say(text: str) -> None:
    try:
        click.echo(text)
    except OSError:  # the terminal was closed
        os.close(1)
        os.open(os.devnull, os.O_WRONLY)
