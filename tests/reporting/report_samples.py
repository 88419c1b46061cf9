"""A small class, built by hand, in which every feature of a report occurs."""

from dataclasses import replace
from fractions import Fraction

from harness.judging.side_by_side.comparison import compare_texts, compare_values, described
from harness.model.assignment import Clause, FunctionSignature, ProvidedVariant, SourceFile
from harness.model.observation import Probe, Turn
from harness.model.plan import Place, Plan, Scenario, Visibility
from harness.model.policy import Consequence, Severity, Unparsable
from harness.model.result import RunResult, ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.stimulus import Binding, Key, Stimulus, Typed
from harness.model.submission import Renaming, WrongFiles
from harness.model.values import Value
from harness.model.verdict import (
    Cause,
    Channel,
    CodePlace,
    Comparison,
    Conversation,
    Verdict,
    VerdictKind,
    stated,
)
from harness.reporting.html.class_page import Overview, first_page
from harness.reporting.html.submission_pages import feedback_page, submission_page
from harness.results.student_view import student_view
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from harness.stimuli.session import Session
from tests import plans
from tests.reporting.pages_read import assert_inert

SUPPORT = b"BOARD_SIZE = 8\nBLANK_PIECE: str = '-'\nENTER_COMMAND_MESSAGE = 'Your move: '\n"
TEN = (Binding(name="BOARD_SIZE", literal="10"),)
CANARY = "canary-of-the-hidden-scenario"
PASSED = Verdict(kind=VerdictKind.PASSED)

CLAUSES = (
    Clause(id="4.1", section="§4.1", text="num_hours gives the hours spent, as a float."),
    Clause(id="4.3", section="§4.3", text="The board is a list of columns, each a string."),
    Clause(id="4.6", section="§4.6", text="A command is valid, or the reason is printed."),
    Clause(id="4.7", section="§4.7", text="Prompt until the command is valid."),
    Clause(id="3.5", section="§3 step 5", text="A win prints its message and ends the game."),
)


def _scenario(name: str, function: str, clause: str, *asked: Stimulus, **more: object) -> Scenario:
    group = f"{function}/{name.replace(' ', '-')}"
    swept = "".join(f"[{b.name}={b.literal}]" for b in asked[0].constants)
    fields: dict[str, object] = {
        "visibility": Visibility.VISIBLE,
        "group": group,
        "name": name,
        "function": function,
        "clauses": (clause,),
        "stimuli": asked,
        "place": Place(file=f"specs/connect4ish/{function}.yaml", line=4, column=5),
        "is_sample": len(asked) > 1,
    }
    return plans.scenario(group + swept, **fields | more)


def _call(expression: str, **more: object) -> Stimulus:
    return Stimulus(action=Call(expression=expression), **more)  # type: ignore[arg-type]


HOURS = _scenario("is a float", "num_hours", "4.1", _call("num_hours()"))
BOARD = _scenario("a new board", "generate_initial_board", "4.3", _call("generate_initial_board()"))
BOARD_TEN = _scenario(
    "a new board", "generate_initial_board", "4.3", _call("generate_initial_board()", constants=TEN)
)
LABELS = _scenario(
    "labels under the board",
    "display_board",
    "4.3",
    _call("display_board(board)", given="board = ['----', '--XO', '----', '---X']"),
)
ACCEPTS = _scenario("accepts an add command", "check_input", "4.6", _call('check_input("a1")'))
REFUSES = _scenario(
    "the column after the last",
    "check_input",
    "4.6",
    _call('check_input(f"a{BOARD_SIZE + 1}")', constants=TEN),
)
ASKS = _scenario(
    "prompts until the command is valid",
    "get_action",
    "4.7",
    _call("get_action()", inputs=(Typed(text="r-1"), Typed(text=""), Typed(text="r4"))),
)
SHEET = _scenario(
    "the sheet's example",
    "add_piece",
    "4.3",
    Stimulus(
        action=Session(
            steps=(
                "board = ['----', '---X']",
                "for _ in range(2):\n    add_piece(board, 'X', 0)",
                "board",
            )
        )
    ),
)
WINS = _scenario(
    "boards with a line of four",
    "check_win",
    "3.5",
    _call("check_win(board)", bindings=(Binding(name="board", literal="['XXXX', '----']"),)),
    _call("check_win(board)", bindings=(Binding(name="board", literal="['----', 'OOOO']"),)),
    points=Fraction(2),
)
GAME = _scenario(
    "a vertical win, then no second game",
    "main",
    "3.5",
    Stimulus(
        action=Run(program="a1.py"),
        inputs=(Typed(text="a1"), Typed(text="h"), Typed(key=Key.CTRL_D)),
        constants=(Binding(name="BOARD_SIZE", literal="4"),),
        provide=("notes.txt",),
    ),
    points=Fraction(2),
)
SECRET = _scenario(
    "another board",
    "check_win",
    "3.5",
    _call(f"check_win(['{CANARY}'])", constants=TEN),
    visibility=Visibility.HIDDEN,
)
ODD = _scenario(
    "a leading zero", "check_input", "4.6", _call('check_input("a01")'), informational=True
)
EXTRA = _scenario(
    "a board of one column",
    "display_board",
    "4.3",
    _call('display_board(["-"])'),
    extra_credit=True,
)

SCENARIOS = (
    HOURS, BOARD, BOARD_TEN, LABELS, EXTRA, ACCEPTS, REFUSES, ODD, ASKS, SHEET, WINS, SECRET, GAME,
)  # fmt: skip
FUNCTIONS = dict.fromkeys(each.function for each in SCENARIOS)

PLAN = plans.plan(
    *SCENARIOS,
    assignment=plans.assignment(
        id="connect4ish",
        title="Connect 4 (ish)",
        course="CSSE7030 Assignment 1, Semester 1 2024",
        clauses=CLAUSES,
        functions=tuple(FunctionSignature(name=name, parameters=()) for name in FUNCTIONS),
        variants=(
            ProvidedVariant(constants=(), files=(SourceFile(name="a1_support.py", data=SUPPORT),)),
        ),
    ),
    reference_digest="7" * 64,
)

FACTS = plans.facts(
    assignment="connect4ish",
    started="2024-03-22T16:00:00+10:00",
    finished="2024-03-22T16:03:20+10:00",
    complete=True,
    probes=(
        Probe(name="reading the answer key", prevented=True),
        Probe(name="opening a network connection", prevented=True, detail="EPERM"),
        Probe(name="renicing itself", prevented=False, detail="allowed for its own user"),
    ),
    reference_digest="7" * 64,
    input_mechanism="kernel notification",
    not_prevented="A submission can see which processes run on this machine.",
)


def failed(
    rule: str,
    message: str,
    *differences: Comparison,
    kind: VerdictKind = VerdictKind.FAILED,
    conversation: Conversation | None = None,
) -> Verdict:
    return Verdict(
        kind=kind,
        explanation=stated(rule, message),
        differences=differences,
        conversation=conversation,
    )


def returned(expected: str, actual: str) -> Comparison:
    return compare_values(
        Channel.RETURNS, "return value", Value.parse(expected), Value.parse(actual)
    )


def printed(expected: str, actual: str, subject: str = "turn") -> Comparison:
    """Printed text that differs."""
    return compare_texts(Channel.PRINTS, subject, expected, actual)


WIDE = returned(repr(["-" * 10] * 6), repr(["-" * 8] * 6))
FOUR = "|-|-|-|-|\n|-|-|-|-|\n|-|-|-|-|\n|-|-|-|-|\n 1 2 3 4 \n"
FIRST = FOUR + "Player 1 to move\nPlease enter action (h to view valid commands): "
MOVED = "|-|-|-|-|\n|-|-|-|-|\n|-|-|-|-|\n|X|-|-|-|\n 1 2 3 4 \n"

VERDICTS = {
    HOURS.id: failed("raised", "raised NameError: name 'x' is not defined (line 4: return x)"),
    BOARD.id: PASSED,
    BOARD_TEN.id: failed(
        "hard_coded_size",
        "looks hard-coded to 8: with BOARD_SIZE = 10 it still makes a board of size 8",
        replace(WIDE, rows=(*WIDE.rows[:3], WIDE.rows[-1]), grids=None),
    ),
    LABELS.id: failed(
        "white_space",
        "white space differs: the label row has no space after the last number",
        printed(
            "|-|-|-|-|\n|-|X|-|X|\n 1 2 3 4 \n", "|-|-|-|-|\n|-|X|-|X|\n 1 2 3 4", "printed text"
        ),
    ),
    EXTRA.id: PASSED,
    ACCEPTS.id: PASSED,
    REFUSES.id: failed(
        "printed_instead",
        "printed False; it should be returned",
        returned("False", "None"),
        printed("Invalid column\u202e\n", "False", "printed text"),
    ),
    ODD.id: failed("wrong_value", "returned True, expected False", returned("False", "True")),
    ASKS.id: failed(
        "asked_for_more",
        "asked for more input than the scenario has",
        conversation=Conversation(
            shared=(Turn(printed="Your move: ", typed=Typed(text="r-1")),),
            expected=Turn(
                printed="Invalid format.\n\tTry again\nYour move: ", typed=Typed(text="")
            ),
            actual=Turn(printed="Invalid  format.\nYour move:", typed=Typed(text="")),
            compared=printed(
                "Invalid format.\n\tTry again\nYour move: ", "Invalid  format.\nYour move:"
            ),
        ),
    ),
    SHEET.id: failed(
        "not_changed",
        "board was not changed by add_piece",
        returned("['--XX', '---X']", "['----', '---X']"),
        described(
            Channel.LEAVES, "board afterwards", "a list that contains 'X'", "['----', '---X']"
        ),
    ),
    WINS.id: Verdict(
        kind=VerdictKind.CPU_LIMIT,
        explanation=stated("endless", "did not end within 1 s of computing"),
        draw=1,
        draws_failed=1,
        draws_run=2,
    ),
    SECRET.id: failed(
        "wrong_value", f"returned {CANARY}, expected X", returned(f"'{CANARY}'", "None")
    ),
    GAME.id: failed(
        "ended_early",
        "the program ended before it was asked to",
        described(Channel.EXIT, "exit status", "0", "1"),
        conversation=Conversation(
            shared=(Turn(printed=FIRST, typed=Typed(text="a1")),),
            expected=Turn(printed=MOVED + "Player 2 to move\n? ", typed=Typed(text="h")),
            actual=None,
        ),
    ),
}


def outcome(
    scenario: str, verdict: Verdict, points: Fraction = Fraction(0), out_of: Fraction = Fraction(1)
) -> ScenarioResult:
    return ScenarioResult(scenario_id=scenario, verdict=verdict, points=points, out_of=out_of)


def result(submission_id: str, verdicts: dict[str, Verdict], **more: object) -> SubmissionResult:
    """A graded submission with these verdicts; scenarios not named have passed."""
    outcomes = []
    for scenario in SCENARIOS:
        verdict = verdicts.get(scenario.id, PASSED)
        worth = Fraction(0) if scenario.informational else scenario.points
        outcomes.append(outcome(scenario.id, verdict, worth * verdict.passed, worth))
    counted = [o for o, s in zip(outcomes, SCENARIOS, strict=True) if not s.extra_credit]
    points, whole = sum(o.points for o in outcomes), sum(o.out_of for o in counted)
    fields: dict[str, object] = {
        "status": SubmissionStatus.GRADED,
        "mark": points / whole * 6,
        "out_of": Fraction(6),
        "scenarios": tuple(outcomes),
        "source_digest": "ab" * 32,
        **more,
    }
    return SubmissionResult(id=submission_id, **fields)  # type: ignore[arg-type]


FINDINGS = (
    plans.finding(
        clause="2.1",
        message="the import of random was added",
        consequence=Consequence(severity=Severity.DEDUCT, marks=Fraction(1, 2)),
    ),
    plans.finding(
        rule="method",
        clause="2.2",
        line=40,
        column=12,
        source="    return '|'.join(row)  # <b>",
        message="the method join is not one of the allowed methods",
    ),
)

MANY_FAULTS = result(
    "many-faults",
    VERDICTS,
    mark=Fraction(6 * 3, 13) - Fraction(1, 2),
    flagged=True,
    findings=FINDINGS,
    notes=("The file starts with a byte order mark.",),
)
PERFECT = result("perfect", {})
NOT_READ = {s.id: Verdict(kind=VerdictKind.UNREADABLE) for s in SCENARIOS}
UNREADABLE = result(
    "syntax-error",
    NOT_READ,
    status=SubmissionStatus.UNREADABLE,
    mark=Fraction(0),
    unparsable=Unparsable(
        file="a1.py", reason="expected ':'", line=12, source="def check_input(command)", column=25
    ),
    source_digest="cd" * 32,
)
WRONG_NAME = result(
    "wrong-name",
    NOT_READ,
    status=SubmissionStatus.UNREADABLE,
    mark=Fraction(0),
    problem="found assignment1.py, expected a1.py",
    wrong_files=WrongFiles(renaming=Renaming(found="assignment1.py", expected="a1.py")),
)
OUR_FAULT = result(
    "our-fault",
    {WINS.id: Verdict(kind=VerdictKind.HARNESS_ERROR)},
    status=SubmissionStatus.HARNESS_ERROR,
    mark=None,
)
IMPORT_ASKS = result(
    "Asks At Import",
    {each.id: failed("ran_at_import", "ran at import: line 2 calls input()") for each in SCENARIOS},
)


WIDE_LINE = (
    "    labels += str(column_index + FIRST_COLUMN_NUMBER) * LABEL_SEPARATOR  # the last one"
)
DISPLAY = CodePlace(
    file="a1.py",
    first=80,
    last=83,
    text=("def display_board(board):", "    for column in board:", WIDE_LINE, "    print(labels)"),
)
TABBED = CodePlace(
    file="a1.py",
    first=20,
    last=23,
    text=("def main():", "\tplayer = 1", "        while player:", "\t\tplay(player)"),
)
OWN_CODE = result(
    "own-code",
    {LABELS.id: VERDICTS[LABELS.id], ASKS.id: VERDICTS[ASKS.id], SECRET.id: VERDICTS[SECRET.id]},
    causes=(
        Cause(
            function="display_board",
            explanation=stated(
                "raised_unexpectedly",
                "display_board raised TypeError: can't multiply (line 82: labels += str(1)).",
            ),
            scenarios=(LABELS.id,),
            example=LABELS.id,
            blamed=True,
            place=DISPLAY,
            line=82,
            marks_at_stake=Fraction(1, 2),
        ),
        Cause(
            function="main",
            explanation=stated("asked_for_more", "The program asked for more input than there is."),
            scenarios=(ASKS.id,),
            example=ASKS.id,
            blamed=True,
            place=TABBED,
            marks_at_stake=Fraction(1, 4),
        ),
        Cause(
            function="check_win",
            explanation=stated("wrong_value", f"check_win returned {CANARY}."),
            scenarios=(SECRET.id,),
            example=SECRET.id,
            blamed=True,
        ),
    ),
    mark=Fraction(5),
    findings=FINDINGS,
)


def overview(run: RunResult, plan: Plan) -> Overview:
    numbers = Overview(plan)
    for each in run.submissions:
        numbers.add(each)
    return numbers


def both_pages(result: SubmissionResult, plan: Plan = PLAN) -> tuple[str, str]:
    """The lecturer's page of a submission and the student's, neither of which acts."""
    pages = submission_page(result, plan), feedback_page(student_view(result, plan))
    for page in pages:
        assert_inert(page, scripts=1)
    return pages


def class_page(run: RunResult, plan: Plan) -> str:
    return first_page(run.facts, overview(run, plan))


RUN = RunResult(
    facts=FACTS, submissions=(IMPORT_ASKS, MANY_FAULTS, OUR_FAULT, PERFECT, UNREADABLE, WRONG_NAME)
)
