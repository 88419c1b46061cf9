"""Each committed mutant has one fault: it has one cause, where the change is."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.causes import ROOT, committed, measured, pairs
from harness.assignment.loading import available, load

SCRIPTS = (ROOT / "examples" / "first-steps", "first-steps")


@pytest.mark.release
@pytest.mark.parametrize(
    ("root", "assignment"), [*((ROOT, name) for name in available(ROOT)), SCRIPTS]
)
def test_a_mutant_has_one_cause_where_it_was_changed(root: Path, assignment: str) -> None:
    specification = load(root, assignment)
    figures = measured(specification, committed(specification))
    assert figures.one >= 0.95 * figures.mutants, str(figures)
    assert figures.right >= 0.95 * figures.defined, str(figures)


@pytest.mark.release
def test_two_faults_of_a_script_are_more_than_one_cause_where_neither_hides_the_other() -> None:
    specification = load(*SCRIPTS)
    figures = measured(specification, pairs(specification))
    assert figures.one <= 0.6 * figures.mutants, str(figures)
