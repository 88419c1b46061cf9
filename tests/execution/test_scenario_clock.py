"""The limits on a scenario's time, where the one who watches stood still meanwhile."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from harness.execution.linux import scenario_clock
from harness.execution.linux.scenario_clock import ScenarioClock
from harness.model.observation import Ending
from harness.model.stimulus import Limits

WALL = 2.0  # seconds


def test_a_pause_of_the_machine_is_no_time_asleep(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(scenario_clock.time, "monotonic", lambda: now)
    sleeps = SimpleNamespace(cpu=lambda: 0.0, asleep=lambda elapsed: elapsed)
    limits = Limits(cpu_seconds=1.0, wall_seconds=WALL)
    clock = ScenarioClock(SimpleNamespace(), limits)  # type: ignore[arg-type]
    clock._clock = sleeps  # type: ignore[assignment]
    paused = 0.0
    ended = None
    while ended is None:
        now = clock.due
        if not paused and now > 101.2:
            paused = 30.0
            now += paused
        ended = clock.passed()
    assert ended is Ending.TIMEOUT
    assert now - 100.0 == pytest.approx(paused + WALL)
