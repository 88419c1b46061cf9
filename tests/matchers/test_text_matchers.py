"""Matchers of a text; a pattern has a budget of CPU time, and nothing of it stays behind."""

from __future__ import annotations

import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.common.errors import HarnessError
from harness.matchers.kinds import texts as search
from harness.matchers.kinds.combinations import ALine, AllOf, LastLine, NoneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import HasNumber, Matches, occurs
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


# None of these would come to an end in a lifetime, or in an hour.
ENDLESS = {
    "nested quantifiers": (r"(a+)+$", "a" * 60 + "!"),
    "alternatives that overlap": (r"(?:a|a)*$", "a" * 60 + "!"),
    "many that share a text": (r"a*a*a*a*a*a*b", "a" * 10_000),
}


@pytest.mark.parametrize(("pattern", "text"), ENDLESS.values(), ids=ENDLESS.keys())
def test_a_pattern_that_tries_for_ever_is_our_failure(
    pattern: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BUDGET_SECONDS", 0.05)
    before = signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(HarnessError) as caught:
        NoneOf(matchers=(Matches(pattern=pattern),)).accepts_text(text)
    assert str(caught.value).startswith(f'the pattern "{pattern}" takes more than 0.05 s of CPU')
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


@pytest.mark.parametrize(("pattern", "is_there"), [(r"\bb\b", True), (r"\bc\b", False)])
def test_other_patterns_are_searched_for(pattern: str, is_there: bool) -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    assert occurs(pattern, "a b") is is_there
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def in_a_thread(pattern: str, text: str, flags: int = 0) -> bool:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(occurs, pattern, text, flags).result()


@pytest.mark.process
@pytest.mark.parametrize(("pattern", "text"), ENDLESS.values(), ids=ENDLESS.keys())
def test_the_budget_holds_in_any_thread(
    pattern: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BUDGET_SECONDS", 0.05)
    with pytest.raises(HarnessError, match=r"takes more than 0\.05 s of CPU time"):
        in_a_thread(pattern, text)


@pytest.mark.process
@pytest.mark.parametrize(
    ("pattern", "text", "flags"),
    [("A", "a", 0), ("A", "a", re.IGNORECASE), (r"\Aé\udc80\x00$", "é\udc80\x00\n", 0)],
)
def test_a_thread_finds_what_the_main_thread_finds(pattern: str, text: str, flags: int) -> None:
    assert in_a_thread(pattern, text, flags) is occurs(pattern, text, flags)


@pytest.mark.process
def test_a_thread_that_cannot_search_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(HarnessError, match="no process could search for a pattern"):
        in_a_thread("a", "a")
