"""Run a program as a student would, and record it."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.assignment.loading import CACHE
from harness.cli import options
from harness.cli.printing import without_marks
from harness.common.errors import UserError
from harness.common.words import counted
from harness.execution import attach_terminal

_ATTACHED = "HARNESS_PLAY_ATTACHED"  # environment variable set for the child process of `interact`
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlayOptions:
    """The options: which program to run, and whether to record the session."""

    submission: Annotated[
        Path | None,
        options.option(
            "--submission", "The submission to run (default: the reference).", type=options.PATH
        ),
    ]
    program: Annotated[
        str | None,
        options.option(
            "--run", "program", "Which program to run if there are several.", metavar="FILE"
        ),
    ]
    constants: Annotated[dict[str, str], options.constants]
    name: Annotated[
        str | None,
        options.option(
            "--record", "name", "Add the session as a scenario with this name.", metavar="NAME"
        ),
    ]
    root: Annotated[Path | None, options.root]
    python: Annotated[Path | None, options.python]


@options.click_command(
    "play",
    "harness play connect4ish --set BOARD_SIZE=4",
    'harness play connect4ish --record "a win by a removal"',
)
@click.argument("assignment_id", metavar="ID")
@options.options_of("chosen", _PlayOptions)
def command(assignment_id: str, chosen: _PlayOptions) -> int:
    """Run the assignment's program on this terminal, confined as in grading.

    With --record, the session becomes a scenario in specs/ID/recorded.yaml. Its transcript, in
    specs/ID/gameplay, shows the reference's output for the same input. Ctrl-C ends the session; the
    input until then is still recorded.

    Exit status: 0 played to the end, 2 cannot run, 130 interrupted.
    """
    if not sys.stdin.isatty():
        raise UserError(
            "play needs a terminal", hint="the commands grade and check need no terminal"
        )
    if _ATTACHED not in os.environ:
        os.environ[_ATTACHED] = "1"
        code = "import sys; from harness.cli import main; sys.exit(main())"
        # -P: do not import from the current folder, which may contain a submission.
        return attach_terminal([sys.executable, "-P", "-c", code, *sys.argv[1:]])
    # Imported only in this process, because it loads slowly.
    from harness.study.transcripts import RECORDED, check_name, play, record  # noqa: PLC0415

    base = options.the_root(chosen.root)
    name = chosen.name
    if name is not None:
        check_name(base, assignment_id, name)
    played = play(
        base,
        assignment_id,
        program=chosen.program or "",
        submission=chosen.submission,
        constants=chosen.constants,
        python=chosen.python,
        cache=base / CACHE,
    )
    if name is not None:
        target = base / "specs" / assignment_id / RECORDED
        counts = record(target, name, played, chosen.constants)
        inputs = counted(len(played.typed), "input")
        done = "recorded until the interruption" if played.interrupted else "recorded"
        _say(f"{done}: {name!r} with {inputs} in {target}")
        if not counts:
            _say(without_marks(target))
    elif played.interrupted:
        _say("interrupted")
    return _INTERRUPTED if played.interrupted else 0


def _say(text: str) -> None:
    try:
        click.echo(text)
    except OSError:  # the terminal window was closed
        os.close(1)
        os.open(os.devnull, os.O_WRONLY)
