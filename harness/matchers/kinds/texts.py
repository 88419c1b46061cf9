"""Matchers for text: `number`, `matches`, `shows`, `lines_unordered`."""

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache
from types import FrameType
from typing import NoReturn

from harness.common.errors import HarnessError
from harness.common.escaping import QUOTE_LIMIT, quoted
from harness.common.words import listed
from harness.matchers.comparison import normalised, same_line, without
from harness.matchers.numbers import numbers_in
from harness.matchers.reading import (
    DISTANCE,
    FLAG,
    Part,
    YamlNode,
    as_read,
    describe,
    matcher_key,
    nearest,
    read_all,
    read_number,
    read_values,
)
from harness.model.expectation import EXACT, Ignore, TextMatcher, TextRules
from harness.model.values import ValueKind

_MAX_NAMED = 6
_WHOLE_PATTERN = 2000  # characters
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class HasNumber(TextMatcher):
    """A str that contains this number, written in this way and not as part of another number.

    4 occurs in "4 tries.", but not in "14", "4.5" or "-4". With `within`, a number within this
    distance is accepted too.
    """

    number: str
    within: float | None = None

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        if self._is_written_in(text):
            return True
        within, wanted = self.within, numbers_in(self.number)
        if within is None and wanted and wanted[0].is_float:
            within = rules.within
        if within is None or not wanted:
            return False
        return any(abs(number.value - wanted[0].value) <= within for number in numbers_in(text))

    def _is_written_in(self, text: str) -> bool:
        pattern = rf"(?<![0-9])(?<![0-9][.,])(?<!\s-)(?<!\A-){re.escape(self.number)}(?![.,]?[0-9])"
        return re.search(pattern, text) is not None

    def in_words(self, *, whole: bool = False) -> str:
        words = f"text with the number {self.number}"
        if self.within is not None:
            words += f" (within {self.within:g})"
        return words


def _number(field: YamlNode) -> str:
    data = field.data
    written = field.render(data) if isinstance(data, str) else str(data)
    if isinstance(data, bool) or not _NUMBER.fullmatch(written):
        hint = 'as it is printed: 4, 2.50 as "2.50", "{{ BOARD_SIZE }}"'
        if isinstance(data, list):
            hint = "write numbers for a list"
        field.expected("a number", hint)
    return written


NUMBER = matcher_key(
    "number",
    HasNumber,
    example="{number: 1.67, within: 0.01}",
    number=Part(read=_number, schema={"type": ["number", "string"]}),
    within=replace(DISTANCE, optional=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HasNumbers(TextMatcher):
    """A str with these numbers in this order (with `unordered`, in any order); other numbers may
    be in between.
    """

    numbers: tuple[float, ...]
    within: float = 0.0
    unordered: bool = False

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        """Return whether each number occurs as often as it is stated; for each the first near
        number in the text is used.
        """
        within = max(self.within, rules.within or 0.0)
        wanted, found = list(self.numbers), [number.value for number in numbers_in(text)]
        if self.unordered:
            wanted.sort()
            found.sort()
        for value in found:
            if wanted and abs(value - wanted[0]) <= within:
                del wanted[0]
        return not wanted

    def in_words(self, *, whole: bool = False) -> str:
        words = f"text with the numbers {listed(list(map(repr, self.numbers)))}"
        if self.within:
            words += f" (within {self.within:g})"
        if self.unordered:
            return f"{words}, in any order"
        return f"{words}, in this order"


def _numbers(field: YamlNode) -> tuple[float, ...]:
    if not isinstance(field.data, list) or not field.data:
        hint = "write [2.0, -4.0], and unordered: true beside it for any order"
        field.expected("a list of numbers", hint)
    return read_all(field.items(), read_number)


NUMBERS = matcher_key(
    "numbers",
    HasNumbers,
    example="{numbers: [2.0, -4.0], within: 0.01, unordered: true}",
    numbers=Part(
        read=_numbers, schema={"type": "array", "minItems": 1, "items": {"type": "number"}}
    ),
    within=replace(DISTANCE, optional=True),
    unordered=FLAG,
)


# CPU time, so that the machine's load does not matter. Normal patterns take milliseconds.
BUDGET_SECONDS = 2.0

# Signals reach only the main thread, and `re` holds the interpreter's lock while it searches:
# for any other thread a process searches, which the same timer ends.
_SEARCH = """
import json, re, signal, sys
pattern, text, flags, budget = json.load(sys.stdin)
signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
signal.setitimer(signal.ITIMER_VIRTUAL, budget)
sys.exit(FOUND if re.search(pattern, text, flags) else NOT_FOUND)
"""
_FOUND, _NOT_FOUND = 10, 11


class _OverBudgetError(Exception):
    pass


def occurs(pattern: str, text: str, flags: int = 0) -> bool:
    """Return whether `re.search` finds the pattern in the text.

    Raise HarnessError if that takes more than `BUDGET_SECONDS` of CPU time: the pattern is bad, and
    says nothing about the program.
    """
    # The same text is searched for the verdict, the explanation and in related scenarios.
    if len(text) <= _MAX_REMEMBERED:
        return _remembered(pattern, text, flags)
    return _searched(pattern, text, flags)


def _searched(pattern: str, text: str, flags: int) -> bool:
    if not hasattr(
        signal, "setitimer"
    ):  # Windows is only used for students' self-checks, never for grading
        return re.search(pattern, text, flags) is not None
    try:
        if threading.current_thread() is threading.main_thread():
            return _occurs_here(pattern, text, flags)
        return _occurs_elsewhere(pattern, text, flags)
    except _OverBudgetError:
        what = f"the pattern {quoted(pattern)} takes more than {BUDGET_SECONDS:g} s of CPU time"
        hint = "simplify it: (?>…), possessive *+ and bounds such as {0,80} make it faster"
        raise HarnessError(f"{what} on a text of {len(text)} characters; {hint}") from None


_MAX_REMEMBERED = 16 * 1024  # characters of one text
_remembered = lru_cache(maxsize=128)(_searched)


def _occurs_here(pattern: str, text: str, flags: int) -> bool:
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, BUDGET_SECONDS)
            return re.search(pattern, text, flags) is not None
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)


def _occurs_elsewhere(pattern: str, text: str, flags: int) -> bool:
    job = json.dumps([pattern, text, flags, BUDGET_SECONDS])
    program = f"FOUND, NOT_FOUND = {_FOUND}, {_NOT_FOUND}{_SEARCH}"
    command = [sys.executable, "-I", "-S", "-c", program]
    try:
        ended = subprocess.run(command, input=job.encode(), capture_output=True, check=False)
    except OSError as error:
        raise HarnessError(f"no process could search for a pattern ({error})") from error
    if ended.returncode == -signal.SIGVTALRM:
        raise _OverBudgetError
    if ended.returncode not in (_FOUND, _NOT_FOUND):
        raise HarnessError(f"searching for a pattern ended with status {ended.returncode}")
    return ended.returncode == _FOUND


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise _OverBudgetError


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches(TextMatcher):
    """A str in which `re.search` finds the pattern."""

    pattern: str
    words: str = ""  # description of the pattern in assignment.yaml

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        # A folded pattern would be another pattern: forgive case by the flag instead. Punctuation
        # stays, because the pattern may name it.
        others = without(without(rules, Ignore.CASE), Ignore.PUNCTUATION)
        flags = 0
        if Ignore.CASE in rules.ignore:
            flags = re.IGNORECASE
        searched = normalised(text, others)
        noted = _noted.get()
        if noted is not None:
            noted[Search(matcher=self, text=searched, flags=flags)] = None
        return occurs(self.pattern, searched, flags)

    def in_words(self, *, whole: bool = False) -> str:
        limit = _WHOLE_PATTERN if whole else QUOTE_LIMIT
        return self.words or f"text that matches the pattern {quoted(self.pattern, limit=limit)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Searches a text for a matcher's pattern."""

    matcher: Matches
    text: str
    flags: int

    def seconds(self) -> float:
        """Return the CPU time of the search on this machine: the smallest of several measurements
        if the first is not very short.
        """
        compiled = re.compile(self.matcher.pattern, self.flags)
        taken = self._seconds_once(compiled)
        for _ in range(_LOOKS if taken > _WORTH_A_LOOK else 0):
            taken = min(taken, self._seconds_once(compiled))
        return taken

    def _seconds_once(self, compiled: re.Pattern[str]) -> float:
        begun = time.thread_time()
        compiled.search(self.text)
        return time.thread_time() - begun


_LOOKS = 4
_WORTH_A_LOOK = 0.0003  # seconds
_noted: ContextVar[dict[Search, None] | None] = ContextVar("_noted", default=None)


@contextmanager
def noted_searches() -> Iterator[Mapping[Search, None]]:
    """Yield a mapping that collects the different searches made inside the `with` block."""
    searches: dict[Search, None] = {}
    before = _noted.set(searches)
    try:
        yield searches
    finally:
        _noted.reset(before)


# Patterns that some Pythons search for wrongly, with the first correct version: gh-106052,
# gh-100061.
_SEARCHED_WRONGLY = (
    (re.compile(r"\)(?:[*+?]|\{[0-9,]*\})\+"), (3, 11, 5), "possessive quantifiers of groups"),
    (re.compile(r"\(\?>"), (3, 11, 2), "atomic groups"),
)


def fault_of(pattern: str, version: tuple[int, ...] = sys.version_info[:3]) -> str:
    """Return why this Python version searches a pattern wrongly; "" if it does not."""
    try:
        re.compile(pattern)
    except re.error as error:
        return f"not a regular expression ({error})"
    for written, fixed, what in _SEARCHED_WRONGLY:
        if version < fixed and written.search(pattern):
            here = ".".join(map(str, version))
            needed = ".".join(map(str, fixed))
            return f"Python {here} has a bug with {what}: avoid them, or install {needed}"
    return ""


def _matches(field: YamlNode, text: str, words: str = "") -> Matches:
    pattern = field.render(text, re.escape)
    if fault := fault_of(pattern):
        field.refuse(fault)
    return Matches(pattern=pattern, words=words)


def _by_words(field: YamlNode) -> Matches:
    words, named = field.data, field.patterns
    if not isinstance(words, str) or words not in named:
        hint = nearest(str(words), named) or "describe it there: patterns: {a parting message: …}"
        field.refuse(f"assignment.yaml has no pattern for {describe(words)}", hint)
    return _matches(field, named[words], words)


_PATTERN = Part(read=lambda field: _matches(field, field.text()), schema={"type": "string"})
_WORDS = Part(read=_by_words, schema={"type": "string"})


MATCHES = matcher_key("matches", as_read, matcher=_PATTERN)
SHOWS = matcher_key("shows", as_read, matcher=_WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesUnordered(TextMatcher):
    """A text of these lines in any order, each with its line end."""

    lines: tuple[str, ...]

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        missing = [normalised(line, rules) for line in self.lines]
        *lines, rest = normalised(text, rules).split("\n")
        if rest and Ignore.WHITESPACE in rules.ignore:  # the last line end does not count
            lines.append(rest)
        elif rest:
            return False
        for line in lines:
            for index, candidate in enumerate(missing):
                if same_line(candidate, line, rules):
                    del missing[index]
                    break
            else:
                return False
        return not missing

    def in_words(self, *, whole: bool = False) -> str:
        head = f"these {len(self.lines)} lines in any order:"
        if whole:
            return "\n".join((head, *self.lines))
        named = map(quoted, self.lines[:_MAX_NAMED])
        return f"{head} {', '.join(named)}"


def _lines(field: YamlNode) -> tuple[str, ...]:
    values = read_values(field)
    for index, value in enumerate(values):
        if value.kind is not ValueKind.STR or "\n" in value.text:
            field.at(index).refuse("expected one line of text")
    return tuple(value.text for value in values)


LINES_UNORDERED = matcher_key(
    "lines_unordered",
    LinesUnordered,
    lines=Part(read=_lines, schema={"type": "array", "items": {"type": "string"}}),
)
