"""Copies that browsers and platforms name, and files in a folder of the submission's folder."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from harness.intake import read
from harness.intake.entries import original_name
from harness.model.submission import Submission
from tests.intake.cohorts import A1, by_id, cohort
from tests.intake.made_archives import zipped

TWO = dataclasses.replace(A1, submission_files=("game.py", "play.py"))
PACKED = dataclasses.replace(A1, archive="A3.zip")


@pytest.mark.parametrize(
    ("name", "expected", "original"),
    [
        ("a1 (1).py", ("a1.py",), "a1.py"),
        ("a1(1).py", ("a1.py",), "a1.py"),
        ("a1 (123).py", ("a1.py",), "a1.py"),
        ("a1-2.py", ("a1.py",), "a1.py"),
        ("a1 copy.py", ("a1.py",), "a1.py"),
        ("a1 copy 2.py", ("a1.py",), "a1.py"),
        ("a1 - Copy.py", ("a1.py",), "a1.py"),
        ("a1 - Copy (2).py", ("a1.py",), "a1.py"),
        ("a1 (1)-3.py", ("a1.py",), "a1.py"),
        ("text_stats (1).py", ("text_stats.py", "notes.txt"), "text_stats.py"),
        ("A3 (1).tar.gz", ("A3.tar.gz",), "A3.tar.gz"),
        ("a1.py", ("a1.py",), None),
        ("a1-2.py", ("a1.py", "a1-2.py"), None),
        ("a1-2 (1).py", ("a1.py", "a1-2.py"), "a1-2.py"),
        ("a12.py", ("a1.py",), None),
        ("a1-final.py", ("a1.py",), None),
        ("a1_2.py", ("a1.py",), None),
        ("A1 (1).py", ("a1.py",), None),
        ("a1 (1).txt", ("a1.py",), None),
        ("a1 (1)", ("a1",), None),
    ],
)
def test_the_original_of_a_copy(name: str, expected: tuple[str, ...], original: str | None) -> None:
    assert original_name(name, expected) == original


def lay(root: Path, tree: dict[str, str]) -> Path:
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def shown(one: Submission) -> tuple[list[str], str, tuple[str, ...]]:
    return [f"{f.name}={f.data.decode()}" for f in one.files], one.problem, one.notes


CASES: dict[str, tuple[object, list[str], object]] = {
    "one copy": (A1, ["a1 (1).py"], (["a1.py=0"], "", ("a1 (1).py was graded as a1.py",))),
    "two copies": (
        A1,
        ["a1 (1).py", "a1-2.py"],
        ([], "found a1 (1).py and a1-2.py, expected one file a1.py", ()),
    ),
    "a copy beside the file": (
        A1,
        ["a1 copy.py", "a1.py"],
        (["a1.py=1"], "", ("a1 copy.py was not graded",)),
    ),
    "a copy beside another file": (
        A1,
        ["a1(1).py", "tests.py"],
        (["a1.py=0"], "", ("a1(1).py was graded as a1.py",)),
    ),
    "a copy of one of two files": (
        TWO,
        ["game (2).py", "play.py"],
        (["game.py=0", "play.py=1"], "", ("game (2).py was graded as game.py",)),
    ),
    "a folder": (A1, ["sub/a1.py"], (["a1.py=0"], "", ("sub/a1.py was in a folder",))),
    "a folder in a folder": (
        A1,
        ["sub/src/a1.py", "read.me"],
        (["a1.py=0"], "", ("sub/src/a1.py was in a folder",)),
    ),
    "a copy in a folder": (
        A1,
        ["sub/a1-1.py"],
        (["a1.py=0"], "", ("sub/a1-1.py was in a folder", "sub/a1-1.py was graded as a1.py")),
    ),
    "two folders": (
        A1,
        ["new/a1.py", "old/a1.py"],
        ([], "found new/a1.py and old/a1.py, expected one file a1.py", ()),
    ),
    "the file outside counts": (A1, ["a1.py", "old/a1.py"], (["a1.py=0"], "", ())),
    "too deep": (A1, ["1/2/3/4/a1.py"], ([], "found 1, expected a1.py", ())),
    "a folder of many": (
        A1,
        ["sub/a1.py", *(f"venv/{number}" for number in range(1000))],
        ([], "found sub and venv, expected a1.py", ()),
    ),
    "both files in a folder": (
        TWO,
        ["sub/game.py", "sub/play.py"],
        (["game.py=0", "play.py=1"], "", ("sub/game.py and sub/play.py were in a folder",)),
    ),
}


@pytest.mark.parametrize(("assignment", "names", "expected"), CASES.values(), ids=CASES.keys())
def test_a_submission(
    tmp_path: Path, assignment: object, names: list[str], expected: object
) -> None:
    lay(tmp_path, {f"ada/{name}": str(index) for index, name in enumerate(names)})
    lay(tmp_path, {f"bob/{name}": "b" for name in ("a1.py", "game.py", "play.py")})
    ada, _ = read((tmp_path,), assignment)  # type: ignore[arg-type]
    assert shown(ada) == expected


def test_a_link_to_a_folder_is_not_looked_into(tmp_path: Path) -> None:
    lay(tmp_path, {"secret/a1.py": "s", "class/ada/notes.txt": "n", "class/bob/a1.py": "b"})
    (tmp_path / "class" / "ada" / "sub").symlink_to(tmp_path / "secret")
    ada, _ = read((tmp_path / "class",), A1)
    assert shown(ada)[:2] == ([], "found notes.txt and sub, expected a1.py")


def test_a_copy_handed_in_again_on_canvas(tmp_path: Path) -> None:
    """Canvas puts its own number behind the browser's."""
    lay(tmp_path, {"parkkim_41_7_a1 (1).py": "first", "parkkim_41_8_a1 (1)-1.py": "second"})
    found = by_id(cohort(tmp_path))["41"]
    assert (found.files[0].data, found.attempt, found.attempts) == (b"second", 2, 2)


def test_a_copy_of_the_archive(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "A3 (1).zip").write_bytes(zipped([("a1.py", b"packed")]))
    lay(tmp_path, {"bob/a1.py": "b"})
    ada, _ = read((tmp_path,), PACKED)
    assert shown(ada) == (["a1.py=packed"], "", ("A3 (1).zip was read as A3.zip",))
