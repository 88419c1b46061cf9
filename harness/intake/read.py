"""Paths in, submissions out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.intake.choosing import choose
from harness.intake.identity import safe_id, unique_ids
from harness.intake.layout import Found, plain
from harness.intake.unpacking import unpack
from harness.model.errors import UserError
from harness.model.plan import Assignment
from harness.model.submission import Submission

MAX_SUBMISSIONS = 5000


def read(paths: Sequence[Path], assignment: Assignment) -> tuple[Submission, ...]:
    """Every submission under the paths, each once, in the order of their ids.

    What is wrong with one submission is its own `problem` and stops no other. Raises UserError
    when a path itself is missing or cannot be read, or holds more than `MAX_SUBMISSIONS`.
    """
    found: dict[Path, Found] = {}
    for path in paths:
        for one in plain(path, assignment):
            found.setdefault(Path(one.origin).absolute(), one)
        if len(found) > MAX_SUBMISSIONS:
            raise UserError(f"more than {MAX_SUBMISSIONS} submissions", place=str(path))
    ordered = sorted(found.values(), key=lambda one: (safe_id(one.identity), one.origin))
    ids = unique_ids(one.identity for one in ordered)
    submissions = [_submission(i, one, assignment) for i, one in zip(ids, ordered, strict=True)]
    return tuple(sorted(submissions, key=lambda submission: submission.id))


def _submission(submission_id: str, found: Found, assignment: Assignment) -> Submission:
    chosen = choose(unpack(found, assignment), assignment)
    return Submission(
        id=submission_id,
        files=chosen.files,
        origin=found.origin,
        problem=chosen.problem,
        notes=chosen.notes,
    )
