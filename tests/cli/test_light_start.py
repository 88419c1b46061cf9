"""`harness check` does not wait for what it does not use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from harness.common.discovery import lazy_exports

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


def test_every_public_name_is_there() -> None:
    names = "import harness.execution as p; [getattr(p, name) for name in p.__all__]"
    assert "harness.execution" in loaded_by(names)


def test_a_missing_name_is_reported_with_its_package() -> None:
    with pytest.raises(AttributeError, match="'harness' has no attribute 'nothing'"):
        lazy_exports("harness", {"api": ("check",)})("nothing")
