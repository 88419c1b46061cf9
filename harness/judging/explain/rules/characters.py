"""A rule about characters that look like others, in texts and values alike."""

from collections.abc import Iterator

from harness.common.lookalikes import look_alike
from harness.judging.compare.value import first_difference
from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import Stage, rule
from harness.model.values import ValueKind


@rule(Stage.KNOWN_MISTAKE, 118, "prints or returns a character that only looks right")
def looks_alike(failure: Failure) -> str | None:
    """Every difference is one between characters that look the same."""
    for subject, expected, actual in _pairs(failure):
        words = look_alike(expected, actual)
        if words is not None:
            return failure.says(f"looks right, but {words}", who=subject)
    return None


def _pairs(failure: Failure) -> Iterator[tuple[str, str, str]]:
    """Yield the texts that differ: of files, printed and returned ones, and inside values."""
    for texts in failure.all_texts:
        yield texts.named, texts.expected_text, texts.actual_text
    stderr = failure.stderr
    if stderr and stderr.actual and stderr.expected and stderr.expected.exact_text is not None:
        yield "what it writes to stderr", stderr.expected.exact_text, stderr.actual.text
    for subject, mismatch in (("what it returns", failure.returns), ("", failure.leaves)):
        pair = mismatch.pair if mismatch is not None else None
        if pair is None or mismatch is None:
            continue
        place = first_difference(*pair)
        if place.expected is None or place.actual is None:
            continue
        if place.expected.kind is place.actual.kind is ValueKind.STR:
            name = subject or f"{mismatch.name} afterwards"
            yield (
                f"{name} ({place.named})" if place.path else name,
                place.expected.text,
                (place.actual.text),
            )
