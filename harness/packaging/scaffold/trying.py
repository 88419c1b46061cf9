"""Load an assignment that is not on disk yet, and run its reference."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from harness.assignment.loading import load
from harness.common.files import write_bytes
from harness.grading.context import GradingContext, prepare
from harness.model.plan import Specification


def loaded(files: Mapping[str, bytes], assignment_id: str) -> Specification:
    """Load the assignment from these files, by path below the course's root.

    Raise UserError if the assignment is not valid.
    """
    with _laid_out(files) as root:
        return load(root, assignment_id)


def prepared(
    files: Mapping[str, bytes], assignment_id: str, cache: Path | None = None
) -> GradingContext:
    """Run the assignment's reference, and return the assignment with the reference's answers, even
    if they have faults.

    Packages are installed below the folder `cache`. Raise the errors of `load` and `prepare`.
    """
    with _laid_out(files) as root:
        return prepare(load(root, assignment_id), cache=cache, refuse=False)


@contextmanager
def _laid_out(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Write the files to a temporary folder and yield the folder. It is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, data in files.items():
            write_bytes(root / name, data)
        yield root
