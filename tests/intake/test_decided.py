"""What people decided about submissions that are held is done by the next grading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.intake.pipeline import read_cohort
from harness.intake.terms import ClassOptions
from harness.model.plan import OtherFiles
from harness.model.result import Decision, DecisionKind
from harness.model.submission import Submission, Withheld
from tests.intake.cohorts import A1, lay, source_of

REVIEWED = replace(A1, otherwise=OtherFiles.REVIEW)
TREE = {
    "ada/old.py": "1",
    "ada/new.py": "2",
    "ada/notes.txt": "3",
    "ben/a1.py": "4",
    "cid/sub/mine.py": "5",
}


def read(folder: Path, roster: Path | None = None, **decided: tuple[str, str]) -> list[Submission]:
    decisions = {
        name: (Decision(kind=DecisionKind(kind), value=value),)
        for name, (kind, value) in decided.items()
    }
    return list(
        read_cohort((folder,), REVIEWED, ClassOptions(roster=roster), decisions).submissions
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return lay(tmp_path / "class", TREE)


def test_what_is_held_says_of_which_files_one_may_be_chosen(folder: Path) -> None:
    ada, ben, cid = read(folder)
    assert ada.withheld is cid.withheld is Withheld.NEEDS_REVIEW
    assert {file.name: file.data for file in ada.choices} == {"old.py": b"1", "new.py": b"2"}
    assert ben.choices == ()
    assert [file.name for file in cid.choices] == ["sub/mine.py"]


def test_the_file_that_was_chosen_is_graded(folder: Path) -> None:
    ada, _, cid = read(folder, ada=("choose", "new.py"), cid=("choose", "sub/mine.py"))
    assert (source_of(ada), source_of(cid)) == ("2", "5")
    assert ada.files[0].name == "a1.py"
    assert ada.withheld is None
    assert ada.problem == ""
    assert ada.notes == ("a person chose new.py",)
    assert len(ada.choices) == 2


NOTHING = {"a file that is gone": ("choose", "gone.py"), "an excuse": ("excuse", "ill")}


@pytest.mark.parametrize("decided", NOTHING.values(), ids=NOTHING)
def test_what_does_not_say_a_file_that_is_there_leaves_it_held(
    folder: Path, decided: tuple[str, str]
) -> None:
    ada, *_ = read(folder, ada=decided)
    assert ada.withheld is Withheld.NEEDS_REVIEW


def test_whose_a_submission_is(folder: Path, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,email\nben,Ben,\n7,Zoe,zoe@uni.example\n")
    assert [each.id for each in read(folder, roster)] == ["7", "ada", "ben", "cid"]
    *others, cid = read(folder, roster, cid=("match", "7"))
    assert [each.id for each in others] == ["ada", "ben"]
    assert cid.student is not None
    assert (cid.student.id, cid.student.name, cid.student.email) == ("7", "Zoe", "zoe@uni.example")
    assert "a person said whose it is" in cid.notes


def test_whose_it_is_may_be_somebody_whom_no_list_has(folder: Path) -> None:
    _, ben, _ = read(folder, ben=("match", "4711"))
    assert ben.student is not None
    assert (ben.id, ben.student.id, source_of(ben)) == ("ben", "4711", "4")


@pytest.mark.parametrize("other", ["ben", "dora"])
def test_two_submissions_of_one_student_are_held(folder: Path, other: str) -> None:
    """One whose own it is stays as it is; two of whom a person said it are both held."""
    ada, ben, cid = read(folder, ada=("match", other), cid=("match", "Dora"))
    held = {each.id: each.notes for each in (ada, ben, cid) if each.withheld}
    told = {"ada": f"{other} has another submission too"}
    told |= {"cid": "Dora has another submission too"} if other == "dora" else {}
    assert {name: text for name, text in told.items() if text in held[name]} == told
    assert ben.withheld is None
