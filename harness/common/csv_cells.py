"""CSV for spreadsheets: what a student wrote never becomes a formula there."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

# The wide forms count in spreadsheets of East Asia; a line end may stand before a formula.
_BEGINNINGS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)%?|-+")


def inert_cell(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula. Numbers and dashes stay."""
    if not text.startswith(_BEGINNINGS) or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def bare_cell(text: str) -> str:
    """The text of a cell that `inert_cell` may have written."""
    return text[1:] if text.startswith("'") and inert_cell(text[1:]) == text else text


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV text with every cell inert; lines end as RFC 4180 has it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerows([inert_cell(cell) for cell in row] for row in rows)
    return text.getvalue()
