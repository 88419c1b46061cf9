"""`harness new` keeps answers and students out of the course's repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiny_course import Course


def new(folder: Path, name: str) -> None:
    done = Course(folder).run("new", name, "--root", str(folder))
    assert done.status == 0, done


@pytest.mark.parametrize("repository", [".", "above"])
def test_in_a_repository(tmp_path: Path, repository: str) -> None:
    (tmp_path / ".git").mkdir()
    base = tmp_path if repository == "." else tmp_path / "course"
    base.mkdir(exist_ok=True)
    new(base, "a1")
    assert (base / ".gitignore").read_text().splitlines()[-2:] == [".harness-cache/", "reports/"]


def test_what_is_there_stays_and_nothing_is_said_twice(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / ".gitignore"
    path.write_text("*.log\n/reports")
    new(tmp_path, "a1")
    once = path.read_text()
    assert once.startswith("*.log\n/reports\n")
    assert once.splitlines()[2:] == [".harness-cache/"] or once.endswith(".harness-cache/\n")
    assert "\nreports/" not in once
    new(tmp_path, "a2")
    assert path.read_text() == once


def test_not_where_there_is_no_repository(tmp_path: Path) -> None:
    new(tmp_path, "a1")
    assert not (tmp_path / ".gitignore").exists()
