"""What cannot be accepted in a class's download costs the submission that it is in, and no other;
and what is nobody's work is left out, wherever it lies."""

import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.intake.pipeline import Cohort
from harness.model.result import Contents
from harness.model.submission import Withheld
from tests.downloads import DOWNLOADS, HandIn, laid, program
from tests.intake.cohorts import A1, by_id, cohort, source_of
from tests.intake.made_archives import Files, tarred, with_flag, zipped, zipped_as

NAMED = {"gradescope", "brightspace", "moodle", "plain"}  # with a folder for each submission
CLASS = [HandIn(id=str(n), name=f"K{n}", files=program(f"{n}")) for n in (11, 12)]
EVE = HandIn(id="13", name="Eve", files=program("13"))


def listed(platform: str, extra: list[tuple[str, bytes]]) -> Files:
    """A download in which Eve handed in these files besides."""
    handed = HandIn(id=EVE.id, name=EVE.name, files=(*EVE.files, *extra))
    return list(DOWNLOADS[platform]([*CLASS, handed]).items())


PACKED: dict[str, Callable[[Files], bytes]] = {"zip": zipped, "tar.gz": tarred}


def read_packed(root: Path, data: bytes, name: str = "class.zip") -> Cohort:
    path = root / name
    path.write_bytes(data)
    return cohort(path)


def others_are_graded(found: Cohort) -> None:
    graded = by_id(found)
    assert {name: source_of(graded[name]) for name in ("11", "12")} == {"11": "11", "12": "12"}


def only_eve_is_held(found: Cohort, fault: str) -> None:
    others_are_graded(found)
    eve = by_id(found)["13"]
    assert eve.withheld is Withheld.NEEDS_REVIEW
    assert fault in eve.problem
    account = found.facts.contents
    assert account is not None
    assert account.review


FAULTS = {
    "d/" * 13 + "x.py": "folders more than 12 deep",
    "n" * 401 + ".py": "characters",
    "nul\0.py": "a NUL character",
}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("name", FAULTS, ids=["deep", "long", "nul"])
@pytest.mark.parametrize("platform", sorted(DOWNLOADS))
def test_a_name_costs_its_own_submission(
    tmp_path: Path, platform: str, name: str, packing: str
) -> None:
    if name.startswith("d/") and platform not in NAMED:
        name = "n" * 500
    if "\0" in name and packing != "zip":
        name = "n" * 500
    data = PACKED[packing](listed(platform, [(name, b"x")]))
    found = read_packed(tmp_path, data, f"class.{packing}")
    only_eve_is_held(found, FAULTS.get(name, "characters"))
    (*_, eve) = (one for one in found.submissions if one.id == "13")
    assert [choice.name for choice in eve.choices if choice.data == b"13"]


@pytest.mark.parametrize("platform", sorted(DOWNLOADS))
def test_one_name_twice_costs_its_own_submission(tmp_path: Path, platform: str) -> None:
    files = listed(platform, [])
    (own,) = (name for name, data in files if data == b"13")
    only_eve_is_held(read_packed(tmp_path, zipped([*files, (own, b"2")])), "two files named")


@pytest.mark.parametrize("platform", sorted(DOWNLOADS))
def test_a_file_and_a_folder_of_one_name_cost_their_submission(
    tmp_path: Path, platform: str
) -> None:
    files = listed(platform, [])
    (own,) = (name for name, data in files if data == b"13")
    found = read_packed(tmp_path, zipped([*files, (f"{own}/x.py", b"2")]))
    only_eve_is_held(found, "a file and a folder named")


@pytest.mark.parametrize("name", ["../a1.py", "/etc/a1.py", "C:\\a1.py", "13/../../x/a1.py"])
@pytest.mark.parametrize("platform", sorted(DOWNLOADS))
def test_a_path_that_leads_nowhere_is_listed(tmp_path: Path, platform: str, name: str) -> None:
    found = read_packed(tmp_path, zipped([*listed(platform, []), (name, b"x")]))
    others_are_graded(found)
    assert source_of(by_id(found)["13"]) == "13"
    account = found.facts.contents
    assert account is not None
    assert any(what.startswith(("a path outside", "an absolute")) for what in account.ignored)


@pytest.mark.parametrize("platform", sorted(DOWNLOADS))
def test_a_file_may_hold_what_begins_an_entry_of_an_archive(tmp_path: Path, platform: str) -> None:
    stored = zipped(
        [*listed(platform, [("notes.txt", b"PK\x01\x02" * (256 * 1024))])],
        method=zipfile.ZIP_STORED,
    )
    found = read_packed(tmp_path, stored)
    others_are_graded(found)
    assert source_of(by_id(found)["13"]) == "13"


def test_undecodable_bytes_in_one_name_do_not_stop_other_submissions(tmp_path: Path) -> None:
    data = zipped([*listed("plain", []), ("13/sch\u00f6n.txt", b"x")])
    found = read_packed(tmp_path, data.replace("ö".encode(), b"\xff\xfe"))
    others_are_graded(found)
    assert source_of(by_id(found)["13"]) == "13"


def test_fields_that_zipfile_refuses_cost_one_submission(tmp_path: Path) -> None:
    data = bytearray(zipped(listed("plain", [("notes.txt", b"")])))
    at = data.rindex(b"PK\x01\x02", 0, data.rindex(b"notes.txt"))
    struct.pack_into("<H", data, at + 6, 999)  # the version that is needed
    struct.pack_into("<H", data, at + 10, 97)  # the method
    found = read_packed(tmp_path, bytes(data))
    others_are_graded(found)


def test_each_broken_member_costs_its_submission(tmp_path: Path) -> None:
    files = listed("plain", [])
    for data in (
        with_flag(zipped(files), 1, member=len(files) - 1),
        zipped(files, method=zipfile.ZIP_STORED).replace(b"13PK", b"12PK"),
    ):
        found = read_packed(tmp_path, data)
        others_are_graded(found)
        assert by_id(found)["13"].withheld is Withheld.NEEDS_REVIEW


def test_a_class_packed_with_backslashes(tmp_path: Path) -> None:
    files = [(name.replace("/", "\\"), data) for name, data in listed("moodle", [])]
    found = read_packed(tmp_path, zipped(files))
    assert sorted(source_of(one) for one in found.submissions) == ["11", "12", "13"]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("platform", sorted(DOWNLOADS))
def test_backslashes_in_one_submission_are_folders(
    tmp_path: Path, platform: str, packed: bool
) -> None:
    eve = HandIn(id="13", name="Eve", files=(("A1\\a1.py", b"13"),))
    files = DOWNLOADS[platform]([*CLASS, eve])
    if packed:
        found = read_packed(tmp_path, zipped(list(files.items())))
    else:
        found = cohort(laid(files, tmp_path / "class"))
    others_are_graded(found)
    one = by_id(found)["13"]
    assert source_of(one) == "13"
    assert "backslashes in names were read as folders" in one.notes


# pip's own main.py is what was taken for the student's; a1.py stands for it.
INSTALLED = "lib/python3.12/site-packages/pip/a1.py"
JUNK = {
    "venv/pyvenv.cfg": b"home = /usr",
    f"venv/{INSTALLED}": b"pip",
    "venv/bin/a1.py": b"other",
    "Lib/site-packages/a1.py": b"other",
    "node_modules/x/a1.py": b"other",
    ".git/a1.py": b"other",
    ".idea/a1.py": b"other",
    ".vscode/a1.py": b"other",
    "__pycache__/a1.py": b"other",
    "__MACOSX/a1.py": b"other",
    ".ipynb_checkpoints/a1.py": b"other",
    ".DS_Store": b"x",
}


def account_of(found: Cohort) -> Contents:
    assert found.facts.contents is not None
    return found.facts.contents


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("platform", sorted(NAMED))
@pytest.mark.parametrize("around", ["", "A1/"])
def test_junk_is_nobodys_work(tmp_path: Path, platform: str, packed: bool, around: str) -> None:
    own = [("a1.py", b"13"), *JUNK.items()]
    eve = HandIn(id="13", name="Eve", files=tuple((f"{around}{name}", data) for name, data in own))
    files = DOWNLOADS[platform]([*CLASS, eve])
    if packed:
        found = read_packed(tmp_path, zipped(list(files.items())))
    else:
        found = cohort(laid(files, tmp_path / "class"))
    assert source_of(by_id(found)["13"]) == "13"
    others_are_graded(found)
    left_out = account_of(found).left_out
    for name in (
        "node_modules",
        ".git",
        ".idea",
        ".vscode",
        "__pycache__",
        "__MACOSX",
        ".DS_Store",
    ):
        assert f"13/{around}{name}" in left_out
    assert f"13/{around}venv" in left_out
    assert "left out inside" in str(account_of(found))


def test_junk_in_a_students_archive(tmp_path: Path) -> None:
    many = [(f"venv/{INSTALLED}{number}", b"") for number in range(1200)]
    own = zipped([("A1/a1.py", b"13"), *((f"A1/{n}", d) for n, d in [*JUNK.items(), *many])])
    laid({"13/A1.zip": own, "11/a1.py": b"11"}, tmp_path / "class")
    found = cohort(tmp_path / "class", replace(A1, archive="A1.zip"))
    assert source_of(by_id(found)["13"]) == "13"
    assert "13/A1/venv" in account_of(found).left_out


def test_an_environment_beside_the_class_is_not_a_submission(tmp_path: Path) -> None:
    files = {"11/a1.py": b"11", "12/a1.py": b"12", **JUNK}
    for found in (
        cohort(laid(files, tmp_path / "class")),
        read_packed(tmp_path, zipped(list(files.items()))),
    ):
        assert sorted(by_id(found)) == ["11", "12", "Lib"]
        assert "venv" in account_of(found).ignored


def test_work_in_the_folder_of_an_environment_counts(tmp_path: Path) -> None:
    files = {"13/pyvenv.cfg": b"", "13/a1.py": b"13", f"13/{INSTALLED}": b"pip"}
    found = cohort(laid({**files, "11/a1.py": b"11"}, tmp_path / "class"))
    assert source_of(by_id(found)["13"]) == "13"


def test_a_student_who_made_an_environment_round_the_work_stays(tmp_path: Path) -> None:
    files = {"13/pyvenv.cfg": b"", "13/A1/a1.py": b"13", "11/a1.py": b"11"}
    assert source_of(by_id(cohort(laid(files, tmp_path / "class")))["13"]) == "13"


def test_links_in_an_archive_cost_their_submission(tmp_path: Path) -> None:
    found = read_packed(tmp_path, zipped_as("13/a1.py", b"/etc/passwd", mode=0o120777))
    assert by_id(found)["13"].problem


@pytest.mark.parametrize("platform", sorted(DOWNLOADS))
def test_two_files_that_may_be_meant_are_held(tmp_path: Path, platform: str) -> None:
    files = dict(listed(platform, [("a1-1.py", b"other")]))
    found = cohort(laid(files, tmp_path / "class"))
    others_are_graded(found)
    eve = by_id(found)["13"]
    assert eve.withheld is Withheld.NEEDS_REVIEW
    assert "expected one file a1.py" in " ".join([eve.problem, *eve.notes])
    assert {choice.data for choice in eve.choices} == {b"13", b"other"} or platform == "canvas"


@pytest.mark.parametrize("files", [("a1-1.py",), ("a1.py", "a1-1.py")], ids=["lone", "equal"])
@pytest.mark.parametrize("platform", sorted(DOWNLOADS))
def test_a_lone_copy_or_an_equal_one_is_graded(
    tmp_path: Path, platform: str, files: tuple[str, ...]
) -> None:
    eve = HandIn(id="13", name="Eve", files=tuple((name, b"13") for name in files))
    found = cohort(laid(DOWNLOADS[platform]([*CLASS, eve]), tmp_path / "class"))
    assert source_of(by_id(found)["13"]) == "13"
