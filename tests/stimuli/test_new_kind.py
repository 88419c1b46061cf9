"""A new kind of stimulus is one file, and one for what it does beside a submission where that is
new: it is read, run over pipes and on a terminal, judged, worded and drawn."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.execution.protocol.jobs import Jobs
from harness.model.stimulus import Action, Stimulus, StimulusParts, Typed
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from harness.stimuli.session import Session
from tests.assignment.small_assignment import ASSIGNMENT, REFERENCE, scenario_file, write
from tests.plans import assignment
from tests.tiny_course import environment, for_a_python_here, ran

TOY = '''
from dataclasses import dataclass, field
from harness.model.stimulus import Action, StimulusParts

@dataclass(frozen=True, slots=True, kw_only=True)
class Twice(Action):
    """A call that is made twice."""

    key = "twice"
    takes = ("returns", "prints")
    order = 60
    expression: str = field()

    @classmethod
    def read(cls, context, loc, inputs):
        context.expression(context.text("twice"), loc)
        return StimulusParts(action=cls(expression=context.text("twice")), inputs=inputs)

    def yaml_keys(self):
        return {"twice": self.expression}

    def display(self, bound=()):
        return f"{self.expression}, and again"

    @property
    def lines(self):
        return self.expression, self.expression
'''
BESIDE = """
from . import call

def perform(stimulus, context, answer, finished):
    call.perform(stimulus, context, answer, finished)
    first = answer.fields.get("value", '["none",""]')
    call.perform(stimulus, context, answer, finished)
    if "value" in answer.fields:
        answer.fields["value"] = f'["tuple",[{first},{answer.fields["value"]}]]'
"""
PROGRAM = """
import sys
from contextlib import suppress
from pathlib import Path
import harness.stimuli
from harness.execution.inside import stimuli
root = Path(sys.argv[1])
harness.stimuli.__path__.append(str(root / "new"))
stimuli.__path__.append(str(root / "beside"))

from harness import load_assignment
from harness.assignment.loading import SpecErrors
from harness.assignment.schema import json_schema
from harness.cli import main
from harness.api import check
from harness.common import serial
from harness.execution.interpreter import find_interpreter
from harness.execution.piped import PipedDriver
from harness.model.plan import Plan
from harness.results.student_view import Surroundings
from harness.reporting.view import paste
from harness.reporting.writing import page_writer

specification = load_assignment(root, "small")
plan = serial.loads(Plan, serial.dumps(specification.plan))
stimulus = plan.scenarios[0].stimuli[0]
print(stimulus.action)
scenario = json_schema()["$defs"]["Scenario"]
print(scenario["properties"]["twice"], {"required": ["twice"]} in scenario["oneOf"])
surroundings = Surroundings.of(plan.assignment)
print(*paste.python_lines(stimulus, surroundings).splitlines()[-2:], sep="; ")
sys.argv = ["harness", "check", "--root", str(root), str(root / "right/a1.py"),
            str(root / "wrong/a1.py")]
with suppress(SystemExit):
    main()
for result in check(specification, [root / "wrong/a1.py"]):
    page_writer(root, [result.id], plan)(result)
with PipedDriver(find_interpreter(plan.assignment.python)) as driver:
    with driver.submission(plan.assignment, specification.reference) as server:
        print(server.observe(stimulus, plan.assignment.limits).value.source())
file = root / "specs/small/f.yaml"
file.write_text(file.read_text() + "    call: f()\\n    exit: 1\\n")
try:
    load_assignment(root, "small")
except SpecErrors as errors:
    print(str(errors.errors[0]).split(": ", 2)[2].replace(", got", "\\ngot"))
"""
SAID = """\
Twice(expression='check_input("a1")')
{'description': 'A call that is made twice.', 'type': 'string'} True
check_input("a1"); check_input("a1")

1 of 1 visible check passed
a1.py: 1 thing to fix

1. ✗ check_input: s
   look at check_input: a1.py, lines 7 to 12
   check_input returned a different tuple: item [1] is False, it should be True.
   try    check_input("a1"), and again
   expected (True, True)
   got      (True, False)
                   ^

0 of 1 visible check passed
(True, True)
expected exactly one of call, session, steps, run, exists, class, test or twice
got call and twice. Hint: write a scenario for each.
"""


@pytest.mark.process
def test_a_new_stimulus_kind_works_in_every_step(tmp_path: Path) -> None:
    twice = 'name: s\nvisible: true\ntwice: check_input("a1")'
    wrong = REFERENCE.replace('return command != ""', "CALLS.append(1)\n    return len(CALLS) < 2")
    changes = {
        "specs/small/assignment.yaml": for_a_python_here(
            ASSIGNMENT.replace("policy: policy.yaml\n", "")
        ),
        "specs/small/policy.yaml": None,
        "specs/small/f.yaml": scenario_file(twice),
        "new/twice.py": TOY,
        "beside/twice.py": BESIDE,
        "right/a1.py": REFERENCE,
        "wrong/a1.py": wrong.replace("def check", "CALLS = []\n\n\ndef check"),
    }
    write(tmp_path, changes)
    done = ran([sys.executable, "-c", PROGRAM, str(tmp_path)], env=environment())
    assert (done.stderr, done.stdout) == ("", SAID)
    (page,) = tmp_path.glob("feedback/*.html")
    assert "and again" in page.read_text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain(Action):
    """One with no file of its name beside a submission."""

    key = "plain"
    expression: str = ""
    steps: tuple[str, ...] = ()
    program: str = ""

    @classmethod
    def read(cls, context: Any, loc: tuple[Any, ...], inputs: tuple[Typed, ...]) -> StimulusParts:
        raise NotImplementedError

    def yaml_keys(self) -> Mapping[str, str]:
        return {}


@pytest.mark.parametrize(
    ("plain", "known"),
    [
        (Plain(expression="f()"), Call(expression="f()")),
        (Plain(steps=("x = f()", "x")), Session(steps=("x = f()", "x"))),
        (Plain(program="a1.py"), Run(program="a1.py")),
    ],
)
def test_a_kind_without_a_file_beside_does_what_it_is_made_of(plain: Action, known: Action) -> None:
    jobs = Jobs(assignment())
    assert jobs.job(Stimulus(action=plain)) == jobs.job(Stimulus(action=known))
