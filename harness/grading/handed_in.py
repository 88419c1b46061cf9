"""What was handed in below some paths, at least one submission."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.intake import read
from harness.model.errors import UserError
from harness.model.plan import Assignment
from harness.model.submission import Submission


def handed_in(paths: Sequence[Path], assignment: Assignment) -> tuple[Submission, ...]:
    """Every submission, in the order of ids. Raises UserError when a path cannot be read, or when
    there is no submission at all."""
    submissions = read(paths, assignment)
    if not submissions:
        place = str(paths[0]) if paths else ""
        raise UserError("no submissions", place=place, hint="name a folder of folders, or files")
    return submissions
