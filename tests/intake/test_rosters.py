"""Who should have handed in, against who did."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.common.csv_tables import read_sheet
from harness.common.errors import UserError
from harness.intake.pipeline import Cohort
from harness.model.submission import Student, Withheld
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
from tests.intake.cohorts import by_id, cohort, refusal, source_of, withheld


def one(name: str, called: str = "", email: str = "") -> HandIn:
    return HandIn(id=name, name=called or f"Kim {name}", files=program(name), email=email)


def with_roster(tmp_path: Path, path: Path, text: str, **asked: object) -> Cohort:
    roster = tmp_path / "roster.csv"
    roster.write_text(text, encoding="utf-8")
    return cohort(path, roster=roster, **asked)


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
    path = laid(build([one("1", "Kim Lee")]), tmp_path / "class")  # type: ignore[operator]
    found = with_roster(tmp_path, path, text)
    who = "1-2557369 (Kim Lee) is taken to be"
    by_name = (f"BY NAME ALONE: {who} {tmp_path / 'roster.csv'}:2: Kim Lee",)
    assert found.notices == (by_name if build is brightspace else ())
    assert found.facts.students == 1
    kim, jo = (each for each in found.submissions)
    assert source_of(kim) == "1"
    assert kim.student is not None
    assert jo.withheld is Withheld.NO_SUBMISSION
    assert jo.notes == ("on the roster, and nothing was handed in",)
    assert jo.student is not None
    assert "Oda" in jo.student.name
    assert jo.id in ("2", "jo")


def test_who_is_not_on_it_is_graded_and_told(tmp_path: Path) -> None:
    path = laid(canvas([one("1"), one("2"), one("3")]), tmp_path / "class")
    found = with_roster(tmp_path, path, "ID\n1\n")
    assert [each.withheld for each in found.submissions] == [None, None, None]
    assert found.notices == ("2 and 3 are not on the roster",)


def test_one_name_of_several_is_for_a_person(tmp_path: Path) -> None:
    path = laid(brightspace([one("77", "Jo Kim"), one("78", "Al Lee")]), tmp_path / "class")
    text = "Username,Last Name,First Name\nu1,Kim,Jo\nu2,Kim,Jo\nu3,Lee,Al\n"
    found = with_roster(tmp_path, path, text)
    submissions = by_id(found)
    assert withheld(submissions) == {
        "77": None,
        "78": None,
        "u1": Withheld.NEEDS_REVIEW,
        "u2": Withheld.NEEDS_REVIEW,
    }
    assert submissions["u1"].notes == (
        "somebody of this name handed in, and nothing tells who of several it is",
    )
    assert found.notices == (
        f"BY NAME ALONE: 78 (Al Lee) is taken to be {tmp_path / 'roster.csv'}:4: Al Lee",
        "77 is not on the roster",
    )


def test_a_group_shares_what_one_of_it_handed_in(tmp_path: Path) -> None:
    handed = [one("1"), one("900", "The Reds"), one("5"), one("6")]
    path = laid(canvas(handed), tmp_path / "class")
    text = "canvas_user_id,name,group_name\n1,A,Blues\n2,B,Blues\n3,C,The Reds\n4,D,Greens\n"
    text += "5,E,Pinks\n6,F,Pinks\n7,G,Pinks\n"
    found = by_id(with_roster(tmp_path, path, text))
    assert source_of(found["2"]) == "1"
    assert found["2"].origin == found["1"].origin
    assert found["2"].notes == ("handed in by A for the group",)
    assert source_of(found["3"]) == "900"
    assert found["4"].withheld is Withheld.NO_SUBMISSION
    assert found["7"].withheld is Withheld.NEEDS_REVIEW
    assert found["7"].notes == ("several of the group handed in",)


def test_a_roster_may_tell_the_times(tmp_path: Path) -> None:
    path = laid(moodle([one("1"), one("2"), one("3")]), tmp_path / "class")
    text = (
        "Identifier,Full name,Last modified (submission)\n"
        'Participant 1,A,"Tuesday, 24 September 2024, 5:00 PM"\n'
        'Participant 2,B,"Tuesday, 24 September 2024, 5:01 PM"\n'
        "Participant 3,C,-\n"
    )
    asked = {"due": "2024-09-24T17:00", "time_zone": "Australia/Perth"}
    found = by_id(with_roster(tmp_path, path, text, **asked))
    assert withheld(found) == {"1": None, "2": Withheld.LATE, "3": Withheld.NEEDS_REVIEW}
    assert found["1"].handed_in == "2024-09-24T17:00:00+08:00"
    assert found["3"].notes == ("nothing says when it was handed in",)


WRONG: dict[str, tuple[bytes, str]] = {
    "no column of ids": (
        b"name,mark\nKim,3\n",
        ":1: there is no column of ids. Hint: call it ID, SID, Username or Email; "
        "a platform's list: download it in English",
    ),
    "an id twice": (
        b"id,name\n1,A\n2,B\n1,C\n",
        ":4: the id 1 is here again, after {path}:2. Hint: leave one line of the two",
    ),
    "no id": (b"id,email,name\n1,,A\n,b@x,B\n,,C\n", ":4: there is no id of C. Hint: write one"),
    "nobody": (b"id,name\n", ": there is nobody on this list"),
    "nobody who handed in": (
        b"id\n7\n8\n",
        ": nobody on the roster is among those who handed in. Hint: see whether its ids are the "
        "platform's, or its names complete",
    ),
    "a time that is none": (
        b"id,handed_in\n1,soon\n",
        ":2: 'soon' is no time that can be read. Hint: write it as 2024-09-24T17:00+10:00",
    ),
    "a spreadsheet": (
        b"PK\x03\x04\n\xff\xff",
        ": is an Office document. Hint: save it as CSV, or download it as CSV",
    ),
    "an empty file": (b"", ": is empty. Hint: the first line names the columns"),
    "a comma without quotes": (
        b"name,id\nLee, Kim,1\n",
        ":2: this row has 3 cells, the header has 2. Hint: put quotes around a cell that holds the "
        "delimiter",
    ),
    "bytes of no encoding": (
        b"id,name\n1,Zo\x81\n",
        ":2: byte 12 is not UTF-8, UTF-16 or Windows-1252. Hint: save it as CSV in UTF-8",
    ),
    "a cell without an end": (
        b'id,name\n1,"' + b"x" * 200_000,
        ":2: is not a CSV table (field larger than field limit (131072)). Hint: export it as "
        "CSV again",
    ),
}


@pytest.mark.parametrize(("data", "line"), WRONG.values(), ids=WRONG.keys())
def test_a_roster_that_cannot_be_used(tmp_path: Path, data: bytes, line: str) -> None:
    path = laid(canvas([one("1")]), tmp_path / "class")
    roster = tmp_path / "roster.csv"
    missing = f"{roster}: cannot be read (No such file or directory)"
    assert refusal(path, roster=roster) == missing
    roster.write_bytes(data)
    assert refusal(path, roster=roster) == f"{roster}{line.format(path=roster)}"


def test_the_gradebook_that_export_fills_in_is_a_roster(tmp_path: Path) -> None:
    path = laid(canvas([one("1", "Zoë Lee")]), tmp_path / "class")
    book = tmp_path / "gradebook.csv"
    book.write_bytes(
        "sep=;\r\nStudent;ID;A1 (77)\r\nPoints Possible;;6\r\nLee, Zoë;1;\r\nOdá, Jo;2;\r\n".encode(
            "cp1252"
        )
    )
    assert read_sheet(book).form.encoding == "cp1252"
    found = by_id(cohort(path, roster=book))
    assert found["1"].student == Student(id="1", name="Lee, Zoë")
    assert found["2"].student == Student(id="2", name="Odá, Jo")


def test_canvas_test_student_is_nobody(tmp_path: Path) -> None:
    path = laid(canvas([one("1", "Kim Lee")]), tmp_path / "class")
    text = 'Student,ID,SIS Login ID\n"Lee, Kim",1,k\n"Student, Test",99,a41f\n'
    assert set(by_id(with_roster(tmp_path, path, text))) == {"1"}


def test_many_found_by_name_alone_are_one_line(tmp_path: Path) -> None:
    names = [f"Kim {chr(97 + a)}{chr(97 + b)}" for a in range(5) for b in range(10)]
    path = laid(brightspace([one(str(n), name) for n, name in enumerate(names)]), tmp_path / "c")
    text = "Username,Name\n" + "".join(f"u{n},{name}\n" for n, name in enumerate(names))
    (line,) = with_roster(tmp_path, path, text).notices
    assert line.startswith("BY NAME ALONE, 50 students: ")
    assert line.endswith("; and 47 more")


@pytest.mark.parametrize("header", ["Kennung", "ID"])
def test_a_worksheet_in_german(tmp_path: Path, header: str) -> None:
    path = laid(moodle([one("11", "Kim Lee")]), tmp_path / "class")
    text = (
        f"{header},Vollständiger Name,E-Mail-Adresse,Status,Bewertung\n"
        "Teilnehmer/in11,Kim Lee,k@x.edu,,\nTeilnehmer/in12,Jo Oda,j@x.edu,,\n"
    )
    found = by_id(with_roster(tmp_path, path, text))
    assert withheld(found) == {"11": None, "12": Withheld.NO_SUBMISSION}
    assert found["12"].student is not None
    assert (found["12"].student.name, found["12"].student.email) == ("Jo Oda", "j@x.edu")


def test_a_blind_worksheet_names_nobody(tmp_path: Path) -> None:
    path = laid(moodle([one("11", "Participant")]), tmp_path / "class")
    text = "Identifier,Status,Grade\nParticipant 11,Submitted,\nParticipant 12,No submission,\n"
    found = by_id(with_roster(tmp_path, path, text))
    assert withheld(found) == {"11": None, "12": Withheld.NO_SUBMISSION}
    assert [each.student for each in found.values()] == [Student(id="11"), Student(id="12")]


def test_a_line_is_one_students(tmp_path: Path) -> None:
    """The roster's name may be read as either, which by name alone nobody can tell."""
    names = [one("77", "Kim Lee Ann"), one("78", "Lee Ann Kim"), one("79", "Al Oda")]
    path = laid(brightspace(names), tmp_path / "class")
    found = with_roster(tmp_path, path, 'Username,Name\nu1,"Kim, Lee Ann"\nu3,Al Oda\n')
    assert withheld(by_id(found)) == {
        "77": None, "78": None, "79": None, "u1": Withheld.NEEDS_REVIEW,
    }  # fmt: skip


def test_logins_that_are_a_word_and_a_number_stay(tmp_path: Path) -> None:
    path = laid(plain_folders([one("student12")]), tmp_path / "class")
    assert set(by_id(with_roster(tmp_path, path, "ID\nstudent12\n"))) == {"student12"}


def test_an_archive_of_archives_says_what_to_do(tmp_path: Path) -> None:
    path = zipped_class({"g1.zip": b"PK", "g2.zip": b"PK"}, tmp_path / "all.zip")
    with pytest.raises(UserError, match=r"archives alone \(g1.zip and g2.zip\).*unpack it"):
        cohort(path)
