"""All memory of every process that runs a submission is read, and holds nothing that is ours.

Texts that occur nowhere else stand in the reference, in a neighbour's program, in the stand-in and
in another scenario's stimulus and input; each is found when it is put where it must not be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from harness.execution import Driver, find_interpreter
from harness.model.assignment import SourceFile
from harness.model.observation import Tier
from harness.model.stimulus import Limits, StandIn, Stimulus
from tests.execution.small_world import assignment, call, source
from tests.hostile.hostile_machine import EVERY_TIER
from tests.hostile.hostile_memory import at_work, held_by, holds, needs_root

PLANTED = {
    "the reference": "canary-3b1f-reference",
    "a neighbour": "canary-77d0-neighbour",
    "the stand-in": "canary-c04e-stand-in",
    "another stimulus": "canary-9a52-stimulus",
    "another input": "canary-e6b8-input",
}
OWN = "nestling-61b0"  # a constant of the submission's: whoever holds it may run its code
AWAKE = (
    "nestling-is-awake-0f"  # made as the code runs, so that only the process that runs it has it
)
PROGRAM = f'''
import time
OWN = "{OWN}"
def f(other):
    return other[:3]
def ask():
    return input()
def g():
    import bank
    bank.put([1], 2)
    kept = "".join(["nestling-", "is-awake", "-0f"])
    time.sleep(600)
'''
STAND_IN = f'SECRET = "{PLANTED["the stand-in"]}"\ndef put(row, value):\n    row.append(value)\n'
PATIENT = Limits(cpu_seconds=60, wall_seconds=600, memory_mib=256)


@needs_root
@pytest.mark.parametrize("stands_in", [False, True], ids=["alone", "with a stand-in"])
@pytest.mark.parametrize("tier", EVERY_TIER, indirect=True)
def test_no_process_that_runs_a_submission_holds_what_is_ours(tier: Tier, stands_in: bool) -> None:
    with asleep(tier, stands_in=stands_in) as (runner, holders):
        assert runner in holders
        held = {pid: held_by(pid, PLANTED.values()) for pid in holders}
        assert held == {pid: [] for pid in holders}


@needs_root
@pytest.mark.parametrize("tier", EVERY_TIER, indirect=True)
def test_a_leak_that_is_planted_is_found(tier: Tier) -> None:
    given = f"leak = {tuple(PLANTED.values())!r}"
    with asleep(tier, stands_in=False, given=given) as (runner, _):
        assert held_by(runner, PLANTED.values()) == sorted(PLANTED.values())


@contextmanager
def asleep(tier: Tier, *, stands_in: bool, given: str = "") -> Iterator[tuple[int, frozenset[int]]]:
    """The process in which a submission's code sleeps, and all that have the submission."""
    course = replace(
        assignment(files=("a1.py", "bank.py")),
        stand_in_files=(SourceFile(name="stand_in_bank.py", data=STAND_IN.encode()),),
    )
    stand_ins = (StandIn(module="bank.py", file="stand_in_bank.py"),) if stands_in else ()
    stimulus: Stimulus = replace(call("g()"), stand_ins=stand_ins, given=given)
    bank = source("def put(row, value): pass\n", "bank.py")

    def grade(begin: Callable[[], None]) -> None:
        with Driver(find_interpreter("3.12"), tier) as driver:
            for name in ("the reference", "a neighbour"):
                program = source(f"def f(x): return {PLANTED[name]!r}\n")
                with driver.submission(course, (program, bank)) as server:
                    server.observe(call("f(1)"), PATIENT)
            with driver.submission(course, (source(PROGRAM), bank)) as server:
                server.observe(call(f"f({PLANTED['another stimulus']!r})"), PATIENT)
                server.observe(call("ask()", PLANTED["another input"]), PATIENT)
                begin()
                server.observe(stimulus, PATIENT)

    with at_work(grade, lambda pid: holds(pid, AWAKE)) as (runner, every):
        yield runner, frozenset(pid for pid in every if holds(pid, OWN))
