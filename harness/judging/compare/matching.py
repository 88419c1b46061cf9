"""Whether a value or a text is what a matcher asks for, and a matcher in words.

Of a combined matcher only the part that is not met: what an explanation is about.

A stated pattern tried on a text, for no longer than its budget.

The differences in printed text that a scenario may forgive (`ignore:`).

When two exceptions are the same: by type, and by message only where a scenario states it.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection
from dataclasses import replace
from types import FrameType
from typing import NoReturn

from harness.common.errors import HarnessError
from harness.judging.compare.mismatches import Mismatch, RaiseMismatch, TextMismatch, ValueMismatch
from harness.judging.compare.values import same
from harness.judging.explain.wording import a_type_name, quoted, source
from harness.model.expectation import (
    AllOf,
    AnyValue,
    Approximately,
    Contains,
    Exactly,
    Ignore,
    Matcher,
    Matches,
    NoneOf,
    OfType,
    OneOf,
    PythonValue,
    StatedRaise,
)
from harness.model.observation import Raised
from harness.model.values import Value, ValueKind

_NUMBERS = frozenset({ValueKind.INT, ValueKind.FLOAT})


def meets(value: Value, matcher: Matcher) -> bool:
    """Whether `value` is what `matcher` asks for.

    Raises HarnessError for a `{python: …}` that nobody has resolved, and for a pattern that takes
    too long (`found`).
    """
    match matcher:
        case AnyValue():
            return True
        case Exactly():
            return same(matcher.value, value)
        case OfType():
            return value.kind is not ValueKind.TOO_LARGE and value.type_name == matcher.name
        case Approximately():
            return value.kind in _NUMBERS and _near(value.text, matcher)
        case Matches():
            return value.kind is ValueKind.STR and found(matcher.pattern, value.text)
        case Contains():
            return value.kind is ValueKind.STR and matcher.text in value.text
        case OneOf():
            return any(same(candidate, value) for candidate in matcher.values)
        case AllOf():
            return all(meets(value, part) for part in matcher.matchers)
        case NoneOf():
            known = value.kind is not ValueKind.TOO_LARGE
            return known and not any(meets(value, part) for part in matcher.matchers)
        case PythonValue():
            raise HarnessError(f"nobody evaluated {{python: {matcher.expression}}}")


def _near(text: str, matcher: Approximately) -> bool:
    try:
        return abs(float(text) - matcher.number) <= matcher.within
    except (ValueError, OverflowError):
        return False


def meets_text(text: str, matcher: Matcher, ignore: Collection[Ignore] = ()) -> bool:
    """Whether printed text is what `matcher` asks for, the forgiven differences apart."""
    match matcher:
        case Matches():
            # A folded pattern would be another pattern: forgive case by the flag instead.
            kept = [one for one in ignore if one is not Ignore.CASE]
            flags = re.IGNORECASE if Ignore.CASE in ignore else 0
            return found(matcher.pattern, normalised(text, kept), flags)
        case Contains():
            return normalised(matcher.text, ignore) in normalised(text, ignore)
        case Exactly(value=Value(kind=ValueKind.STR)):
            return normalised(matcher.value.text, ignore) == normalised(text, ignore)
        case OneOf():
            return any(meets_text(text, Exactly(value=value), ignore) for value in matcher.values)
        case AllOf():
            return all(meets_text(text, part, ignore) for part in matcher.matchers)
        case NoneOf():
            return not any(meets_text(text, part, ignore) for part in matcher.matchers)
        case _:
            return meets(Value(ValueKind.STR, text), matcher)


def in_words(matcher: Matcher, *, whole: bool = False) -> str:
    """What a matcher asks for, as the object of "expected …".

    `whole` sets lines that are asked for below one another, else a sentence names two of them.
    """
    match matcher:
        case AnyValue():
            return "any value"
        case Exactly():
            return source(matcher.value)
        case OfType():
            return a_type_name(matcher.name)
        case Approximately():
            return f"a number no more than {matcher.within!r} away from {matcher.number!r}"
        case Matches():
            return matcher.words or f"text that matches the pattern {quoted(matcher.pattern)}"
        case Contains():
            return f"text that contains {_lines(matcher.text, whole=whole)}"
        case OneOf():
            return "one of " + ", ".join(source(value, limit=40) for value in matcher.values[:6])
        case AllOf():
            return " and ".join(in_words(part, whole=whole) for part in matcher.matchers[:6])
        case NoneOf():
            parts = (in_words(part, whole=whole) for part in matcher.matchers[:6])
            return "anything but " + " or ".join(parts)
        case PythonValue():
            return f"the value of {quoted(matcher.expression)}"


def _lines(text: str, *, whole: bool) -> str:
    lines = text.strip("\n").split("\n")
    if len(lines) < 3:
        return quoted(text)
    if whole:
        return "\n".join((f"these {len(lines)} lines:", *lines))
    return f"{len(lines)} lines, from {quoted(lines[0])} to {quoted(lines[-1])}"


def failing_part(matcher: Matcher, holds: Callable[[Matcher], bool]) -> Matcher:
    """Of a combination that does not hold the one part that is why; any other matcher: itself."""
    if isinstance(matcher, AllOf):
        culprit = next(part for part in matcher.matchers if not holds(part))
        return failing_part(culprit, holds)
    if isinstance(matcher, NoneOf):
        met = tuple(part for part in matcher.matchers if holds(part))
        return replace(matcher, matchers=met[:1] or matcher.matchers)
    return matcher


def exact_text(matcher: Matcher) -> str | None:
    """The one text that a matcher asks for; None when it allows more than one."""
    if isinstance(matcher, Exactly) and matcher.value.kind is ValueKind.STR:
        return matcher.value.text
    return None


def narrowed(mismatch: Mismatch, ignore: Collection[Ignore]) -> Mismatch:
    """The same mismatch; `all_of` and `none_of` give way to their first part that fails."""
    if isinstance(mismatch, TextMismatch):
        text = mismatch.actual
        part = failing_part(mismatch.expected, lambda one: meets_text(text, one, ignore))
        return replace(mismatch, expected=part)
    if isinstance(mismatch, ValueMismatch):
        value = mismatch.actual
        if mismatch.expected is None or value is None:
            return mismatch
        return replace(
            mismatch, expected=failing_part(mismatch.expected, lambda one: meets(value, one))
        )
    if isinstance(mismatch, RaiseMismatch):
        return _raise(mismatch)
    return mismatch


def _raise(mismatch: RaiseMismatch) -> RaiseMismatch:
    expected, actual = mismatch.expected, mismatch.actual
    if expected is None or expected.message is None or actual is None:
        return mismatch
    if expected.type_name != actual.type_name:
        return mismatch  # its message may well be as it should
    text = Value(ValueKind.STR, actual.message)
    part = failing_part(expected.message, lambda one: meets(text, one))
    return replace(mismatch, expected=replace(expected, message=part))


# Of CPU time, so that the load of the machine decides nothing. Sane patterns take milliseconds.
BUDGET_SECONDS = 2.0


# Signals reach the main thread alone, and `re` holds the interpreter's lock while it searches:
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


def found(pattern: str, text: str, flags: int = 0) -> bool:
    """Whether `re.search` finds the pattern anywhere in the text.

    Raises HarnessError when that takes more than `BUDGET_SECONDS` of CPU time: the pattern is at
    fault, and nothing is known of who printed the text.
    """
    if not hasattr(signal, "setitimer"):  # Windows, where a student checks and nobody is graded
        return re.search(pattern, text, flags) is not None
    try:
        if threading.current_thread() is threading.main_thread():
            return _found_here(pattern, text, flags)
        return _found_elsewhere(pattern, text, flags)
    except _OverBudgetError:
        what = f"the pattern {quoted(pattern)} takes more than {BUDGET_SECONDS:g} s of CPU time"
        mend = "make it try fewer ways: (?>…), possessive *+ and bounds such as {0,80} help"
        raise HarnessError(f"{what} on a text of {len(text)} characters; {mend}") from None


def _found_here(pattern: str, text: str, flags: int) -> bool:
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, BUDGET_SECONDS)
            return re.search(pattern, text, flags) is not None
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)


def _found_elsewhere(pattern: str, text: str, flags: int) -> bool:
    job = json.dumps([pattern, text, flags, BUDGET_SECONDS])
    source = f"FOUND, NOT_FOUND = {_FOUND}, {_NOT_FOUND}{_SEARCH}"
    command = [sys.executable, "-I", "-S", "-c", source]
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


def normalised(text: str, ignore: Collection[Ignore]) -> str:
    """`text` without what `ignore` forgives, to be compared and not to be shown."""
    if not ignore:
        return text
    if Ignore.TRAILING_SPACE in ignore:
        text = "\n".join(line.rstrip(" \t\r") for line in text.split("\n"))
    if Ignore.BLANK_LINES in ignore:
        text = _without_blank_lines(text)
    if Ignore.CASE in ignore:
        text = text.casefold()
    return text


def _without_blank_lines(text: str) -> str:
    *whole, rest = text.split("\n")
    return "".join(f"{line}\n" for line in whole if line.strip()) + rest


def raise_agrees(expected: StatedRaise | None, actual: Raised | None) -> bool:
    """Whether what was raised is what should be."""
    if expected is None or actual is None:
        return expected is None and actual is None
    if expected.type_name != actual.type_name:
        return False
    text = Value(ValueKind.STR, actual.message)
    return expected.message is None or meets(text, expected.message)
