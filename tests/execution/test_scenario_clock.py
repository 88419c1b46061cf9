"""The limits on a scenario's time, where the one who watches stood still meanwhile."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from harness.execution.linux import monitor
from harness.execution.linux.monitor import ScenarioClock
from harness.model.observation import Ending
from harness.model.stimulus import Limits

WALL = 2.0  # seconds


class Watch:
    """A clock over a process that only sleeps, and time as a test has it pass."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.own_cpu = 100.0, 0.0
        monkeypatch.setattr(monitor.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(monitor.time, "thread_time", lambda: self.own_cpu)
        limits = Limits(cpu_seconds=1.0, wall_seconds=WALL)
        self.clock = ScenarioClock(SimpleNamespace(), limits)  # type: ignore[arg-type]
        sleeps = SimpleNamespace(cpu=lambda: 0.0, asleep=lambda elapsed: elapsed)
        self.clock._clock = sleeps  # type: ignore[assignment]

    def seconds_to_timeout(self, *delays: float, own_cpu: float = 0.0) -> float:
        """Look when it is due, after the first second so much later each time; a look takes so
        much CPU time of ours."""
        left, began = [*delays], self.now
        ended = None
        while ended is None:
            self.now = max(self.now, self.clock.due)
            if left and self.now - began > 1.2:
                self.now += left.pop(0)
            self.own_cpu += own_cpu
            ended = self.clock.passed()
        assert ended is Ending.TIMEOUT
        return self.now - began


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


def test_without_delay_the_limit_holds(watch: Watch) -> None:
    assert watch.seconds_to_timeout() == pytest.approx(WALL)


def test_a_pause_of_the_machine_is_no_time_asleep(watch: Watch) -> None:
    assert watch.seconds_to_timeout(30.0) == pytest.approx(WALL + 30.0)


def test_small_delays_do_not_lengthen_the_limit(watch: Watch) -> None:
    assert watch.seconds_to_timeout(*[0.3] * 50) < WALL + 0.5


def test_looks_that_a_program_makes_long_do_not_lengthen_the_limit(watch: Watch) -> None:
    assert watch.seconds_to_timeout(*[0.8] * 50, own_cpu=0.8) < WALL + 1.0


def test_what_is_excluded_already_is_not_excluded_twice(watch: Watch) -> None:
    watch.now += 5.0
    watch.clock.exclude(5.0)
    assert watch.seconds_to_timeout() == pytest.approx(WALL)
