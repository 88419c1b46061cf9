"""Reads traces of runs, and scores how well each line distinguishes failing from passing runs."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from harness.model.explanation.probes import Line

_EVENT = re.compile(r"(?P<file>[^:]+):(?P<line>\d{1,9}):(?P<what>\d{1,9}|True|False|None)")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at a line: it ran (""), line 12 came next (`>12`), or a call
    returned True here (`True`).
    """

    line: Line
    what: str = ""


Trace = frozenset[Event]


def read_trace(text: str) -> Trace:
    """Return the events of one run, from its text with one event a line.

    `a1.py:7:4` says that line 7 ran after line 4 of the same call (0 if it was the first);
    `a1.py:9:True` gives a call's result. Other lines are ignored.
    """
    events: set[Event] = set()
    for found in filter(None, map(_EVENT.fullmatch, text.split("\n"))):
        line, what = Line(found["file"], int(found["line"])), found["what"]
        if not what.isdigit():
            events.add(Event(line, what))
            continue
        events.add(Event(line))
        before = Line(line.file, int(what))
        if before.number:
            events.add(Event(before, f">{line.number}"))
    return frozenset(events)


def scores(failing: Sequence[Trace], passing: Sequence[Trace]) -> dict[Line, float]:
    """Return a score for each line: how well it distinguishes failing from passing runs.

    It is the highest Ochiai coefficient of the line's events.
    """
    fails = Counter(chain.from_iterable(failing))
    passes = Counter(chain.from_iterable(passing))
    score: defaultdict[Line, float] = defaultdict(float)
    for event, count in fails.items():
        coefficient = count / math.sqrt(len(failing) * (count + passes[event]))
        score[event.line] = max(score[event.line], coefficient)
    return score


def score_beyond(share: float, failing: Sequence[Trace], passing: Sequence[Trace]) -> float:
    """Return the score at the given share of the way between the score of a line that always runs
    and 1.
    """
    always = math.sqrt(len(failing) / max(1, len(failing) + len(passing)))
    return always + share * (1 - always)
