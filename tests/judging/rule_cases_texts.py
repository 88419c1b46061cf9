"""Printed text and boards: what each rule fires on, says, and leaves alone."""

from harness.matchers.kinds.combinations import ALine, AllOf, NoneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import HasNumber, Matches
from harness.model.expectation import Expected, StatedTurn, StatedTurns
from harness.model.observation import Ending
from tests.judging.judging_cases import (
    Neighbours,
    Sentences,
    called,
    case,
    ended,
    fails_to_print,
    prints,
    ran,
    returns,
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


FIRES: Sentences = {
    "printed_rows_and_columns_swapped": {
        "The board has rows and columns swapped.": prints(WIDE, TALL)
    },
    "printed_off_by_one_column": {
        'After input 1 ("a1"), the board is off by one column: '
        "a piece is one column too far to the right.": case(
            ran("", "a1", "|-|-|-|\n|X|-|-|\n"), ran("", "a1", "|-|-|-|\n|-|X|-|\n"), typing("a1")
        ),
        "The board is off by one column: a piece is one column too far to the left.": prints(
            "|-|-|-|\n|-|X|-|\n", "|-|-|-|\n|X|-|-|\n"
        ),
    },
    "board_shown_twice": {
        "Before the first input, the board is shown twice in a row.": case(
            ran(BOARD + PROMPT, "a1", "bye"),
            ended(Ending.ASKED_FOR_MORE, BOARD + BOARD + PROMPT, "a1", PROMPT),
            typing("a1"),
        ),
        "The board is shown twice in a row.": prints(BOARD + PROMPT, BOARD + BOARD + PROMPT),
        'add_piece prints the same 2 lines twice in a row, including "one".': prints(
            "one\ntwo\nend", "one\ntwo\none\ntwo\nend"
        ),
    },
    "board_not_shown": {
        'After input 1 ("h"), the board is missing: it should start at line 3.': case(
            ran("", "h", "Help\n\n" + BOARD + PROMPT), ran("", "h", "Help\n\n" + PROMPT)
        )
    },
    "board_shown_unasked": {
        'After input 1 ("q"), the board is shown at line 1, where "Again? " should be.': case(
            ran("", "q", "Again? "), ran("", "q", BOARD + "Again? ")
        ),
        'After input 1 ("q"), the board is shown at line 2, where nothing should be.': case(
            ran("", "q", "Bye\n", "", ""), ran("", "q", "Bye\n" + BOARD, "", "")
        ),
        'After input 1 ("q"), the program should end; it shows the board.': case(
            ran("> ", "q", ""), ran("> ", "q", BOARD), typing("q")
        ),
    },
    "windows_line_ends": {
        "2 of 3 lines that it prints end with \\r\\n, as on Windows, and should end with \\n: "
        'write "\\n" alone; a csv.writer does with '
        'lineterminator="\\n".': prints("a\nb\nc\n", "a\r\nb\r\nc\n"),
        "The line that it returns ends with \\r\\n, as on Windows, and should end with \\n: "
        'write "\\n" alone.': returns("a\n", "a\r\n"),
    },
    "only_whitespace": {
        "Only white space differs in what it returns: line 1 lacks the space at column 2.": returns(
            "a b", "ab"
        )
    },
    "only_case": {
        'Only upper and lower case differ: line 1 is "a", it should be "A".': returns("A", "a"),
        'Only upper and lower case differ: line 1 is "Player 1 Wins!", '
        'it should be "Player 1 wins!".': prints("Player 1 wins!\n", "Player 1 Wins!\n"),
    },
    "unexpected_output": {
        'add_piece prints "debug 1", although nothing should be printed here.': case(
            called(True), called(True, "debug 1\n")
        ),
        'After input 1 ("q"), the program should end; it says "Player 2 wins!".': case(
            ran("> ", "q", ""), ran("> ", "q", "\nPlayer 2 wins!\nBye\n"), typing("q")
        ),
        'After input 1 ("q"), add_piece should end; it says "1".': case(
            called(True, "> ", "q", ""), called(True, "> ", "q", "1\n")
        ),
        # It goes on.
        'After input 1 ("q"), the program prints "1", although nothing should be printed '
        "here.": case(ran("> ", "q", "", "x", ""), ran("> ", "q", "1", "x", ""), typing("q", "x")),
        'deposit shows "8", although nothing should be shown here.': case(
            None, session(step(8)), steps("deposit(3)"), stated=Expected(shown=("",))
        ),
    },
    "nothing_printed": {
        'deposit shows nothing, but "8" should be shown.': case(
            None, session(step(None)), steps("deposit(3)"), stated=Expected(shown=("8\n",))
        ),
        'add_piece prints nothing, but "Full!" should be printed.': case(
            called(False, "Full!\n"), called(False)
        ),
    },
    "line_missing": {
        'After input 1 ("a1"), the line "Player 1 wins!" is missing: it should be line 5.': case(
            ran("", "a1", BOARD + "Player 1 wins!\n" + PROMPT), ran("", "a1", BOARD + PROMPT)
        ),
        '2 lines are missing from line 2, including "b".': prints("a\nb\nc\nd\n", "a\nd\n"),
    },
    "line_too_many": {
        'add_piece prints an extra line: line 2, "b".': prints("a\nc\n", "a\nb\nc\n"),
        'add_piece returns 2 extra lines from line 2: "b".': returns("a\nc", "a\nb\nb2\nc"),
    },
    "prompt_differs": {
        'Before the first input, the prompt is "move? ", it should be "Move: ".': case(
            ran("Hi\nMove: ", "a", ""), ran("Hi\nmove? ", "a", ""), typing("a")
        )
    },
    "line_differs": {
        'Line 2 is "B2", it should be "b".': prints("a\nb\nc\n", "a\nB2\nc\n"),
        'add_piece prints "Empty!" instead of "Full!".': prints("Full!\n", "Empty!\n"),
    },
    "text_differs": {
        'The output differs from line 2, column 1: "x" instead of "b".': prints(
            "a\nb\nc\nd\n", "a\nx\nc\ny\n"
        ),
        'The output differs from line 1: an empty line instead of "*".': prints(
            "*\n**\n***\n", "\n*\n**\n"
        ),
    },
    "text_not_matched": {
        'add_piece prints "hi\\n", expected text that contains "moves".': fails_to_print(
            Contains(text="moves"), "hi\n"
        ),
        'After input 1 ("3"), the board is not shown: the 4 lines from "|  |0" to " 01" are '
        "missing.": case(
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
        'After input 1 ("3"), the board is not the one that it should be: it has no line '
        '"|X |1".': case(
            None,
            ran("Column? ", "3", GRID.replace("X", "O") + "\nColumn? "),
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
        'add_piece does not print the 2 lines from "one" to "two".': fails_to_print(
            Contains(text="one\ntwo"), "hi\n"
        ),
        "add_piece does not print that it is a tie.": fails_to_print(
            Matches(pattern="tie", words="that it is a tie"), "hi\n"
        ),
        'add_piece prints "Red moves\\n", expected anything but text that contains "Red".': case(
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
        'add_piece prints no line that contains "tries" and has the number 4: '
        'its 2 lines are "4" and "many tries".': fails_to_print(TRIES, "4\nmany tries\n"),
        "add_piece prints no line with the number 4: its only line is "
        '"many tries".': fails_to_print(TRIES, "many tries\n"),
        'add_piece prints no line that contains "tries" and has the number 4: '
        'among its 6 lines are "many tries", "4" '
        'and "d".': fails_to_print(TRIES, "a\nmany tries\nb\nc\n4\nd\n"),
        'add_piece prints nothing, expected a line that contains "tries".': fails_to_print(
            TRIES, ""
        ),
    },
}

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

LEAVES_ALONE: Neighbours = {
    "printed_rows_and_columns_swapped": [prints(WIDE, BOARD)],
    "printed_off_by_one_column": [prints(BOARD, BOARD_BESIDE), prints("ab\n", "ac\n")],
    "board_shown_twice": [prints(BOARD, BOARD + TALL), prints("a\nb\n", "a\na\nb\n")],
    "board_not_shown": [
        prints("a\nbb\nccc\n", "a\n"),
        prints(BOARD, TALL),
        prints("Most:\n3 a\n2 b\n1 c\n", "Most:\n"),
    ],
    "board_shown_unasked": [prints("a\n", "a\nbcd efg\nhij klm\n")],
    "only_whitespace": [prints("a b", "a c"), returns(1, 2)],
    "windows_line_ends": [prints("a\nb\n", "a\r\n")],
    "only_case": [prints("a b", "A  B")],
    "unexpected_output": [prints("a", "b")],
    "nothing_printed": [prints("a", "b")],
    "line_missing": [prints("a\nb\n", "a\nc\n")],
    "line_too_many": [prints("a\nb\n", "a\nc\nd\n")],
    "prompt_differs": [
        prints("a\nb", "a\nc"),
        case(ran("a\n> ", "x", ""), ran("b\n> ", "x", ""), typing("x")),
    ],
    "line_differs": [prints("a\nb\nc", "x\nb\ny")],
    "text_differs": [returns(1, 2)],
    "text_not_matched": [returns(1, 2)],
}
