"""The spec of Fancy Naughts & Crosses: what it holds, and the reference beside a sample that was
written without it. docs/assignments.md says of each assignment what its folders hold
(`UPDATE_GOLDEN=1` writes the table anew).
"""

import ast
import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import pytest

from harness.assignment.loading import available
from harness.matchers.kinds.values import Exactly, PythonValue
from harness.model.plan import Plan, Scenario, Visibility
from harness.policy.checking import check
from harness.stimuli.run import Run
from tests.shipped import program, screen_of, shipped
from tests.specs.conftest import groups, provided_module, scored

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "reference" / "naughts-crosses" / "a1.py"
OTHER = ROOT / "submissions" / "naughts-crosses" / "perfect_from_the_sheet" / "a1.py"


def plan() -> Plan:
    return shipped("naughts-crosses").plan


def programs() -> list[Scenario]:
    return [one for one in plan().scenarios if isinstance(one.stimuli[0].action, Run)]


def test_it_is_as_large_as_an_assignment_has_to_be() -> None:
    assert len(groups(plan().scenarios)) >= 120
    assert len(groups(programs())) >= 25


def test_the_part_for_the_other_cohort_is_told_apart_by_its_tag() -> None:
    for one in plan().scenarios:
        overridden = {binding.name for binding in one.stimuli[0].constants}
        is_theirs = "csse7030" in one.tags
        assert is_theirs == one.id.startswith("grid_size/"), one.id
        assert is_theirs == all(clause.startswith("5.") for clause in one.clauses), one.id
        assert is_theirs or "GRID_SIZE" not in overridden, one.id
        assert "size" in one.tags or not overridden, one.id


def test_every_size_and_number_of_pieces_is_swept_together() -> None:
    seen = {
        tuple(int(ast.literal_eval(binding.literal)) for binding in one.stimuli[0].constants)
        for one in programs()
        if len(one.stimuli[0].constants) == 2
    }
    assert seen >= {(grid, pieces) for grid in range(2, 9) for pieces in range(5, 10)}


@pytest.mark.parametrize("scenario", programs(), ids=lambda scenario: scenario.id)
def test_the_reference_tells_every_game_as_the_other_program_does(scenario: Scenario) -> None:
    stimulus = scenario.stimuli[0]
    typed = [entry.text for entry in stimulus.inputs]
    with patch.dict("sys.modules", constants=provided_module(plan(), stimulus, "constants")):
        reference, other = program(REFERENCE), program(OTHER)
    assert screen_of(reference, "main", typed) == screen_of(other, "main", typed)


PAGE = ROOT / "docs" / "assignments.md"
ASSIGNMENTS = ("connect4ish", "naughts-crosses", "cs112-p4", "comp1005-a3")
TABLE = re.compile(r"^\| assignment \| .*\n(?:\|.*\n)+", re.MULTILINE)


def is_by_pattern(scenario: Scenario) -> bool:
    """Whether any channel is held to less than one exact value."""
    return any(not isinstance(one, Exactly | PythonValue) for one in scenario.stated.parts())


SUCH: dict[str, Callable[[Scenario], bool]] = {
    "scenarios that play the program": lambda one: isinstance(one.stimuli[0].action, Run),
    "scenarios that students see": lambda one: one.visibility is Visibility.VISIBLE,
    "informational scenarios": lambda one: one.informational,
    "scenarios by pattern or kind": is_by_pattern,
    "scenarios with a stand-in": lambda one: bool(one.stand_ins),
}


def number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):g}"


def figures(assignment_id: str) -> dict[str, str]:
    """The column of an assignment."""
    spec = shipped(assignment_id)
    assignment, every = spec.plan.assignment, list(spec.plan.scenarios)
    samples = (ROOT / "submissions" / assignment_id).glob("*/expect.yaml")
    counts: dict[str, int] = {
        "clauses": len(assignment.clauses),
        "unsettled clauses": sum(bool(clause.unsettled) for clause in assignment.clauses),
        "scenarios": len(groups(every)),
        "scenarios, counted once per value of their constants": len(every),
        "runs, with draws": sum(len(scenario.stimuli) for scenario in every),
        **{what: len(groups(filter(is_such, every))) for what, is_such in SUCH.items()},
        "mutants": len(spec.mutants),
        "samples": len(list(samples)),
    }
    by_hand = sum((slot.out_of for slot in assignment.manual), Fraction(0))
    return {
        **{what: f"{count:,}" for what, count in counts.items()},
        "marks for functionality": number(assignment.functionality_marks),
        "marks that a person gives": number(by_hand),
    }


def table() -> str:
    columns = [figures(one) for one in ASSIGNMENTS]
    lines = [
        "| assignment | " + " | ".join(f"`{one}`" for one in ASSIGNMENTS) + " |",
        "|---|" + "---:|" * len(ASSIGNMENTS),
    ]
    for what in columns[0]:
        lines.append(f"| {what} | " + " | ".join(column[what] for column in columns) + " |")
    return "".join(f"{line}\n" for line in lines)


def test_the_table_is_what_the_folders_hold() -> None:
    page = PAGE.read_text(encoding="utf-8")
    if os.environ.get("UPDATE_GOLDEN"):
        page = TABLE.sub(lambda _: table(), page)
        PAGE.write_text(page, encoding="utf-8")
    assert TABLE.findall(page) == [table()], "UPDATE_GOLDEN=1 writes the table anew"


@pytest.mark.parametrize("assignment_id", ["connect4ish", "cs112-p4"])
def test_the_reference_has_no_finding_of_our_own_policy(assignment_id: str) -> None:
    specification = shipped(assignment_id)
    report = check(specification.reference, specification.plan.assignment.policy)
    assert (report.findings, report.unparsable) == ((), None)


@pytest.mark.parametrize("assignment_id", ["connect4ish", "naughts-crosses", "cs112-p4"])
def test_about_a_quarter_is_visible_and_what_is_open_costs_no_mark(assignment_id: str) -> None:
    whole = shipped(assignment_id).plan
    every = groups(scored(whole)).values()
    visible = [members for members in every if members[-1].visibility is Visibility.VISIBLE]
    assert 0.2 <= len(visible) / len(every) <= 0.3
    assert {one[0].function for one in visible} == {one[0].function for one in every}
    unsettled = {clause.id for clause in whole.assignment.clauses if clause.unsettled}
    for one in whole.scenarios:
        assert one.informational == bool(unsettled & set(one.clauses)), one.id


def test_every_assignment_has_a_column_and_a_section() -> None:
    sections = re.findall(r"^## `([^`]+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(sections) == ASSIGNMENTS
    assert sorted(ASSIGNMENTS) == list(available(ROOT))


@pytest.mark.parametrize(
    ("assignment_id", "functions"),
    [
        ("connect4ish", {"num_hours"}),
        ("naughts-crosses", {"num_hours"}),
        ("cs112-p4", set()),
        ("comp1005-a3", {"c4game.py", "toString"}),
    ],
)
def test_only_what_the_page_names_is_by_pattern(assignment_id: str, functions: set[str]) -> None:
    scenarios = shipped(assignment_id).plan.scenarios
    assert {one.function for one in scenarios if is_by_pattern(one)} == functions
