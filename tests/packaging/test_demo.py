"""The made class of `harness demo`. That it is graded from a wheel alone, `make wheel` shows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from harness.assignment.loading import load
from harness.cli.commands.demo import command
from harness.common.errors import UserError
from harness.common.files import write_bytes
from harness.intake.pipeline import read_cohort
from harness.intake.terms import ClassOptions
from harness.packaging.demo import DOWNLOAD, DUE, ID, demo_files
from tests.intake.cohorts import by_id

FILES = demo_files()
PROGRAMS = [data.decode() for name, data in FILES.items() if name.endswith(("n.py", "e.py"))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("demo")
    for name, data in FILES.items():
        write_bytes(root / name, data)
    return root


def parses(program: str) -> bool:
    try:
        ast.parse(program)
    except SyntaxError:
        return False
    return True


def test_thirty_students_wrote_thirty_programs_and_one_is_no_python() -> None:
    reference, *programs = PROGRAMS
    assert len({reference, *programs}) == 31
    assert [parses(each) for each in programs].count(False) == 1
    assert not any("{{" in each or "||" in each for each in PROGRAMS)


def test_the_course_can_be_loaded_and_the_class_read(folder: Path) -> None:
    assignment = load(folder, ID).plan.assignment
    class_ = by_id(read_cohort((folder / DOWNLOAD,), assignment, ClassOptions(due=DUE)))
    assert len(class_) == 30
    late = {each.student.name: each.late for each in class_.values() if each.student and each.late}
    costs = {name: None if at.begun is None else at.begun.count for name, at in late.items()}
    assert costs == {"Cleo Larsen": None, "Emil Okafor": 1, "Jona Larsen": 2, "Gwen Okafor": 3}
    assert [each.problem for each in class_.values() if each.problem] == [
        "found game.py, expected hangman.py"
    ]


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(UserError, match=r"the folder is not empty\. Hint: name another"):
        command.main([str(tmp_path)], standalone_mode=False)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
