"""Reads the table of idioms, and runs one as plain Python does: on a terminal, or with its input
piped in."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.execution import Interpreter
from harness.execution.protocol.jobs import INNER_ENVIRONMENT

TABLE = Path(__file__).with_name("idioms.txt")
LINES = ("one", "two", "3")
LAUNCHERS = ("strong", "standard", "portable", "pipes", "browser")
_LONGEST = 20.0  # seconds for one program


@dataclass(frozen=True, slots=True, kw_only=True)
class Idiom:
    """A program, and the launchers in which it is prevented from doing what it does."""

    name: str
    program: str
    folder: bool = False
    not_in: frozenset[str] = frozenset()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a person sees of a program: its screen, and its exit status."""

    screen: str
    status: int


def idioms() -> Iterator[Idiom]:
    """Yield every idiom of the table."""
    for part in TABLE.read_text(encoding="utf-8").split("\n=== ")[1:]:
        heading, _, program = part.partition("\n")
        name, *options = [text.strip() for text in heading.split(" | ")]
        tiers, reason = "", ""
        for option in options:
            if option.startswith("not in "):
                tiers, _, reason = option.removeprefix("not in ").partition(": ")
        yield Idiom(
            name=name,
            program=program + "\n",
            folder="folder" in options,
            not_in=frozenset(tiers.split()),
            reason=reason,
        )


def plain(interpreter: Interpreter, idiom: Idiom, folder: Path, *, piped: bool) -> Outcome:
    """Run the program by Python itself, without anything of ours."""
    path = folder / "a1.py"
    path.write_text(idiom.program, encoding="utf-8")
    ours, theirs = pty.openpty()
    _set_quiet(theirs)
    text = "".join(line + "\n" for line in LINES)
    stdin = subprocess.PIPE if piped else theirs
    process = subprocess.Popen(
        [str(interpreter.path), "-W", "ignore", "a1.py"],
        stdin=stdin,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env=INNER_ENVIRONMENT | {"PYTHONDONTWRITEBYTECODE": "1"},
        start_new_session=True,
    )
    os.close(theirs)
    if process.stdin is not None:
        process.stdin.write(text.encode())
        process.stdin.close()
    else:
        os.write(ours, text.encode() + b"\4\4")
    screen = _read_to_end(ours)
    os.close(ours)
    status = process.wait(_LONGEST)
    return Outcome(screen=screen, status=status)


def _set_quiet(terminal: int) -> None:
    """Neither echo what is typed nor change line ends, as the terminals of scenarios do."""
    settings = termios.tcgetattr(terminal)
    settings[1] &= ~termios.OPOST
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, settings)


def _read_to_end(terminal: int) -> str:
    data = b""
    while select.select([terminal], [], [], _LONGEST)[0]:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # nobody holds the other side any more
            break
        if not part:
            break
        data += part
    return data.decode("utf-8", "backslashreplace")
