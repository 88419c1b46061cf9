"""The faults that beginners make, each in a tiny program, and what the student's page says."""

import re
from html import unescape

import pytest

from harness.assignment.loading import load
from harness.grading.check import check_submissions, cohort_of
from harness.grading.context import prepare
from harness.model.explanation.facts import NoReturn, ReturnedNone
from harness.model.verdict import Explanation
from harness.reporting.html.submission_pages import feedback_page
from harness.results.student_view import student_view
from tests.tiny_course import Course

SETTINGS = """\
provided: [sizes.py]
clauses: clauses.yaml
policy: policy.yaml
functionality_marks: 10
limits: {cpu_seconds: 0.3}
"""
POLICY = """\
module_level: {allow: [imports, constants, functions, main_guard]}
severity: {structure: note}
"""
CLAUSES = """\
clauses:
  - {id: win, section: "3", text: "win says whether a line of X is there, rising or falling."}
  - {id: rest, section: "1", text: "The game is played on a board."}
"""
SCENARIOS = """\
clause: rest
scenarios:
  - {name: a new board, function: new_board, visible: true, call: new_board()}
  - name: the rows are lists of their own
    function: new_board
    visible: true
    session: |
      >>> board = new_board()
      >>> board[0][0] = "X"
      >>> board
      [['X', '-'], ['-', '-']]
  - {name: an empty board is shown, function: show, visible: true,
     call: 'show([["-", "-"], ["-", "-"]])'}
  - {name: a diagonal that rises, function: win, clause: win, visible: true,
     call: 'win([["-", "X"], ["X", "-"]])'}
  - {name: a diagonal that falls, function: win, clause: win, visible: true,
     call: 'win([["X", "-"], ["-", "X"]])'}
  - {name: a row, function: win, clause: win, call: 'win([["X", "X"], ["-", "-"]])'}
  - {name: a full board, function: tie, visible: true, call: 'tie([["X", "O"], ["O", "X"]])'}
  - {name: a board with room, function: tie, visible: true, call: 'tie([["X", "-"], ["O", "X"]])'}
  - {name: a piece is put, function: put, visible: true, call: 'put([["-", "-"], ["-", "-"]], 1)'}
  - {name: a number, function: column, visible: true, call: 'column("2")'}
  - {name: a letter, function: column, visible: true, call: 'column("x")'}
  - {name: one move, function: play, visible: true, call: play(), input: ["1"]}
"""
RIGHT = """\
from sizes import SIZE
def new_board():
    return [["-"] * SIZE for _ in range(SIZE)]
def show(board):
    for row in board:
        print("|" + "|".join(row) + "|")
    print(" 1 2")
def win(board):
    falling = all(board[i][i] == "X" for i in range(SIZE))
    rising = all(board[SIZE - 1 - i][i] == "X" for i in range(SIZE))
    return falling or rising or any(row == ["X"] * SIZE for row in board)
def tie(board):
    return all("-" not in row for row in board)
def put(board, column):
    changed = [list(row) for row in board]
    changed[SIZE - 1][column] = "X"
    return changed
def column(text):
    if not text.isdigit():
        return None
    return int(text)
def play():
    number = column(input("Your column: "))
    print("You chose", number)
if __name__ == "__main__":
    play()
"""

NO_RETURN = Explanation(
    rule="returned_none", facts=ReturnedNone(function="tie", wanted="True"), reason=NoReturn()
).message
# Each fault: what stands in the right program, what in its place, and what the page has to say.
FAULTS: dict[str, tuple[str, str, list[str]]] = {
    "asks_at_import": ("def new_board", 'size = input("Size? ")\ndef new_board', [
        "Line 2 asks for input as soon as the file is loaded.", "Move it into",
        'line 2', 'size = input("Size? ")', "That costs marks",
    ]),
    "no_main_guard": ('if __name__ == "__main__":\n    play()', "play()", [
        "line 25", "That costs marks", 'if __name__ == "__main__":\n play()',
    ]),
    "int_crashes": ("    if not text.isdigit():\n        return None\n", "", [
        "1. column", "ValueError", "invalid literal for int() with base 10: 'x'", "line 19",
        'column("x")', "return int(text) ← here",
    ]),
    "index": ("changed[SIZE - 1][column]", "changed[9][column]", [
        "1. put", "IndexError", "list index out of range", 'changed[9][column] = "X" ← here',
    ]),
    "endless": ("    changed = [", "    while column: SIZE\n    changed = [", [
        "1. put", "line 15 of put", "while column: SIZE ← here",
    ]),
    "only_hidden": ("any(row == ", "False and any(row == ", [
        "Only hidden checks fail.", "The hidden ones test win", "1 hidden check fails",
        "rising or falling", "What to try: call win with your own inputs",
    ]),
    "syntax": ("def tie(board):", "def tie(board)", [
        "Fix this first: the file could not be used", "line 12", "def tie(board)",
    ]),
    "no_return": ('    return all("-" not in', '    all("-" not in', [
        "1. tie Worth up to", NO_RETURN,
    ]),
    "debug_print": ("    return int(text)", '    print("debug", text)\n    return int(text)', [
        "1. column", "debug 2", "(nothing printed)",
    ]),
    "wrong_prompt": ('"Your column: "', '"Your Column: "', [
        "1. play", "Your Column: ",
    ]),
    "trailing_space": ('print(" 1 2")', 'print(" 1 2 ")', [
        "1. show", "Only white space differs", "First difference: line 3, character 5",
        "your program has a space",
    ]),
    "label_row": ('print(" 1 2")', 'print("12")', [
        "1. show", "Only white space differs",
        "First difference: line 3, character 1: expected a space",
    ]),
    "shared_rows": ('[["-"] * SIZE for _ in range(SIZE)]', '[["-"] * SIZE] * SIZE', [
        "1. new_board", "the rows are lists of their own",
        "First difference at [1][0]: expected '-', your program has 'X'",
    ]),
    "mutates": ("[list(row) for row in board]", "board", [
        "1. put", "board is changed", "Board afterwards",
    ]),
    "tie_missed": ('    return all("-" not in row for row in board)', "    return False", [
        "1. tie", "returned False instead of True, for example in “a full board”.", "0XO 1OX",
    ]),
    "rising_missed": ("return falling or rising or", "return falling or", [
        "1. win", "returned False instead of True, for example in “a diagonal that rises”.",
        "0-X 1X-", "rising or falling",
    ]),
}  # fmt: skip
ONLY_ONE = "def tie(board):\n    return all('-' not in row for row in board)\n"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The text of each fault's page, white space as it is shown."""
    texts = {
        "specs/grid/clauses.yaml": CLAUSES,
        "specs/grid/policy.yaml": POLICY,
        "reference/grid/sizes.py": "SIZE = 2\n",
        "in/one_function/a1.py": ONLY_ONE,
        "in/wrong_name/assignment.py": RIGHT,
    }
    for name, (right, wrong, _) in FAULTS.items():
        assert RIGHT.count(right) == 1, name
        texts[f"in/{name}/a1.py"] = RIGHT.replace(right, wrong)
    folder = tmp_path_factory.mktemp("course")
    course = Course.small(folder, "grid", RIGHT, SCENARIOS, SETTINGS, **texts)
    context = prepare(load(course.root, "grid"), recall_tier=True)
    plan = context.specification.plan
    submissions = cohort_of([course.path("in")], plan.assignment).submissions
    return {
        each.id: shown(feedback_page(student_view(each, plan)))
        for each in check_submissions(context, submissions)
    }


def shown(html: str) -> str:
    """What of a page is not collapsed from the start, as text."""
    page = html.split("<main", 1)[1].split('<details class="below', 1)[0]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", page)))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_reads_well(pages: dict[str, str], name: str) -> None:
    for words in FAULTS[name][2]:
        assert re.sub(r"\s+", " ", words) in pages[name]
    if name != "syntax":
        assert "1 thing to fix" in pages[name]


def test_pages_leave_out_inapplicable_parts(pages: dict[str, str]) -> None:
    assert "to fix" not in pages["syntax"]  # nothing but the line
    assert "Rename assignment.py to a1.py and hand it in again." in pages["wrong_name"]
    assert "syntax" not in pages["wrong_name"]
    only = pages["one_function"]
    assert "6 functions missing" in only
    assert "its name is spelled differently." in only
    assert only.count("is missing") == 0
