"""A conversation up to where it parts; what is stated of a call or a session must be shown by it,
and by nothing that comes before.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.judging.differences import LONGEST_SHARED, LONGEST_TURN, conversation
from harness.judging.goldens import disagreements
from harness.judging.judge import judge
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import Matches
from harness.matchers.kinds.values import AnyValue
from harness.model.expectation import Expected, Ignore, StatedRaise, StatedTurn, StatedTurns
from harness.model.observation import Ending, Observation, Phase
from harness.model.stimulus import Replies, Stimulus
from harness.model.verdict import Conversation, VerdictKind
from harness.stimuli.call import Call
from harness.stimuli.session import Session
from tests.judging.judging_cases import (
    CALL,
    called,
    ended,
    expecting,
    raised,
    ran,
    session,
    turns,
    typing,
)
from tests.judging.judging_cases import step as did


def parted(
    reference: Observation, observation: Observation, *inputs: str, stated: Expected | None = None
) -> Conversation:
    found = conversation(observation, expecting(reference, stated), typing(*inputs))
    assert found is not None
    return found


def test_the_shared_turns_come_first_then_each_sides_next() -> None:
    reference = ran("1 > ", "a", "2 > ", "b", "bye")
    observation = ran("1 > ", "a", "two > ", "b", "bye")
    found = parted(reference, observation, "a", "b")
    assert found.shared == turns("1 > ", "a")
    assert (found.expected, found.actual) == (reference.turns[1], observation.turns[1])
    assert not found.example
    assert found.compared is not None and found.compared.differs


def test_a_program_that_ends_too_soon_parts_where_nothing_more_is_typed() -> None:
    reference, observation = ran("> ", "a", "> ", "b", ""), ran("> ", "a", "> ")
    found = parted(reference, observation, "a", "b")
    assert found.shared == turns("> ", "a")
    assert found.expected is not None and found.expected.typed is not None
    assert found.actual is not None and found.actual.typed is None


def test_a_program_that_asks_for_more_parts_at_the_end() -> None:
    reference = ran("> ", "a", "")
    found = parted(reference, ended(Ending.ASKED_FOR_MORE, "> ", "a", "> "), "a")
    assert found.expected is not None and found.expected.printed == ""
    assert found.actual is not None and found.actual.printed == "> "


def test_nothing_parts_where_only_the_value_differs() -> None:
    question = typing("a", stimulus=CALL)
    verdict = judge(called("b", "> ", "a"), expecting(called("a", "> ", "a")), question)
    assert verdict.conversation == Conversation(
        shared=turns("> ", "a", ""), expected=None, actual=None
    )


def test_forgiven_differences_and_matched_turns_do_not_part() -> None:
    told = StatedTurns(turns=(StatedTurn(index=0, printed=Contains(text="x")),), all_turns=False)
    stated = Expected(turns=told, ignore=(Ignore.CASE,))
    found = parted(ran("a", "1", "b"), ran("-x-", "1", "B"), "1", stated=stated)
    assert (found.expected, found.actual, found.parts) == (None, None, False)


def test_turns_that_are_held_to_nothing_do_not_part() -> None:
    told = StatedTurns(turns=(StatedTurn(index=1, printed=Contains(text="x")),), all_turns=False)
    stated = Expected(turns=told, prints=AnyValue())
    found = parted(ran("a", "1", "x", "2", "b"), ran("-", "1", "y", "2", "-"), *"12", stated=stated)
    assert found.shared == turns("-", "1")
    assert found.actual is not None and found.actual.printed == "y"
    assert (found.example, found.compared, found.parts) == (True, None, True)
    found = parted(ran("a", "1", "x", "2", "b"), ran("-", "1", "x", "2", "-"), *"12", stated=stated)
    assert (found.expected, found.actual) == (None, None)


def test_a_matcher_of_the_whole_text_parts_no_turn() -> None:
    stated = Expected(prints=Matches(pattern="sorry", words="an apology"))
    reference, observation = ran("> ", "x", "sorry"), ran("Hello: ", "x", "Hello: ")
    verdict = judge(observation, expecting(reference, stated), typing("x"))
    assert verdict.message == "The program does not print an apology."
    assert verdict.conversation == Conversation(
        shared=observation.turns, expected=None, actual=None
    )


def test_there_is_none_where_nothing_is_typed_or_nobody_knows_better() -> None:
    assert conversation(called(1, "a"), expecting(called(1, "b")), CALL) is None
    assert conversation(ran("a", "1", "b"), expecting(None), typing("1")) is None


def test_what_is_kept_of_a_long_game_is_bounded() -> None:
    one = ["-" * 50_000, "a"] * 40
    found = parted(ran(*one, "bye"), ran(*one, "ciao"), *(["a"] * 40))
    kept = sum(len(turn.printed) for turn in found.shared)
    assert kept <= LONGEST_SHARED + 2 * LONGEST_TURN
    assert found.shared[0].printed == "[… 35 earlier turns left out …]\n"
    assert found.expected is not None and found.expected.printed == "bye"


def test_replies_that_depend_on_the_program_are_typed_text_too() -> None:
    stimulus = replace(CALL, replies=Replies(file="r.py", source="", function="halves"))
    found = conversation(called(1, "a"), expecting(called(1, "b")), stimulus)
    assert found is not None
    assert found.expected is not None and found.expected.printed == "b"


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
