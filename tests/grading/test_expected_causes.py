"""`causes:` of a sample's expect.yaml, held to what grading found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.assignment import load_expectation
from harness.grading.validation.samples import compare
from harness.model.specification import ExpectedCause, SampleExpectation
from harness.model.verdict import Cause
from tests.results.small_run import PLAN, result

FOUND = Cause(function="f", rule="returned_none", message="", scenarios=("f/shown",), blamed=True)


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


def test_they_are_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "expect.yaml"
    path.write_text('causes: {check_win: returned_none, "": unreadable}\n')
    assert load_expectation(path).causes == (
        ExpectedCause(function="check_win", rule="returned_none"),
        ExpectedCause(function="", rule="unreadable"),
    )
    path.write_text("mark: 3\n")
    assert load_expectation(path).causes is None
