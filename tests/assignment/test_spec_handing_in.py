"""`otherwise:` and `time_zone:` of an assignment: what intake goes by."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.assignment import SpecErrors, load
from harness.model.plan import OtherFiles
from tests.assignment.small_assignment import ASSIGNMENT, write

A = "specs/small/assignment.yaml"


def with_otherwise(root: Path, value: str) -> None:
    files = f"{{files: [a1.py], otherwise: {value}}}"
    write(root, {A: ASSIGNMENT.replace("{files: [a1.py]}", files)})


@pytest.mark.parametrize("otherwise", OtherFiles)
def test_what_something_else_gets(tmp_path: Path, otherwise: OtherFiles) -> None:
    with_otherwise(tmp_path, otherwise)
    assert load(tmp_path, "small").plan.assignment.otherwise is otherwise


def test_nothing_stated_is_no_marks_and_no_zone(tmp_path: Path) -> None:
    write(tmp_path)
    assignment = load(tmp_path, "small").plan.assignment
    assert (assignment.otherwise, assignment.time_zone) == (OtherFiles.ZERO, "")


def test_a_choice_that_there_is_not(tmp_path: Path) -> None:
    with_otherwise(tmp_path, "revue")
    with pytest.raises(SpecErrors) as caught:
        load(tmp_path, "small")
    line = f"{A}:4:41: submission.otherwise: expected zero or review, got the text 'revue'."
    assert str(caught.value).startswith(line)


def test_a_zone(tmp_path: Path) -> None:
    write(tmp_path, {A: ASSIGNMENT + "time_zone: Australia/Brisbane\n"})
    assert load(tmp_path, "small").plan.assignment.time_zone == "Australia/Brisbane"


@pytest.mark.parametrize("name", ["Brisbane", "../etc/passwd", "Australia"])
def test_a_zone_that_there_is_not(tmp_path: Path, name: str) -> None:
    write(tmp_path, {A: ASSIGNMENT + f"time_zone: {name}\n"})
    with pytest.raises(SpecErrors) as caught:
        load(tmp_path, "small")
    what = f"time_zone: there is no time zone {name}. Hint: write one like Australia/Brisbane."
    assert what in str(caught.value)
