"""Whether a value or a text is what a matcher asks for, and a matcher in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace

from harness.judging.normalising import normalised
from harness.judging.sameness import same
from harness.judging.searching import found
from harness.judging.visible import a_type_name, quoted, source
from harness.model.errors import HarnessError
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
)
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
