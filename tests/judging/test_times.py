"""How long a scenario took that ran into a limit, in words that are the same in every run."""

import pytest

from harness.judging.times import time_taken
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Limits
from harness.model.verdict import TimeTaken, Verdict, VerdictKind
from harness.reporting.view.words import time_taken as in_words

LIMITS = Limits(cpu_seconds=1.5, wall_seconds=10)
LOOP = Observation(ending=Ending.CPU_LIMIT, cpu_seconds=1.504)
CLOSE = Observation(ending=Ending.CPU_LIMIT, cpu_seconds=1.501, ends_in_double=True)


def reference(seconds: float) -> Observation:
    return Observation(ending=Ending.ANSWERED, cpu_seconds=seconds)


@pytest.mark.parametrize(
    ("seen", "beside", "expected"),
    [
        (LOOP, None, TimeTaken(allowed=1.5)),
        (LOOP, reference(0.003), TimeTaken(allowed=1.5, reference_less_than=0.1)),
        (LOOP, reference(0.099), TimeTaken(allowed=1.5, reference_less_than=0.1)),
        (LOOP, reference(0.7), TimeTaken(allowed=1.5, reference_less_than=1.0)),
        (LOOP, reference(1000), TimeTaken(allowed=1.5)),
        (CLOSE, reference(0.1), TimeTaken(allowed=1.5, less_than=3, reference_less_than=0.2)),
        (Observation(ending=Ending.TIMEOUT), reference(0), TimeTaken(allowed=10, waiting=True)),
        (Observation(ending=Ending.STOPPED_EARLY), reference(0), None),
        (reference(1.4), reference(0), None),
    ],
)
def test_only_bounds_of_times_are_kept(
    seen: Observation, beside: Observation | None, expected: TimeTaken | None
) -> None:
    assert time_taken(seen, LIMITS, beside) == expected


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (None, ""),
        (TimeTaken(allowed=10, waiting=True), "Time: it may wait 10 s in all"),
        (TimeTaken(allowed=1), "Time: 1 s are allowed, yours took more than 1 s"),
        (
            TimeTaken(allowed=1.5, less_than=3, reference_less_than=0.1),
            "Time: 1.5 s are allowed, yours took more than 1.5 s and less than 3 s, "
            "ours takes less than 0.1 s",
        ),
    ],
)
def test_a_time_is_shown_with_its_bounds(time: TimeTaken | None, words: str) -> None:
    assert in_words(Verdict(kind=VerdictKind.CPU_LIMIT, time=time)) == words
