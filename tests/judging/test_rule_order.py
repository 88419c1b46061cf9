"""Every rule: what it fires on, the sentence it says, what it leaves to others, and in which order
the rules are tried."""

import pytest

from harness.judging.explain import rules
from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import explain, registered_rules
from harness.model.explanation.sentences import own_words
from harness.model.observation import Ending, Observation, Phase
from harness.model.values import Value, ValueKind
from harness.model.verdict import rule_in_words
from tests.conftest import Added
from tests.judging import (
    rule_cases_figures,
    rule_cases_files,
    rule_cases_tests,
    rule_cases_texts,
    rule_cases_values,
)
from tests.judging.judging_cases import (
    BY_NAME,
    CALL,
    called,
    case,
    ended,
    prints,
    raised,
    ran,
    returns,
    typing,
)

TABLES = (
    rule_cases_figures,
    rule_cases_files,
    rule_cases_values,
    rule_cases_texts,
    rule_cases_tests,
)
FIRES = [
    (rule, failure, message)
    for table in TABLES
    for rule, sentences in table.FIRES.items()
    for message, cases in sentences.items()
    for failure in (cases if isinstance(cases, list) else [cases])
] + [
    ("only_whitespace", prints(expected, actual), rule_cases_texts.SPACE_DIFFERS.format(what))
    for expected, actual, what in rule_cases_texts.SPACING
]
LEAVES_ALONE = [
    (rule, failure)
    for table in TABLES
    for rule, failures in table.LEAVES_ALONE.items()
    for failure in failures
]
# Each reason, and the rules that apply to some of its cases as well.
ORDER = {
    "ran_at_import": "did_not_end raised_unexpectedly",
    "did_not_ask_for_input": "did_not_end cut_short stopped_early",
    "takes_too_long": "did_not_end",
    "test_stopped": "did_not_end printed_without_end crashed",
    "raised_in_test": "test_failed",
    "recursed_too_deep": "raised_unexpectedly",
    "called_exit": "raised_unexpectedly",
    "raised_unexpectedly": "nothing_printed",
    "asked_for_more": "unexpected_output",
    "printed_off_by_one_column": "line_differs",
    "printed_rows_and_columns_swapped": "text_differs",
    "board_shown_twice": "asked_for_more line_too_many board_shown_unasked",
    "board_not_shown": "line_missing",
    "board_shown_unasked": "line_too_many",
    "printed_instead_of_returned": "returned_none unexpected_output",
    "returned_instead_of_printed": "wrong_value",
    "argument_not_changed": "wrong_type returned_none",
    "returned_none": "wrong_value",
    "returned_a_function": "wrong_type",
    "too_large": "wrong_type",
    "wrong_type": "wrong_value",
    "only_whitespace": "line_differs line_missing wrong_value",
    "windows_line_ends": "only_whitespace",
    "looks_alike": "line_differs wrong_value only_whitespace",
    "only_case": "line_differs wrong_value",
    "stopped_early": "line_missing",
    "prompt_differs": "line_differs",
    "lines_run_together": "only_whitespace",
    "file_should_stay": "only_whitespace file_not_written file_written_elsewhere file_differs",
    "file_not_closed": "only_whitespace",
    "folder_is_read_only": "raised_unexpectedly wrong_exception",
    "wrong_value": "unexpected_output differs",
    "line_too_many": "text_differs",
}


@pytest.mark.parametrize(
    ("reason", "other"), [(reason, other) for reason in ORDER for other in ORDER[reason].split()]
)
def test_the_more_specific_rule_is_the_reason(reason: str, other: str) -> None:
    reasons = {
        explain(failure).rule
        for rule, failure, _ in FIRES
        if rule == reason and BY_NAME[other](failure) is not None
    }
    assert reasons == {reason}


def ends_in(*parts: str) -> Observation:
    """The program asks for more than there is."""
    return ended(Ending.ASKED_FOR_MORE, *parts)


def crashes(*parts: str) -> Observation:
    """The program raises in the end."""
    return raised("ValueError", "no", line=18, source="int(text)", parts=parts)


GAME = ran("> ", "a", "Player 2 to move\n> ", "b", "Player 1 wins\nAgain? ", "n", "bye\n")
MOVES = typing("a", "b", "n")
WON = ("b", "Player 1 wins\nAgain? ")
RIGHT, WRONG = ("> ", "a", "Player 2 to move\n> "), ("> ", "a", "Player 1 to move\n> ")


@pytest.mark.parametrize(
    ("observation", "rule", "later"),
    [
        (ends_in(*WRONG, *WON, "n", "> "), "line_differs", "asked_for_more"),
        (ran(*WRONG, "b", "Player 1 wins\n"), "line_differs", "stopped_early"),
        (crashes(*WRONG, "b", "Player 1 wins\n"), "line_differs", "raised_unexpectedly"),
        (ended(Ending.CPU_LIMIT, *WRONG, "b", "Pl"), "line_differs", "did_not_end"),
        # In the turn in which it ends, too.
        (ran("> ", "a", "> "), "line_missing", "stopped_early"),
        (ran(*RIGHT, "b", "Player 2 wins\n"), "text_differs", "stopped_early"),
        (crashes(*RIGHT, "b", "Player 2 wins\n"), "text_differs", "raised_unexpectedly"),
    ],
)  # fmt: skip
def test_the_earlier_difference_on_the_screen_comes_first(
    observation: Observation, rule: str, later: str
) -> None:
    found = explain(case(GAME, observation, MOVES))
    assert found.later is not None
    assert (found.rule, found.later.rule) == (rule, later)
    first, _, second = found.message.partition(" Later, ")
    assert first == own_words(found.facts)
    assert second[:1].upper() + second[1:] == own_words(found.later.facts)


@pytest.mark.parametrize(
    ("rule", "observation"),
    [
        ("asked_for_more", ends_in(*RIGHT, "b", "Player 1 wins\nAgain? ", "n", "bye\nhm\n> ")),
        ("stopped_early", ran(*RIGHT, "b", "Player 1 wins\n")),
        ("raised_unexpectedly", crashes(*RIGHT, "b", "Player 1 wins\n")),
        ("raised_unexpectedly", crashes(*RIGHT, "b", "Player 1 wi")),
        ("did_not_end", ended(Ending.CPU_LIMIT, *RIGHT, "b", "Player 2")),
        ("did_not_ask_for_input", ran("Player 1 to move\n")),
        ("cut_short", ended(Ending.STOPPED_EARLY, *WRONG, "b", "")),
        ("tampered", ended(Ending.TAMPERED, *WRONG, "b", "")),
        ("ran_at_import", ended(Ending.CPU_LIMIT, *WRONG, "b", "", phase=Phase.LOADING)),
    ],
)
def test_an_unusual_ending_is_explained_without_a_second_rule(
    rule: str, observation: Observation
) -> None:
    stimulus = CALL if observation.phase is Phase.LOADING else MOVES
    found = explain(case(GAME, observation, stimulus))
    assert found.rule == rule
    assert "Later" not in found.message


def test_every_rule_has_its_own_name_and_purpose() -> None:
    assert len(BY_NAME) == len(registered_rules())
    assert all(rule.words for rule in registered_rules())


TOY = """
from harness.judging.explain.rules import Stage, rule

@rule(Stage.KNOWN_MISTAKE, 25, "returns a fruit")
def returned_a_banana(failure):
    "A fruit came back."
    pair = failure.exact_return
    return failure.says("returned a fruit") if pair and pair[1].text == "banana" else None
"""


def test_a_new_rule_is_one_new_file(added: Added) -> None:
    added(rules, "fruit", TOY)
    assert explain(returns("apple", "banana")).rule == "returned_a_banana"
    assert explain(returns("apple", "plum")).rule == "wrong_value"
    assert rule_in_words("returned_a_banana") == "returns a fruit"
    assert explain(case(called(True), called(None, "True\n"))).rule == "printed_instead_of_returned"
    names = [rule.name for rule in registered_rules()]
    place = names.index("returned_a_banana")
    assert names[place - 1 : place + 2 : 2] == [
        "printed_instead_of_returned",
        "returned_instead_of_printed",
    ]


SECOND = """
from harness.judging.explain.rules import Stage, rule

@rule(Stage.ENDING, 60, "has the place of another rule")
def second(failure):
    return None
"""


def test_two_rules_cannot_have_one_place(added: Added) -> None:
    added(rules, "second", SECOND)
    with pytest.raises(ValueError, match="the place of second is taken"):
        registered_rules()


def test_a_sentence_is_one_printable_line() -> None:
    hostile = "\x1b[31m\u202e\u2028\n\x07" * 2000
    observations = [
        called(hostile),
        called([hostile]),
        called(None, hostile),
        called(Value(ValueKind.FOREIGN, hostile)),
        called(Value(ValueKind.FUNCTION, hostile)),
        called(Value(ValueKind.TOO_LARGE, hostile)),
        raised(hostile, hostile, line=1, source=hostile),
        raised("TypeError", f"takes {hostile} arguments"),
        ended(Ending.MISSING, detail=hostile),
        ended(Ending.CRASHED, detail=hostile),
        ended(Ending.OUTPUT_LIMIT, hostile),
        ended(Ending.ASKED_FOR_MORE, hostile, hostile, hostile),
    ]
    for reference in (called("x", "y\n"), called(None, "a\nb\n"), called([1, 2]), called(True)):
        for observation in observations:
            message = explain(case(reference, observation)).message
            assert message.isprintable()
            assert len(message) < 1000


@pytest.mark.parametrize(("rule", "failure", "message"), FIRES)
def test_a_rule_fires_with_its_message(rule: str, failure: Failure, message: str) -> None:
    found = BY_NAME[rule](failure)
    assert found is not None
    assert (found if isinstance(found, str) else own_words(found)) == message


@pytest.mark.parametrize(("rule", "failure"), LEAVES_ALONE)
def test_a_rule_does_not_fire_for_its_neighbours(rule: str, failure: Failure) -> None:
    assert BY_NAME[rule](failure) is None


def test_every_rule_stands_in_both_tables() -> None:
    fires = {rule for rule, _, _ in FIRES}
    alone = {rule for rule, _ in LEAVES_ALONE} | {"differs"}  # the last resort leaves nothing
    assert fires == set(BY_NAME)
    assert alone == set(BY_NAME)


def test_a_case_must_fail_to_be_one() -> None:
    with pytest.raises(AssertionError, match="as expected"):
        case(called(1), called(1), CALL)
