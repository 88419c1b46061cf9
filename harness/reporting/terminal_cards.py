"""A scenario's card in a terminal, terse: the sentence, the question, the first difference."""

from __future__ import annotations

from itertools import groupby

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from harness.model.verdict import Channel
from harness.reporting import words
from harness.reporting.cards import Card
from harness.reporting.cells import key_text, shorten
from harness.reporting.compare import Comparison, Row, Side
from harness.reporting.inert import visible, visible_lines
from harness.reporting.screen import Piece, Screen

_MOST_ROWS = 16
_MOST_SCREEN_LINES = 14
# What the explanation's sentence says in full.
_SAID_ALREADY = frozenset({Channel.RAISES, Channel.ENDING, Channel.READS, Channel.EXIT})


def explained(card: Card) -> list[RenderableType]:
    """What happened, what was asked, and expected beside got: lines for below a title."""
    verdict = card.check.verdict
    inside: list[RenderableType] = [
        Text(visible(shorten(verdict.message or words.VERDICT[verdict.kind], 600)))
    ]
    inside += _question(card)
    if card.screen:
        inside += _screen(card.screen)
    for part in card.comparisons:
        if part.channel not in _SAID_ALREADY:
            inside += _comparison(part)
    return inside


def _question(card: Card) -> list[RenderableType]:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(style="dim", width=6)
    grid.add_column(overflow="fold")
    for change in card.recipe.changes:
        place = f"in {change.file} " if change.file else ""
        grid.add_row("set", Text(visible(f"{place}{change.line}")))
    grid.add_row("try", Text(visible_lines(shorten(card.question, 400))))
    if card.recipe.inputs:
        keys = "  ".join(key_text(one) for one in card.recipe.inputs)
        grid.add_row("type", Text(shorten(keys, 400)))
    return [grid]


def _screen(screen: Screen) -> list[RenderableType]:
    lines: list[RenderableType] = []
    if screen.recent:
        lines += [Text("right so far:", "dim"), _boxed(screen.recent, _MOST_SCREEN_LINES)]
    if not screen.parts:
        return lines
    if screen.comparison:
        lines += _comparison(screen.comparison)
        return lines
    for title, pieces in (("expected next:", screen.expected), ("got:", screen.actual)):
        lines.append(Text(title, "dim"))
        lines.append(_boxed(pieces) if pieces else Text("  nothing more, it ends here", "dim"))
    return lines


def _boxed(pieces: tuple[Piece, ...], most: int | None = None) -> RenderableType:
    text = Text()
    for piece in pieces:
        for index, line in enumerate(piece.text.split("\n")):
            text.append("\n" if index else "").append(visible(line), "cyan" if piece.typed else "")
        text.append("\n" if piece.typed else "")
    text.rstrip()
    lines = text.split("\n")
    if most is not None and len(lines) > most:
        text = Text("\n").join([Text("…", "dim"), *lines[-most:]])
    return Padding(text, (0, 0, 0, 2))


def _comparison(part: Comparison) -> list[RenderableType]:
    lines: list[RenderableType] = []
    if part.subject not in ("turn", "return value"):
        lines.append(Text(visible(part.subject), "dim"))
    first = next((i for i, row in enumerate(part.rows) if not row.same), 0)
    start = max(0, first - 3)
    shown = part.rows[start : start + _MOST_ROWS]
    for same, group in groupby(shown, key=lambda row: row.same and not part.in_words):
        rows = list(group)
        if same:
            lines += [
                Text.assemble("         ", _side(r, Side.EXPECTED, part.is_text)) for r in rows
            ]
            continue
        lines += _block(rows, Side.EXPECTED, Text("expected ", "green"), part.is_text)
        lines += _block(rows, Side.ACTUAL, Text("got      ", "red"), part.is_text)
    if len(part.rows) > start + _MOST_ROWS or part.left_out_after:
        lines.append(Text("         …", "dim"))
    return lines


def _block(rows: list[Row], side: Side, label: Text, is_text: bool) -> list[RenderableType]:
    """The lines of one side; where it has none of them, that is said once."""
    there = [row for row in rows if (row.expected if side == Side.EXPECTED else row.actual)]
    return [Text.assemble(label, _side(row, side, is_text)) for row in there or rows[:1]]


def _side(row: Row, side: Side, is_text: bool) -> Text:
    cell = row.expected if side == Side.EXPECTED else row.actual
    if cell is None:
        said = "(nothing printed)" if row.nothing == side else "(no such line)"
        return Text(said, "dim italic")
    text = Text("…" if cell.cut_before else "")
    for index, character in enumerate(cell.text):
        shown = visible(character)
        if not row.same and is_text:
            shown = {" ": "·", "\t": "⇥"}.get(character, shown)
        text.append(shown, "reverse bold" if index == cell.mark else "")
    if cell.cut_after:
        text.append("…")
    elif not row.same and (is_text or cell.mark == len(cell.text)):
        end = "(no line end)" if row.lacks_end == side else "¬"
        text.append(end, "reverse bold" if cell.mark == len(cell.text) else "dim")
    return text
