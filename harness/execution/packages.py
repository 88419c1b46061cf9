"""The packages that an assignment names, in a folder for its interpreter.

Made once by pip, from wheels alone, so that no code of a package runs while it is installed; the
digests of the wheels are kept beside them. Submissions may read the folder and change nothing in
it: it is a further directory of their interpreter's library.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from harness.common.errors import UserError
from harness.execution.interpreter import Interpreter

_OPTIONS = (
    *("--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--quiet"),
    *("--retries", "1", "--timeout", "20"),
)
_YANKED = "yanked version"
_NO_PIP = "No module named pip"
_PATIENCE = 600.0  # seconds for all downloads
_REPORT = "installed.json"  # beside the packages: pip's report of what it installed
_AT_EVERY_START = frozenset({"sitecustomize", "usercustomize"})
_NOT_THERE = re.compile(r"No matching distribution found for (\S+)")
_OFFLINE = ("NewConnectionError", "ConnectTimeoutError", "NameResolutionError", "ProxyError")


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """Packages that are there: the directory for `sys.path`, and the modules that the named ones
    provide."""

    folder: Path
    modules: tuple[str, ...]

    def added_to(self, interpreter: Interpreter, packages: Sequence[str]) -> Interpreter:
        """The interpreter with the packages, known from one without them, or with others."""
        build = f"{interpreter.build} with {' '.join(packages)}"
        return replace(interpreter, build=build, library=self.folder)


def install(
    packages: Sequence[str],
    interpreter: Interpreter,
    cache: Path,
    tell: Callable[[str], None],
) -> Library:
    """The packages, such as `emoji==2.14.0`, below the folder `cache`; `tell` hears what is
    installed. UserError where one of them cannot be had, or is none that a course should use."""
    folder = _folder(packages, interpreter, cache)
    if not is_installed(packages, interpreter, cache):
        tell(f"installing {', '.join(packages)} for Python {interpreter.version}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            _install(packages, interpreter, Path(made))
            # Whole or not at all; another run that was quicker has made the same.
            if not folder.exists():
                Path(made).replace(folder)
                Path(made).mkdir()
    return Library(folder=folder, modules=_modules(packages, folder))


def is_installed(packages: Sequence[str], interpreter: Interpreter, cache: Path) -> bool:
    """Whether they are there already, below the folder `cache`."""
    return (_folder(packages, interpreter, cache) / _REPORT).is_file()


def _folder(packages: Sequence[str], interpreter: Interpreter, cache: Path) -> Path:
    name = sha256("\0".join((interpreter.build, *packages)).encode()).hexdigest()[:32]
    return cache / "packages" / name


def installed_here(packages: Sequence[str]) -> Library | None:
    """The packages in the Python that runs this; None without any. UserError where one of them is
    not there in the version named."""
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
            hint="install all of them anew, in one environment",
        )
    folder = folders.pop()
    return Library(folder=folder, modules=_modules(packages, folder))


def _install(packages: Sequence[str], interpreter: Interpreter, folder: Path) -> None:
    options = (*_OPTIONS, "--target", str(folder), "--report", str(folder / _REPORT), *packages)
    own, ours = [str(interpreter.path), "-I", "-m", "pip"], [sys.executable, "-m", "pip"]
    said = ""
    for pip in (own, [*ours, "--python", str(interpreter.path)]):
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
    if _YANKED in done.stderr:
        raise _cannot(packages, "one was withdrawn by its authors", "name another version")
    shutil.rmtree(folder / "bin", ignore_errors=True)  # a command could be called python
    for module in _AT_EVERY_START.intersection(_top_level(folder)):
        brings = f"one brings {module}, which Python runs at every start"
        raise _cannot(packages, brings, "name another package")
    folder.chmod(0o755)


def _cannot(packages: Sequence[str], why: str, hint: str) -> UserError:
    return UserError(f"packages: {', '.join(packages)} cannot be installed: {why}", hint=hint)


def _why(said: str, interpreter: Interpreter) -> tuple[str, str]:
    """The reason in what pip printed, and what to do."""
    if any(word in said for word in _OFFLINE):
        return "no package index answers", "install while you are online; it is kept then"
    if not said:
        hint = f"{interpreter.path} -m ensurepip, or --python with another Python"
        return f"Python {interpreter.version} has no pip", hint
    if "ResolutionImpossible" in said:
        return "they need different versions of one package", "name versions that go together"
    missing = _NOT_THERE.search(said)
    if missing is not None:
        hint = "correct the name and version; a package must have a wheel, for nothing is compiled"
        return f"there is no wheel of {missing[1]} for Python {interpreter.version}", hint
    last = next((line for line in reversed(said.splitlines()) if line.startswith("ERROR")), "")
    return last.removeprefix("ERROR: ")[:300] or "pip failed", "run pip install by hand to see why"


def _modules(packages: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The modules that the named packages provide, not those that they need themselves."""
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


def _top_level(folder: Path) -> set[str]:
    return set(_module_names(path.name for path in folder.iterdir()))


def _module_names(names: Iterable[str]) -> set[str]:
    return {top for name in names if (top := name.partition(".")[0]).isidentifier()}


def _plain_name(name: str) -> str:
    """The name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
