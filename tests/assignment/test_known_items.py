"""The items of lists and similar, read from text: parameters of tests and rounds of loops."""

import ast

import pytest

from harness.assignment.known_items import known_items, values_of_names

KNOWN = {
    "[1, (2, 3), 'a']": ["1", "2, 3", "'a'"],
    "(1, 2)": ["1", "2"],
    "{'a': 1, 'b': f(2)}": ["'a'", "'b'"],
    "{'a': 1, 'b': f(2)}.items()": ["'a', 1", "'b', f(2)"],
    "range(3)": ["0", "1", "2"],
    "range(2, -1, -2)": ["2", "0"],
    "list(range(2))": ["0", "1"],
    "tuple([f(1), 2])": ["f(1)", "2"],
    "enumerate([5, 6])": ["0, 5", "1, 6"],
    "zip([1, 2], (3, 4, 5))": ["1, 3", "2, 4"],
    "sorted({3, 1, 2})": ["1", "2", "3"],
    "CASES": ["1, 2", "3"],
    "TABLE.items()": ["'x', 1"],
    "list(TABLE)": ["'x'"],
    "ALIAS": ["1, 2", "3"],
}
UNKNOWN = (
    *("[1, *more]", "{**more}", "{1, 2}", "f()", "range(n)", "range(10**6)", "sorted(names)"),
    *("sorted([1, 'a'])", "enumerate(f())", "enumerate([1], 1)", "NONE", "GROWN", "SET", "TWICE"),
    *("LOOP", "'ab'", "zip()"),
)
MODULE = """
CASES = [(1, 2), 3]
TABLE: dict[str, int] = {"x": 1}
ALIAS = CASES
GROWN = [1]
GROWN.append(2)
SET = [1]
SET[0] = 2
TWICE = [1]
if CASES:
    TWICE = [1, 2]
LOOP = OTHER
OTHER = LOOP
"""
VALUES = values_of_names(ast.parse(MODULE).body)


@pytest.mark.parametrize("text", KNOWN)
def test_items_listed_in_the_text_are_known(text: str) -> None:
    assert known_items(ast.parse(text, mode="eval").body, VALUES) == KNOWN[text]


@pytest.mark.parametrize("text", UNKNOWN)
def test_items_that_only_a_run_can_say_are_not_guessed(text: str) -> None:
    assert known_items(ast.parse(text, mode="eval").body, VALUES) is None
