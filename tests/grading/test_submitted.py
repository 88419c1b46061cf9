"""Which files a student means who names one of several that belong together."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.grading.check import notes, submitted
from tests.intake.cohorts import A1

TWO = dataclasses.replace(A1, submission_files=("game.py", "play.py"))


def lay(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).write_text(f"# {name}\n")
    return folder


@pytest.mark.parametrize("named", [["game (1).py"], ["play.py"], ["play.py", "game (1).py"]])
def test_a_copy_is_checked_with_the_others(named: list[str], tmp_path: Path) -> None:
    lay(tmp_path, "game (1).py", "play.py", "notes.py")
    paths = [tmp_path / name for name in named]
    (one,) = submitted(paths, TWO)
    assert {file.name: file.data for file in one.files} == {
        "game.py": b"# game (1).py\n",
        "play.py": b"# play.py\n",
    }
    assert one.notes == ("game (1).py was graded as game.py",)
    advice = "hand it in as game.py: another name may cost all marks"
    assert (advice in notes(paths, [one], TWO)) == ("game (1).py" in named)


def test_a_copy_beside_its_original_is_not_guessed(tmp_path: Path) -> None:
    lay(tmp_path, "game (1).py", "game.py", "play.py")
    with pytest.raises(UserError) as caught:
        submitted([tmp_path / "game (1).py"], TWO)
    assert str(caught.value) == (
        f"{tmp_path / 'game (1).py'}: game.py lies beside it, and only one of the two can be "
        "checked. Hint: leave one, named game.py"
    )
    (one,) = submitted([tmp_path / "game.py"], TWO)
    assert one.notes == ("game (1).py was not graded",)
