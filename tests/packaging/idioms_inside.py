"""Runs in the page's interpreter: observes one program by `BrowserDriver`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from harness.execution import BrowserDriver, Machine
from harness.model.assignment import SourceFile
from harness.model.stimulus import Key, Limits, Stimulus, Typed
from harness.packaging.program_file import packed
from harness.packaging.web.checker import _this_interpreter
from harness.stimuli.run import Run

LIMITS = Limits(cpu_seconds=4, wall_seconds=10, memory_mib=256, output_kib=64)
ENDS = (Typed(key=Key.CTRL_D), Typed(key=Key.CTRL_D))


def outcome(machine: Machine, program: str, folder: bool, lines: Iterable[str], piped: bool) -> str:
    """Return, as JSON, how the program ended, its screen, its exit status and what it raised."""
    plan, _ = packed()
    assignment = replace(plan.assignment, writes_files=folder)
    texts = list(lines)
    stimulus = Stimulus(action=Run(program="a1.py"), folder=folder)
    if piped:
        stimulus = replace(stimulus, stdin="".join(f"{text}\n" for text in texts))
    else:
        typed = tuple(Typed(text=text) for text in texts)
        stimulus = replace(stimulus, inputs=typed + ENDS)
    Path("/handed-in").mkdir(exist_ok=True)
    files = (SourceFile(name="a1.py", data=program.encode()),)
    with (
        BrowserDriver(_this_interpreter(), machine) as driver,
        driver.submission(assignment, files) as server,
    ):
        seen = server.observe(stimulus, LIMITS)
    raised = seen.raised
    return json.dumps(
        {
            "ending": seen.ending.value,
            "detail": seen.detail,
            "screen": "".join(turn.printed for turn in seen.turns),
            "status": seen.exit_status,
            "raised": None if raised is None else [raised.type_name, raised.message],
        }
    )
