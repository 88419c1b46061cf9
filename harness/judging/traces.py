"""Which lines of a submission ran in one scenario, and what came next."""

from __future__ import annotations

import re
from dataclasses import dataclass

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
