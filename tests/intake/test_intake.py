"""Real folders in, submissions out."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.intake.pipeline import read
from harness.model.plan import Assignment
from harness.model.submission import Submission
from tests import plans
from tests.intake.cohorts import Tree, lay

ONE = plans.assignment(id="one")
TWO = replace(ONE, submission_files=("connect4.py", "c4game.py"))
ANY = replace(ONE, submission_files=("p4.py",), laid_as="p4.py")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def summary(submissions: tuple[Submission, ...]) -> list[str]:
    """Of each the files with their texts, or the problem, behind the id."""
    assert not any(one.files and one.problem for one in submissions)
    return [
        f"{one.id}: " + (one.problem or ", ".join(f"{f.name}={f.data.decode()}" for f in one.files))
        for one in submissions
    ]


LAYOUTS: dict[str, tuple[Assignment, Tree, list[str]]] = {
    "a folder of folders": (
        ONE,
        {"eve/a1.py": "e", "ada/a1.py": "a", "ada/notes.txt": "n", "README.md": "r"},
        ["ada: a1.py=a", "eve: a1.py=e"],
    ),
    "a folder that is a submission": (
        ONE,
        {"a1.py": "a", "extra.py": "x", "old/a1.py": "o"},
        ["root: a1.py=a"],
    ),
    "a folder of files": (
        ONE,
        {"ada.py": "a", "eve.py": "e", "notes.txt": "n"},
        ["ada: a1.py=a", "eve: a1.py=e"],
    ),
    "a sample with a wrong name": (
        ONE,
        {"Assignment1.py": "a", "expect.yaml": "mark: [0, 0]"},
        ["root: found Assignment1.py, expected a1.py"],
    ),
    "wrong names": (
        ONE,
        {
            "case/A1.py": "a",
            "both/x.py": "x",
            "both/y.py": "y",
            "none": None,
            "report/report.docx": "r",
            "inside/a1/main.py": "a",
            "hidden/.a1.py": "h",
            "marker/expect.yaml": "e",
        },
        [
            "both: found x.py and y.py, expected a1.py",
            "case: found A1.py, expected a1.py",
            "hidden: no file a1.py",
            "inside: found a1, expected a1.py",
            "marker: no file a1.py",
            "none: no file a1.py",
            "report: found report.docx, expected a1.py",
        ],
    ),
    "a folder around the files": (
        ONE,
        {"ada/a1/a1.py": "a", "bob/term/week 1/a1.py": "b", "eve/a1/a1.py": "e", "eve/b.py": "x"},
        ["ada: a1.py=a", "bob: a1.py=b", "eve: found b.py, expected a1.py"],
    ),
    "many wrong names": (
        ONE,
        {f"ada/{letter}.py": "" for letter in "abcdefgh"},
        ["ada: found a.py, b.py, c.py, d.py, e.py and 3 more, expected a1.py"],
    ),
    "what is never a submission": (
        ONE,
        {"ada/a1.py": "a", ".git/a1.py": "g", "__MACOSX/a1.py": "m", "__pycache__/a1.py": "c"},
        ["ada: a1.py=a"],
    ),
    "a folder named as the file": (
        ONE,
        {"ada/a1.py/inner.py": "i", "eve/a1.py": "e"},
        ["ada: a1.py is a folder, not a file", "eve: a1.py=e"],
    ),
    "two files": (
        TWO,
        {"ada/connect4.py": "c", "ada/c4game.py": "g", "eve/c4game.py": "g", "bob/x.py": "x"},
        [
            "ada: connect4.py=c, c4game.py=g",
            "bob: found x.py, expected connect4.py and c4game.py",
            "eve: c4game.py=g",
        ],
    ),
    "a file of any name": (
        ANY,
        {"ada/mine.py": "a", "eve/p4.py": "e", "eve/x.py": "x", "bob/a.py": "", "bob/b.py": ""},
        ["ada: p4.py=a", "bob: found a.py and b.py, expected p4.py", "eve: p4.py=e"],
    ),
    "ids that need care": (
        ONE,
        {"a\x1b[31mb/a1.py": "1", "a_[31mb/a1.py": "2", "a\u202eb/a1.py": "3", " c /a1.py": "4"},
        ["a_[31mb: a1.py=1", "a_[31mb-2: a1.py=2", "a_b: a1.py=3", "c: a1.py=4"],
    ),
    "a suffix that is taken": (
        ONE,
        {"a\x1b/a1.py": "1", "a\x1c/a1.py": "2", "a_-2/a1.py": "3"},
        ["a_: a1.py=1", "a_-2: a1.py=3", "a_-3: a1.py=2"],
    ),
    "nothing": (ONE, {}, []),
}


@pytest.mark.parametrize(("assignment", "tree", "expected"), LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layouts(root: Path, assignment: Assignment, tree: Tree, expected: list[str]) -> None:
    assert summary(read((lay(root, tree),), assignment)) == expected


def test_a_lone_file_is_graded_whatever_its_name(root: Path) -> None:
    lay(root, {"ada.py": "a", "deep/a1.py": "b"})
    first, second = read((root / "deep" / "a1.py", root / "ada.py"), ONE)
    assert summary((first, second)) == ["a1: a1.py=b", "ada: a1.py=a"]
    assert first.notes == ()
    assert second.notes == ("ada.py was graded as a1.py",)
    assert second.origin == str(root / "ada.py")


def test_a_missing_file_of_several_is_a_note(root: Path) -> None:
    (one,) = read((lay(root, {"ada/c4game.py": "g"}),), TWO)
    assert one.notes == ("connect4.py was not handed in",)


def test_several_paths_and_each_submission_once(root: Path) -> None:
    lay(root, {"x/ada/a1.py": "1", "x/eve/a1.py": "2", "y/ada/a1.py": "3"})
    submissions = read((root / "y", root / "x", root / "x" / "ada", root / "x"), ONE)
    assert summary(submissions) == ["ada: a1.py=1", "ada-2: a1.py=3", "eve: a1.py=2"]


def test_the_current_folder_has_a_name(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lay(root, {"a1.py": "a"}))
    assert summary(read((Path(),), ONE)) == ["root: a1.py=a"]


def test_links_and_pipes_are_not_followed(root: Path) -> None:
    lay(root, {"ada/notes.txt": "n", "eve/x.txt": "x", "outside/secret.py": "secret"})
    outside = root / "outside"
    root = root / "in"
    (root / "ada").mkdir(parents=True)
    (root / "eve").mkdir()
    (root / "ada" / "a1.py").symlink_to(outside / "secret.py")
    os.mkfifo(root / "eve" / "a1.py")
    (root / "linked").symlink_to(outside)
    (root / "loose.py").symlink_to(outside / "secret.py")
    assert summary(read((root,), ONE)) == [
        "ada: a1.py is a symbolic link, which is not followed",
        "eve: a1.py is a special file, not a file",
        "linked: linked is a symbolic link, which is not followed",
        "loose: loose.py is a symbolic link, which is not followed",
    ]


def test_a_path_that_the_user_names_may_be_a_link(root: Path) -> None:
    lay(root, {"real/a1.py": "a"})
    (root / "link").symlink_to(root / "real")
    (root / "ada.py").symlink_to(root / "real" / "a1.py")
    assert summary(read((root / "link" / "a1.py",), ONE)) == ["a1: a1.py=a"]
    assert summary(read((root / "ada.py",), ONE)) == ["ada: a1.py=a"]


def test_caps(root: Path) -> None:
    lay(root, {"big/a1.py": "#" * (512 * 1024 + 1), "fits/a1.py": "#" * (512 * 1024)})
    many = root / "many"
    many.mkdir()
    for number in range(1001):
        (many / f"{number}.txt").write_text("")
    problems = {one.id: one.problem for one in read((root,), ONE)}
    assert problems == {
        "big": "a1.py is larger than 512 KiB",
        "fits": "",
        "many": "the folder holds more than 1000 files",
    }


def test_a_name_as_long_as_the_disk_allows(root: Path) -> None:
    (one,) = read((lay(root, {"n" * 255 + "/a1.py": "a"}),), ONE)
    assert one.id == "n" * 100


def test_a_name_that_is_no_text(root: Path) -> None:
    lay(root, {})
    folder = os.fsencode(root) + b"/b\xe9b"
    os.mkdir(folder)  # noqa: PTH102  (a name of bytes)
    (one,) = read((root,), ONE)
    assert (one.id, one.problem) == ("b_b", "no file a1.py")


REFUSED = {
    "missing": (
        "nowhere",
        "there is no such file or folder. "
        "Hint: name the file with its folder, or go to that folder first (cd)",
    ),
    "a slip": ("clas.zip", "there is no such file or folder. Hint: is it class.zip?"),
    "an archive": (
        "class.zip",
        "is no archive, expected a zip or tar archive. "
        "Hint: download it again, or unpack it yourself and name the folder",
    ),
    "a pipe": ("pipe.py", "this is neither a folder, an archive nor a .py file"),
}


@pytest.mark.parametrize(("name", "what"), REFUSED.values(), ids=REFUSED.keys())
def test_a_path_that_cannot_be_read_is_one_line(root: Path, name: str, what: str) -> None:
    lay(root, {"class.zip": "PK"})
    os.mkfifo(root / "pipe.py")
    with pytest.raises(UserError) as caught:
        read((root / name,), ONE)
    assert str(caught.value) == f"{root / name}: {what}"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that a user without privilege may reach, as pytest's own may not be."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path
        for sealed in path.rglob("*"):
            sealed.chmod(0o755)


def unprivileged(root: Path) -> list[list[str]]:
    """What `read` finds when it is not root, to whom everything is readable."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            try:
                found = [[one.id, one.problem, one.withheld or ""] for one in read((root,), ONE)]
            except UserError as error:
                found = [[str(error)]]
            os.write(sink, json.dumps(found).encode())
        finally:
            os._exit(0)
    os.close(sink)
    with os.fdopen(source) as output:
        found = json.loads(output.read())
    os.waitpid(child, 0)
    return found


@pytest.mark.process
def test_one_unreadable_submission_stops_no_other(open_folder: Path) -> None:
    for name in ("ada", "bob", "eve"):
        (open_folder / name).mkdir()
        (open_folder / name / "a1.py").write_text(name)
    (open_folder / "ada" / "a1.py").chmod(0)
    (open_folder / "bob").chmod(0)
    assert unprivileged(open_folder) == [
        ["ada", "a1.py cannot be read (Permission denied)", "needs_review"],
        ["bob", "the folder cannot be read (Permission denied)", "needs_review"],
        ["eve", "", ""],
    ]


@pytest.mark.process
def test_an_unreadable_path_is_one_line(open_folder: Path) -> None:
    sealed = open_folder / "sealed"
    sealed.mkdir()
    sealed.chmod(0)
    assert unprivileged(sealed) == [[f"{sealed}: cannot be read (Permission denied)"]]


def test_the_digest_is_of_names_and_bytes(root: Path) -> None:
    lay(root, {"ada/a1.py": "a", "eve/a1.py": "a", "bob/a1.py": "b"})
    ada, bob, eve = read((root,), ONE)
    assert ada.digest == eve.digest != bob.digest


GLOBS: dict[str, tuple[Assignment, Tree, list[str]]] = {
    "any name": (
        ANY,
        {"ada/project4.py": "a", "eve/project4.py": "e"},
        ["ada: p4.py=a", "eve: p4.py=e"],
    ),
    "two files in one": (
        ANY,
        {"ada/project4.py": "a", "bob/a.py": "", "bob/b.py": ""},
        ["ada: p4.py=a", "bob: found a.py and b.py, expected p4.py"],
    ),
    "one with a wrong name": (
        ONE,
        {"ada/a1.py": "a", "eve/main.py": "e", "eve/old/main.py": "e", "none": None},
        ["ada: a1.py=a", "eve: found main.py, expected a1.py", "none: no file a1.py"],
    ),
    "all with a wrong name": (
        ONE,
        {"ada/main.py": "a", "eve/main.py": "e"},
        ["ada: found main.py, expected a1.py", "eve: found main.py, expected a1.py"],
    ),
    "a class beside a submission": (
        ONE,
        {"ada/a1.py": "a", "week1/bob/a1.py": "b", "week1/eve/a1.py": "e"},
        ["ada: a1.py=a", "bob: a1.py=b", "eve: a1.py=e"],
    ),
    "a folder around the files of each": (
        ONE,
        {"ada/a1/a1.py": "a", "eve/a1/a1.py": "e", "kim/main.py": "k"},
        ["ada: a1.py=a", "eve: a1.py=e", "kim: found main.py, expected a1.py"],
    ),
    "a folder around files of any name": (
        ANY,
        {"ada/a1/project4.py": "a", "eve/a1/project4.py": "e"},
        ["ada: p4.py=a", "eve: p4.py=e"],
    ),
    "a folder around files beside a class": (
        ONE,
        {"week1/ada/a1.py": "a", "week2/ada/a1.py": "b", "week2/eve/a1.py": "e"},
        ["ada: a1.py=a", "ada-2: a1.py=b", "eve: a1.py=e"],
    ),
    "two classes of files": (
        ONE,
        {"x/ada.py": "a", "x/bob.py": "b", "y/eve.py": "e", "y/kim.py": "k"},
        ["ada: a1.py=a", "bob: a1.py=b", "eve: a1.py=e", "kim: a1.py=k"],
    ),
}


@pytest.mark.parametrize(("assignment", "tree", "expected"), GLOBS.values(), ids=GLOBS.keys())
def test_folders_that_a_shell_lists(
    root: Path, assignment: Assignment, tree: Tree, expected: list[str]
) -> None:
    paths = sorted(lay(root, tree).iterdir())
    assert summary(read(paths, assignment)) == expected


def test_one_folder_is_named_as_among_others(root: Path) -> None:
    lay(root, {"ada/project4.py": "a"})
    (one,) = read((root / "ada",), ANY)
    assert (one.id, one.notes) == ("ada", ("project4.py was graded as p4.py",))


def test_a_folder_around_the_files_is_a_note(root: Path) -> None:
    lay(root, {"ada/a1/a1.py": "a", "eve/a1/a1.py": "e"})
    ada, _ = read(sorted(root.iterdir()), ONE)
    assert ada.origin == str(root / "ada")
    assert ada.notes == ("a1/a1.py was in a folder",)
    assert read((root,), ONE)[0] == ada
