"""What was handed in below some paths, at least one submission."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.intake import Asked, Cohort, read_cohort, read_one
from harness.model.errors import UserError
from harness.model.plan import Assignment
from harness.model.submission import Submission


def handed_in(paths: Sequence[Path], assignment: Assignment) -> tuple[Submission, ...]:
    """Every submission, in the order of ids. Raises UserError when a path cannot be read, or when
    there is no submission at all."""
    return cohort_of(paths, assignment, Asked()).submissions


def cohort_of(paths: Sequence[Path], assignment: Assignment, asked: Asked) -> Cohort:
    """Every student's submission, held to what was asked for. Raises UserError as `handed_in`, and
    when what was asked for cannot be used."""
    cohort = read_cohort(paths, assignment, asked)
    if not cohort.facts.students:
        place = str(paths[0]) if paths else ""
        hint = "name a folder of folders, files, or a download of a class"
        raise UserError("no submissions", place=place, hint=hint)
    return cohort


def one_handed_in(folder: Path, assignment: Assignment, name: str) -> Submission:
    """The folder as the submission `name`, whatever lies in it. Raises UserError where it is not
    there."""
    return read_one(folder, assignment, name)
