"""The lines that a cause is most likely in: those that run where it shows and not where it does
not.

Of a run is known which lines of the submission ran, which line of the same call came next, and
which calls came back with True, False or None. Each of these events has Ochiai's coefficient of its
runs: 1 where it happens in all failing runs and in no other. A line has the highest of its events,
for a wrong condition runs everywhere, and only what comes next differs. Of lines that are as
suspect, those with more operators, conditions and numbers come first, which leave more to be wrong.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from harness.model.policy import Outline, OutlinePart
from harness.model.verdict import Cause, CodePlace, Suspect

MOST_SUSPECTS = 5
_TELLING = 0.1  # of the way from what a line has that always runs to what only failing runs have
_EVENT = re.compile(r"(?P<file>[^:]+):(?P<line>\d{1,9}):(?P<what>\d{1,9}|True|False|None)")
_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")
_SIGN = re.compile(
    r"[=!<>]=|<<|>>|//|\*\*|[-+*/%<>&|^~]"
    r"|(?<![\w.])(?:\d+|True|False|and|or|not|in|if|elif|while|for)(?!\w)"
)


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


def functions_of(cause: Cause, outline: Outline, sheet: Iterable[str]) -> tuple[OutlinePart, ...]:
    """The submission's functions that a cause may be in: its own, and those that it uses and that
    are none of the sheet's, for these would be to blame themselves. Of a program, all that its file
    uses; none of a constant."""
    own = outline.part(cause.function)
    if own is not None and not own.callable:
        return ()
    others = {part.name: part for part in outline.parts if part.callable}
    for name in sheet:
        others.pop(name, None)
    pending = list(own.mentions) if own else _mentioned(cause.function, outline)
    found = {own.name: own} if own else {}
    while pending:
        part = others.pop(pending.pop(), None)
        if part is not None:
            found.setdefault(part.name, part)
            pending += part.mentions
    return tuple(found.values())


def _mentioned(program: str, outline: Outline) -> list[str]:
    return [name for each in outline.modules if each.file == program for name in each.mentions]


def most_suspect(
    failing: Sequence[Trace],
    passing: Sequence[Trace],
    may_be: Callable[[Line], bool],
    text_of: Callable[[Line], str],
) -> tuple[Line, ...]:
    """The lines that are most suspect, of those that `may_be` and have a text, the first five.

    None where there are more, passing runs were looked at, and the best line hardly differs from
    one that always runs: the fault may lie elsewhere, and a choice would mislead."""
    fails = Counter(event for trace in failing for event in trace)
    passes = Counter(event for trace in passing for event in trace)
    score: defaultdict[Line, float] = defaultdict(float)
    for event, count in fails.items():
        coefficient = count / math.sqrt(len(failing) * (count + passes[event]))
        score[event.line] = max(score[event.line], coefficient)

    def order(line: Line) -> tuple[float, int, Line]:
        return -round(score[line], 6), -len(_SIGN.findall(_TEXT.sub('""', text_of(line)))), line

    lines = [line for line in score if may_be(line) and text_of(line).strip()]
    always = math.sqrt(len(failing) / max(1, len(failing) + len(passing)))
    best = max((score[line] for line in lines), default=0.0)
    if passing and len(lines) > MOST_SUSPECTS and best < always + _TELLING * (1 - always):
        return ()
    return tuple(sorted(lines, key=order)[:MOST_SUSPECTS])


def by_function(
    lines: Iterable[Line], functions: Iterable[OutlinePart], length_of: Callable[[str], int]
) -> tuple[Suspect, ...]:
    """The lines together with the function that each is in, in the order of its most suspect one;
    those outside all functions with their whole file, which is so many lines long."""
    known = tuple(functions)
    found: dict[CodePlace, list[int]] = {}
    names: dict[CodePlace, str] = {}
    for line in lines:
        part = _around(line, known)
        place = CodePlace(file=line.file, first=1, last=length_of(line.file))
        if part is not None:
            place = CodePlace(file=part.file, first=part.first, last=part.last)
        names[place] = part.name if part else ""
        found.setdefault(place, []).append(line.number)
    return tuple(
        Suspect(function=names[place], place=place, lines=tuple(sorted(numbers)))
        for place, numbers in found.items()
    )


def _around(line: Line, parts: Iterable[OutlinePart]) -> OutlinePart | None:
    inside = (p for p in parts if p.file == line.file and p.first <= line.number <= p.last)
    return min(inside, key=lambda part: part.last - part.first, default=None)


def within(
    line: Line, functions: Iterable[OutlinePart], outline: Outline, program: str = ""
) -> bool:
    """Whether the line is in one of these functions, below its head, or, of a program's file,
    outside all functions."""
    part = _around(line, functions)
    if part is not None:
        return line.number > part.first
    return line.file == program and not outline.function_at(line.file, line.number)
