"""Reads the table of idioms, and runs one as plain Python does: on a terminal, or with its input
piped in."""

import ast
import os
import pty
import select
import subprocess
import termios
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.execution import Interpreter
from harness.execution.protocol.jobs import INNER_ENVIRONMENT
from harness.model.observation import Ending, Observation

TABLE = Path(__file__).with_name("idioms.txt")
LINES = ("one", "two", "3")
LAUNCHERS = ("strong", "standard", "portable", "pipes", "browser", "test")
_LONGEST = 20.0  # seconds for one program
_QUIET = 1.0
_MAX_ENDS = 5
_TRACEBACK = "Traceback (most recent call last):\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prevented:
    """Where an idiom does not work, and why."""

    launchers: frozenset[str]
    reason: str
    only_typed: bool  # it works if its input is piped in


@dataclass(frozen=True, slots=True, kw_only=True)
class Idiom:
    """A program, and the launchers in which it is prevented from doing what it does."""

    name: str
    program: str
    folder: bool = False
    prevented: tuple[Prevented, ...] = ()

    def runs(self, launcher: str, *, piped: bool) -> bool:
        """Whether it does there what it does elsewhere."""
        return not any(
            launcher in each.launchers and not (piped and each.only_typed)
            for each in self.prevented
        )


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
        yield Idiom(
            name=name,
            program=program + "\n",
            folder="folder" in options,
            prevented=tuple(_prevented(each) for each in options if each != "folder"),
        )


def _prevented(option: str) -> Prevented:
    where, _, reason = option.partition(": ")
    launchers = where.removeprefix("typed ").removeprefix("not in ").split()
    assert set(launchers) <= set(LAUNCHERS), option
    only_typed = where.startswith("typed ")
    return Prevented(launchers=frozenset(launchers), reason=reason, only_typed=only_typed)


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
        with suppress(BrokenPipeError):  # it ended before it read
            process.stdin.write(text.encode())
            process.stdin.close()
    else:
        os.write(ours, text.encode() + b"\4\4")
    screen = _read_to_end(ours)
    os.close(ours)
    status = process.wait(_LONGEST)
    status = status if status >= 0 else 128 - status  # as a shell says it
    return Outcome(screen=screen.replace(f"{folder}/", ""), status=status)


def as_a_process(interpreter: Interpreter, idiom: Idiom, folder: Path) -> Outcome:
    """Run the program by Python itself, with pipes for all streams: what it writes to the first,
    and its exit status."""
    (folder / "a1.py").write_text(idiom.program, encoding="utf-8")
    done = subprocess.run(
        [str(interpreter.path), "-W", "ignore", "a1.py"],
        input="".join(line + "\n" for line in LINES),
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
        cwd=folder,
        env=INNER_ENVIRONMENT | {"PYTHONDONTWRITEBYTECODE": "1"},
        timeout=_LONGEST,
        check=False,
    )
    return Outcome(screen=done.stdout.replace(f"{folder}/", ""), status=done.returncode)


# Stands for a test that runs the program by `runpy`, with an input of its own and all output
# captured, without anything of ours. Writes down how that ended.
_RUN_PATH = """
import io, runpy, sys
captured = io.BytesIO()
sys.argv, sys.stdin = ["a1.py"], io.StringIO({text!r})
sys.stdout = kept = io.TextIOWrapper(captured, "utf-8", newline="", write_through=True)
sys.stderr = io.StringIO()
ended = 0
try:
    runpy.run_path("a1.py", run_name="__main__")
except SystemExit as error:
    ended = error.code
except BaseException as error:
    ended = type(error).__name__
with open("ended.txt", "w") as file:
    print(ascii((ended, captured.getvalue().decode())), file=file)
"""


def by_run_path(interpreter: Interpreter, idiom: Idiom, folder: Path) -> tuple[Any, str] | None:
    """Run the program by `runpy.run_path` in plain Python: its exit code or the name of its
    exception, and what it printed. None if it ended that process too, or the capture."""
    (folder / "a1.py").write_text(idiom.program, encoding="utf-8")
    text = "".join(line + "\n" for line in LINES)
    (folder / "test_a1.py").write_text(_RUN_PATH.format(text=text), encoding="utf-8")
    subprocess.run(
        [str(interpreter.path), "-W", "ignore", "test_a1.py"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=folder,
        env=INNER_ENVIRONMENT | {"PYTHONDONTWRITEBYTECODE": "1"},
        timeout=_LONGEST,
        check=False,
    )
    ended = folder / "ended.txt"
    if not ended.exists() or not ended.stat().st_size:
        return None
    code, printed = ast.literal_eval(ended.read_text())
    return code, printed.replace(f"{folder}/", "")


def _set_quiet(terminal: int) -> None:
    """Neither echo what is typed nor change line ends, as the terminals of scenarios do."""
    settings = termios.tcgetattr(terminal)
    settings[1] &= ~termios.OPOST
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, settings)


def _read_to_end(terminal: int) -> str:
    data = b""
    asked_again = 0
    while asked_again < _MAX_ENDS:
        if not select.select([terminal], [], [], _QUIET)[0]:
            os.write(terminal, b"\4")  # readline takes an end of input only while it reads
            asked_again += 1
            continue
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # nobody holds the other side any more
            break
        if not part:
            break
        data += part
    return data.decode("utf-8", "backslashreplace")


def difference(expected: Outcome, seen: Observation) -> str:
    """How a run differs from plain Python's, or "". An exception that is not caught is no text on
    the screen: then Python's own traceback must end with it."""
    screen = "".join(turn.printed for turn in seen.turns)
    raised = ""
    before, found, traceback = expected.screen.partition(_TRACEBACK)
    if seen.raised is not None and found and screen == before:
        raised = f"{seen.raised.type_name}: {seen.raised.message}".removesuffix(": ")
        screen += found + traceback if traceback.rstrip("\n").endswith(raised) else raised
    got = Outcome(screen=screen, status=-1 if seen.exit_status is None else seen.exit_status)
    if seen.ending is Ending.ANSWERED and got == expected:
        return ""
    return f"{seen.ending} {seen.detail} {seen.raised}: {got}, expected {expected}"


_HEADINGS = {
    "strong": "strong, standard",
    "portable": "portable",
    "pipes": "macOS, Windows",
    "browser": "browser",
    "test": "`subprocess` in a test",
}


def _cell(prevented: Prevented, launcher: str) -> str:
    if launcher in prevented.launchers:
        return "only piped in" if prevented.only_typed else "no"
    return "yes"


def page_rows() -> list[str]:
    """Return the table of the page `programs.md`: each reason with its idioms and launchers."""
    together: dict[Prevented, list[str]] = {}
    for idiom in idioms():
        for each in idiom.prevented:
            together.setdefault(each, []).append(f"`{idiom.name}`")
    rows = [
        f"| what | {' | '.join(_HEADINGS.values())} | why |",
        f"|---|{'---|' * len(_HEADINGS)}---|",
    ]
    for prevented, names in together.items():
        cells = [_cell(prevented, each) for each in _HEADINGS]
        what = ", ".join(names).replace("|", "\\|")
        rows.append(f"| {what} | {' | '.join(cells)} | {prevented.reason} |")
    return rows
