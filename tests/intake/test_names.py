"""Files of any name, copies that browsers and platforms name, and one folder as a submission; who
should have handed in, against who did."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.assignment.loading import load
from harness.common.csv_tables import read_sheet
from harness.common.errors import UserError
from harness.intake.entries import intended_name, original_name
from harness.intake.pipeline import Cohort, read
from harness.intake.recognising import layout_names
from harness.intake.submissions import read_one
from harness.intake.terms import read_roster
from harness.model.assignment import Assignment, OtherFiles
from harness.model.submission import Student, Submission, Withheld
from tests.downloads import (
    HandIn,
    blackboard,
    brightspace,
    canvas,
    gradescope,
    laid,
    moodle,
    plain_folders,
    program,
    zipped_class,
)
from tests.intake.cohorts import A1, by_id, cohort, lay, refusal, source_of, table, told, withheld
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
        ("A1 (1).py", ("a1.py",), "a1.py"),
        ("A1.PY", ("a1.py",), "a1.py"),
        ("a1.py", ("A1.py",), "A1.py"),
        ("u\u0308bung.py", ("\u00fcbung.py",), "\u00fcbung.py"),
        ("A1.PY", ("a1.py", "A1.py"), None),
        ("A1.py", ("a1.py", "A1.py"), None),
        ("a1.py.txt", ("a1.py",), "a1.py"),
        ("A1 (1).PY.TXT", ("a1.py",), "a1.py"),
        ("a1.txt", ("a1.py",), None),
        ("a1 - Kopie (2).py", ("a1.py",), "a1.py"),
        ("a1 Kopie.py", ("a1.py",), "a1.py"),
        ("a1 (1).txt", ("a1.py",), None),
        ("a1 (1)", ("a1",), None),
        ("Kopie von a1.py", ("a1.py",), "a1.py"),
        ("Copy of Copy of a1 (1).py", ("a1.py",), "a1.py"),
        ("a1.py.py", ("a1.py",), "a1.py"),
        ("a1.py.PY.txt", ("a1.py",), "a1.py"),
        (".py.py", ("a1.py",), None),
    ],
)
def test_the_original_of_a_copy(name: str, expected: tuple[str, ...], original: str | None) -> None:
    assert original_name(name, expected) == original


@pytest.mark.parametrize(
    ("name", "expected", "intended"),
    [
        ("a1_2.py", ("a1.py",), "a1.py"),
        ("a1_2.py", ("a1.py", "a1_2.py"), None),
        ("A1_2 (1).py", ("a1.py",), "a1.py"),
        ("a1.txt", ("a1.py",), "a1.py"),
        ("A1 (1).TXT", ("a1.py",), "a1.py"),
        ("Copy of a1.txt", ("a1.py",), "a1.py"),
        ("a1.txt", ("a1.py", "a1.txt"), None),
        ("a1_final.py", ("a1.py",), None),
        ("a1_2", ("a1.py",), None),
        ("notes.txt", ("a1.py",), None),
        ("a1 (1).py", ("a1.py",), "a1.py"),
    ],
)
def test_the_name_that_is_meant_if_it_is_not_there(
    name: str, expected: tuple[str, ...], intended: str | None
) -> None:
    assert intended_name(name, expected) == intended


def shown(one: Submission) -> list[str]:
    """The files with their texts, the problem if there is one, and the notes."""
    files = [f"{file.name}={file.data.decode()}" for file in one.files]
    return [*files, *[one.problem] * bool(one.problem), *(f"note: {note}" for note in one.notes)]


# What ada hands in, each file with its place in the list for a text; what is said of it.
CASES: dict[str, tuple[list[str], list[str]]] = {
    "one copy": (["a1 (1).py"], ["a1.py=0", "note: a1 (1).py was graded as a1.py"]),
    "capital letters": (["A1.PY"], ["a1.py=0", "note: A1.PY was graded as a1.py"]),
    "capital letters in a folder": (
        ["src/A1.Py"],
        ["a1.py=0", "note: src/A1.Py was in a folder", "note: src/A1.Py was graded as a1.py"],
    ),
    "two spellings": (["A1.PY", "A1.py"], ["found A1.PY and A1.py, expected one file a1.py"]),
    "a hidden ending": (["a1.py.txt"], ["a1.py=0", "note: a1.py.txt was graded as a1.py"]),
    "another ending": (["a1.txt"], ["a1.py=0", "note: a1.txt was graded as a1.py"]),
    "a number behind a line": (["a1_1.py"], ["a1.py=0", "note: a1_1.py was graded as a1.py"]),
    "two numbers": (
        ["a1_1.py", "a1_2.py"],
        ["found a1_1.py and a1_2.py, expected one file a1.py"],
    ),
    "a copy of a name before it": (
        ["Kopie von a1.py", "a1.txt"],
        ["a1.py=0", "note: Kopie von a1.py was graded as a1.py"],
    ),
    "a module that has a number": (["a1.py", "a1_1.py"], ["a1.py=0"]),
    "notes beside it": (["a1.py", "a1.txt"], ["a1.py=0"]),
    "two copies": (
        ["a1 (1).py", "a1-2.py"],
        ["found a1 (1).py and a1-2.py, expected one file a1.py"],
    ),
    "a copy beside it": (
        ["a1 copy.py", "a1.py"],
        ["found a1.py and a1 copy.py, expected one file a1.py"],
    ),
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
    assert by_id(cohort(tmp_path))["41"].withheld is Withheld.NEEDS_REVIEW
    (tmp_path / "parkkim_41_8_a1 (1)-1.py").write_text("first")  # the same once more
    found = by_id(cohort(tmp_path))["41"]
    assert (found.files[0].data, found.attempt, found.attempts) == (b"first", 2, 2)


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
    asking = replace(assignment, otherwise=OtherFiles.REVIEW)
    assert read_one(tmp_path, asking, "1").withheld is Withheld.NEEDS_REVIEW


UNPACKED = {"a1.py": b"x = 1\n", "__MACOSX/._a1.py": b""}
LEFT = {"A3.zip": zipped([("a1.py", b"x = 1\n")])}
AROUND = {f"A3/{name}": data for name, data in UNPACKED.items()}


@pytest.mark.parametrize("files", [UNPACKED, AROUND | {"__MACOSX/._A3": b""}, LEFT])
def test_unpacked_archives(assignment: Assignment, tmp_path: Path, files: dict[str, bytes]) -> None:
    found = read_one(laid(files, tmp_path), replace(assignment, archive="A3.zip"), "1")
    assert [file.name for file in found.files] == ["a1.py"]
    assert found.notes == ()


def test_links_are_not_followed(assignment: Assignment, tmp_path: Path) -> None:
    (tmp_path / "a1.py").symlink_to("/etc/passwd")
    assert "is a symbolic link" in read_one(tmp_path, assignment, "1").problem


def test_a_folder_that_does_not_exist_is_named(assignment: Assignment, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="this folder does not exist"):
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
def test_any_metadata_can_be_read(folder: Path, text: str) -> None:
    files = gradescope([HandIn(id="1", name="K", files=program(""))])
    whole = {name: data for name, data in files.items() if not name.endswith(".yml")}
    check(taken(folder, {**whole, "assignment_4100_export/submission_metadata.yml": text.encode()}))


@SETTINGS
@given(data=st.binary(max_size=60), start=st.sampled_from([b"", b"id,due\n1,", b"\xff\xfe"]))
def test_any_tables_can_be_read(folder: Path, data: bytes, start: bytes) -> None:
    files = canvas([HandIn(id="1", name="K", files=program(""))])
    check(taken(folder, files, roster=start + data))
    check(taken(folder, files, due="2024-09-24T21:26Z", extensions=start + data))


def one(name: str, called: str = "", email: str = "") -> HandIn:
    return HandIn(id=name, name=called or f"Kim {name}", files=program(name), email=email)


def with_roster(tmp_path: Path, files: Mapping[str, bytes], text: str, **asked: object) -> Cohort:
    return cohort(
        laid(files, tmp_path / "class"), roster=table(tmp_path, text, "roster.csv"), **asked
    )


# A gradebook as each platform exports it, whose second student handed in nothing.
GRADEBOOKS = {
    "gradescope": (
        gradescope,
        "First Name,Last Name,SID,Email,Role\n"
        "Kim,Lee,1,a@x.edu,Student\nJo,Oda,2,b@x.edu,Student\n",
    ),
    "canvas": (
        canvas,
        "Student,ID,SIS User ID,SIS Login ID,Section,A1 (77)\n"
        "    Points Possible,,,,,6\n"
        '"Lee, Kim",1,s1,kim,T1,\n"Oda, Jo",2,s2,jo,T1,\n',
    ),
    "brightspace": (
        brightspace,
        "OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator\n"
        "#900,#kim,Lee,Kim,a@x.edu,#\n#2,#jo,Oda,Jo,b@x.edu,#\n",
    ),
    "blackboard": (
        blackboard,
        "Last Name\tFirst Name\tUsername\tStudent ID\nLee\tKim\t1\t900\nOda\tJo\t2\t901\n",
    ),
    "moodle": (
        moodle,
        "Identifier;Full name;Email address;Status;Grade\n"
        "Participant 1;Kim Lee;a@x.edu;;\nParticipant 2;Jo Oda;b@x.edu;;\n",
    ),
    "plain": (plain_folders, "id,name\n1,Kim Lee\n2,Jo Oda\n"),
}


@pytest.mark.parametrize(("build", "text"), GRADEBOOKS.values(), ids=GRADEBOOKS.keys())
def test_any_gradebook_is_a_roster(tmp_path: Path, build: object, text: str) -> None:
    found = with_roster(tmp_path, build([one("1", "Kim Lee")]), text)
    who = "1-2557369 (Kim Lee) is treated as"
    by_name = (f"ONLY BY NAME: {who} {tmp_path / 'roster.csv'}:2: Kim Lee",)
    assert (found.notices, found.facts.students) == (by_name if build is brightspace else (), 1)
    kim, jo = (each for each in found.submissions)
    assert source_of(kim) == "1"
    assert kim.student is not None
    assert jo.withheld is Withheld.NO_SUBMISSION
    assert jo.notes == ("on the roster, but nothing was handed in",)
    assert "Oda" in jo.student.name
    assert jo.id in ("2", "jo")


def test_who_is_not_on_it_is_graded_and_told(tmp_path: Path) -> None:
    found = with_roster(tmp_path, canvas([one("1"), one("2"), one("3")]), "ID\n1\n")
    assert [each.withheld for each in found.submissions] == [None, None, None]
    assert found.notices == ("2 and 3 are not on the roster",)


def test_one_name_of_several_is_for_a_person(tmp_path: Path) -> None:
    text = "Username,Last Name,First Name\nu1,Kim,Jo\nu2,Kim,Jo\nu3,Lee,Al\n"
    found = with_roster(tmp_path, brightspace([one("77", "Jo Kim"), one("78", "Al Lee")]), text)
    submissions = by_id(found)
    assert withheld(submissions) == {
        "77": None,
        "78": None,
        "u1": Withheld.NEEDS_REVIEW,
        "u2": Withheld.NEEDS_REVIEW,
    }
    assert submissions["u1"].notes == (
        "several students have this name, and the download does not tell them apart",
    )
    assert found.notices == (
        f"ONLY BY NAME: 78 (Al Lee) is treated as {tmp_path / 'roster.csv'}:4: Al Lee",
        "77 is not on the roster",
    )


def test_a_group_shares_what_one_of_it_handed_in(tmp_path: Path) -> None:
    handed = [one("1"), one("900", "The Reds"), one("5"), one("6")]
    text = "canvas_user_id,name,group_name\n1,A,Blues\n2,B,Blues\n3,C,The Reds\n4,D,Greens\n"
    text += "5,E,Pinks\n6,F,Pinks\n7,G,Pinks\n"
    found = by_id(with_roster(tmp_path, canvas(handed), text))
    assert source_of(found["2"]) == "1"
    assert found["2"].origin == found["1"].origin
    assert found["2"].notes == ("handed in by A for the group",)
    assert source_of(found["3"]) == "900"
    assert found["4"].withheld is Withheld.NO_SUBMISSION
    assert found["7"].withheld is Withheld.NEEDS_REVIEW
    assert found["7"].notes == ("several of the group handed in",)


def test_a_roster_may_tell_the_times(tmp_path: Path) -> None:
    text = (
        "Identifier,Full name,Last modified (submission)\n"
        'Participant 1,A,"Tuesday, 24 September 2024, 5:00 PM"\n'
        'Participant 2,B,"Tuesday, 24 September 2024, 5:01 PM"\n'
        "Participant 3,C,-\n"
    )
    asked = {"due": "2024-09-24T17:00", "time_zone": "Australia/Perth"}
    found = by_id(with_roster(tmp_path, moodle([one("1"), one("2"), one("3")]), text, **asked))
    assert withheld(found) == {"1": None, "2": Withheld.LATE, "3": Withheld.NEEDS_REVIEW}
    assert found["1"].handed_in == "2024-09-24T17:00:00+08:00"
    assert found["3"].notes == ("the download does not say when it was handed in",)


WRONG: dict[str, object] = {
    ":1: a column of ids is missing. Hint: call one of the columns ID, SID, Username or "
    "Email": b"name,mark\nKim,3\n",
    ":4: the id 1 is repeated here, after {path}:2. "
    "Hint: keep only one of the two lines": b"id,name\n1,A\n2,B\n1,C\n",
    ":4: the id of C is missing. Hint: write one": b"id,email,name\n1,,A\n,b@x,B\n,,C\n",
    ": this list contains no students": b"id,name\n",
    ": no student on the roster has a submission. Hint: check that it has the platform's ids and "
    "complete names": b"id\n7\n8\n",
    ":2: 'soon' is not a time that can be read. "
    "Hint: write it as 2024-09-24T17:00+10:00": b"id,handed_in\n1,soon\n",
    ": is empty. Hint: the first line must name the columns": b"",
}


@pytest.mark.parametrize(("data", "line"), told(WRONG))
def test_a_roster_that_cannot_be_used(tmp_path: Path, data: bytes, line: str) -> None:
    path = laid(canvas([one("1")]), tmp_path / "class")
    roster = tmp_path / "roster.csv"
    missing = f"{roster}: cannot be read (No such file or directory)"
    assert refusal(path, roster=roster) == missing
    roster.write_bytes(data)
    assert refusal(path, roster=roster) == f"{roster}{line.format(path=roster)}"


def test_the_gradebook_that_export_fills_in_is_a_roster(tmp_path: Path) -> None:
    book = tmp_path / "gradebook.csv"
    book.write_bytes(
        "sep=;\r\nStudent;ID;A1 (77)\r\nPoints Possible;;6\r\nLee, Zoë;1;\r\nOdá, Jo;2;\r\n".encode(
            "cp1252"
        )
    )
    assert read_sheet(book).form.encoding == "cp1252"
    found = by_id(cohort(laid(canvas([one("1", "Zoë Lee")]), tmp_path / "class"), roster=book))
    assert found["1"].student == Student(id="1", name="Lee, Zoë")
    assert found["2"].student == Student(id="2", name="Odá, Jo")


def test_canvas_test_student_is_nobody(tmp_path: Path) -> None:
    text = 'Student,ID,SIS Login ID\n"Lee, Kim",1,k\n"Student, Test",99,a41f\n'
    assert set(by_id(with_roster(tmp_path, canvas([one("1", "Kim Lee")]), text))) == {"1"}


def test_many_found_by_name_alone_are_one_line(tmp_path: Path) -> None:
    names = [f"Kim {chr(97 + a)}{chr(97 + b)}" for a in range(5) for b in range(10)]
    files = brightspace([one(str(n), name) for n, name in enumerate(names)])
    text = "Username,Name\n" + "".join(f"u{n},{name}\n" for n, name in enumerate(names))
    (line,) = with_roster(tmp_path, files, text).notices
    assert line.startswith("ONLY BY NAME, 50 students: ")
    assert line.endswith("; and 47 more")


@pytest.mark.parametrize("header", ["Kennung", "ID"])
def test_a_worksheet_in_german(tmp_path: Path, header: str) -> None:
    text = (
        f"{header},Vollständiger Name,E-Mail-Adresse,Status,Bewertung\n"
        "Teilnehmer/in11,Kim Lee,k@x.edu,,\nTeilnehmer/in12,Jo Oda,j@x.edu,,\n"
    )
    found = by_id(with_roster(tmp_path, moodle([one("11", "Kim Lee")]), text))
    assert withheld(found) == {"11": None, "12": Withheld.NO_SUBMISSION}
    assert (found["12"].student.name, found["12"].student.email) == ("Jo Oda", "j@x.edu")


_HEAD = "Zuletzt geändert (Abgabe)"
_TIMED = {
    "English": ("Last modified (submission)", "Tuesday, 24 September 2024, 5:01 PM"),
    "German": (_HEAD, "Dienstag, 24. September 2024, 17:01"),
    "French": ("Dernière modification (travail remis)", "mardi 24 septembre 2024, 17:01"),
    "Spanish": ("Última modificación (entrega)", "martes, 24 de septiembre de 2024, 17:01"),
    "Dutch": ("Laatst gewijzigd (inzending)", "dinsdag, 24 september 2024, 17:01"),
    "Swedish": ("Senast ändrad (inlämning)", "tisdag, 24 september 2024, 17:01"),
    "a heading nobody knows": ("Viimeksi muokattu", "24.09.2024 17:01"),
}


@pytest.mark.parametrize(("header", "at"), _TIMED.values(), ids=_TIMED)
def test_a_worksheet_tells_the_times_in_any_language(tmp_path: Path, header: str, at: str) -> None:
    text = (
        f"X1;X2;X3;X4;{header};X5\n"
        f"Deltagare 11;Kim Lee;k@x.edu;;{at};-\nDeltagare 12;Jo Oda;j@x.edu;;-;-\n"
    )
    asked = {"due": "2024-09-24T17:00", "time_zone": "Europe/Berlin"}
    found = by_id(with_roster(tmp_path, moodle([one("11", "Kim Lee")]), text, **asked))
    assert withheld(found) == {"11": Withheld.LATE, "12": Withheld.NO_SUBMISSION}
    assert found["11"].handed_in == "2024-09-24T17:01:00+02:00"


def test_a_roster_without_times_is_told_the_column_that_it_lacks(tmp_path: Path) -> None:
    path, roster = laid(moodle([one("11")]), tmp_path / "class"), tmp_path / "roster.csv"
    roster.write_text("Matrikelnummer;Nachname\n11;Lee\n", encoding="utf-8")
    line = refusal(path, roster=roster, due="2024-09-24T17:00Z")
    assert "add --roster" not in line
    assert line.endswith(f"Hint: add the column handed_in to {roster}, or leave out --due")


_PEOPLE = {
    "German": "Nachname;Vorname;Matrikelnummer;E-Mail-Adresse",
    "French": "Nom;Prénom;Numéro étudiant;Adresse de courriel",
    "Spanish": "Apellido(s);Nombre;Número de alumno;Dirección de correo",
    "Dutch": "Achternaam;Voornaam;Studentnummer;E-mailadres",
    "Swedish": "Efternamn;Förnamn;Studienummer;E-postadress",
    "Artemis": "data:text/csv;charset=utf-8,LAST_NAME;FIRST_NAME;REGISTRATION_NUMBER;EMAIL",
    "only what they hold": "First name;Last name;X;Y",
}


@pytest.mark.parametrize("header", _PEOPLE.values(), ids=_PEOPLE)
def test_a_roster_in_any_language(tmp_path: Path, header: str) -> None:
    last, first = ("Zoe\u0301", "Lee") if header.startswith("First") else ("Lee", "Zoe\u0301")
    text = f"{header}\n{last};{first};429;zoe@x.edu\n"
    files = brightspace([one("77", "Zo\u00e9 Lee"), one("78", "Al Oda")])
    found = by_id(with_roster(tmp_path, files, text))
    assert found["77"].student.email == "zoe@x.edu"


@pytest.mark.parametrize("header", ["E-Mail-Adresse;Name", "Courriel;Nom", "E-post;Namn", "X;Y"])
def test_a_roster_can_have_emails_as_its_only_key(tmp_path: Path, header: str) -> None:
    """Its only key is the email: the download has other ids, and other spellings."""
    text = f"{header}\nzoe@x.edu;Lee-Oda\nal@x.edu;Al\n"
    files = gradescope([one("77", "Zoe\u0301 Lee", "zoe@x.edu"), one("78", "Bo Ek", "bo@x.edu")])
    found = with_roster(tmp_path, files, text)
    by_email = {entry.student.email: entry for entry in by_id(found).values() if entry.student}
    assert withheld(by_email)["al@x.edu"] is Withheld.NO_SUBMISSION
    assert withheld(by_email)["zoe@x.edu"] is None
    assert [line for line in found.notices if "BY NAME" in line] == []


def test_a_column_with_a_known_name_keeps_it(tmp_path: Path) -> None:
    """What holds emails is the login here, and comes before the number."""
    path = tmp_path / "roster.csv"
    path.write_text("Username,Student ID\nkim@x.edu,4711\n", encoding="utf-8")
    (line,) = read_roster(path, None)
    assert line.student == Student(id="kim@x.edu")


_IDS = {
    "a spreadsheet took the zeros": ("429", (
        "WITHOUT LEADING ZEROS: 00429 (Kim Lee) is treated as {roster}:2: Kim"
    )),
    "a formula keeps them": ('="00429"', None),
    "a formula in quotes keeps them": ('"=""00429"""', None),
}  # fmt: skip


@pytest.mark.parametrize(("cell", "line"), _IDS.values(), ids=_IDS)
def test_an_id_with_zeros_in_front(tmp_path: Path, cell: str, line: str | None) -> None:
    files = brightspace([one("00429", "Kim Lee"), one("00430", "Al Oda")])
    found = with_roster(tmp_path, files, f"ID,Name\n{cell},Kim\n00430,Al\n")
    assert set(by_id(found)) == {"00429", "00430"}
    expected = () if line is None else (line.format(roster=tmp_path / "roster.csv"),)
    assert found.notices == expected


def test_an_extension_of_an_id_that_lost_its_zeros(tmp_path: Path) -> None:
    path = laid(brightspace([one("00429", "Kim Lee"), one("00430", "Al Oda")]), tmp_path / "class")
    extensions = table(tmp_path, "id,due\n429,2030-09-25T17:00Z\n", "extensions.csv")
    found = cohort(path, due="2024-01-01T17:00Z", time_zone="UTC", extensions=extensions)
    assert withheld(by_id(found)) == {"00429": None, "00430": Withheld.LATE}
    assert found.notices == (f"WITHOUT LEADING ZEROS: {extensions}:2: 429 is treated as 00429",)


def test_zeros_that_may_be_several_peoples_decide_nothing(tmp_path: Path) -> None:
    files = brightspace([one("00429", "A B"), one("0429", "C D"), one("7", "E F")])
    found = with_roster(tmp_path, files, "ID\n429\n7\n")
    assert set(by_id(found)) == {"00429", "0429", "429", "7"}
    assert found.notices[0] == (
        f"{tmp_path / 'roster.csv'}:2: 429 may have lost leading zeros: it could be 00429 and 0429"
    )


def test_a_blind_worksheet_names_nobody(tmp_path: Path) -> None:
    text = "Identifier,Status,Grade\nParticipant 11,Submitted,\nParticipant 12,No submission,\n"
    found = by_id(with_roster(tmp_path, moodle([one("11", "Participant")]), text))
    assert withheld(found) == {"11": None, "12": Withheld.NO_SUBMISSION}
    assert [each.student for each in found.values()] == [Student(id="11"), Student(id="12")]


def test_a_line_is_one_students(tmp_path: Path) -> None:
    """The roster's name may be read as either, which by name alone nobody can tell."""
    names = [one("77", "Kim Lee Ann"), one("78", "Lee Ann Kim"), one("79", "Al Oda")]
    files = brightspace(names)
    found = with_roster(tmp_path, files, 'Username,Name\nu1,"Kim, Lee Ann"\nu3,Al Oda\n')
    assert withheld(by_id(found)) == {
        "77": None, "78": None, "79": None, "u1": Withheld.NEEDS_REVIEW,
    }  # fmt: skip


def test_logins_that_are_a_word_and_a_number_stay(tmp_path: Path) -> None:
    files = plain_folders([one("student12")])
    assert set(by_id(with_roster(tmp_path, files, "ID\nstudent12\n"))) == {"student12"}


def test_an_archive_of_archives_is_refused_with_a_fix(tmp_path: Path) -> None:
    path = zipped_class({"g1.zip": b"PK", "g2.zip": b"PK"}, tmp_path / "all.zip")
    with pytest.raises(UserError, match=r"only archives \(g1.zip and g2.zip\).*unpack it"):
        cohort(path)


def test_a_registration_number_finds_its_student(tmp_path: Path) -> None:
    text = "data:text/csv;charset=utf-8,LOGIN;NAME;REGISTRATION_NUMBER\nab12;Zoë Lee;429\n"
    found = by_id(with_roster(tmp_path, brightspace([one("429", "Zoe L"), one("78", "A O")]), text))
    listed = found["429"].student
    assert listed is not None
