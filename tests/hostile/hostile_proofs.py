"""Every layer alone against an attack of the corpus, and the same attack without it.

A proof runs an entry with the layer as the only one that could stop it, or with nothing that
could, and says whether the attack succeeded. What is not a switch (the answer key's place, the
codec, the one reply …) is taken away by the naive grader that lacks it, made of the same parts.
"""

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from harness.common import serial
from harness.common.errors import HarnessError
from harness.execution.protocol import observation
from harness.execution.protocol.replies import Reply
from harness.model.assignment import SourceFile
from harness.model.observation import Ending, Observation, Tier
from harness.model.stimulus import Limits, Stimulus
from harness.model.values import Value
from harness.stimuli.run import Run
from harness.stimuli.session import Session
from tests.hostile.hostile_attempt import HERE, LIMITS, attempts, calling, driver_under
from tests.hostile.hostile_machine import below, end, lasting, tiers_here
from tests.hostile.hostile_stage import CANARY, Stage, holds
from tests.tiny_course import ran

Succeeds = Callable[[Stage, bool], bool]  # whether an attack does, with a layer on or off

MARK = "the-drivers-own-environment"
_PR_CAPBSET_DROP = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """`succeeds(stage, on)`: whether the entry's attack succeeds with the layer on, or off.
    `off` says what is there instead."""

    layer: str
    entry: str
    attack: str
    off: str
    succeeds: Succeeds


def _attempt(
    stage: Stage, name: str, *stimuli: Stimulus, layer: str = "", limits: Limits = LIMITS
) -> list[Observation]:
    driver, assignment = stage.under(frozenset({layer} - {""})), stage.plan.assignment
    return attempts(driver, assignment, name, *stimuli, facts=stage.facts(), limits=limits)


def _done(seen: Observation) -> bool:
    return seen.value == Value.of("done")


def _sees_the_canary(seen: Observation) -> bool:
    return holds(seen, CANARY)


def _under(
    layer: str,
    name: str,
    expression: str,
    succeeded: Callable[[Observation], bool] = _done,
    limits: Limits = LIMITS,
) -> Succeeds:
    """On: under this layer alone; off: under none."""

    def succeeds(stage: Stage, on: bool) -> bool:
        stimulus = calling(expression)
        (seen,) = _attempt(stage, name, stimulus, layer=layer if on else "", limits=limits)
        return succeeded(seen)

    return succeeds


def _changes_the_neighbour(stage: Stage, on: bool) -> bool:
    neighbour = Path(stage.facts()["@NEIGHBOUR@"])
    before = neighbour.read_bytes()
    try:
        stimulus = calling("total([1, 2, 3])")
        _attempt(stage, "alters_neighbours", stimulus, layer="user" if on else "")
        return neighbour.read_bytes() != before
    finally:
        neighbour.write_bytes(before)


def _reads_the_environment(stage: Stage, on: bool) -> bool:
    """In a driver that is no more to its submissions than another process of their user."""
    done = ran(
        [
            sys.executable,
            HERE / "hostile_attempt.py",
            "undumpable" if on else "",
            "parent_facts",
            "total([1, 2, 3])",
        ],
        env={"MARK": MARK, **os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=_drop_capabilities,
        input=serial.dumps(stage.plan.assignment),
    )
    assert done.returncode == 0, done.stderr
    return MARK in done.stdout


def _drop_capabilities() -> None:
    """Root is a user like any other after the next exec; another user has none to drop."""
    prctl = ctypes.CDLL(None).prctl
    for number in range(64):
        prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)


def _leaves_a_process(layer: str, name: str) -> Succeeds:
    def succeeds(stage: Stage, on: bool) -> bool:
        before, assignment = below(os.getpid()), stage.plan.assignment
        with (
            contextlib.suppress(HarnessError),  # it killed its server: does it live on?
            driver_under(assignment, {layer} if on else set()) as driver,
        ):
            attempts(driver, assignment, name, calling("total([1, 2, 3])"), facts=stage.facts())
        left = lasting(before)
        end(left)
        return bool(left)

    return succeeds


def _floods(seen: Observation) -> bool:
    return len(seen.printed) > LIMITS.output_kib * 1024


def _within(
    limits: Limits, name: str, expression: str, succeeded: Callable[[Observation], bool] = _done
) -> Succeeds:
    """On: within the usual limits; off: within these."""

    def succeeds(stage: Stage, on: bool) -> bool:
        most = LIMITS if on else limits
        return succeeded(_attempt(stage, name, calling(expression), limits=most)[0])

    return succeeds


def _passes_a_comparison_inside(name: str, check: str) -> Succeeds:
    """Off: a driver program that is placed beside the submission, imports it, compares, and says
    PASS; on: the call is observed and compared here."""

    def succeeds(stage: Stage, on: bool) -> bool:
        expression, _, expected = check.partition(" == ")
        if on:
            (seen,) = _attempt(stage, name, calling(expression))
            return seen.value == Value.parse(expected)
        program = f"import a1\nprint('PASS' if a1.{check} else 'FAIL')\n"
        return _run_beside(stage, name, program).printed.endswith("PASS\n")

    return succeeds


def _passes_as_text(stage: Stage, on: bool) -> bool:
    """Off: the value's repr is compared, here, with the expected one's."""
    if on:
        (seen,) = _attempt(stage, "repr_lies", calling("total([1, 2, 3])"))
        return seen.value == Value.of(6)
    program = "import a1\nprint(a1.total([1, 2, 3]))\n"
    return _run_beside(stage, "repr_lies", program).printed == "6\n"


def _passes_by_status(stage: Stage, on: bool) -> bool:
    """Off: a driver program asserts, and an exit status of 0 means that it passed."""
    if on:
        (seen,) = _attempt(stage, "os_exit", calling("total([1, 2, 3])"))
        return seen.ending is Ending.ANSWERED
    seen = _run_beside(stage, "os_exit", "import a1\nassert a1.total([1, 2, 3]) == 6\n")
    return seen.exit_status == 0 or seen.detail == "exit status 0"


def _passes_by_the_first_reply(stage: Stage, on: bool) -> bool:
    """Off: the first reply is taken for the answer, whatever follows."""
    read = observation.read_reply

    def first(frames: tuple[bytes, ...]) -> Reply:
        return read(tuple(frame for frame in frames if frame[:1] == b"A")[:1])

    with mock.patch.object(observation, "read_reply", read if on else first):
        (seen,) = _attempt(stage, "two_replies", calling("total([1, 2, 3])"))
    return seen.value == Value.of(6)  # the function itself returned 7


def _hands_a_note_on(stage: Stage, on: bool) -> bool:
    """Off: two calls in one process."""
    both = ("total([1])", "total([1])")
    if on:
        return holds(_attempt(stage, "leaves_messages", *map(calling, both))[1], "seen")
    (seen,) = _attempt(stage, "leaves_messages", Stimulus(action=Session(steps=both)))
    return holds(seen, "seen")


def _passes_as_a_screen(stage: Stage, on: bool) -> bool:
    """Off: what stood on the screen in the end is compared as one text."""
    scenario = stage.plan.scenario("game/found")
    expected = (HERE / "course/specs/hostile/gameplay/found.txt").read_text("utf-8")
    (seen,) = _attempt(stage, "prints_transcript", *scenario.stimuli)
    asked = seen.reads == len(scenario.stimuli[0].inputs)
    return seen.printed == expected and (asked or not on)


def _run_beside(stage: Stage, name: str, program: str) -> Observation:
    """A program of the course's, in one process with the submission that it imports."""
    source = SourceFile(name="check.py", data=program.encode())
    assignment = replace(stage.plan.assignment, extra_files=(source,))
    stimulus = Stimulus(action=Run(program="check.py"), provide=("check.py",))
    return attempts(stage.under(frozenset()), assignment, name, stimulus, facts=stage.facts())[0]


def proofs_here() -> tuple[Proof, ...]:
    """Those that this machine and user can show: root alone has user ids to give away, and
    namespaces need bubblewrap."""
    has_layer = {"uid drop": os.geteuid() == 0, "namespaces": Tier.STRONG in tiers_here()}
    return tuple(proof for proof in _PROOFS if has_layer.get(proof.layer, True))


# Layer, entry, attack, and what is there in the layer's place; then, in the same order, what tells
# whether the attack succeeds.
_WORDS = """\
answer key outside | walks_objects | finds the expected value and returns it |
    a driver program compares inside the submission's process
closed codec | equals_everything | returns an object that equals the expected value |
    the submission's object is compared by its own ==
closed codec | repr_lies | returns an object that calls itself 6 | reprs are compared
one reply | os_exit | ends the process with status 0 | a status of 0 means passed
one reply | two_replies | answers before the answer | the first reply counts
fresh process | leaves_messages | leaves a note for the next scenario |
    both scenarios in one process
input on request | prints_transcript | prints the whole game without reading |
    the screen is compared as one text
rlimits | memory_bomb | takes 100 MB where 64 MiB are allowed | no layer at all
landlock | opens_specs | reads the canary in the scenarios | no layer at all
seccomp | network | connects to a server | no layer at all
namespaces | opens_specs | reads the canary in the scenarios | no layer at all
uid drop | alters_neighbours | appends to another submission | no layer at all
not dumpable | parent_facts | reads the driver's environment | no layer at all
output cap | floods_output | has more than 16 KiB of output kept | a cap of 8 MiB, and no layer
CPU limit | loops | computes for a second where 0.2 s are allowed |
    a limit of a minute, and no layer
sleep limit | sleeps | sleeps for a second where 0.3 s are allowed |
    a limit of a minute, and no layer
subreaper | daemon | leaves a daemon that outlives the batch | no layer at all
die with parent | kills_server | kills its server and lives on | no layer at all
"""
# The first touch of so much memory may take half a second.
_PATIENT = replace(LIMITS, cpu_seconds=5.0, wall_seconds=5.0)
_SUCCEEDS: tuple[Succeeds, ...] = (
    _passes_a_comparison_inside("walks_objects", f"code(7) == {CANARY!r}"),
    _passes_a_comparison_inside("equals_everything", "total([1, 2, 3]) == 6"),
    _passes_as_text,
    _passes_by_status,
    _passes_by_the_first_reply,
    _hands_a_note_on,
    _passes_as_a_screen,
    _under("rlimits", "memory_bomb", "label(3)", limits=_PATIENT),
    _under("landlock", "opens_specs", "code(7)", _sees_the_canary),
    _under("seccomp", "network", "total([1, 2, 3])"),
    _under("namespaces", "opens_specs", "code(7)", _sees_the_canary),
    _changes_the_neighbour,
    _reads_the_environment,
    _within(replace(LIMITS, output_kib=1 << 13), "floods_output", "total([])", _floods),
    _within(replace(LIMITS, cpu_seconds=60, wall_seconds=60), "loops", "label(3)"),
    _within(replace(LIMITS, wall_seconds=60), "sleeps", "label(3)"),
    _leaves_a_process("subreaper", "daemon"),
    _leaves_a_process("die_with_parent", "kills_server"),
)
_PROOFS = tuple(
    Proof(layer=layer, entry=entry, attack=attack, off=off, succeeds=succeeds)
    for (layer, entry, attack, off), succeeds in zip(
        (line.split(" | ") for line in _WORDS.replace("\n    ", " ").splitlines()),
        _SUCCEEDS,
        strict=True,
    )
)
