"""`harness check` does not wait for what it does not use."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("jinja2", "multiprocessing", "pydantic", "sqlite3", "yaml", "hypothesis")


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_check_loads_nothing_that_only_grade_needs() -> None:
    loaded = loaded_by("import harness.cli.commands.check")
    assert loaded.isdisjoint({*HEAVY, "harness.api", "harness.grading.batch"})
    assert "harness.policy.checking" not in loaded


def test_what_it_does_not_load_can_be_loaded() -> None:
    loaded = loaded_by("import harness.grading.batch; import harness.results.store")
    assert {"harness.grading.batch", "multiprocessing", "sqlite3"} <= loaded
