"""The specs that ship are right, and accepted by their published schemas."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from harness.assignment import available
from harness.assignment.loading import scenario_files
from tests.shipped import shipped

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "schema"
NAMED = ("assignment", "clauses", "policy", "mutants", "equivalent")
FILES = sorted((ROOT / "specs").glob("*/*.yaml"))


def kind(file: Path) -> str:
    return file.stem if file.stem in NAMED else "scenarios"


@pytest.mark.parametrize("assignment_id", available(ROOT))
def test_a_shipped_spec_has_no_mistake(assignment_id: str) -> None:
    plan = shipped(assignment_id).plan
    names = tuple(f"{name}.yaml" for name in NAMED)
    stems = {file.stem for file in scenario_files(ROOT / "specs" / assignment_id, names)}
    assert {scenario.id.split("/")[0] for scenario in plan.scenarios} == stems


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_shipped_file_is_accepted_by_its_schema(file: Path) -> None:
    schema = json.loads((SCHEMAS / f"{kind(file)}.json").read_text())
    data = json.loads(json.dumps(yaml.safe_load(file.read_text())))
    jsonschema.Draft202012Validator(schema).validate(data)
