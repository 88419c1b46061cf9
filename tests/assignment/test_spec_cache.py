"""A compiled specification is kept by the content of all it came from; a plan and its subsets."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from harness.assignment.compile import record_draws
from harness.assignment.loading import load
from harness.common.serial import dumps, loads
from harness.model.plan import Plan
from tests.assignment.small_assignment import (
    BOARDS,
    POLICY,
    REFERENCE,
    SCENARIOS,
    SUPPORT,
    errors_of,
    scenario_file,
    write,
)
from tests.tiny_course import ran

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"yaml", "pydantic", "pydantic_core", "click", "hypothesis"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from harness.model.plan import Plan
from harness.common.serial import dumps, loads
from pathlib import Path

text = (Path(sys.argv[1]) / "plan.json").read_text()
print(dumps(loads(Plan, text)) == text)
from harness.assignment.loading import load

print([s.id for s in load(Path(sys.argv[1]), "small").plan.scenarios])
(Path(sys.argv[1]) / ".harness-cache/small.json").unlink()
try:
    load(Path(sys.argv[1]), "small")
except ImportError as error:
    print(error)
"""


def entry(root: Path) -> Path:
    return root / ".harness-cache" / "small.json"


@pytest.mark.process
def test_a_second_load_is_the_same_and_needs_no_yaml(tmp_path: Path) -> None:
    plan(tmp_path)
    first = load(tmp_path, "small")
    kept = entry(tmp_path).read_bytes()
    assert load(tmp_path, "small") == first
    assert entry(tmp_path).read_bytes() == kept
    (tmp_path / "plan.json").write_text(dumps(first.plan))
    command = [sys.executable, "-W", "error", "-c", BLOCKED, str(tmp_path)]
    done = ran(command)
    assert done.stderr == ""
    ids = [scenario.id for scenario in first.plan.scenarios]
    assert done.stdout.splitlines() == ["True", str(ids), "yaml is blocked"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("specs/small/f.yaml", SCENARIOS.replace('"a1"', '"a2"')),
        ("specs/small/policy.yaml", POLICY.replace("1.5", "2")),
        ("specs/small/g.yaml", scenario_file("name: s\ncall: check_input('')")),
        ("reference/small/a1.py", REFERENCE + "\n\ndef more():\n    pass\n"),
        ("reference/small/a1_support.py", SUPPORT.replace("= 8", "= 9")),
    ],
)
def test_a_changed_file_is_read_again(name: str, text: str, tmp_path: Path) -> None:
    before = load(write(tmp_path), "small")
    write(tmp_path, {name: text})
    assert load(tmp_path, "small") != before


def test_a_mistake_made_later_is_found(tmp_path: Path) -> None:
    load(write(tmp_path), "small")
    assert errors_of(tmp_path, {"specs/small/f.yaml": SCENARIOS.replace("true", "no")})


@pytest.mark.parametrize("damage", [b"", b"\n", b"{}", b"\xff\xff\n{}", None])
def test_a_damaged_entry_is_replaced(damage: bytes | None, tmp_path: Path) -> None:
    first = load(write(tmp_path), "small")
    whole = entry(tmp_path).read_bytes()
    entry(tmp_path).write_bytes(whole[:-40] if damage is None else damage)
    assert load(tmp_path, "small") == first
    assert entry(tmp_path).read_bytes() == whole


def test_where_nothing_can_be_kept_loading_still_works(tmp_path: Path) -> None:
    (tmp_path / ".harness-cache").write_text("a file in the way")
    first = load(write(tmp_path), "small")
    assert load(tmp_path, "small") == first


def test_a_moved_folder_is_told_by_its_new_place(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    load(write(old), "small")
    os.rename(old, new)  # noqa: PTH104 - a folder moves with its cache
    assert load(new, "small").folder == str(new / "specs" / "small")


def test_recording_never_reads_or_keeps(tmp_path: Path) -> None:
    load(write(tmp_path, {"specs/small/boards.py": BOARDS}), "small", recording=True)
    assert not entry(tmp_path).exists()


@pytest.mark.process
def test_the_python_loader_stands_in_loudly_and_reads_the_same(tmp_path: Path) -> None:
    expected = load(write(tmp_path), "small").plan.spec_digest
    entry(tmp_path).unlink()
    code = (
        "import yaml; del yaml.CSafeLoader\n"
        "from pathlib import Path; from harness.assignment.loading import load; import sys\n"
        "print(load(Path(sys.argv[1]), 'small').plan.spec_digest)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = ran(command, check=True)
    assert done.stdout == f"{expected}\n"
    assert "RuntimeWarning: PyYAML has no C loader here" in done.stderr


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
