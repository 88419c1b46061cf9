"""The answer key holds a canary; nothing that a submission could read does.

No expectation, and nothing of the reference, a stand-in, a neighbour or another scenario, is in the
memory of a process that runs a submission: where scenarios run together, where one runs alone, and
with a stand-in. A class is graded by the real parts, with texts that occur nowhere else in each of
these; a program that may share a process computes while the memory of every process below us that
has it is read.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.assignment.loading import load
from harness.common import serial
from harness.execution import Driver, find_interpreter, tier_layers
from harness.grading.context import isolated
from harness.grading.grader import Grader
from harness.grading.observing.answer_key import make_key
from harness.grading.observing.setup import GraderSetup
from harness.model.assignment import SourceFile
from harness.model.observation import Ending, Isolation, Tier
from harness.model.stimulus import Limits, Stimulus
from harness.model.submission import Submission
from harness.stimuli.call import Call
from tests.execution.small_world import source
from tests.hostile.hostile_attempt import told
from tests.hostile.hostile_entries import corpus
from tests.hostile.hostile_machine import (
    EVERY_TIER,
    at_work,
    below,
    held_by,
    in_memory,
    needs_root,
    state,
)
from tests.hostile.hostile_stage import CANARY, NEIGHBOURS, holds, specification, staged
from tests.tiny_course import Course

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


PLANTED = (
    "canary-51d7-reference",  # the reference's text
    "canary-0ac3-returned",  # what it returns
    "canary-84fe-printed",  # what it prints
    "canary-2b96-shown",  # what a session shows
    "canary-f1e0-transcript",  # what a game says
    "canary-c7a8-stand-in",
    "canary-77d0-neighbour",
    "canary-e6b8-input",
    "canary-a41c-provided",  # with another scenario
    "canary-5e07-swept",  # a constant of another one
    "canary-3d5f-row",  # a name of a case that only what is stated uses
)
STIMULUS = "question-6d15"  # of another function
LATER = "question-81c0", "question-2fa9"  # of the function that is asked: one of them is first
OWN = "nestling-93ac"  # a constant of the submission's
AWAKE = "nestling-is-awake-7e"  # made as the code runs
# The reference puts each text together, so that its own is the first alone.
REFERENCE = """
import bank
NOTE = "canary-51d7-reference"
def word(asked):
    return "canary-" + "0ac3-returned"
def say():
    print("canary-" + "84fe-printed")
def show():
    return "canary-" + "2b96-shown"
def work(number):
    return 1
def use():
    return bank.put([1])
def ask():
    return input()
if __name__ == "__main__":
    print("canary-" + "f1e0-transcript")
"""
PROGRAM = f"""
import bank
OWN = "{OWN}"
def word(asked):
    return asked
def say():
    print(OWN)
def show():
    return OWN
def work(asked):
    bank.put([1])
    kept = "".join(["nestling-", "is-awake", "-7e"])
    for number in range(10 ** 10):
        last = number
    return kept
def use():
    return bank.put([1])
def ask():
    return input()
"""
NEIGHBOUR = 'def word(asked): return "canary-77d0-neighbour"\n'
FILES = {
    "specs/nest/assignment.yaml": (
        'title: Nest\ncourse: A course\npython: "3.12"\n'
        "submission: {files: [a1.py, bank.py]}\nfunctionality_marks: 6\n"
        "provided: [support.py]\nlimits: {cpu_seconds: 600, wall_seconds: 6000}\n"
    ),
    "specs/nest/all.yaml": f"""\
scenarios:
  - {{name: a word, function: word, call: 'word("{STIMULUS}")', returns: canary-0ac3-returned}}
  - {{name: the word again, function: word, call: 'word("{STIMULUS}!")'}}
  - {{name: says, function: say, call: say(), prints: "canary-84fe-printed\\n"}}
  - name: shows
    function: show
    session: |
      >>> show()
      'canary-2b96-shown'
  - {{name: uses, function: use, stand_in: {{bank.py: stand_in_bank.py}}, call: use(), returns: 1}}
  - {{name: asks, function: ask, call: ask(), input: [canary-e6b8-input]}}
  - name: works
    function: work
    cases: [{{asked: {LATER[0]}, told: canary-3d5f-row}}]
    call: work(asked)
    returns: "{{{{ told }}}}"
    {{more}}
  - name: works again
    function: work
    cases: [{{asked: {LATER[1]}, told: canary-3d5f-row}}]
    call: work(asked)
    returns: "{{{{ told }}}}"
    {{more}}
  - {{name: plays, function: a1.py, run: a1.py, transcript: said.txt}}
  - {{name: driven, function: a1.py, run: drive.py, provide: drive.py}}
  - {{name: another size, function: word, constants: {{SIZE: [canary-5e07-swept]}}, call: word(1)}}
""",
    "specs/nest/drive.py": "print('canary-a41c-provided')\n",
    "reference/nest/support.py": "SIZE = ''\n",
    "specs/nest/said.txt": "canary-f1e0-transcript\n",
    "specs/nest/stand_in_bank.py": 'SECRET = "canary-c7a8-stand-in"\ndef put(row): return row[0]\n',
    "reference/nest/a1.py": REFERENCE,
    "reference/nest/bank.py": "def put(row): return row[0]\n",
}


@needs_root
@pytest.mark.parametrize(
    ("isolation", "more"),
    [
        (Isolation.SHARED, ""),
        (Isolation.ALONE, ""),
        (Isolation.ALONE, "stand_in: {bank.py: stand_in_bank.py}"),
    ],
    ids=["shared", "alone", "with a stand-in"],
)
@pytest.mark.parametrize("tier", EVERY_TIER, indirect=True)
def test_no_process_of_a_submission_holds_a_planted_secret(
    tier: Tier, isolation: Isolation, more: str, tmp_path: Path
) -> None:
    with working(tier, isolation, tmp_path, more) as (runner, holders):
        assert runner in holders
        on_no_terminal = Path(f"/proc/{runner}/fd/0").readlink() == Path("/dev/null")
        assert on_no_terminal == (isolation is Isolation.SHARED)
        assert not held_by(runner, [STIMULUS])
        assert len(held_by(runner, LATER)) == 1
        assert {pid: held_by(pid, PLANTED) for pid in holders} == {pid: [] for pid in holders}


@needs_root
@pytest.mark.parametrize("tier", EVERY_TIER, indirect=True)
def test_a_leak_that_is_planted_is_found(tier: Tier, tmp_path: Path) -> None:
    with working(tier, Isolation.SHARED, tmp_path, f'given: "leak = {PLANTED!r}"') as (runner, _):
        assert held_by(runner, PLANTED) == sorted(PLANTED)


@contextmanager
def working(
    tier: Tier, isolation: Isolation, root: Path, more: str
) -> Iterator[tuple[int, frozenset[int]]]:
    """The process in which a submission's code computes, and all that have the submission."""
    Course.lay(root, {name: text.replace("{more}", more) for name, text in FILES.items()})
    specification = load(root, "nest")
    if isolation is Isolation.ALONE:
        specification = isolated(specification)

    def handed_in(program: str) -> Submission:
        files = (source(program), source("def put(row): return 1\n", "bank.py"))
        return Submission(id="x", files=files, origin="x")

    def grade(begin: Callable[[], None]) -> None:
        with Driver(find_interpreter("3.12"), tier) as driver:
            key = make_key(specification, driver)
            setup = GraderSetup(plan=specification.plan, key=key, secret=b"1")
            with Grader(setup, driver) as grader:
                grader.grade(handed_in(NEIGHBOUR))
                begin()
                grader.grade(handed_in(PROGRAM))

    with at_work(grade, lambda pid: state(pid) == "R" and in_memory(pid, AWAKE)) as (
        runner,
        every,
    ):
        yield runner, frozenset(pid for pid in every if in_memory(pid, OWN))
