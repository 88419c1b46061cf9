"""Read CSV files in any form that people and platforms use, and write them back in the same form.

Encodings: UTF-8 and UTF-16 with or without a byte order mark, otherwise Windows-1252. Delimiters:
comma, semicolon, tab, or the one in Excel's first line `sep=;`. No cell that we write is a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.common.errors import UserError

MAX_BYTES = 64 * 1024 * 1024
_DELIMITERS = (",", ";", "\t")
_OFFICE = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_QUOTED = re.compile(r'"[^"]*"')
_HEADER_CHARACTERS = 256 * 1024
_SEPARATOR_LINE = re.compile(r'"?sep=([,;\t])"?', re.IGNORECASE)
# The wide forms count in spreadsheets of East Asia; a line end may come before a formula.
_FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
# A spreadsheet that splits at another delimiter begins a cell in the middle of ours: a formula
# behind `;`, a tab or a line end is made inert too. Not behind a comma: it is in names ("Doe, Jo"),
# which must stay as the platform wrote them. Remarks, numbers and list items are not formulas and
# stay.
_INNER = re.compile(
    r"""
    ([;\t\r\n][ "]*)  # where such a cell begins, with blanks and quotes
    (
        [=\uff1d]  # surely a formula
        |
        (?!(?<=[\r\n])-[ ])  # not an item of a list: a line that begins with a dash and a blank
        [-+@\uff0b\uff0d\uff20](?=[^;\t\r\n]*(?:[|!]|[A-Za-z]\())  # a sign, then `|`, `!` or a call
    )
    """,
    re.VERBOSE,
)
_INERT_INNER = re.compile(r"""([;\t\r\n][ "]*)'(?=[-+=@\uff1d\uff0b\uff0d\uff20])""")
_SPELT = re.compile(r'="([^"]*)"')  # how a spreadsheet is told that digits are a text
# It can do nothing: it holds only ASCII letters and digits.
_SPELT_WORD = re.compile(r'="[0-9A-Za-z]{1,64}"')
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)%?|-+")

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvForm:
    """The form of a written table. `mark` is the byte order mark; `quoted`: every cell has quotes;
    `separator_line`: Excel's `sep=` line comes first."""

    encoding: str = "utf-8"
    mark: bytes = b""
    delimiter: str = ","
    line_end: str = "\r\n"
    quoted: bool = False
    separator_line: bool = False


_DATA_ADDRESS = re.compile(rb"\A(?:\xef\xbb\xbf)?data:text/csv(?:;charset=[\w-]+)?,")

PLAIN = CsvForm()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row below the header: its cells that are not empty, by the plain name of their column.

    Several columns may have the same plain name (see `plain_name`).
    """

    row: int  # in its sheet
    place: str
    cells: Mapping[str, Sequence[str]]

    def first(self, *columns: str) -> str:
        """Return the cell of the first of these columns that is not empty, or an empty text.

        Raise UserError if two columns of that name have different cells.
        """
        for name in columns:
            if name in self.cells:
                return self._cell(name)
        return ""

    def _cell(self, name: str) -> str:
        cells = self.cells[name]
        if len(set(cells)) > 1:
            what = f"two columns {name!r} differ"
            raise UserError(what, place=self.place, hint="remove the wrong one")
        return cells[0]

    def every(self, *columns: str) -> Row:
        """Return the cells of these columns that are not empty, each as `first` gives it."""
        cells = (self.first(name) for name in columns)
        return tuple(cell for cell in cells if cell)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table with its header first.

    `place` is the file that it was read from, empty for one that we made; `lines` are the numbers
    of the lines on which the rows begin, for messages.
    """

    rows: tuple[Row, ...]
    form: CsvForm = PLAIN
    place: str = ""
    lines: tuple[int, ...] = ()

    def at(self, row: int) -> str:
        """Return the place of a row for a message: file:line."""
        if not self.lines:
            return self.place
        return f"{self.place}:{self.lines[row]}"

    def with_rows(self, rows: Iterable[Sequence[str]]) -> Sheet:
        return replace(self, rows=tuple(map(tuple, rows)))

    @property
    def columns(self) -> Row:
        """The plain names of the columns."""
        return tuple(plain_name(bare_cell(cell)) for cell in self.rows[0])

    def column(self, *names: str) -> int | None:
        """Return the first column with one of these names, in any case; None for none."""
        wanted = set(map(plain_name, names))
        for index, name in enumerate(self.columns):
            if name in wanted:
                return index
        return None

    @property
    def records(self) -> tuple[Record, ...]:
        """The rows below the header that are not blank, without the marks of inert cells."""
        columns = self.columns
        records: list[Record] = []
        for index, row in enumerate(self.rows):
            is_header = index == 0
            if is_header or not any(cell.strip() for cell in row):
                continue
            cells: dict[str, list[str]] = defaultdict(list)
            for name, cell in zip(columns, row, strict=False):
                text = plain_text(cell)
                if text:
                    cells[name].append(text)
            records.append(Record(row=index, place=self.at(index), cells=dict(cells)))
        return tuple(records)


def read_sheet(path: Path) -> Sheet:
    """Read the table in a CSV file.

    Raise UserError, with the line, for a file that cannot be read, is not CSV, is empty, or has a
    row with more cells than the header.
    """
    text, form = _decode(_contents(path), path)
    rows, lines = _rows(text, form, path)
    if not rows:
        raise UserError("is empty", place=str(path), hint="the first line must name the columns")
    sheet = Sheet(rows=tuple(rows), form=form, place=str(path), lines=tuple(lines))
    header = rows[0]
    for index, row in enumerate(rows):
        # A cell without a heading is often the rest of one with a comma and no quotes: everything
        # after it is in the wrong column.
        beyond = row[len(header) :]
        if any(cell.strip() for cell in beyond):
            what = f"this row has {len(row)} cells, the header has {len(header)}"
            hint = "put quotes around a cell that contains the delimiter"
            raise UserError(what, place=sheet.at(index), hint=hint)
    return sheet


def _contents(path: Path) -> bytes:
    """Return the bytes of a file. Raise UserError if it cannot be read or is not a text."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", place=str(path)) from None
    if len(data) > MAX_BYTES:
        raise UserError(f"is larger than {MAX_BYTES // 1024**2} MiB", place=str(path))
    if data.startswith(_OFFICE):
        hint = "save it as CSV, or download it as CSV"
        raise UserError("is an Office document", place=str(path), hint=hint)
    return _without_address(data)


def _without_address(data: bytes) -> bytes:
    """Return a table without the beginning of a `data:` address.

    Some pages make their download of one, and leave it in the file.
    """
    return _DATA_ADDRESS.sub(b"", data, count=1)


def _rows(text: str, form: CsvForm, path: Path) -> tuple[list[Row], list[int]]:
    """Return the rows without blank ones before the header, and the line on which each begins.
    Raise UserError if it is not CSV."""
    first_line = 2 if form.separator_line else 1
    rows: list[Row] = []
    lines: list[int] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=form.delimiter, strict=True)
    before = 0
    try:
        for cells in reader:
            if cells and (rows or any(cell.strip() for cell in cells)):
                rows.append(tuple(cells))
                lines.append(before + first_line)
            before = reader.line_num
    except csv.Error as error:
        line = reader.line_num + first_line - 1
        what, place = f"is not a CSV table ({error})", f"{path}:{line}"
        raise UserError(what, place=place, hint="export it as CSV again") from None
    return rows, lines


def plain_name(column: str) -> str:
    """Return `SIS User ID` as `sis user id`, `student_id` as `student id`."""
    return re.sub(r"[\s_]+", " ", column).strip().casefold()


def encoded(sheet: Sheet) -> bytes:
    """Return the file's bytes: in the form of the sheet, every cell inert."""
    form = sheet.form
    text = csv_text(sheet.rows, form)
    if form.separator_line:
        text = f"sep={form.delimiter}{form.line_end}{text}"
    return form.mark + text.encode(form.encoding, "backslashreplace")


def csv_text(rows: Iterable[Sequence[str]], form: CsvForm = PLAIN) -> str:
    """Return rows as CSV text with every cell inert; lines end as in RFC 4180, or as in the
    form."""
    text = io.StringIO(newline="")
    writer = csv.writer(
        text,
        delimiter=form.delimiter,
        lineterminator=form.line_end,
        quoting=csv.QUOTE_ALL if form.quoted else csv.QUOTE_MINIMAL,
    )
    for row in rows:
        writer.writerow(map(inert_cell, row))
    return text.getvalue()


def inert_cell(text: str) -> str:
    """Return the text as a cell that no spreadsheet takes for a formula, with any delimiter.
    Numbers and dashes stay as they are, and so does `="00429"`: platforms write ids so, and read
    them back."""
    text = _INNER.sub(r"\1'\2", text)
    if _SPELT_WORD.fullmatch(text):
        return text
    is_formula = text.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


def bare_cell(text: str) -> str:
    """Return the text of a cell that `inert_cell` may have written."""
    bare = _INERT_INNER.sub(r"\1", text)
    # The shortest text that `inert_cell` would have written so; otherwise the cell is not ours.
    for candidate in (bare.removeprefix("'"), bare):
        if inert_cell(candidate) == text:
            return candidate
    return text


def plain_text(cell: str) -> str:
    """Return the content of a cell without surrounding space, the marks that make it inert, and the
    formula `="00429"` that keeps the zeros in front."""
    text = bare_cell(cell).strip()
    spelt = _SPELT.fullmatch(text)
    if spelt is None:
        return text
    return spelt[1].strip()


def _decode(data: bytes, path: Path) -> tuple[str, CsvForm]:
    encoding, mark = _encoding(data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        name = {"cp1252": "UTF-8, UTF-16 or Windows-1252"}.get(encoding, encoding.upper())
        what = f"byte {len(mark) + error.start} is not {name}"
        raise UserError(what, place=f"{path}:{line}", hint="save it as CSV in UTF-8") from None
    line_end = "\r\n" if "\r\n" in text else "\n"
    if "\n" not in text and "\r" in text:  # as Excel's "CSV (Macintosh)" has it
        text, line_end = text.replace("\r", "\n"), "\r"
    first, _, rest = text.partition("\n")
    named = _SEPARATOR_LINE.fullmatch(first.rstrip("\r"))
    if named:
        text, first = rest, rest.partition("\n")[0]
    delimiter = named[1] if named else _delimiter(text)
    cells = first.rstrip("\r").split(delimiter)
    return text, CsvForm(
        encoding=encoding,
        mark=mark,
        delimiter=delimiter,
        line_end=line_end,
        quoted=all(cell.startswith('"') and cell.endswith('"') for cell in cells),
        separator_line=named is not None,
    )


def _delimiter(text: str) -> str:
    """Return the most frequent delimiter in the header outside quoted cells."""
    without_quoted = _QUOTED.sub("", text[:_HEADER_CHARACTERS])
    header, _, _ = without_quoted.lstrip(" \r\n").partition("\n")
    return max(_DELIMITERS, key=header.count)


def _encoding(data: bytes) -> tuple[str, bytes]:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding, mark
    if data[1:2] == b"\0":
        return "utf-16-le", b""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252", b""
    return "utf-8", b""
