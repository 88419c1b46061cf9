"""The answer key holds a canary; nothing that a submission could read does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.common import serial
from harness.execution import tier_layers
from harness.model.assignment import SourceFile
from harness.model.observation import Ending, Tier
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.call import Call
from tests.hostile.hostile_attempt import told
from tests.hostile.hostile_entries import corpus
from tests.hostile.hostile_machine import EVERY_TIER, below, state
from tests.hostile.hostile_memory import at_work, held_by
from tests.hostile.hostile_stage import CANARY, NEIGHBOURS, holds, specification, staged

NESTLING = "nestling-61b0"  # what the submission holds, to know that it would have been found
SLEEPER = "import time\nkept = 'nest' + 'ling-61b0'\ndef code(n):\n    time.sleep(600)\n"
PATIENT = Limits(cpu_seconds=60, wall_seconds=60, memory_mib=256, output_kib=64)
SEARCHERS = {"snoops_own_process", "snoops_everywhere", "walks_objects", "parent_memory"}


@pytest.mark.parametrize("tier", EVERY_TIER, indirect=True)
def test_no_process_below_us_holds_the_canary(tier: Tier, tmp_path: Path) -> None:
    with asleep(tier, tmp_path) as pids:
        if "undumpable" in tier_layers(tier) and os.geteuid() != 0:
            for pid in pids:
                with pytest.raises(PermissionError):
                    held_by(pid, [CANARY])
        else:
            held = {_program(pid): held_by(pid, [CANARY, NEIGHBOURS]) for pid in pids}
            assert held == {_program(pid): [] for pid in pids}
            assert any(held_by(pid, [NESTLING]) for pid in pids)


@pytest.mark.parametrize("tier", EVERY_TIER, indirect=True)
def test_a_submission_that_searches_finds_nothing(tier: Tier, tmp_path: Path) -> None:
    with staged(tier, tmp_path / "course") as stage:
        for entry in corpus():
            if entry.name not in SEARCHERS or not entry.runs_in(tier):
                continue
            program = told((entry.folder / "a1.py").read_bytes(), stage.facts())
            source = SourceFile(name="a1.py", data=program)
            with stage.driver.submission(stage.plan.assignment, (source,)) as server:
                # Some ten times as long as in the corpus.
                seen = server.observe(Stimulus(action=Call(expression="code(100)")), PATIENT)
            assert seen.ending is Ending.ANSWERED, entry.name
            assert seen.value is not None
            assert seen.value.text.startswith("nothing"), entry.name
            assert not holds(seen, CANARY)


def test_the_canary_is_in_the_answer_key_and_in_no_stimulus() -> None:
    plan = specification().plan
    stated = [serial.dumps(scenario.stated) for scenario in plan.scenarios]
    assert any(CANARY in each for each in stated)
    stimuli = [each for scenario in plan.scenarios for each in scenario.stimuli]
    assert not any(CANARY in serial.dumps(stimulus) for stimulus in stimuli)
    assert CANARY not in serial.dumps(plan.assignment)


@contextmanager
def asleep(tier: Tier, folder: Path) -> Iterator[list[int]]:
    """The base, the servers and a scenario that sleeps, graded before with the canary at hand."""
    servers: set[int] = set()

    def grade(begin: Callable[[], None]) -> None:
        with staged(tier, folder / "course") as stage:
            source = SourceFile(name="a1.py", data=SLEEPER.encode())
            with stage.driver.submission(stage.plan.assignment, (source,)) as server:
                servers.update(below(os.getpid()))
                begin()
                seen = server.observe(Stimulus(action=Call(expression="code(7)")), PATIENT)
        assert seen.ending is Ending.MEMORY_LIMIT  # killed, but not by us

    with at_work(grade, lambda pid: pid not in servers and state(pid) == "S") as (_, every):
        yield sorted(every)


def _program(pid: int) -> str:
    return f"{pid}: {Path(f'/proc/{pid}/cmdline').read_bytes()[:400]!r}"
