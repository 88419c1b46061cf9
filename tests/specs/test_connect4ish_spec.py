"""What the scenarios of Connect 4 (ish) promise, counted in the loaded plan."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from harness.model.plan import Plan, Scenario, Visibility
from harness.model.policy import Severity
from harness.model.specification import Specification
from harness.model.stimulus import Call, Run, Stimulus

ASSIGNMENT = "connect4ish"
ROOT = Path(__file__).parents[2]
SIZE_DEPENDENT = (
    "generate_initial_board",
    "is_column_full",
    "is_column_empty",
    "display_board",
    "check_input",
    "get_action",
    "add_piece",
    "remove_piece",
    "check_win",
    "play_game",
    "main",
)
DIRECTIONS = {(1, 0), (0, 1), (1, 1), (1, -1)}


def scored(plan: Plan) -> list[Scenario]:
    return [scenario for scenario in plan.scenarios if not scenario.informational]


def groups(scenarios: list[Scenario]) -> dict[str, list[Scenario]]:
    found: dict[str, list[Scenario]] = defaultdict(list)
    for scenario in scenarios:
        found[scenario.group].append(scenario)
    return found


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


def is_whole_game(scenario: Scenario) -> bool:
    action = scenario.stimuli[0].action
    played = isinstance(action, Run) or action in (
        Call(expression="play_game()"),
        Call(expression="main()"),
    )
    return played and len(scenario.stimuli[0].inputs) > 0


def test_at_least_150_scenarios_without_swept_values_and_draws(plan: Plan) -> None:
    assert len(groups(scored(plan))) >= 150


@pytest.mark.parametrize("function", SIZE_DEPENDENT)
def test_at_least_12_distinct_stimuli(function: str, plan: Plan) -> None:
    mine = [s for s in scored(plan) if s.function == function]
    assert len({question(s.stimuli[0]) for s in mine}) >= 12


@pytest.mark.parametrize("function", SIZE_DEPENDENT)
def test_swept_over_every_size(function: str, plan: Plan) -> None:
    mine = [s for s in scored(plan) if s.function == function]
    swept = [sizes_of(members) for members in groups(mine).values() if len(members) > 1]
    assert set(range(4, 11)) in swept


def test_at_least_30_whole_games(plan: Plan) -> None:
    games = [s for s in scored(plan) if is_whole_game(s)]
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
    assert policy is not None
    cited = {policy.imports_clause, policy.techniques_clause, policy.structure_clause}
    assert cited == {c.id for c in plan.assignment.clauses if c.section == "policy"}
    consequences = (policy.on_imports, policy.on_techniques, policy.on_structure)
    assert {consequence.severity for consequence in consequences} == {Severity.REVIEW}


def test_what_is_not_settled_takes_no_marks(plan: Plan) -> None:
    unsettled = {clause.id for clause in plan.assignment.clauses if clause.unsettled}
    assert not {s.id for s in scored(plan) if unsettled & set(s.clauses)}
    assert {c for s in plan.scenarios if s.informational for c in s.clauses} <= unsettled


def test_other_sizes_can_be_left_out(plan: Plan) -> None:
    assert {s.id for s in plan.scenarios if s.stimuli[0].constants} == {
        s.id for s in plan.scenarios if "size" in s.tags
    }
    without = [s for s in scored(plan) if "size" not in s.tags]
    assert len(groups(without)) >= 150
    assert {s.function for s in without} == {s.function for s in scored(plan)}


def test_a_point_is_a_percent(plan: Plan) -> None:
    points: dict[str, float] = defaultdict(float)
    for scenario in scored(plan):
        points[scenario.function] += float(scenario.points)
    assert {function: round(total, 6) for function, total in points.items()} == {
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


def test_about_a_quarter_is_visible(plan: Plan) -> None:
    all_groups = groups(scored(plan)).values()
    visible = [g for g in all_groups if g[0].visibility is Visibility.VISIBLE]
    assert 0.2 <= len(visible) / len(all_groups) <= 0.3
    assert {g[0].function for g in visible} == {s.function for s in scored(plan)}


@pytest.mark.parametrize("size", [4, 7, 8, 10])
def test_every_line_of_four_is_a_case(size: int, plan: Plan) -> None:
    expected = set()
    for column in range(size):
        for row in range(size):
            for across, down in DIRECTIONS:
                places = [(column + across * i, row + down * i) for i in range(4)]
                if all(0 <= c < size and 0 <= r < size for c, r in places):
                    expected |= {(piece, frozenset(places)) for piece in "XO"}
    found = set()
    for scenario in plan.scenarios:
        is_size = sizes_of([scenario]) == ({size} if size != 8 else set())
        if "every line of four" not in scenario.name or "other piece" in scenario.name:
            continue
        for stimulus in scenario.stimuli if is_size else ():
            board = ast.literal_eval(stimulus.bindings[0].literal)
            pieces = {p for column in board for p in column if p != "-"}
            places = frozenset(
                (c, r) for c, column in enumerate(board) for r, p in enumerate(column) if p != "-"
            )
            assert len(pieces) == 1
            found.add((pieces.pop(), places))
    assert found == expected


def test_draws_within_one_column_are_cases(plan: Plan) -> None:
    boards = [
        ast.literal_eval(stimulus.bindings[0].literal)
        for scenario in plan.scenarios
        if scenario.name.startswith("draws")
        for stimulus in scenario.stimuli
    ]
    for column in range(8):
        for text in ("XXXXOOOO", "OOOOXXXX"):
            assert ["-" * 8] * column + [text] + ["-" * 8] * (7 - column) in boards


@pytest.mark.parametrize(
    "name",
    [
        "two_valid_games",
        "draw",
        "invalid_moves",
        "special_commands",
        "7030_BOARD_SIZE_4",
        "7030_BOARD_SIZE_10",
    ],
)
def test_transcripts_name_the_messages_and_never_quote_them(
    name: str, specification: Specification
) -> None:
    path = f"gameplay/{name}.txt"
    assert path in {transcript.path for transcript in specification.transcripts}
    text = (Path(specification.folder) / path).read_text()
    assert "{{ ENTER_COMMAND_MESSAGE }}" in text
    assert "Please" not in text and "Invalid" not in text and "wins" not in text
