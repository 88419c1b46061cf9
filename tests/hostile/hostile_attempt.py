"""One attempt of a corpus entry under chosen layers, in a process of its own.

Usage: hostile_attempt.py COURSE LAYERS ENTRY EXPRESSION (layers with commas, or none)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.assignment.loading import load
from harness.execution import Driver, find_interpreter
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Observation, Tier
from harness.model.stimulus import Call, Limits, Stimulus
from tests.hostile.hostile_entries import HERE
from tests.hostile.hostile_stage import told

LIMITS = Limits(cpu_seconds=0.2, wall_seconds=0.3, memory_mib=64, output_kib=16)


def attempts(
    assignment: Assignment,
    layers: Iterable[str],
    name: str,
    *stimuli: Stimulus,
    facts: Mapping[str, str],
    limits: Limits = LIMITS,
) -> list[Observation]:
    """What an entry's program did, with these layers and no others around it."""
    interpreter = find_interpreter(assignment.python)
    program = told((HERE / name / "a1.py").read_bytes(), facts)
    source = SourceFile(name="a1.py", data=program)
    with (
        Driver(interpreter, Tier.STANDARD, layers=frozenset(layers)) as driver,
        driver.submission(assignment, (source,)) as server,
    ):
        return [server.observe(stimulus, limits) for stimulus in stimuli]


def calling(expression: str) -> Stimulus:
    return Stimulus(action=Call(expression=expression))


def main() -> None:
    course, layers, name, expression = sys.argv[1:]
    assignment = load(Path(course), "hostile").plan.assignment
    chosen = [layer for layer in layers.split(",") if layer]
    facts = {"@DRIVER@": str(os.getpid()), "@COURSE@": course}
    print(attempts(assignment, chosen, name, calling(expression), facts=facts))


if __name__ == "__main__":
    main()
