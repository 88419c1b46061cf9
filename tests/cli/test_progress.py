"""Progress with an estimate that may be believed."""

from __future__ import annotations

import io
from fractions import Fraction

import pytest
from rich.console import Console

from harness.cli.progress import PLAIN_AFTER, RECENT, Pace, listener, rounded, steps
from harness.model import result
from tests import plans

FACTS = plans.facts(
    assignment="tiny",
    spec_digest="5",
    reference_digest="7",
    input_mechanism="kernel notification",
)
DONE = result.SubmissionGraded(
    result=result.SubmissionResult(
        id="ada", status=result.SubmissionStatus.GRADED, mark=Fraction(6), out_of=Fraction(6)
    )
)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def graded(pace: Pace, clock: Clock, count: int, seconds: float) -> None:
    for _ in range(count):
        clock.now += seconds
        pace.done()


def test_there_is_no_estimate_before_there_is_a_rate() -> None:
    clock = Clock()
    pace = Pace(1000, clock)
    graded(pace, clock, 4, 2.0)
    assert pace.left() is None
    assert pace.text() == ""
    graded(pace, clock, 1, 2.0)
    assert pace.left() == 995 * 2.0


def test_it_is_the_recent_rate_not_that_from_the_start() -> None:
    clock = Clock()
    pace = Pace(1000, clock)
    graded(pace, clock, 100, 10.0)
    graded(pace, clock, RECENT, 1.0)
    assert pace.left() == 850.0
    assert pace.text() == "about 14 min left"


def test_it_grows_while_nothing_is_done() -> None:
    clock = Clock()
    pace = Pace(20, clock)
    graded(pace, clock, 10, 1.0)
    assert pace.left() == 10.0
    clock.now += 10
    assert pace.left() == 20.0


def test_a_finished_or_kept_run_has_nothing_left() -> None:
    clock = Clock()
    assert Pace(0, clock).text() == ""
    few = Pace(2, clock)
    graded(few, clock, 2, 1.0)
    assert few.text() == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "10 s"),
        (44, "40 s"),
        (56, "1 min"),
        (12 * 60 + 20, "12 min"),
        (89 * 60, "89 min"),
        (94 * 60, "1 h 30 min"),
        (2 * 3600 + 60, "2 h"),
        (7800, "2 h 10 min"),
    ],
)
def test_an_estimate_is_no_more_exact_than_it_is(seconds: float, text: str) -> None:
    assert rounded(seconds) == text


def test_plain_lines_come_every_so_often_and_say_what_is_left() -> None:
    clock, out = Clock(), io.StringIO()
    with listener(Console(file=out, width=100), clock) as show:
        show(result.RunStarted(facts=FACTS, total=300, kept=200))
        for number in range(100):
            clock.now += PLAIN_AFTER if number == 9 else 1.0
            show(DONE)
        show(result.RunFinished(facts=FACTS))
        show(result.ReportsWritten(done=100, total=300))
        show(result.ReportsWritten(done=500, total=600))
    lines = out.getvalue().splitlines()
    assert "300 submissions, 200 graded before" in lines[0]
    assert lines[1:] == [
        "210 of 300 graded, about 6 min left",
        "225 of 300 graded, about 3 min left",
        "250 of 300 graded, about 1 min left",
        "275 of 300 graded, about 20 s left",
        "300 of 300 graded",
        "500 of 600 reports written",
    ]


def test_the_bar_counts_what_was_kept_and_times_what_was_not() -> None:
    clock, out = Clock(), io.StringIO()
    console = Console(file=out, width=120, force_terminal=True, color_system=None)
    with listener(console, clock) as show:
        show(result.RunStarted(facts=FACTS, total=1000, kept=900))
        for _ in range(10):
            clock.now += 6.0
            show(DONE)
    text = out.getvalue()
    assert "910/1000" in text
    assert "about 9 min left" in text


def test_steps_are_lines_every_half_minute_and_each_step_has_its_own_pace() -> None:
    clock, out = Clock(), io.StringIO()
    with steps(Console(file=out, width=100), clock) as tell:
        tell("making the changes", 0, 0)
        for done in range(101):
            clock.now += 1.0
            tell("programs", done, 200)
        clock.now += PLAIN_AFTER
        tell("pairs", 0, 10)
    assert out.getvalue().splitlines() == [
        "29 of 200 programs, about 3 min left",
        "59 of 200 programs, about 2 min left",
        "89 of 200 programs, about 2 min left",
        "0 of 10 pairs",
    ]


def test_steps_are_a_bar_on_a_terminal() -> None:
    clock, out = Clock(), io.StringIO()
    console = Console(file=out, width=120, force_terminal=True, color_system=None)
    with steps(console, clock) as tell:
        for done in range(11):
            clock.now += 6.0
            tell("programs", done, 100)
    text = out.getvalue()
    assert "programs" in text
    assert "10/100" in text
    assert "about 9 min left" in text
