"""One reader for every CSV file: encodings, delimiters, and what is no table."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.common.csv_tables import Form, Sheet, encoded, read_sheet
from harness.common.errors import UserError

TEXT = "id;name\r\n1;Zoë\r\n"
FORMS = {
    "utf-8": (TEXT.encode(), Form(delimiter=";")),
    "utf-8 with a mark": (TEXT.encode("utf-8-sig"), Form(mark=b"\xef\xbb\xbf", delimiter=";")),
    "utf-16": (
        b"\xff\xfe" + TEXT.encode("utf-16-le"),
        Form(encoding="utf-16-le", mark=b"\xff\xfe", delimiter=";"),
    ),
    "utf-16 without a mark": (TEXT.encode("utf-16-le"), Form(encoding="utf-16-le", delimiter=";")),
    "big-endian utf-16": (
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        Form(encoding="utf-16-be", mark=b"\xfe\xff", delimiter=";"),
    ),
    "Windows-1252": (TEXT.encode("cp1252"), Form(encoding="cp1252", delimiter=";")),
    "commas": (TEXT.replace(";", ",").encode(), Form()),
    "tabs": (TEXT.replace(";", "\t").encode(), Form(delimiter="\t")),
    "Excel's separator line": (
        f"sep=;\r\n{TEXT}".encode("cp1252"),
        Form(encoding="cp1252", delimiter=";", separator_line=True),
    ),
    "Macintosh lines": (TEXT.replace("\r\n", "\r").encode(), Form(delimiter=";", line_end="\r")),
    "quotes": (b'"id";"name"\r\n"1";"Zo\xc3\xab"\r\n', Form(delimiter=";", quoted=True)),
}


@pytest.mark.parametrize(("data", "form"), FORMS.values(), ids=FORMS.keys())
def test_a_table_in_any_usual_form(tmp_path: Path, data: bytes, form: Form) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    sheet = read_sheet(path)
    line = 3 if form.separator_line else 2
    assert sheet.rows == (("id", "name"), ("1", "Zoë"))
    assert sheet.form == form
    assert sheet.at(1) == f"{path}:{line}"
    assert encoded(sheet) == data


def test_a_delimiter_in_a_quoted_heading_is_none(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('id;"Essay, draft, final, 2024"\n1;2\n')
    assert read_sheet(path).rows == (("id", "Essay, draft, final, 2024"), ("1", "2"))


def test_records_have_plain_names_and_bare_cells(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(
        encoded(Sheet(rows=(("SIS User ID", "student_name"), ("1", "=Kim"), (" ", ""), ("2",))))
    )
    first, second = read_sheet(path).records
    assert (first.place, dict(first.cells)) == (
        f"{path}:2",
        {"sis user id": ["1"], "student name": ["=Kim"]},
    )
    assert dict(second.cells) == {"sis user id": ["2"]}
    assert second.first("student name", "sis user id") == "2"


WRONG = {
    "empty": (b"", ": is empty. Hint: the first line names the columns"),
    "only blank lines": (b"\r\n,,\r\n", ": is empty. Hint: the first line names the columns"),
    "a workbook": (
        b"PK\x03\x04rest",
        ": is an Office document. Hint: save it as CSV, or download it as CSV",
    ),
    "half a character": (
        b"\xff\xfei\0d\0\n",
        ":1: byte 6 is not UTF-16-LE. Hint: save it as CSV in UTF-8",
    ),
    "an open quote": (
        b'sep=,\nid,name\n1,"Kim\n',
        ":3: is not a CSV table (unexpected end of data). Hint: export it as CSV again",
    ),
    "a cell too many": (
        b"id,name\n1,Kim,,\n2,Lee, Jo\n",
        ":3: this row has 3 cells, the header has 2. Hint: put quotes around a cell that holds the "
        "delimiter",
    ),
}


@pytest.mark.parametrize(("data", "line"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_table_is_one_line(tmp_path: Path, data: bytes, line: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    with pytest.raises(UserError) as caught:
        read_sheet(path)
    assert str(caught.value) == f"{path}{line}"


def test_a_table_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    with path.open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    with pytest.raises(UserError, match="is larger than 64 MiB"):
        read_sheet(path)


def test_two_columns_of_one_name_that_differ_are_no_cell(tmp_path: Path) -> None:
    """Which of them is meant nobody can tell; others, and those that agree, are no obstacle."""
    path = tmp_path / "two.csv"
    path.write_text("id,Due,due,note,note,,\nann,1,2,x,y,,\nben,3,3,,,a,b\ncat,,4,,,,\n")
    ann, ben, cat = read_sheet(path).records
    assert [each.first("id") for each in (ann, ben, cat)] == ["ann", "ben", "cat"]
    assert [each.first("due") for each in (ben, cat)] == ["3", "4"]
    with pytest.raises(UserError) as error:
        ann.first("late", "due")
    hint = "Hint: remove the one that is not meant"
    assert str(error.value) == f"{path}:2: two columns 'due' say different things. {hint}"
