"""Endings, inputs and exceptions: what each rule fires on, says, and leaves alone."""

from harness.model.expectation import Expected, StatedRaise
from harness.model.observation import Ending, Phase
from harness.model.stimulus import Stimulus
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from tests.judging.judging_cases import (
    RUN,
    Neighbours,
    Sentences,
    called,
    case,
    ended,
    exactly,
    raised,
    ran,
    returns,
    session,
    step,
    steps,
    typing,
)

PROMPT = "Your move: "

LOADING = Phase.LOADING
GET_ACTION = Stimulus(action=Call(expression="get_action()"))

FIRES: Sentences = {
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
        "it does not end: a loop outside the functions runs "
        "forever.": case(called(1), ended(Ending.CPU_LIMIT, phase=LOADING)),
    },
    "missing_function": {
        "The function add_piece is missing: "
        "it is not written yet, or its name is spelled "
        "differently.": case(called(1), ended(Ending.MISSING, detail="add_piece"))
    },
    "printed_without_end": {
        'add_piece printed without end; the last lines read "no".': case(
            called(1), ended(Ending.OUTPUT_LIMIT, "no\n" * 500)
        ),
        'get_action printed without end after input 1 ("x") and did not ask for input again; the '
        'last lines read "no".': case(
            called("r4", "> ", "x", "> ", "r4", ""),
            ended(Ending.OUTPUT_LIMIT, "> ", "x", "no\n" * 500),
            GET_ACTION,
        ),
    },
    "did_not_ask_for_input": {
        "The program did not ask for input, and did not end either: "
        "1 input should have been read.": case(
            ran("> ", "a", ""), ended(Ending.STOPPED_EARLY), typing("a")
        ),
        "get_action did not ask for input: 1 input should have been read.": case(
            called("r4", PROMPT, "r4", ""), called("r4"), GET_ACTION
        ),
        "The program did not ask for input: 1 input should have been read.": case(
            ended(Ending.ASKED_FOR_MORE, "> ", "a", "> "), ran(""), typing("a")
        ),
        "The program did not ask for input, and did not end either: 2 inputs should have been "
        "read.": case(ran("> ", "a", "> ", "b", ""), ended(Ending.CPU_LIMIT), typing("a", "b")),
    },
    "did_not_end": {
        "add_piece did not end: perhaps a loop whose condition stays true.": case(
            called(1), ended(Ending.CPU_LIMIT)
        ),
        'The program did not end after input 1 ("a"): it sleeps too long, or waits for '
        "something that never happens.": case(
            ran("> ", "a", "end"), ended(Ending.TIMEOUT, "> ", "a", ""), typing("a")
        ),
    },
    "memory": {
        "add_piece used more memory than is allowed: perhaps something grows without end.": [
            case(called(1), ended(Ending.MEMORY_LIMIT)),
            case(called(1), raised("MemoryError")),
        ]
    },
    "crashed": {
        "add_piece made Python itself crash (SIGSEGV).": case(
            called(1), ended(Ending.CRASHED, detail="SIGSEGV")
        )
    },
    "ended_early": {
        "add_piece ended the whole process before giving an answer.": case(
            called(1), ended(Ending.ENDED_EARLY)
        )
    },
    "cut_short": {
        "add_piece was stopped at a shorter time limit, because other checks did not "
        "end either.": case(called(1), ended(Ending.STOPPED_EARLY))
    },
    "should_not_answer": {
        "add_piece ended, although it should not have ended here.": case(
            None, called(1), stated=Expected(ends=Ending.ASKED_FOR_MORE)
        )
    },
    "called_exit": {
        "add_piece called exit, which ends the whole program (line 7: exit()).": case(
            called(1), raised("SystemExit", line=7, source="exit()")
        )
    },
    "recursed_too_deep": {
        "add_piece recursed too deeply: a function calls itself too often, perhaps without end "
        "(line 2: return f(n)).": case(
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
        "It ended as it should, but already in what comes before add_piece(board, 'X', 1), which "
        "never "
        "ran.": case(ended(Ending.ASKED_FOR_MORE), ended(Ending.ASKED_FOR_MORE, phase=Phase.GIVEN))
    },
    "raised_elsewhere": {
        "What comes first raised ValueError: no (line 2), so add_piece(board, 'X', 1) "
        "never ran.": case(called(1), raised("ValueError", "no", line=2, phase=Phase.GIVEN)),
        "In add_piece(board, 'X', 1), what comes before the call itself raised ValueError, so the "
        "call never ran.": case(raised("ValueError"), raised("ValueError", phase=Phase.ARGUMENTS)),
    },
    "raised_unexpectedly": {
        "add_piece raised ValueError (line 1: int('x')).": case(
            called(1, "x\n"), raised("ValueError", line=1, source="int('x')")
        ),
        "add_piece raised ValueError: bad \\x1b[31m (line 12: int(x)).": case(
            called(1), raised("ValueError", "bad \x1b[31m", line=12, source="    int(x)")
        ),
        "In step 2 (2), it raised KeyError.": case(
            session(step(1), step(2)), session(step(1), step(error="KeyError")), steps("1", "2")
        ),
    },
    "wrong_exception": {
        "add_piece raised KeyError: 'x' instead of ValueError (line 4: d['x']).": case(
            raised("ValueError"), raised("KeyError", "'x'", line=4, source="d['x']")
        ),
        'add_piece raised ValueError with the message "oh", expected "no".': case(
            raised("ValueError", "no"),
            raised("ValueError", "oh"),
            stated=Expected(raises=StatedRaise(type_name="ValueError", message=exactly("no"))),
        ),
        "add_piece raised NoMoney, which derives from Exception and not from ValueError: its class "
        "should begin with class NoMoney(ValueError).": case(
            raised("NoMoney", bases=("ValueError", "Exception", "BaseException", "object")),
            raised("NoMoney", bases=("Exception", "BaseException", "object")),
            stated=Expected(raises=StatedRaise(type_name="NoMoney", is_a="ValueError")),
        ),
    },
    "did_not_raise": {
        "add_piece raised nothing, but ValueError should be raised.": case(
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
        "add_piece asked for input, although it should ask for none.": case(
            called(1), ended(Ending.ASKED_FOR_MORE, "> ")
        ),
        "The program reads the terminal itself: what is piped in is read by input() and sys.stdin, "
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
        'The program stopped early: after input 1 ("a") it should have asked for input again, '
        'with "> ". It read 1 of 2 inputs.': case(
            ran("> ", "a", "b\n> ", "n", ""), ran("> ", "a", "b"), typing("a", "n")
        ),
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

LEAVES_ALONE: Neighbours = {
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
