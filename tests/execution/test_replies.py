"""Input by a generator of the course's: what it types, and whose fault it is when it fails."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from harness.common.errors import HarnessError
from harness.execution import Driver
from harness.execution.runner import RememberedAnswers
from harness.model.observation import Ending
from harness.model.stimulus import Binding, Replies, Stimulus
from tests.execution.small_world import observe, run, turns

ECHO = "text = input('> ')\nwhile text != 'stop':\n    text = input(text + '? ')\n"
UP = """
def f(printed, LIMIT):
    number = 0
    while number < LIMIT:
        number += 1
        printed = yield printed.strip("? >") + str(number)
    yield "stop"
"""


def answered(source: str, *constants: Binding, most: int = 20) -> Stimulus:
    replies = Replies(
        file="guesses.py", function="f", source=source, constants=constants, most=most
    )
    return replace(run(), replies=replies)


def test_each_line_answers_what_was_printed(one_driver: Driver) -> None:
    seen = observe(one_driver, ECHO, answered(UP, Binding(name="LIMIT", literal="3")))
    lines = [("> ", "1"), ("1? ", "12"), ("12? ", "123"), ("123? ", "stop"), ("", None)]
    assert turns(seen) == lines
    assert seen.ending is Ending.ANSWERED


def test_it_types_over_pipes_too(portable_driver: Driver) -> None:
    seen = observe(portable_driver, ECHO, answered(UP, Binding(name="LIMIT", literal="1")))
    assert turns(seen) == [("> ", "1"), ("1? ", "stop"), ("", None)]


def test_a_program_that_asks_on_asks_for_more(one_driver: Driver) -> None:
    ends = observe(one_driver, ECHO, answered("def f(printed):\n    yield 'a'\n"))
    assert (ends.ending, ends.reads) == (Ending.ASKED_FOR_MORE, 1)
    endless = "def f(printed):\n    while True:\n        yield 'a'\n"
    bounded = observe(one_driver, ECHO, answered(endless, most=5))
    assert (bounded.ending, bounded.reads) == (Ending.ASKED_FOR_MORE, 5)


FAULTS = {
    "raises": ("def f(printed):\n    yield 1 / 0\n", "guesses.py: f raised ZeroDivisionError"),
    "gives no text": ("def f(printed):\n    yield 3\n", "must yield one line of text"),
    "gives two lines": ("def f(printed):\n    yield 'a\\nb'\n", "must yield one line of text"),
    "does not end": ("def f(printed):\n    while True: pass\n    yield 'a'\n", "gives no reply"),
}


@pytest.mark.parametrize("case", [case for case in FAULTS if case != "does not end"])
def test_a_fault_of_the_generator_is_the_courses(one_driver: Driver, case: str) -> None:
    source, words = FAULTS[case]
    with pytest.raises(HarnessError, match=words):
        observe(one_driver, ECHO, answered(source))
    after = observe(one_driver, "print('on')", run())
    assert after.printed == "on\n"


def test_an_answer_is_remembered_once_it_was_given_twice() -> None:
    asked: list[str] = []

    class Counting:
        def run(self, payload: str) -> str:
            asked.append(payload)
            return "same" if payload == "a" else str(len(asked))

    ask = partial(RememberedAnswers().ask, Counting)
    assert [ask("a") for _ in range(4)] == ["same"] * 4
    assert asked == ["a", "a"]
    assert ask("b") == "3"
    with pytest.raises(HarnessError, match="not the same each time"):
        ask("b")


def test_a_reply_by_chance_is_the_courses_fault(one_driver: Driver) -> None:
    source = "import random\ndef f(printed):\n    yield str(random.random())\n"
    with pytest.raises(HarnessError, match=r"guesses\.py: f: .* not the same each time"):
        for _ in range(2):
            observe(one_driver, ECHO, answered(source, most=1))


@pytest.mark.release
def test_a_generator_that_does_not_end_is_the_courses_fault(portable_driver: Driver) -> None:
    """It has its whole time first, so in one tier."""
    source, words = FAULTS["does not end"]
    with pytest.raises(HarnessError, match=words):
        observe(portable_driver, ECHO, answered(source))
