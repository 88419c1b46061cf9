"""Everything in a download is accounted for: a student's, in need of review, or ignored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.intake.pipeline import Cohort
from harness.model.result import Contents
from harness.model.submission import Withheld
from tests.downloads import (
    DOWNLOADS,
    Files,
    HandIn,
    blackboard,
    canvas,
    laid,
    moodle,
    plain_files,
    program,
    zipped_class,
)
from tests.intake.cohorts import by_id, cohort

CLASS = [
    HandIn(id=str(100 + n), name=f"Student N{letter}", files=program("print(1)\n"))
    for n, letter in enumerate("abcdef")
]
JUNK: Files = {".DS_Store": b"x", "__MACOSX/._a": b"x", "._a1.py": b"x", "Thumbs.db": b"x"}
ALL: dict[str, Callable[[list[HandIn]], Files]] = {
    **DOWNLOADS,  # type: ignore[dict-item]
    "files": plain_files,
    "moodle flat": lambda handed: moodle(handed, flat=True),
    "canvas anonymous": lambda handed: canvas(handed, anonymous=True),
}


def contents(found: Cohort) -> Contents:
    """The account, which adds up."""
    account = found.facts.contents
    assert account is not None
    rest = len(account.review) + len(account.ignored) + len(account.metadata)
    assert account.total == account.of_students + rest
    return account


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("layout", sorted(ALL))
def test_the_sum_over_every_layout(tmp_path: Path, layout: str, packed: bool) -> None:
    files = ALL[layout](CLASS)
    root = "assignment_4100_export/" if layout == "gradescope" else ""
    files |= {root + name: data for name, data in JUNK.items()}
    place = zipped_class(files, tmp_path / "c.zip") if packed else laid(files, tmp_path / "c")

    account = contents(cohort(place))

    there = {name.removeprefix(root).split("/")[0] for name in files}
    assert account.total == len(there)
    assert account.students == len(CLASS)
    assert not account.review
    assert {".DS_Store", "__MACOSX", "._a1.py", "Thumbs.db"} <= set(account.ignored)


def test_what_lies_beside_the_folder_round_a_class_is_counted(tmp_path: Path) -> None:
    files = {f"class/{name}": data for name, data in moodle(CLASS).items()} | JUNK
    account = contents(cohort(zipped_class(files, tmp_path / "c.zip")))
    assert set(account.ignored) == {".DS_Store", "__MACOSX", "._a1.py", "Thumbs.db"}
    assert account.students == len(CLASS)


def test_the_line() -> None:
    account = Contents(
        what="folders",
        total=68,
        students=64,
        of_students=64,
        review=("one", "two"),
        ignored=(".DS_Store", "__MACOSX"),
    )
    line = "68 folders: 64 students, 2 need review, 2 ignored (.DS_Store, __MACOSX)"
    assert str(account) == line


def test_a_students_name_may_begin_with_a_dot(tmp_path: Path) -> None:
    files = moodle(CLASS) | {". Plato_99_assignsubmission_file/a1.py": b"print(1)\n"}
    roster = tmp_path / "roster.csv"
    roster.write_text("Identifier,Full name\nParticipant 99,. Plato\nParticipant 100,Student Na\n")
    for place in (laid(files, tmp_path / "c"), zipped_class(files, tmp_path / "c.zip")):
        found = cohort(place, roster=roster)
        plato = by_id(found)["99"]
        assert plato.withheld is Withheld.NEEDS_REVIEW
        assert "begins with a dot" in plato.notes[0]
        assert contents(found).review == (". Plato_99_assignsubmission_file",)


def test_a_plain_folder_may_begin_with_a_dot(tmp_path: Path) -> None:
    files = {"ann/a1.py": b"1\n", ".plato/a1.py": b"1\n", ".git/config": b"", "bob/a1.py": b"1\n"}
    for place in (laid(files, tmp_path / "c"), zipped_class(files, tmp_path / "c.zip")):
        found = cohort(place)
        assert by_id(found)["_plato"].withheld is Withheld.NEEDS_REVIEW
        assert str(contents(found)) == "4 folders: 2 students, 1 needs review, 1 ignored (.git)"


@pytest.mark.parametrize("layout", ["plain", "moodle", "brightspace"])
def test_a_folder_of_junk_alone_needs_review(tmp_path: Path, layout: str) -> None:
    junk = ((".a1.py", b"1\n"), (".DS_Store", b"x"), ("__pycache__/a1.pyc", b"x"))
    files = DOWNLOADS[layout]([*CLASS, HandIn(id="7", name="Only Junk", files=junk)])
    for place in (laid(files, tmp_path / "c"), zipped_class(files, tmp_path / "c.zip")):
        found = cohort(place)
        one = by_id(found)["7"]
        assert one.withheld is Withheld.NEEDS_REVIEW
        assert ".DS_Store, .a1.py and __pycache__" in one.notes[-1]
        assert len(contents(found).review) == 1


def test_a_text_or_link_typed_into_canvas_needs_review(tmp_path: Path) -> None:
    files = canvas(CLASS) | {"leeann_501_text.html": b"<p>", "raybob_LATE_502_link.html": b"<a>"}
    found = cohort(laid(files, tmp_path / "c"))
    both = by_id(found)["501"], by_id(found)["502"]
    assert [one.withheld for one in both] == [Withheld.NEEDS_REVIEW] * 2
    assert "as a text and not as a file" in both[0].notes[0]
    assert "as a link and not as a file" in both[1].notes[0]
    assert len(contents(found).review) == 2


def test_a_text_alone_typed_into_moodle_needs_review(tmp_path: Path) -> None:
    """Beside a file it is a remark, and the file is graded."""
    text, file = "assignsubmission_onlinetext_/onlinetext.html", "assignsubmission_file_/a1.py"
    files = {f"Ann Lee_1_{text}": b"<p>", f"Bob Ray_2_{text}": b"<p>"}
    files |= {f"Bob Ray_2_{file}": b"x = 1\n", f"Cy Fox_3_{file}": b"x = 1\n"}
    found = cohort(laid(files, tmp_path / "c"))
    assert by_id(found)["1"].withheld is Withheld.NEEDS_REVIEW
    assert "as a text and not as a file" in by_id(found)["1"].notes[0]
    assert [by_id(found)[name].withheld for name in "23"] == [None, None]


def test_a_file_that_is_called_as_a_typed_text_is_a_file(tmp_path: Path) -> None:
    files = canvas(CLASS) | {"leeann_501_9_text.html": b"<p>"}
    found = cohort(laid(files, tmp_path / "c"))
    assert by_id(found)["501"].withheld is None


@pytest.mark.parametrize("start", ["LATE_anon_", "anon_LATE_"])
def test_two_anonymous_late_ones_are_two(tmp_path: Path, start: str) -> None:
    files = {f"{start}{who}_88{n}_a1.py": b"1\n" for n, who in enumerate(("x1", "x2"))}
    found = cohort(laid(files | canvas(CLASS, anonymous=True), tmp_path / "c"))
    assert {"x1", "x2"} < set(by_id(found))
    assert "marked late by its platform" in by_id(found)["x1"].notes


def test_the_texts_about_attempts_are_their_students(tmp_path: Path) -> None:
    again = HandIn(id="100", name="Student Na", files=(), at=CLASS[0].at.replace(hour=13))
    account = contents(cohort(laid(blackboard([*CLASS, again]), tmp_path / "c")))
    assert str(account) == "13 files: 13 of 6 students"
