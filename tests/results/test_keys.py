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
from harness.model.plan import Visibility
from harness.model.stimulus import Limits, StandIn, Stimulus, Typed
from harness.model.study import FunctionStrength, StrengthReport
from harness.model.values import Value
from harness.results.reuse import latest_strength, observation_key, verdict_key, write_strength
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
    return observation_key(**{**parts, **changes})


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
def test_what_an_observation_depends_on(changes: dict[str, Any]) -> None:
    assert key(**changes) != key()


@pytest.mark.parametrize("changes", SAME_OBSERVATIONS.values(), ids=SAME_OBSERVATIONS.keys())
def test_what_an_observation_does_not_depend_on(changes: dict[str, Any]) -> None:
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


def test_what_a_verdict_depends_on() -> None:
    keys = [
        verdict_key("k", ANSWERS, HELD, "j"),
        verdict_key("k", ANSWERS, replace(HELD, stated=Expected()), "j"),
        verdict_key("k", ANSWERS, replace(HELD, stated_cases=(STATED,)), "j"),
        verdict_key("k", ANSWERS, replace(HELD, hint="Look."), "j"),
        *(verdict_key("k", answers, HELD, "j") for answers in (answer("y"), None, ())),
        verdict_key("other", ANSWERS, HELD, "j"),
        verdict_key("k", ANSWERS, HELD, "other"),
        verdict_key("k", ANSWERS, HELD, "j", (("board",),)),
        verdict_key("k", ANSWERS, HELD, "j", within=0.1),
    ]
    assert len(set(keys)) == len(keys) == 11
    held, slower = replace(HELD, stated=replace(STATED)), answer(seconds=0.5)
    assert verdict_key("k", slower, held, "j") == keys[0]  # how long the reference took is nothing


def test_values_that_come_and_go_never_share_a_key() -> None:
    """The cache goes by identity: a new value must not take a dead one's place."""
    stimuli = (Stimulus(action=STIMULUS.action, seed=number) for number in range(20_000))
    assert len({key(scenario=replace(SCENARIO, stimuli=(each,))) for each in stimuli}) == 20_000


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


def test_nothing_is_said_where_that_was_not_measured_or_the_file_is_broken(tmp_path: Path) -> None:
    assert latest_strength(tmp_path, PLAN) is None
    write_strength(tmp_path, REPORT)
    for changed in ("spec_digest", "reference_digest"):
        assert latest_strength(tmp_path, replace(PLAN, **{changed: "another"})) is None
    (path,) = tmp_path.rglob("*.json")
    path.write_text("{", encoding="utf-8")
    assert latest_strength(tmp_path, PLAN) is None
