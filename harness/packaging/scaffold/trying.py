"""Read an assignment that is not on disk yet, and try it on its reference."""

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
    """Return the assignment of these files, by path below the root. Raise UserError if it cannot
    be read."""
    with _laid_out(files) as root:
        return load(root, assignment_id)


def prepared(
    files: Mapping[str, bytes], assignment_id: str, cache: Path | None = None
) -> GradingContext:
    """Return the assignment with its reference's answers, even if they have faults. Its packages
    are installed below the folder `cache`. Raise the errors of `load` and `prepare`."""
    with _laid_out(files) as root:
        return prepare(load(root, assignment_id), cache=cache, refuse=False)


@contextmanager
def _laid_out(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Yield a folder with these files, which is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, data in files.items():
            write_bytes(root / name, data)
        yield root
