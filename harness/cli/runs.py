"""The run that a command is given: a report folder, or its database."""

from __future__ import annotations

from pathlib import Path

from harness.common.errors import UserError
from harness.model.plan import Plan
from harness.model.result import RunResult
from harness.results import STORE_NAME, Store


def store_of(run: Path) -> Path:
    """The database of a run; UserError when there is none."""
    path = run / STORE_NAME if run.is_dir() else run
    if not path.is_file():
        raise UserError("there is no run here", place=str(run), hint="name a report folder")
    return path


def read_run(run: Path) -> tuple[RunResult, Plan]:
    """A run with what people gave, and the plan it was graded by; UserError when it cannot be
    read."""
    with Store.read_only(store_of(run)) as store:
        return store.run(), store.plan()
