"""`archive:` of an assignment: the name that its files are handed in under."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.assignment import SpecErrors, load
from tests.assignment.small_assignment import ASSIGNMENT, write

A = "specs/small/assignment.yaml"
ENDINGS = "expected a name that ends in .zip, .tar, .tar.gz or .tgz"


def with_archive(root: Path, value: str) -> Path:
    text = ASSIGNMENT.replace("{files: [a1.py]}", f"{{files: [a1.py], archive: {value}}}")
    return write(root, {A: text})


@pytest.mark.parametrize("name", ["A3.zip", "A3.tar", "A3.tar.gz", "my work.tgz"])
def test_it_is_in_the_plan(tmp_path: Path, name: str) -> None:
    with_archive(tmp_path, name)
    assert load(tmp_path, "small").plan.assignment.archive == name


def test_none_unless_stated(tmp_path: Path) -> None:
    write(tmp_path)
    assert load(tmp_path, "small").plan.assignment.archive is None


@pytest.mark.parametrize(
    ("value", "what"),
    {
        "week3/A3.zip": "week3/A3.zip is a path. Hint: write the file's name alone.",
        "A3.rar": f"{ENDINGS}, got the text 'A3.rar'.",
        "A3": f"{ENDINGS}, got the text 'A3'.",
        ".zip": f"{ENDINGS}, got the text '.zip'.",
        '""': f"{ENDINGS}, got the text ''.",
        "3": "expected text, got the number 3. Hint: quote it.",
        "[A3.zip]": "expected text, got a list.",
    }.items(),
)
def test_a_name_that_cannot_be_meant(tmp_path: Path, value: str, what: str) -> None:
    with_archive(tmp_path, value)
    with pytest.raises(SpecErrors) as caught:
        load(tmp_path, "small")
    assert str(caught.value) == f"{A}:4:39: submission.archive: {what}"
