"""Connect 4 (ish): what its scenarios promise, counted in the loaded plan, and its reference, held
against a sample that was written without it.
"""

import itertools
import random
from contextlib import redirect_stdout
from copy import deepcopy
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from harness.model.plan import Plan, Scenario, Specification
from harness.model.policy import Severity
from harness.model.stimulus import Stimulus
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from tests.shipped import module_of, program, screen_of
from tests.specs.conftest import bound_names, groups, points, provided_module, scored

ASSIGNMENT = "connect4ish"
ROOT = Path(__file__).parents[2]
POINTS = {
    "num_hours": 2,
    "generate_initial_board": 5,
    "is_column_full": 4,
    "is_column_empty": 4,
    "display_board": 10,
    "check_input": 13,
    "get_action": 8,
    "add_piece": 10,
    "remove_piece": 10,
    "check_win": 15,
    "play_game": 12,
    "main": 7,
}
SIZE_DEPENDENT = [function for function in POINTS if function != "num_hours"]
DIRECTIONS = {(1, 0), (0, 1), (1, 1), (1, -1)}


def sizes_of(scenarios: list[Scenario]) -> set[int]:
    return {
        int(constant.literal)
        for scenario in scenarios
        for constant in scenario.stimuli[0].constants
        if constant.name == "BOARD_SIZE"
    }


def question(stimulus: Stimulus) -> tuple[object, ...]:
    """A stimulus without its swept constants."""
    return (stimulus.action, stimulus.given, stimulus.inputs)


def is_game(scenario: Scenario) -> bool:
    """Whether a scenario plays on a terminal."""
    action = scenario.stimuli[0].action
    calls = [Call(expression="play_game()"), Call(expression="main()")]
    return isinstance(action, Run) or action in calls


def test_at_least_150_scenarios_without_swept_values_and_draws(plan: Plan) -> None:
    assert len(groups(scored(plan))) >= 150


@pytest.mark.parametrize("function", SIZE_DEPENDENT)
def test_12_distinct_stimuli_and_every_size(function: str, plan: Plan) -> None:
    mine = [s for s in scored(plan) if s.function == function]
    assert len({question(s.stimuli[0]) for s in mine}) >= 12
    swept = [sizes_of(members) for members in groups(mine).values() if len(members) > 1]
    assert set(range(4, 11)) in swept


def test_at_least_30_whole_games(plan: Plan) -> None:
    games = [s for s in scored(plan) if is_game(s) and s.stimuli[0].inputs]
    assert len(groups(games)) >= 30
    assert sum(len(members[0].stimuli[0].inputs) > 3 for members in groups(games).values()) >= 30


def test_every_clause_has_a_scenario_and_a_mutant(specification: Specification) -> None:
    clauses = {
        clause.id
        for clause in specification.plan.assignment.clauses
        if not clause.unsettled and clause.section != "policy"
    }
    assert {clause for s in scored(specification.plan) for clause in s.clauses} == clauses
    assert {mutant.clause for mutant in specification.mutants} == clauses


def test_policy_clauses_are_the_ones_that_findings_cite(plan: Plan) -> None:
    policy = plan.assignment.policy
    cited = {policy.imports_clause, policy.techniques_clause, policy.structure_clause}
    assert cited == {c.id for c in plan.assignment.clauses if c.section == "policy"}
    consequences = (policy.on_imports, policy.on_techniques, policy.on_structure)
    assert {consequence.severity for consequence in consequences} == {Severity.REVIEW}


def test_other_sizes_can_be_left_out(plan: Plan) -> None:
    assert {s.id for s in plan.scenarios if s.stimuli[0].constants} == {
        s.id for s in plan.scenarios if "size" in s.tags
    }
    without = [s for s in scored(plan) if "size" not in s.tags]
    assert len(groups(without)) >= 150
    assert {s.function for s in without} == {s.function for s in scored(plan)}


def test_a_point_is_a_percent(plan: Plan) -> None:
    assert points(plan) == POINTS


@pytest.mark.parametrize("size", [4, 7, 8, 10])
def test_every_line_of_four_is_a_case(size: int, plan: Plan) -> None:
    expected = set()
    for column, row, (across, down) in itertools.product(range(size), range(size), DIRECTIONS):
        places = [(column + across * i, row + down * i) for i in range(4)]
        if all(0 <= c < size and 0 <= r < size for c, r in places):
            expected |= {(piece, frozenset(places)) for piece in "XO"}
    found = set()
    for scenario in plan.scenarios:
        is_size = sizes_of([scenario]) == ({size} if size != 8 else set())
        if "every line of four" not in scenario.name or "other piece" in scenario.name:
            continue
        for stimulus in scenario.stimuli if is_size else ():
            (board,) = bound_names(stimulus).values()
            pieces = {p for column in board for p in column if p != "-"}
            places = frozenset(
                (c, r) for c, column in enumerate(board) for r, p in enumerate(column) if p != "-"
            )
            assert len(pieces) == 1
            found.add((pieces.pop(), places))
    assert found == expected


def test_draws_within_one_column_are_cases(plan: Plan) -> None:
    boards = [
        board
        for scenario in plan.scenarios
        if scenario.name.startswith("draws")
        for stimulus in scenario.stimuli
        for board in bound_names(stimulus).values()
    ]
    for column in range(8):
        for text in ("XXXXOOOO", "OOOOXXXX"):
            assert ["-" * 8] * column + [text] + ["-" * 8] * (7 - column) in boards


TRANSCRIPTS = (
    *("two_valid_games", "draw", "invalid_moves", "special_commands"),
    *("7030_BOARD_SIZE_4", "7030_BOARD_SIZE_10"),
)


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts_name_messages_by_constant(name: str, specification: Specification) -> None:
    path = f"gameplay/{name}.txt"
    assert path in {transcript.path for transcript in specification.transcripts}
    text = (Path(specification.folder) / path).read_text()
    assert "{{ ENTER_COMMAND_MESSAGE }}" in text
    assert "Please" not in text and "Invalid" not in text and "wins" not in text


REFERENCE = ROOT / "reference" / "connect4ish"
# Written from the assignment sheet alone, before the reference.
OTHER = ROOT / "submissions" / "connect4ish" / "perfect_from_the_sheet"
SUPPORT = (REFERENCE / "a1_support.py").read_text()
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13)
Two = tuple[Any, Any]


@cache
def support(size: int) -> Any:
    """The support module for a board of this size."""
    assert SUPPORT.count("BOARD_SIZE = 8\n") == 1
    return module_of("a1_support", SUPPORT.replace("BOARD_SIZE = 8\n", f"BOARD_SIZE = {size}\n"))


def both(provided: Any) -> Two:
    """The reference and the other program as modules, beside this support module."""
    with patch.dict("sys.modules", a1_support=provided):
        return program(REFERENCE / "a1.py"), program(OTHER / "a1.py")


@pytest.fixture(params=SIZES)
def size(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def two(size: int) -> Two:
    """Both for a board of `size`."""
    return both(support(size))


def agree(two: Two, expression: str, **names: Any) -> Any:
    """What both programs give for an expression of these names; what they print and make of the
    names is the same as well."""
    seen = []
    for module in two:
        given = deepcopy(names)
        with redirect_stdout(StringIO()) as printed:
            value = eval(expression, {**vars(module), **given})
        seen.append((value, given, printed.getvalue()))
    assert seen[0] == seen[1], (expression, names)
    return seen[0][0]


def random_board(size: int, rng: random.Random) -> list[str]:
    heights = [rng.randint(0, size) for _ in range(size)]
    return ["".join(rng.choices("XO", k=height)).rjust(size, "-") for height in heights]


def test_winners_and_boards(two: Two, size: int) -> None:
    rng = random.Random(size)
    boards = [random_board(size, rng) for _ in range(60)]
    scattered = random.Random(100 + size)
    boards += [["".join(scattered.choices("XO-", k=size)) for _ in range(size)] for _ in range(60)]
    winners = {agree(two, "check_win(board)", board=board) for board in boards}
    assert len(winners) > 1 or size < 4
    for board in boards[:10]:
        agree(two, "display_board(board)", board=board)


def test_every_short_command(two: Two) -> None:
    characters = "arhqx1089 +-"
    commands = {"", *characters, *(a + b for a in characters for b in characters)}
    commands |= {f"{a}{b}{c}" for a in "aRhq1" for b in characters for c in characters}
    valid = [agree(two, "check_input(command)", command=command) for command in sorted(commands)]
    assert {*valid} == {True, False}


def test_moves(two: Two, size: int) -> None:
    rng = random.Random(300 + size)
    for _ in range(40):
        board = random_board(size, rng)
        index = rng.randrange(size)
        agree(two, "add_piece(board, 'e', index)", board=board, index=index)
        agree(two, "remove_piece(board, index)", board=board, index=index)


def test_columns_full_and_empty(two: Two, size: int) -> None:
    for height in range(size + 1):
        column = ("XO" * size)[:height].rjust(size, "-")
        assert agree(two, "is_column_full(column)", column=column) is (height == size)
        assert agree(two, "is_column_empty(column)", column=column) is (height == 0)


def test_each_initial_board_is_new(two: Two, size: int) -> None:
    a1, _ = two
    first = a1.generate_initial_board()
    assert first == ["-" * size] * size
    first[0] = "changed"
    assert a1.generate_initial_board() == ["-" * size] * size


def random_sitting(size: int, rng: random.Random) -> list[str]:
    """What somebody might type: mostly moves in few columns, so that games end."""
    near = [str(rng.randint(1, size)) for _ in range(3)]
    actions = ["a"] * 8 + ["A", "r", "r", "R"]
    odd = ["", "h", "H", "q", "a0", f"r{size + 1}", "a", "x1", "a1 ", "y", "Y"]
    return [
        rng.choice(odd) if rng.random() < 0.08 else rng.choice(actions) + rng.choice(near)
        for _ in range(150)
    ]


@pytest.mark.parametrize("sitting", range(3))
def test_random_sittings_as_a_program(two: Two, size: int, sitting: int) -> None:
    typed = [*random_sitting(size, random.Random(1000 * sitting + size)), "q", "no"]
    one, other = (screen_of(module, "main", typed) for module in two)
    assert one == other


def test_every_game_agrees_with_the_other_program(plan: Plan) -> None:
    games = [scenario for scenario in plan.scenarios if is_game(scenario)]
    assert games
    for scenario in games:
        (stimulus,) = scenario.stimuli
        typed = [each.text for each in stimulus.inputs]
        function = "play_game" if stimulus.action == Call(expression="play_game()") else "main"
        two = both(provided_module(plan, stimulus, "a1_support"))
        one, other = (screen_of(module, function, typed) for module in two)
        assert one == other, scenario.id


@pytest.mark.parametrize("function", ["check_win", "display_board", "add_piece", "remove_piece"])
def test_every_answer_to_a_draw_agrees_with_the_other_program(function: str, plan: Plan) -> None:
    samples = [s for s in plan.scenarios if s.is_sample and s.function == function]
    assert samples
    for scenario in samples:
        two = both(provided_module(plan, scenario.stimuli[0], "a1_support"))
        for stimulus in scenario.stimuli:
            agree(two, stimulus.action.expression, **bound_names(stimulus))
