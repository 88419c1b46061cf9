"""A scenario's card in a terminal, terse: the sentence, the question, the first difference.

What a student reads in a terminal: the first things to mend, and how many checks passed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from harness.common.escaping import shorten, visible
from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.model.student_view import StudentView
from harness.model.verdict import Channel
from harness.reporting.terminal.lines import Line, Span, line, moved
from harness.reporting.view import cards, words
from harness.reporting.view.cards import Card, Cause
from harness.reporting.view.comparison import ComparedRow, Comparison, Side
from harness.reporting.view.screen import ScreenPiece, ScreenView
from harness.results import student_view

_MOST_ROWS = 16
_MOST_SCREEN_LINES = 14
_LABEL = 7  # columns that a question's labels have
# What the explanation's sentence says in full.
_SAID_ALREADY = frozenset({Channel.RAISES, Channel.ENDING, Channel.READS, Channel.EXIT})


def cause(number: int, found: Cause) -> list[Line]:
    """One thing to mend: its number, the first check that fails for it, how many more do."""
    first = found.first
    check = first.check
    title = line(
        (f"{number}. ", "bold"),
        (f"{words.sign(check.verdict.kind)} ", "red"),
        (visible(f"{check.function}: {check.name}"), "bold"),
        (visible(f"  [{first.settings}]") if first.settings else "", "dim"),
    )
    inside = explained(first)
    if found.others:
        others = words.counted(len(found.others), "other check")
        verb = "fails" if len(found.others) == 1 else "fail"
        inside.append(line((f"{others} {verb} in a like way", "dim")))
    return [title, *moved(inside, 3)]


def explained(card: Card) -> list[Line]:
    """What happened, what was asked, and expected beside got: lines for below a title."""
    verdict = card.check.verdict
    inside = [line(visible(shorten(verdict.message or words.VERDICT[verdict.kind], 600)))]
    inside += _question(card)
    if card.screen:
        inside += _screen(card.screen)
    for part in card.comparisons:
        if part.channel not in _SAID_ALREADY:
            inside += _comparison(part)
    return inside


def _question(card: Card) -> Iterator[Line]:
    for change in card.recipe.changes:
        place = f"in {change.file} " if change.file else ""
        yield _asked("set", visible(f"{place}{change.line}"))
    label = "try"
    for text in shorten(card.question, 400).split("\n"):
        yield _asked(label, visible(text))
        label = ""
    if card.recipe.inputs:
        keys = "  ".join(one.named() for one in card.recipe.inputs)
        yield _asked("type", shorten(keys, 400))


def _asked(label: str, text: str) -> Line:
    return line((label.ljust(_LABEL), "dim"), text, hang=_LABEL)


def _screen(screen: ScreenView) -> list[Line]:
    lines: list[Line] = []
    if screen.recent:
        title = "right so far:" if screen.parts else "on the screen:"
        lines += [line((title, "dim")), *_boxed(screen.recent, _MOST_SCREEN_LINES)]
    if not screen.parts:
        return lines
    if screen.comparison:
        lines += _comparison(screen.comparison)
        return lines
    for title, pieces in (("expected next:", screen.expected), ("got:", screen.actual)):
        lines.append(line((title, "dim")))
        lines += _boxed(pieces) or [line(("  nothing more, it ends here", "dim"))]
    return lines


def _boxed(pieces: tuple[ScreenPiece, ...], most: int | None = None) -> list[Line]:
    rows: list[list[Span]] = [[]]
    for piece in pieces:
        for index, text in enumerate(piece.text.split("\n")):
            if index:
                rows.append([])
            rows[-1].append((visible(text), "cyan" if piece.typed else ""))
        if piece.typed:
            rows.append([])
    while len(rows) > 1 and not "".join(text for text, _ in rows[-1]).strip():
        rows.pop()
    if not pieces:
        return []
    shown = [line(*row) for row in rows]
    if most is not None and len(shown) > most:
        shown = [line(("…", "dim")), *shown[-most:]]
    return moved(shown, 2)


def _comparison(part: Comparison) -> list[Line]:
    lines: list[Line] = []
    if part.subject not in ("turn", "return value"):
        lines.append(line((visible(part.subject), "dim")))
    first = next((i for i, row in enumerate(part.rows) if not row.same), 0)
    start = max(0, first - 3)
    shown = part.rows[start : start + _MOST_ROWS]
    for same, group in groupby(shown, key=lambda row: row.same and not part.in_words):
        rows = list(group)
        if same:
            lines += [line("         ", *_side(r, Side.EXPECTED, part.is_text)) for r in rows]
            continue
        lines += _block(rows, Side.EXPECTED, ("expected ", "green"), part.is_text)
        lines += _block(rows, Side.ACTUAL, ("got      ", "red"), part.is_text)
    if len(part.rows) > start + _MOST_ROWS or part.left_out_after:
        lines.append(line(("         …", "dim")))
    return lines


def _block(rows: list[ComparedRow], side: Side, label: Span, is_text: bool) -> list[Line]:
    """The lines of one side; where it has none of them, that is said once."""
    there = [row for row in rows if (row.expected if side == Side.EXPECTED else row.actual)]
    return [line(label, *_side(row, side, is_text)) for row in there or rows[:1]]


def _side(row: ComparedRow, side: Side, is_text: bool) -> list[Span]:
    cell = row.expected if side == Side.EXPECTED else row.actual
    if cell is None:
        return [("(nothing printed)" if row.nothing == side else "(no such line)", "dim italic")]
    spans: list[Span] = [("…" if cell.cut_before else "", "")]
    for index, character in enumerate(cell.text):
        shown = visible(character)
        if not row.same and is_text:
            shown = {" ": "·", "\t": "⇥"}.get(character, shown)
        spans.append((shown, "reverse bold" if index == cell.mark else ""))
    if cell.cut_after:
        spans.append(("…", ""))
    elif not row.same and (is_text or cell.mark == len(cell.text)):
        end = "(no line end)" if row.lacks_end == side else "¬"
        spans.append((end, "reverse bold" if cell.mark == len(cell.text) else "dim"))
    return spans


def explanation(result: SubmissionResult | StudentView, plan: Plan, limit: int = 3) -> list[Line]:
    """The first `limit` things to mend, explained; visible scenarios alone, terse."""
    view = result if isinstance(result, StudentView) else student_view(result, plan)
    lines: list[Line] = []
    if view.problem or view.unparsable:
        lines += _unreadable(view)
    graded = [check for check in view.shown if not check.informational]
    found = cards.causes(graded, view.surroundings, [tally.function for tally in view.functions])
    for number, one in enumerate(found[:limit], start=1):
        lines += [Line(), *cause(number, one)]
    left = len(found) - limit
    if left > 0:
        lines += [Line(), line((f"… and {words.counted(left, 'more thing')} to mend.", "dim"))]
    for finding in view.findings:
        place = f"{finding.file}:{finding.line}:{finding.column}"
        lines.append(line(("note ", "yellow"), visible(f"{place}: {finding.message}")))
    return [*lines, Line(), _tally(view)]


def _tally(view: StudentView) -> Line:
    graded = [check for check in view.shown if not check.informational]
    passed = sum(check.verdict.passed for check in graded)
    style = "bold green" if passed == len(graded) else "bold red"
    return line((f"{passed} of {words.counted(len(graded), 'visible check')} passed", style))


def _unreadable(view: StudentView) -> list[Line]:
    broken = view.unparsable
    if broken is None:
        return [line((visible(view.problem), "red"))]
    place = broken.file if broken.line is None else f"{broken.file}:{broken.line}"
    lines = [line((visible(f"{place}: {broken.reason}"), "red"))]
    if broken.source.strip():
        lines.append(line("   " + visible(broken.source.rstrip("\n"))))
    return lines
