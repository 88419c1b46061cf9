"""Finds the Python version that an assignment names, also outside PATH, and installs the
assignment's packages.

pip installs the packages once into a folder, only from wheels, so that no code of a package runs
during installation. The wheels' digests are stored beside them. The folder is added to `sys.path`;
submissions can read it but not change it.
"""

import ast
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from hashlib import sha256
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
    """A Python interpreter whose version was found by running it.

    `build` distinguishes two builds of one version. `exact` tells whether it has the requested
    version; otherwise `notice` is a one-line warning.
    """

    path: Path
    version: str
    build: str
    exact: bool = True
    notice: str = ""
    library: Path | None = None  # a further directory of modules: the packages of an assignment

    @property
    def more_modules(self) -> list[str]:
        """Return further entries for this interpreter's `sys.path`."""
        return [str(self.library)] if self.library else []


def find_interpreter(wanted: str, executable: Path | None = None) -> Interpreter:
    """Return the interpreter for `wanted` ("3.12").

    That is `executable` if given, otherwise one of that version from the usual places, otherwise
    the nearest version (a newer one before an older one). Raise UserError if none from 3.11 on
    exists, or if `executable` is not a Python.
    """
    parts = wanted.split(".")
    try:
        version = int(parts[0]), int(parts[1])
    except (ValueError, IndexError):
        raise UserError(f"{wanted!r} is not a Python version.", hint='write "3.12".') from None
    if executable is not None:
        if (asked := _ask(executable)) is None:
            raise UserError(
                f"{executable} is not a Python {_dotted(OLDEST)} or newer.",
                hint="give --python the path of an interpreter.",
            )
        return _compared(asked, version, "is the assignment's version")
    for place in _places(_dotted(version)):
        if (found := _ask(place)) is not None and _numbers(found)[:2] == version:
            return found
    others = [other for place in _places("3.*") if (other := _ask(place)) is not None]
    if not others:
        raise UserError(
            f"found no Python {wanted}, and no other from {_dotted(OLDEST)} on.",
            hint=f"install Python {wanted} (pyenv, uv or a package), or give --python.",
        )

    def distance(other: Interpreter) -> tuple[bool, int, int]:
        major, minor, micro = _numbers(other)
        newer_by = minor - version[1] + 100 * (major - version[0])
        return newer_by < 0, abs(newer_by), -micro

    return _compared(min(others, key=distance), version, "was not found")


def _compared(interpreter: Interpreter, wanted: tuple[int, int], why: str) -> Interpreter:
    """Return the interpreter, with a notice if its version differs from the wanted one."""
    if _numbers(interpreter)[:2] == wanted:
        return interpreter
    notice = (
        f"Python {_dotted(wanted)} {why}: using {interpreter.version} ({interpreter.path}) "
        "instead. Marks may differ from those with the assignment's version."
    )
    return replace(interpreter, exact=False, notice=notice)


def _numbers(interpreter: Interpreter) -> tuple[int, ...]:
    return tuple(int(part) for part in interpreter.version.split("."))


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)


def _ask(place: Path) -> Interpreter | None:
    """Run a possible Python; return what it reports about itself, because a shim may start another
    one. Return None if it is not a Python.
    """
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
    """Yield possible places of this version ("3.12", or any: "3.*"), the likeliest first."""
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
    yielded = {Path(sys.executable).resolve()}
    for folder in (*on_path, *fixed, *sorted(Path("/opt").glob("*/bin"))):
        if folder.name == "shims" and "*" in version:  # pyenv's: to the folders above, slowly
            continue
        for place in _matching(folder, f"python{version}"):
            if place.name[8:].isdigit() and (real := place.resolve()) not in yielded:
                yielded.add(real)
                yield place


def _matching(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:  # somebody else's home
        return []


def _by_number(folder: Path) -> list[int]:
    numbers = folder.name.removeprefix("cpython-").split("-")[0].split(".")
    return [int(number) if number.isdigit() else -1 for number in numbers]


_OPTIONS = (
    *("--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--quiet"),
    *("--retries", "1", "--timeout", "20"),
)
_YANKED = re.compile(r"yanked version: '([^']+)'")
_NO_PIP = "No module named pip"
_PATIENCE = 600.0  # seconds for all downloads
_REPORT = "installed.json"  # beside the packages: pip's report of its installations
_AT_EVERY_START = frozenset({"sitecustomize", "usercustomize"})
_NOT_THERE = re.compile(r"No matching distribution found for (\S+)")
_OFFLINE = ("NewConnectionError", "ConnectTimeoutError", "NameResolutionError", "ProxyError")


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledPackages:
    """Installed packages: a folder for `sys.path`, and the names of the modules that an
    assignment's packages provide.
    """

    folder: Path
    modules: tuple[str, ...]

    def added_to(self, interpreter: Interpreter, packages: Sequence[str]) -> Interpreter:
        """Return the interpreter with the folder of these packages as its further library."""
        build = f"{interpreter.build} with {' '.join(packages)}"
        return replace(interpreter, build=build, library=self.folder)


def install(
    packages: Sequence[str], interpreter: Interpreter, cache: Path, tell: Callable[[str], None]
) -> InstalledPackages:
    """Install packages such as `emoji==2.14.0` below the folder `cache`; call `tell` with each.

    Raise UserError if one is not available or not acceptable for a course.
    """
    folder = _folder(packages, interpreter, cache)
    changed = is_installed(packages, interpreter, cache) and not _is_whole(folder)
    if changed:
        shutil.rmtree(folder)
    if not is_installed(packages, interpreter, cache):
        again = " again: files changed" * changed
        tell(f"installing {', '.join(packages)} for Python {interpreter.version}{again}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            _install(packages, interpreter, Path(made))
            # A rename is atomic. If another run was faster, its folder is the same.
            if not folder.exists():
                Path(made).replace(folder)
                Path(made).mkdir()
    return InstalledPackages(folder=folder, modules=_modules(packages, folder))


def is_installed(packages: Sequence[str], interpreter: Interpreter, cache: Path) -> bool:
    """Return whether all packages are already below the folder `cache`."""
    return (_folder(packages, interpreter, cache) / _REPORT).is_file()


def _folder(packages: Sequence[str], interpreter: Interpreter, cache: Path) -> Path:
    name = sha256("\0".join((interpreter.build, *packages)).encode()).hexdigest()[:32]
    return cache / "packages" / name


def _is_whole(folder: Path) -> bool:
    """Return whether the installed files are the same as in their wheels."""
    from importlib import metadata  # noqa: PLC0415

    for found in metadata.distributions(path=[str(folder)]):
        # Not `found.files`, which since Python 3.12 leaves out missing files.
        for name, digest, _ in csv.reader((found.read_text("RECORD") or "").splitlines()):
            if not digest.startswith("sha256="):
                continue
            path = folder / name
            if path.relative_to(folder).parts[0] in {"..", "bin"}:
                continue
            if not path.is_file():
                return False
            found_digest = urlsafe_b64encode(sha256(path.read_bytes()).digest()).decode()
            if digest != f"sha256={found_digest.rstrip('=')}":
                return False
    return True


def installed_here(packages: Sequence[str]) -> InstalledPackages | None:
    """Return these packages from the running Python; None if `packages` is empty.

    Raise UserError if one is missing.
    """
    if not packages:
        return None
    from importlib import metadata  # noqa: PLC0415  (it takes time, and few assignments need it)

    folders: set[Path] = set()
    for package in packages:
        name, _, version = package.partition("==")
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            found = None
        if found is None or found.version != version:
            have = f"version {found.version} is installed" if found else "it is not installed"
            raise UserError(
                f"this assignment needs {package}: {have}",
                hint=f"{Path(sys.executable).name} -m pip install {package}",
            )
        folders.add(Path(str(found.locate_file(""))))
    if len(folders) > 1:
        raise UserError(
            f"{', '.join(packages)} are installed in different folders",
            hint="install all of them again, in one environment",
        )
    folder = folders.pop()
    return InstalledPackages(folder=folder, modules=_modules(packages, folder))


def _install(packages: Sequence[str], interpreter: Interpreter, folder: Path) -> None:
    options = (*_OPTIONS, "--target", str(folder), "--report", str(folder / _REPORT), *packages)
    its_pip = [str(interpreter.path), "-I", "-m", "pip"]
    our_pip = [sys.executable, "-P", "-m", "pip"]  # not what lies in the current folder
    said = ""
    for pip in (its_pip, [*our_pip, "--python", str(interpreter.path)]):
        try:
            done = subprocess.run(
                [*pip, "install", *options],
                capture_output=True,
                text=True,
                timeout=_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            late = f"pip took longer than {_PATIENCE:.0f} s"
            raise _cannot(packages, late, "try again") from None
        if done.returncode == 0:
            break
        said = said if _NO_PIP in done.stderr else done.stderr
    else:
        raise _cannot(packages, *_why(said, interpreter))
    if yanked := _YANKED.search(done.stderr):
        raise _cannot(
            packages, f"{yanked[1]} was withdrawn by its authors", "choose another version"
        )
    shutil.rmtree(folder / "bin", ignore_errors=True)  # a command could be called python
    for module in _AT_EVERY_START & _module_names(path.name for path in folder.iterdir()):
        brings = f"one of them contains {module}, which Python runs at every start"
        raise _cannot(packages, brings, "choose another package")
    folder.chmod(0o755)
    if os.name == "posix":  # Windows would not remove them again
        for path in folder.rglob("*"):  # programs may run as another user
            path.chmod(0o755 if path.is_dir() else 0o444)


def _cannot(packages: Sequence[str], why: str, hint: str) -> UserError:
    return UserError(f"packages: {', '.join(packages)} cannot be installed: {why}", hint=hint)


def _why(said: str, interpreter: Interpreter) -> tuple[str, str]:
    """Return the reason for a failure, from pip's output, and the advice for the user."""
    if any(word in said for word in _OFFLINE):
        return "no package index answers", "grade once while you are online; the packages are kept"
    if not said:
        hint = f"{interpreter.path} -m ensurepip, or --python with another Python"
        return f"Python {interpreter.version} has no pip", hint
    if "ResolutionImpossible" in said:
        return (
            "they need different versions of the same package",
            "name versions that work together",
        )
    if (missing := _NOT_THERE.search(said)) is not None:
        hint = (
            "correct the name and version; a package must have a wheel, because nothing is compiled"
        )
        return f"{missing[1]} has no wheel for Python {interpreter.version}", hint
    last = next((line for line in reversed(said.splitlines()) if line.startswith("ERROR")), "")
    return last.removeprefix("ERROR: ")[:300] or "pip failed", "run pip install by hand to see why"


def _modules(packages: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Return the modules that the named packages provide, without their dependencies."""
    from importlib import metadata  # noqa: PLC0415

    names = {_plain_name(package.partition("==")[0]) for package in packages}
    files = [
        file
        for found in metadata.distributions(path=[str(folder)])
        if _plain_name(found.metadata["Name"]) in names
        for file in found.files or ()
    ]
    tops = {file.parts[0] for file in files if file.suffix in {".py", ".so", ".pyd"}}
    return tuple(sorted(_module_names(tops)))


def _module_names(names: Iterable[str]) -> set[str]:
    return {top for name in names if (top := name.partition(".")[0]).isidentifier()}


def _plain_name(name: str) -> str:
    """Return the package's name in the form that package indexes compare, such as `my-package` for
    `My_Package`.
    """
    return re.sub(r"[-_.]+", "-", name).lower()
