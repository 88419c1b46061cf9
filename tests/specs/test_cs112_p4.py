"""CS 112's project 4: the reference held against other programs, and what its scenarios promise."""

import ast
import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.model.plan import Plan, Scenario, Visibility
from harness.model.stimulus import Stimulus
from harness.stimuli.run import Run
from tests.shipped import program
from tests.specs.conftest import bound_names, points, scored
from tests.tiny_course import ran

ASSIGNMENT = "cs112-p4"
ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "reference" / "cs112-p4"
SAMPLES = ROOT / "submissions" / "cs112-p4"
OTHERS = ("perfect_from_the_sheet/project4.py", "perfect_in_another_style/asmith_203_P4.py")
# The sheet's: a mark a test, so many tests a function.
WEIGHTS = {"place_one": 6, "pop_out": 6, "check_winner": 8}
DIRECTIONS = ("check_horizontal", "check_vertical", "check_major_diagonal", "check_minor_diagonal")
Board = list[list[str]]


@pytest.fixture(scope="module")
def p4() -> Any:
    return program(REFERENCE / "p4.py")


@pytest.fixture(scope="module")
def boards() -> Any:
    return program(ROOT / "specs" / "cs112-p4" / "boards.py")


def random_boards(seed: int, count: int) -> Iterator[Board]:
    """Boards with many runs, some of them full, none with a floating piece."""
    dice = random.Random(seed)
    for _ in range(count):
        rows, columns = dice.randint(1, 8), dice.randint(1, 9)
        board = [["."] * columns for _ in range(rows)]
        for column in range(columns):
            for row in range(dice.choice([0, 0, dice.randint(0, rows)]), rows):
                board[row][column] = dice.choice("AAB")
        yield board


def calls(dice: random.Random, board: Board) -> Iterator[tuple[str, list[Any]]]:
    """A call of every function, with arguments on the board or beside it: of those that look for
    a run one of each place, of a winning move one of each color."""
    rows, columns = range(-2, len(board) + 2), range(-2, len(board[0]) + 2)
    row, column = dice.choice(rows), dice.choice(columns)
    color = dice.choice("ABC")
    yield "init_board", [len(board), len(board[0])]
    yield "read_board", ["\n\n".join("".join(row) for row in board) + dice.choice(["", "a", "\n"])]
    for name in ("show_board", "get_size", "get_colors", "any_floating", "check_winner"):
        yield name, [board]
    for name in ("get_coords_by_color", "count_pieces_by_color"):
        yield name, [board, color]
    yield from (("winning_move", [board, each]) for each in "ABC")
    yield "is_valid_coord", [board, row, column]
    yield from ((name, [board, r, c]) for name in DIRECTIONS for r in rows for c in columns)
    yield "is_column_full", [board, column]
    for name in ("place_one", "pop_out"):
        yield name, [board, column, color]


@pytest.mark.parametrize("other", OTHERS)
def test_programs_written_without_it_do_the_same(p4: Any, other: str) -> None:
    theirs = program(SAMPLES / other)
    dice = random.Random(other)
    called = set()
    for board in random_boards(3, 300):
        for name, arguments in calls(dice, board):
            outcomes = []
            for functions in (p4, theirs):
                given = [[[*row] for row in a] if isinstance(a, list) else a for a in arguments]
                outcomes.append((getattr(functions, name)(*given), given))
            assert outcomes[0] == outcomes[1], (name, arguments)
            called.add(name)
    assert called == set(shares())


def test_the_driver_plays_as_the_sheet_states(plan: Plan) -> None:
    programs = [s for s in plan.scenarios if isinstance(s.stimuli[0].action, Run)]
    assert len(programs) == 6
    for scenario in programs:
        typed = [entry.text for entry in scenario.stimuli[0].inputs]
        driver = [sys.executable, "-B", "p4play.py"]
        done = ran(driver, cwd=REFERENCE, input="\n".join(typed) + "\n", check=True)  # fmt: skip
        assert done.stdout == sitting([int(text) for text in typed]), scenario.id


def sitting(typed: list[int]) -> str:
    """A game as the sheet's listing plays it, by the rules of the first of the other programs."""
    rules = program(SAMPLES / OTHERS[0])
    answers = iter(typed)
    board = [["."] * 7 for _ in range(6)]
    moves, screen = 0, ""
    while rules.check_winner(board) == "pending":
        color = "OX"[moves % 2]
        ask = f"please select: 0-drop a piece or 1-pop out a piece for player {color}:"
        screen += f"{rules.show_board(board)}\n"
        while True:
            screen += ask
            while (option := next(answers)) not in (0, 1):
                screen += f"Invalid choice!\n{ask}"
            what = ("place", "pop out")[option]
            screen += f"please select a column for player {color} [0-6] to {what} a piece: "
            if (rules.place_one, rules.pop_out)[option](board, next(answers), color):
                break
            screen += f"Cannot {what} a piece {('', 'from ')[option]}there!\n"
        moves += 1
    end = rules.check_winner(board)
    screen += "=====DRAW=====\n" if end == "draw" else f"=====Winner is {end}!!!=====\n"
    assert list(answers) == []
    return screen + rules.show_board(board) + "\nThanks for playing!\n"


def shares() -> dict[str, int]:
    """What each function of the sheet is worth."""
    names = re.findall(r"^def (\w+)", (SAMPLES / OTHERS[0]).read_text(), re.MULTILINE)
    return {name: WEIGHTS.get(name, 5) for name in names if name != "check_run"}


def test_the_marks_are_the_sheets(plan: Plan) -> None:
    assert points(plan) == shares()
    extra = {scenario.function for scenario in plan.scenarios if scenario.extra_credit}
    assert extra == {"winning_move"}
    assert plan.assignment.functionality_marks == 90
    assert sum(points(plan).values()) == 95
    visibilities = {scenario.visibility for scenario in scored(plan)}
    assert visibilities == {Visibility.VISIBLE, Visibility.HIDDEN}


def sources(stimulus: Stimulus) -> str:
    return "\n".join(stimulus.source_texts())


def test_a_missing_function_costs_only_its_own_marks(plan: Plan) -> None:
    functions = {signature.name for signature in plan.assignment.functions}
    for scenario in scored(plan):
        for stimulus in scenario.stimuli:
            tree = ast.parse(sources(stimulus))
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            assert names & functions == {scenario.function}, scenario.id


def arguments(scenario: Scenario, p4: Any, function: str) -> Iterator[tuple[Any, ...]]:
    """The arguments of every call of a function in a scenario, as they were when it was called."""
    seen: list[tuple[Any, ...]] = []

    def recorded(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            seen.append(tuple(ast.literal_eval(repr(argument)) for argument in given))
            return real(*given)

        return call

    asking = {**vars(p4), function: recorded(getattr(p4, function))}
    for stimulus in scenario.stimuli:
        exec(sources(stimulus), asking | bound_names(stimulus))
    return iter(seen)


def test_no_winning_move_pops_a_piece_out(plan: Plan, p4: Any, boards: Any) -> None:
    asked = 0
    for scenario in scored(plan):
        if scenario.function == "winning_move":
            for board, color in arguments(scenario, p4, "winning_move"):
                asked += 1
                if p4.check_winner(board) == "pending":
                    assert not boards.wins_by_popping(board, color), scenario.id
    assert asked > 80


def test_boards_are_as_the_sheet_assumes(plan: Plan, p4: Any) -> None:
    """Rectangular everywhere; without floating pieces where the function may assume it."""
    loose = {"get_colors", "init_board", "read_board"}
    may_float = {"show_board", "get_coords_by_color", "count_pieces_by_color", "any_floating"}
    for scenario in scored(plan):
        if scenario.function in loose:
            continue
        for board, *_ in arguments(scenario, p4, scenario.function):
            assert len({len(row) for row in board}) == 1, scenario.id
            if scenario.function not in may_float:
                assert not p4.any_floating(board), (scenario.id, board)
                assert len(p4.get_colors(board)) <= 2, scenario.id
