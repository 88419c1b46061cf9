"""A rule about lookalike characters, such as different dashes, in texts and values."""

from collections.abc import Iterator
from functools import partial
from typing import TypeGuard

from harness.common.lookalikes import first_odd_character, look_alike
from harness.judging.compare.mismatch import ValueMismatch
from harness.judging.compare.value import first_difference
from harness.judging.explain.failure import Failure, TextEdit
from harness.judging.explain.rules import Stage, rule
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind


@rule(Stage.KNOWN_MISTAKE, 118, "prints or returns a character that only looks right")
def looks_alike(failure: Failure) -> str | None:
    """Notice that all differences are between characters that look the same."""
    for subject, expected, actual in _pairs(failure):
        words = look_alike(expected, actual)
        if words is not None:
            return failure.says(f"looks right, but {words}", who=subject)
    for subject, matcher, text in _matched(failure):
        rules = failure.expectation.stated.rules
        words = first_odd_character(text, partial(matcher.accepts_text, rules=rules))
        if words is not None:
            return failure.says(f"looks right, but {words}", who=subject)
    return None


def _pairs(failure: Failure) -> Iterator[tuple[str, str, str]]:
    """Yield the subject, expected and actual text of each difference: in files, output, results
    and inside values.
    """
    for texts in failure.all_texts:
        yield texts.named, texts.expected_text, texts.actual_text
    stderr = failure.stderr
    if stderr and stderr.actual and stderr.expected and stderr.expected.exact_text is not None:
        yield "its output to stderr", stderr.expected.exact_text, stderr.actual.text
    if failure.returns is not None:
        yield from _inside("the returned value", failure.returns)
    if failure.leaves is not None:
        yield from _inside(f"{failure.leaves.name} afterwards", failure.leaves)


def _matched(failure: Failure) -> Iterator[tuple[str, Matcher, str]]:
    """Yield texts that their matcher rejects, with subject and matcher: printed, file, stderr or
    returned.
    """
    text, file, stderr = failure.text, failure.file, failure.stderr
    if text is not None and text.expected is not None:
        about = TextEdit(place=failure.place(text.turn), printed=True, shown=text.shown)
        yield about.named, text.expected, text.actual
    if file is not None and file.expected is not None and _is_text(file.actual):
        about = TextEdit(place=failure.place(), file=file.name)
        yield about.named, file.expected, file.actual.text
    if stderr is not None and stderr.expected is not None and _is_text(stderr.actual):
        yield "its output to stderr", stderr.expected, stderr.actual.text
    returns = failure.returns
    if returns is not None and returns.expected is not None and _is_text(returns.actual):
        yield "the returned text", returns.expected, returns.actual.text


def _is_text(value: Value | None) -> TypeGuard[Value]:
    return value is not None and value.kind is ValueKind.STR


def _inside(subject: str, mismatch: ValueMismatch) -> Iterator[tuple[str, str, str]]:
    """Yield the first differing items of two values if they are texts."""
    if mismatch.pair is None:
        return
    place = first_difference(*mismatch.pair)
    if place.expected is None or place.actual is None:
        return
    if place.expected.kind is place.actual.kind is ValueKind.STR:
        if place.path:
            subject = f"{subject} ({place.named})"
        yield subject, place.expected.text, place.actual.text
