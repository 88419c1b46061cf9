"""Where things lie: the root, its assignments, and a spec folder's files."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from harness.model.errors import UserError

ASSIGNMENT = "assignment.yaml"
MUTANTS = "mutants.yaml"
SPECS = "specs"
REFERENCE = "reference"


def find_root(start: Path) -> Path:
    """The nearest folder upwards from `start` that holds `specs/` with an assignment in it;
    UserError if none does."""
    here = start.resolve()
    for folder in (here, *here.parents):
        if available(folder):
            return folder
    raise UserError(
        f"no folder upwards from {start} holds {SPECS}/<assignment>/{ASSIGNMENT}",
        hint="go to the project's folder, or give --root",
    )


def available(root: Path) -> tuple[str, ...]:
    """The ids of the assignments below `root`, in alphabetical order."""
    return tuple(sorted(file.parent.name for file in (root / SPECS).glob(f"*/{ASSIGNMENT}")))


def spec_folder(root: Path, assignment_id: str) -> Path:
    """The folder of an assignment; UserError if there is no such assignment."""
    known = available(root)
    if assignment_id in known:
        return root / SPECS / assignment_id
    if not re.fullmatch(r"[\w.-]+", assignment_id) or not known:
        listed = ", ".join(known) or "none"
        hint = f"the assignments are: {listed}"
    else:
        close = difflib.get_close_matches(assignment_id, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"the assignments are: {', '.join(known)}"
    raise UserError(f"there is no assignment {assignment_id!r} in {SPECS}/", hint=hint)


def scenario_files(folder: Path, named: tuple[str, ...]) -> list[Path]:
    """The scenario files of a spec folder: every .yaml that is not `named` for another use."""
    other = {ASSIGNMENT, *named}
    there = (file for file in sorted(folder.glob("*.yaml")) if not file.name.startswith("."))
    return [file for file in there if file.name not in other]


def shown(root: Path, path: Path) -> str:
    """A path as messages show it: below the root, with forward slashes."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()
