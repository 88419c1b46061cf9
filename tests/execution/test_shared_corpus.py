"""Programs that keep something, in the process that scenarios share: seen, or nothing is gained."""

from __future__ import annotations

import pytest

from harness.execution import Driver, SharedOutcome, canonical
from harness.model.stimulus import Limits
from harness.policy.sharing import check_sharing
from tests.execution.small_world import assignment, call, run, source
from tests.shared_corpus import CALLS, ENDS_LATE, NOTHING, SEEN, SURROUNDINGS

ROOMY = Limits(cpu_seconds=2, wall_seconds=10, memory_mib=128, output_kib=8)


def together(driver: Driver, name: str, program: str) -> tuple[SharedOutcome, bytes | None]:
    """The same three times in one process, and what is expected of it: what it does alone."""
    expression = CALLS.get(name, "f()")
    answer = check_sharing([source(program)], [source("", "support.py")])
    assert answer.allowed, answer.reason
    stimulus = run("a line") if expression == "run" else call(expression, "a line")
    with driver.submission(assignment(), (source(program),)) as server:
        (group,) = server.group(dict.fromkeys(range(3), (stimulus, ROOMY)))
        outcome = server.observe_together(group, sorted(group.jobs))
        alone = server.observe(stimulus, ROOMY)
        return outcome, canonical(alone, stimulus, arguments=group.jobs[0].arguments)


@pytest.mark.parametrize("name", SEEN)
def test_seen(one_driver: Driver, name: str) -> None:
    program, reason = SEEN[name]
    outcome, _ = together(one_driver, name, program)
    assert outcome.refused == reason.removesuffix(" was changed")
    assert (outcome.changed_by is not None) == reason.endswith(" was changed")
    assert outcome.seen == {}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_kept(one_driver: Driver, name: str) -> None:
    outcome, alone = together(one_driver, name, NOTHING[name])
    assert outcome.refused == ""
    assert alone is not None
    assert list(outcome.seen.values()) == [alone] * 3


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_nothing_gained(one_driver: Driver, name: str) -> None:
    outcome, _ = together(one_driver, name, SURROUNDINGS[name])
    assert outcome.refused == ""


def test_too_deep_to_ask_ends_the_process(one_driver: Driver) -> None:
    name = "how deep it may recurse before it asks"
    outcome, alone = together(one_driver, name, SURROUNDINGS[name])
    assert alone is not None
    assert outcome.seen == {}


@pytest.mark.parametrize("name", ENDS_LATE)
def test_what_ends_late_is_observed_alone(one_driver: Driver, name: str) -> None:
    outcome, _ = together(one_driver, name, ENDS_LATE[name])
    assert outcome.refused == ""
    assert outcome.gave_up
    assert outcome.seen == {}
