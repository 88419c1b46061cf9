"""A submission's failures in a terminal and on its page; what a reader may paste; annotations."""

import code
import io
import random
import re
import sys
import time
from contextlib import redirect_stdout
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from markupsafe import escape

from harness.model.assignment import Surroundings
from harness.model.observation import Turn
from harness.model.plan import Scenario
from harness.model.policy import Unparsable, UnreadableKind
from harness.model.result import SubmissionResult
from harness.model.stimulus import Binding, Clock, Stimulus, Typed
from harness.model.submission import Renaming, WrongFiles
from harness.model.verdict import (
    Cause,
    CodePlace,
    Conversation,
    StandInOutcome,
    Verdict,
    VerdictKind,
    stated,
)
from harness.reporting.github import Annotation, placed
from harness.reporting.html.environment import TAB_SIGN, source_lines
from harness.reporting.html.submission_pages import feedback_page
from harness.reporting.terminal import cards
from harness.reporting.terminal.tables import show_submission
from harness.reporting.view import words
from harness.reporting.view.comparisons import folded
from harness.reporting.view.paste import (
    called,
    constant_changes,
    python_lines,
    set_up,
    shell_command,
    to_try,
)
from harness.results.redaction import ShownCause, ShownCheck
from harness.results.student_view import EVERYTHING, student_view
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from harness.stimuli.session import Session
from tests.reporting.pages_read import Page, assert_inert, on_terminal, words_of
from tests.reporting.report_samples import (
    ACCEPTS,
    BOARD,
    CLAUSES,
    GAME,
    HOURS,
    LABELS,
    MANY_FAULTS,
    PASSED,
    PERFECT,
    PLAN,
    REFUSES,
    SCENARIOS,
    SHEET,
    SUPPORT,
    UNREADABLE,
    WINS,
    both_pages,
    failed,
    outcome,
    printed,
    result,
)
from tests.tiny_course import ran

AROUND = Surroundings.of(PLAN.assignment)


def page_of(*causes: ShownCause) -> str:
    return feedback_page(replace(student_view(PERFECT, PLAN), causes=causes))


def check_of(name: str, verdict: Verdict, scenario: Scenario = HOURS) -> ShownCheck:
    return replace(ShownCheck.of(scenario, outcome(scenario.id, verdict)), function=name)


def causes(submission: SubmissionResult) -> tuple[ShownCause, ...]:
    return student_view(submission, PLAN, visible=EVERYTHING).causes


def test_causes_are_joined_and_what_stops_several_functions_is_first() -> None:
    missing = failed("missing_module", "No module named x")
    wrong = failed("wrong_value", "returned 1")
    found = causes(result("x", {HOURS.id: wrong, BOARD.id: missing, GAME.id: missing}))
    assert [cause.message for cause in found] == ["No module named x", "returned 1"]
    wrong = [each for each in SCENARIOS if each.function in ("check_input", "check_win")]
    found = causes(
        result("x", {one.id: failed("returned_none", f"{one.id} returned None") for one in wrong})
    )
    assert {cause.function: cause.count for cause in found} == {"check_input": 2, "check_win": 2}


def test_a_sample_names_the_draw_that_it_shows() -> None:
    sample = next(c.checks[0] for c in causes(MANY_FAULTS) if words.draws(c.checks[0].verdict))
    assert words.draws(sample.verdict) == "1 of 2 cases fail; this is the smallest"
    assert "'OOOO'" in python_lines(sample.stimulus, AROUND)


def test_a_long_game_shows_its_end_and_folds_its_beginning() -> None:
    turns = tuple(Turn(printed="board\n" * 9 + "? ", typed=Typed(text=f"a{i}")) for i in range(20))
    earlier, recent = folded(turns)
    assert earlier + recent == turns
    assert earlier[0] == turns[0]
    assert sum(turn.printed.count("\n") + 1 for turn in recent) <= 40


WORKS = "With the <course>'s own module this works"
FAILS = "returned 1. This was with the course's own module instead of yours"
RESCUED = replace(
    PASSED,
    explanation=stated("stand_in_passed", WORKS),
    stand_in=StandInOutcome.PASSED,
)
BEYOND = replace(failed("wrong_value", FAILS), stand_in=StandInOutcome.FAILED)
RESULT = result("ada", {HOURS.id: RESCUED, BOARD.id: RESCUED, REFUSES.id: BEYOND})
ONE = result("one", {LABELS.id: RESCUED})
NONE = result("none", {ACCEPTS.id: BEYOND})
RENAME = WrongFiles(renaming=Renaming(found="assignment1.py", expected="a1.py"))
COUNTED = "2 checks pass only with the course's file instead of one"


def test_pages_and_terminal_say_what_was_rescued() -> None:
    for made, one, none in zip(*map(both_pages, (RESULT, ONE, NONE)), strict=True):
        assert made.count(f"<bdi>{escape(WORKS)}</bdi>") == 2
        assert escape(FAILS) in made
        assert escape(COUNTED) in made
        assert "1 check passes only with" in one
        assert "There is nothing to fix" not in one
        assert "only with the course" not in none
    assert f"{COUNTED} of the submission's\n" in on_terminal(show_submission(RESULT, PLAN))


@pytest.mark.parametrize(
    ("wrong", "wanted", "said"),
    [
        (RENAME, ("a1.py",), "Rename assignment1.py to a1.py"),
        (WrongFiles(), ("a1.py",), "Hand in a1.py, with exactly this name"),
        (WrongFiles(), ("a.py", "b.py"), "Hand in a.py and b.py, with exactly these names"),
        (None, ("a1.py",), ""),
    ],
)
def test_wrong_files_have_a_remedy(
    wrong: WrongFiles | None, wanted: tuple[str, ...], said: str
) -> None:
    found = words.remedy(wrong, wanted)
    assert found.startswith(said)
    assert bool(found) == bool(said)


def test_own_lines_are_coloured_and_inert() -> None:
    lines = ["def f(x):  # <b>", "    return 'a\x1b' + 12", "\tif x in y: '''", "still text"]
    first, second, third, last = map(str, source_lines(lines))
    assert first == (
        '<span class="k">def</span> <span class="f">f</span>(x):  '
        '<span class="c"># &lt;b&gt;</span>'
    )
    assert """<span class="s">'a<span class="esc">\\x1b</span>'</span>""" in second
    assert '<span class="n">12</span>' in second
    assert '<span class="k">in</span>' in third
    assert last == '<span class="s">still text</span>'


@pytest.mark.parametrize(
    "text", ["(" * 200, "'" * 199, "f'{" * 66, "0" * 200, "\\" * 200, ' "' * 99]
)
def test_colouring_hostile_lines_is_quick(text: str) -> None:
    begun = time.process_time()
    assert len(source_lines([text] * 60)) == 60
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("kind", "source", "is_marked"),
    [
        (UnreadableKind.OTHER, "\tif x", False),
        (UnreadableKind.OTHER, " \tif x", True),
        (UnreadableKind.MIXED_TABS, "\treturn x", True),
    ],
)
def test_a_tab_is_marked_where_spaces_indent_too(
    kind: UnreadableKind, source: str, is_marked: bool
) -> None:
    assert UNREADABLE.unparsable is not None
    broken = replace(UNREADABLE.unparsable, kind=kind, source=source)
    page = feedback_page(student_view(replace(UNREADABLE, unparsable=broken), PLAN))
    assert (TAB_SIGN in page) is is_marked
    assert ("    if x" in page) is not is_marked


SAID = stated("r", "It is wrong.")
HIDDEN = ShownCause(function="check_win", hidden=3, clauses=CLAUSES[3:4], varied=("a1_support.py",))


def test_only_hidden_failures_are_named_first_with_advice() -> None:
    _, top, rest = words_of(page_of(HIDDEN)).split("1 thing to fix")
    assert "Only hidden checks fail." in top
    assert "The hidden ones test check_win" in top
    assert "3 hidden checks fail; every check that you can see passes." in rest
    assert CLAUSES[3].text in rest
    assert "What to try: call check_win with your own inputs" in rest
    assert "other values of the constants in a1_support.py" in rest
    unvaried = assert_inert(page_of(replace(HIDDEN, varied=())), 1).text
    assert "constants" not in unvaried.split("What to try:")[1].split(".")[0]


def test_hidden_failures_of_several_functions_are_one_card() -> None:
    other = replace(HIDDEN, function="main", hidden=1, marks=Fraction(1, 4), clauses=())
    page = page_of(HIDDEN, other)
    text = words_of(page)
    assert page.count("<h3") == text.count("2 functions in hidden") + 1
    # It is two of the things that the heading counts.
    assert "2 things to fix" in text
    assert "1\u20132. 2 functions in hidden checks" in text
    assert "4 hidden checks fail; every check that you can see passes." in text
    assert "check_win 3 checksThe sheet, §4.7: Prompt until" in text
    assert "main 1 check, up to 0.25 marks" in text
    assert text.count("What to try: call each of your functions with your own inputs") == 1


def test_extra_credit_is_not_mentioned_if_there_is_none() -> None:
    no_extra = tuple(each for each in PLAN.scenarios if not each.extra_credit)
    plain = student_view(PERFECT, replace(PLAN, scenarios=no_extra))
    assert "extra" not in assert_inert(feedback_page(plain), 1).text


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (PERFECT.mark, "6.46 of 6 marks, with 0.46 of 0.46 extra"),
        (Fraction(0), "0.00 of 6 marks, with 0 of 0.46 extra"),
        (None, ""),
    ],
    ids=["earned", "a finding makes the mark 0", "no mark"],
)
def test_extra_credit_is_shown_as_it_was_earned(mark: Fraction | None, said: str) -> None:
    view = student_view(replace(PERFECT, mark=mark), PLAN)
    assert said in words_of(feedback_page(view))
    assert words.extra(view) == said.partition(" marks")[2]


def test_the_caller_that_shows_a_fault_is_named() -> None:
    cause = Cause(
        function="_hours", explanation=SAID, scenarios=(HOURS.id,), example=HOURS.id, blamed=True
    )
    found = result("x", {HOURS.id: failed("r", "It is wrong.")}, causes=(cause,))
    for page in both_pages(found):
        assert "1. _hours (called by num_hours)" in Page(page).text


@pytest.mark.parametrize(("example", "title"), [(False, "right so far:"), (True, "on the screen:")])
def test_turns_that_are_like_an_example_are_not_called_right(example: bool, title: str) -> None:
    talk = Conversation(
        shared=(Turn(printed="black? ", typed=Typed(text="1")),),
        expected=Turn(printed="red? "),
        actual=Turn(printed="blue? "),
        example=example,
    )
    first, *_ = cards.conversation_lines(talk)
    assert first.text == title


def test_other_symptoms_of_a_cause_name_the_call_or_the_session() -> None:
    symptoms = tuple(
        check_of("num_hours", failed(f"rule {number}", f"says {number}"), each)
        for number, each in enumerate((HOURS, LABELS, SHEET))
    )
    text = assert_inert(page_of(replace(HIDDEN, function="num_hours", checks=symptoms)), 1).text
    assert "Also: display_board(board): says 1" in text
    assert "Also: “the sheet's example”: says 2" in text


PLACE = CodePlace(file="a1.py", first=3, last=4, text=("def f(x):", "    return x[9]"))


def test_a_hint_stands_on_its_own_and_a_line_is_marked_in_words_too() -> None:
    hint = "Look at <the> last row."
    cause = replace(HIDDEN, explanation=SAID, hint=hint, place=PLACE, line=4, marks=Fraction(1, 2))
    page = page_of(cause)
    assert "<b>Hint:</b> <bdi>Look at &lt;the&gt; last row.</bdi>" in page
    text = assert_inert(page, 1).text
    assert "return x[9] ← here" in text
    assert text.count("← here") == 1


def test_one_caret_and_how_many_lines_are_left() -> None:
    expected, actual = (f"{sign}\n" * 27 for sign in "ab")
    differing = (printed(expected, actual, "printed text"), printed("c", "d", "more"))
    verdict = replace(failed("r", "wrong"), differences=differing)
    text = cards.as_text(cards.explained(check_of("f", verdict), AROUND), 100)
    assert text.count("^") == 1
    assert re.findall("… .*", text) == ["… 11 more lines"]


@pytest.mark.parametrize(
    ("source", "column", "caret"),
    [
        ("if x", 5, " " * 7 + "^"),
        ("\tif x", 6, " " * 9 + "^"),  # the tab is shown as \\t
        ("漢 = (", 5, " " * 8 + "^"),  # wide
        ("if x", None, None),
        ("x" * 90, 80, None),
    ],
)
def test_a_caret_where_python_stopped(source: str, column: int | None, caret: str | None) -> None:
    broken = Unparsable(file="a1.py", reason="r", line=1, source=source, column=column)
    view = replace(student_view(UNREADABLE, PLAN), unparsable=broken)
    lines = cards.explain_failures(view, 3, width=100).splitlines()
    assert ([line for line in lines if "^" in line] or [None]) == [caret]


@pytest.mark.parametrize("count", [2, 3])
def test_written_files_are_explained_before_missing_ones(count: int) -> None:
    verdicts = {f"absent{number}": Verdict(kind=VerdictKind.MISSING) for number in range(count)}
    verdicts["written"] = failed("r", "wrong")
    causes = tuple(
        ShownCause(function=name, explanation=SAID, checks=(check_of(name, verdict),))
        for name, verdict in verdicts.items()
    )
    text = cards.explain_failures(replace(student_view(PERFECT, PLAN), causes=causes), 1, width=100)
    assert f"a1.py: {count + 1} things to fix\n\n1. ✗ written: " in text
    said = "✗ 3 functions missing: absent0, absent1 and absent2\n"
    assert (said in text, "… and 2 more things to fix." in text) == (count == 3, count == 2)


HEAD = "from a1 import *\nfrom a1_support import *\n"
ROLL = Stimulus(action=Call(expression="roll()"))
DOUBLE = Stimulus(
    action=Session(steps=("x = double(n)", "x")), bindings=(Binding(name="n", literal="3"),)
)
PASTED = {
    REFUSES.stimuli[0]: 'check_input(f"a{BOARD_SIZE + 1}")',
    LABELS.stimuli[0]: "board = ['----', '--XO', '----', '---X']\ndisplay_board(board)",
    WINS.stimuli[0]: "board = ['XXXX', '----']\ncheck_win(board)",
    SHEET.stimuli[0]: (
        "board = ['----', '---X']\nfor _ in range(2):\n    add_piece(board, 'X', 0)\n\nboard"
    ),
    DOUBLE: "n = 3\nx = double(n)\nx",
    replace(ROLL, given="a = 1; b = 2"): "a = 1; b = 2\nroll()",
}


@pytest.mark.parametrize(("stimulus", "lines"), PASTED.items())
def test_lines_to_paste_into_python_are_shown(stimulus: Stimulus, lines: str) -> None:
    assert python_lines(stimulus, AROUND) == HEAD + lines


def test_a_program_is_started_and_what_is_set_stands_beside_it() -> None:
    changes = constant_changes(REFUSES.stimuli[0], AROUND)
    assert changes == (("a1_support.py", "BOARD_SIZE = 10"),)
    assert called(WINS.stimuli[1]) == "check_win(board)  with  board = ['----', 'OOOO']"
    assert called(DOUBLE) == "n = 3\nx = double(n)\nx"
    assert shell_command(GAME.stimuli[0]) == "python3 a1.py"
    assert shell_command(WINS.stimuli[0]) == ""
    stimulus = Stimulus(action=Run(program="a1.py", argv=("two words", "$HOME")))
    assert shell_command(stimulus) == "python3 a1.py 'two words' '$HOME'"


def test_a_chosen_seed_and_the_clock_are_part_of_it() -> None:
    seeded = replace(ROLL, seed=7)
    assert python_lines(seeded, AROUND) == f"import random\nrandom.seed(7)\n{HEAD}roll()"
    assert to_try(seeded) == "import random\nrandom.seed(7)\nroll()"
    assert to_try(replace(ROLL, seed=0)) == "import random\nrandom.seed(0)\nroll()"
    at_noon = replace(ROLL, clock=Clock(seconds=1_772_330_400, offset=36_000))
    assert to_try(at_noon) == "# at 2026-03-01 12:00:00 (UTC+10:00)\nroll()"


def test_the_environment_is_part_of_it() -> None:
    owner = (Binding(name="OWNER", literal="Zoë's"),)
    run = replace(GAME.stimuli[0], environment=owner)
    assert shell_command(run) == to_try(run) == "OWNER='Zoë'\"'\"'s' python3 a1.py"
    called = replace(ROLL, environment=owner)
    setting = "import os\nos.environ['OWNER'] = \"Zoë's\"\n"
    assert to_try(called) == f"{setting}roll()"
    assert python_lines(called, AROUND) == f"{setting}{HEAD}roll()"
    seeded = replace(run, seed=7)
    assert to_try(seeded) == python_lines(seeded, AROUND)
    assert to_try(seeded).startswith(f"{setting}import random\n")


@pytest.mark.process
def test_a_seeded_program_is_tried_in_the_interpreter(tmp_path: Path) -> None:
    stimulus = Stimulus(action=Run(program="dice.py", argv=("six sides",)), seed=7)
    assert shell_command(stimulus) == ""
    lines = python_lines(stimulus, AROUND)
    assert lines == to_try(stimulus)
    (tmp_path / "sides.py").write_text("SIDES = 10 ** 9\n")
    (tmp_path / "dice.py").write_text(
        "import random, sys\nfrom sides import SIDES\n"
        "print(sys.argv[1:], random.randint(1, SIDES))\n"
    )
    done = ran([sys.executable, "-c", lines], cwd=tmp_path, check=True)
    assert done.stdout == f"['six sides'] {random.Random(7).randint(1, 10**9)}\n"


SETTING_UP = """\
import math, random as chance
def unused(): return one
def one():
    return two() + LIMIT
def two(): return 2
LIMIT, = 3,
LOW = HIGH = 1
OTHER = two()
print(LOW)
"""


@pytest.mark.parametrize(
    ("given", "expression", "shown"),
    [
        ("a = 1\nb = 2\n", "f(a)", "a = 1"),
        ("a = 1\nb = a\nc = 3\n", "f(b)", "a = 1\nb = a"),
        ("a = []\nb = a\na.append(1)\n", "f(2)", "a = []\na.append(1)"),
        ("# Both are needed.\na = 1\nb = 2\n", "f(a, b)", "# Both are needed.\na = 1\nb = 2"),
        ("from math import *\nfrom math import pi\n", "f(e)", "from math import *"),
        ("f(  # no Python", "f(a)", "f(  # no Python"),
        (
            SETTING_UP,
            "f(one())",
            "def one():\n    return two() + LIMIT\ndef two(): return 2\nLIMIT, = 3,\n"
            "LOW = HIGH = 1\nprint(LOW)",
        ),
    ],
)
def test_a_definition_of_no_use_is_left_out(given: str, expression: str, shown: str) -> None:
    stimulus = Stimulus(action=Call(expression=expression), given=given)
    assert set_up(stimulus) == shown
    assert set_up(replace(stimulus, seed=1)) == given.rstrip("\n")


@pytest.mark.parametrize("scenario", [LABELS, WINS, SHEET])
def test_an_interactive_interpreter_takes_the_lines(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a1.py").write_text(
        "def add_piece(*args):\n    print('called', args)\ndisplay_board = check_win = add_piece\n"
    )
    (tmp_path / "a1_support.py").write_bytes(SUPPORT)
    monkeypatch.syspath_prepend(tmp_path)
    console = code.InteractiveConsole()
    output = io.StringIO()
    with redirect_stdout(output):
        for line in python_lines(scenario.stimuli[0], AROUND).split("\n"):
            waiting = console.push(line)
    assert not waiting
    assert "called" in output.getvalue()


LINES = {
    "plain": (Annotation(level="error", message="no"), "::error::no"),
    "a place": (
        Annotation(level="warning", message="m", file="a1.py", line=3, column=5, title="t"),
        "::warning file=a1.py,line=3,col=5,title=t::m",
    ),
    "escapes": (
        Annotation(level="error", message="100%\r\n::stop", file="a,b:c%\n.py", title="x: y"),
        "::error file=a%2Cb%3Ac%25%0A.py,title=x%3A y::100%25%0D%0A::stop",
    ),
    "a problem": (
        placed("it differs", where="specs/a/f.yaml:7:5", title="golden"),
        "::error file=specs/a/f.yaml,line=7,col=5,title=golden::it differs",
    ),
    "a place without a line": (
        placed("no mutant", where="mutants.yaml"),
        "::error::mutants.yaml: no mutant",
    ),
    "no place": (placed("there is no assignment"), "::error::there is no assignment"),
}


@pytest.mark.parametrize(("annotation", "line"), LINES.values(), ids=LINES)
def test_a_line(annotation: Annotation, line: str) -> None:
    assert str(annotation) == line


def test_every_view_has_the_line_where_python_stopped() -> None:
    broken = UNREADABLE.unparsable
    assert broken is not None
    in_show = on_terminal(show_submission(UNREADABLE, PLAN))
    in_check = cards.explain_failures(student_view(UNREADABLE, PLAN), 3, width=100)
    for text in (in_show, in_check):
        assert f"{broken.place}: {broken.reason}\n   {broken.source}\n" in text
    assert broken.place == "a1.py:12"
