"""Which lines of a submission ran in one scenario, and what came next; and the branch that went
wrong: the line that prints what is expected and did not run, or what is not expected and did, and
the condition that decided it.

That is read from the text of the lines, which may be no Python of any kind that is known: what is
not recognised is not spoken of.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from harness.judging.failed_scenarios import FailedScenario
from harness.model.policy import OutlinePart
from harness.model.stimulus import statements
from harness.model.verdict import Cell, Channel

_EVENT = re.compile(r"(?P<file>[^:]+):(?P<line>\d{1,9}):(?P<what>\d{1,9}|True|False|None)")


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """A line of a submission's file, 1-based."""

    file: str
    number: int


@dataclass(frozen=True, slots=True)
class Event:
    """What happened at a line: it ran (empty), another came next (`>12`), or a call came back
    there (`True`)."""

    line: Line
    what: str = ""


Trace = frozenset[Event]


def read_trace(text: str) -> Trace:
    """The events of one run, each on a line of its own: `a1.py:7:4` says that line 7 ran after line
    4 of the same call (0: it was the first), `a1.py:9:True` what a call came back with. Whatever
    else a process says is left out."""
    events: set[Event] = set()
    for found in filter(None, map(_EVENT.fullmatch, text.split("\n"))):
        line, what = Line(found["file"], int(found["line"])), found["what"]
        if not what.isdigit():
            events.add(Event(line, what))
            continue
        events.add(Event(line))
        if int(what):
            events.add(Event(Line(line.file, int(what)), f">{line.number}"))
    return frozenset(events)


_PRINT = re.compile(r"print\((?P<what>[A-Za-z_]\w*|\"[^\"\\]*\"|'[^'\\]*')\)\s*(?:#.*)?")
_CONDITION = re.compile(r"(?:el)?if\b")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")


@dataclass(frozen=True, slots=True)
class WrongBranch:
    """A line that prints something, and the condition above it, which ran: the line did not, and
    prints what is expected; or it ran (`taken`), and that is not expected."""

    prints: Line
    condition: Line
    taken: bool


def different_lines(example: FailedScenario) -> tuple[str, str]:
    """The first line that a call is expected to print and does not print at all, and the first that
    it prints and is not expected to; empty where there is none, and of what is no call, where a
    line may run twice."""
    if example.stimulus.action.expression:
        for difference in example.verdict.differences:
            if difference.channel is Channel.PRINTS and not difference.in_words:
                expected = _whole(row.expected for row in difference.rows)
                printed = _whole(row.actual for row in difference.rows)
                return _first(expected, printed), _first(printed, expected)
    return "", ""


def _whole(cells: Iterable[Cell]) -> list[str]:
    """The texts of lines that are there and not cut."""
    return [
        cell.text
        for cell in cells
        if cell.text.strip() and not (cell.note or cell.cut_before or cell.cut_after)
    ]


def _first(texts: Iterable[str], others: Sequence[str]) -> str:
    return next((text for text in texts if text not in others), "")


def wrong_branch(
    different: tuple[str, str],
    ran: Collection[Line],
    functions: Sequence[OutlinePart],
    text_of: Callable[[Line], str],
    literal: Callable[[str], object],
    *,
    known: Collection[str],
) -> WrongBranch | None:
    """The branch of the one line of these functions that prints what is expected, or else what is
    printed in its place, of `different_lines`: the first where its condition ran, for that came
    first. `ran` are the lines that did, `literal` what a name stands for. Where no line prints what
    is expected, a text that is none of the `known` ones of the course may itself be wrong."""
    expected, printed = different
    prints: defaultdict[str, list[Line]] = defaultdict(list)
    for part in functions:
        for line in (Line(part.file, number) for number in range(part.first + 1, part.last + 1)):
            prints[_printed(text_of(line), literal)].append(line)
    if expected and expected not in prints and printed not in known:
        return None
    for text, taken in ((expected, False), (printed, True)):
        if text and len(prints[text]) == 1:
            line = prints[text][0]
            above = _above(line, text_of)
            is_condition = above in ran and _CONDITION.match(text_of(above).strip())
            if is_condition and (line in ran) is taken:
                return WrongBranch(prints=line, condition=above, taken=taken)
    return None


def called(text: str, functions: Iterable[OutlinePart]) -> OutlinePart | None:
    """The one of these functions that a line calls; None where it calls none of them or several."""
    names = set(_CALLED.findall(text.partition("#")[0]))
    found = [part for part in functions if part.name in names]
    return found[0] if len(found) == 1 else None


def _printed(text: str, literal: Callable[[str], object]) -> str:
    """The first line that a `print` of one name or literal prints; empty for anything else."""
    found = _PRINT.fullmatch(text.strip())
    if found is None:
        return ""
    value = literal(found["what"])
    match statements(found["what"]):
        case [ast.Expr(value=ast.Constant(value=str(text)))]:
            value = text
    return value.partition("\n")[0] if isinstance(value, str) else ""


def _above(line: Line, text_of: Callable[[Line], str]) -> Line:
    """The line that begins the block that this one is in; itself where there is none."""
    indent = _indent(text_of(line))
    for number in range(line.number - 1, 0, -1):
        text = text_of(Line(line.file, number))
        if text.strip() and _indent(text) < indent:
            return Line(line.file, number)
    return line


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
