"""Each committed mutant has one fault: it has one cause, where the change is."""

from __future__ import annotations

import pytest

from benchmarks.causes import ROOT, committed, measured
from harness.assignment import available, load


@pytest.mark.release
@pytest.mark.parametrize("assignment", available(ROOT))
def test_a_mutant_has_one_cause_where_it_was_changed(assignment: str) -> None:
    specification = load(ROOT, assignment)
    figures = measured(specification, committed(specification))
    assert figures.one >= 0.95 * figures.mutants, str(figures)
    assert figures.right >= 0.95 * figures.defined, str(figures)
