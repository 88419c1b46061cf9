"""Every rule: what it fires on, the sentence it says, and what it leaves to others."""

from __future__ import annotations

import pytest

from harness.judging.explain.failure import Failure
from tests.judging import (
    rule_cases_classes,
    rule_cases_files,
    rule_cases_process,
    rule_cases_texts,
    rule_cases_values,
)
from tests.judging.judging_cases import BY_NAME, CALL, called, case, sentence
from tests.judging.rule_cases_texts import SPACING

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
