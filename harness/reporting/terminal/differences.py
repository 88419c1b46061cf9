"""What was expected beside what was got, as lines for a terminal."""

from __future__ import annotations

from itertools import groupby

from harness.common.escaping import visible
from harness.model.observation import Turn
from harness.model.verdict import Cell, Comparison, Conversation
from harness.reporting.terminal.lines import Line, Span, line, moved
from harness.reporting.view.comparisons import folded, shortened

MOST_ROWS = 16
_MOST_SCREEN_LINES = 14
_MARKED = "reverse bold"
_WIDEST_CARET = 70  # columns: further right a line may be wrapped
_SIGNS = {" ": "·", "\t": "⇥"}


def conversation_lines(conversation: Conversation) -> list[Line]:
    """What is right of a game so far, and what comes next, expected beside got."""
    lines: list[Line] = []
    goes_on = conversation.parts
    _, recent = folded(conversation.shared)
    if shown := _boxed(recent, _MOST_SCREEN_LINES):
        title = "right so far:" if goes_on else "on the screen:"
        lines += [line((title, "dim")), *shown]
    if not goes_on:
        return lines
    if conversation.compared is not None:
        return [*lines, *comparison_lines(conversation.compared)]
    wanted = "expected next, for example:" if conversation.example else "expected next:"
    for title, side in ((wanted, conversation.expected), ("got:", conversation.actual)):
        lines.append(line((title, "dim")))
        lines += _boxed((side,) if side else ()) or [line(("  nothing more, it ends here", "dim"))]
    return lines


def _boxed(turns: tuple[Turn, ...], most: int | None = None) -> list[Line]:
    rows: list[list[Span]] = [[]]
    for turn in turns:
        first, *more = shortened(turn.printed).split("\n")
        rows[-1].append((visible(first), ""))
        rows += [[(visible(text), "")] for text in more]
        if turn.typed is not None:
            rows[-1].append((visible(turn.typed.shown()), "cyan"))
            rows.append([])
    while len(rows) > 1 and not "".join(text for text, _ in rows[-1]).strip():
        rows.pop()
    if not any(turn.printed or turn.typed is not None for turn in turns):
        return []
    shown = [line(*row) for row in rows]
    if most is not None and len(shown) > most:
        shown = [line(("…", "dim")), *shown[-most:]]
    return moved(shown, 2)


def comparison_lines(part: Comparison) -> list[Line]:
    """The rows around the first that differs, expected above got."""
    lines: list[Line] = []
    if part.subject not in ("turn", "return value"):
        lines.append(line((visible(part.subject), "dim")))
    first = next((i for i, row in enumerate(part.rows) if not row.same), 0)
    start = max(0, first - 3)
    shown = part.rows[start : start + MOST_ROWS]
    for same, group in groupby(shown, key=lambda row: row.same and not part.in_words):
        rows = list(group)
        if same:
            label = "both     "  # else the first line would be shifted against what is above it
            for row in rows:
                if row is part.rows[-1] and not row.expected.text:
                    continue  # after the end of the last line
                lines.append(line((label, "dim"), *_cell(row.expected)))
                label = " " * len(label)
            continue
        lines += _block([row.expected for row in rows], ("expected ", "green"))
        lines += _block([row.actual for row in rows], ("got      ", "red"), caret=True)
    if len(part.rows) > start + MOST_ROWS or part.left_out_after:
        lines.append(line(("         …", "dim")))
    return lines


def _block(cells: list[Cell], label: Span, *, caret: bool = False) -> list[Line]:
    """The lines of one side, with a caret below the first character that differs; one line with the
    note where the side has none of them."""
    there = [cell for cell in cells if not cell.note]
    lines: list[Line] = []
    for cell in there or cells[:1]:
        spans = _cell(cell)
        lines.append(line(label, *spans))
        at = next((i for i, (_, style) in enumerate(spans) if style == _MARKED), None)
        before = len(label[0]) + sum(len(text) for text, _ in spans[:at])
        if caret and at is not None and before <= _WIDEST_CARET:
            lines.append(line(" " * before, ("^", "yellow")))
    return lines


def _cell(cell: Cell) -> list[Span]:
    if cell.note:
        return [(cell.note, "dim italic")]
    spans: list[Span] = [("…" if cell.cut_before else "", "")]
    for index, character in enumerate(cell.text):
        sign = _SIGNS.get(character) if cell.signs else None
        marked = any(span.start <= index < span.stop for span in cell.marks)
        marked = marked if cell.marks else index == cell.mark
        spans.append((sign or visible(character), _MARKED if marked else ""))
    spans.append(("…" if cell.cut_after else "", ""))
    spans.append((cell.end, _MARKED if cell.mark == len(cell.text) else "dim"))
    return spans
