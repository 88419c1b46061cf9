"""No path of ours is in what is said of a program."""

import pytest

from harness.common import serial
from harness.judging.judge import judge
from harness.model.expectation import Expectation, Expected
from harness.model.observation import Ending, Frame, Observation, Raised, StepOutcome, Turn
from harness.model.stimulus import Stimulus
from harness.model.values import Value, ValueKind
from harness.stimuli.call import Call
from harness.stimuli.session import Session

RIGHT = Observation(ending=Ending.ANSWERED, value=Value.of(1))
PATHS = {
    "/proc/self/fd/3/typing.py": "typing.py",
    "/proc/71/fd/12/json/decoder.py": "json/decoder.py",
    "/tmp/harness-scenario-ab12/4/home/a1.py": "a1.py",
    "/var/run/x/harness-unlocked-9/a1.py": "a1.py",
}


@pytest.mark.parametrize("path", PATHS)
def test_no_path_of_ours_is_in_a_verdict(path: str) -> None:
    text = f"cannot import name 'x' from 'typing' ({path})"
    frame = Frame(file="a1.py", line=1, function="f", source=text)
    raised = Raised(type_name="ImportError", message=text, frames=(frame,))
    for wrong in (
        Observation(ending=Ending.ANSWERED, raised=raised),
        Observation(ending=Ending.ANSWERED, value=Value.of([text])),
        Observation(ending=Ending.ANSWERED, value=Value.of(1), turns=(Turn(printed=text),)),
    ):
        stimulus = Stimulus(action=Call(expression="f()"))
        verdict = judge(wrong, Expectation(stated=Expected(), reference=RIGHT), stimulus)
        said = serial.dumps(verdict)
        assert not verdict.passed
        assert path.rpartition("/")[0] not in said
        assert PATHS[path].rpartition("/")[2] in said


def test_a_long_text_without_an_end_costs_no_time() -> None:
    text = "harness-scenario-" + "/" * 200_000 + "/harness-scenario-" * 2000
    wrong = Observation(ending=Ending.ANSWERED, value=Value.of(1), turns=(Turn(printed=text),))
    stimulus = Stimulus(action=Call(expression="f()"))
    assert not judge(wrong, Expectation(stated=Expected(), reference=RIGHT), stimulus).passed


@pytest.mark.parametrize("unit", ["/", "\\'", "'\\", '\\"', "/harness-scenario-"])
def test_a_text_of_a_megabyte_is_read_once(unit: str) -> None:
    """Of which some, read from each of its characters on, would take an hour."""
    text = "'" + unit * (800_000 // len(unit))
    shown = Value(ValueKind.FOREIGN, "Decimal", (Value.simple(ValueKind.STR, text),))
    turns = (Turn(printed=text),)
    step = StepOutcome(value=shown, turns=turns if "/" in unit else ())
    wrong = Observation(ending=Ending.ANSWERED, steps=(step,))
    stimulus = Stimulus(action=Session(steps=("f()",)))
    stated = Expected(shown=("Decimal('1.5')",))
    assert not judge(wrong, Expectation(stated=stated, reference=None), stimulus).passed
