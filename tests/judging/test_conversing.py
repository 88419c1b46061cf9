"""A terminal scenario up to the turn where it parts."""

from __future__ import annotations

from dataclasses import replace

from harness.judging import judge
from harness.judging.differences import LONGEST_SHARED, LONGEST_TURN, conversation
from harness.matchers import AnyValue, Contains, Matches
from harness.model.expectation import Expected, Ignore, StatedTurn, StatedTurns
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Replies
from harness.model.verdict import Conversation
from tests.judging.judging_cases import CALL, called, ended, expecting, ran, turns, typing


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
