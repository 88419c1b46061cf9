"""A conversation up to where it parts; what is stated of a call or a session must be shown by it,
and by nothing that comes before; where the reference does not do what a scenario states: one
sentence each."""

from dataclasses import replace
from typing import Any

import pytest

from harness.judging.compare.session import shows
from harness.judging.goldens import disagreements
from harness.judging.judge import judge
from harness.judging.side_by_side.differences import MAX_SHARED, MAX_TURN, conversation
from harness.matchers.kinds.combinations import AllOf, NoneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.equal_to import EqualTo
from harness.matchers.kinds.texts import Matches
from harness.matchers.kinds.values import AnyValue, OfType
from harness.model.expectation import (
    Expected,
    Ignore,
    Matcher,
    StatedLeave,
    StatedRaise,
    TextRules,
)
from harness.model.observation import Ending, Observation, Phase, StepOutcome
from harness.model.stimulus import Replies, Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import Conversation, VerdictKind
from harness.stimuli.call import Call
from harness.stimuli.session import Session
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
    some_turns,
    steps,
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
    assert found.compared.differs


def test_a_program_that_ends_too_soon_parts_where_nothing_more_is_typed() -> None:
    reference, observation = ran("> ", "a", "> ", "b", ""), ran("> ", "a", "> ")
    found = parted(reference, observation, "a", "b")
    assert found.shared == turns("> ", "a")
    assert found.expected.typed is not None
    assert found.actual.typed is None


def test_a_program_that_asks_for_more_parts_at_the_end() -> None:
    found = parted(ran("> ", "a", ""), ended(Ending.ASKED_FOR_MORE, "> ", "a", "> "), "a")
    assert (found.expected.printed, found.actual.printed) == ("", "> ")


def test_nothing_parts_where_only_the_value_differs() -> None:
    question = typing("a", stimulus=CALL)
    verdict = judge(called("b", "> ", "a"), expecting(called("a", "> ", "a")), question)
    assert verdict.conversation == Conversation(
        shared=turns("> ", "a", ""), expected=None, actual=None
    )


def test_forgiven_differences_and_matched_turns_do_not_part() -> None:
    stated = Expected(turns=some_turns({0: Contains(text="x")}), ignore=(Ignore.CASE,))
    found = parted(ran("a", "1", "b"), ran("-x-", "1", "B"), "1", stated=stated)
    assert (found.expected, found.actual, found.parts) == (None, None, False)


def test_turns_that_are_held_to_nothing_do_not_part() -> None:
    stated = Expected(turns=some_turns({1: Contains(text="x")}), prints=AnyValue())
    found = parted(ran("a", "1", "x", "2", "b"), ran("-", "1", "y", "2", "-"), *"12", stated=stated)
    assert (found.shared, found.actual.printed) == (turns("-", "1"), "y")
    assert (found.example, found.compared, found.parts) == (True, None, True)
    found = parted(ran("a", "1", "x", "2", "b"), ran("-", "1", "x", "2", "-"), *"12", stated=stated)
    assert (found.expected, found.actual) == (None, None)


def test_a_matcher_of_the_whole_text_parts_no_turn() -> None:
    stated = Expected(prints=Matches(pattern="sorry", words="an apology"))
    reference, observation = ran("> ", "x", "sorry"), ran("Hello: ", "x", "Hello: ")
    verdict = judge(observation, expecting(reference, stated), typing("x"))
    assert verdict.explanation is not None
    assert verdict.explanation.rule == "text_not_matched"
    assert "an apology" in verdict.message
    assert verdict.conversation == Conversation(
        shared=observation.turns, expected=None, actual=None
    )


def test_there_is_none_where_nothing_is_typed_or_nobody_knows_better() -> None:
    assert conversation(called(1, "a"), expecting(called(1, "b")), CALL) is None
    assert conversation(ran("a", "1", "b"), expecting(None), typing("1")) is None


def test_only_a_bounded_part_of_a_long_game_is_kept() -> None:
    one = ["-" * 50_000, "a"] * 40
    found = parted(ran(*one, "bye"), ran(*one, "ciao"), *(["a"] * 40))
    assert sum(len(turn.printed) for turn in found.shared) <= MAX_SHARED + 2 * MAX_TURN
    assert found.shared[0].printed == "[… 35 earlier turns left out …]\n"
    assert found.expected.printed == "bye"


def test_replies_that_depend_on_the_program_are_typed_text_too() -> None:
    stimulus = replace(CALL, replies=Replies(file="r.py", source="", function="halves"))
    found = conversation(called(1, "a"), expecting(called(1, "b")), stimulus)
    assert found.expected.printed == "b"


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
    Phase.GIVEN: "stack = Stack(2), which runs first, raised ValueError: full "
    "(line 3: raise ValueError('full')), so stack.put(1) never ran.",
    Phase.ARGUMENTS: "In stack.put(1), evaluating an argument or the object raised ValueError: "
    "full (line 3: raise ValueError('full')), so the call never ran.",
    Phase.RESULT: "stack.put(1) returned, and ValueError: full was raised only when the "
    "returned value was read (line 3: raise ValueError('full')).",
}


@pytest.mark.parametrize("phase", EXPLAINED)
def test_the_place_of_the_raise_is_named(phase: Phase) -> None:
    verdict = judge(full(phase), expecting(full(Phase.STIMULUS), STATED), PUT)
    assert verdict.message == EXPLAINED[phase]
    (row,) = verdict.differences[0].rows
    assert row.expected.text != row.actual.text


def test_of_many_given_statements_none_is_named() -> None:
    many = replace(PUT, given=GIVEN + "stack.put(0)\n")
    message = judge(full(Phase.GIVEN), expecting(full(Phase.STIMULUS), STATED), many).message
    assert message.startswith("The code before the call raised ValueError: full")


def test_a_session_whose_preparation_raised_did_none_of_its_steps() -> None:
    """Its quiet steps look as if they had been done."""
    verdict = judge(full(Phase.GIVEN), expecting(session(did())), STEPS)
    assert verdict.kind is VerdictKind.FAILED
    assert verdict.message.endswith("so the session never ran.")


@pytest.mark.parametrize("phase", [Phase.GIVEN, Phase.ARGUMENTS])
def test_who_asks_for_more_too_early_has_not_ended_as_stated(phase: Phase) -> None:
    asks = ended(Ending.ASKED_FOR_MORE, "? ")
    stated = Expected(ends=Ending.ASKED_FOR_MORE)
    assert judge(asks, expecting(asks, stated), PUT).kind is VerdictKind.PASSED
    verdict = judge(replace(asks, phase=phase), expecting(asks, stated), PUT)
    assert verdict.kind is VerdictKind.FAILED
    assert verdict.message == ("It ended as it should, but too early: stack.put(1) never ran.")
    assert disagreements(replace(asks, phase=phase), expecting(asks, stated), PUT)


REFERENCE_RAISES = {
    Phase.LOADING: "the reference raised ValueError: full while it was loading.",
    Phase.GIVEN: "the reference raised ValueError: full in a given value, before the call.",
    Phase.ARGUMENTS: "the reference raised ValueError: full in an argument of the call, or in its "
    "object, before the call itself.",
    Phase.RESULT: "the reference raised ValueError: full when the call's result was read, "
    "after the call itself (`list(…)` around the call makes that its own).",
}


@pytest.mark.parametrize("stated", [STATED, Expected()])
@pytest.mark.parametrize("phase", REFERENCE_RAISES)
def test_a_reference_that_raises_elsewhere_is_a_mistake(phase: Phase, stated: Expected) -> None:
    found = disagreements(full(phase), expecting(full(phase), stated), PUT)
    assert found == (REFERENCE_RAISES[phase],)
    assert not disagreements(full(Phase.STIMULUS), expecting(full(Phase.STIMULUS), STATED), PUT)


def test_a_module_that_is_nowhere_is_named_with_the_places_for_it() -> None:
    missing = replace(raised("ModuleNotFoundError", "No module named 'x'"), phase=Phase.LOADING)
    (sentence,) = disagreements(missing, expecting(missing, Expected()), CALL)
    assert "under packages:, your own under provided:" in sentence


LONG = "so " * 60


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        (exactly(f"{LONG}far"), ("near'", "far'")),
        (Matches(pattern=f"{LONG}[f]ar"), ("near'", '[f]ar"')),
        (Contains(text=f"{LONG}far"), ("near'", "far")),
    ],
)
def test_the_difference_in_a_long_value_is_not_cut(stated: Matcher, shown: tuple[str, str]) -> None:
    returned = called(f"{LONG}near")
    (sentence,) = disagreements(returned, expecting(returned, Expected(returns=stated)), CALL)
    has, _, wanted = sentence.partition(", but ")
    assert shown[0] in has
    assert shown[1] in wanted


TWO_TURNS = some_turns({0: exactly("> "), 1: exactly("b")}, all_turns=True)
Golden = tuple[Observation, Expected, Stimulus]


def golden(observation: Observation, stimulus: Stimulus = CALL, **stated: Any) -> Golden:
    """What the reference did, and what a scenario states of it."""
    return observation, Expected(**stated), stimulus


WITHOUT_EQ = Value(
    ValueKind.OBJECT,
    "Link",
    items=(Value.of("== Link(1)"), Value(ValueKind.FOREIGN, "no __eq__")),
)
DISAGREE: dict[str, Golden] = {
    "the reference ran into the limit on CPU time, which the scenario does not state (limits: "
    "{cpu_seconds: 5} allows more).": golden(ended(Ending.CPU_LIMIT)),
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
    "the reference raised URLError: no, which the scenario does not state (programs have no "
    "network: replace the function that uses it in given:).": golden(raised("URLError", "no")),
    "the reference raised TclError: no, which the scenario does not state (programs have no "
    "screen: put your own module instead of turtle under provided:).": golden(
        raised("TclError", "no")
    ),
    "the reference raised FileNotFoundError: no, which the scenario does not state (a program "
    "reads only files that files: names, for one scenario or at the head of a file).": golden(
        raised("FileNotFoundError", "no")
    ),
    "the reference raised FileNotFoundError: no while it was loading (a program reads only files "
    "that files: names, for one scenario or at the head of a file).": golden(
        replace(raised("FileNotFoundError", "no"), phase=Phase.LOADING)
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
    "the reference returned an object of the class Link, which has no __eq__: leave returns out to "
    "compare its public attributes, or call its repr.": golden(
        called(WITHOUT_EQ), returns=EqualTo(expression="Link(1)")
    ),
    "the reference gave no value, but 1 is stated.": golden(ran("x"), RUN, returns=exactly(1)),
    "the reference's value is too large to compare (deep).": golden(
        called(Value(ValueKind.TOO_LARGE, "deep"))
    ),
    "the reference's board afterwards is too large to compare (deep); "
    "write leaves: {board: {any: true}}.": golden(
        replace(called(1, before=(0,)), arguments=(Value(ValueKind.TOO_LARGE, "deep"),))
    ),
    'the reference\'s output first differs at line 2: it is "b", but "c" is stated.': golden(
        called(None, "a\nb\n"), prints=exactly("a\nc\n")
    ),
    'the reference\'s output first differs at line 2: it is "", '
    "but the end of the text is stated.": golden(called(None, "a\n"), prints=exactly("a")),
    'the reference\'s output is "a\\n", but text that contains "b" is stated.': golden(
        called(None, "a\n"), prints=Contains(text="b")
    ),
    "the reference returned 'ab', but anything but text that contains \"b\" is stated.": golden(
        called("ab"),
        returns=AllOf(matchers=(Contains(text="a"), NoneOf(matchers=(Contains(text="b"),)))),
    ),
    'the reference\'s output is "a\\n", but anything but text that contains "a" is stated.': golden(
        called(None, "a\n"), prints=NoneOf(matchers=(Contains(text="b"), Contains(text="a")))
    ),
    'the reference\'s transcript first differs at line 1: it is "> x", '
    'but "> y" is stated.': golden(ran("> ", "x", "b"), typing("x"), transcript="> y\nb"),
    'turn 1, as the reference prints it, first differs at line 1: it is "b", but "> " is stated. '
    "Turn 0 matches: turn 0 is the output before the first input.": golden(
        ran("> ", "a", "b"), typing("a"), turns=some_turns({1: exactly("> ")})
    ),
    'turn 0, as the reference prints it, first differs at line 1: it is ">", but "> " '
    "is stated.": golden(ran(">", "x", "b"), typing("x"), turns=some_turns({0: exactly("> ")})),
    "the reference has 3 turns, but the scenario states 2.": golden(
        ran("> ", "x", "b", "y", "c"), typing("x", "y"), turns=TWO_TURNS
    ),
    "the reference leaves board as [2], but [1] is stated.": golden(
        called(None, before=([1],), after=([2],)),
        leaves=(StatedLeave(name="board", value=exactly([1])),),
    ),
    "the scenario states bord afterwards, but no variable has that name then ({any: true} "
    "ignores a function).": golden(
        called(None), leaves=(StatedLeave(name="bord", value=exactly([1])),)
    ),
    "the reference changes argument 1 to [2].": golden(
        called(None, before=([1],), after=([2],)), leaves_unchanged=True
    ),
    'step 1 (f()): the reference shows "True\\n", but the sheet shows "{unorderd: [1]}\\n". Hint: '
    "did you mean unordered?": golden(
        session(did(True)), steps("f()"), shown=("{unorderd: [1]}\\n",)
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
    found = disagreements(observation, expecting(observation, stated), stimulus)
    assert [str(each) for each in found] == [message]


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
def test_a_reference_agrees(observation: Observation, stated: Expected, stimulus: Stimulus) -> None:
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


def test_text_from_the_sheet_may_forgive_case() -> None:
    assert shows(did(None, "Red wins\n"), "RED WINS\n", TextRules(ignore=(Ignore.CASE,)))
    assert not shows(did(None, "Red wins\n"), "RED WINS\n")
