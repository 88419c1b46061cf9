"""Marks into downloaded gradebooks: every file that goes out, as a person can open it.

`UPDATE_GOLDEN=1` writes them anew.
"""

from __future__ import annotations

import csv
import io
import os
from fractions import Fraction
from pathlib import Path

import pytest

from harness.common.csv_tables import Sheet, encoded, read_sheet
from harness.common.errors import UserError
from harness.reporting.export.gradebooks import (
    Filled,
    GradebookEntry,
    Platform,
    gradebook,
)

HERE = Path(__file__).parent
GIVEN, GOLDEN = HERE / "gradebooks", HERE / "exported"
TITLE = "A tiny till"


def standing(number: int, name: str, mark: str, **more: str) -> GradebookEntry:
    return GradebookEntry(
        id=more.pop("id", f"s{number}"),
        student_id=more.pop("student_id", str(number)),
        email=more.pop("email", ""),
        name=name,
        mark=mark,
        out_of=Fraction(6),
        **more,
    )


CLASS = (
    standing(101, "Ada Lovelace", "4.50", comment="=2+2 is what I'd write\tshorter"),
    standing(102, "Séan O'Brien", "0.00"),
    standing(103, "Wei Ng", "6.00"),
    standing(105, "Lena Late", "", why="late"),
    standing(199, "Not Enrolled", "1.00"),
)
LOGINS = {101: "ada", 102: "sean", 103: "wei", 105: "lena", 199: "not"}
BY_LOGIN = tuple(
    GradebookEntry(
        id=each.id,
        student_id=LOGINS[int(each.student_id)],
        email="",
        name=each.name,
        mark=each.mark,
        out_of=each.out_of,
        why=each.why,
        comment=each.comment,
    )
    for each in CLASS
)
FILES = {
    "canvas.csv": (Platform.CANVAS, CLASS),
    "brightspace.csv": (Platform.BRIGHTSPACE, BY_LOGIN),
    "blackboard.xls": (Platform.BLACKBOARD, BY_LOGIN),
    "moodle.csv": (Platform.MOODLE, CLASS),
    "moodle-de.csv": (Platform.MOODLE, CLASS),
}


def filled(name: str) -> Filled:
    platform, found = FILES[name]
    sheet = read_sheet(GIVEN / name)
    return gradebook(
        platform,
        found,
        Sheet(rows=sheet.rows, form=sheet.form, place=name, lines=sheet.lines),
        title=TITLE,
    )


@pytest.mark.parametrize("name", FILES)
def test_a_filled_gradebook(name: str) -> None:
    found = filled(name)
    told = "".join(f"{line}\n" for line in found.warnings)
    for path, data in (
        (GOLDEN / f"gradebook-{name}", encoded(found.sheet)),
        (GOLDEN / f"gradebook-{name}.txt", told.encode()),
    ):
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_bytes(data)
        assert path.read_bytes() == data


def cells(name: str, encoding: str, delimiter: str) -> tuple[list[list[str]], list[list[str]]]:
    """What was downloaded and what goes back, as the csv module reads both."""

    def read(path: Path) -> list[list[str]]:
        text = path.read_bytes().decode(encoding)
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))

    return read(GIVEN / name), read(GOLDEN / f"gradebook-{name}")


FORMS = {
    "canvas.csv": ("utf-8", ",", {(2, 6): "4.50", (3, 6): "0.00", (6, 6): ""}),
    "brightspace.csv": ("utf-8", ",", {(1, 5): "4.50", (2, 5): "0.00", (3, 5): "6.00", (5, 5): ""}),
    "blackboard.xls": ("utf-16", "\t", {(1, 6): "4.50", (2, 6): "0.00", (3, 6): ""}),
    "moodle.csv": ("utf-8", ",", {(1, 4): "4.50", (2, 4): "0.00", (4, 4): ""}),
    "moodle-de.csv": ("utf-8-sig", ";", {(1, 4): "4,50", (2, 4): "0,00"}),
}


@pytest.mark.parametrize("name", FORMS)
def test_all_other_cells_are_as_they_were(name: str) -> None:
    encoding, delimiter, marks = FORMS[name]
    before, after = cells(name, encoding, delimiter)
    changed = {
        (r, c): after[r][c]
        for r, row in enumerate(before)
        for c, cell in enumerate(row)
        if after[r][c] != cell
    }
    comment = {at: text for at, text in changed.items() if text.startswith("'=2+2")}
    formula = {at: text for at, text in changed.items() if text.startswith("'=HYPER")}
    assert len(comment) == (name in ("blackboard.xls", "moodle.csv"))
    assert len(formula) == (name == "canvas.csv")
    assert {at: t for at, t in changed.items() if at not in comment | formula} == marks
    assert [len(row) for row in after] == [len(row) for row in before]


def test_the_form_is_the_downloads() -> None:
    for name in FILES:
        before, after = (GIVEN / name).read_bytes(), (GOLDEN / f"gradebook-{name}").read_bytes()
        assert before[:4] == after[:4]
        assert (b"\r\n" in before) == (b"\r\n" in after)
        sheet = read_sheet(GIVEN / name)
        assert read_sheet(GOLDEN / f"gradebook-{name}").form == sheet.form


@pytest.mark.parametrize("platform", [Platform.CANVAS, Platform.BRIGHTSPACE, Platform.BLACKBOARD])
def test_a_gradebook_from_the_submissions_alone(platform: Platform) -> None:
    found = gradebook(platform, BY_LOGIN, None, title=TITLE)
    path = GOLDEN / f"gradebook-made-{platform.value}.csv"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_bytes(encoded(found.sheet))
    assert path.read_bytes() == encoded(found.sheet)
    assert found.marks == 4
    assert found.warnings == ("s105 (Lena Late) has no mark: late",)
    again = (
        gradebook(
            platform,
            BY_LOGIN,
            read_sheet(path),
            column=found.sheet.rows[0][
                {"canvas": 5, "brightspace": 1, "blackboard": 1}[platform.value]
            ],
            title=TITLE,
        )
        if platform is not Platform.CANVAS
        else found
    )
    assert again.sheet.rows == found.sheet.rows


def sheet(text: str) -> Sheet:
    rows = tuple(tuple(row) for row in csv.reader(io.StringIO(text)))
    return Sheet(rows=rows, place="book.csv", lines=tuple(range(1, len(rows) + 1)))


CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,{title} (7)\n{rows}"


def canvas(
    rows: str, *found: GradebookEntry, column: str | None = None, title: str = TITLE
) -> Filled:
    book = sheet(CANVAS.format(title=title, rows=rows))
    return gradebook(Platform.CANVAS, found, book, column=column, title=TITLE)


ADA = standing(0, "Ada Lovelace", "4.50", id="folder", student_id="9")
MATCHED = {
    "the id": ("x,9,,,,", ADA, ""),
    "the other id": ("x,1,9,,,", ADA, ""),
    "the login": ("x,1,,9,,", ADA, ""),
    "the email": ("x,1,,a@b,,", standing(0, "", "1.00", email="A@B"), ""),
    "the login of the email": ("x,1,,a,,", standing(0, "", "1.00", email="a@b"), ""),
    "the name": ('"Lovelace, Ada",1,,,,', ADA, "BY NAME ALONE"),
    "the name in one word": (
        '"Lovelace, Ada",1,,,,',
        standing(0, "", "1.00", id="lovelaceada", student_id="77"),
        "BY NAME ALONE",
    ),
}


@pytest.mark.parametrize(("row", "who", "warning"), MATCHED.values(), ids=MATCHED)
def test_a_row_is_matched_by(row: str, who: GradebookEntry, warning: str) -> None:
    found = canvas(row, who)
    assert found.sheet.rows[1][5] == who.mark
    assert [line.startswith(warning) for line in found.warnings] == ([True] if warning else [])


def test_two_of_one_name_get_nothing_by_it() -> None:
    rows = '"Lovelace, Ada",1,,,,\n"Lovelace, Ada",2,,,,\n"Hopper, Grace",3,,,,'
    found = canvas(rows, ADA, standing(3, "Grace Hopper", "2.00"))
    assert [row[5] for row in found.sheet.rows[1:]] == ["", "", "2.00"]
    assert found.warnings == (
        "book.csv:2: Lovelace, Ada has no submission; the row stays",
        "book.csv:3: Lovelace, Ada has no submission; the row stays",
        "book.csv: submission folder (Ada Lovelace) has no row (or more than one)",
    )


def test_two_submissions_of_one_id_get_nothing_by_it() -> None:
    with pytest.raises(UserError, match="no row fits any of 2 submissions"):
        canvas("x,9,,,,", ADA, standing(9, "Ada Twin", "1.00"))


WRONG = {
    "nobody fits": (lambda: canvas("x,1,,,,", ADA), "no row fits any of 1 submission"),
    "another column": (
        lambda: canvas("x,9,,,,", ADA, column="Quiz"),
        "there is no column 'Quiz' for marks",
    ),
    "no header": (
        lambda: gradebook(Platform.CANVAS, [ADA], sheet("a,b\n1,2"), title=TITLE),
        "has no columns Student and ID",
    ),
    "no participants": (
        lambda: gradebook(Platform.MOODLE, [ADA], sheet("a,b\n1,2"), title=TITLE),
        'has no column with "Participant 12" in every row',
    ),
    "no worksheet": (
        lambda: gradebook(Platform.MOODLE, [ADA], None, title=TITLE),
        "moodle takes its own worksheet back alone",
    ),
    "no usernames": (
        lambda: gradebook(Platform.BLACKBOARD, [ADA], sheet("a,b\n1,2"), title=TITLE),
        "has no column Username",
    ),
    "no key": (
        lambda: gradebook(Platform.BRIGHTSPACE, [ADA], sheet("a,b\n1,2"), title=TITLE),
        "has neither a column OrgDefinedId nor Username",
    ),
}


@pytest.mark.parametrize(("act", "line"), WRONG.values(), ids=WRONG)
def test_one_line_says_what_is_wrong(act: object, line: str) -> None:
    assert callable(act)
    with pytest.raises(UserError) as error:
        act()
    assert line in str(error.value)
    assert "\n" not in str(error.value)


def test_another_maximum_is_told() -> None:
    rows = "Points Possible,,,,,100\nx,9,,,,"
    assert canvas(rows, ADA).warnings == (
        "book.csv: this column is out of 100, the marks are out of 6",
    )


FILES_THAT_ARE_NONE = {
    "an Excel file": (b"PK\x03\x04rest", "is an Office document"),
    "nothing": (b"", "is empty"),
    "half a cell": (b'a,b\n"half,1\n', "is not a CSV table"),
    "cut UTF-16": (b"\xff\xfea\0b", "byte 4 is not UTF-16-LE"),
}


@pytest.mark.parametrize(("data", "line"), FILES_THAT_ARE_NONE.values(), ids=FILES_THAT_ARE_NONE)
def test_a_file_that_is_no_gradebook(tmp_path: Path, data: bytes, line: str) -> None:
    path = tmp_path / "book.csv"
    path.write_bytes(data)
    with pytest.raises(UserError, match=line):
        read_sheet(path)
