"""Finds the project's root and its assignments, and loads an assignment.

Loaded assignments are cached under a digest of all their sources, so that `load` compiles only
changed ones.
"""

import contextlib
import difflib
import gc
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.common.errors import UserError
from harness.common.files import source_digest, write_bytes
from harness.common.serial import dumps, from_plain
from harness.model.plan import Specification, Visibility

CACHE = ".harness-cache"
_PACKAGES = ("assignment", "common", "matchers", "model", "policy", "stimuli")
ASSIGNMENT = "assignment.yaml"
MUTANTS = "mutants.yaml"
EXEMPT = "exempt.yaml"
EQUIVALENT = "equivalent.yaml"
SPECS = "specs"
REFERENCE = "reference"
SUBMISSIONS = "submissions"


class SpecErrors(UserError):  # noqa: N818 - it holds many
    """All errors found in a specification. `errors` holds one line each, `str()` all of them."""

    def __init__(self, errors: Iterable[str]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(self.errors))


def load(
    root: Path,
    assignment_id: str,
    *,
    support: Path | None = None,
    recording: bool = False,
    visible: bool = False,
) -> Specification:
    """Load everything in specs/<id> and reference/<id>.

    Files in the folder `support` replace provided files with the same names. With `recording`,
    draws and transcripts may still be missing. With `visible`, only the scenarios that students may
    see are read from a cached plan. Raise SpecErrors with all errors, or UserError if the
    assignment does not exist.
    """
    root = root.resolve()
    folder = spec_folder(root, assignment_id)
    if support is not None and not support.is_dir():
        raise UserError(f"the support folder {support} does not exist", hint="correct --support")
    cache = _Cache(root, folder, support)
    if not recording and (cached := cache.read(visible=visible)) is not None:
        return cached
    # Imported late, because loading the YAML libraries takes longer than a cached load.
    from harness.assignment.compile import compile_assignment  # noqa: PLC0415

    compilation = compile_assignment(root, assignment_id, support=support, recording=recording)
    if not recording:
        cache.write(compilation.specification)
    return compilation.specification


class _Cache:
    """The cache file of one assignment. Its first line is the digest of the sources."""

    def __init__(self, root: Path, folder: Path, support: Path | None) -> None:
        name = folder.name
        self.sources = [folder, root / REFERENCE / folder.name]
        if support:
            name += ".support"
            self.sources.append(support)
        self.path = root / CACHE / f"{name}.json"
        self.folder = folder
        self.key = ""

    def read(self, *, visible: bool) -> Specification | None:
        """Return the cached specification, or only its `visible` scenarios; None if it is missing
        or outdated.
        """
        self.key = self._content()
        try:
            key, _, text = self.path.read_bytes().partition(b"\n")
            if key != self.key.encode():
                return None
            with _without_collector():
                plain = json.loads(text)
                if visible:
                    _keep_visible(plain["plan"])
                cached = from_plain(Specification, plain)
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return replace(cached, folder=str(self.folder))

    def write(self, specification: Specification) -> None:
        """Store the specification, unless its sources changed in the meantime or the disk is not
        writable.
        """
        if self.key == self._content():
            with contextlib.suppress(OSError):
                write_bytes(self.path, f"{self.key}\n{dumps(specification)}".encode(), private=True)

    def _content(self) -> str:
        # A cache entry depends on the code that compiles specifications and on the Python version.
        parts = [("code", f"{sys.version_info[:3]} {source_digest(*_PACKAGES)}".encode())]
        for number, folder in enumerate(self.sources):
            parts += [(f"{number} {name}", data) for name, data in _contents(folder)]
        return digest(parts)


def _keep_visible(plan: dict[str, Any]) -> None:
    """Remove the scenarios that students may not see from a plan in JSON form."""
    scenarios = plan["scenarios"]
    visible = [part for part in scenarios if part["visibility"] == Visibility.VISIBLE]
    plan["scenarios"] = visible


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (relative path, content) of the files below a folder, without hidden files.

    For an unreadable file, the error is used as its content.
    """
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            if name.startswith("."):
                continue
            path = Path(where) / name
            try:
                data = path.read_bytes()
            except OSError as error:
                data = str(error).encode()
            yield path.relative_to(folder).as_posix(), data


def digest(parts: Iterable[tuple[str, bytes]]) -> str:
    """Return the SHA-256 (hex) of names and contents, including their lengths so that they cannot
    be confused.
    """
    sha256 = hashlib.sha256()
    for name, data in parts:
        label = name.encode("utf-8")
        sha256.update(b"%d %d\n" % (len(label), len(data)) + label)
        sha256.update(data)
    return sha256.hexdigest()


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    # Pause garbage collection: scanning tens of thousands of new objects takes half of the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def find_root(start: Path) -> Path:
    """Return the nearest folder, from `start` upwards, whose `specs/` contains an assignment.

    A folder among another course's submissions does not count. Raise UserError if there is none.
    """
    here = start.resolve()
    for folder in (here, *here.parents):
        with contextlib.suppress(PermissionError):  # folders above may be unreadable
            courses = (above.parent for above in folder.parents if above.name == SUBMISSIONS)
            # A student may submit a fake course in order to be graded by it.
            if available(folder) and not any(map(available, courses)):
                return folder
    what = f"no {SPECS}/<assignment>/{ASSIGNMENT} in {start} or a folder above it"
    raise UserError(what, hint="go to the project's folder, or give --root")


def available(root: Path) -> tuple[str, ...]:
    """Return the ids of the assignments below `root`, in alphabetical order."""
    files = (root / SPECS).glob(f"*/{ASSIGNMENT}")
    return tuple(sorted(file.parent.name for file in files))


def files_asked_for(root: Path, assignment_id: str) -> tuple[str, ...]:
    """Return the file and archive names under `submission:` in assignment.yaml; empty if it cannot
    be read (loading reports that).
    """
    part = _heading(root, assignment_id).get("submission")
    if not isinstance(part, dict):
        return ()
    files = part.get("files")
    if not isinstance(files, list):
        files = [files]
    return _texts([*files, part.get("archive")])


def packages_of(root: Path, assignment_id: str) -> tuple[str, ...]:
    """Return the entries of `packages:` in assignment.yaml; empty if the file cannot be read."""
    packages = _heading(root, assignment_id).get("packages")
    if not isinstance(packages, list):
        return ()
    return _texts(packages)


def _heading(root: Path, assignment_id: str) -> dict[str, object]:
    import yaml  # noqa: PLC0415  (a cached plan is loaded without it)

    try:
        data = yaml.safe_load((root / SPECS / assignment_id / ASSIGNMENT).read_bytes())
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return {}
    return data if isinstance(data, dict) else {}


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str))


def spec_folder(root: Path, assignment_id: str) -> Path:
    """Return the folder of an assignment. Raise UserError if it does not exist."""
    ids = available(root)
    if assignment_id in ids:
        return root / SPECS / assignment_id
    hint = f"the assignments are: {', '.join(ids) or 'none'}"
    if re.fullmatch(r"[\w.-]+", assignment_id):
        close = difflib.get_close_matches(assignment_id, ids, n=1)
        if close:
            hint = f"did you mean {close[0]}?"
    raise UserError(f"{SPECS}/ has no assignment {assignment_id!r}", hint=hint)


def scenario_files(folder: Path, named: Iterable[str]) -> list[Path]:
    """Return the scenario files of a spec folder: every .yaml file except those in `named`, which
    have another purpose.
    """
    other = {ASSIGNMENT, EXEMPT, EQUIVALENT, *named}
    files = sorted(folder.glob("*.yaml"))
    return [file for file in files if file.name[0] != "." and file.name not in other]


def display_path(root: Path, path: Path) -> str:
    """Return a path for messages: relative to the root, with forward slashes."""
    if path.is_relative_to(root):
        path = path.relative_to(root)
    return path.as_posix()
