"""`causes:` of a sample's expect.yaml, held to what grading found; a mutant has one cause, where it
was changed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.causes import ROOT, committed, measured, pairs
from harness.assignment.files.small_files import expectation_text, load_expectation
from harness.assignment.loading import available, load
from harness.grading.validation.validate import compare
from harness.model.plan import ExpectedCause, SampleExpectation
from harness.model.verdict import Cause, Explanation
from tests.results.small_run import PLAN, result


def caused(rule: str) -> Cause:
    why = Explanation(rule=rule, message="")
    return Cause(function="f", explanation=why, scenarios=("f/shown",), blamed=True)


FOUND = caused("returned_none")


@pytest.mark.parametrize(
    ("causes", "said"),
    [
        (None, None),
        ((ExpectedCause(function="f", rule="returned_none"),), ""),
        ((), "causes are f: returned_none, expected none"),
        (
            (ExpectedCause(function="", rule="unreadable"),),
            "causes are f: returned_none, expected the file: unreadable",
        ),
    ],
)
def test_other_causes_are_named(causes: tuple[ExpectedCause, ...] | None, said: str | None) -> None:
    graded = replace(result("ada"), causes=(FOUND,))
    assert compare(graded, SampleExpectation(causes=causes), PLAN).other_causes == said


READ = {
    'causes: {check_win: returned_none, "": unreadable}': "check_win: returned_none, : unreadable",
    "causes: {Account: [wrong_value, not_run]}": "Account: wrong_value, Account: not_run",
    "mark: 3": None,
}


@pytest.mark.parametrize("text", READ)
def test_they_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "expect.yaml"
    path.write_text(f"{text}\n")
    causes = load_expectation(path).causes
    found = None if causes is None else ", ".join(f"{c.function}: {c.rule}" for c in causes)
    assert found == READ[text]


@pytest.mark.parametrize(
    "rules", [("returned_none", "wrong_value"), ("wrong_value", "wrong_value")]
)
def test_several_causes_of_one_function_are_accepted_as_they_are(
    rules: tuple[str, ...], tmp_path: Path
) -> None:
    graded = replace(result("ada"), causes=tuple(caused(rule) for rule in rules))
    one = SampleExpectation(causes=(ExpectedCause(function="f", rule="wrong_value"),))
    assert compare(graded, one, PLAN).other_causes == (
        f"causes are f: {rules[0]}, f: {rules[1]}, expected f: wrong_value"
    )
    path = tmp_path / "expect.yaml"
    path.write_text(expectation_text(compare(graded, one, PLAN).accepted))
    assert f'causes: {{"f": ["{rules[0]}", "{rules[1]}"]}}' in path.read_text()
    assert compare(graded, load_expectation(path), PLAN).other_causes == ""


SCRIPTS = (ROOT / "examples" / "first-steps", "first-steps")


@pytest.mark.release
@pytest.mark.parametrize(
    ("root", "assignment"), [*((ROOT, name) for name in available(ROOT)), SCRIPTS]
)
def test_a_mutant_has_one_cause_where_it_was_changed(root: Path, assignment: str) -> None:
    specification = load(root, assignment)
    figures = measured(specification, committed(specification))
    assert figures.one >= 0.95 * figures.mutants, str(figures)
    assert figures.right >= 0.95 * figures.defined, str(figures)


@pytest.mark.release
def test_two_faults_of_a_script_are_more_than_one_cause_where_neither_hides_the_other() -> None:
    specification = load(*SCRIPTS)
    figures = measured(specification, pairs(specification))
    assert figures.one <= 0.6 * figures.mutants, str(figures)
