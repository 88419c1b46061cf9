"""Causes: failing scenarios of one submission that one change would most likely fix."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """What a cause shows itself by: an explanation rule, in so many of its scenarios. `line` is in
    the student's file, where an exception or an endless loop is known to have been."""

    rule: str
    scenarios: int
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePlace:
    """The lines `first` to `last` (1-based) of a student's file. `text` are the first of them, each
    without its end, and cut where it is very long."""

    file: str
    first: int
    last: int
    text: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One thing to fix.

    `function` is the function (or constant) that is to blame where `blamed`, else the one whose
    scenarios fail; empty where the whole file is meant. `place` is where that is in the
    student's file. `scenarios` are ids in the plan's order, `example` the clearest of them (visible
    before hidden, shortest input); rule and message are the example's, which may be hidden from a
    student. `together_with` are functions that have to be right as well for some of the scenarios
    to pass. `raised_in` and `raised_at` are the student's function and line in which the example's
    exception came up, where that is outside `place`. `about_text`: the message is about the
    student's text alone, and of no scenario. `marks_at_stake` is exact: what the mark would rise by
    if the scenarios passed.
    """

    function: str
    rule: str
    message: str
    scenarios: tuple[str, ...] = ()
    example: str = ""
    blamed: bool = False
    place: CodePlace | None = None
    line: int | None = None  # the very line, where it is known
    raised_in: CodePlace | None = None
    raised_at: int | None = None
    about_text: bool = False
    symptoms: tuple[Symptom, ...] = ()
    clauses: tuple[str, ...] = ()
    hint: str = ""
    together_with: tuple[str, ...] = ()
    marks_at_stake: Fraction = Fraction(0)


Blame = tuple[str, ...]
"""The names that are to blame for one scenario; several have to be right together."""
