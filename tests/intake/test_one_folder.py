"""A folder that is one submission, as a platform lays it beside the grader."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from harness.assignment import load
from harness.common.errors import UserError
from harness.intake import read_one
from harness.model.plan import Assignment, OtherFiles
from harness.model.submission import Withheld
from tests.tiny_course import FIXTURE


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    return load(FIXTURE, "tiny").plan.assignment


def names(folder: Path, assignment: Assignment) -> list[str]:
    return [file.name for file in read_one(folder, assignment, "1").files]


def test_it_is_one_submission_whatever_lies_in_it(assignment: Assignment, tmp_path: Path) -> None:
    for name in ("ann", "bob", "submission_1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a1.py").write_text("x = 1\n")
    (tmp_path / "submission_metadata.yml").write_text("{")
    found = read_one(tmp_path, assignment, "1")
    assert (found.id, found.files, found.withheld) == ("1", (), None)
    assert "expected one file a1.py" in found.problem


def test_who_wants_to_look_at_other_files_does(assignment: Assignment, tmp_path: Path) -> None:
    asking = replace(assignment, otherwise=OtherFiles.REVIEW)
    assert read_one(tmp_path, asking, "1").withheld is Withheld.NEEDS_REVIEW


@pytest.mark.parametrize("around", ["", "A3"])
def test_an_archive_that_the_platform_unpacked(
    assignment: Assignment, tmp_path: Path, around: str
) -> None:
    packed = replace(assignment, archive="A3.zip")
    folder = tmp_path / around
    folder.mkdir(exist_ok=True)
    (folder / "a1.py").write_text("x = 1\n")
    (tmp_path / "__MACOSX").mkdir()
    found = read_one(tmp_path, packed, "1")
    assert [file.name for file in found.files] == ["a1.py"]
    assert found.notes == ()


def test_an_archive_that_it_left(assignment: Assignment, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "A3.zip", "w") as archive:
        archive.writestr("a1.py", "x = 1\n")
    assert names(tmp_path, replace(assignment, archive="A3.zip")) == ["a1.py"]


def test_links_are_not_followed(assignment: Assignment, tmp_path: Path) -> None:
    (tmp_path / "a1.py").symlink_to("/etc/passwd")
    assert "is a symbolic link" in read_one(tmp_path, assignment, "1").problem


def test_no_such_folder(assignment: Assignment, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such folder"):
        read_one(tmp_path / "gone", assignment, "1")
