"""A session step as a sheet shows it: printed text, typed text, then the value's `repr`.

White space between the tokens of a literal is free (sheets wrap lines), and so are blank lines
at the end; everything else counts.
"""

from __future__ import annotations

import re

from harness.judging.normalising import normalised
from harness.judging.sameness import same
from harness.judging.visible import spelled
from harness.model.expectation import Ignore
from harness.model.observation import Raised, StepOutcome, transcript
from harness.model.values import Value, ValueKind

_STRING_OR_SPACE = re.compile(r"('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")|\s+", re.DOTALL)


def screen_of(step: StepOutcome) -> str:
    """All that a person would see of a step in the REPL."""
    return transcript(step.turns) + _echo(step.value) + _last_words(step.raised)


def _echo(value: Value | None) -> str:
    if value is None or value.kind is ValueKind.NONE:
        return ""
    return spelled(value) + "\n"


def _last_words(raised: Raised | None) -> str:
    if raised is None:
        return ""
    return f"{raised.type_name}: {raised.message}\n" if raised.message else f"{raised.type_name}\n"


def shows(step: StepOutcome, shown: str, ignore: tuple[Ignore, ...] = ()) -> bool:
    """Whether the sheet's text `shown` is what a step showed."""
    printed = transcript(step.turns)
    if _same_text(printed + _echo(step.value) + _last_words(step.raised), shown, ignore):
        return True
    if step.raised is not None:
        return _shows_raise(printed, step.raised, shown, ignore)
    if step.value is None or step.value.kind is ValueKind.NONE:
        return False
    # Where the value's text begins, the printed text must have ended.
    head, rest = shown[: len(printed)], shown[len(printed) :]
    return normalised(head, ignore) == normalised(printed, ignore) and _is_value(rest, step.value)


def _same_text(left: str, right: str, ignore: tuple[Ignore, ...]) -> bool:
    sides = (_without_blank_end(normalised(text, ignore)) for text in (left, right))
    return next(sides) == next(sides)


def _without_blank_end(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)


def _shows_raise(printed: str, raised: Raised, shown: str, ignore: tuple[Ignore, ...]) -> bool:
    """Of a traceback on a sheet only its last line counts: the lines before are the machine's."""
    rest = shown[len(printed) :]
    if normalised(shown[: len(printed)], ignore) != normalised(printed, ignore):
        return False
    if not rest.startswith("Traceback (most recent call last)"):
        return False
    last = _without_blank_end(rest).rsplit("\n", 1)[-1]
    return last == _last_words(raised).rstrip("\n")


def _is_value(text: str, value: Value) -> bool:
    if text[:1].isspace():
        return False  # an empty line before the value is printed text
    try:
        return same(Value.parse(" ".join(text.split("\n")).strip()), value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return _squeezed(text) == _squeezed(spelled(value))


def _squeezed(text: str) -> str:
    return _STRING_OR_SPACE.sub(lambda match: match.group(1) or "", text)
