"""A submission's failures as terminal text: what to fix first, and how many checks passed. Also for
the self-check, which has only the standard library, so `rich` is not used here."""

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
from harness.model.observation import Turn
from harness.model.policy import Unparsable
from harness.model.verdict import Cell, Channel, Comparison, Conversation
from harness.reporting.view import paste, words
from harness.reporting.view.comparisons import comparisons, folded, marked_spans, shortened
from harness.reporting.view.shown_causes import Card, CardKind, cards, of_missing_file
from harness.results.redaction import ShownCause, ShownCheck
from harness.results.student_view import StudentView

Styled = tuple[str, str]  # a text, and its style: words of `_CODES`

_WORD = re.compile(r"\s*\S+\s*")
_CODES = {
    "bold": "1", "dim": "2", "italic": "3", "reverse": "7",
    "red": "31", "green": "32", "yellow": "33", "cyan": "36",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One line, which is wrapped if it is too long."""

    spans: tuple[Styled, ...] = ()
    indent: int = 0  # columns
    hang: int = 0  # columns more, for wrapped lines

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.spans)


def line(*parts: str | Styled, indent: int = 0, hang: int = 0) -> Line:
    """Return a line of plain and styled texts, which have no line ends."""
    spans = tuple((part, "") if isinstance(part, str) else part for part in parts)
    return Line(tuple(span for span in spans if span[0]), indent, hang)


def moved(lines: Iterable[Line], columns: int) -> list[Line]:
    """Return the lines moved so many columns to the right."""
    return [replace(row, indent=row.indent + columns) for row in lines]


def wrapped(lines: Iterable[Line], width: int) -> Iterator[Line]:
    """Return lines of at most `width` columns, broken between words if possible."""
    for row in lines:
        width_left = max(width - row.indent, 8)
        if sum(map(_columns, row.text)) <= width_left:
            yield replace(row, hang=0)
            continue
        breaks = _breaks(row.text, width_left, max(width_left - row.hang, 8))
        # By characters: to look for each part in all spans would take the square of the time.
        every = [(at, character) for at, (text, _) in enumerate(row.spans) for character in text]
        for start, end in itertools.pairwise([0, *breaks, len(row.text)]):
            part = every[start:end]
            while part and part[-1][1].isspace():
                part.pop()
            spans = (
                ("".join(character for _, character in same), row.spans[span][1])
                for span, same in groupby(part, key=lambda pair: pair[0])
            )
            yield Line(tuple(spans), row.indent + (row.hang if start else 0))


def as_text(lines: Iterable[Line], width: int, *, colours: bool = False) -> str:
    """Return the lines as text, each with its end."""
    shown: list[str] = []
    for row in wrapped(lines, width):
        spans = [" " * row.indent]
        for text, style in row.spans:
            codes = ";".join(_CODES[word] for word in style.split())
            spans.append(f"\x1b[{codes}m{text}\x1b[0m" if colours and codes else text)
        shown.append("".join(spans).rstrip(" ") + "\n")
    return "".join(shown)


def _breaks(text: str, first: int, rest: int) -> list[int]:
    """Return where new lines begin: after `first` columns, then `rest`; a longer word is cut."""
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
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


_LABEL = 7  # columns of the labels "try", "type" and "set"
# What the explanation's sentence says in full.
_SAID_ALREADY = frozenset({Channel.RAISES, Channel.ENDING, Channel.READS, Channel.EXIT})


def cause(number: int, shown: ShownCause, surroundings: Surroundings) -> list[Line]:
    """Return one thing to fix: its place, the clearest check that fails because of it, and the
    number of others.

    If only hidden checks fail: its function and the clauses of the sheet.
    """
    if shown.checks:
        check, *others = shown.checks
        sign, name = words.sign(check.verdict.kind), f"{check.function}: {check.name}"
        about = filter(None, (paste.settings(check.stimulus.constants), words.case(check)))
        aside = visible(f"  [{settings}]") if (settings := ", ".join(about)) else ""
        inside = [*_place(shown), *explained(check, surroundings, shown.message)]
        said_hint = shown.explanation.hint if shown.explanation else ""
        if shown.hint and shown.hint != said_hint:
            inside.append(_label_line("hint", visible(shorten(shown.hint, 400))))
        if others:
            inside.append(line((words.other_checks(each.verdict for each in others), "dim")))
    else:
        sign, name = words.OTHER_SIGN, shown.function or "the file"
        counted = words.counted(shown.hidden, "hidden check")
        aside = f"  only {counted} {'fails' if shown.hidden == 1 else 'fail'}"
        inside = [line(visible(shown.message))] if shown.message else []
        inside += _place(shown)
        sheet = (f"the sheet, {each.section}: {each.text}" for each in shown.clauses)
        inside += [line(visible(text)) for text in sheet]
    inside += [_label_line("hint", visible(text)) for text in words.advice(shown)]
    title = ((f"{number}. ", "bold"), (f"{sign} ", "red"), (visible(name), "bold"), (aside, "dim"))
    return [line(*title), *moved(inside, 3)]


def _place(shown: ShownCause) -> list[Line]:
    """Return where in the student's file the fault is, as far as that is known."""
    if (place := shown.place) is None:
        return []
    lines = f"lines {place.first}-{place.last}" if place.last > place.first else ""
    where = f"line {shown.line}" if shown.line else lines or f"line {place.first}"
    name = f"{shown.function}: " if shown.function else ""
    return [line(("look at ", "dim"), visible(f"{name}{place.file}, {where}"))]


def things_to_fix(view: StudentView, limit: int) -> Iterator[Line]:
    """Yield the first `limit` things to fix, an empty line before each, and how many more there
    are. The list of missing functions, which is one line, is never left out."""
    more = 0
    for card in cards(view.causes):
        if card.kind is CardKind.MISSING:
            yield from (Line(), _all_missing(card))
        elif card.number <= limit:
            yield from (Line(), *cause(card.number, card.cause, view.surroundings))
        else:
            more += 1
    if more:
        yield from (Line(), line((f"… and {words.counted(more, 'more thing')} to fix.", "dim")))


def _all_missing(card: Card) -> Line:
    """Return the functions that are missing."""
    title = f"{words.counted(len(card.causes), 'function')} missing: "
    names = visible(words.listed([each.function for each in card.causes]))
    number = (f"{card.number}. ", "bold")
    return line(number, (f"{words.OTHER_SIGN} ", "red"), (title, "bold"), names)


def explained(check: ShownCheck, surroundings: Surroundings, message: str = "") -> list[Line]:
    """Return the lines below a check's title: what happened (`message`, or the check's own
    sentence), what to try, and the expected output above the actual one.
    """
    verdict = check.verdict
    said = message or verdict.message or words.VERDICT[verdict.kind]
    inside = [line(visible(shorten(said, 600)))]
    if of_missing_file(check):
        return inside
    if time := words.time_taken(verdict):
        inside.append(line((time, "dim")))
    inside += _to_try(check, surroundings)
    compared = list(conversation_lines(verdict.conversation)) if verdict.conversation else []
    for part in comparisons(verdict):
        if part.channel not in _SAID_ALREADY:
            compared += comparison_lines(part)
    carets = [at for at, one in enumerate(compared) if _CARET in one.spans]
    return inside + [one for at, one in enumerate(compared) if at not in carets[1:]]  # one caret


def _to_try(check: ShownCheck, surroundings: Surroundings) -> Iterator[Line]:
    for file, change in paste.constant_changes(check.stimulus, surroundings):
        yield _label_line("set", visible(f"in {file} {change}" if file else change))
    for name, content in paste.files_beside(check.stimulus):
        yield from _file_lines("file", visible(name), content)
    if given := paste.set_up(check.stimulus):
        yield from _labelled("first", given)
    yield from _labelled("try", paste.to_try(check.stimulus))
    if check.stimulus.at_load:
        keys = "  ".join(typed.named() for typed in check.stimulus.at_load)
        yield _label_line("import", f"type {shorten(keys, 400)}")
    if check.stimulus.inputs:
        keys = "  ".join(typed.named() for typed in check.stimulus.inputs)
        yield _label_line("type", shorten(keys, 400))
    if text := paste.piped(check.stimulus):
        yield from _file_lines("pipe", "piped in", text)


def _labelled(label: str, text: str) -> Iterator[Line]:
    for part in shorten(text, 400).split("\n"):
        yield _label_line(label, visible(part))
        label = ""


def _file_lines(label: str, name: str, content: str) -> Iterator[Line]:
    """Return the name of a file, or of piped input, and the first lines of its text."""
    yield _label_line(label, f"{name}:" if content else f"{name}, empty")
    shown = shorten(content, 400).rstrip("\n").split("\n") if content else []
    for text in shown[:MOST_ROWS]:
        yield _label_line("", "  " + visible(text))
    if len(shown) > MOST_ROWS:
        yield _label_line("", "  …")


def _label_line(label: str, text: str) -> Line:
    return line((label.ljust(_LABEL), "dim"), text, hang=_LABEL)


_MOST_LINES = 40  # of one submission, unless everything is asked for
_UNWRAPPED = 1_000_000  # columns, if standard output is not a terminal
_NARROWEST = 40  # columns


def explain_on_screen(view: StudentView, failures: int, *, whole: bool) -> str:
    """Return the first `failures` things to fix, for standard output, in few lines; or
    everything.
    """
    terminal = max(shutil.get_terminal_size().columns, _NARROWEST)
    is_terminal = sys.stdout.isatty()
    colours = is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    if colours and sys.platform == "win32":
        os.system("")  # makes its terminal understand the codes
    limit, width = sys.maxsize if whole else failures, terminal if is_terminal else _UNWRAPPED
    text = explain_failures(view, limit, width=width, colours=colours)
    lines = text.split("\n")[:-1]
    if whole or len(lines) <= _MOST_LINES:
        return text
    shown = lines[: _MOST_LINES - 3]
    more = words.counted(len(lines) - len(shown) - 2, "more line")
    return "\n".join([*shown, f"… {more}: --all shows them", "", lines[-1], ""])


def explain_failures(view: StudentView, limit: int, *, width: int, colours: bool = False) -> str:
    """Return the first `limit` things to fix, explained, and how many checks passed."""
    return as_text(_explanation(view, limit), width, colours=colours)


def _explanation(view: StudentView, limit: int) -> Iterator[Line]:
    yield from unreadable(view.problem, view.unparsable)
    if view.causes:
        names = words.listed(view.surroundings.submitted)
        counted = words.counted(len(view.causes), "thing")
        yield line((visible(f"{names}: {counted} to fix"), "bold"))
    yield from things_to_fix(view, limit)
    for finding in view.findings:
        place = f"{finding.file}:{finding.line}:{finding.column}"
        yield line(("note: ", "yellow"), visible(f"{place}: {finding.message}"))
    yield Line()
    graded = [check for check in view.shown if not check.informational]
    passed = sum(check.verdict.passed for check in graded)
    style = "bold green" if passed == len(graded) else "bold red"
    yield line((f"{passed} of {words.counted(len(graded), 'visible check')} passed", style))


def unreadable(problem: str, broken: Unparsable | None) -> Iterator[Line]:
    """Say why a submission cannot be graded, with the line where Python stopped."""
    if problem:
        yield line((visible(problem), "red"))
    if broken is None:
        return
    yield line((visible(f"{broken.place}: {broken.reason}"), "red"))
    if broken.source.strip():
        yield line("   " + visible(broken.source.rstrip("\n")))
        before = sum(map(_columns, visible(broken.source[: (broken.column or 0) - 1])))
        if broken.column and before <= _WIDEST_CARET:
            yield line("   " + " " * before, _CARET)


MOST_ROWS = 16
_MOST_SCREEN_LINES = 14
_MARKED = "reverse bold"
_WIDEST_CARET = 70  # columns: further right a line may be wrapped
_CARET = ("^", "yellow")
_SIGNS = {" ": "·", "\t": "⇥"}


def conversation_lines(conversation: Conversation) -> Iterator[Line]:
    """Return the screen so far and what comes next, expected above actual."""
    goes_on = conversation.parts
    _, recent = folded(conversation.shared)
    if shown := _boxed(recent, _MOST_SCREEN_LINES):
        # What only has to be like an example says of the turns before it nothing for certain.
        is_right = goes_on and not conversation.example
        yield line(("right so far:" if is_right else "on the screen:", "dim"))
        yield from shown
    if not goes_on:
        return
    if conversation.compared is not None:
        yield from comparison_lines(conversation.compared)
        return
    wanted = "expected next, for example:" if conversation.example else "expected next:"
    nothing = [line(("  nothing more, it ends here", "dim"))]
    for title, side in ((wanted, conversation.expected), ("got:", conversation.actual)):
        yield line((title, "dim"))
        yield from _boxed((side,) if side else ()) or nothing


def _boxed(turns: tuple[Turn, ...], most: int | None = None) -> list[Line]:
    """Return the last `most` lines of the screen in these turns; none if it is empty."""
    rows: list[list[Styled]] = [[]]
    for turn in turns:
        first, *more = shortened(turn.printed).split("\n")
        rows[-1].append((visible(first), ""))
        rows += [[(visible(text), "")] for text in more]
        if turn.typed is not None:
            rows[-1].append((visible(turn.typed.echo()), "cyan"))
            rows.append([])
    while len(rows) > 1 and not "".join(text for text, _ in rows[-1]).strip():
        rows.pop()
    if not any(turn.printed or turn.typed is not None for turn in turns):
        return []
    shown = [line(*row) for row in rows]
    if most is not None and len(shown) > most:
        shown = [line(("…", "dim")), *shown[-most:]]
    return moved(shown, 2)


def comparison_lines(part: Comparison) -> Iterator[Line]:
    """Return the rows around the first that differs, expected above actual."""
    if part.subject not in ("turn", "return value"):
        yield line((visible(part.subject), "dim"))
    start = max(0, next((i for i, row in enumerate(part.rows) if not row.same), 0) - 3)
    shown = part.rows[start : start + MOST_ROWS]
    for same, group in groupby(shown, key=lambda row: row.same and not part.in_words):
        rows = list(group)
        if same:
            label = "both     "  # so that both first lines begin at one column
            for row in rows:
                if row is part.rows[-1] and not row.expected.text:
                    continue  # no line: what follows the last line end
                yield line((label, "dim"), *_cell(row.expected))
                label = " " * len(label)
            continue
        yield from _block([row.expected for row in rows], ("expected ", "green"))
        yield from _block([row.actual for row in rows], ("got      ", "red"), caret=True)
    if more := max(0, len(part.rows) - start - MOST_ROWS) + part.left_out_after:
        yield line((f"         … {words.counted(more, 'more line')}", "dim"))


def _block(cells: list[Cell], label: Styled, *, caret: bool = False) -> Iterator[Line]:
    """Return the lines of one side, or its note, with a caret below the first character that
    differs.
    """
    for cell in [cell for cell in cells if not cell.note] or cells[:1]:
        spans = _cell(cell)
        yield line(label, *spans)
        at = next((i for i, (_, style) in enumerate(spans) if style == _MARKED), None)
        before = len(label[0]) + sum(len(text) for text, _ in spans[:at])
        if caret and at is not None and before <= _WIDEST_CARET:
            yield line(" " * before, _CARET)


def _cell(cell: Cell) -> list[Styled]:
    if cell.note:
        return [(cell.note, "dim italic")]
    marked = {at for span in marked_spans(cell) for at in range(span.start, span.stop)}
    spans: list[Styled] = [("…" if cell.cut_before else "", "")]
    for index, character in enumerate(cell.text):
        sign = _SIGNS.get(character) if cell.signs else None
        spans.append((sign or visible(character), _MARKED if index in marked else ""))
    spans.append(("…" if cell.cut_after else "", ""))
    spans.append((cell.end, _MARKED if cell.mark == len(cell.text) else "dim"))
    return spans
