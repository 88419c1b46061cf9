"""Handouts made by the command, and what is in them."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.tiny_course import PATIENCE, Course, environment, ran

ROOT = Path(__file__).parent.parent.parent
IDS = ("comp1005-a3", "connect4ish", "cs112-p4", "naughts-crosses")


def handed_out(root: Path, assignment_id: str, path: Path) -> bytes:
    """The archive that `harness handout` makes."""
    Course(root).ok("handout", assignment_id, "-o", path)
    return path.read_bytes()


def packed(archive: bytes) -> dict[str, bytes]:
    """The files of a zip by name."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def laid_out(files: dict[str, bytes], folder: Path) -> Path:
    """The folder with these files in it."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return folder


def run_selfcheck(
    python: Path, *command: str | Path, cwd: Path, before: tuple[Path, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run `command` under a Python without anything that was ever installed for it."""
    return ran(
        [python, "-I", "-S", *before, *command], cwd=cwd, env=environment(), timeout=PATIENCE * 3
    )


HOST = Path(sys.executable)
