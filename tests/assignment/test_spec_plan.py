"""A plan is JSON, stays whole when cut to a subset, and is read without the loader's libraries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.assignment import load, record_draws
from harness.common.serial import dumps, loads
from harness.model.plan import Plan
from tests.assignment.small_assignment import scenario_file, write

BODIES = (
    "name: visible\nvisible: true\ncall: check_input('a1')\nreturns: {matches: a}",
    "name: sizes\nvisible: true\nconstants: {BOARD_SIZE: [4, 10]}\ncall: check_input('a9')\n"
    "prints: '{{ COLUMN_MESSAGE }}'\npoints: 1/3",
    "name: hidden\nconstants: {BOARD_SIZE: [5]}\nrun: a1.py\nprovide: note.txt\ninput: [a1]\n"
    "turns: [a, {any: true}]\nraises: {type: E, message: m}",
    "name: drawn\ncall: add_piece(board, 'X', 0)\ncases: boards.every_column\n"
    "leaves: {board: {python: board}}",
    "name: session\nvisible: true\nsession: |\n  >>> x = get_action()\n  {{ PROMPT }}a1\n",
)


def plan(root: Path) -> Plan:
    files = {"specs/small/f.yaml": scenario_file(*BODIES), "specs/small/note.txt": "note"}
    write(root, dict(files))
    record_draws(root, "small")
    return load(root, "small").plan


def test_a_plan_is_the_same_after_a_journey_through_json(tmp_path: Path) -> None:
    whole = plan(tmp_path)
    assert loads(Plan, dumps(whole)) == whole


def test_a_subset_holds_all_that_it_needs_and_nothing_else(tmp_path: Path) -> None:
    whole = plan(tmp_path)
    part = whole.subset(lambda scenario: scenario.visibility == "visible")
    ids = ["f/visible", "f/sizes[BOARD_SIZE=4]", "f/sizes[BOARD_SIZE=10]", "f/session"]
    assert [scenario.id for scenario in part.scenarios] == ids
    again = loads(Plan, dumps(part))
    assert again == part
    for scenario in again.scenarios:
        for stimulus in scenario.stimuli:
            assert again.assignment.variant(stimulus.constants).files
    assert (len(whole.assignment.variants), len(part.assignment.variants)) == (4, 3)
    assert (len(whole.assignment.extra_files), part.assignment.extra_files) == (1, ())
    assert "hidden" not in dumps(part)
    assert "note.txt" not in dumps(part)


@pytest.mark.process
def test_a_plan_is_read_without_the_loaders_libraries(tmp_path: Path) -> None:
    whole = plan(tmp_path)
    file = tmp_path / "plan.json"
    file.write_text(dumps(whole))
    code = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"yaml", "pydantic", "pydantic_core", "click", "hypothesis"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from harness.model.plan import Plan
from harness.common.serial import dumps, loads
from pathlib import Path; text = Path(sys.argv[1]).read_text()
print(dumps(loads(Plan, text)) == text)
"""
    command = [sys.executable, "-W", "error", "-c", code, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")
