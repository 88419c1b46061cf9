"""A pattern has a budget of CPU time, and nothing of it stays behind."""

from __future__ import annotations

import signal
import threading

import pytest

from harness.judging import searching
from harness.judging.matching import meets_text
from harness.judging.searching import found
from harness.model.errors import HarnessError
from harness.model.expectation import Matches, NoneOf

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
    monkeypatch.setattr(searching, "BUDGET_SECONDS", 0.05)
    before = signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(HarnessError) as caught:
        meets_text(text, NoneOf(matchers=(Matches(pattern=pattern),)))
    assert str(caught.value).startswith(f'the pattern "{pattern}" takes more than 0.05 s of CPU')
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


@pytest.mark.parametrize(("pattern", "is_there"), [(r"\bb\b", True), (r"\bc\b", False)])
def test_other_patterns_are_searched_for(pattern: str, is_there: bool) -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    assert found(pattern, "a b") is is_there
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_in_a_thread_there_are_no_signals() -> None:
    seen: list[bool] = []
    thread = threading.Thread(target=lambda: seen.append(found("(?i)A", "a")))
    thread.start()
    thread.join()
    assert seen == [True]
