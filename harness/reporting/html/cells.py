"""The smallest pieces of a page: a compared line, a typed key, a scenario's points."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from harness.common.words import plural
from harness.model.observation import Turn
from harness.model.stimulus import KEY_NAMES, Typed
from harness.model.student_view import ShownCheck
from harness.model.verdict import Cell, GridCell, LineEnd
from harness.reporting.html.inert import block, code
from harness.reporting.view.comparisons import shortened
from harness.reporting.view.words import number

ENTER = "⏎"  # where nothing but Enter is typed
_CUT = Markup('<span class="cut">…</span>')
_ENDS = {
    LineEnd.NOTHING: Markup(""),
    LineEnd.SIGN: Markup("<i>¬</i>"),
    LineEnd.LACKING: Markup('<i class="none">(no line end)</i>'),
}


def cell_html(cell: Cell) -> Markup:
    """One side of a compared line."""
    if cell.note:
        return Markup('<span class="none">{}</span>').format(cell.note)
    text, at, end = cell.text, cell.mark, _ENDS[cell.end]
    if cell.marks:
        shown = _with_marks(cell)
    elif at is None:
        shown = code(text, spaces=True) if cell.signs else block(text)
    else:
        shown = code(text[:at], spaces=cell.signs)
        if at < len(text):
            shown += _marked(code(text[at], spaces=True)) + code(text[at + 1 :], spaces=cell.signs)
        else:
            end = _marked(end)
    before, after = (_CUT if cut else Markup("") for cut in (cell.cut_before, cell.cut_after))
    return before + shown + end + after


def _with_marks(cell: Cell) -> Markup:
    shown, done = Markup(""), 0
    for span in cell.marks:
        shown += code(cell.text[done : span.start], spaces=cell.signs)
        shown += _marked(code(cell.text[span.start : span.stop], spaces=True))
        done = span.stop
    return shown + code(cell.text[done:], spaces=cell.signs)


def grid_cell_html(cell: GridCell) -> Markup:
    """One cell of a board, blanks as signs; empty where there is nothing."""
    shown = code(cell.text, spaces=True)
    return _marked(shown) if cell.differs else shown


def _marked(shown: Markup) -> Markup:
    return Markup(f"<mark>{shown}</mark>")


def key_html(typed: Typed) -> Markup:
    """One input as a key cap: its text with blanks visible, or the key's name."""
    if typed.key is not None:
        return Markup(KEY_NAMES[typed.key])
    return code(typed.text, spaces=True) if typed.text else Markup("Enter alone")


def turns_html(turns: Iterable[Turn]) -> Markup:
    """Turns of a terminal for a `<pre>`; what was typed is set apart, Enter included."""
    parts: list[Markup] = []
    for turn in turns:
        parts.append(block(shortened(turn.printed)))
        if turn.typed is not None:
            parts.append(Markup(f"<b>{code(turn.typed.shown()) or ENTER}</b>\n"))
    # HTML drops a line end that comes first in a <pre>, so that one is written twice.
    shown = Markup("").join(parts)
    return Markup("\n") + shown if shown.startswith("\n") else shown


_SIGNS = (
    ("<i>·</i>", "· is a space"),
    ("<i>⇥</i>", "⇥ a tab"),
    ("<i>¬</i>", "¬ the end of a line"),
    (f"<b>{ENTER}</b>", f"{ENTER} Enter alone"),
)


def signs_used(body: str) -> str:
    """The key to the signs in a piece of a page; empty where there are none."""
    used = [words for sign, words in _SIGNS if sign in body]
    if used and " is " not in used[0]:
        used[0] = used[0].replace(" ", " is ", 1)
    return ", ".join(used) + "." if used else ""


def points_text(check: ShownCheck) -> str:
    """What the scenario was worth."""
    if check.informational:
        return "differs, costs no marks" if not check.verdict.passed else "not graded"
    return f"{number(check.points)} of {number(check.out_of)} {plural(check.out_of, 'point')}"


def capital(text: str) -> str:
    """With a capital first letter, as a heading has."""
    return text[:1].upper() + text[1:]
