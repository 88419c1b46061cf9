"""A compiled specification is kept by the content of all it came from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.assignment import SpecErrors, load
from tests.assignment.small_assignment import (
    BOARDS,
    POLICY,
    REFERENCE,
    SCENARIOS,
    SUPPORT,
    scenario_file,
    write,
)

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"yaml", "pydantic", "pydantic_core", "click", "hypothesis"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
"""


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BLOCKED + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def entry(root: Path) -> Path:
    return root / ".harness-cache" / "small.json"


@pytest.mark.process
def test_a_second_load_is_the_same_and_reads_no_yaml(tmp_path: Path) -> None:
    first = load(write(tmp_path), "small")
    kept = entry(tmp_path).read_bytes()
    assert load(tmp_path, "small") == first
    assert entry(tmp_path).read_bytes() == kept
    code = (
        "from pathlib import Path; from harness.assignment import load\n"
        "print([s.id for s in load(Path(sys.argv[1]), 'small').plan.scenarios])"
    )
    done = run(code, str(tmp_path))
    assert (done.stdout, done.stderr) == ("['f/accepts-an-add-command']\n", "")


@pytest.mark.process
def test_without_the_cache_the_same_code_needs_yaml(tmp_path: Path) -> None:
    write(tmp_path)
    code = (
        "from pathlib import Path; from harness.assignment import load\n"
        "load(Path(sys.argv[1]), 'small')"
    )
    done = run(code, str(tmp_path))
    assert done.returncode == 1
    assert "is blocked" in done.stderr


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
    write(tmp_path, {"specs/small/f.yaml": SCENARIOS.replace("true", "no")})
    with pytest.raises(SpecErrors):
        load(tmp_path, "small")


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
        "from pathlib import Path; from harness.assignment import load; import sys\n"
        "print(load(Path(sys.argv[1]), 'small').plan.spec_digest)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{expected}\n"
    assert "RuntimeWarning: PyYAML has no C loader here" in done.stderr
