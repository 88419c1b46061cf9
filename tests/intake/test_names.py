"""Files of any name, copies that browsers and platforms name, and one folder as a submission."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.assignment.loading import load
from harness.common.errors import UserError
from harness.intake.entries import original_name
from harness.intake.pipeline import Cohort, read
from harness.intake.recognising import layout_names
from harness.intake.submissions import read_one
from harness.model.plan import Assignment, OtherFiles
from harness.model.submission import Submission, Withheld
from tests.downloads import HandIn, canvas, gradescope, program, zipped_class
from tests.intake.cohorts import A1, by_id, cohort, lay
from tests.intake.made_archives import zipped
from tests.tiny_course import FIXTURE

TWO = replace(A1, submission_files=("game.py", "play.py"))
PACKED = replace(A1, archive="A3.zip")


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


def shown(one: Submission) -> list[str]:
    """The files with their texts, the problem if there is one, and the notes."""
    files = [f"{file.name}={file.data.decode()}" for file in one.files]
    return [*files, *[one.problem] * bool(one.problem), *(f"note: {note}" for note in one.notes)]


# What ada hands in, each file with its place in the list for a text; what is said of it.
CASES: dict[str, tuple[list[str], list[str]]] = {
    "one copy": (["a1 (1).py"], ["a1.py=0", "note: a1 (1).py was graded as a1.py"]),
    "two copies": (
        ["a1 (1).py", "a1-2.py"],
        ["found a1 (1).py and a1-2.py, expected one file a1.py"],
    ),
    "a copy beside it": (["a1 copy.py", "a1.py"], ["a1.py=1", "note: a1 copy.py was not graded"]),
    "a copy beside another file": (
        ["a1(1).py", "tests.py"],
        ["a1.py=0", "note: a1(1).py was graded as a1.py"],
    ),
    "a folder": (["sub/a1.py"], ["a1.py=0", "note: sub/a1.py was in a folder"]),
    "a folder in a folder": (
        ["sub/src/a1.py", "read.me"],
        ["a1.py=0", "note: sub/src/a1.py was in a folder"],
    ),
    "a copy in a folder": (
        ["sub/a1-1.py"],
        ["a1.py=0", "note: sub/a1-1.py was in a folder", "note: sub/a1-1.py was graded as a1.py"],
    ),
    "two folders": (
        ["new/a1.py", "old/a1.py"],
        ["found new/a1.py and old/a1.py, expected one file a1.py"],
    ),
    "the file outside counts": (["a1.py", "old/a1.py"], ["a1.py=0"]),
    "too deep": (["1/2/3/4/a1.py"], ["found 1, expected a1.py"]),
    "a folder of many": (
        ["sub/a1.py", *(f"venv/{number}" for number in range(1000))],
        ["found sub and venv, expected a1.py"],
    ),
    "a copy of one of two files": (
        ["game (2).py", "play.py"],
        ["game.py=0", "play.py=1", "note: game (2).py was graded as game.py"],
    ),
    "both files in a folder": (
        ["sub/game.py", "sub/play.py"],
        ["game.py=0", "play.py=1", "note: sub/game.py and sub/play.py were in a folder"],
    ),
}


@pytest.mark.parametrize(("names", "said"), CASES.values(), ids=CASES)
def test_a_submission(tmp_path: Path, names: list[str], said: list[str]) -> None:
    lay(tmp_path, {f"ada/{name}": str(index) for index, name in enumerate(names)})
    lay(tmp_path, {f"bob/{name}": "b" for name in ("a1.py", "game.py", "play.py")})
    ada, _ = read((tmp_path,), TWO if "play.py" in names[-1] else A1)
    assert shown(ada) == said


def test_a_link_to_a_folder_is_not_looked_into(tmp_path: Path) -> None:
    lay(tmp_path, {"secret/a1.py": "s", "class/ada/notes.txt": "n", "class/bob/a1.py": "b"})
    (tmp_path / "class" / "ada" / "sub").symlink_to(tmp_path / "secret")
    ada, _ = read((tmp_path / "class",), A1)
    assert shown(ada) == ["found notes.txt and sub, expected a1.py"]


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
    assert shown(ada) == ["a1.py=packed", "note: A3 (1).zip was read as A3.zip"]


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    return load(FIXTURE, "tiny").plan.assignment


def test_it_is_one_submission_whatever_lies_in_it(assignment: Assignment, tmp_path: Path) -> None:
    names = ("ann/a1.py", "bob/a1.py", "submission_1/a1.py")
    lay(tmp_path, {**dict.fromkeys(names, "x = 1\n"), "submission_metadata.yml": "{"})
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
    lay(tmp_path, {f"{around}/a1.py".lstrip("/"): "x = 1\n", "__MACOSX": None})
    found = read_one(tmp_path, packed, "1")
    assert [file.name for file in found.files] == ["a1.py"]
    assert found.notes == ()


def test_an_archive_that_it_left(assignment: Assignment, tmp_path: Path) -> None:
    (tmp_path / "A3.zip").write_bytes(zipped([("a1.py", b"x = 1\n")]))
    found = read_one(tmp_path, replace(assignment, archive="A3.zip"), "1")
    assert [file.name for file in found.files] == ["a1.py"]


def test_links_are_not_followed(assignment: Assignment, tmp_path: Path) -> None:
    (tmp_path / "a1.py").symlink_to("/etc/passwd")
    assert "is a symbolic link" in read_one(tmp_path, assignment, "1").problem


def test_no_such_folder(assignment: Assignment, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such folder"):
        read_one(tmp_path / "gone", assignment, "1")


PARTS = (
    *("_", "-", " - ", "LATE", "anon", "12", "7", "a1", ".py", "a1.py", "a1-1.py", ".txt", "é"),
    *("_assignsubmission_file_", "_attempt_2024-09-24-21-26-00", "_attempt_2024-99-99-99-99-99"),
    *("Sep 24, 2024 926 PM", "Feb 30, 2024 1399 PM", "submission_1", "submission_metadata.yml"),
    *("/", "\u202e", "e\u0301", "O'Brien", "(", ")", "%s", "{0}"),
)
ANY = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("".join)
ALMOST = (
    *("{}_12_7_{}", "{}_LATE_13_8_{}", "anon_{}_7_{}", "{}_7_assignsubmission_file_{}"),
    *("{}_8_assignsubmission_file_/{}", "12-7 - {} - Sep 24, 2024 926 PM/{}"),
    *("13-7 - {} - Sep 24, 2024 926 PM - {}", "A1_{}_attempt_2024-09-24-21-26-00_{}"),
    *("{}_attempt_2024-09-24-21-26-00.txt{}", "submission_1/{}{}", "submission_metadata.yml{}{}"),
)
NAMES = st.one_of(
    ANY, *(st.tuples(ANY, ANY).map(lambda two, name=name: name.format(*two)) for name in ALMOST)
).filter(lambda name: not name.startswith("/"))
SETTINGS = settings(max_examples=150, deadline=None, derandomize=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("class")


def taken(folder: Path, files: dict[str, bytes], **asked: object) -> Cohort | str:
    """What is read of an archive with these files: submissions, or the line that says why not."""
    path = zipped_class(files, folder / "class.zip")
    for name, value in asked.items():
        if isinstance(value, bytes):
            asked[name] = folder / name
            (folder / name).write_bytes(value)
    try:
        return cohort(path, **asked)
    except UserError as error:
        return str(error)


def check(found: Cohort | str) -> None:
    if isinstance(found, str):
        assert "\n" not in found
        return
    ids = [one.id for one in found.submissions]
    assert len(set(ids)) == len(ids)
    for one in found.submissions:
        assert one.id.isprintable()
        assert one.files or one.problem or one.withheld
        assert "\n" not in "".join((one.problem, *one.notes))


@SETTINGS
@given(names=st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_any_names_in_a_class(folder: Path, names: list[str]) -> None:
    files = dict.fromkeys(names, b"x = 1")
    check(taken(folder, files))
    for layout in layout_names():
        check(taken(folder, files, layout=layout, due="2024-09-24T21:26Z", time_zone="UTC"))


@SETTINGS
@given(text=st.text(alphabet="-:[]{}&*!|>'\"\n #submitersnacdh_1", max_size=60))
def test_any_metadata(folder: Path, text: str) -> None:
    files = gradescope([HandIn(id="1", name="K", files=program(""))])
    whole = {name: data for name, data in files.items() if not name.endswith(".yml")}
    check(taken(folder, {**whole, "assignment_4100_export/submission_metadata.yml": text.encode()}))


@SETTINGS
@given(data=st.binary(max_size=60), start=st.sampled_from([b"", b"id,due\n1,", b"\xff\xfe"]))
def test_any_tables(folder: Path, data: bytes, start: bytes) -> None:
    files = canvas([HandIn(id="1", name="K", files=program(""))])
    check(taken(folder, files, roster=start + data))
    check(taken(folder, files, due="2024-09-24T21:26Z", extensions=start + data))
