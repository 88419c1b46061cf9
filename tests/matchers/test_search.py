"""A pattern has a budget of CPU time, and nothing of it stays behind."""

from __future__ import annotations

import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.common.errors import HarnessError
from harness.matchers import Matches, NoneOf
from harness.matchers.kinds import texts as search
from harness.matchers.kinds.texts import occurs

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
