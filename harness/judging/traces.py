"""Which lines of a submission ran in one scenario, and what came next; the first lines that a call
prints otherwise.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.judging.failed_scenarios import FailedScenario
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
