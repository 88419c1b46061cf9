"""Attempts of a corpus entry under chosen layers; as a program, one of them by a driver in a
process of its own, which imports little.

Usage: hostile_attempt.py LAYERS ENTRY EXPRESSION (layers with commas, or none), with the
assignment on standard input.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.common import serial
from harness.execution import Driver, find_interpreter
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Observation, Tier
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.call import Call

HERE = Path(__file__).parent
FRAMES = (HERE / "hostile_frames.py").read_bytes()
LIMITS = Limits(cpu_seconds=0.2, wall_seconds=0.3, memory_mib=64, output_kib=16)


def driver_under(assignment: Assignment, layers: Iterable[str]) -> Driver:
    """A driver with these layers and no others around what it runs."""
    return Driver(find_interpreter(assignment.python), Tier.STANDARD, layers=frozenset(layers))


def attempts(
    driver: Driver,
    assignment: Assignment,
    name: str,
    *stimuli: Stimulus,
    facts: Mapping[str, str],
    limits: Limits = LIMITS,
) -> list[Observation]:
    """What an entry's program did."""
    source = SourceFile(name="a1.py", data=told((HERE / name / "a1.py").read_bytes(), facts))
    with driver.submission(assignment, (source,)) as server:
        return [server.observe(stimulus, limits) for stimulus in stimuli]


def told(program: bytes, facts: Mapping[str, str]) -> bytes:
    """The program with the facts instead of their names, and what it knows of the channel."""
    program = program.replace(b"from hostile_frames import *", FRAMES)
    for name, fact in facts.items():
        program = program.replace(name.encode(), fact.encode())
    return program


def calling(expression: str) -> Stimulus:
    return Stimulus(action=Call(expression=expression))


def main() -> None:
    layers, name, expression = sys.argv[1:]
    assignment = serial.loads(Assignment, sys.stdin.read())
    facts = {"@DRIVER@": str(os.getpid())}
    with driver_under(assignment, filter(None, layers.split(","))) as driver:
        print(attempts(driver, assignment, name, calling(expression), facts=facts))


if __name__ == "__main__":
    main()
