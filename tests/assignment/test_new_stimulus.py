"""A new kind of stimulus is one new file of the language: read, checked, in hints and schema."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.assignment.small_assignment import scenario_file, write

TOY = """
from harness.assignment.scenarios.stimulus import StimulusKind, StimulusParts
from harness.model.stimulus import Call

def read(context, loc, inputs):
    text = f"check_input({context.text('check')!r})"
    context.expression(text, loc)
    return StimulusParts(action=Call(expression=text), inputs=inputs)

CHECK = StimulusKind(
    name="check", description="A command.", takes=("returns",), read=read, order=40
)
"""
PROGRAM = """
import sys
from pathlib import Path
from harness.assignment.scenarios import stimuli
root = Path(sys.argv[1])
stimuli.__path__.append(str(root / "new"))
from harness.assignment.loading import SpecErrors, load
from harness.assignment.schema import json_schema
print(load(root, "small").plan.scenarios[0].stimuli[0].action)
scenario = json_schema()["$defs"]["Scenario"]
print(scenario["properties"]["check"], {"required": ["check"]} in scenario["oneOf"])
file = root / "specs/small/f.yaml"
file.write_text(file.read_text().replace("returns: true", "exit: 1\\n    call: f()"))
try:
    load(root, "small")
except SpecErrors as errors:
    print(*errors.errors, sep="\\n")
"""


@pytest.mark.process
def test_a_new_kind_is_one_new_file(tmp_path: Path) -> None:
    write(tmp_path, {"specs/small/f.yaml": scenario_file("name: s\ncheck: a1\nreturns: true")})
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "check.py").write_text(TOY)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "Call(expression=\"check_input('a1')\", equals='')",
        "{'description': 'A command.', 'type': 'string'} True",
        "specs/small/f.yaml:5:5: check: expected exactly one of call, session, run or check, got "
        "call and check. Hint: make one scenario of each.",
    ]
