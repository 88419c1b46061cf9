"""Numbers and lists in sentences; fractions as decimals, half up, in whole-number arithmetic."""

import re
from collections.abc import Iterable
from fractions import Fraction
from zoneinfo import available_timezones


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


def hundredths(exact: Fraction) -> int:
    """A mark in hundredths, half up (of a negative number: half away from zero)."""
    sign = -1 if exact < 0 else 1
    numerator, denominator = abs(exact.numerator), exact.denominator
    return sign * ((200 * numerator + denominator) // (2 * denominator))


def rounded(exact: Fraction) -> str:
    """A mark with two decimals, rounded half up: 1/200 is "0.01", 9/2 is "4.50"."""
    amount = hundredths(exact)
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02d}"


def percent(part: int, whole: int) -> str:
    """A share in percent to one decimal place, rounded down: "100.0" is all. "0.0" of nothing."""
    tenths = 1000 * part // whole if whole else 0
    return f"{tenths // 10}.{tenths % 10}"


_NUMBER = re.compile(r"[+-]?[0-9]{1,6}(?:[.,][0-9]{1,6}|/[1-9][0-9]{0,5})?")


def read_number(text: str) -> Fraction | None:
    """A mark as people write it: `3.5`, `3,5`, `1/3`, `-1`; None for anything else."""
    return Fraction(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None


def zone_hint() -> str:
    """What to do about a time zone that is not there: Windows and small containers have none."""
    if available_timezones():
        return "write one like Australia/Brisbane"
    return "no time zone is known on this machine: pip install tzdata"
