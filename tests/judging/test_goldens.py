"""Where the reference does not do what a scenario states: one sentence each."""

from __future__ import annotations

from typing import Any

import pytest

from harness.judging.channels import shows
from harness.judging.goldens import disagreements
from harness.matchers.kinds.combinations import AllOf, NoneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.values import OfType
from harness.model.expectation import (
    Expected,
    Ignore,
    StatedLeave,
    StatedRaise,
    StatedTurn,
    StatedTurns,
)
from harness.model.observation import Ending, Observation, Phase, StepOutcome
from harness.model.stimulus import Stimulus
from harness.model.values import Value, ValueKind
from tests.judging.judging_cases import (
    CALL,
    RUN,
    called,
    ended,
    exactly,
    expecting,
    raised,
    ran,
    session,
    steps,
    typing,
)
from tests.judging.judging_cases import step as did

TWO_TURNS = StatedTurns(
    turns=(StatedTurn(index=0, printed=exactly("> ")), StatedTurn(index=1, printed=exactly("b"))),
    all_turns=True,
)
FIRST_TURN = StatedTurns(turns=(StatedTurn(index=0, printed=exactly("> ")),), all_turns=False)

Golden = tuple[Observation, Expected, Stimulus]


def golden(observation: Observation, stimulus: Stimulus = CALL, **stated: Any) -> Golden:
    """What the reference did, and what a scenario states of it."""
    return observation, Expected(**stated), stimulus


DISAGREE: dict[str, Golden] = {
    "the reference ran into the limit on CPU time, which the scenario does not state.": golden(
        ended(Ending.CPU_LIMIT)
    ),
    "the reference asked for more input than the scenario has, "
    "which the scenario does not state.": golden(ended(Ending.ASKED_FOR_MORE, "> ")),
    "the reference does not define a function that is needed (chek_input) "
    "while it was loading, which the scenario does "
    "not state.": golden(ended(Ending.MISSING, detail="chek_input", phase=Phase.LOADING)),
    "the reference answered, but the scenario states that it ends with asked_for_more.": golden(
        called(1), ends=Ending.ASKED_FOR_MORE
    ),
    "the reference raised NameError: name 'chek' is not defined, "
    "which the scenario does not state.": golden(raised("NameError", "name 'chek' is not defined")),
    "the scenario states ValueError, but the reference raised nothing.": golden(
        called(1), raises=StatedRaise(type_name="ValueError")
    ),
    "the reference raised KeyError, but the scenario states ValueError.": golden(
        raised("KeyError"), raises=StatedRaise(type_name="ValueError")
    ),
    "the reference raised ValueError: b, but the scenario states ValueError with 'a'.": golden(
        raised("ValueError", "b"), raises=StatedRaise(type_name="ValueError", message=exactly("a"))
    ),
    "the reference left 2 inputs of 3 unread.": golden(
        ran("> ", "a", "bye"), typing("a", "b", "c")
    ),
    "the reference read 1 input, but the scenario states 2.": golden(
        ran("> ", "a", "bye"), typing("a"), reads=2
    ),
    "the reference ended with status 2, which the scenario does not state.": golden(
        ran("x", status=2), RUN
    ),
    "the reference ended with status 0, but the scenario states 1.": golden(ran("x"), RUN, exit=1),
    "the reference returned True, but 1 is stated.": golden(called(True), returns=exactly(1)),
    "the reference returned 'x', but an int is stated.": golden(
        called("x"), returns=OfType(name="int")
    ),
    "the reference gave no value, but 1 is stated.": golden(ran("x"), RUN, returns=exactly(1)),
    "the reference's value is too large to compare (deep).": golden(
        called(Value(ValueKind.TOO_LARGE, "deep"))
    ),
    'what the reference prints differs from line 2: it is "b", but "c" is stated.': golden(
        called(None, "a\nb\n"), prints=exactly("a\nc\n")
    ),
    'what the reference prints differs from line 2: it is "", '
    "but the end of the text is stated.": golden(called(None, "a\n"), prints=exactly("a")),
    'what the reference prints is "a\\n", but text that contains "b" is stated.': golden(
        called(None, "a\n"), prints=Contains(text="b")
    ),
    "the reference returned 'ab', but anything but text that contains \"b\" is stated.": golden(
        called("ab"),
        returns=AllOf(matchers=(Contains(text="a"), NoneOf(matchers=(Contains(text="b"),)))),
    ),
    'what the reference prints is "a\\n", but anything but text that contains "a" '
    "is stated.": golden(
        called(None, "a\n"), prints=NoneOf(matchers=(Contains(text="b"), Contains(text="a")))
    ),
    'the reference\'s transcript differs from line 1: it is "> x", but "> y" is stated.': golden(
        ran("> ", "x", "b"), typing("x"), transcript="> y\nb"
    ),
    'turn 0, as the reference prints it, differs from line 1: it is ">", but "> " '
    "is stated.": golden(ran(">", "x", "b"), typing("x"), turns=FIRST_TURN),
    "the reference has 3 turns, but the scenario states 2.": golden(
        ran("> ", "x", "b", "y", "c"), typing("x", "y"), turns=TWO_TURNS
    ),
    "the reference leaves board as [2], but [1] is stated.": golden(
        called(None, before=([1],), after=([2],)),
        leaves=(StatedLeave(name="board", value=exactly([1])),),
    ),
    "the scenario states bord afterwards, but no data has that name then "
    "({any: true} leaves a function out).": golden(
        called(None), leaves=(StatedLeave(name="bord", value=exactly([1])),)
    ),
    "the reference changes argument 1 to [2].": golden(
        called(None, before=([1],), after=([2],)), leaves_unchanged=True
    ),
    'step 1 (f()): the reference shows "True\\n", but the sheet shows "False\\n".': golden(
        session(did(True)), steps("f()"), shown=("False\n",)
    ),
    "step 1 (f()): the reference raised NameError, which is not stated.": golden(
        session(did(error="NameError")), steps("f()")
    ),
    "the reference ran 1 step of 2.": golden(
        session(did(1)), steps("f()", "g()"), shown=("1\n", "2\n")
    ),
}


@pytest.mark.parametrize("message", DISAGREE)
def test_a_disagreement_is_one_sentence(message: str) -> None:
    observation, stated, stimulus = DISAGREE[message]
    assert disagreements(observation, expecting(observation, stated), stimulus) == (message,)


AGREE: list[Golden] = [
    golden(called(1, "x")),
    golden(called(1, "x\n"), returns=exactly(1), prints=exactly("x\n")),
    golden(raised("ValueError", "b"), raises=StatedRaise(type_name="ValueError")),
    golden(ended(Ending.CPU_LIMIT), ends=Ending.CPU_LIMIT),
    golden(
        ended(Ending.ASKED_FOR_MORE, "> ", "x", "> "),
        typing("x"),
        ends=Ending.ASKED_FOR_MORE,
        prints=exactly("> > "),
    ),
    golden(ran("x", status=2), RUN, exit=2),
    golden(ran("x", status=2), RUN, exit_any=True),
    golden(ran("> ", "a", "bye"), typing("a", "b"), reads=1),
    golden(ran("> ", "x", "b"), typing("x"), turns=TWO_TURNS, transcript="> x\nb"),
    golden(called(None, "A\n"), prints=exactly("a\n"), ignore=(Ignore.CASE,)),
    golden(session(did(), did([1, 2])), steps("x = 1", "f()"), shown=("", "[1,\n 2]\n")),
    golden(
        session(did(error="ValueError")), steps("f()"), raises=StatedRaise(type_name="ValueError")
    ),
    golden(session(did(error="ValueError")), steps("f()"), shown=("ValueError\n",)),
]


@pytest.mark.parametrize(("observation", "stated", "stimulus"), AGREE)
def test_a_reference_that_does_what_is_stated(
    observation: Observation, stated: Expected, stimulus: Stimulus
) -> None:
    assert disagreements(observation, expecting(observation, stated), stimulus) == ()


SHEET: list[tuple[StepOutcome, str, bool]] = [
    (did("x"), "'x'\n", True),
    (did("x"), '"x"', True),
    (did("x"), "x\n", False),
    (did(True), "True\n\n\n", True),
    (did(1), "True\n", False),
    (did(None), "", True),
    (did(None), "None\n", False),
    (did(), "", True),
    (did(["--", "-X"]), "['--',\n'-X']\n", True),
    (did(["--", "-X"]), "['--','-X']\n", True),
    (did(["- -"]), "['--']\n", False),
    (did((1,)), "( 1 , )", True),
    (did({1: 2}), "{1 : 2}", True),
    (did(set()), "set()", True),
    (did(float("nan")), "nan", True),
    (did([float("inf")]), "[ inf ]", True),
    (did(False, "Full!\n"), "Full!\nFalse\n", True),
    (did(False, "Full!\n"), "Full!\n\nFalse\n", False),
    (did(False, "Full!\n"), "Full! False\n", False),
    (did(None, "a\n\nb\n\n"), "a\n\nb\n", True),
    (did(None, "a\n\nb\n"), "a\nb\n", False),
    (did(None, "a \n"), "a\n", False),
    (did("r4", "> ", "x", "no\n> ", "r4", ""), "> x\nno\n> r4\n'r4'\n", True),
    (did("r4", "> ", "x", "no\n> ", "r4", ""), "> \nno\n> \n'r4'\n", False),
    (did(error="ValueError"), "Traceback (most recent call last):\n  …\nValueError\n", True),
    (did(error="ValueError"), "Traceback (most recent call last):\n  …\nKeyError\n", False),
    (did(error="ValueError"), "", False),
]


@pytest.mark.parametrize(("outcome", "shown", "agrees"), SHEET)
def test_a_step_as_a_sheet_shows_it(outcome: StepOutcome, shown: str, agrees: bool) -> None:
    assert shows(outcome, shown) is agrees


def test_what_a_sheet_shows_may_forgive_case() -> None:
    assert shows(did(None, "Red wins\n"), "RED WINS\n", (Ignore.CASE,))
    assert not shows(did(None, "Red wins\n"), "RED WINS\n")
