"""Numbers and lists in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction


def listed(words: Iterable[str], joint: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`; "" for none."""
    *first, last = (*words,) or ("",)
    return f"{', '.join(first)} {joint} {last}" if first else last


def plural(count: Fraction | int, noun: str) -> str:
    """The noun for this many."""
    return noun if count == 1 else f"{noun}s"


def counted(count: int, noun: str) -> str:
    """`3 checks`, `1 check`, `1,204 checks`."""
    return f"{count:,} {plural(count, noun)}"
