"""One virtual environment a peer, in a folder that git ignores, from the pins beside this file."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

PINS = Path(__file__).parent / "pins"


class InstallError(Exception):
    """A peer could not be installed: what was tried, and the last lines of the answer."""


def environment(python: Path, peer: str, folder: Path) -> Path:
    """The `bin` folder of the environment for pins/<peer>.txt, made when the pins have changed.

    `python` is the interpreter it is made from. Raises InstallError.
    """
    pins = (PINS / f"{peer}.txt").read_text(encoding="utf-8")
    home = folder / peer
    made = home / "made-from.txt"
    wanted = f"{python}\n{pins}"
    if not made.is_file() or made.read_text(encoding="utf-8") != wanted:
        shutil.rmtree(home, ignore_errors=True)
        _do(peer, [str(python), "-m", "venv", str(home)])
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        quiet = ["--disable-pip-version-check", "--no-input"]
        _do(peer, [*pip, *quiet, "-r", str(PINS / f"{peer}.txt")])
        made.write_text(wanted, encoding="utf-8")
    return home / "bin"


def version(peer: str, package: str) -> str:
    """The version that the pins name."""
    for line in (PINS / f"{peer}.txt").read_text(encoding="utf-8").splitlines():
        name, _, pinned = line.partition("==")
        if name == package:
            return pinned
    raise InstallError(f"{peer}: pins/{peer}.txt does not name {package}")


def _do(peer: str, command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise InstallError(f"{peer}: {' '.join(command)} failed:\n{last}")
