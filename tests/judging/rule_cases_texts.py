"""Endings, inputs, exceptions, texts and boards: what rules fire on, say, and leave alone."""

from dataclasses import replace

from harness.execution.folder import TOO_FULL
from harness.matchers.kinds.combinations import ALine, AllOf, NoneOf
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import HasNumber, HasNumbers, Matches
from harness.model.expectation import Expected
from harness.model.observation import Ending, Filled, Frame, OutputLimit, Phase, Raised
from harness.model.stimulus import Stimulus
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from tests.judging.judging_cases import (
    RUN,
    Neighbours,
    Sentences,
    breaks,
    called,
    case,
    ended,
    fails_to_print,
    prints,
    raised,
    raising,
    ran,
    returns,
    session,
    some_turns,
    step,
    steps,
    typing,
)

BOARD = "|-|-|-|\n|-|-|-|\n|X|O|-|\n 1 2 3 \n"
BOARD_BESIDE = "|-|-|-|\n|-|-|-|\n|-|O|X|\n 1 2 3 \n"
TALL = "|-|-|X|\n|-|-|-|\n|-|-|-|\n 1 2 3 \n"
WIDE = "|-|-|-|\n|-|-|-|\n|X|-|-|\n 1 2 3 \n"
PROMPT = "Your move: "
NO_END = NoneOf(matchers=(Contains(text="wins"), Contains(text="Red")))
MOVES = AllOf(matchers=(Contains(text="moves"), NO_END))
TRIES = ALine(matcher=AllOf(matchers=(Contains(text="tries"), HasNumber(number="4"))))
GRID = "|  |0\n|X |1\n+--+\n 01"
SHOWN = Expected(turns=some_turns({0: Contains(text="Column"), 1: Contains(text=GRID)}))
LOADING = Phase.LOADING
SCREEN_FULL = OutputLimit(filled=Filled.SCREEN, kib=256)
FOLDER_FULL = OutputLimit(filled=Filled.FOLDER, kib=4096)
CALL_OF_F = Frame(file="a1.py", line=2, function="f", source="return f(n)")
GET_ACTION = Stimulus(action=Call(expression="get_action()"))
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
        'add prints the same 2 lines twice in a row, including "one".': prints(
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
        'write only "\\n"; a csv.writer does with '
        'lineterminator="\\n".': prints("a\nb\nc\n", "a\r\nb\r\nc\n"),
        "The line that it returns ends with \\r\\n, as on Windows, and should end with \\n: "
        'write only "\\n".': returns("a\n", "a\r\n"),
    },
    "only_whitespace": {
        "Only white space differs in the returned text: line 1 is missing the space at "
        "column 2.": returns("a b", "ab")
    },
    "looks_alike": {
        "The printed text looks right, but u\u0308 is written as u + U+0308 COMBINING DIAERESIS, "
        "it should be U+00FC LATIN SMALL LETTER U WITH DIAERESIS.": prints("\u00fc\n", "u\u0308\n"),
        "The returned text looks right, but has U+00A0 NO-BREAK SPACE where U+0020 SPACE "
        "should be.": returns("a b", "a\u00a0b"),
        "The returned value (item [1]) looks right, but has U+200B ZERO WIDTH SPACE, which is "
        "invisible, and should have nothing there.": returns(["a", "b"], ["a", "b\u200b"]),
        "The printed text looks right, but \u2212 is written as U+2212 MINUS SIGN, it should be "
        "U+002D HYPHEN-MINUS.": fails_to_print(HasNumber(number="-5.5"), "\u00fc: \u22125.5\n"),
        "The returned text looks right, but \u066b is written as U+066B ARABIC DECIMAL SEPARATOR, "
        "it should be U+002E FULL STOP.": breaks(HasNumbers(numbers=(5.5,)), "is 5\u066b5"),
    },
    "only_case": {
        'Only upper and lower case differ: line 1 is "a", it should be "A".': returns("A", "a"),
        'Only upper and lower case differ: line 1 is "Player 1 Wins!", '
        'it should be "Player 1 wins!".': prints("Player 1 wins!\n", "Player 1 Wins!\n"),
    },
    "unexpected_output": {
        'add prints "debug 1", although nothing should be printed here.': case(
            called(True), called(True, "debug 1\n")
        ),
        'After input 1 ("q"), the program should end; it says "Player 2 wins!".': case(
            ran("> ", "q", ""), ran("> ", "q", "\nPlayer 2 wins!\nBye\n"), typing("q")
        ),
        'After input 1 ("q"), add should end; it says "1".': case(
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
        'add prints nothing, but "Full!" should be printed.': case(
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
        'add prints an extra line: line 2, "b".': prints("a\nc\n", "a\nb\nc\n"),
        'add returns 2 extra lines from line 2: "b".': returns("a\nc", "a\nb\nb2\nc"),
    },
    "prompt_differs": {
        'Before the first input, the prompt is "move? ", it should be "Move: ".': case(
            ran("Hi\nMove: ", "a", ""), ran("Hi\nmove? ", "a", ""), typing("a")
        )
    },
    "line_differs": {
        'Line 2 is "B2", it should be "b".': prints("a\nb\nc\n", "a\nB2\nc\n"),
        'add prints "Empty!" instead of "Full!".': prints("Full!\n", "Empty!\n"),
    },
    "text_differs": {
        'The output first differs in line 2, column 1: "x" instead of "b".': prints(
            "a\nb\nc\nd\n", "a\nx\nc\ny\n"
        ),
        'The output first differs in line 1: an empty line instead of "*".': prints(
            "*\n**\n***\n", "\n*\n**\n"
        ),
    },
    "text_not_matched": {
        'add prints "hi\\n", expected text that contains "moves".': fails_to_print(
            Contains(text="moves"), "hi\n"
        ),
        'After input 1 ("3"), the board is not shown: the 4 lines from "|  |0" to " 01" are '
        "missing.": case(
            None, ran("Column? ", "3", "Red wins\nColumn? "), typing("3"), stated=SHOWN
        ),
        'After input 1 ("3"), the board is wrong: it has no line "|X |1".': case(
            None,
            ran("Column? ", "3", GRID.replace("X", "O") + "\nColumn? "),
            typing("3"),
            stated=SHOWN,
        ),
        'add does not print the 2 lines from "one" to "two".': fails_to_print(
            Contains(text="one\ntwo"), "hi\n"
        ),
        "add does not print that it is a tie.": fails_to_print(
            Matches(pattern="tie", words="that it is a tie"), "hi\n"
        ),
        'add prints "Red moves\\n", expected anything but text that contains '
        '"Red".': fails_to_print(MOVES, "Red moves\n"),
        'add prints no line that contains "tries" and has the number 4: '
        'its 2 lines are "4" and "many tries".': fails_to_print(TRIES, "4\nmany tries\n"),
        'add prints no line with the number 4: its only line is "many tries".': fails_to_print(
            TRIES, "many tries\n"
        ),
        'add prints no line that contains "tries" and has the number 4: among its 6 lines '
        'are "many tries", "4" and "d".': fails_to_print(TRIES, "a\nmany tries\nb\nc\n4\nd\n"),
        'add prints nothing, expected a line that contains "tries".': fails_to_print(TRIES, ""),
    },
    "our_fault": {
        "The grader itself failed here; this says nothing about the program.": case(
            called(1), ended(Ending.HARNESS_ERROR)
        )
    },
    "tampered": {
        "The program interfered with the grader: this does not count, and a person will "
        "check it.": case(called(1), ended(Ending.TAMPERED))
    },
    "ran_at_import": {
        "Code outside the functions ran at import: as soon as the file is loaded, "
        "it asks for input.": [
            case(called(1), ended(Ending.ASKED_FOR_MORE, phase=LOADING)),
            case(ended(Ending.ASKED_FOR_MORE, "? "), ended(Ending.ASKED_FOR_MORE, phase=LOADING)),
        ],
        "Code outside the functions ran at import: as soon as the file is loaded, "
        "it raised NameError (no x) on line 3: print(x).": case(
            called(1), raised("NameError", "no x", line=3, source="  print(x)", phase=LOADING)
        ),
        "Python cannot read the file: expected ':' (a1.py, line 3): def f().": case(
            called(1),
            raised(
                "SyntaxError",
                "expected ':' (a1.py, line 3)",
                line=3,
                source="def f()",
                phase=LOADING,
            ),
        ),
        "Code outside the functions ran at import: as soon as the file is loaded, "
        "it raised SyntaxError (invalid syntax (<string>, line 1)) on line 3: eval('1+').": case(
            called(1),
            raised(
                "SyntaxError",
                "invalid syntax (<string>, line 1)",
                line=3,
                source="eval('1+')",
                phase=LOADING,
            ),
        ),
        "Code outside the functions ran at import: as soon as the file is loaded, it "
        "called exit.": case(called(1), raised("SystemExit", phase=LOADING)),
        "Code outside the functions ran at import: as soon as the file is loaded, "
        "it does not end: perhaps a loop outside the "
        "functions.": case(called(1), ended(Ending.CPU_LIMIT, phase=LOADING)),
    },
    "missing_function": {
        "The function add is missing: "
        "it is not written yet, or its name is spelled "
        "differently.": case(called(1), ended(Ending.MISSING, detail="add")),
        "The variable answer is missing: "
        "it is not written yet, or its name is spelled "
        "differently.": case(
            called(1),
            ended(Ending.MISSING, detail="answer"),
            Stimulus(action=Call(expression="answer * add(2)")),
        ),
    },
    "printed_without_end": {
        'add printed more than 256 KiB, which is the limit; the last lines read "no".': case(
            called(1), ended(Ending.OUTPUT_LIMIT, "no\n" * 500, output_limit=SCREEN_FULL)
        ),
        'add printed more than allowed; the last lines read "no".': case(
            called(1), ended(Ending.OUTPUT_LIMIT, "no\n" * 500)
        ),
        "add wrote more than 300 files or 4 MiB in its folder, which is the limit.": case(
            called(1),
            ended(Ending.OUTPUT_LIMIT, detail=TOO_FULL, output_limit=FOLDER_FULL),
        ),
        'get_action printed more than 256 KiB, which is the limit, after input 1 ("x") and did '
        'not ask for input again; the last lines read "no".': case(
            called("r4", "> ", "x", "> ", "r4", ""),
            ended(Ending.OUTPUT_LIMIT, "> ", "x", "no\n" * 500, output_limit=SCREEN_FULL),
            GET_ACTION,
        ),
    },
    "did_not_ask_for_input": {
        "The program did not ask for input, and did not end either: 1 input should "
        "have been read.": case(ran("> ", "a", ""), ended(Ending.STOPPED_EARLY), typing("a")),
        "get_action did not ask for input: 1 input should have been read.": case(
            called("r4", PROMPT, "r4", ""), called("r4"), GET_ACTION
        ),
        "The program did not ask for input: 1 input should have been read.": case(
            ended(Ending.ASKED_FOR_MORE, "> ", "a", "> "), ran(""), typing("a")
        ),
        "The program did not ask for input, and did not end either: 2 inputs should have been "
        "read.": case(ran("> ", "a", "> ", "b", ""), ended(Ending.CPU_LIMIT), typing("a", "b")),
    },
    "takes_too_long": {
        "add takes longer than allowed, but less than twice as long: the loop is not endless, but "
        "there is a quicker way.": case(called(1), ended(Ending.CPU_LIMIT, ends_in_double=True)),
    },
    "did_not_end": {
        "add did not end: perhaps a loop whose condition stays true, or a function that calls "
        "itself.": case(called(1), ended(Ending.CPU_LIMIT)),
        'The program did not end after input 1 ("a"): it sleeps too long, or waits for '
        "something that never happens.": case(
            ran("> ", "a", "end"), ended(Ending.TIMEOUT, "> ", "a", ""), typing("a")
        ),
    },
    "memory": {
        "add used more memory than is allowed: perhaps something grows without end.": [
            case(called(1), ended(Ending.MEMORY_LIMIT)),
            case(called(1), raised("MemoryError")),
        ],
        "add used more memory than is allowed: f calls itself too often.": case(
            called(1),
            replace(
                raised("MemoryError", line=2, source="return f(n)"),
                ending=Ending.MEMORY_LIMIT,
                raised=Raised(type_name="MemoryError", message="", frames=(CALL_OF_F,) * 40),
            ),
        ),
    },
    "crashed": {
        "add made Python itself crash (SIGSEGV).": case(
            called(1), ended(Ending.CRASHED, detail="SIGSEGV")
        )
    },
    "ended_early": {
        "add ended the whole process before giving an answer.": case(
            called(1), ended(Ending.ENDED_EARLY)
        )
    },
    "cut_short": {
        "add was stopped at a shorter time limit, because other checks did not end either.": case(
            called(1), ended(Ending.STOPPED_EARLY)
        )
    },
    "should_not_answer": {
        "add ended, although it should not have ended here.": case(
            None, called(1), stated=Expected(ends=Ending.ASKED_FOR_MORE)
        )
    },
    "called_exit": {
        "add called exit, which ends the whole program (line 7: exit()).": case(
            called(1), raised("SystemExit", line=7, source="exit()")
        )
    },
    "recursed_too_deep": {
        "add raised RecursionError: a function calls itself too often (line 2: return f(n)).": case(
            called(1), raised("RecursionError", "maximum", line=2, source="return f(n)")
        )
    },
    "wrong_parameters": {
        "The parameters do not fit the call: TypeError: "
        "f() takes 1 positional argument but 2 were given.": case(
            called(1), raised("TypeError", "f() takes 1 positional argument but 2 were given")
        )
    },
    "ended_elsewhere": {
        "It ended as it should, but too early: add(board, 'X', 1) never ran.": case(
            ended(Ending.ASKED_FOR_MORE), ended(Ending.ASKED_FOR_MORE, phase=Phase.GIVEN)
        )
    },
    "raised_elsewhere": {
        "The code before the call raised ValueError: no (line 2), so add(board, 'X', 1) "
        "never ran.": case(called(1), raised("ValueError", "no", line=2, phase=Phase.GIVEN)),
        "In add(board, 'X', 1), evaluating an argument or the object raised ValueError, so the "
        "call never ran.": case(raised("ValueError"), raised("ValueError", phase=Phase.ARGUMENTS)),
    },
    "raised_unexpectedly": {
        "add raised ValueError (line 1: int('x')).": case(
            called(1, "x\n"), raised("ValueError", line=1, source="int('x')")
        ),
        "add raised ValueError: bad \\x1b[31m (line 12: int(x)).": case(
            called(1), raised("ValueError", "bad \x1b[31m", line=12, source="    int(x)")
        ),
        "In step 2 (2), it raised KeyError.": case(
            session(step(1), step(2)), session(step(1), step(error="KeyError")), steps("1", "2")
        ),
    },
    "wrong_exception": {
        "add raised KeyError: 'x' instead of ValueError (line 4: d['x']).": case(
            raised("ValueError"), raised("KeyError", "'x'", line=4, source="d['x']")
        ),
        'add raised ValueError with the message "oh", expected "no".': case(
            raised("ValueError", "no"),
            raised("ValueError", "oh"),
            stated=raising("ValueError", "no"),
        ),
        "add raised NoMoney, which derives from Exception and not from ValueError: its class "
        "should begin with class NoMoney(ValueError).": case(
            raised("NoMoney", bases=("ValueError", "Exception", "BaseException", "object")),
            raised("NoMoney", bases=("Exception", "BaseException", "object")),
            stated=raising("NoMoney", is_a="ValueError"),
        ),
    },
    "did_not_raise": {
        "add raised nothing, but ValueError should be raised.": case(
            raised("ValueError"), called(1)
        )
    },
    "asked_for_more": {
        "The program still asked for input after 1 input: at most 1 input should be needed.": case(
            ran("> ", "n", ""),
            ended(Ending.ASKED_FOR_MORE, "> ", "n", "> "),
            typing("n"),
            stated=Expected(reads_at_most=1),
        ),
        'After input 1 ("12"), the program should have ended; it asks for more input.': case(
            ran("> ", "12", ""),
            ended(Ending.ASKED_FOR_MORE, "> ", "12", "> "),
            typing("12"),
            stated=Expected(reads_at_most=7),
        ),
        "add asked for input, although it should ask for none.": case(
            called(1), ended(Ending.ASKED_FOR_MORE, "> ")
        ),
        "The program reads the terminal itself: piped input is read by input() and sys.stdin, "
        "not by open(0) or os.read(0, …).": case(
            ran("1\n"),
            ended(Ending.ASKED_FOR_MORE, ""),
            Stimulus(action=Run(program="a1.py"), stdin="1\n"),
        ),
        'After input 1 ("n"), the program should have ended; it asks for more input.': case(
            ran("> ", "n", ""), ended(Ending.ASKED_FOR_MORE, "> ", "n", "> "), typing("n")
        ),
        "After input 1 (only Enter), the program should have ended; it asks for more input.": case(
            ran("> ", "", "bye"), ended(Ending.ASKED_FOR_MORE, ">>", "", "> "), typing("")
        ),
        'After input 1 ("q"), the program should have ended; it says "Player 2 wins" and '
        "asks for more input.": case(
            ran("> ", "q", "bye\n"),
            ended(Ending.ASKED_FOR_MORE, "> ", "q", "bye\n\nPlayer 2 wins\n> "),
            typing("q"),
        ),
    },
    "stopped_early": {
        'The program stopped early: after input 1 ("a") it should have asked for input again, with '
        '"> ". It read 1 of '
        "2 inputs.": case(ran("> ", "a", "b\n> ", "n", ""), ran("> ", "a", "b"), typing("a", "n")),
        'get_action stopped early: after input 1 ("x") it should have asked for input again, '
        'with "> ". It read 1 of 2 inputs.': case(
            called("r4", "> ", "x", "> ", "r4", ""), called("x", "> ", "x", ""), GET_ACTION
        ),
        'The program stopped early: after input 3 ("q") it should have asked for input again, '
        'with "Again? ". It read 3 of 4 inputs.': case(
            ran("Move: ", "q", "Again? ", "y", "Move: ", "q", "1\nAgain? ", "n"),
            ran("Move: ", "q", "Again? ", "y", "Move: ", "q"),
            typing("q", "y", "q", "n"),
        ),
    },
}
SPACE_DIFFERS = "Only white space differs in the printed text: {}."
SPACING = [
    ("a\n b\n", "a\nb\n", "line 2 is missing the space at its start"),
    ("a\nb \n", "a\nb\n", "line 2 is missing the space at its end"),
    ("a\nb", "a\nb  ", "line 2 has 2 extra spaces at its end"),
    (" 1 2 3 ", "1 2 3 ", "line 1 is missing the space at its start"),
    (" 1 2 3 ", "123", "line 1 is missing the space at its start (more differences follow)"),
    ("a b", "a  b", "line 1 has an extra space at column 3"),
    ("a: b", "a:b", "line 1 is missing the space at column 3"),
    ("x", "\tx", "line 1 has 1 tab at its start where nothing should be"),
    ("  x", "\tx", "line 1 has 1 tab at its start where 2 spaces should be"),
    ("a\n", "a", 'the line end after "a" is missing'),
    ("a\n", "a\n\n", 'there is an extra line end after "a"'),
    ("a\n\n\n", "a", '3 line ends after "a" are missing'),
    ("a\n\nb", "a\nb", "an empty line is missing at line 2"),
    ("a\nb", "a\n\nb", "there is an extra empty line at line 2"),
    ("a\nb", "\na\nb", "there is an extra empty line at line 1"),
    ("a b\nc", "a\nb c", "the lines break in different places, first at line 1"),
    ("a\nb\n", "a  \nb\n\n", "line 1 has 2 extra spaces at its end (more differences follow)"),
    ("a\n\nb\n", "a\nb \n", "an empty line is missing at line 2 (more differences follow)"),
    ("a\nb\n", "a\n\nb \n", "there is an extra empty line at line 2 (more differences follow)"),
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
    "looks_alike": [
        prints("a b", "a\tb"),
        prints("\u00e9", "e"),
        returns(["a"], ["b"]),
        fails_to_print(HasNumber(number="-5.5"), "\u22125.6\n"),
        fails_to_print(Matches(pattern="u"), "\u00fc\n"),
    ],
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
    "our_fault": [case(called(1), ended(Ending.CRASHED))],
    "tampered": [case(called(1), ended(Ending.ENDED_EARLY))],
    "ran_at_import": [
        case(called(1), raised("NameError", "no x", line=3, source="print(x)")),
        case(ran("x"), ended(Ending.CPU_LIMIT, phase=LOADING), RUN),
    ],
    "missing_function": [case(called(1), raised("NameError", "name 'f' is not defined"))],
    "printed_without_end": [case(called(1), ended(Ending.CPU_LIMIT, "no\n" * 500))],
    "did_not_ask_for_input": [
        case(called("r4", "> ", "r4", ""), raised("ValueError")),
        case(called("r4", "> ", "r4", ""), called("r5", "> ", "r4", "")),
        returns(1, 2),
    ],
    "takes_too_long": [case(called(1), ended(Ending.CPU_LIMIT))],
    "did_not_end": [case(called(1), ended(Ending.STOPPED_EARLY))],
    "memory": [case(called(1), raised("ValueError", "MemoryError"))],
    "crashed": [case(called(1), ended(Ending.ENDED_EARLY))],
    "ended_early": [case(called(1), raised("SystemExit"))],
    "cut_short": [case(called(1), ended(Ending.TIMEOUT))],
    "should_not_answer": [returns(1, 2)],
    "called_exit": [case(called(1), raised("KeyboardInterrupt"))],
    "recursed_too_deep": [case(called(1), raised("ValueError", "RecursionError"))],
    "wrong_parameters": [
        case(
            called(1), raised("TypeError", "g() takes 1 positional argument", line=9, source="g()")
        ),
        case(called(1), raised("TypeError", "bad operand type for unary +")),
    ],
    "raised_elsewhere": [
        case(called(1), raised("ValueError", phase=Phase.ARGUMENTS)),
        case(called(1), raised("ValueError", phase=LOADING)),
    ],
    "ended_elsewhere": [case(called(1), ended(Ending.ASKED_FOR_MORE, phase=Phase.GIVEN))],
    "raised_unexpectedly": [case(raised("ValueError"), raised("KeyError"))],
    "wrong_exception": [case(called(1), raised("KeyError"))],
    "did_not_raise": [returns(1, 2)],
    "asked_for_more": [case(ran("> ", "n", ""), ran(">", "n", ""), typing("n"))],
    "stopped_early": [case(ran("> ", "n", ""), ran("> ", "n", "!"), typing("n"))],
}
