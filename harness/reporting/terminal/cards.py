"""Formats a submission's failures as terminal text: what to fix first, and how many checks passed.

Students' self-check uses this module with only the standard library, so it must not import `rich`.
"""

import itertools
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from harness.common.escaping import shorten, visible
from harness.model.assignment import Surroundings
from harness.model.notebook import PROGRAM_LINES, LineNames
from harness.model.observation import Turn
from harness.model.policy import Unparsable
from harness.model.stimulus import Typed
from harness.model.verdict import Cell, Channel, ComparedRow, Comparison, Conversation
from harness.reporting.view import paste, words
from harness.reporting.view.comparisons import comparisons, folded, marked_spans, shortened
from harness.reporting.view.shown_causes import Card, CardKind, cards, of_missing_file
from harness.results.redaction import ShownCause, ShownCheck
from harness.results.student_view import StudentView

Styled = tuple[str, str]  # a text and its styles, which are keys of `_CODES`

_WORD = re.compile(r"\s*\S+\s*")
_CODES = {
    "bold": "1", "dim": "2", "italic": "3", "reverse": "7",
    "red": "31", "green": "32", "yellow": "33", "cyan": "36",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CardLine:
    """One line of terminal text. It is wrapped if it is too long."""

    spans: tuple[Styled, ...] = ()
    indent: int = 0  # columns
    hang: int = 0  # additional columns for wrapped lines

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.spans)


def line(*parts: str | Styled, indent: int = 0, hang: int = 0) -> CardLine:
    """Return a line made of plain and styled texts, which must not contain line ends."""
    spans: list[Styled] = []
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        if text:
            spans.append((text, style))
    return CardLine(tuple(spans), indent, hang)


def moved(lines: Iterable[CardLine], columns: int) -> list[CardLine]:
    """Return the lines indented by this many columns."""
    return [replace(row, indent=row.indent + columns) for row in lines]


def wrapped(lines: Iterable[CardLine], width: int) -> Iterator[CardLine]:
    """Yield lines of at most `width` columns, broken between words if possible."""
    for row in lines:
        width_left = max(width - row.indent, 8)
        text = row.text
        if sum(map(_columns, text)) <= width_left:
            yield replace(row, hang=0)
            continue
        breaks = _breaks(text, width_left, max(width_left - row.hang, 8))
        characters = list(_characters(row))
        for start, end in itertools.pairwise([0, *breaks, len(text)]):
            indent = row.indent
            if start:
                indent += row.hang
            yield CardLine(tuple(_spans(row, characters[start:end])), indent)


# A character and the index of its span.
_Character = tuple[int, str]


def _characters(row: CardLine) -> Iterator[_Character]:
    # Work with characters: searching all spans for each part of a line would take quadratic time.
    for place, (text, _) in enumerate(row.spans):
        for character in text:
            yield place, character


def _spans(row: CardLine, characters: list[_Character]) -> Iterator[Styled]:
    """Yield the characters as spans of equal style, without trailing white space."""
    while characters and characters[-1][1].isspace():
        characters.pop()
    for place, group in groupby(characters, key=lambda pair: pair[0]):
        text = "".join(character for _, character in group)
        yield text, row.spans[place][1]


def as_text(lines: Iterable[CardLine], width: int, *, colours: bool = False) -> str:
    """Return the lines as text; each ends with a line end."""
    shown: list[str] = []
    for row in wrapped(lines, width):
        text = " " * row.indent
        for part, style in row.spans:
            text += _coloured(part, style) if colours else part
        shown.append(text.rstrip(" ") + "\n")
    return "".join(shown)


def _coloured(text: str, style: str) -> str:
    codes = ";".join(_CODES[word] for word in style.split())
    if not codes:
        return text
    return f"\x1b[{codes}m{text}\x1b[0m"


def _breaks(text: str, first: int, rest: int) -> list[int]:
    """Return the positions of line breaks: the first line has `first` columns, later lines `rest`.

    A word that does not fit on a line is cut.
    """
    places: list[int] = []
    columns_left = first
    for word in _WORD.finditer(text):
        end = word.start() + len(word.group().rstrip())
        if word.start() and sum(map(_columns, text[word.start() : end])) > columns_left:
            places.append(word.start())
            columns_left = rest
        for at in range(word.start(), word.end()):
            if at < end and _columns(text[at]) > columns_left:
                places.append(at)
                columns_left = rest
            columns_left -= _columns(text[at])
    return places


def _columns(character: str) -> int:
    if " " <= character <= "~":
        return 1
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 1


_LABEL = 7  # columns of the labels "try", "type" and "set"
# Differences that the explanation's sentence describes completely.
_SAID_ALREADY = frozenset({Channel.RAISES, Channel.ENDING, Channel.READS, Channel.EXIT})


def cause(
    number: int, shown: ShownCause, surroundings: Surroundings, names: LineNames = PROGRAM_LINES
) -> list[CardLine]:
    """Return one thing to fix: its place, the clearest failing check, and how many other checks
    fail for it.

    If only hidden checks fail: the function and the sheet's clauses.
    """
    check = shown.first
    if check is not None:
        sign = words.sign(check.verdict.kind)
        name = f"{check.function}: {check.name}"
        aside = _case(check)
        inside = _cause_by_example(check, shown, surroundings, names)
    else:
        sign = words.OTHER_SIGN
        name = shown.function or "the file"
        verb = "fails" if shown.hidden == 1 else "fail"
        aside = f"  only {words.counted(shown.hidden, 'hidden check')} {verb}"
        inside = _hidden_cause(shown, names)
    inside += [_label_line("hint", visible(text)) for text in words.advice(shown)]
    title = ((f"{number}. ", "bold"), (f"{sign} ", "red"), (visible(name), "bold"), (aside, "dim"))
    return [line(*title), *moved(inside, 3)]


def _case(check: ShownCheck) -> str:
    """Return an example's constants and generated values in brackets; "" if there are none."""
    about = [paste.settings(check.stimulus.constants), words.case(check)]
    text = ", ".join(filter(None, about))
    if not text:
        return ""
    return visible(f"  [{text}]")


def _cause_by_example(
    check: ShownCheck, shown: ShownCause, surroundings: Surroundings, names: LineNames
) -> list[CardLine]:
    """Return the lines of a cause that has an example (its clearest check)."""
    inside = [*_place(shown, names), *explained(check, surroundings, shown.message)]
    if shown.further_hint:
        inside.append(_label_line("hint", visible(shorten(shown.further_hint, 400))))
    others = [other.verdict for other in shown.checks[1:]]
    if others:
        inside.append(line((words.other_checks(others), "dim")))
    return inside


def _hidden_cause(shown: ShownCause, names: LineNames) -> list[CardLine]:
    """Return the lines of a cause for which only hidden checks fail."""
    inside: list[CardLine] = []
    if shown.message:
        inside.append(line(visible(shown.message)))
    inside += _place(shown, names)
    for clause in shown.clauses:
        inside.append(line(visible(f"the sheet, {clause.section}: {clause.text}")))
    return inside


def _place(shown: ShownCause, names: LineNames) -> list[CardLine]:
    """Return a line with the place of the mistake in the student's file, if it is known."""
    place = shown.place
    if place is None:
        return []
    first, last = place.first, place.last
    if shown.line:
        first = last = shown.line
    where = f"{names.file(place.file)}, {names.lines(place.file, first, last)}"
    if shown.function:
        where = f"{shown.function}: {where}"
    return [line(("look at ", "dim"), visible(where))]


def things_to_fix(view: StudentView, limit: int) -> Iterator[CardLine]:
    """Yield the first `limit` things to fix, each after an empty line, then how many more there
    are.

    The line with all missing functions is always included.
    """
    more = 0
    for card in cards(view.causes):
        if card.kind is CardKind.MISSING:
            yield from (CardLine(), _all_missing(card))
        elif card.number <= limit:
            yield from (CardLine(), *_numbered(card, view))
        else:
            more += len(card.causes)
    if more:
        yield from (CardLine(), line((f"… and {words.counted(more, 'more thing')} to fix.", "dim")))


def _numbered(card: Card, view: StudentView) -> list[CardLine]:
    return cause(card.number, card.cause, view.surroundings, view.line_names)


def _all_missing(card: Card) -> CardLine:
    """Return the line that lists the missing functions."""
    title = f"{words.counted(len(card.causes), 'function')} missing: "
    functions = [missing.function for missing in card.causes]
    names = visible(words.listed(functions))
    number = (f"{card.numbers}. ", "bold")
    return line(number, (f"{words.OTHER_SIGN} ", "red"), (title, "bold"), names)


def explained(check: ShownCheck, surroundings: Surroundings, message: str = "") -> list[CardLine]:
    """Return the lines below a check's title: what happened, what to try, and expected above
    actual output. `message` replaces the check's own sentence.
    """
    verdict = check.verdict
    said = message or verdict.message or words.VERDICT[verdict.kind]
    inside = [line(visible(shorten(said, 600)))]
    if of_missing_file(check):
        return inside
    time = words.time_taken(verdict)
    if time:
        inside.append(line((time, "dim")))
    inside += _to_try(check, surroundings)
    compared: list[CardLine] = []
    if verdict.conversation is not None:
        compared += conversation_lines(verdict.conversation)
    for part in comparisons(verdict):
        if part.channel not in _SAID_ALREADY:
            compared += comparison_lines(part)
    return inside + _with_one_caret(compared)


def _with_one_caret(lines: Iterable[CardLine]) -> list[CardLine]:
    """Return the lines with only the first caret."""
    kept: list[CardLine] = []
    has_caret = False
    for row in lines:
        is_caret = _CARET in row.spans
        if not (is_caret and has_caret):
            kept.append(row)
        has_caret = has_caret or is_caret
    return kept


def _to_try(check: ShownCheck, surroundings: Surroundings) -> Iterator[CardLine]:
    stimulus = check.stimulus
    for file, change in paste.constant_changes(stimulus, surroundings):
        text = change
        if file:
            text = f"in {file} {change}"
        yield _label_line("set", visible(text))
    for name, content in paste.files_beside(stimulus):
        yield from _file_lines("file", visible(name), content)
    given = paste.set_up(stimulus)
    if given:
        yield from _labelled("first", given)
    yield from _labelled("try", paste.to_try(stimulus))
    if stimulus.at_load:
        yield _label_line("import", f"type {_keys(stimulus.at_load)}")
    if stimulus.inputs:
        yield _label_line("type", _keys(stimulus.inputs))
    text = paste.piped(stimulus)
    if text:
        yield from _file_lines("pipe", "piped in", text)


def _keys(inputs: Iterable[Typed]) -> str:
    named = [typed.named() for typed in inputs]
    return shorten("  ".join(named), 400)


def _labelled(label: str, text: str) -> Iterator[CardLine]:
    for part in shorten(text, 400).split("\n"):
        yield _label_line(label, visible(part))
        label = ""


def _file_lines(label: str, name: str, content: str) -> Iterator[CardLine]:
    """Yield the name of a file or of piped input, and the first lines of its text."""
    if not content:
        yield _label_line(label, f"{name}, empty")
        return
    yield _label_line(label, f"{name}:")
    shown = shorten(content, 400).rstrip("\n").split("\n")
    for text in shown[:MAX_ROWS]:
        yield _label_line("", "  " + visible(text))
    if len(shown) > MAX_ROWS:
        yield _label_line("", "  …")


def _label_line(label: str, text: str) -> CardLine:
    return line((label.ljust(_LABEL), "dim"), text, hang=_LABEL)


_MAX_LINES = 40  # failures shown for one submission by default
_UNWRAPPED = 1_000_000  # width if standard output is not a terminal
_NARROWEST = 40  # columns


def explain_on_screen(view: StudentView, failures: int, *, whole: bool) -> str:
    """Return a short text with the first `failures` things to fix for standard output, or a full
    text with `whole`.
    """
    is_terminal = sys.stdout.isatty()
    width = _UNWRAPPED
    if is_terminal:
        width = max(shutil.get_terminal_size().columns, _NARROWEST)
    colours = is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    if colours and sys.platform == "win32":
        os.system("")  # turns on color codes in the Windows terminal
    if whole:
        return explain_failures(view, sys.maxsize, width=width, colours=colours)
    text = explain_failures(view, failures, width=width, colours=colours)
    lines = text.split("\n")[:-1]
    if len(lines) <= _MAX_LINES:
        return text
    shown = lines[: _MAX_LINES - 3]
    more = words.counted(len(lines) - len(shown) - 2, "more line")
    return "\n".join([*shown, f"… {more}: --all shows them", "", lines[-1], ""])


def explain_failures(view: StudentView, limit: int, *, width: int, colours: bool = False) -> str:
    """Return the first `limit` things to fix with explanations, and how many checks passed."""
    return as_text(_explanation(view, limit), width, colours=colours)


def _explanation(view: StudentView, limit: int) -> Iterator[CardLine]:
    yield from unreadable(view.problem, view.unparsable, view.line_names)
    if view.causes:
        names = words.listed(map(view.line_names.file, view.surroundings.submitted))
        counted = words.counted(len(view.causes), "thing")
        yield line((visible(f"{names}: {counted} to fix"), "bold"))
    yield from things_to_fix(view, limit)
    for finding in view.findings:
        place = view.line_names.at(finding.file, finding.line, finding.column)
        yield line(("note: ", "yellow"), visible(f"{place}: {finding.message}"))
    yield CardLine()
    passes = [check.verdict.passed for check in view.shown if not check.informational]
    style = "bold green" if all(passes) else "bold red"
    total = words.counted(len(passes), "visible check")
    yield line((f"{passes.count(True)} of {total} passed", style))


def unreadable(problem: str, broken: Unparsable | None, names: LineNames) -> Iterator[CardLine]:
    """Yield lines that say why a submission cannot be graded, with the line at which Python
    stopped reading.
    """
    if problem:
        yield line((visible(problem), "red"))
    if broken is None:
        return
    place = names.at(broken.file, broken.line)
    yield line((visible(f"{place}: {broken.reason}"), "red"))
    if not broken.source.strip():
        return
    yield line("   " + visible(broken.source.rstrip("\n")))
    if broken.column:
        before = visible(broken.source[: broken.column - 1])
        columns = sum(map(_columns, before))
        if columns <= _WIDEST_CARET:
            yield line("   " + " " * columns, _CARET)


MAX_ROWS = 16
_MAX_SCREEN_LINES = 14
_MARKED = "reverse bold"
_WIDEST_CARET = 70  # beyond this column a line may be wrapped
_CARET = ("^", "yellow")
_SIGNS = {" ": "·", "\t": "⇥"}


def conversation_lines(conversation: Conversation) -> Iterator[CardLine]:
    """Yield the screen up to the first difference, then the next lines, expected above actual."""
    goes_on = conversation.parts
    _, recent = folded(conversation.shared)
    screen = _boxed(recent, _MAX_SCREEN_LINES)
    if screen:
        # If the output only has to resemble the example, earlier turns may be wrong too.
        is_right = goes_on and not conversation.example
        yield line(("right so far:" if is_right else "on the screen:", "dim"))
        yield from screen
    if not goes_on:
        return
    if conversation.compared is not None:
        yield from comparison_lines(conversation.compared)
        return
    wanted = "expected next:"
    if conversation.example:
        wanted = "expected next, for example:"
    for title, turn in ((wanted, conversation.expected), ("got:", conversation.actual)):
        yield line((title, "dim"))
        turns = () if turn is None else (turn,)
        yield from _boxed(turns) or [line(("  nothing more, it ends here", "dim"))]


def _boxed(turns: tuple[Turn, ...], most: int | None = None) -> list[CardLine]:
    """Return the last `most` lines of the screen for these turns; nothing if the screen is
    empty.
    """
    if not any(turn.printed or turn.typed is not None for turn in turns):
        return []
    rows: list[list[Styled]] = [[]]
    for turn in turns:
        first, *others = shortened(turn.printed).split("\n")
        rows[-1].append((visible(first), ""))
        for text in others:
            rows.append([(visible(text), "")])
        if turn.typed is not None:
            rows[-1].append((visible(turn.typed.echo()), "cyan"))
            rows.append([])
    shown = [line(*row) for row in rows]
    while len(shown) > 1 and not shown[-1].text.strip():
        shown.pop()
    if most is not None and len(shown) > most:
        shown = [line(("…", "dim")), *shown[-most:]]
    return moved(shown, 2)


def comparison_lines(part: Comparison) -> Iterator[CardLine]:
    """Yield the rows around the first difference, expected above actual."""
    if part.subject not in ("turn", "return value"):
        yield line((visible(part.subject), "dim"))
    start = max(0, _first_differing(part) - 3)
    shown = part.rows[start : start + MAX_ROWS]
    for same, group in groupby(shown, key=lambda row: row.same and not part.in_words):
        rows = list(group)
        if same:
            yield from _same(rows, part)
            continue
        yield from _block([row.expected for row in rows], ("expected ", "green"))
        yield from _block([row.actual for row in rows], ("got      ", "red"), caret=True)
    more = max(0, len(part.rows) - start - MAX_ROWS) + part.left_out_after
    if more:
        yield line((f"         … {words.counted(more, 'more line')}", "dim"))


def _first_differing(part: Comparison) -> int:
    """Return the index of the first row that differs; 0 if there is none."""
    for place, row in enumerate(part.rows):
        if not row.same:
            return place
    return 0


def _same(rows: Iterable[ComparedRow], part: Comparison) -> Iterator[CardLine]:
    """Yield the rows that are equal on both sides."""
    label = "both     "  # so that both first lines start in the same column
    for row in rows:
        if row is part.rows[-1] and not row.expected.text:
            continue  # not a line, just the empty text after the last line end
        yield line((label, "dim"), *_cell(row.expected))
        label = " " * len(label)


def _block(cells: list[Cell], label: Styled, *, caret: bool = False) -> Iterator[CardLine]:
    """Yield the lines of one side (or a note if it has none), with a caret below the first
    character that differs.
    """
    lines_of_text = [cell for cell in cells if not cell.note]
    for cell in lines_of_text or cells[:1]:
        spans = _cell(cell)
        yield line(label, *spans)
        if caret:
            yield from _caret([label, *spans])


def _caret(spans: Iterable[Styled]) -> Iterator[CardLine]:
    """Yield a line with a caret below the first marked span, unless it is too far to the right."""
    before = 0
    for text, style in spans:
        if style == _MARKED:
            if before <= _WIDEST_CARET:
                yield line(" " * before, _CARET)
            return
        before += len(text)


def _cell(cell: Cell) -> list[Styled]:
    if cell.note:
        return [(cell.note, "dim italic")]
    marked: set[int] = set()
    for span in marked_spans(cell):
        marked.update(range(span.start, span.stop))
    spans: list[Styled] = []
    if cell.cut_before:
        spans.append(("…", ""))
    for index, character in enumerate(cell.text):
        shown = visible(character)
        if cell.signs:
            shown = _SIGNS.get(character, shown)
        style = _MARKED if index in marked else ""
        spans.append((shown, style))
    if cell.cut_after:
        spans.append(("…", ""))
    style = _MARKED if cell.mark == len(cell.text) else "dim"
    spans.append((cell.end, style))
    return spans
