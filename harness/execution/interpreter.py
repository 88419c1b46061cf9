"""Finds the Python that an assignment names, also where PATH does not lead."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from harness.common.errors import UserError

OLDEST = (3, 11)
_ASK = (
    "import sys, sysconfig; print(ascii(["
    "sys.implementation.name, list(sys.version_info[:3]), sys.version,"
    " sysconfig.get_platform(), getattr(sys, '_base_executable', sys.executable)]))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A Python that was run and told its version. `build` tells two builds of a version apart;
    `exact` when it is the version asked for, otherwise `notice` says so in one loud line."""

    path: Path
    version: str
    build: str
    exact: bool = True
    notice: str = ""
    library: Path | None = None  # a further directory of modules: the packages of an assignment

    @property
    def more_modules(self) -> list[str]:
        """What its `sys.path` gets in addition."""
        return [str(self.library)] if self.library else []


def find_interpreter(wanted: str, executable: Path | None = None) -> Interpreter:
    """The interpreter for `wanted` ("3.12"): `executable` if given, else one of that version
    from the usual places, else the nearest version (a newer one before an older one).

    UserError when there is none from 3.11 on, or `executable` is none.
    """
    parts = wanted.split(".")
    try:
        version = int(parts[0]), int(parts[1])
    except (ValueError, IndexError):
        raise UserError(f"{wanted!r} is not a Python version.", hint='write "3.12".') from None
    if executable is not None:
        asked = _ask(executable)
        if asked is None:
            raise UserError(
                f"{executable} is not a Python {_dotted(OLDEST)} or newer.",
                hint="give --python the path of an interpreter.",
            )
        return _compared(asked, version, "is what the assignment names")
    for place in _places(_dotted(version)):
        interpreter = _ask(place)
        if interpreter is not None and _numbers(interpreter)[:2] == version:
            return interpreter
    others = [other for place in _places("3.*") if (other := _ask(place)) is not None]
    if not others:
        raise UserError(
            f"no Python {wanted} was found, and none from {_dotted(OLDEST)} on.",
            hint=f"install Python {wanted} (pyenv, uv or a package), or give --python.",
        )

    def distance(other: Interpreter) -> tuple[bool, int, int]:
        major, minor, micro = _numbers(other)
        newer_by = minor - version[1] + 100 * (major - version[0])
        return newer_by < 0, abs(newer_by), -micro

    return _compared(min(others, key=distance), version, "was not found")


def _compared(interpreter: Interpreter, wanted: tuple[int, int], why: str) -> Interpreter:
    """The interpreter, with a notice where its version is another than the wanted one."""
    if _numbers(interpreter)[:2] == wanted:
        return interpreter
    notice = (
        f"Python {_dotted(wanted)} {why}: running under {interpreter.version} "
        f"({interpreter.path}) instead. "
        "Marks may differ from those of the version that the assignment names."
    )
    return replace(interpreter, exact=False, notice=notice)


def _numbers(interpreter: Interpreter) -> tuple[int, ...]:
    return tuple(int(part) for part in interpreter.version.split("."))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)


def _ask(place: Path) -> Interpreter | None:
    """Run a candidate: only what it says of itself counts (a shim says where it leads)."""
    try:
        done = subprocess.run(
            [place, "-I", "-S", "-c", _ASK], capture_output=True, timeout=20, check=False
        )
        name, version, text, platform, path = ast.literal_eval(done.stdout.decode("ascii"))
    except (OSError, ValueError, TypeError, SyntaxError, subprocess.SubprocessError):
        return None
    if done.returncode != 0 or name != "cpython" or tuple(version) < OLDEST:
        return None
    build = " ".join(f"{name} {text} {platform}".split())
    return Interpreter(path=Path(path).resolve(), version=_dotted(tuple(version)), build=build)


def _places(version: str) -> Iterator[Path]:
    """Where this version ("3.12", or any: "3.*") may be, the likeliest first."""
    if fnmatch(_dotted(sys.version_info[:2]), version):
        yield Path(sys.executable)
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv"))
    data = Path(os.environ.get("XDG_DATA_HOME", home / ".local" / "share"))
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR", data / "uv" / "python"))
    for root, pattern in ((pyenv / "versions", f"{version}.*"), (uv, f"cpython-{version}.*")):
        for folder in sorted(_matching(root, pattern), key=_by_number, reverse=True):
            yield folder / "bin" / "python3"
    on_path = [Path(part) for part in os.environ.get("PATH", "").split(os.pathsep) if part]
    fixed = [Path("/usr/bin"), Path("/usr/local/bin"), Path("/opt/homebrew/bin")]
    seen = {Path(sys.executable).resolve()}
    for folder in (*on_path, *fixed, *sorted(Path("/opt").glob("*/bin"))):
        if folder.name == "shims" and "*" in version:  # pyenv's: to the folders above, slowly
            continue
        for place in _matching(folder, f"python{version}"):
            if place.name[8:].isdigit() and (real := place.resolve()) not in seen:
                seen.add(real)
                yield place


def _matching(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:  # somebody else's home
        return []


def _by_number(folder: Path) -> list[int]:
    numbers = folder.name.removeprefix("cpython-").split("-")[0].split(".")
    return [int(number) if number.isdigit() else -1 for number in numbers]
