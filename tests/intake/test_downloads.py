"""What each platform gives to download in, students with their latest attempt out."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.intake.pipeline import read_cohort
from harness.intake.recognising import layout_names
from harness.intake.terms import ClassOptions
from harness.model.assignment import OtherFiles
from harness.model.submission import Renaming, Student, Withheld, WrongFiles
from tests.downloads import (
    DOWNLOADS,
    NOON,
    Files,
    HandIn,
    blackboard,
    brightspace,
    canvas,
    gradescope,
    laid,
    moodle,
    plain_files,
    plain_folders,
    program,
    tarred_class,
    zipped_class,
)
from tests.intake.cohorts import A1, by_id, cohort, refusal, source_of, told, withheld

AWKWARD = (
    "Mary-Ann O'Brien",
    "Zoë Müller",
    unicodedata.normalize("NFD", "Zoë Müller"),
    "Jo LATE",
    "LATE",
    "anon",
    "陈 伟",
    "Jo_1_2 Under_Score",
    "Bobby 7",
    "Kim - Lee",
    "Kim",
    "Kim",
)
CLASS = [
    HandIn(id=str(1001 + index), name=name, files=program(f"who = {index}"))
    for index, name in enumerate(AWKWARD)
]


PACKINGS: dict[str, Callable[[Files, Path], Path]] = {
    "folder": lambda files, root: laid(files, root / "class"),
    "zip": lambda files, root: zipped_class(files, root / "class.zip"),
    "tar": lambda files, root: tarred_class(files, root / "class.tar", mode="w"),
    "tar.gz": lambda files, root: tarred_class(files, root / "class.tar.gz"),
    "a folder around it": lambda files, root: laid(
        {f"downloads/{name}": data for name, data in files.items()}, root / "class"
    ),
    "a zip with a folder around it": lambda files, root: zipped_class(
        {f"downloads/{name}": data for name, data in files.items()}, root / "class.zip"
    ),
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("platform", DOWNLOADS)
def test_downloads_of_every_platform_are_read(tmp_path: Path, platform: str, packing: str) -> None:
    if (platform, packing) == ("plain", "a folder around it"):
        return  # a plain folder of one folder is one submission, and always was
    found = cohort(PACKINGS[packing](DOWNLOADS[platform](CLASS), tmp_path))
    submissions = by_id(found)
    name = platform if platform == "plain" else platform.capitalize()
    assert found.facts.layouts == (name,)
    assert (found.facts.submissions, found.facts.students) == (12, 12)
    assert set(submissions) == {one.id for one in CLASS}
    for number, one in enumerate(CLASS):
        submission = submissions[one.id]
        assert source_of(submission) == f"who = {number}"
        assert (submission.problem, submission.withheld) == ("", None)
        assert (submission.student is None) == (platform == "plain")
        if submission.student is not None:
            assert submission.student.id == one.id
            assert submission.attempt == submission.attempts == 1
            name = unicodedata.normalize("NFC", one.name)
            name = name.replace("_", " ") if platform == "moodle" else name
            assert submission.student.name == name or platform == "canvas"


def test_the_layout_is_shown_in_words(tmp_path: Path) -> None:
    again = replace(CLASS[0], files=program("again"))
    found = cohort(laid(canvas([*CLASS[:2], again]), tmp_path / "class"))
    assert str(found.facts) == "layout: Canvas, 3 submissions of 2 students"
    lone = tmp_path / "a1.py"
    lone.write_text("x")
    assert str(cohort(lone).facts) == "layout: plain, 1 submission of 1 student"


def test_names_in_a_canvas_download_are_taken_apart(tmp_path: Path) -> None:
    files = {
        "late_77_1_a1.py": b"LATE is the name",
        "LATE_78_2_a1.py": b"so it is",
        "LATE_LATE_79_3_a1.py": b"and late",
        "o_brien_LATE_80_4_a1.py": b"underscore, late",
        "smith_81_5_my_1_2_b1.py": b"digits in the file's name",
    }
    found = by_id(cohort(laid(files, tmp_path / "class"), due="2024-09-24T12:00Z"))
    said = {name: (one.student and one.student.name, one.withheld) for name, one in found.items()}
    assert said == {
        "77": ("late", None),
        "78": ("LATE", None),
        "79": ("LATE", Withheld.LATE),
        "80": ("o_brien", Withheld.LATE),
        "81": ("smith", None),
    }
    assert found["81"].problem == "found my_1_2_b1.py, expected a1.py"
    assert found["81"].wrong_files == WrongFiles(
        renaming=Renaming(found="my_1_2_b1.py", expected="a1.py")
    )
    assert found["79"].notes == ("marked late by its platform, due 2024-09-24T12:00:00+00:00",)


def test_canvas_ids_cannot_be_taken_by_a_files_name(tmp_path: Path) -> None:
    files = {"kim_81_5_1_2_a1.py": b"not student 1's", "lee_82_6_a1.py": b"lee's"}
    found = by_id(cohort(laid(files, tmp_path / "class")))
    assert withheld(found) == {"81": Withheld.NEEDS_REVIEW, "82": None}
    assert found["81"].notes == ("kim_81_5_1_2_a1.py can be read as two students'",)


def test_an_anonymous_canvas_download_is_read(tmp_path: Path) -> None:
    handed = [
        HandIn(id="aB3dE", name="", files=program("one")),
        HandIn(id="77", name="", files=program("two"), late=True),
    ]
    found = by_id(cohort(laid(canvas(handed, anonymous=True), tmp_path / "class")))
    assert {name: (source_of(one), one.student) for name, one in found.items()} == {
        "aB3dE": ("one", Student(id="aB3dE")),
        "77": ("two", Student(id="77")),
    }


def test_canvas_attempts_are_told_by_their_numbers(tmp_path: Path) -> None:
    files = {
        "smith_1_11_a1-1.py": b"second",
        "smith_LATE_1_12_a1-10.py": b"eleventh, late",
        "jones_2_13_a1-2.py": b"third alone",
        "kim_3_14_other-1.py": b"another name",
    }
    path = laid(files, tmp_path / "class")
    found = by_id(cohort(path))
    assert source_of(found["1"]) == "eleventh, late"
    assert (found["1"].attempt, found["1"].attempts) == (11, 11)
    assert (source_of(found["2"]), found["2"].attempt) == ("third alone", 3)
    assert found["3"].problem == "found other-1.py, expected a1.py"
    found = by_id(cohort(path, due="2024-09-24T12:00Z"))
    assert (source_of(found["1"]), found["1"].attempt) == ("second", 2)
    assert found["1"].notes == ("1 later attempt came in after the due time",)


def test_canvas_attempts_of_two_files(tmp_path: Path) -> None:
    two = replace(A1, submission_files=("x.py", "y.py"))
    files = {"smith_1_10_x.py": b"x0", "smith_1_11_y.py": b"y0", "smith_1_12_x-1.py": b"x1"}
    (one,) = cohort(laid(files, tmp_path / "class"), two).submissions
    assert one.withheld is Withheld.NEEDS_REVIEW
    files = {"smith_1_10_x.py": b"x0", "smith_1_11_y.py": b"y0", "smith_LATE_1_12_x-1.py": b"x1"}
    (one,) = cohort(laid(files, tmp_path / "late"), two).submissions
    assert [(file.name, file.data) for file in one.files] == [("x.py", b"x1"), ("y.py", b"y0")]
    assert (one.attempt, one.attempts) == (2, 2)


def test_canvas_what_is_late_is_a_later_attempt(tmp_path: Path) -> None:
    any_name = replace(A1, submission_files=(), laid_as="a1.py")
    files = {
        "smith_1_10_four.py": b"in time",
        "smith_LATE_1_11_five.py": b"late, under another name",
        "jones_2_12_a1.py": b"in time",
        "jones_LATE_2_13_a1-1.py": b"late",
        "jones_LATE_2_14_readme.py": b"late, for the first time",
    }
    path = laid(files, tmp_path / "class")
    for found in (
        by_id(cohort(path, any_name, due="2024-09-24T12:00Z"))["1"],
        by_id(cohort(path, due="2024-09-24T12:00Z"))["2"],
    ):
        assert source_of(found) == "in time"
        assert (found.attempt, found.attempts) == (1, 2)
        assert found.notes[0] == "1 later attempt came in after the due time"
    assert source_of(by_id(cohort(path))["2"]) == "late"


def test_brightspace_finds_which_number_is_the_students(tmp_path: Path) -> None:
    def named(*pairs: tuple[int, int]) -> dict[str, bytes]:
        return {f"{one}-{two} - Kim - Sep 24, 2024 926 PM/a1.py": b"" for one, two in pairs}

    cases = (
        (((1, 9), (2, 9)), {"1", "2"}),
        (((9, 1), (9, 2)), {"1", "2"}),
        (((9, 1),), {"9-1"}),
        (((8, 1), (9, 2)), {"8-1", "9-2"}),
    )
    for number, (pairs, ids) in enumerate(cases):
        assert set(by_id(cohort(laid(named(*pairs), tmp_path / str(number))))) == ids


def test_brightspace_flat_and_clocks(tmp_path: Path) -> None:
    files = {
        "1-9 - Kim - Jan 1, 2024 1205 AM - a1.py": b"k",
        "2-9 - Lee - Sep 4, 2024 12:00 PM - a1.py": b"l",
        "3-9 - Oda - Sep 14, 2024 2126 - a1.py": b"o",
        "index.html": b"",
    }
    found = by_id(cohort(laid(files, tmp_path / "class"), time_zone="Australia/Brisbane"))
    assert {name: one.handed_in for name, one in found.items()} == {
        "1": "2024-01-01T00:05:00+10:00",
        "2": "2024-09-04T12:00:00+10:00",
        "3": "2024-09-14T21:26:00+10:00",
    }
    assert source_of(found["1"]) == "k"
    assert found["1"].source == "1-9 - Kim - Jan 1, 2024 1205 AM"


def test_blackboard_titles_and_users_with_underscores(tmp_path: Path) -> None:
    handed = [
        HandIn(id="s_1_2", name="Jo (Josephine) Kim", files=program("1")),
        HandIn(id="s_1_3", name="Lee", files=program("2", "a1_attempt_2.py")),
    ]
    files = blackboard(handed, assignment="Week_1_attempt_A")
    found = by_id(cohort(laid(files, tmp_path / "class")))
    assert {name: one.student and one.student.name for name, one in found.items()} == {
        "s_1_2": "Jo (Josephine) Kim",
        "s_1_3": "Lee",
    }
    assert found["s_1_3"].problem == "found a1_attempt_2.py, expected a1.py"
    bare = {name: data for name, data in files.items() if not name.endswith(".txt")}
    found = by_id(cohort(laid(bare, tmp_path / "bare")))
    assert {one.student and one.student.name for one in found.values()} == {""}
    assert len(found) == 2


def test_blackboard_text_without_a_file(tmp_path: Path) -> None:
    handed = [*CLASS[:1], HandIn(id="nobody", name="N", files=())]
    found = by_id(cohort(laid(blackboard(handed), tmp_path / "class")))
    assert found["nobody"].withheld is Withheld.NO_SUBMISSION
    assert found["nobody"].notes == ("handed in without any file",)


def test_blackboard_text_that_cannot_be_read(tmp_path: Path) -> None:
    folder = laid(blackboard(CLASS[:2]), tmp_path / "class")
    text = next(path for path in folder.iterdir() if f"_{CLASS[0].id}_" in path.name)
    assert text.suffix == ".txt"
    text.unlink()
    text.symlink_to("elsewhere.txt")
    found = by_id(cohort(folder))
    assert len(found) == 2
    assert found[CLASS[1].id].student
    assert found[CLASS[1].id].student.name == CLASS[1].name


def test_flat_and_blind_moodle_downloads_are_read(tmp_path: Path) -> None:
    found = by_id(cohort(laid(moodle(CLASS, flat=True), tmp_path / "flat")))
    assert [source_of(found[one.id]) for one in CLASS] == [f"who = {n}" for n in range(12)]
    found = by_id(cohort(laid(moodle(CLASS, blind=True), tmp_path / "blind")))
    assert {one.student and one.student.name for one in found.values()} == {""}
    assert set(found) == {one.id for one in CLASS}
    assert found["1001"].source == "Participant_1001_assignsubmission_file_"


def test_gradescope_groups_have_the_same_files_each(tmp_path: Path) -> None:
    handed = [
        HandIn(
            id="007",
            name="Ada",
            email="ada@example.edu",
            files=program("ours"),
            at=datetime(2024, 9, 24, 21, 26, 5, 123000, timezone(timedelta(hours=-7))),
            others=(("", "Eve", "eve@example.edu"), ("", "No Mail", "")),
        )
    ]
    found = by_id(cohort(zipped_class(gradescope(handed), tmp_path / "x.zip")))
    assert {one.student for one in found.values()} == {
        Student(id="007", name="Ada", email="ada@example.edu"),
        Student(id="eve@example.edu", name="Eve", email="eve@example.edu"),
        Student(id="No Mail", name="No Mail"),
    }
    assert {source_of(one) for one in found.values()} == {"ours"}
    assert len({one.origin for one in found.values()}) == 1
    assert found["007"].notes == ("handed in together with Eve, No Mail",)
    assert found["007"].handed_in == "2024-09-24T21:26:05-07:00"


def test_gradescope_tells_of_attempts_that_it_does_not_hold(tmp_path: Path) -> None:
    attempts = [
        HandIn(id="1", name="Ada", files=program(str(n)), at=NOON + timedelta(hours=n))
        for n in range(3)
    ]
    path = laid(gradescope(attempts), tmp_path / "class")
    found = cohort(path)
    (one,) = found.submissions
    assert (source_of(one), one.attempt, one.attempts) == ("2", 3, 3)
    assert str(found.facts) == "layout: Gradescope, 3 submissions of 1 student"
    (one,) = cohort(path, due="2024-09-24T13:30Z").submissions
    assert one.withheld is Withheld.NEEDS_REVIEW
    assert one.notes == (
        "the attempt of 2024-09-24T13:00:00+00:00 was in time, but this export contains only a "
        "later one",
    )
    (one,) = cohort(path, due="2024-09-24T11:00Z").submissions
    assert one.withheld is Withheld.LATE


def test_gradescope_folder_without_a_line_and_line_without_a_folder(tmp_path: Path) -> None:
    files = gradescope(CLASS[:2])
    files["assignment_4100_export/submission_9/a1.py"] = b"whose?"
    del files["assignment_4100_export/submission_52001/a1.py"]
    found = by_id(cohort(laid(files, tmp_path / "class")))
    assert withheld(found) == {
        "1001": Withheld.NO_SUBMISSION,
        "1002": None,
        "submission_9": Withheld.NEEDS_REVIEW,
    }
    assert found["submission_9"].notes == ("submission_metadata.yml does not say whose it is",)


METADATA = "assignment_4100_export/submission_metadata.yml"
MALFORMED: dict[str, object] = {
    ":1: the metadata cannot be used: ": b"a: [}",
    ": the metadata cannot be used: it is not a list of submissions": b"- x",
    ": the metadata cannot be used: "
    "submission_1 has no list of :submitters": b"submission_1:\n  :created_at: x\n",
    ": the metadata cannot be used: "
    "submission_1 has a submitter without fields": b"submission_1:\n  :submitters: [x]\n",
    ": the metadata cannot be used: submission_1 "
    "has no time in 'noon'": b"submission_1:\n  :submitters: []\n  :created_at: noon\n",
    ": the metadata cannot be used: it is nested too deeply": b"[" * 200_000,
    ": the metadata cannot be used: byte 0 is not UTF-8": b"\xff\xfe",
}


def test_metadata_as_ruby_writes_it(tmp_path: Path) -> None:
    text = b"""---
submission_52001: !ruby/hash:ActiveSupport::HashWithIndifferentAccess
  :submitters:
  - &ada
    :name: Ada
    :sid: 0071
    :email: ~
  :created_at: 2024-09-24 21:26:05.103040000 Z
  :history: &none []
submission_52002:
  :submitters:
  - *ada
  - :name: no
    :sid: null
    :email: no@example.edu
  :created_at: !ruby/object:Time 2024-09-25 21:26:05 UTC
  :history: *none
"""
    found = by_id(cohort(laid({**gradescope(CLASS[:2]), METADATA: text}, tmp_path / "class")))
    assert {name: (one.student, one.handed_in) for name, one in found.items()} == {
        "0071": (Student(id="0071", name="Ada"), "2024-09-25T21:26:05+00:00"),
        "no@example.edu": (
            Student(id="no@example.edu", name="no", email="no@example.edu"),
            "2024-09-25T21:26:05+00:00",
        ),
    }
    assert found["0071"].attempts == 2


@pytest.mark.parametrize(("text", "what"), told(MALFORMED))
def test_malformed_metadata_is_one_line(tmp_path: Path, text: bytes, what: str) -> None:
    path = laid({**gradescope(CLASS), METADATA: text}, tmp_path / "class")
    line = refusal(path)
    assert line.startswith(f"{path / METADATA}{what}")
    assert line.endswith("Hint: export the submissions again")
    assert "\n" not in line


@pytest.mark.parametrize("build", [plain_folders, plain_files])
def test_composed_and_decomposed_names_stay_two_students(
    tmp_path: Path, build: Callable[[Sequence[HandIn]], Files]
) -> None:
    names = ["Zoë", unicodedata.normalize("NFD", "Zoë")]
    files = build([HandIn(id=name, name=name, files=program(name)) for name in names])
    found = by_id(cohort(laid(files, tmp_path / "class")))
    assert len({unicodedata.normalize("NFC", name) for name in found}) == 2


def test_something_else_beside_a_download(tmp_path: Path) -> None:
    files = {**canvas(CLASS[:2]), "ada.py": b"", "more/a1.py": b"", "marks.csv": b""}
    path = laid(files, tmp_path / "class")
    assert refusal(path) == (
        f"{path}: the layout is not clear: 2 with names like Canvas's and 2 with other names "
        "(ada.py and more). Hint: --layout canvas | plain"
    )
    found = by_id(cohort(path, layout="canvas"))
    assert withheld(found) == {
        "1001": None,
        "1002": None,
        "ada": Withheld.NEEDS_REVIEW,
        "more": Withheld.NEEDS_REVIEW,
    }
    assert found["ada"].notes == ("its name does not look like Canvas's",)
    assert len(cohort(path, layout="plain").submissions) == 4


def test_two_layouts_in_one_folder(tmp_path: Path) -> None:
    path = laid({**canvas(CLASS[:2]), **moodle(CLASS[2:])}, tmp_path / "class")
    with pytest.raises(
        UserError, match=r"10 with names like Moodle's and 2 with names like Canvas"
    ):
        cohort(path)


def test_a_layout_that_is_not_there(tmp_path: Path) -> None:
    path = laid(plain_folders(CLASS), tmp_path / "class")
    assert refusal(path, layout="moodle") == (
        f"{path}: no name here looks like Moodle's (Mary-Ann Smith_4711_assignsubmission_file_). "
        f"Hint: --layout {' | '.join(layout_names())}, or leave it out"
    )


def test_two_downloads_of_one_class(tmp_path: Path) -> None:
    old = [HandIn(id=str(n), name=f"K{n}", files=program("old"), at=NOON) for n in (1, 2)]
    new = [HandIn(id="1", name="K1", files=program("new"), at=NOON + timedelta(days=1))]
    paths = (
        laid(brightspace([*old]), tmp_path / "monday"),
        laid(brightspace([*new, HandIn(id="3", name="K3", files=program("3"))]), tmp_path / "b"),
    )
    found = read_cohort((*paths, paths[0]), A1, ClassOptions())
    sources = {one.id: source_of(one) for one in found.submissions}
    assert sources == {"1": "new", "2": "old", "3": "3"}
    assert str(found.facts) == "layout: Brightspace, 4 submissions of 3 students"


def test_one_id_with_two_names_is_for_a_person(tmp_path: Path) -> None:
    files = {"kim_5_1_a1.py": b"", "lee_5_2_a1.py": b""}
    (one,) = cohort(laid(files, tmp_path / "class")).submissions
    assert one.withheld is Withheld.NEEDS_REVIEW
    assert one.notes == ("its id has several names in the download",)


OTHERWISE: dict[str, object] = {
    "found b1.py, expected a1.py": (("b1.py", b""),),
    "found a1.zip (a zip archive), expected a1.py": (("a1.zip", b"PK\x05\x06"),),
    "found one.py and two.py, expected a1.py": (("one.py", b""), ("two.py", b"")),
}


@pytest.mark.parametrize("otherwise", OtherFiles)
@pytest.mark.parametrize(("files", "problem"), told(OTHERWISE))
def test_something_else_was_handed_in(
    tmp_path: Path, files: tuple[tuple[str, bytes], ...], problem: str, otherwise: OtherFiles
) -> None:
    path = laid(moodle([replace(CLASS[0], files=files)]), tmp_path / "class")
    (one,) = cohort(path, replace(A1, otherwise=otherwise)).submissions
    assert one.problem == problem
    assert one.withheld is (Withheld.NEEDS_REVIEW if otherwise is OtherFiles.REVIEW else None)
