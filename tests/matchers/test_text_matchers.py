"""What matchers for text accept, and what they ask for in words."""

from __future__ import annotations

import pytest

from harness.matchers import ALine, AllOf, Contains, HasNumber, LastLine, Matches, NoneOf
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value

BOTH = AllOf(matchers=(Contains(text="tries"), HasNumber(number="4")))
TRIES = LastLine(matcher=BOTH)
SOMEWHERE = ALine(matcher=BOTH)


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
        (SOMEWHERE, "after 4 tries\nbye\n", True),
        (SOMEWHERE, "hello\nafter 4 tries", True),
        (SOMEWHERE, "4\nafter many tries\n", False),
        (SOMEWHERE, "", False),
        (ALine(matcher=NoneOf(matchers=(Contains(text="a"),))), "", False),
        (ALine(matcher=NoneOf(matchers=(Contains(text="a"),))), "a\n", False),
        (ALine(matcher=NoneOf(matchers=(Contains(text="a"),))), "a\n\n", True),
        (ALine(matcher=Matches(pattern="^b$")), "a\nb\n", True),
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
        (TRIES, 'a last line that contains "tries" and has the number 4'),
        (SOMEWHERE, 'a line that contains "tries" and has the number 4'),
        (ALine(matcher=HasNumber(number="4")), "a line with the number 4"),
        (ALine(matcher=Matches(pattern="x", words="a goodbye")), "a line that is a goodbye"),
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("after many tries\n", "a line with the number 4"),
        ("4\n", 'a line that contains "tries"'),
        ("4\nafter many tries\n", 'a line that contains "tries" and has the number 4'),
    ],
)
def test_of_a_line_the_part_that_no_line_has_is_named(text: str, words: str) -> None:
    failing = SOMEWHERE.failing_part(lambda part: part.accepts_text(text))
    assert failing.in_words() == words


def test_what_is_forgiven_is_forgiven_in_a_line() -> None:
    assert ALine(matcher=Contains(text="Tries")).accepts_text("4 TRIES\n", (Ignore.CASE,))
