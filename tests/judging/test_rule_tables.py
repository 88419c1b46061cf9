"""Every rule: what it fires on, the sentence it says, and what it leaves to others."""

from __future__ import annotations

import pytest
from judging_cases import (
    BY_NAME,
    CALL,
    RUN,
    called,
    case,
    ended,
    exactly,
    raised,
    ran,
    sentence,
    session,
    step,
    steps,
    typing,
)

from harness.judging.case import Case
from harness.model.expectation import Contains, Matches, OfType, Stated, StatedLeave, StatedRaise
from harness.model.observation import Ending, Phase
from harness.model.stimulus import Call, Stimulus
from harness.model.values import Value, ValueKind

EMPTY = ["----", "----", "----", "----"]
PLACED = ["----", "---X", "----", "----"]
BESIDE = ["----", "----", "---X", "----"]
FIRST = ["---X", "----", "----", "----"]
LAST = ["----", "----", "----", "---X"]
TURNED = ["----", "----", "----", "-X--"]
BOARD = "|-|-|-|\n|-|-|-|\n|X|O|-|\n 1 2 3 \n"
BOARD_BESIDE = "|-|-|-|\n|-|-|-|\n|-|O|X|\n 1 2 3 \n"
TALL = "|-|-|X|\n|-|-|-|\n|-|-|-|\n 1 2 3 \n"
WIDE = "|-|-|-|\n|-|-|-|\n|X|-|-|\n 1 2 3 \n"
PROMPT = "Your move: "

GENERATOR = Value(ValueKind.FOREIGN, "generator")
HUGE = Value(ValueKind.TOO_LARGE, "an int of 1000000 digits")
LOADING = Phase.LOADING
GET_ACTION = Stimulus(action=Call(expression="get_action()"))
SHOW = steps("board = ['--', '--']", "add_piece(board, 'X', 0)", "board")

FIRES: list[tuple[str, Case, str]] = [
    (
        "our_fault",
        case(called(1), ended(Ending.HARNESS_ERROR)),
        "The grader itself failed here; this says nothing about the program.",
    ),
    (
        "tampered",
        case(called(1), ended(Ending.TAMPERED)),
        "The program interfered with the grader, so this does not count; a person will look.",
    ),
    (
        "ran_at_import",
        case(called(1), ended(Ending.ASKED_FOR_MORE, phase=LOADING)),
        "Code outside the functions ran at import: as soon as the file is loaded, "
        "it asks for input.",
    ),
    (
        "ran_at_import",
        case(called(1), raised("NameError", "no x", line=3, source="  print(x)", phase=LOADING)),
        "Code outside the functions ran at import: as soon as the file is loaded, "
        "it raised NameError (no x) on line 3: print(x).",
    ),
    (
        "ran_at_import",
        case(called(1), raised("SystemExit", phase=LOADING)),
        "Code outside the functions ran at import: as soon as the file is loaded, it called exit.",
    ),
    (
        "ran_at_import",
        case(called(1), ended(Ending.CPU_LIMIT, phase=LOADING)),
        "Code outside the functions ran at import: as soon as the file is loaded, "
        "it did not end, a loop outside the functions goes on for ever.",
    ),
    (
        "missing_function",
        case(called(1), ended(Ending.MISSING, detail="add_piece")),
        "The function add_piece is missing: it is not written yet, or its name is spelt otherwise.",
    ),
    (
        "printed_without_end",
        case(called(1), ended(Ending.OUTPUT_LIMIT, "no\n" * 500)),
        'add_piece printed without end; the last lines read "no".',
    ),
    (
        "did_not_ask_for_input",
        case(called("r4", PROMPT, "r4", ""), called("r4"), GET_ACTION),
        "get_action did not ask for input: 1 input should have been taken.",
    ),
    (
        "did_not_ask_for_input",
        case(ran("> ", "a", "> ", "b", ""), ended(Ending.CPU_LIMIT), typing("a", "b")),
        "The program did not ask for input, and did not end either: "
        "2 inputs should have been taken.",
    ),
    (
        "did_not_end",
        case(called(1), ended(Ending.CPU_LIMIT)),
        "add_piece did not end: perhaps a loop whose condition stays true.",
    ),
    (
        "did_not_end",
        case(ran("> ", "a", "end"), ended(Ending.TIMEOUT, "> ", "a", ""), typing("a")),
        'The program did not end after input 1 ("a"): it waits for something that never comes.',
    ),
    (
        "memory",
        case(called(1), ended(Ending.MEMORY_LIMIT)),
        "add_piece used more memory than there is: perhaps something grows without end.",
    ),
    (
        "memory",
        case(called(1), raised("MemoryError")),
        "add_piece used more memory than there is: perhaps something grows without end.",
    ),
    (
        "crashed",
        case(called(1), ended(Ending.CRASHED, detail="SIGSEGV")),
        "add_piece made Python itself crash (SIGSEGV).",
    ),
    (
        "ended_early",
        case(called(1), ended(Ending.ENDED_EARLY)),
        "add_piece ended the whole process before giving an answer.",
    ),
    (
        "cut_short",
        case(called(1), ended(Ending.STOPPED_EARLY)),
        "add_piece was stopped after a shorter time, since other checks did not end either.",
    ),
    (
        "should_not_answer",
        case(None, called(1), stated=Stated(ends=Ending.ASKED_FOR_MORE)),
        "add_piece ended, though it should not have come to an end here.",
    ),
    (
        "called_exit",
        case(called(1), raised("SystemExit", line=7, source="exit()")),
        "add_piece called exit, which ends the whole program (line 7: exit()).",
    ),
    (
        "recursed_too_deep",
        case(called(1), raised("RecursionError", "maximum", line=2, source="return f(n)")),
        "add_piece recursed too deep: a function calls itself without end (line 2: return f(n)).",
    ),
    (
        "wrong_parameters",
        case(called(1), raised("TypeError", "f() takes 1 positional argument but 2 were given")),
        "The parameters do not fit the call: TypeError: "
        "f() takes 1 positional argument but 2 were given.",
    ),
    (
        "raised_unexpectedly",
        case(called(1), raised("ValueError", "bad \x1b[31m", line=12, source="    int(x)")),
        "add_piece raised ValueError: bad \\x1b[31m (line 12: int(x)).",
    ),
    (
        "raised_unexpectedly",
        case(session(step(1), step(2)), session(step(1), step(error="KeyError")), steps("1", "2")),
        "In step 2 (2), it raised KeyError.",
    ),
    (
        "wrong_exception",
        case(raised("ValueError"), raised("KeyError", "'x'", line=4, source="d['x']")),
        "add_piece raised KeyError: 'x' where ValueError is expected (line 4: d['x']).",
    ),
    (
        "wrong_exception",
        case(
            raised("ValueError", "no"),
            raised("ValueError", "oh"),
            stated=Stated(raises=StatedRaise(type_name="ValueError", message=exactly("no"))),
        ),
        "add_piece raised ValueError with another message: oh.",
    ),
    (
        "did_not_raise",
        case(raised("ValueError"), called(1)),
        "add_piece raised nothing, where ValueError should be raised.",
    ),
    (
        "asked_for_more",
        case(called(1), ended(Ending.ASKED_FOR_MORE, "> ")),
        "add_piece asked for more input than the scenario has: it should ask for none.",
    ),
    (
        "asked_for_more",
        case(ran("> ", "n", ""), ended(Ending.ASKED_FOR_MORE, "> ", "n", "> "), typing("n")),
        'The program asked for more input than the scenario has after input 1 ("n").',
    ),
    (
        "asked_for_more",
        case(ran("> ", "", "bye"), ended(Ending.ASKED_FOR_MORE, ">>", "", "> "), typing("")),
        "The program asked for more input than the scenario has after input 1 (only Enter); "
        "what it prints differs already before the first input.",
    ),
    (
        "stopped_early",
        case(called("r4", "> ", "x", "> ", "r4", ""), called("x", "> ", "x", ""), GET_ACTION),
        'get_action stopped early: it took 1 of 2 inputs and ended after input 1 ("x").',
    ),
    (
        "too_large",
        case(called(1), called(HUGE)),
        "add_piece returned a value too large to compare (an int of 1000000 digits).",
    ),
    (
        "printed_instead_of_returned",
        case(called(True), called(None, "True\n")),
        "add_piece printed True instead of returning it.",
    ),
    (
        "printed_instead_of_returned",
        case(called(["ab", "cd"]), called(None, "ab\ncd\n")),
        "add_piece printed ['ab', 'cd'] instead of returning it.",
    ),
    (
        "returned_instead_of_printed",
        case(called(None, BOARD), called(BOARD.rstrip("\n"))),
        "add_piece returned the text instead of printing it.",
    ),
    (
        "returned_a_function",
        case(called(1), called(Value(ValueKind.FUNCTION, "check_win"))),
        "add_piece returned the function check_win itself: are its parentheses missing?",
    ),
    (
        "returned_none",
        case(called(False), called(None)),
        "add_piece returned None instead of False: is a return missing?",
    ),
    (
        "returned_none",
        case(called("O"), called(None)),
        "add_piece returned None instead of 'O'.",
    ),
    (
        "returned_none",
        case(session(step(True)), session(step()), steps("f()")),
        "In step 1 (f()), f returned None instead of True: is a return missing?",
    ),
    (
        "returned_none",
        case(None, called(None), stated=Stated(returns=OfType(name="int"))),
        "add_piece returned None, where an int is expected: is a return missing?",
    ),
    (
        "wrong_type",
        case(called(True), called(1)),
        "add_piece returned 1, an int, where True, a bool, is expected.",
    ),
    (
        "wrong_type",
        case(called(True), called("True")),
        "add_piece returned 'True', a str, where True, a bool, is expected.",
    ),
    (
        "wrong_type",
        case(called(2), called(2.0)),
        "add_piece returned 2.0, a float, where 2, an int, is expected.",
    ),
    (
        "wrong_type",
        case(called([1, 2]), called([1, "2"])),
        "Item [1] of the result is '2', a str, where 2, an int, is expected.",
    ),
    (
        "wrong_type",
        case(called([1]), called(GENERATOR)),
        "add_piece returned <generator object>, a generator, where [1], a list, is expected.",
    ),
    (
        "wrong_type",
        case(called(1), called(Value(ValueKind.FOREIGN, "int"))),
        "add_piece returned <int object>, an object of the program's own class int, "
        "where 1, an int, is expected.",
    ),
    (
        "wrong_type",
        case(None, called("2"), stated=Stated(returns=OfType(name="float"))),
        "add_piece returned '2', a str, where a float is expected.",
    ),
    (
        "argument_not_changed",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(PLACED, before=(EMPTY,), after=(EMPTY,)),
        ),
        "board is not changed: a new list is returned.",
    ),
    (
        "argument_not_changed",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(EMPTY,)),
        ),
        "board is not changed: item [1] is '----', it should be '---X'.",
    ),
    (
        "argument_not_changed",
        case(
            session(step(), step(True), step(["-X", "--"])),
            session(step(), step(["-X", "--"]), step(["--", "--"])),
            SHOW,
        ),
        "In step 2 (add_piece(board, 'X', 0)), board is not changed: a new list is returned.",
    ),
    (
        "argument_changed",
        case(
            called(None, before=(EMPTY,), after=(EMPTY,)),
            called(None, before=(EMPTY,), after=([*EMPTY, "----"],)),
        ),
        "board is changed and should not be: it has 5 items, it should stay 4.",
    ),
    (
        "argument_changed",
        case(None, called(1, before=([1],), after=([2],)), stated=Stated(leaves_unchanged=True)),
        "board is changed and should not be: item [0] is 2, it should stay 1.",
    ),
    (
        "rows_and_columns_swapped",
        case(called(["ab", "cd"]), called(["ac", "bd"])),
        "The returned board has rows and columns swapped.",
    ),
    (
        "rows_and_columns_swapped",
        case(called([[1, 2, 3], [4, 5, 6]]), called([[1, 4], [2, 5], [3, 6]])),
        "The returned board has rows and columns swapped.",
    ),
    (
        "rows_and_columns_swapped",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(TURNED,)),
        ),
        "board has rows and columns swapped.",
    ),
    (
        "printed_rows_and_columns_swapped",
        case(called(None, WIDE), called(None, TALL)),
        "The board has rows and columns swapped.",
    ),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(BESIDE,)),
        ),
        "board is changed off by one column: at index 2 instead of 1.",
    ),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=(EMPTY,), after=(FIRST,)),
            called(True, before=(EMPTY,), after=(LAST,)),
        ),
        "board is changed off by one column: at index 3 instead of 0.",
    ),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=([[".", "."], [".", "."]],), after=([[".", "."], ["X", "."]],)),
            called(True, before=([[".", "."], [".", "."]],), after=([[".", "."], [".", "X"]],)),
        ),
        "board is changed off by one column: at index 1 instead of 0.",
    ),
    (
        "printed_off_by_one_column",
        case(
            ran("", "a1", "|-|-|-|\n|X|-|-|\n"),
            ran("", "a1", "|-|-|-|\n|-|X|-|\n"),
            typing("a1"),
        ),
        'After input 1 ("a1"), the board is off by one column: '
        "a piece lies one column to the right of its place.",
    ),
    (
        "board_shown_twice",
        case(called(None, BOARD + PROMPT), called(None, BOARD + BOARD + PROMPT)),
        "The board is shown twice in a row.",
    ),
    (
        "board_shown_twice",
        case(called(None, "one\ntwo\nend"), called(None, "one\ntwo\none\ntwo\nend")),
        'add_piece prints the same 2 lines twice in a row, among them "one".',
    ),
    (
        "board_not_shown",
        case(ran("", "h", "Help\n\n" + BOARD + PROMPT), ran("", "h", "Help\n\n" + PROMPT)),
        'After input 1 ("h"), the board is missing: it should be shown from line 3 on.',
    ),
    (
        "board_shown_unasked",
        case(ran("", "q", "Again? "), ran("", "q", BOARD + "Again? ")),
        'After input 1 ("q"), the board is shown once too often (from line 1 on).',
    ),
    (
        "only_case",
        case(called(None, "Player 1 wins!\n"), called(None, "Player 1 Wins!\n")),
        'Only upper and lower case differ: line 1 is "Player 1 Wins!", '
        'it should be "Player 1 wins!".',
    ),
    (
        "wrong_value",
        case(called("X"), called("O")),
        "add_piece returned 'O' instead of 'X'.",
    ),
    (
        "wrong_value",
        case(called([1, 2, 3]), called([1, 2, 4])),
        "add_piece returned another list than expected: item [2] is 4, it should be 3.",
    ),
    (
        "wrong_value",
        case(called([[1], [2]]), called([[1], [2, 3]])),
        "add_piece returned another list than expected: item [1] has too many items.",
    ),
    (
        "wrong_value",
        case(called([1, 2]), called([1])),
        "add_piece returned another list than expected: it has 1 item instead of 2 items.",
    ),
    (
        "wrong_value",
        case(None, called("abc"), stated=Stated(returns=Matches(pattern="^x"))),
        "add_piece returned 'abc', expected text that matches the pattern \"^x\".",
    ),
    (
        "wrong_value_afterwards",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(["X---", "X---", "----", "----"],)),
        ),
        "board is not as expected afterwards: item [0] is 'X---', it should be '----'.",
    ),
    (
        "wrong_value_afterwards",
        case(
            None,
            session(step()),
            steps("x = 1"),
            Stated(leaves=(StatedLeave(name="y", value=exactly(1)),)),
        ),
        "The variable y does not exist afterwards.",
    ),
    (
        "unexpected_output",
        case(called(True), called(True, "debug 1\n")),
        'add_piece prints "debug 1", though nothing should be printed here.',
    ),
    (
        "nothing_printed",
        case(called(False, "Full!\n"), called(False)),
        'add_piece prints nothing, where "Full!" should be printed.',
    ),
    (
        "line_missing",
        case(ran("", "a1", BOARD + "Player 1 wins!\n" + PROMPT), ran("", "a1", BOARD + PROMPT)),
        'After input 1 ("a1"), the line "Player 1 wins!" is missing: it should be line 5.',
    ),
    (
        "line_missing",
        case(called(None, "a\nb\nc\nd\n"), called(None, "a\nd\n")),
        '2 lines are missing from line 2 on, among them "b".',
    ),
    (
        "line_too_many",
        case(called(None, "a\nc\n"), called(None, "a\nb\nc\n")),
        'add_piece prints a line too many: line 2, "b".',
    ),
    (
        "line_too_many",
        case(called("a\nc"), called("a\nb\nb2\nc")),
        'add_piece returns 2 lines too many, from line 2 on: "b".',
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
        'add_piece prints another text from line 2, column 1 on: "x" instead of "b".',
    ),
    (
        "text_not_matched",
        case(None, called(None, "hi\n"), stated=Stated(prints=Contains(text="moves"))),
        'add_piece prints "hi\\n", expected text that contains "moves".',
    ),
    (
        "wrong_exit_status",
        case(ran("bye"), ran("bye", status=1), RUN),
        "The program ended with status 1 instead of 0.",
    ),
    (
        "differs",
        case(called(1), called(2)),
        "What it returned is not what is expected.",
    ),
]

SPACING = [
    ("a\n b\n", "a\nb\n", "line 2 lacks the space at its start"),
    ("a\nb \n", "a\nb\n", "line 2 lacks the space at its end"),
    ("a\nb", "a\nb  ", "line 2 has 2 spaces too many at its end"),
    (" 1 2 3 ", "1 2 3 ", "line 1 lacks the space at its start"),
    (" 1 2 3 ", "123", "line 1 lacks the space at its start (and differs further on)"),
    ("a b", "a  b", "line 1 has a space too many at column 3"),
    ("a: b", "a:b", "line 1 lacks the space at column 3"),
    ("x", "\tx", "line 1 has 1 tab at its start where nothing should be"),
    ("  x", "\tx", "line 1 has 1 tab at its start where 2 spaces should be"),
    ("a\n", "a", 'the line end after "a" is missing'),
    ("a\n", "a\n\n", 'there is a line end too many after "a"'),
    ("a\n\n\n", "a", '3 line ends after "a" are missing'),
    ("a\n\nb", "a\nb", "an empty line is missing at line 2"),
    ("a\nb", "a\n\nb", "an empty line is too many at line 2"),
    ("a\nb", "\na\nb", "an empty line is too many at line 1"),
    ("a b\nc", "a\nb c", "the lines are broken in other places, first at line 1"),
    ("ab\nc", "a\nbc", "the lines are broken in other places, first at line 1"),
]

# The neighbours of a case: near enough to be taken for it.
LEAVES_ALONE: list[tuple[str, Case]] = [
    ("our_fault", case(called(1), ended(Ending.CRASHED))),
    ("tampered", case(called(1), ended(Ending.ENDED_EARLY))),
    ("ran_at_import", case(called(1), raised("NameError", "no x", line=3, source="print(x)"))),
    ("ran_at_import", case(ran("x"), ended(Ending.CPU_LIMIT, phase=LOADING), RUN)),
    ("missing_function", case(called(1), raised("NameError", "name 'f' is not defined"))),
    ("printed_without_end", case(called(1), ended(Ending.CPU_LIMIT, "no\n" * 500))),
    ("did_not_ask_for_input", case(called("r4", "> ", "r4", ""), raised("ValueError"))),
    ("did_not_ask_for_input", case(called("r4", "> ", "r4", ""), called("r5", "> ", "r4", ""))),
    ("did_not_ask_for_input", case(called(1), called(2))),
    ("did_not_end", case(called(1), ended(Ending.STOPPED_EARLY))),
    ("memory", case(called(1), raised("ValueError", "MemoryError"))),
    ("crashed", case(called(1), ended(Ending.ENDED_EARLY))),
    ("ended_early", case(called(1), raised("SystemExit"))),
    ("cut_short", case(called(1), ended(Ending.TIMEOUT))),
    ("should_not_answer", case(called(1), called(2))),
    ("called_exit", case(called(1), raised("KeyboardInterrupt"))),
    ("recursed_too_deep", case(called(1), raised("ValueError", "RecursionError"))),
    (
        "wrong_parameters",
        case(
            called(1), raised("TypeError", "g() takes 1 positional argument", line=9, source="g()")
        ),
    ),
    ("wrong_parameters", case(called(1), raised("TypeError", "bad operand type for unary +"))),
    ("raised_unexpectedly", case(raised("ValueError"), raised("KeyError"))),
    ("wrong_exception", case(called(1), raised("KeyError"))),
    ("did_not_raise", case(called(1), called(2))),
    ("asked_for_more", case(ran("> ", "n", ""), ran(">", "n", ""), typing("n"))),
    ("stopped_early", case(ran("> ", "n", ""), ran("> ", "n", "!"), typing("n"))),
    ("too_large", case(called(1), called(2))),
    ("printed_instead_of_returned", case(called(True), called(False, "True\n"))),
    ("printed_instead_of_returned", case(called(True), called(None, "False\n"))),
    ("printed_instead_of_returned", case(called(True), called(None, "Is it True?\n"))),
    ("printed_instead_of_returned", case(called("ok", "ok\n"), called(None, "ok\n"))),
    ("returned_instead_of_printed", case(called(None, BOARD), called("nothing"))),
    ("returned_instead_of_printed", case(called(None, BOARD), called(BOARD, BOARD))),
    ("returned_a_function", case(called(1), called(GENERATOR))),
    ("returned_none", case(called(None), called(True))),
    ("returned_none", case(called(True), called(False))),
    ("wrong_type", case(called(None), called(True))),
    ("wrong_type", case(called(True), called(None))),
    ("wrong_type", case(called(1), called(2))),
    ("wrong_type", case(called([1, 2]), called([1]))),
    (
        "argument_not_changed",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(BESIDE,)),
        ),
    ),
    (
        "argument_changed",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(EMPTY,)),
        ),
    ),
    ("rows_and_columns_swapped", case(called(["ab", "cd"]), called(["ab", "dc"]))),
    ("rows_and_columns_swapped", case(called(["ab", "c"]), called(["ac", "b"]))),
    ("printed_rows_and_columns_swapped", case(called(None, WIDE), called(None, BOARD))),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(LAST,)),
        ),
    ),
    (
        "changed_off_by_one_column",
        case(
            called(True, before=(EMPTY,), after=(PLACED,)),
            called(True, before=(EMPTY,), after=(EMPTY,)),
        ),
    ),
    ("printed_off_by_one_column", case(called(None, BOARD), called(None, BOARD_BESIDE))),
    ("printed_off_by_one_column", case(called(None, "ab\n"), called(None, "ac\n"))),
    ("board_shown_twice", case(called(None, BOARD), called(None, BOARD + TALL))),
    ("board_shown_twice", case(called(None, "a\nb\n"), called(None, "a\na\nb\n"))),
    ("board_not_shown", case(called(None, "a\nbb\nccc\n"), called(None, "a\n"))),
    ("board_not_shown", case(called(None, BOARD), called(None, TALL))),
    ("board_shown_unasked", case(called(None, "a\n"), called(None, "a\nbcd efg\nhij klm\n"))),
    ("only_whitespace", case(called(None, "a b"), called(None, "a c"))),
    ("only_whitespace", case(called(1), called(2))),
    ("only_case", case(called(None, "a b"), called(None, "A  B"))),
    ("wrong_value", case(called(None, "a"), called(None, "b"))),
    ("wrong_value_afterwards", case(called(1), called(2))),
    ("unexpected_output", case(called(None, "a"), called(None, "b"))),
    ("nothing_printed", case(called(None, "a"), called(None, "b"))),
    ("line_missing", case(called(None, "a\nb\n"), called(None, "a\nc\n"))),
    ("line_too_many", case(called(None, "a\nb\n"), called(None, "a\nc\nd\n"))),
    ("prompt_differs", case(called(None, "a\nb"), called(None, "a\nc"))),
    ("prompt_differs", case(ran("a\n> ", "x", ""), ran("b\n> ", "x", ""), typing("x"))),
    ("line_differs", case(called(None, "a\nb\nc"), called(None, "x\nb\ny"))),
    ("text_differs", case(called(1), called(2))),
    ("text_not_matched", case(called(1), called(2))),
    ("wrong_exit_status", case(called(1), called(2))),
]


@pytest.mark.parametrize(("rule", "one", "message"), FIRES)
def test_a_rule_fires_and_says(rule: str, one: Case, message: str) -> None:
    assert sentence(rule, one) == message


@pytest.mark.parametrize(("rule", "one"), LEAVES_ALONE)
def test_a_rule_leaves_its_neighbours_alone(rule: str, one: Case) -> None:
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
