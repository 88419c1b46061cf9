"""Endings, inputs and exceptions: what each rule fires on, says, and leaves alone."""

from __future__ import annotations

from harness.judging.explain.failure import Failure
from harness.model.expectation import Expected, StatedRaise
from harness.model.observation import Ending, Phase
from harness.model.stimulus import Call, Stimulus
from tests.judging.judging_cases import (
    RUN,
    called,
    case,
    ended,
    exactly,
    raised,
    ran,
    session,
    step,
    steps,
    typing,
)

PROMPT = "Your move: "

LOADING = Phase.LOADING
GET_ACTION = Stimulus(action=Call(expression="get_action()"))

FIRES: list[tuple[str, Failure, str]] = [
    (
        "our_fault",
        case(called(1), ended(Ending.HARNESS_ERROR)),
        "The grader itself failed here; this says nothing about the program.",
    ),
    (
        "tampered",
        case(called(1), ended(Ending.TAMPERED)),
        "The program interfered with the grader: this does not count, and a person will check it.",
    ),
    (
        "ran_at_import",
        case(called(1), ended(Ending.ASKED_FOR_MORE, phase=LOADING)),
        "Code outside the functions ran at import: as soon as the file is loaded, "
        "it asks for input.",
    ),
    (
        "ran_at_import",
        case(ended(Ending.ASKED_FOR_MORE, "? "), ended(Ending.ASKED_FOR_MORE, phase=LOADING)),
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
        "it does not end: a loop outside the functions runs forever.",
    ),
    (
        "missing_function",
        case(called(1), ended(Ending.MISSING, detail="add_piece")),
        "The function add_piece is missing: "
        "it is not written yet, or its name is spelled differently.",
    ),
    (
        "printed_without_end",
        case(called(1), ended(Ending.OUTPUT_LIMIT, "no\n" * 500)),
        'add_piece printed without end; the last lines read "no".',
    ),
    (
        "printed_without_end",
        case(
            called("r4", "> ", "x", "> ", "r4", ""),
            ended(Ending.OUTPUT_LIMIT, "> ", "x", "no\n" * 500),
            GET_ACTION,
        ),
        'get_action printed without end after input 1 ("x") and did not ask for input again; the '
        'last lines read "no".',
    ),
    (
        "did_not_ask_for_input",
        case(called("r4", PROMPT, "r4", ""), called("r4"), GET_ACTION),
        "get_action did not ask for input: 1 input should have been read.",
    ),
    (
        "did_not_ask_for_input",
        case(ran("> ", "a", "> ", "b", ""), ended(Ending.CPU_LIMIT), typing("a", "b")),
        "The program did not ask for input, and did not end either: "
        "2 inputs should have been read.",
    ),
    (
        "did_not_end",
        case(called(1), ended(Ending.CPU_LIMIT)),
        "add_piece did not end: perhaps a loop whose condition stays true.",
    ),
    (
        "did_not_end",
        case(ran("> ", "a", "end"), ended(Ending.TIMEOUT, "> ", "a", ""), typing("a")),
        'The program did not end after input 1 ("a"): it waits for something that never happens.',
    ),
    (
        "memory",
        case(called(1), ended(Ending.MEMORY_LIMIT)),
        "add_piece used more memory than is allowed: perhaps something grows without end.",
    ),
    (
        "memory",
        case(called(1), raised("MemoryError")),
        "add_piece used more memory than is allowed: perhaps something grows without end.",
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
        "add_piece was stopped at a shorter time limit, because other checks did not end either.",
    ),
    (
        "should_not_answer",
        case(None, called(1), stated=Expected(ends=Ending.ASKED_FOR_MORE)),
        "add_piece ended, although it should not have ended here.",
    ),
    (
        "called_exit",
        case(called(1), raised("SystemExit", line=7, source="exit()")),
        "add_piece called exit, which ends the whole program (line 7: exit()).",
    ),
    (
        "recursed_too_deep",
        case(called(1), raised("RecursionError", "maximum", line=2, source="return f(n)")),
        "add_piece recursed too deeply: a function calls itself without end (line 2: return f(n)).",
    ),
    (
        "wrong_parameters",
        case(called(1), raised("TypeError", "f() takes 1 positional argument but 2 were given")),
        "The parameters do not fit the call: TypeError: "
        "f() takes 1 positional argument but 2 were given.",
    ),
    (
        "ended_elsewhere",
        case(ended(Ending.ASKED_FOR_MORE), ended(Ending.ASKED_FOR_MORE, phase=Phase.GIVEN)),
        "It ended as it should, but already in what comes before add_piece(board, 'X', 1), which "
        "never ran.",
    ),
    (
        "raised_elsewhere",
        case(called(1), raised("ValueError", "no", line=2, phase=Phase.GIVEN)),
        "What comes first raised ValueError: no (line 2), so add_piece(board, 'X', 1) never ran.",
    ),
    (
        "raised_elsewhere",
        case(raised("ValueError"), raised("ValueError", phase=Phase.ARGUMENTS)),
        "In add_piece(board, 'X', 1), what comes before the call itself raised ValueError, so the "
        "call never ran.",
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
        "add_piece raised KeyError: 'x' instead of ValueError (line 4: d['x']).",
    ),
    (
        "wrong_exception",
        case(
            raised("ValueError", "no"),
            raised("ValueError", "oh"),
            stated=Expected(raises=StatedRaise(type_name="ValueError", message=exactly("no"))),
        ),
        'add_piece raised ValueError with the message "oh", expected "no".',
    ),
    (
        "wrong_exception",
        case(
            raised("NoMoney", bases=("ValueError", "Exception", "BaseException", "object")),
            raised("NoMoney", bases=("Exception", "BaseException", "object")),
            stated=Expected(raises=StatedRaise(type_name="NoMoney", is_a="ValueError")),
        ),
        "add_piece raised NoMoney, which derives from Exception and is no ValueError: its class "
        "should begin with class NoMoney(ValueError).",
    ),
    (
        "did_not_raise",
        case(raised("ValueError"), called(1)),
        "add_piece raised nothing, but ValueError should be raised.",
    ),
    (
        "asked_for_more",
        case(called(1), ended(Ending.ASKED_FOR_MORE, "> ")),
        "add_piece asked for input, although it should ask for none.",
    ),
    (
        "asked_for_more",
        case(ran("> ", "n", ""), ended(Ending.ASKED_FOR_MORE, "> ", "n", "> "), typing("n")),
        'The program still asked for input after input 1 ("n"), although it should have ended.',
    ),
    (
        "asked_for_more",
        case(ran("> ", "", "bye"), ended(Ending.ASKED_FOR_MORE, ">>", "", "> "), typing("")),
        "The program still asked for input after input 1 (only Enter), "
        "although it should have ended; the output already differs before the first input.",
    ),
    (
        "stopped_early",
        case(called("r4", "> ", "x", "> ", "r4", ""), called("x", "> ", "x", ""), GET_ACTION),
        'get_action stopped early: after input 1 ("x") it should have asked for input again, '
        'with "> ". It read 1 of 2 inputs.',
    ),
    (
        "stopped_early",
        case(
            ran("Move: ", "q", "Again? ", "y", "Move: ", "q", "1\nAgain? ", "n"),
            ran("Move: ", "q", "Again? ", "y", "Move: ", "q"),
            typing("q", "y", "q", "n"),
        ),
        'The program stopped early: after input 3 ("q") it should have asked for input again, '
        'with "Again? ". It read 3 of 4 inputs.',
    ),
]

# The neighbours of a case: near enough to be taken for it.
LEAVES_ALONE: list[tuple[str, Failure]] = [
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
    ("raised_elsewhere", case(called(1), raised("ValueError", phase=Phase.ARGUMENTS))),
    ("raised_elsewhere", case(called(1), raised("ValueError", phase=LOADING))),
    ("ended_elsewhere", case(called(1), ended(Ending.ASKED_FOR_MORE, phase=Phase.GIVEN))),
    ("raised_unexpectedly", case(raised("ValueError"), raised("KeyError"))),
    ("wrong_exception", case(called(1), raised("KeyError"))),
    ("did_not_raise", case(called(1), called(2))),
    ("asked_for_more", case(ran("> ", "n", ""), ran(">", "n", ""), typing("n"))),
    ("stopped_early", case(ran("> ", "n", ""), ran("> ", "n", "!"), typing("n"))),
]
