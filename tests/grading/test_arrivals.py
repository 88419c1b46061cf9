"""What is kept of an observation, and that nothing speaks from what is not."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from harness.common.errors import HarnessError
from harness.grading.observing.arrivals import MOST_KEPT, Arrivals, reduced
from harness.judging.judge import Judge, combine, judge
from harness.model.expectation import Expectation, Expected
from harness.model.observation import (
    Ending,
    Frame,
    NamedValue,
    Observation,
    Phase,
    Raised,
    StepOutcome,
    Turn,
)
from harness.model.plan import Scenario
from harness.model.stimulus import Call, Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import VerdictKind
from tests import plans
from tests.judging.test_rule_order import FIRES

LONG = "x" * MOST_KEPT
ONES = (Value.simple(ValueKind.INT, "1"),) * 1000
FRAMES = tuple(Frame(file="a1.py", line=line, function="f", source="f()") for line in range(9))
RAISED = Raised(type_name="E", message=LONG, frames=FRAMES)
ANSWERED = Observation(ending=Ending.ANSWERED)
LARGE = {
    "turns": (Turn(printed=LONG),),
    "loading_printed": LONG,
    "value": Value(ValueKind.LIST, items=ONES),
    "arguments": ONES,
    "arguments_before": ONES,
    "variables": (NamedValue(name=LONG, value=ONES[0]),),
    "files": (NamedValue(name="a", value=Value.simple(ValueKind.STR, LONG)),),
    "steps": (StepOutcome(shown=LONG, raised=RAISED), StepOutcome(turns=(Turn(printed=LONG),))),
    "raised": RAISED,
    "left_open": (LONG,),
}
SMALL = {"ending", "phase", "exit_status", "detail", "nearest", "cut", "cpu_seconds"}


def test_every_field_is_counted_or_short() -> None:
    assert {field.name for field in fields(Observation)} == set(LARGE) | SMALL


@pytest.mark.parametrize("field", LARGE)
def test_what_is_large_is_cut(field: str) -> None:
    seen = replace(ANSWERED, **{field: LARGE[field]})  # type: ignore[arg-type]
    kept = reduced(seen)
    assert kept.cut
    assert reduced(kept) is kept
    assert len(repr(kept)) < 4000
    assert kept == reduced(replace(seen, cpu_seconds=1.0))
    assert kept != reduced(replace(seen, exit_status=1, detail="x", nearest="y"))
    assert reduced(replace(seen, exit_status=1)).cut != kept.cut


def test_what_causes_need_is_kept() -> None:
    kept = reduced(replace(ANSWERED, phase=Phase.LOADING, raised=RAISED, steps=LARGE["steps"]))  # type: ignore[arg-type]
    assert kept.raised is not None
    assert kept.raised.frames == (FRAMES[0], FRAMES[-1])
    assert [step.raised for step in kept.steps] == [kept.raised]
    assert kept.phase is Phase.LOADING


def test_what_is_small_is_kept_whole() -> None:
    board = Value(ValueKind.LIST, items=ONES[:64])
    seen = replace(ANSWERED, value=board, arguments=(board,), arguments_before=(board,))
    assert reduced(seen) is seen


@pytest.mark.parametrize("one", [row[1] for row in FIRES])
def test_no_rule_sees_a_cut_observation(one: object) -> None:
    """A verdict, which every rule is asked for, is made of whole observations only."""
    cut = replace(one.observation, cut="digest")  # type: ignore[attr-defined]
    with pytest.raises(HarnessError, match="not judged again"):
        judge(cut, one.expectation, one.stimulus)  # type: ignore[attr-defined]
    with pytest.raises(HarnessError, match="not judged again"):
        Judge(one.expectation, one.stimulus).kind(cut)  # type: ignore[attr-defined]


def printed(text: str, ending: Ending = Ending.ANSWERED) -> Observation:
    value = Value.simple(ValueKind.NONE, "None")
    return Observation(ending=ending, value=value, turns=(Turn(printed=text),))


DRAWS = tuple(Stimulus(action=Call(expression=f"f({size})")) for size in range(3))
SCENARIO = plans.scenario("f/sample", stimuli=DRAWS, is_sample=True)
RIGHT, WRONG = LONG + "right", LONG + "wrong"


def judge_of(scenario: Scenario, index: int) -> Judge:
    return Judge(Expectation(stated=Expected(), reference=printed(RIGHT)), scenario.stimuli[index])


@pytest.mark.parametrize(
    "draws",
    [
        [printed(RIGHT), printed(RIGHT), printed(RIGHT)],
        [printed(RIGHT), printed(WRONG), printed(WRONG)],
        [printed(WRONG), printed("small"), printed(RIGHT)],
        [printed("small"), printed(WRONG), printed(RIGHT)],
        [printed(RIGHT), printed(WRONG, Ending.OUTPUT_LIMIT)],
        [printed(WRONG, Ending.CPU_LIMIT)],
        [printed(RIGHT), printed(WRONG), printed(WRONG, Ending.CPU_LIMIT)],
    ],
)
@pytest.mark.parametrize("stopped", [False, True])
def test_a_sample_is_judged_as_if_nothing_were_cut(draws: list[Observation], stopped: bool) -> None:
    arrivals = Arrivals(judge_of)
    for _ in range(2):  # a scenario may run again, under its whole limit
        kept = [arrivals.keep(SCENARIO, *draw) for draw in enumerate(draws)]
    if stopped and draws[-1].ending is Ending.CPU_LIMIT:
        draws = [*draws[:-1], replace(draws[-1], ending=Ending.STOPPED_EARLY)]
        kept = [*kept[:-1], replace(kept[-1], ending=Ending.STOPPED_EARLY)]
    whole = [judge_of(SCENARIO, index) for index, _ in enumerate(draws)]
    assert combine(
        [arrivals.kind(SCENARIO, *draw) for draw in enumerate(kept)],
        lambda index: arrivals.verdict(SCENARIO, index, kept[index]),
    ) == combine(
        [whole[index].kind(seen) for index, seen in enumerate(draws)],
        lambda index: whole[index].verdict(draws[index]),
    )


def test_what_equals_the_references_is_kept_whole_in_its_memory() -> None:
    reference = printed(RIGHT)
    arrivals = Arrivals(
        lambda scenario, index: Judge(
            Expectation(stated=Expected(), reference=reference), scenario.stimuli[index]
        )
    )
    assert arrivals.keep(SCENARIO, 0, reference) is reference
    kept = arrivals.keep(SCENARIO, 0, replace(printed(RIGHT), cpu_seconds=0.5))
    assert kept.turns is reference.turns
    assert kept is not reference
    assert (kept.cut, kept.cpu_seconds) == ("", 0.5)
    assert arrivals.kind(SCENARIO, 0, kept) is VerdictKind.PASSED
