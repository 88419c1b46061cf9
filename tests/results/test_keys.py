"""What a key covers and leaves out; what was measured of scenarios is used for these alone."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from harness.matchers.kinds.values import Exactly
from harness.model.assignment import FunctionSignature, SourceFile
from harness.model.expectation import Answer, Expected
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Scenario, Visibility
from harness.model.stimulus import Limits, StandIn, Typed
from harness.model.study import FunctionStrength, StrengthReport
from harness.model.values import Value
from harness.results.reuse import PlanKeys, latest_strength, write_strength
from tests.results.small_run import PLAN, SIZE_10, provided

SCENARIO = PLAN.scenarios[0]
STIMULUS = SCENARIO.stimuli[0]


def key(**changes: Any) -> str:
    parts: dict[str, Any] = {
        "source_digest": "a" * 64,
        "scenario": SCENARIO,
        "assignment": PLAN.assignment,
        "interpreter": "3.12.1 main",
        "tier": Tier.STANDARD,
        "execution_digest": "d",
    }
    parts |= changes
    keys = PlanKeys(
        parts["assignment"],
        interpreter=parts["interpreter"],
        tier=parts["tier"],
        execution_digest=parts["execution_digest"],
        judged_by="j",
    )
    return keys.observation_key(parts["source_digest"], parts["scenario"])


def asking(**changes: Any) -> dict[str, Any]:
    return {"scenario": replace(SCENARIO, stimuli=(replace(STIMULUS, **changes),))}


def assigning(**changes: Any) -> dict[str, Any]:
    return {"assignment": replace(PLAN.assignment, **changes)}


STANDS_IN = (StandIn(module="a1.py", file="s.py"),)


def standing_in(data: bytes) -> dict[str, Any]:
    return assigning(stand_in_files=(SourceFile(name="s.py", data=data),))


OTHER_OBSERVATIONS: dict[str, dict[str, Any]] = {
    "bytes": {"source_digest": "b" * 64},
    "expression": asking(action=replace(STIMULUS.action, expression="g()")),
    "input": asking(inputs=(Typed(text="other"),)),
    "given": asking(given="a = 1"),
    "constants": asking(constants=SIZE_10),
    "seed": asking(seed=1),
    "a stand-in": {**asking(stand_ins=STANDS_IN), **standing_in(b"1")},
    "another stand-in": {**asking(stand_ins=STANDS_IN), **standing_in(b"2")},
    "another draw": {"scenario": replace(SCENARIO, stimuli=(STIMULUS, STIMULUS))},
    "limits": {"scenario": replace(SCENARIO, limits=Limits(cpu_seconds=2.0))},
    "provided bytes": assigning(variants=(provided(b"BOARD_SIZE = 9\n"),)),
    "interpreter": {"interpreter": "3.12.2 main"},
    "tier": {"tier": Tier.STRONG},
    "execution": {"execution_digest": "e"},
    "the name it is laid as": assigning(laid_as="p4.py"),
    "a function that the question may name": assigning(
        functions=(FunctionSignature(name="g", parameters=()),)
    ),
}
SAME_OBSERVATIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "an equal scenario": {"scenario": replace(SCENARIO)},
    "points": {"scenario": replace(SCENARIO, points=Fraction(7))},
    "name and id": {"scenario": replace(SCENARIO, id="f/other", name="other")},
    "visibility": {"scenario": replace(SCENARIO, visibility=Visibility.HIDDEN)},
    "the golden": {"scenario": replace(SCENARIO, stated=Expected(exit=3))},
    "other sizes' files": assigning(variants=PLAN.assignment.variants[:1]),
    "a stand-in that is not laid": standing_in(b"1"),
    "a stand-in for another run": {"scenario": replace(SCENARIO, stand_ins=STANDS_IN)},
    "marks": assigning(functionality_marks=Fraction(9)),
}


@pytest.mark.parametrize("changes", OTHER_OBSERVATIONS.values(), ids=OTHER_OBSERVATIONS.keys())
def test_the_key_of_an_observation_covers_its_inputs(changes: dict[str, Any]) -> None:
    assert key(**changes) != key()


@pytest.mark.parametrize("changes", SAME_OBSERVATIONS.values(), ids=SAME_OBSERVATIONS.keys())
def test_the_key_of_an_observation_ignores_other_changes(changes: dict[str, Any]) -> None:
    assert key(**changes) == key()


def test_every_change_has_a_key_and_an_override_that_the_plan_lacks_none() -> None:
    keys = [key(**changes) for changes in OTHER_OBSERVATIONS.values()]
    assert len(set(keys)) == len(keys)
    assert all(len(one) == 64 for one in keys)
    with pytest.raises(KeyError):
        key(**asking(constants=SIZE_10), **assigning(variants=(provided(b""),)))


def answer(text: str = "x", seconds: float = 0.0) -> tuple[Answer, ...]:
    observation = Observation(ending=Ending.ANSWERED, value=Value.of(text), cpu_seconds=seconds)
    return (Answer(observation=observation),)


STATED = Expected(returns=Exactly(value=Value.of(1)))
HELD = replace(SCENARIO, stated=STATED)
ANSWERS = answer()


def verdict_key(
    answers: tuple[Answer, ...] | None = ANSWERS,
    scenario: Scenario = HELD,
    *,
    key_alone: str = "k",
    judged_by: str = "j",
    parameters: tuple[tuple[str, ...], ...] = (),
    floats_within: float | None = None,
) -> str:
    keys = PlanKeys(
        replace(PLAN.assignment, floats_within=floats_within),
        interpreter="3.12.1 main",
        tier=Tier.STANDARD,
        execution_digest="d",
        judged_by=judged_by,
    )
    return keys.verdict_key(key_alone, answers, scenario, parameters)


def test_the_key_of_a_verdict_covers_its_inputs() -> None:
    keys = [
        verdict_key(),
        verdict_key(scenario=replace(HELD, stated=Expected())),
        verdict_key(scenario=replace(HELD, stated_cases=(STATED,))),
        verdict_key(scenario=replace(HELD, hint="Look.")),
        *(verdict_key(answers) for answers in (answer("y"), None, ())),
        verdict_key(key_alone="other"),
        verdict_key(judged_by="other"),
        verdict_key(parameters=(("board",),)),
        verdict_key(floats_within=0.1),
    ]
    assert len(set(keys)) == len(keys) == 11
    held, slower = replace(HELD, stated=replace(STATED)), answer(seconds=0.5)
    assert verdict_key(slower, held) == keys[0]  # the reference's time does not count


def test_a_second_run_with_stand_ins_has_its_own_key() -> None:
    stand_in = SourceFile(name="s.py", data=b"1")
    keys = PlanKeys(
        replace(PLAN.assignment, stand_in_files=(stand_in,)),
        interpreter="3.12.1 main",
        tier=Tier.STANDARD,
        execution_digest="d",
        judged_by="j",
    )
    scenario = replace(SCENARIO, stand_ins=STANDS_IN)
    first = keys.observation_key("a", scenario)
    assert keys.observation_key("a", scenario.standing_in()) != first
    assert keys.observation_key("a", scenario) == first


REPORT = StrengthReport(
    assignment=PLAN.assignment.id,
    spec_digest=PLAN.spec_digest,
    reference_digest=PLAN.reference_digest,
    functions=(FunctionStrength(function="f", changes=9, noticed=7, equivalent=1),),
    clauses=(),
    outcomes=(),
)


def test_the_last_report_is_found_again(tmp_path: Path) -> None:
    write_strength(tmp_path, replace(REPORT, functions=()))
    write_strength(tmp_path, REPORT)
    found = latest_strength(tmp_path, PLAN)
    assert found == REPORT
    assert str(found.figures) == "87.5 % of 8 single-fault changes"


def test_unmeasured_or_broken_files_get_no_remark(tmp_path: Path) -> None:
    assert latest_strength(tmp_path, PLAN) is None
    write_strength(tmp_path, REPORT)
    for changed in ("spec_digest", "reference_digest"):
        assert latest_strength(tmp_path, replace(PLAN, **{changed: "another"})) is None
    (path,) = tmp_path.rglob("*.json")
    path.write_text("{", encoding="utf-8")
    assert latest_strength(tmp_path, PLAN) is None
