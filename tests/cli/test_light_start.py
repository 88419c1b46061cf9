"""`harness check` does not wait for what it does not use."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("jinja2", "multiprocessing", "pydantic", "sqlite3", "yaml", "hypothesis")
AFTER_EACH = "import sys, harness.cli.commands.check; print(*sys.modules); " + (
    "import harness.cli.commands.grade, harness.grading.batch; print(*sys.modules)"
)


def test_check_loads_nothing_that_only_grade_needs_and_that_can_be_loaded() -> None:
    code = [sys.executable, "-c", AFTER_EACH]
    done = subprocess.run(code, capture_output=True, text=True, check=True)
    check, grade = (set(line.split()) for line in done.stdout.splitlines())
    assert check.isdisjoint({*HEAVY, "harness.api", "harness.grading.batch"})
    assert "harness.policy.checking" not in check
    assert {"harness.grading.batch", "multiprocessing", "sqlite3"} <= grade
    assert grade.isdisjoint({"dask", "distributed", "tornado"})  # for a cluster alone
