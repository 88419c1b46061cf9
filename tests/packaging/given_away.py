"""Handouts made by the command, and what is in them."""

import io
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from harness.common import serial
from harness.model.expectation import AnswerKey
from harness.model.plan import Plan
from tests.tiny_course import PATIENCE, Course, Outcome, environment, ran

IDS = ("comp1005-a3", "connect4ish", "cs112-p4", "naughts-crosses")
Handout = Callable[[str], dict[str, bytes]]
Check = Callable[..., Outcome]


def handed_out(root: Path, assignment_id: str, path: Path) -> bytes:
    Course(root).ok("handout", assignment_id, "-o", path)
    return path.read_bytes()


def packed(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def of_program(archive: bytes) -> tuple[Plan, AnswerKey]:
    """What a program in one file is packed with."""
    files = packed(archive)
    plan = serial.loads(Plan, files["harness/packaging/plan.json"])
    return plan, serial.loads(AnswerKey, files["harness/packaging/key.json"])


def telling(files: Mapping[str, bytes]) -> list[str]:
    """The files with a word of the tiny course's hidden scenarios; the harness's own may."""
    hidden = (b"4711", b"Xanthippe", b"nothing at all", b"every length", b"another limit")
    return [
        name
        for name, data in files.items()
        if not (name.startswith("harness/") and name.endswith((".py", ".pyc")))
        if any(word in data for word in hidden)
    ]


def run_selfcheck(
    python: Path, *command: str | Path, cwd: Path, before: tuple[Path, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run `command` under a Python without anything that was ever installed for it."""
    return ran(
        [python, "-I", "-S", *before, *command], cwd=cwd, env=environment(), timeout=PATIENCE * 3
    )


HOST = Path(sys.executable)
