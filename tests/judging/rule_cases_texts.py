"""Printed text and boards: what each rule fires on, says, and leaves alone."""

from __future__ import annotations

from harness.judging.explain.failure import Failure
from harness.matchers.kinds.combinations import ALine, AllOf, NoneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import HasNumber, Matches
from harness.model.expectation import Expected, StatedTurn, StatedTurns
from tests.judging.judging_cases import (
    called,
    case,
    ran,
    session,
    step,
    steps,
    typing,
)

BOARD = "|-|-|-|\n|-|-|-|\n|X|O|-|\n 1 2 3 \n"
BOARD_BESIDE = "|-|-|-|\n|-|-|-|\n|-|O|X|\n 1 2 3 \n"
TALL = "|-|-|X|\n|-|-|-|\n|-|-|-|\n 1 2 3 \n"
WIDE = "|-|-|-|\n|-|-|-|\n|X|-|-|\n 1 2 3 \n"
PROMPT = "Your move: "
TRIES = ALine(matcher=AllOf(matchers=(Contains(text="tries"), HasNumber(number="4"))))
GRID = "|  |0\n|X |1\n+--+\n 01"


FIRES: list[tuple[str, Failure, str]] = [
    (
        "printed_rows_and_columns_swapped",
        case(called(None, WIDE), called(None, TALL)),
        "The board has rows and columns swapped.",
    ),
    (
        "printed_off_by_one_column",
        case(
            ran("", "a1", "|-|-|-|\n|X|-|-|\n"),
            ran("", "a1", "|-|-|-|\n|-|X|-|\n"),
            typing("a1"),
        ),
        'After input 1 ("a1"), the board is off by one column: '
        "a piece is one column too far to the right.",
    ),
    (
        "board_shown_twice",
        case(called(None, BOARD + PROMPT), called(None, BOARD + BOARD + PROMPT)),
        "The board is shown twice in a row.",
    ),
    (
        "board_shown_twice",
        case(called(None, "one\ntwo\nend"), called(None, "one\ntwo\none\ntwo\nend")),
        'add_piece prints the same 2 lines twice in a row, including "one".',
    ),
    (
        "board_not_shown",
        case(ran("", "h", "Help\n\n" + BOARD + PROMPT), ran("", "h", "Help\n\n" + PROMPT)),
        'After input 1 ("h"), the board is missing: it should start at line 3.',
    ),
    (
        "board_shown_unasked",
        case(ran("", "q", "Again? "), ran("", "q", BOARD + "Again? ")),
        'After input 1 ("q"), the board is shown once too often (at line 1).',
    ),
    (
        "windows_line_ends",
        case(called(None, "a\nb\nc\n"), called(None, "a\r\nb\r\nc\n")),
        "2 of 3 lines that it prints end with \\r\\n, as on Windows, and should end with \\n: "
        'write "\\n" alone; a csv.writer does with lineterminator="\\n".',
    ),
    (
        "windows_line_ends",
        case(called("a\n"), called("a\r\n")),
        "The line that it returns ends with \\r\\n, as on Windows, and should end with \\n: "
        'write "\\n" alone.',
    ),
    (
        "only_case",
        case(called(None, "Player 1 wins!\n"), called(None, "Player 1 Wins!\n")),
        'Only upper and lower case differ: line 1 is "Player 1 Wins!", '
        'it should be "Player 1 wins!".',
    ),
    (
        "unexpected_output",
        case(called(True), called(True, "debug 1\n")),
        'add_piece prints "debug 1", although nothing should be printed here.',
    ),
    (
        "unexpected_output",
        case(None, session(step(8)), steps("deposit(3)"), stated=Expected(shown=("",))),
        'deposit shows "8", although nothing should be shown here.',
    ),
    (
        "nothing_printed",
        case(None, session(step(None)), steps("deposit(3)"), stated=Expected(shown=("8\n",))),
        'deposit shows nothing, but "8" should be shown.',
    ),
    (
        "nothing_printed",
        case(called(False, "Full!\n"), called(False)),
        'add_piece prints nothing, but "Full!" should be printed.',
    ),
    (
        "line_missing",
        case(ran("", "a1", BOARD + "Player 1 wins!\n" + PROMPT), ran("", "a1", BOARD + PROMPT)),
        'After input 1 ("a1"), the line "Player 1 wins!" is missing: it should be line 5.',
    ),
    (
        "line_missing",
        case(called(None, "a\nb\nc\nd\n"), called(None, "a\nd\n")),
        '2 lines are missing from line 2, including "b".',
    ),
    (
        "line_too_many",
        case(called(None, "a\nc\n"), called(None, "a\nb\nc\n")),
        'add_piece prints an extra line: line 2, "b".',
    ),
    (
        "line_too_many",
        case(called("a\nc"), called("a\nb\nb2\nc")),
        'add_piece returns 2 extra lines from line 2: "b".',
    ),
    (
        "prompt_differs",
        case(ran("Hi\nMove: ", "a", ""), ran("Hi\nmove? ", "a", ""), typing("a")),
        'Before the first input, the prompt is "move? ", it should be "Move: ".',
    ),
    (
        "line_differs",
        case(called(None, "a\nb\nc\n"), called(None, "a\nB2\nc\n")),
        'Line 2 is "B2", it should be "b".',
    ),
    (
        "line_differs",
        case(called(None, "Full!\n"), called(None, "Empty!\n")),
        'add_piece prints "Empty!" instead of "Full!".',
    ),
    (
        "text_differs",
        case(called(None, "a\nb\nc\nd\n"), called(None, "a\nx\nc\ny\n")),
        'The output differs from line 2, column 1: "x" instead of "b".',
    ),
    (
        "text_not_matched",
        case(None, called(None, "hi\n"), stated=Expected(prints=Contains(text="moves"))),
        'add_piece prints "hi\\n", expected text that contains "moves".',
    ),
    (
        "text_not_matched",
        case(
            None,
            ran("Column? ", "3", "Red wins\nColumn? "),
            typing("3"),
            stated=Expected(
                turns=StatedTurns(
                    turns=(
                        StatedTurn(index=0, printed=Contains(text="Column")),
                        StatedTurn(index=1, printed=Contains(text=GRID)),
                    ),
                    all_turns=False,
                )
            ),
        ),
        'After input 1 ("3"), the board is not shown: the 4 lines from "|  |0" to " 01" are '
        "missing.",
    ),
    (
        "text_not_matched",
        case(None, called(None, "hi\n"), stated=Expected(prints=Contains(text="one\ntwo"))),
        'add_piece does not print the 2 lines from "one" to "two".',
    ),
    (
        "text_not_matched",
        case(
            None,
            called(None, "hi\n"),
            stated=Expected(prints=Matches(pattern="tie", words="that it is a tie")),
        ),
        "add_piece does not print that it is a tie.",
    ),
    (
        "text_not_matched",
        case(
            None,
            called(None, "Red moves\n"),
            stated=Expected(
                prints=AllOf(
                    matchers=(
                        Contains(text="moves"),
                        NoneOf(matchers=(Contains(text="wins"), Contains(text="Red"))),
                    )
                )
            ),
        ),
        'add_piece prints "Red moves\\n", expected anything but text that contains "Red".',
    ),
    (
        "text_not_matched",
        case(None, called(None, "4\nmany tries\n"), stated=Expected(prints=TRIES)),
        'add_piece prints no line that contains "tries" and has the number 4: '
        'its 2 lines are "4" and "many tries".',
    ),
    (
        "text_not_matched",
        case(None, called(None, "many tries\n"), stated=Expected(prints=TRIES)),
        'add_piece prints no line with the number 4: its only line is "many tries".',
    ),
    (
        "text_not_matched",
        case(None, called(None, "a\nmany tries\nb\nc\n4\nd\n"), stated=Expected(prints=TRIES)),
        'add_piece prints no line that contains "tries" and has the number 4: '
        'among its 6 lines are "many tries", "4" and "d".',
    ),
    (
        "text_not_matched",
        case(None, called(None, ""), stated=Expected(prints=TRIES)),
        'add_piece prints nothing, expected a line that contains "tries".',
    ),
]

SPACING = [
    ("a\n b\n", "a\nb\n", "line 2 lacks the space at its start"),
    ("a\nb \n", "a\nb\n", "line 2 lacks the space at its end"),
    ("a\nb", "a\nb  ", "line 2 has 2 extra spaces at its end"),
    (" 1 2 3 ", "1 2 3 ", "line 1 lacks the space at its start"),
    (" 1 2 3 ", "123", "line 1 lacks the space at its start (and differs further on)"),
    ("a b", "a  b", "line 1 has an extra space at column 3"),
    ("a: b", "a:b", "line 1 lacks the space at column 3"),
    ("x", "\tx", "line 1 has 1 tab at its start where nothing should be"),
    ("  x", "\tx", "line 1 has 1 tab at its start where 2 spaces should be"),
    ("a\n", "a", 'the line end after "a" is missing'),
    ("a\n", "a\n\n", 'there is an extra line end after "a"'),
    ("a\n\n\n", "a", '3 line ends after "a" are missing'),
    ("a\n\nb", "a\nb", "an empty line is missing at line 2"),
    ("a\nb", "a\n\nb", "there is an extra empty line at line 2"),
    ("a\nb", "\na\nb", "there is an extra empty line at line 1"),
    ("a b\nc", "a\nb c", "the lines break in different places, first at line 1"),
    ("a\nb\n", "a  \nb\n\n", "line 1 has 2 extra spaces at its end (and more differs further on)"),
    ("a\n\nb\n", "a\nb \n", "an empty line is missing at line 2 (and more differs further on)"),
    ("a\nb\n", "a\n\nb \n", "there is an extra empty line at line 2 (and more differs further on)"),
    ("ab\nc", "a\nbc", "the lines break in different places, first at line 1"),
]

# The neighbours of a case: near enough to be taken for it.
LEAVES_ALONE: list[tuple[str, Failure]] = [
    ("printed_rows_and_columns_swapped", case(called(None, WIDE), called(None, BOARD))),
    ("printed_off_by_one_column", case(called(None, BOARD), called(None, BOARD_BESIDE))),
    ("printed_off_by_one_column", case(called(None, "ab\n"), called(None, "ac\n"))),
    ("board_shown_twice", case(called(None, BOARD), called(None, BOARD + TALL))),
    ("board_shown_twice", case(called(None, "a\nb\n"), called(None, "a\na\nb\n"))),
    ("board_not_shown", case(called(None, "a\nbb\nccc\n"), called(None, "a\n"))),
    ("board_not_shown", case(called(None, BOARD), called(None, TALL))),
    ("board_shown_unasked", case(called(None, "a\n"), called(None, "a\nbcd efg\nhij klm\n"))),
    ("only_whitespace", case(called(None, "a b"), called(None, "a c"))),
    ("only_whitespace", case(called(1), called(2))),
    ("windows_line_ends", case(called(None, "a\nb\n"), called(None, "a\r\n"))),
    ("only_case", case(called(None, "a b"), called(None, "A  B"))),
    ("unexpected_output", case(called(None, "a"), called(None, "b"))),
    ("nothing_printed", case(called(None, "a"), called(None, "b"))),
    ("line_missing", case(called(None, "a\nb\n"), called(None, "a\nc\n"))),
    ("line_too_many", case(called(None, "a\nb\n"), called(None, "a\nc\nd\n"))),
    ("prompt_differs", case(called(None, "a\nb"), called(None, "a\nc"))),
    ("prompt_differs", case(ran("a\n> ", "x", ""), ran("b\n> ", "x", ""), typing("x"))),
    ("line_differs", case(called(None, "a\nb\nc"), called(None, "x\nb\ny"))),
    ("text_differs", case(called(1), called(2))),
    ("text_not_matched", case(called(1), called(2))),
]
