"""CSV files that people and platforms make: any usual delimiter, any usual encoding."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.common.errors import UserError

_MAX_BYTES = 16 * 1024 * 1024
_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table, its cells by their column's plain name (see `plain_name`)."""

    place: str
    cells: Mapping[str, str]

    def first(self, *columns: str) -> str:
        """The first of these columns' cells that is not empty, or ""."""
        return next((self.cells[name] for name in columns if self.cells.get(name)), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table's columns by their plain names, and its lines that are not empty."""

    path: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def plain_name(column: str) -> str:
    """`SIS User ID` as `sis user id`, `student_id` as `student id`."""
    return re.sub(r"[\s_]+", " ", column).strip().casefold()


def read_table(path: Path) -> Table:
    """The table in a CSV file. Raises UserError with the line where it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", place=str(path)) from None
    if len(data) > _MAX_BYTES:
        raise UserError("is larger than 16 MiB", place=str(path))
    text = _decoded(data, path)
    heading = text.lstrip().split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=heading.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns: tuple[str, ...] = ()
    rows: list[Row] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not columns:
                columns = tuple(plain_name(cell) for cell in cells)
                continue
            named = {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}
            rows.append(Row(place=f"{path}:{reader.line_num}", cells=named))
    except csv.Error as error:
        raise UserError(
            f"is no CSV ({error})", place=f"{path}:{reader.line_num}", hint="export it as CSV again"
        ) from None
    return Table(path=str(path), columns=columns, rows=tuple(rows))


def _decoded(data: bytes, path: Path) -> str:
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UserError(
            f"byte {error.start} is not {encoding.upper().removesuffix('-SIG')}",
            place=f"{path}:{line}",
            hint="save it as CSV in UTF-8",
        ) from None
