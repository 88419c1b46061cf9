"""Where the reference does not do what a scenario states: one sentence each."""

from __future__ import annotations

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

DISAGREE: list[tuple[Observation, Expected, Stimulus, str]] = [
    (
        ended(Ending.CPU_LIMIT),
        Expected(),
        CALL,
        "the reference ran into the limit on CPU time, which the scenario does not state.",
    ),
    (
        ended(Ending.ASKED_FOR_MORE, "> "),
        Expected(),
        CALL,
        "the reference asked for more input than the scenario has, "
        "which the scenario does not state.",
    ),
    (
        ended(Ending.MISSING, detail="chek_input", phase=Phase.LOADING),
        Expected(),
        CALL,
        "the reference does not define a function that is needed (chek_input) "
        "while it was loading, which the scenario does not state.",
    ),
    (
        called(1),
        Expected(ends=Ending.ASKED_FOR_MORE),
        CALL,
        "the reference answered, but the scenario states that it ends with asked_for_more.",
    ),
    (
        raised("NameError", "name 'chek' is not defined"),
        Expected(),
        CALL,
        "the reference raised NameError: name 'chek' is not defined, "
        "which the scenario does not state.",
    ),
    (
        called(1),
        Expected(raises=StatedRaise(type_name="ValueError")),
        CALL,
        "the scenario states ValueError, but the reference raised nothing.",
    ),
    (
        raised("KeyError"),
        Expected(raises=StatedRaise(type_name="ValueError")),
        CALL,
        "the reference raised KeyError, but the scenario states ValueError.",
    ),
    (
        raised("ValueError", "b"),
        Expected(raises=StatedRaise(type_name="ValueError", message=exactly("a"))),
        CALL,
        "the reference raised ValueError: b, but the scenario states ValueError with 'a'.",
    ),
    (
        ran("> ", "a", "bye"),
        Expected(),
        typing("a", "b", "c"),
        "the reference left 2 inputs of 3 unread.",
    ),
    (
        ran("> ", "a", "bye"),
        Expected(reads=2),
        typing("a"),
        "the reference read 1 input, but the scenario states 2.",
    ),
    (
        ran("x", status=2),
        Expected(),
        RUN,
        "the reference ended with status 2, which the scenario does not state.",
    ),
    (
        ran("x"),
        Expected(exit=1),
        RUN,
        "the reference ended with status 0, but the scenario states 1.",
    ),
    (
        called(True),
        Expected(returns=exactly(1)),
        CALL,
        "the reference returned True, but 1 is stated.",
    ),
    (
        called("x"),
        Expected(returns=OfType(name="int")),
        CALL,
        "the reference returned 'x', but an int is stated.",
    ),
    (
        ran("x"),
        Expected(returns=exactly(1)),
        RUN,
        "the reference gave no value, but 1 is stated.",
    ),
    (
        called(Value(ValueKind.TOO_LARGE, "deep")),
        Expected(),
        CALL,
        "the reference's value is too large to compare (deep).",
    ),
    (
        called(None, "a\nb\n"),
        Expected(prints=exactly("a\nc\n")),
        CALL,
        'what the reference prints differs from line 2: it is "b", but "c" is stated.',
    ),
    (
        called(None, "a\n"),
        Expected(prints=exactly("a")),
        CALL,
        'what the reference prints differs from line 2: it is "", '
        "but the end of the text is stated.",
    ),
    (
        called(None, "a\n"),
        Expected(prints=Contains(text="b")),
        CALL,
        'what the reference prints is "a\\n", but text that contains "b" is stated.',
    ),
    (
        called("ab"),
        Expected(
            returns=AllOf(matchers=(Contains(text="a"), NoneOf(matchers=(Contains(text="b"),))))
        ),
        CALL,
        "the reference returned 'ab', but anything but text that contains \"b\" is stated.",
    ),
    (
        called(None, "a\n"),
        Expected(prints=NoneOf(matchers=(Contains(text="b"), Contains(text="a")))),
        CALL,
        'what the reference prints is "a\\n", but anything but text that contains "a" is stated.',
    ),
    (
        ran("> ", "x", "b"),
        Expected(transcript="> y\nb"),
        typing("x"),
        'the reference\'s transcript differs from line 1: it is "> x", but "> y" is stated.',
    ),
    (
        ran(">", "x", "b"),
        Expected(turns=FIRST_TURN),
        typing("x"),
        'turn 0, as the reference prints it, differs from line 1: it is ">", but "> " is stated.',
    ),
    (
        ran("> ", "x", "b", "y", "c"),
        Expected(turns=TWO_TURNS),
        typing("x", "y"),
        "the reference has 3 turns, but the scenario states 2.",
    ),
    (
        called(None, before=([1],), after=([2],)),
        Expected(leaves=(StatedLeave(name="board", value=exactly([1])),)),
        CALL,
        "the reference leaves board as [2], but [1] is stated.",
    ),
    (
        called(None),
        Expected(leaves=(StatedLeave(name="bord", value=exactly([1])),)),
        CALL,
        "the scenario states bord afterwards, but there is no such name.",
    ),
    (
        called(None, before=([1],), after=([2],)),
        Expected(leaves_unchanged=True),
        CALL,
        "the reference changes argument 1 to [2].",
    ),
    (
        session(did(True)),
        Expected(shown=("False\n",)),
        steps("f()"),
        'step 1 (f()): the reference shows "True\\n", but the sheet shows "False\\n".',
    ),
    (
        session(did(error="NameError")),
        Expected(),
        steps("f()"),
        "step 1 (f()): the reference raised NameError, which is not stated.",
    ),
    (
        session(did(1)),
        Expected(shown=("1\n", "2\n")),
        steps("f()", "g()"),
        "the reference ran 1 step of 2.",
    ),
]


@pytest.mark.parametrize(("observation", "stated", "stimulus", "message"), DISAGREE)
def test_a_disagreement_is_one_sentence(
    observation: Observation, stated: Expected, stimulus: Stimulus, message: str
) -> None:
    assert disagreements(observation, expecting(observation, stated), stimulus) == (message,)


AGREE: list[tuple[Observation, Expected, Stimulus]] = [
    (called(1, "x"), Expected(), CALL),
    (called(1, "x\n"), Expected(returns=exactly(1), prints=exactly("x\n")), CALL),
    (raised("ValueError", "b"), Expected(raises=StatedRaise(type_name="ValueError")), CALL),
    (ended(Ending.CPU_LIMIT), Expected(ends=Ending.CPU_LIMIT), CALL),
    (
        ended(Ending.ASKED_FOR_MORE, "> ", "x", "> "),
        Expected(ends=Ending.ASKED_FOR_MORE, prints=exactly("> > ")),
        typing("x"),
    ),
    (ran("x", status=2), Expected(exit=2), RUN),
    (ran("x", status=2), Expected(exit_any=True), RUN),
    (ran("> ", "a", "bye"), Expected(reads=1), typing("a", "b")),
    (ran("> ", "x", "b"), Expected(turns=TWO_TURNS, transcript="> x\nb"), typing("x")),
    (called(None, "A\n"), Expected(prints=exactly("a\n"), ignore=(Ignore.CASE,)), CALL),
    (session(did(), did([1, 2])), Expected(shown=("", "[1,\n 2]\n")), steps("x = 1", "f()")),
    (
        session(did(error="ValueError")),
        Expected(raises=StatedRaise(type_name="ValueError")),
        steps("f()"),
    ),
    (session(did(error="ValueError")), Expected(shown=("ValueError\n",)), steps("f()")),
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
