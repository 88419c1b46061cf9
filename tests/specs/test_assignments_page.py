"""docs/assignments.md says of each assignment what its folders hold.

`UPDATE_GOLDEN=1 pytest tests/specs/test_assignments_page.py` writes the table anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from harness.assignment.loading import available
from harness.matchers.kinds.values import Exactly, PythonValue
from harness.model.plan import Scenario, Visibility
from harness.policy.checking import check
from harness.stimuli.run import Run
from tests.shipped import shipped
from tests.specs.conftest import groups

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "assignments.md"
ASSIGNMENTS = ("connect4ish", "naughts-crosses", "cs112-p4", "comp1005-a3")
TABLE = re.compile(r"^\| \| .*\n(?:\|.*\n)+", re.MULTILINE)


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
        "of them unsettled": sum(bool(clause.unsettled) for clause in assignment.clauses),
        "scenarios": len(groups(every)),
        "with swept values": len(every),
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
        "| | " + " | ".join(f"`{one}`" for one in ASSIGNMENTS) + " |",
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
def test_only_what_the_page_names_is_compared_by_pattern(
    assignment_id: str, functions: set[str]
) -> None:
    scenarios = shipped(assignment_id).plan.scenarios
    assert {one.function for one in scenarios if is_by_pattern(one)} == functions
