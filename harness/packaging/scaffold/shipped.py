"""The assignments that come with the harness: a clone's own, in a wheel a copy of them."""

from __future__ import annotations

from pathlib import Path

from harness.assignment import available
from harness.common.errors import UserError

_PACKAGE = Path(__file__).parents[2]
_PARTS = ("specs", "reference", "submissions")
_NOT_COPIED = {"__pycache__", ".ruff_cache"}


def shipped() -> tuple[str, ...]:
    """The ids of the assignments that come with the harness; none where they were left out."""
    return available(_root())


def copied(source: str, assignment_id: str) -> dict[str, bytes]:
    """The files of a shipped assignment by their paths below the course's root, under another id.

    UserError for an assignment that does not come with the harness.
    """
    if source not in shipped():
        known = ", ".join(shipped()) or "none"
        raise UserError(
            f"no assignment {source!r} comes with the harness", hint=f"there are: {known}"
        )
    files: dict[str, bytes] = {}
    for part in _PARTS:
        folder = _root() / part / source
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.is_file() and not _NOT_COPIED & set(inside.parts):
                files[f"{part}/{assignment_id}/{inside.as_posix()}"] = path.read_bytes()
    return files


def _root() -> Path:
    packed = _PACKAGE / "shipped"
    return packed if packed.is_dir() else _PACKAGE.parent
