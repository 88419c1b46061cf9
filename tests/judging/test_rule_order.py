"""Every rule: what it fires on, the sentence it says, what it leaves to others, and in which order
the rules are tried.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.judging.explain import rules
from harness.judging.explain.failure import Failure
from harness.judging.explain.rules import explain, registered_rules
from harness.model.observation import Ending, Phase
from harness.model.values import Value, ValueKind
from harness.model.verdict import rule_in_words
from tests.judging import (
    rule_cases_classes,
    rule_cases_files,
    rule_cases_process,
    rule_cases_texts,
    rule_cases_values,
)
from tests.judging.judging_cases import (
    BY_NAME,
    CALL,
    called,
    case,
    ended,
    raised,
    ran,
    sentence,
    session,
    step,
    steps,
    typing,
)
from tests.judging.rule_cases_files import IN_A_FOLDER, REPORT, denied, stays, wrote
from tests.judging.rule_cases_texts import SPACING

EMPTY = ["---", "---", "---"]
PLACED = ["--X", "---", "---"]
BOARD = "|-|-|-|\n|-|-|-|\n|X|-|-|\n 1 2 3 \n"
MOVED = "|-|-|-|\n|-|-|-|\n|-|X|-|\n 1 2 3 \n"
TURNED = "|-|-|X|\n|-|-|-|\n|-|-|-|\n 1 2 3 \n"
ASK = "Player 1 to move\nMove: "

ORDER: list[tuple[str, str, Failure]] = [
    # the reason, a rule that applies as well, the case
    (
        "ran_at_import",
        "did_not_end",
        case(called(1), ended(Ending.CPU_LIMIT, phase=Phase.LOADING)),
    ),
    (
        "ran_at_import",
        "raised_unexpectedly",
        case(called(1), raised("ValueError", line=1, source="x", phase=Phase.LOADING)),
    ),
    (
        "did_not_ask_for_input",
        "did_not_end",
        case(ran("> ", "a", ""), ended(Ending.CPU_LIMIT), typing("a")),
    ),
    (
        "did_not_ask_for_input",
        "cut_short",
        case(ran("> ", "a", ""), ended(Ending.STOPPED_EARLY), typing("a")),
    ),
    (
        "did_not_ask_for_input",
        "stopped_early",
        case(called("a", "> ", "a", ""), called(None), typing("a")),
    ),
    ("recursed_too_deep", "raised_unexpectedly", case(called(1), raised("RecursionError"))),
    ("called_exit", "raised_unexpectedly", case(called(1), raised("SystemExit"))),
    (
        "raised_unexpectedly",
        "nothing_printed",
        case(called(1, "x\n"), raised("ValueError", line=1, source="int('x')")),
    ),
    (
        "asked_for_more",
        "unexpected_output",
        case(
            ran("Again? ", "", ""),
            ended(Ending.ASKED_FOR_MORE, "Again? ", "", BOARD + ASK),
            typing(""),
        ),
    ),
    (
        "board_shown_twice",
        "asked_for_more",
        case(
            ran(BOARD + ASK, "a1", "bye"),
            ended(Ending.ASKED_FOR_MORE, BOARD + BOARD + ASK, "a1", ASK),
            typing("a1"),
        ),
    ),
    (
        "printed_off_by_one_column",
        "line_differs",
        case(called(None, BOARD), called(None, MOVED)),
    ),
    (
        "printed_rows_and_columns_swapped",
        "text_differs",
        case(called(None, BOARD), called(None, TURNED)),
    ),
    ("board_shown_twice", "line_too_many", case(called(None, BOARD), called(None, BOARD * 2))),
    (
        "board_shown_twice",
        "board_shown_unasked",
        case(called(None, BOARD), called(None, BOARD * 2)),
    ),
    ("board_not_shown", "line_missing", case(called(None, "a\n" + BOARD), called(None, "a\n"))),
    (
        "board_shown_unasked",
        "line_too_many",
        case(called(None, "a\n"), called(None, BOARD + "a\n")),
    ),
    ("printed_instead_of_returned", "returned_none", case(called(True), called(None, "True\n"))),
    (
        "printed_instead_of_returned",
        "unexpected_output",
        case(called(True), called(None, "True\n")),
    ),
    (
        "returned_instead_of_printed",
        "wrong_value",
        case(called(None, "a\n"), called("a\n")),
    ),
    (
        "argument_not_changed",
        "wrong_type",
        case(called(True, before=(EMPTY,), after=(PLACED,)), called(PLACED, before=(EMPTY,))),
    ),
    (
        "argument_not_changed",
        "returned_none",
        case(called(True, before=(EMPTY,), after=(PLACED,)), called(None, before=(EMPTY,))),
    ),
    (
        "returned_none",
        "wrong_value",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(None, before=(EMPTY,), after=(PLACED,)),
        ),
    ),
    (
        "returned_a_function",
        "wrong_type",
        case(called(1), called(Value(ValueKind.FUNCTION, "f"))),
    ),
    ("too_large", "wrong_type", case(called(1), called(Value(ValueKind.TOO_LARGE, "deep")))),
    ("wrong_type", "wrong_value", case(called(True), called(1))),
    ("only_whitespace", "line_differs", case(called(None, " 1 2 "), called(None, "1 2"))),
    ("only_whitespace", "line_missing", case(called(None, "a\n\nb"), called(None, "a\nb"))),
    ("only_whitespace", "wrong_value", case(called("a b"), called("ab"))),
    ("windows_line_ends", "only_whitespace", case(called(None, "a\n"), called(None, "a\r\n"))),
    ("only_case", "line_differs", case(called(None, "A"), called(None, "a"))),
    ("only_case", "wrong_value", case(called("A"), called("a"))),
    (
        "stopped_early",
        "line_missing",
        case(ran("> ", "a", "b\n> ", "n", ""), ran("> ", "a", "> "), typing("a", "n")),
    ),
    (
        "prompt_differs",
        "line_differs",
        case(ran("> ", "a", ""), ran(": ", "a", ""), typing("a")),
    ),
    (
        "lines_run_together",
        "only_whitespace",
        case(REPORT, wrote(report="a: 1b: 2"), IN_A_FOLDER),
    ),
    ("file_should_stay", "only_whitespace", stays(**{"in": "a\nb"})),
    (
        "file_not_closed",
        "only_whitespace",
        case(wrote(report="\n"), wrote(report="", left_open=("report.txt",)), IN_A_FOLDER),
    ),
    ("folder_is_read_only", "raised_unexpectedly", case(called(None), denied("/x"))),
    ("folder_is_read_only", "wrong_exception", case(raised("ValueError"), denied("/x"))),
    ("file_should_stay", "file_not_written", stays()),
    ("file_should_stay", "file_written_elsewhere", stays(other="a\nb\n")),
    ("file_should_stay", "file_differs", stays(**{"in": ""})),
    ("wrong_value", "unexpected_output", case(called(1), called(2, "debug\n"))),
    ("line_too_many", "text_differs", case(called("a\nc"), called("a\nb\nc"))),
    (
        "wrong_value",
        "differs",
        case(session(step(1), step(2)), session(step(3), step(None)), steps("f()", "g()")),
    ),
]


@pytest.mark.parametrize(("reason", "other", "one"), ORDER)
def test_the_more_specific_rule_is_the_reason(reason: str, other: str, one: Failure) -> None:
    assert BY_NAME[other](one) is not None
    assert explain(one).rule == reason


def test_every_rule_has_its_own_name_and_says_what_it_is_for() -> None:
    assert len(BY_NAME) == len(registered_rules())
    assert all(rule.explain.__doc__ and rule.words for rule in registered_rules())


TOY = """
from harness.judging.explain.rules import Stage, rule

@rule(Stage.KNOWN_MISTAKE, 25, "returns a fruit")
def returned_a_banana(failure):
    "A fruit came back."
    pair = failure.exact_return
    return failure.says("returned a fruit") if pair and pair[1].text == "banana" else None
"""


@pytest.fixture
def toy_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "fruit.py").write_text(TOY, encoding="utf-8")
    monkeypatch.setattr(rules, "__path__", [*rules.__path__, str(tmp_path)])
    registered_rules.cache_clear()
    request.addfinalizer(lambda: sys.modules.pop(f"{rules.__name__}.fruit", None))
    request.addfinalizer(registered_rules.cache_clear)


@pytest.mark.usefixtures("toy_rule")
def test_a_new_rule_is_one_new_file() -> None:
    assert explain(case(called("apple"), called("banana"))).rule == "returned_a_banana"
    assert explain(case(called("apple"), called("plum"))).rule == "wrong_value"
    assert rule_in_words("returned_a_banana") == "returns a fruit"
    assert explain(case(called(True), called(None, "True\n"))).rule == "printed_instead_of_returned"
    names = [one.name for one in registered_rules()]
    place = names.index("returned_a_banana")
    assert names[place - 1 : place + 2 : 2] == [
        "printed_instead_of_returned",
        "returned_instead_of_printed",
    ]


def test_two_rules_cannot_have_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[f"{rules.__name__}.endings"]
    second = rules.rule(rules.Stage.ENDING, 60, "")(lambda failure: None)
    monkeypatch.setattr(module, "second", second, raising=False)
    with pytest.raises(ValueError, match="the place of second is taken"):
        registered_rules.__wrapped__()


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


TABLES = (
    rule_cases_process,
    rule_cases_classes,
    rule_cases_files,
    rule_cases_values,
    rule_cases_texts,
)
FIRES = [row for table in TABLES for row in table.FIRES]
LEAVES_ALONE = [row for table in TABLES for row in table.LEAVES_ALONE]


@pytest.mark.parametrize(("rule", "one", "message"), FIRES)
def test_a_rule_fires_and_says(rule: str, one: Failure, message: str) -> None:
    assert sentence(rule, one) == message


@pytest.mark.parametrize(("rule", "one"), LEAVES_ALONE)
def test_a_rule_leaves_its_neighbours_alone(rule: str, one: Failure) -> None:
    assert sentence(rule, one) is None


@pytest.mark.parametrize(("expected", "actual", "what"), SPACING)
def test_white_space_is_named_and_placed(expected: str, actual: str, what: str) -> None:
    one = case(called(None, expected), called(None, actual))
    message = f"Only white space differs in what it prints: {what}."
    assert sentence("only_whitespace", one) == message


def test_every_rule_stands_in_both_tables() -> None:
    fires = {rule for rule, _, _ in FIRES} | {"only_whitespace"}
    alone = {rule for rule, _ in LEAVES_ALONE} | {"differs"}  # the last resort leaves nothing
    assert fires == set(BY_NAME)
    assert alone == set(BY_NAME)


def test_a_case_must_fail_to_be_one() -> None:
    with pytest.raises(AssertionError, match="as expected"):
        case(called(1), called(1), CALL)
