"""Boards drawn as boards, and the first difference in words."""

from __future__ import annotations

import pytest

from harness.judging.comparison import compare_values
from harness.model.stimulus import Binding, Call, Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel
from harness.reporting.view.comparisons import first_difference
from harness.reporting.view.paste import boards_in
from tests.reporting.report_samples import printed, returned


@pytest.mark.parametrize(
    ("expected", "actual", "mark", "words"),
    [
        ("['XO', '--']", "['XO', 'X-']", (1, 0), "at [1][0]: expected '-', your program has 'X'"),
        ("['XO', '--']", "['XO']", (1, 0), "expected '-', your program has no such row"),
        ("['XO', '--']", "['XO', '-']", (1, 1), "expected '-', your program has nothing"),
        ("[[1, 0], [0, 1]]", "[[1, 0], [0, '1']]", (1, 1), "expected 1, your program has '1'"),
        ("[\n    ['a', 'b'],\n    ['c', 'd'],\n]", "[['a', 'b'], ['c', 'x']]", (1, 1), "'x'"),
    ],
)
def test_two_boards(expected: str, actual: str, mark: tuple[int, int], words: str) -> None:
    part = returned(expected, actual)
    assert part.grids is not None
    row, index = mark
    assert part.grids.expected.rows[row][index].differs
    assert not any(cell.differs for cell in part.grids.expected.rows[row][:index])
    assert words in first_difference(part)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("['X-', '-O']", "None"),
        ("['apple', 'peach', 'melon', 'grape']", "['apple', 'peach', 'melon', 'grapes']"),
        ("[]", "['XO', 'XO']"),
        ("[['a', 'b']]", "[['a', 'c']]"),
        ("['XO', 'OX']", "('XO', 'OX')"),  # another type, the same cells
        (repr(["XO"] * 27), "['XO', 'OO']"),
        ("[" * 99 + "]" * 99, "[]"),
        ("['X" + "-" * 50 + "', 'X" + "-" * 50 + "']", "['X', 'Y']"),
    ],
)
def test_no_boards(expected: str, actual: str) -> None:
    assert returned(expected, actual).grids is None


def test_an_object_is_no_cell() -> None:
    account = Value(ValueKind.LIST, items=(Value(ValueKind.OBJECT, "Account"), Value.of(1)))
    board = Value(ValueKind.LIST, items=(account, account))
    assert compare_values(Channel.RETURNS, "", board, Value.parse("[[1, 2]]")).grids is None


def calling(expression: str, **names: str) -> Stimulus:
    bindings = tuple(Binding(name=name, literal=literal) for name, literal in names.items())
    return Stimulus(action=Call(expression=expression), bindings=bindings)


@pytest.mark.parametrize(
    ("stimulus", "text", "boards"),
    [
        (calling("win([['X', E], [E, 'O']], 2)"), "win(board, 2)", ["X ", " O"]),
        (calling("win(b, n)", b="['XO', '--']", n="2"), "win(b, n)  with  n = 2", ["XO", "--"]),
        (calling("win(['XO', '--'], board)", board="['a', 'b']"),
         "win(board, board)  with  board = ['a', 'b']", ["XO", "--"]),
        (calling("win(3)"), "", []),
        (calling("win(['--'] * 8)"), "", []),
        (calling("win("), "", []),
    ],
)  # fmt: skip
def test_boards_of_a_call(stimulus: Stimulus, text: str, boards: list[str]) -> None:
    shown, found = boards_in(stimulus, {"E": "' '"})
    assert shown == text
    assert ["".join(cell.text for cell in row) for _, grid in found for row in grid.rows] == boards


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        ("one\ntwo\n", "one\ntoo\n", "line 2, character 2: expected “w”, your program has “o”."),
        ("a b\nc\n", "a  b\nc\n", "line 1, character 3: expected “b”, your program has a space."),
        ("a\nb\nc\n", "a\nc\n", "line 2 is missing."),
        ("a\nc\n", "a\nb\nc\n", "line 2 is one too many."),
        (
            "a\nbb\n",
            "a\nb\n",
            "2: expected “b”, your program has the end of the line.",
        ),
        ("x\n" * 30 + "a\n", "x\n" * 30 + "b\n", "line 31, character 1: expected “a”"),
        ("a\nb\n", "a\nb", "line 2: your program prints no line end there."),
        ("a\nb", "a\nb\n", "line 2: your program prints a line end that should not be there."),
        ("a\x1b\nc\n", "ab\nc\n", r"expected “\x1b”, your program has “b”."),
    ],
)
def test_the_first_difference_in_words(expected: str, actual: str, words: str) -> None:
    assert words in first_difference(printed(expected, actual))


def test_nothing_printed_differs_nowhere() -> None:
    part = printed("a\nb\n", "")
    assert (part.is_silent, first_difference(part)) == (True, "")


def test_values_short_enough_to_see_are_not_put_in_words() -> None:
    assert first_difference(returned("None", "'X'")) == ""
