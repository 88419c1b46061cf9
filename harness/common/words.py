"""Write numbers and lists for sentences; fractions as decimals, half up, in integer arithmetic."""

import re
from collections.abc import Iterable
from fractions import Fraction
from zoneinfo import available_timezones


def listed(words: Iterable[str], joint: str = "and") -> str:
    """Return `a`, `a and b` or `a, b and c`; an empty text for no words."""
    *first, last = (*words,) or ("",)
    if not first:
        return last
    return f"{', '.join(first)} {joint} {last}"


def plural(count: Fraction | int, noun: str) -> str:
    """Return the noun for this many."""
    if count == 1:
        return noun
    return f"{noun}s"


def counted(count: int, noun: str) -> str:
    """Return `3 checks`, `1 check` or `1,204 checks`."""
    return f"{count:,} {plural(count, noun)}"


def hundredths(exact: Fraction) -> int:
    """Return a mark in hundredths, half up (a negative one: half away from zero)."""
    numerator, denominator = abs(exact.numerator), exact.denominator
    amount = (200 * numerator + denominator) // (2 * denominator)
    return -amount if exact < 0 else amount


def rounded(exact: Fraction) -> str:
    """Return a mark with two decimals, rounded half up: "0.01" for 1/200, "4.50" for 9/2."""
    amount = hundredths(exact)
    sign = "-" if amount < 0 else ""
    whole, rest = divmod(abs(amount), 100)
    return f"{sign}{whole}.{rest:02d}"


def percent(part: int, whole: int) -> str:
    """Return a share in percent with one decimal, rounded down: "100.0" only for all of it, "0.0"
    if there is nothing."""
    if not whole:
        return "0.0"
    tenths = 1000 * part // whole
    return f"{tenths // 10}.{tenths % 10}"


_NUMBER = re.compile(r"[+-]?[0-9]{1,6}(?:[.,][0-9]{1,6}|/[1-9][0-9]{0,5})?")


def read_number(text: str) -> Fraction | None:
    """Return a mark as people write it: `3.5`, `3,5`, `1/3`, `-1`; None for anything else."""
    if not _NUMBER.fullmatch(text):
        return None
    return Fraction(text.replace(",", "."))


def zone_hint() -> str:
    """Return the hint for an unknown time zone: Windows and small containers have none."""
    if available_timezones():
        return "write one like Australia/Brisbane"
    return "no time zone is known on this machine: pip install tzdata"
