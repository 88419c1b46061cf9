"""A gradebook file as a table, and back in the very form it came in."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from pathlib import Path

from harness.common.csv_cells import inert_cell
from harness.common.errors import UserError

MAX_BYTES = 64 * 1024 * 1024
_OFFICE = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
ComparedRow = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a table is written. `mark` is the byte order mark, `quoted`: every cell has quotes."""

    encoding: str = "utf-8"
    mark: bytes = b""
    delimiter: str = ","
    line_end: str = "\r\n"
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table; `place` is the file it was read from, empty for one that we made.

    `lines` are the numbers of the lines that the rows begin on, for messages.
    """

    rows: tuple[ComparedRow, ...]
    form: Form = Form()
    place: str = ""
    lines: tuple[int, ...] = ()

    def at(self, row: int) -> str:
        """The place of a row for a message: file:line."""
        return f"{self.place}:{self.lines[row]}" if self.lines else self.place

    def with_rows(self, rows: list[list[str]]) -> Sheet:
        """The same table with other cells."""
        return replace(self, rows=tuple(tuple(row) for row in rows))


def read_sheet(path: Path) -> Sheet:
    """Read a delimited file in whatever encoding and form it is. UserError, one line, when it
    cannot be read or is no such file."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UserError("is too large for a gradebook", place=str(path))
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", place=str(path)) from None
    if data.startswith(_OFFICE):
        raise UserError(
            "is an Office document", place=str(path), hint="save it as CSV, or download it as CSV"
        )
    text, form = _decoded(data, path)
    rows: list[ComparedRow] = []
    lines: list[int] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=form.delimiter, strict=True)
    try:
        before = 0
        for cells in reader:
            if cells:
                rows.append(tuple(cells))
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        place = f"{path}:{reader.line_num}"
        raise UserError(f"is no table ({error})", place=place) from None
    if not rows:
        raise UserError("is empty", place=str(path))
    return Sheet(rows=tuple(rows), form=form, place=str(path), lines=tuple(lines))


def encoded(sheet: Sheet) -> bytes:
    """The file's bytes: the form of the sheet, every cell inert."""
    form = sheet.form
    text = io.StringIO(newline="")
    quoting: int = csv.QUOTE_ALL if form.quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(
        text,
        delimiter=form.delimiter,
        lineterminator=form.line_end,
        quoting=quoting,  # type: ignore[arg-type]
    )
    writer.writerows([inert_cell(cell) for cell in row] for row in sheet.rows)
    return form.mark + text.getvalue().encode(form.encoding, "backslashreplace")


def _decoded(data: bytes, path: Path) -> tuple[str, Form]:
    encoding, mark = _encoding(data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        if encoding != "utf-8":
            raise UserError(f"is not in {encoding}, as it begins", place=str(path)) from None
        encoding, text = "cp1252", data.decode("cp1252", "replace")
    first = text.split("\n", 1)[0]
    delimiter = max("\t,;", key=first.count)
    cells = first.rstrip("\r").split(delimiter)
    return text, Form(
        encoding=encoding,
        mark=mark,
        delimiter=delimiter,
        line_end="\r\n" if "\r\n" in text else "\n",
        quoted=all(cell.startswith('"') and cell.endswith('"') for cell in cells),
    )


def _encoding(data: bytes) -> tuple[str, bytes]:
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ):
        if data.startswith(mark):
            return encoding, mark
    if data[1:2] == b"\0":
        return "utf-16-le", b""
    return "utf-8", b""
