"""COMP 1005's assignment 3: its two references, its grids, and what its patterns let pass."""

import ast
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from harness.intake.pipeline import read
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import Matches
from harness.model.plan import Plan, Specification
from harness.model.stimulus import Stimulus
from harness.policy.checking import check
from harness.stimuli.run import Run
from tests.shipped import program
from tests.specs.conftest import bound_names, points

ASSIGNMENT = "comp1005-a3"
ROOT = Path(__file__).parents[2]
SPEC = ROOT / "specs" / "comp1005-a3"
REFERENCE = ROOT / "reference" / "comp1005-a3"
GENERATORS = (
    *("rows_of_four", "columns_of_four", "falling_fours", "rising_fours", "lines_of_three"),
    *("longer_lines", "ends_of_games", "games_going_on", "moves"),
)
PICTURE = "|     |0\n|     |1\n| O   |2\n| X X |3\n+-----+\n 01234"


@pytest.fixture(scope="module")
def grids() -> Any:
    return program(SPEC / "grids.py")


def stated(plan: Plan, scenario: str, turn: int) -> str:
    """The pattern that a scenario holds a turn to."""
    turns = plan.scenario(scenario).stated.turns
    (matcher,) = (one.printed for one in turns.turns if one.index == turn)
    return matcher.pattern


@pytest.mark.parametrize("name", GENERATORS)
def test_the_reference_and_the_stand_in_agree(grids: Any, name: str) -> None:
    reference = program(REFERENCE / "connect4.py")
    stand_in = program(SPEC / "stand_in_connect4.py")
    for case in getattr(grids, name)():
        grid, column = case["grid"], case["column"]
        assert reference.toString(grid) == stand_in.toString(grid)
        assert reference.win(grid, column) == stand_in.win(grid, column), case
        copies = [[[*row] for row in grid] for _ in range(2)]
        played = [
            m.play(g, column, "red") for m, g in zip((reference, stand_in), copies, strict=True)
        ]
        assert (played[0], copies[0]) == (played[1], copies[1])
        assert reference.makeGrid(len(grid), 4) == stand_in.makeGrid(len(grid), 4)


def test_every_game_may_be_played_with_the_stand_in(plan: Plan) -> None:
    for scenario in plan.scenarios:
        ours = [(each.module, each.file) for each in scenario.stand_ins]
        is_game = scenario.function == "c4game.py"
        assert ours == ([("connect4.py", "stand_in_connect4.py")] if is_game else []), scenario.id


def test_the_files_are_handed_in_as_an_archive(plan: Plan, tmp_path: Path) -> None:
    sample = ROOT / "submissions" / "comp1005-a3" / "right_plain"
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        for name in plan.assignment.submission_files:
            archive.write(sample / name, f"A3/{name}")
    (ada,) = read((tmp_path,), plan.assignment)
    (loose,) = read((sample,), plan.assignment)
    assert (ada.problem, ada.files) == ("", loose.files)
    assert [file.name for file in ada.files] == ["connect4.py", "c4game.py"]


def test_the_stand_in_is_not_the_reference() -> None:
    theirs = {node.name: ast.dump(node) for node in functions(REFERENCE / "connect4.py")}
    for node in functions(SPEC / "stand_in_connect4.py"):
        assert theirs[node.name] != ast.dump(node)


def functions(path: Path) -> list[ast.FunctionDef]:
    return [n for n in ast.parse(path.read_text()).body if isinstance(n, ast.FunctionDef)]


def test_every_line_asked_about_goes_through_the_column(plan: Plan, grids: Any) -> None:
    """Whether win looks elsewhere is not settled, and no checker floats in a real grid."""
    seen = 0
    for scenario in plan.scenarios:
        if scenario.function == "win":
            for stimulus in scenario.stimuli:
                grid, column = arguments(stimulus)
                lines = grids.fours(grid)
                if 0 <= column < len(grid[0]):
                    place = (grids.highest(grid, column), column)
                    assert all(place in line for line in lines), scenario.id
                else:
                    assert not lines, scenario.id
                for checkers in zip(*grid, strict=True):
                    taken = [checker != "empty" for checker in checkers]
                    assert taken == sorted(taken), scenario.id
                seen += 1
    assert seen > 800


def arguments(stimulus: Stimulus) -> tuple[list[list[str]], int]:
    names: dict[str, Any] = {"win": lambda grid, column: (grid, column)}
    exec(stimulus.given, names)
    names |= bound_names(stimulus)
    grid, column = eval(stimulus.action.expression, names)
    return grid, column


def test_every_pattern_is_in_words(plan: Plan) -> None:
    """Students read what was expected, and no regular expression."""
    for scenario in plan.scenarios:
        for part in scenario.stated.parts():
            assert not isinstance(part, Matches) or part.words, scenario.id


def test_the_grids_of_the_game_scenarios_are_whole(plan: Plan) -> None:
    for scenario in plan.scenarios:
        if scenario.function == "c4game.py" and scenario.stated.turns:
            assert isinstance(scenario.stimuli[0].action, Run)
            for turn in scenario.stated.turns.turns:
                if isinstance(turn.printed, Contains):
                    *rows, border, labels = turn.printed.text.split("\n")
                    width = len(labels) - 1
                    assert border == f"+{'-' * width}+"
                    assert [row[-1] for row in rows] == [str(r) for r in range(len(rows))]
                    assert {len(row) for row in rows} == {width + 3}


WINS_FOR_RED = [
    f"{PICTURE}\n{text}"
    for text in (
        "Red wins the game after 7 moves",
        "*** RED WINS ***\nThe game took 7 moves.",
        "After 7 moves, the winner is red.",
        "(X is Red, O is Black)\nVictory for red! It took 7 moves.",
        "(X is Red, O is Black)\nred has won the game",
        "Congratulations red, you beat black!",
        "Four in a row for Red",
        "After 7 moves, the winner is Red. Better luck next time, Black.",
        "Red won!\nBlack lost.\nSize of the next game? ",
        "We have a winner after 7 moves:\n  RED (and not Black)",
        "Red has connected four, black loses.",
        "red gagne la partie après 7 coups.",
    )
]
# By a scenario and its turn: what its pattern is found in, and what it is not found in.
PATTERNS: dict[tuple[str, int], tuple[list[str], list[str]]] = {
    ("game_turns/then-black-is-asked", 2): (
        [
            "Which column does black want to play? ",
            f"{PICTURE}\nBLACK's turn.\nColumn (0-4): ",
            f"Red has played 3.\n{PICTURE}\n[Black] ",
            f"{PICTURE}\n(X is Red, O is Black)\nYour move, black:",
            f"{PICTURE}\nBlack's turn (O = black, X = red), choose a column: ",
            "Red has played 3.\nAu tour de black, quelle colonne ? ",
        ],
        [
            "",
            "Column: ",
            f"Black has played 3.\n{PICTURE}\nColumn for red: ",
            f"{PICTURE}\n(X is Black, O is Red)\nYour move, red:",
            "Red's turn (O = black, X = red), choose a column: ",
            "(O is Black, X is Red)\nColumn: ",
            "Which column does blackbird want to play? ",
        ],
    ),
    ("game_ends/red-wins-with-a-column", 8): (
        WINS_FOR_RED,
        [
            "What size would you like? ",
            "Black wins the game after 7 moves",
            "(X is Red, O is Black)\nBlack wins the game after 7 moves.",
            "Black wins! Red loses.\nWhat size would you like? ",
            "Black wins the game after 7 moves.\nHow large a grid shall red and black have? ",
            "After 7 moves, the winner is black. Better luck next time, red.",
            "We have a winner after 7 moves:\n  BLACK (and not Red)",
            "Red has played column 0.\nWhat size would you like? ",
        ],
    ),
    ("game_ends/black-wins-with-a-row", 9): ([], WINS_FOR_RED),
    ("game_ends/red-after-eleven-moves", 12): (
        ["Red wins the game after 11 moves", "moves:11."],
        ["after 12 moves", "after 111 moves", "after 6 moves\nSize, 4 to 10? ", PICTURE],
    ),
    ("game_ends/a-tie-that-black-completes", 17): (
        [
            *("The game is a tie", "IT'S A TIE!", "Tied.", "A draw", "Nobody wins"),
            *("Cat's game", "Match nul !", "No one has won"),
        ],
        [
            "Columns that are full cannot be chosen, neither can others. Shake hands!",
            "What size? ",
            "It is time for another column, red: ",
        ],
    ),
}


@pytest.mark.parametrize("place", PATTERNS, ids=lambda place: place[0])
def test_long_messages_of_programs_are_distinguished(plan: Plan, place: tuple[str, int]) -> None:
    pattern = stated(plan, *place)
    right, wrong = PATTERNS[place]
    assert [text for text in right if not re.search(pattern, text)] == []
    assert [text for text in wrong if re.search(pattern, text)] == []


@pytest.mark.parametrize(
    ("said", "is_sound"),
    [
        ("", True),
        ("If the grid is full, it's a tie.\n", True),
        ("When no room is left in the grid of a game and nobody wins, it is a tie\n", True),
        ("The game is a tie\n", False),
        ("*** DRAW! ***\n", False),
    ],
)
def test_who_wins_with_the_last_checker_has_no_tie(plan: Plan, said: str, is_sound: bool) -> None:
    turns = plan.scenario("game_ends/black-wins-with-the-last-free-location").stated.turns
    assert turns is not None
    text = f"{PICTURE}\nBlack wins the game after 16 moves\n{said}Size? "
    assert turns.turns[0].printed.accepts_text(text) is is_sound


def sitting(question: str, before: str, said: str) -> str:
    """What the scenario of the last column prints: two games, the second with an invalid move."""
    screen, moves = "", (0, 1, 0, 1, 0, 1, 0)
    module = program(SPEC / "stand_in_connect4.py")
    for invalid in (None, 2):
        grid = module.makeGrid(4, 5)
        screen += "Size? "
        for number, column in enumerate(moves):
            if number == 4 and invalid:
                break
            colour = ("red", "black")[number % 2]
            asked = question.format(colour=colour, number=number)
            screen += asked + (said + asked if number == invalid else "") + before
            module.play(grid, column, colour)
            screen += module.toString(grid) + "\n"
    return screen


@pytest.mark.parametrize("before", ["", "\n", "You have chosen well, dear player.\n\n"])
@pytest.mark.parametrize(
    "question", ["{colour}: ", "\n--- {colour} ---\nColumn? ", "Move {number}: {colour}, column?\n"]
)
def test_a_message_is_told_from_silence(plan: Plan, question: str, before: str) -> None:
    matcher = plan.scenario("game_turns/a-message-for-the-column-after-the-last").stated.prints
    third = "|     |0\n|     |1\n|     |2\n|XO   |3\n+-----+\n 01234\n"
    for said in ("Invalid.\n", "No! ", "\nThat column is full or not there.\n\n", f"No.\n{third}"):
        assert re.search(matcher.pattern, sitting(question, before, said)), said
    for said in ("", third):
        assert not re.search(matcher.pattern, sitting(question, before, said)), said


def test_the_marks_are_the_sheets(plan: Plan) -> None:
    game = points(plan).pop("c4game.py")
    assert (sum(points(plan).values()) - game, game) == (7, 2)
    assert plan.assignment.functionality_marks == 9


def test_the_policy_applies_only_to_the_reference(specification: Specification) -> None:
    policy = specification.plan.assignment.policy
    assert check(specification.reference, policy).findings == ()
    faulty = [
        file.__class__(name=file.name, data=b"import connect4, copy\n" + file.data)
        for file in specification.reference
    ]
    assert [(f.file, f.line, f.message) for f in check(faulty, policy).findings] == [
        ("connect4.py", 1, "imports connect4, but nothing may be imported"),
        ("connect4.py", 1, "imports copy, but nothing may be imported"),
        ("c4game.py", 1, "imports copy, but only connect4 may be imported"),
    ]
