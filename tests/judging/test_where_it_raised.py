"""What is stated of a call or a session must be shown by it, and by nothing that comes before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.judging import disagreements, judge
from harness.model.expectation import Expected, StatedRaise
from harness.model.observation import Ending, Observation, Phase
from harness.model.stimulus import Call, Session, Stimulus
from harness.model.verdict import VerdictKind
from tests.judging.judging_cases import ended, expecting, raised, session
from tests.judging.judging_cases import step as did

GIVEN = "stack = Stack(2)\n"
PUT = Stimulus(action=Call(expression="stack.put(1)"), given=GIVEN)
STEPS = Stimulus(action=Session(steps=("stack.put(1)\n",)), given=GIVEN)
STATED = Expected(raises=StatedRaise(type_name="ValueError"))
BEFORE = [Phase.LOADING, Phase.GIVEN, Phase.ARGUMENTS, Phase.RESULT]


def full(phase: Phase) -> Observation:
    return raised("ValueError", "full", line=3, source="raise ValueError('full')", phase=phase)


@pytest.mark.parametrize("stated", [STATED, Expected()])
@pytest.mark.parametrize("phase", BEFORE)
def test_an_exception_elsewhere_is_not_that_of_the_call(phase: Phase, stated: Expected) -> None:
    """Stated, or taken from the reference."""
    in_call = full(Phase.STIMULUS)
    expected = expecting(in_call, stated)
    assert judge(in_call, expected, PUT).kind is VerdictKind.PASSED
    assert judge(full(phase), expected, PUT).kind is VerdictKind.FAILED


EXPLAINED = {
    Phase.GIVEN: "stack = Stack(2), which comes first, raised ValueError: full "
    "(line 3: raise ValueError('full')), so stack.put(1) never ran.",
    Phase.ARGUMENTS: "In stack.put(1), what comes before the call itself raised ValueError: full "
    "(line 3: raise ValueError('full')), so the call never ran.",
    Phase.RESULT: "stack.put(1) returned, and ValueError: full was raised only when what it "
    "returned was read (line 3: raise ValueError('full')).",
}


@pytest.mark.parametrize("phase", EXPLAINED)
def test_it_is_said_where_it_was_raised(phase: Phase) -> None:
    verdict = judge(full(phase), expecting(full(Phase.STIMULUS), STATED), PUT)
    assert verdict.message == EXPLAINED[phase]
    (row,) = verdict.differences[0].rows
    assert row.expected.text != row.actual.text


def test_of_many_given_statements_none_is_named() -> None:
    many = replace(PUT, given=GIVEN + "stack.put(0)\n")
    message = judge(full(Phase.GIVEN), expecting(full(Phase.STIMULUS), STATED), many).message
    assert message.startswith("What comes first raised ValueError: full")


def test_a_session_whose_preparation_raised_did_none_of_its_steps() -> None:
    """Its quiet steps look as if they had been done."""
    reference = session(did())
    verdict = judge(full(Phase.GIVEN), expecting(reference), STEPS)
    assert verdict.kind is VerdictKind.FAILED
    assert verdict.message.endswith("so the session never ran.")


@pytest.mark.parametrize("phase", [Phase.GIVEN, Phase.ARGUMENTS])
def test_who_asks_for_more_too_early_has_not_ended_as_stated(phase: Phase) -> None:
    asks = ended(Ending.ASKED_FOR_MORE, "? ")
    stated = Expected(ends=Ending.ASKED_FOR_MORE)
    assert judge(asks, expecting(asks, stated), PUT).kind is VerdictKind.PASSED
    verdict = judge(replace(asks, phase=phase), expecting(asks, stated), PUT)
    assert verdict.kind is VerdictKind.FAILED
    assert verdict.message == (
        "It ended as it should, but already in what comes before stack.put(1), which never ran."
    )
    assert disagreements(replace(asks, phase=phase), expecting(asks, stated), PUT)


REFERENCE_RAISES = {
    Phase.LOADING: "the reference raised ValueError: full while it was loading.",
    Phase.GIVEN: "the reference raised ValueError: full in what is given, before it is called.",
    Phase.ARGUMENTS: "the reference raised ValueError: full in an argument of the call, or in what "
    "it is called on, before the call itself.",
    Phase.RESULT: "the reference raised ValueError: full when what the call returned was read, "
    "after the call itself (`list(…)` around the call makes that its own).",
}


@pytest.mark.parametrize("stated", [STATED, Expected()])
@pytest.mark.parametrize("phase", REFERENCE_RAISES)
def test_a_reference_that_raises_elsewhere_is_a_mistake(phase: Phase, stated: Expected) -> None:
    found = disagreements(full(phase), expecting(full(phase), stated), PUT)
    assert found == (REFERENCE_RAISES[phase],)
    assert not disagreements(full(Phase.STIMULUS), expecting(full(Phase.STIMULUS), STATED), PUT)
