"""The smallest pieces of a page: a compared line, a typed key, a scenario's points."""

from __future__ import annotations

from markupsafe import Markup

from harness.model.stimulus import KEY_NAMES, Typed
from harness.model.student_view import ShownCheck
from harness.reporting.html.inert import block, code
from harness.reporting.view.comparison import Cell, ComparedRow, Side
from harness.reporting.view.screen import ScreenPiece
from harness.reporting.view.words import number, plural

_CUT = Markup('<span class="cut">…</span>')
_END = Markup("<i>¬</i>")
_NO_END = Markup('<i class="none">(no line end)</i>')
_NOTHING = Markup('<span class="none">(nothing printed)</span>')
_NO_LINE = Markup('<span class="none">(no such line)</span>')


def cell_html(row: ComparedRow, side: Side, is_text: bool) -> Markup:
    """One side of a compared line, blanks visible where the line differs."""
    cell = row.expected if side == Side.EXPECTED else row.actual
    if cell is None:
        return _NOTHING if row.nothing == side else _NO_LINE
    spaces = is_text and not row.same
    end = _end_of_line(row, side, cell, is_text)
    at = cell.mark
    if at is None:
        shown = block(cell.text) if row.same else code(cell.text, spaces=spaces)
    elif at >= len(cell.text):
        shown = code(cell.text, spaces=spaces)
        end = _marked(end or _END)
    else:
        shown = (
            code(cell.text[:at], spaces=spaces)
            + _marked(code(cell.text[at], spaces=True))
            + code(cell.text[at + 1 :], spaces=spaces)
        )
    before, after = (_CUT if cut else Markup("") for cut in (cell.cut_before, cell.cut_after))
    return before + shown + end + after


def _marked(shown: Markup) -> Markup:
    return Markup(f"<mark>{shown}</mark>")


def _end_of_line(row: ComparedRow, side: Side, cell: Cell, is_text: bool) -> Markup:
    if not is_text or row.same or cell.cut_after:
        return Markup("")
    return _NO_END if row.lacks_end == side else _END


def key_html(typed: Typed) -> Markup:
    """One input as a key cap: its text with blanks visible, or the key's name."""
    if typed.key is not None:
        return Markup(KEY_NAMES[typed.key])
    return code(typed.text, spaces=True) if typed.text else Markup("Enter alone")


def pieces_html(pieces: tuple[ScreenPiece, ...]) -> Markup:
    """A stretch of a terminal for a `<pre>`; what was typed stands apart, Enter included."""
    parts = [
        Markup(f"<b>{code(piece.text)}</b>\n") if piece.typed else block(piece.text)
        for piece in pieces
    ]
    # HTML drops a line end that comes first in a <pre>, so that one is written twice.
    shown = Markup("").join(parts)
    return Markup("\n") + shown if shown.startswith("\n") else shown


def points_text(check: ShownCheck) -> str:
    """What the scenario was worth."""
    if check.informational:
        return "differs from ours, not graded" if not check.verdict.passed else "not graded"
    return f"{number(check.points)} of {number(check.out_of)} {plural(check.out_of, 'point')}"


def capital(text: str) -> str:
    """With a capital first letter, as a heading has."""
    return text[:1].upper() + text[1:]
