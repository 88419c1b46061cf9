"""Two runs side by side, as a reviewer can open them (`UPDATE_GOLDEN=1` writes them anew)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from harness.common.errors import UserError
from harness.reporting.two_runs import comparison_csv, comparison_page, comparison_table
from harness.results.comparing import RunSnapshot, ScenarioOutcome, SnapshotEntry, compare_runs
from tests.reporting.pages_read import assert_golden, assert_inert, on_terminal, without_style

GOLDEN = Path(__file__).parent / "exported"


def outcomes(**passed: bool) -> tuple[ScenarioOutcome, ...]:
    return tuple(
        ScenarioOutcome(
            id=f"f/{name}",
            verdict="passed" if is_passed else "failed",
            points=Fraction(is_passed),
            out_of=Fraction(1),
            extra_credit=False,
        )
        for name, is_passed in passed.items()
    )


BOTH, ONLY_A, NEITHER = (
    outcomes(a=True, b=True),
    outcomes(a=True, b=False),
    outcomes(a=False, b=False),
)


def entry(
    name: str, mark: str | None = "6", scenarios: tuple[ScenarioOutcome, ...] = BOTH
) -> SnapshotEntry:
    return SnapshotEntry(
        id=name,
        status="graded" if mark is not None else "harness_error",
        mark=None if mark is None else Fraction(mark),
        out_of=Fraction(6),
        total=None,
        source_digest="a" * 64,
        findings=(),
        by_hand="[]",
        scenarios=scenarios,
    )


SAME, LOST, DEDUCTED, STYLE = map(entry, ("same", "lost one", "deducted", "=style+1"))
FIXED = entry("fixed", "3", ONLY_A)
BYTES = entry("other bytes", "0", NEITHER)
OURS = entry("our fault", None, (replace(NEITHER[0], verdict="harness_error"), BOTH[1]))
GONE = entry("gone\u202e", "3", ONLY_A)
FACTS = (("the interpreter", "3.12.1"), ("the scenarios", "old"))
OLD = RunSnapshot(
    path="reports/old",
    assignment="small",
    started="2026-01-02T03:04:05+00:00",
    complete=True,
    made_with=FACTS,
    entries=(SAME, LOST, FIXED, BYTES, OURS, DEDUCTED, STYLE, GONE),
)
NEW = replace(
    OLD,
    path="reports/new",
    complete=False,
    made_with=(FACTS[0], ("the scenarios", "new")),
    entries=(
        SAME,
        replace(LOST, mark=Fraction(3), scenarios=ONLY_A),
        replace(FIXED, mark=Fraction(6), scenarios=BOTH),
        replace(BYTES, mark=Fraction(6), source_digest="b" * 64, scenarios=BOTH),
        replace(OURS, status="graded", mark=Fraction(6), scenarios=BOTH),
        replace(DEDUCTED, mark=Fraction(11, 2), findings=("import: `import os` was added",)),
        replace(STYLE, total=Fraction(17, 2), by_hand='["style"]'),
        entry("new one"),
    ),
)
FOUND = compare_runs(OLD, NEW)


FORMS: dict[str, Callable[[], str]] = {
    "comparison.txt": lambda: on_terminal(comparison_table(FOUND), 140),
    "comparison.csv": lambda: comparison_csv(FOUND),
    "comparison.html": lambda: without_style(comparison_page(FOUND)),
}


@pytest.mark.parametrize("name", FORMS)
def test_form(name: str) -> None:
    assert_golden(GOLDEN / name, FORMS[name]())


def test_the_page_does_nothing() -> None:
    assert_inert(comparison_page(FOUND))


def test_points_that_changed_are_told_without_a_scenario() -> None:
    heavier = replace(SAME.scenarios[0], out_of=Fraction(3), points=Fraction(3))
    before = entry("x", "3", ONLY_A)
    after = replace(before, mark=Fraction(9, 2), scenarios=(heavier, before.scenarios[1]))
    (change,) = compare_runs(
        replace(OLD, entries=(before,)), replace(OLD, entries=(after,))
    ).changes
    assert (change.scenarios, change.marks) == ((), Fraction(3, 2))
    assert (change.weights, change.rest) == (Fraction(3, 2), 0)


def test_who_was_not_graded_before_has_no_new_scenarios() -> None:
    late = replace(SAME, status="late", mark=None, scenarios=())
    for before, after in ((late, SAME), (SAME, late)):
        old, new = (replace(OLD, entries=(entry,)) for entry in (before, after))
        found = compare_runs(old, new)
        said = f"same,{before.status} before, {after.status} now"
        assert said in comparison_csv(found).replace('"', "")
        assert found.scenarios == ()


def test_other_assignments_are_not_compared() -> None:
    with pytest.raises(UserError, match="a run of other is not compared with one of small"):
        compare_runs(OLD, replace(NEW, assignment="other"))


def test_new_scenarios_and_other_points_are_told_apart() -> None:
    """One scenario is new, one is gone, one counts for three times as much."""
    half = Fraction(1, 2)
    before = entry("ada", "4.5", outcomes(a=True, b=False, gone=True))
    kept, lost, _ = before.scenarios
    after = replace(
        before,
        mark=Fraction(18, 5),
        scenarios=(
            replace(kept, points=Fraction(3), out_of=Fraction(3)),
            lost,
            outcomes(c=False)[0],
        ),
        findings=("import: other",),
    )
    old = replace(OLD, entries=(before,), worth=(("f/a", half), ("f/b", half), ("f/gone", half)))
    new = replace(OLD, entries=(after,), worth=(("f/a", Fraction(3)), ("f/b", half), ("f/c", half)))
    found = compare_runs(old, new)
    (change,) = found.changes
    moved = [(each.id, each.marks) for each in change.scenarios]
    assert moved == [("f/c", 0), ("f/gone", -2)]
    assert (change.weights, change.rest) == (Fraction(8, 5), half * -1)
    text = comparison_csv(found)
    assert "+1.60 because scenarios count for more or less; -0.50 from deductions" in text
    page = comparison_page(found)
    assert "1 scenario is new: f/c." in page
    assert "1 scenario is no longer there: f/gone." in page
    assert "1 scenario has other points: f/a (0.5 before, 3 now)." in page
