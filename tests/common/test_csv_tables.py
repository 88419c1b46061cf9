"""One reader for every CSV file: encodings, delimiters, and what is not a table. Files that are
written whole or not at all, and archives of the same bytes every time; escaping; names of people as
keys."""

import io
import os
import threading
import zipfile
from pathlib import Path

import pytest

from harness.common.csv_tables import CsvForm, Sheet, encoded, read_sheet
from harness.common.errors import UserError
from harness.common.escaping import plain, quoted, shortened, visible
from harness.common.files import open_atomic, write, write_bytes, zipped
from harness.common.people import id_key, name_keys

TEXT = "id;name\r\n1;Zoë\r\n"
FORMS = {
    "utf-8": (TEXT.encode(), CsvForm(delimiter=";")),
    "utf-8 with a mark": (TEXT.encode("utf-8-sig"), CsvForm(mark=b"\xef\xbb\xbf", delimiter=";")),
    "utf-16": (
        b"\xff\xfe" + TEXT.encode("utf-16-le"),
        CsvForm(encoding="utf-16-le", mark=b"\xff\xfe", delimiter=";"),
    ),
    "utf-16 without a mark": (
        TEXT.encode("utf-16-le"),
        CsvForm(encoding="utf-16-le", delimiter=";"),
    ),
    "big-endian utf-16": (
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        CsvForm(encoding="utf-16-be", mark=b"\xfe\xff", delimiter=";"),
    ),
    "Windows-1252": (TEXT.encode("cp1252"), CsvForm(encoding="cp1252", delimiter=";")),
    "commas": (TEXT.replace(";", ",").encode(), CsvForm()),
    "tabs": (TEXT.replace(";", "\t").encode(), CsvForm(delimiter="\t")),
    "Excel's separator line": (
        f"sep=;\r\n{TEXT}".encode("cp1252"),
        CsvForm(encoding="cp1252", delimiter=";", separator_line=True),
    ),
    "Macintosh lines": (TEXT.replace("\r\n", "\r").encode(), CsvForm(delimiter=";", line_end="\r")),
    "quotes": (b'"id";"name"\r\n"1";"Zo\xc3\xab"\r\n', CsvForm(delimiter=";", quoted=True)),
}


@pytest.mark.parametrize(("data", "form"), FORMS.values(), ids=FORMS.keys())
def test_a_table_in_any_usual_form_is_read(tmp_path: Path, data: bytes, form: CsvForm) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(data)
    sheet = read_sheet(path)
    assert (sheet.rows, sheet.form) == ((("id", "name"), ("1", "Zoë")), form)
    assert sheet.at(1) == f"{path}:{3 if form.separator_line else 2}"
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


EMPTY = ": is empty. Hint: the first line must name the columns"
WRONG = {
    EMPTY: b"",
    ": is an Office document. Hint: save it as CSV, or download it as CSV": b"PK\x03\x04rest",
    ":1: byte 6 is not UTF-16-LE. Hint: save it as CSV in UTF-8": b"\xff\xfei\0d\0\n",
    ":2: byte 12 is not UTF-8, UTF-16 or Windows-1252. "
    "Hint: save it as CSV in UTF-8": b"id,name\n1,Zo\x81\n",
    ":2: is not a CSV table (field larger than field limit (131072)). "
    "Hint: export it as CSV again": b'id,name\n1,"' + b"x" * 200_000,
    ":3: is not a CSV table (unexpected end of data). "
    "Hint: export it as CSV again": b'sep=,\nid,name\n1,"Kim\n',
    ":3: this row has 3 cells, the header has 2. Hint: put quotes around a cell that contains "
    "the delimiter": b"id,name\n1,Kim,,\n2,Lee, Jo\n",
}


@pytest.mark.parametrize(
    ("line", "data"), [*WRONG.items(), (EMPTY, b"\r\n,,\r\n")], ids=[*WRONG, EMPTY]
)
def test_a_file_that_is_not_a_table_is_one_error_line(
    tmp_path: Path, data: bytes, line: str
) -> None:
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


def test_two_different_columns_with_one_name_are_not_a_cell(tmp_path: Path) -> None:
    """Which of them is meant nobody can tell; others, and those that agree, are not an obstacle."""
    path = tmp_path / "two.csv"
    path.write_text("id,Due,due,note,note,,\nann,1,2,x,y,,\nben,3,3,,,a,b\ncat,,4,,,,\n")
    ann, ben, cat = read_sheet(path).records
    assert [each.first("id") for each in (ann, ben, cat)] == ["ann", "ben", "cat"]
    assert [each.first("due") for each in (ben, cat)] == ["3", "4"]
    with pytest.raises(UserError) as error:
        ann.first("late", "due")
    hint = "Hint: remove the wrong one"
    assert str(error.value) == f"{path}:2: two columns 'due' differ. {hint}"


@pytest.mark.parametrize(("private", "mode"), [(False, 0o644), (True, 0o600)])
def test_who_can_read_a_file(tmp_path: Path, private: bool, mode: int) -> None:
    before = os.umask(0o022)
    try:
        write(tmp_path / "new" / "a.txt", "text", private=private)
    finally:
        os.umask(before)
    assert (tmp_path / "new" / "a.txt").stat().st_mode & 0o777 == mode


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write(path, "old")
    with pytest.raises(RuntimeError), open_atomic(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError) as error:
        write(tmp_path / "a", "x")
    assert (error.value.filename, error.value.filename2) == (str(tmp_path / "a"), None)
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_a_link_in_place_of_the_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("untouched")
    (tmp_path / "a").symlink_to(other)
    write(tmp_path / "a", "mine")
    assert (other.read_text(), (tmp_path / "a").is_symlink()) == ("untouched", False)


def test_writers_of_one_process_do_not_meet(tmp_path: Path) -> None:
    path, size = tmp_path / "a", 200_000
    texts = [bytes([65 + number]) * size for number in range(4)]
    threads = [
        threading.Thread(target=lambda t=text: [write_bytes(path, t) for _ in range(20)])
        for text in texts
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert not path.exists() or path.read_bytes() in texts
    for thread in threads:
        thread.join()
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_a_zip_depends_only_on_its_content(tmp_path: Path) -> None:
    path = tmp_path / "b"
    path.write_bytes(b"two")
    archive = zipped({"b": path, "a": b"one"}, programs=["a"])
    os.utime(path, (0, 0))
    path.chmod(0o600)
    assert zipped({"a": b"one", "b": b"two"}, programs=["a"]) == archive
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        modes = {each.filename: each.external_attr >> 16 & 0o777 for each in opened.infolist()}
    assert modes == {"a": 0o755, "b": 0o644}


STACKED = "a" + "\u0488" * 5  # an enclosing sign: it combines, though its combining class is 0

VISIBLE = [
    ("plain text", "plain text"),
    ("a\nb\tc\r", "a\\nb\\tc\\r"),
    ("\x1b[31m\x00\x07\x7f\x85", "\\x1b[31m\\x00\\x07\\x7f\\x85"),
    ("\u202eabc\u2028", "\\u202eabc\\u2028"),
    ("\u2066x\u2069\u200b", "\\u2066x\\u2069\\u200b"),
    ("\u3164\u2800\u00a0", "\\u3164\\u2800\\xa0"),
    ("\U000e0041\ud800", "\\U000e0041\\ud800"),
    ("é e\u0301 \u00df 漢 \U0001f600", "é e\u0301 \u00df 漢 \U0001f600"),
    ("a\u0301\u0301\u0301\u0301b\u0301", "a\u0301\u0301\\u0301\\u0301b\u0301"),
    (STACKED, "a\u0488\u0488" + "\\u0488" * 3),
]


@pytest.mark.parametrize(("text", "shown"), VISIBLE)
def test_characters_that_act_hide_or_pile_up_are_escaped(text: str, shown: str) -> None:
    assert visible(text) == plain(text) == shown
    assert quoted(text) == f'"{shown}"'


def test_a_text_is_shortened_around_a_place() -> None:
    text = "0123456789" * 10
    assert shortened(text, 200) == text
    assert shortened(text, 10) == "0123456789…"
    assert shortened(text, 10, at=50) == "…5678901234…"
    assert shortened(text, 10, at=99) == "…0123456789"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Smith, Jo Ann", "Jo Ann Smith"),
        ("Ada Lovelace", "lovelaceada"),
        ("van Dyk, Jo", "Jo van Dyk"),
        ("Séan O'Brien", "SE\u0301AN OBRIEN"),
        ("\uff21\uff24\uff21", "ada"),
        ("Straße, K", "K Strasse"),
    ],
)
def test_one_name_in_two_files(one: str, other: str) -> None:
    assert name_keys(one) & name_keys(other)


@pytest.mark.parametrize(("one", "other"), [("Jo Kim", "Jo Lee"), ("Ana", "Aña"), ("", "-")])
def test_two_names(one: str, other: str) -> None:
    assert not name_keys(one) & name_keys(other)


def test_ids_differ_by_more_than_case_and_composition() -> None:
    assert id_key(" Zoe\u0308@X.edu ") == id_key("zoë@x.edu")
    assert id_key("0101") != id_key("101")
