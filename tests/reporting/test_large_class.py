"""A class ten times as large takes no more memory, and its report is written in pieces."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks.large_class import measured
from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.reporting.writing import write_reports
from harness.results.database import STORE_NAME
from harness.results.store import Store
from tests.reporting.report_samples import FACTS, MANY_FAULTS, PASSED, PERFECT, PLAN

# Each scenario many times, as a plan with swept values has it.
COPIES = 10
LARGE = replace(
    PLAN,
    scenarios=tuple(
        replace(scenario, id=f"{scenario.id}[{copy}]", points=Fraction(1))
        for scenario in PLAN.scenarios
        for copy in range(COPIES)
    ),
)


def large(result: SubmissionResult, name: str) -> SubmissionResult:
    rows = tuple(
        replace(
            row, scenario_id=f"{row.scenario_id}[{copy}]", verdict=PASSED if copy else row.verdict
        )
        for row in result.scenarios
        for copy in range(COPIES)
    )
    return replace(result, id=name, scenarios=rows)


def filled(folder: Path, count: int, plan: Plan) -> Path:
    with Store.open(folder / STORE_NAME) as store:
        store.begin(FACTS, plan)
        for number in range(count):
            some = (MANY_FAULTS, PERFECT)[number % 8 > 0]
            store.save(large(some, f"s{number:04}"), {}, {})
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("small"), 20, LARGE)


@pytest.mark.process
def test_memory_is_flat(small: Path, tmp_path: Path) -> None:
    many = filled(tmp_path, 200, LARGE)
    few, more = measured(small).peak_mib, measured(many).peak_mib
    assert more < 1.3 * few
    whole = json.loads((many / "results.json").read_text(encoding="ascii"))
    assert len(whole["submissions"]) == 200
    ran = {entry["passed"] + len(entry["failed"]) for entry in whole["submissions"]}
    assert ran == {len(LARGE.scenarios)} == {len(whole["scenarios"])}
    with (many / "marks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [entry["id"] for entry in whole["submissions"]]
    assert len(list((many / "feedback").iterdir())) == 200


def test_fewer_submissions_take_the_further_pages_away(small: Path, tmp_path: Path) -> None:
    with Store.read_only(small / STORE_NAME) as store:
        results = tuple(store.run().submissions)[:2]
    with Store.open(tmp_path / STORE_NAME) as store:
        store.begin(FACTS, PLAN)
        for number in range(201):
            store.save(replace(results[number % 2], id=f"s{number}", scenarios=()), {}, {})
        write_reports(store.run(), PLAN, tmp_path)
        assert sorted(path.name for path in (tmp_path / "marks").iterdir()) == ["2.html", "3.html"]
        store.keep_only(["s0"])
        write_reports(store.run(), PLAN, tmp_path)
    assert list((tmp_path / "marks").iterdir()) == []
    assert [path.name for path in (tmp_path / "submissions").iterdir()] == ["s0.html"]
