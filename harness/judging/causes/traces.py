"""What ran in traced runs, and how well each line tells failing runs from passing ones."""

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
    """At a line: it ran (empty), another came next (`>12`), or a call came back there (`True`)."""

    line: Line
    what: str = ""


Trace = frozenset[Event]


def read_trace(text: str) -> Trace:
    """Return the events of one run, each from a line.

    `a1.py:7:4` says that line 7 ran after line 4 of the same call (0: it was the first),
    `a1.py:9:True` a call's result. Anything else that a process says is ignored.
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
    """Return how well each line tells failing runs from passing ones: the highest score of its
    events (Ochiai).
    """
    fails = Counter(chain.from_iterable(failing))
    passes = Counter(chain.from_iterable(passing))
    score: defaultdict[Line, float] = defaultdict(float)
    for event, count in fails.items():
        coefficient = count / math.sqrt(len(failing) * (count + passes[event]))
        score[event.line] = max(score[event.line], coefficient)
    return score


def score_beyond(share: float, failing: Sequence[Trace], passing: Sequence[Trace]) -> float:
    """Return the score that is this share of the way from that of a line that always runs to 1."""
    always = math.sqrt(len(failing) / max(1, len(failing) + len(passing)))
    return always + share * (1 - always)
