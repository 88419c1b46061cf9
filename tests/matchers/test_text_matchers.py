"""What matchers for text accept, and what they ask for in words."""

from __future__ import annotations

import pytest

from harness.matchers import AllOf, Contains, HasNumber, LastLine, Matches
from harness.model.expectation import Matcher
from harness.model.values import Value

TRIES = LastLine(matcher=AllOf(matchers=(Contains(text="tries"), HasNumber(number="4"))))


@pytest.mark.parametrize(
    ("matcher", "text", "accepted"),
    [
        (HasNumber(number="4"), "You needed 4 tries.", True),
        (HasNumber(number="4"), "4", True),
        (HasNumber(number="4"), "it is 4.", True),
        (HasNumber(number="4"), "1, 4, 7", True),
        (HasNumber(number="4"), "a4b", True),
        (HasNumber(number="4"), "3-4", True),
        (HasNumber(number="4"), "14 or 40", False),
        (HasNumber(number="4"), "4.5", False),
        (HasNumber(number="4"), "0.4", False),
        (HasNumber(number="4"), "4,000", False),
        (HasNumber(number="4"), "it is -4", False),
        (HasNumber(number="4"), "-4", False),
        (HasNumber(number="-4"), "it is -4", True),
        (HasNumber(number="-4"), "it is 4", False),
        (HasNumber(number="2.50"), "costs 2.50 each", True),
        (HasNumber(number="2.50"), "costs 2.5 each", False),
        (TRIES, "1 try?\nafter 4 tries\n", True),
        (TRIES, "after 4 tries\n\n", True),
        (TRIES, "after 4 tries\nbye\n", False),
        (TRIES, "4\nafter many tries\n", False),
    ],
)
def test_accepts(matcher: Matcher, text: str, accepted: bool) -> None:
    assert matcher.accepts_text(text) is accepted
    assert matcher.accepts(Value.of(text)) is accepted
    assert not matcher.accepts(Value.of(4))


@pytest.mark.parametrize(
    ("matcher", "words"),
    [
        (HasNumber(number="4"), "text with the number 4"),
        (LastLine(matcher=HasNumber(number="4")), "a last line with the number 4"),
        (LastLine(matcher=Contains(text="tries")), 'a last line that contains "tries"'),
        (
            LastLine(matcher=Matches(pattern="x", words="a goodbye")),
            "a last line that is a goodbye",
        ),
    ],
)
def test_in_words(matcher: Matcher, words: str) -> None:
    assert matcher.in_words() == words


def test_the_part_of_a_last_line_that_fails_is_named() -> None:
    text = "4 of 5\nafter 5 tries\n"
    failing = TRIES.failing_part(lambda part: part.accepts_text(text))
    assert failing.in_words() == "a last line with the number 4"
