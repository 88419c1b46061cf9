"""Floats inside texts: which are near enough, and where the first difference is."""

import re

import pytest

from harness.judging.side_by_side.comparison import compare_texts
from harness.matchers.comparison import contains_text, same_text
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import HasNumber, HasNumbers, LinesUnordered
from harness.matchers.kinds.values import Exactly
from harness.matchers.numbers import numbers_in
from harness.model.expectation import Floats, Ignore, TextRules
from harness.model.values import Value
from harness.model.verdict import Channel
from tests.shipped import ROOT

NEAR = TextRules(within=0.01)
SPACED = TextRules(ignore=(Ignore.WHITESPACE,))
_ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \| (yes|no) \|", re.MULTILINE)
DOCUMENTED = _ROW.findall((ROOT / "docs" / "writing-scenarios.md").read_text())


@pytest.mark.parametrize(("expected", "printed", "answer"), DOCUMENTED)
def test_the_documented_forms_are_the_same_or_not(expected: str, printed: str, answer: str) -> None:
    assert same_text(expected, printed, NEAR) is (answer == "yes")


def test_the_table_is_found() -> None:
    assert len(DOCUMENTED) >= 20


@pytest.mark.parametrize(
    ("expected", "printed", "is_same"),
    [
        ("Name  Share\nAda    0.50\n", "Name  Share\nAda   0.499\n", True),
        ("Name  Share\nAda    0.50\n", "Name  Share\nAda     0.499\n", False),
        ("Name  Share\nAda  0.50  x\n", "Name  Share\nAda  0.499 x\n", True),
        ("0.5\n", "0.5", False),
        ("0.5\n1.5\n", "0.5\n\n1.5\n", False),
        ("(1.5+2.5j)", "(1.501+2.5j)", True),
        ("2026-11-28", "2026-11-29", False),
        ("1e999", "2e999", False),
        ("x = 0.333333", "x = 0.333333333333", True),
        ("3.0" * 2, "3.0" * 3, False),
    ],
)
def test_floats_in_text_are_compared(expected: str, printed: str, is_same: bool) -> None:
    assert same_text(expected, printed, NEAR) is is_same


@pytest.mark.parametrize(
    ("expected", "printed", "is_same"),
    [
        ("a b\n", "a   \t b  \n", True),
        ("a b\n", "  a b", True),
        ("a b\n", "\n\na b\n\n", True),
        ("a\n\nb\n", "a\nb\n", False),
        ("a b\n", "ab\n", False),
        ("a b\n", "a\nb\n", False),
        ("a b\n", "a\u00a0b\n", True),
        ("", " \n", True),
    ],
)
def test_the_number_of_blanks_is_forgiven(expected: str, printed: str, is_same: bool) -> None:
    assert same_text(expected, printed, SPACED) is is_same
    assert LinesUnordered(lines=("b", "a x")).accepts_text("a   x\nb", SPACED)


def test_numbers_of_a_text() -> None:
    assert [number.value for number in numbers_in("4 of 12 in 1.5s, -2 of x1 on 1.2.3.")] == [
        *(4, 12, 1.5, -2),
    ]


@pytest.mark.parametrize(
    ("matcher", "text", "is_accepted"),
    [
        (HasNumber(number="1.67", within=0.01), "mean 1.666", True),
        (HasNumber(number="1.67", within=0.01), "mean 1.65", False),
        (HasNumber(number="2.0", within=0.01), "2 of them", True),
        (HasNumber(number="1.67", within=0.01), "nan", False),
        (HasNumber(number="-5.5", within=0.5), "5.5", False),
        (HasNumbers(numbers=(2.0, -4.0)), "x1 = 2.0, x2 = -4.0", True),
        (HasNumbers(numbers=(2.0, -4.0)), "x1 = -4.0, x2 = 2.0", False),
        (HasNumbers(numbers=(2.0, -4.0), unordered=True), "x1 = -4.0, x2 = 2.0", True),
        (HasNumbers(numbers=(2.0, 2.0), unordered=True), "2.0", False),
        (HasNumbers(numbers=(1.0, 1.02), within=0.011, unordered=True), "1.01, 1.0", True),
    ],
)
def test_a_matcher_finds_numbers_in_a_text(
    matcher: HasNumber, text: str, is_accepted: bool
) -> None:
    assert matcher.accepts_text(text) is is_accepted


def test_a_tolerance_in_text_reaches_the_matchers() -> None:
    assert HasNumber(number="1.67").accepts_text("mean 1.666", NEAR)
    assert not HasNumber(number="2").accepts_text("2.001", NEAR)
    assert Contains(text="mean is 1.67").accepts_text("The mean is 1.666.", NEAR)
    assert not contains_text("mean 1.67", "median 1.666", NEAR)
    assert LinesUnordered(lines=("a 1.5", "b 2.5")).accepts_text("b 2.501\na 1.5\n", NEAR)
    near, exact = Floats(within=0.01, in_text=True), Floats(within=0.01)
    value, other = Value.of(["mean 1.67"]), Value.of(["mean 1.666"])
    assert Exactly(value=value, floats=near).accepts(other)
    assert not Exactly(value=value, floats=exact).accepts(other)


def test_a_near_float_is_shown_as_printed_and_not_as_a_difference() -> None:
    shown = compare_texts(Channel.PRINTS, "", "a 1.50\nb 2.5\n", "a 1.501\nb 9.5\n", NEAR)
    near, far = shown.rows[:2]
    assert near.same
    assert (near.expected.text, near.actual.text) == ("a 1.50", "a 1.501")
    assert (far.expected.mark, far.actual.mark) == (2, 2)


def test_the_mark_is_behind_a_near_float_of_another_length() -> None:
    (row, *_) = compare_texts(Channel.PRINTS, "", "a 1.5 b\n", "a 1.501 c\n", NEAR).rows
    assert (row.expected.mark, row.actual.mark) == (6, 8)


@pytest.mark.parametrize(
    ("ignore", "expected", "actual", "marks"),
    [
        (Ignore.WHITESPACE, "a  b\n", "a b  c\n", (4, 3)),
        (Ignore.WHITESPACE, "  a x\n", "a   y\n", (4, 4)),
        (Ignore.CASE, "ABC\n", "abd\n", (2, 2)),
        (Ignore.TRAILING_SPACE, "a  \n", "ab\n", (3, 1)),
        (Ignore.PUNCTUATION, "a, b.\n", "a! c\n", (3, 3)),
    ],
)
def test_ignored_differences_are_not_marked(
    ignore: Ignore, expected: str, actual: str, marks: tuple[int, int]
) -> None:
    rules = TextRules(ignore=(ignore,))
    (row, *_) = compare_texts(Channel.PRINTS, "", expected, actual, rules).rows
    assert (row.expected.mark, row.actual.mark) == marks


def test_blank_lines_that_are_ignored_are_left_out() -> None:
    rules = TextRules(ignore=(Ignore.BLANK_LINES,))
    shown = compare_texts(Channel.PRINTS, "", "a\n\nb\n", "a\n\n\nc\n", rules)
    assert [row.actual.text for row in shown.rows[:2]] == ["a", "c"]
