"""What was measured of an assignment's scenarios is used only for exactly these scenarios."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.model.study import FunctionStrength, StrengthReport
from harness.results.reuse import latest_strength, write_strength
from tests.results.small_run import PLAN

REPORT = StrengthReport(
    assignment=PLAN.assignment.id,
    spec_digest=PLAN.spec_digest,
    reference_digest=PLAN.reference_digest,
    functions=(FunctionStrength(function="f", changes=9, noticed=7, equivalent=1),),
    clauses=(),
    outcomes=(),
)


def test_the_last_report_is_found_again(tmp_path: Path) -> None:
    write_strength(tmp_path, replace(REPORT, functions=()))
    write_strength(tmp_path, REPORT)
    found = latest_strength(tmp_path, PLAN)
    assert found == REPORT
    assert str(found.figures) == "87.5 % of 8 single-fault changes"


@pytest.mark.parametrize("changed", ["spec_digest", "reference_digest"])
def test_nothing_is_said_of_other_scenarios_or_another_reference(
    tmp_path: Path, changed: str
) -> None:
    write_strength(tmp_path, REPORT)
    assert latest_strength(tmp_path, replace(PLAN, **{changed: "another"})) is None


def test_nothing_is_said_where_nothing_was_measured_or_the_file_is_broken(tmp_path: Path) -> None:
    assert latest_strength(tmp_path, PLAN) is None
    write_strength(tmp_path, REPORT)
    (path,) = tmp_path.rglob("*.json")
    path.write_text("{", encoding="utf-8")
    assert latest_strength(tmp_path, PLAN) is None
