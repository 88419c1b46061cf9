"""Is what was named on the command line there, and what was meant when it is not?"""

from __future__ import annotations

import difflib
from pathlib import Path

from harness.model.errors import UserError

GO_THERE = "name the file with its folder, or go to that folder first (cd)"
_ALIKE = 0.5  # a1 and a1.py are


def must_exist(path: Path) -> None:
    """UserError when there is no such file or folder. It tells of one of nearly this name: a
    letter slipped, or a system does not show the ending."""
    if path.exists():
        return
    folder = path.parent
    names = [inside.name for inside in folder.iterdir()] if folder.is_dir() else []
    alike = difflib.get_close_matches(path.name, sorted(names), 1, _ALIKE)
    hint = f"is it {alike[0]}?" if alike else GO_THERE
    raise UserError("there is no such file or folder", place=str(path), hint=hint)
