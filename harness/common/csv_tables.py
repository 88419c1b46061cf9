"""CSV files as people and platforms write them: read in any usual form, written back in the same.

Encodings: UTF-8 and UTF-16 with or without a byte order mark, else Windows-1252. Delimiters: comma,
semicolon, tab, or what Excel's first line `sep=;` names. No cell that we write is a formula.
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
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)%?|-+")

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a table is written. `mark` is the byte order mark, `quoted`: every cell has quotes,
    `separator_line`: Excel's `sep=` line comes first."""

    encoding: str = "utf-8"
    mark: bytes = b""
    delimiter: str = ","
    line_end: str = "\r\n"
    quoted: bool = False
    separator_line: bool = False


PLAIN = Form()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One row below the header: its cells that are not empty, by their column's plain name (see
    `plain_name`), of which there may be several."""

    row: int  # in its sheet
    place: str
    cells: Mapping[str, Sequence[str]]

    def first(self, *columns: str) -> str:
        """The cell of the first of these columns that is not empty, or "". UserError where two
        columns of that name say different things."""
        name = next((name for name in columns if name in self.cells), None)
        if name is None:
            return ""
        if len(set(self.cells[name])) > 1:
            what = f"two columns {name!r} say different things"
            raise UserError(what, place=self.place, hint="remove the one that is not meant")
        return self.cells[name][0]

    def every(self, *columns: str) -> Row:
        """The cells of these columns that are not empty, each as `first` gives it."""
        return tuple(cell for name in columns if (cell := self.first(name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table, its header first; `place` is the file it was read from, empty for one that we made.
    `lines` are the numbers of the lines that the rows begin on, for messages."""

    rows: tuple[Row, ...]
    form: Form = PLAIN
    place: str = ""
    lines: tuple[int, ...] = ()

    def at(self, row: int) -> str:
        """The place of a row for a message: file:line."""
        return f"{self.place}:{self.lines[row]}" if self.lines else self.place

    def with_rows(self, rows: Iterable[Sequence[str]]) -> Sheet:
        return replace(self, rows=tuple(map(tuple, rows)))

    @property
    def columns(self) -> Row:
        """The plain names of the columns."""
        return tuple(plain_name(bare_cell(cell)) for cell in self.rows[0])

    def column(self, *names: str) -> int | None:
        """The first column that is called so, whatever its case; None without one."""
        wanted = set(map(plain_name, names))
        return next((i for i, name in enumerate(self.columns) if name in wanted), None)

    @property
    def records(self) -> tuple[Record, ...]:
        """The rows below the header that are not blank, without what makes a cell inert."""
        columns = self.columns
        records: list[Record] = []
        for index, row in enumerate(self.rows):
            cells: dict[str, list[str]] = defaultdict(list)
            for name, cell in zip(columns, row, strict=False):
                if text := plain_text(cell):
                    cells[name].append(text)
            if index and any(cell.strip() for cell in row):
                records.append(Record(row=index, place=self.at(index), cells=dict(cells)))
        return tuple(records)


def read_sheet(path: Path) -> Sheet:
    """The table in a CSV file. Raises UserError with the line for a file that cannot be read, is
    no CSV, is empty, or has a row with more cells than the header."""
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
    text, form = _decode(data, path)
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
        what, place = f"is not a CSV table ({error})", f"{path}:{reader.line_num + first_line - 1}"
        raise UserError(what, place=place, hint="export it as CSV again") from None
    if not rows:
        raise UserError("is empty", place=str(path), hint="the first line names the columns")
    sheet = Sheet(rows=tuple(rows), form=form, place=str(path), lines=tuple(lines))
    for index, row in enumerate(sheet.rows):
        # A cell without a heading is often the rest of one with a comma and no quotes: everything
        # behind it is in the wrong column.
        if any(cell.strip() for cell in row[len(rows[0]) :]):
            what = f"this row has {len(row)} cells, the header has {len(rows[0])}"
            hint = "put quotes around a cell that holds the delimiter"
            raise UserError(what, place=sheet.at(index), hint=hint)
    return sheet


def plain_name(column: str) -> str:
    """`SIS User ID` as `sis user id`, `student_id` as `student id`."""
    return re.sub(r"[\s_]+", " ", column).strip().casefold()


def encoded(sheet: Sheet) -> bytes:
    """The file's bytes: in the form of the sheet, every cell inert."""
    form = sheet.form
    first = f"sep={form.delimiter}{form.line_end}" if form.separator_line else ""
    text = first + csv_text(sheet.rows, form)
    return form.mark + text.encode(form.encoding, "backslashreplace")


def csv_text(rows: Iterable[Sequence[str]], form: Form = PLAIN) -> str:
    """Rows as CSV text with every cell inert; lines end as RFC 4180 has it, or the form."""
    text = io.StringIO(newline="")
    writer = csv.writer(
        text,
        delimiter=form.delimiter,
        lineterminator=form.line_end,
        quoting=csv.QUOTE_ALL if form.quoted else csv.QUOTE_MINIMAL,
    )
    writer.writerows([inert_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def inert_cell(text: str) -> str:
    """Return the text as a cell that no spreadsheet takes for a formula, whatever its delimiter.
    Numbers and dashes stay as they are."""
    text = _INNER.sub(r"\1'\2", text)
    is_formula = text.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


def bare_cell(text: str) -> str:
    """The text of a cell that `inert_cell` may have written."""
    bare = _INERT_INNER.sub(r"\1", text)
    # The shortest text that `inert_cell` would have written so; else the cell is not ours.
    candidates = (each for each in (bare.removeprefix("'"), bare) if inert_cell(each) == text)
    return next(candidates, text)


def plain_text(cell: str) -> str:
    """Return what a cell says: without space around it, what makes it inert, and the formula
    `="00429"` that keeps the zeros in front."""
    text = bare_cell(cell).strip()
    spelt = _SPELT.fullmatch(text)
    return spelt[1].strip() if spelt else text


def _decode(data: bytes, path: Path) -> tuple[str, Form]:
    encoding, mark = _encoding(data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        name = {"cp1252": "UTF-8, UTF-16 or Windows-1252"}.get(encoding, encoding.upper())
        what, hint = f"byte {len(mark) + error.start} is not {name}", "save it as CSV in UTF-8"
        raise UserError(what, place=f"{path}:{line}", hint=hint) from None
    line_end = "\r\n" if "\r\n" in text else "\n"
    if "\n" not in text and "\r" in text:  # as Excel's "CSV (Macintosh)" has it
        text, line_end = text.replace("\r", "\n"), "\r"
    first, _, rest = text.partition("\n")
    if named := _SEPARATOR_LINE.fullmatch(first.rstrip("\r")):
        text, first = rest, rest.partition("\n")[0]
    # The most frequent one in the header, quoted cells left out.
    header = _QUOTED.sub("", text[:_HEADER_CHARACTERS]).lstrip(" \r\n").partition("\n")[0]
    delimiter = named[1] if named else max(_DELIMITERS, key=header.count)
    cells = first.rstrip("\r").split(delimiter)
    return text, Form(
        encoding=encoding,
        mark=mark,
        delimiter=delimiter,
        line_end=line_end,
        quoted=all(cell.startswith('"') and cell.endswith('"') for cell in cells),
        separator_line=named is not None,
    )


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
