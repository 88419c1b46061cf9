"""What `validate --accept` writes of samples, from a report."""

from __future__ import annotations

from pathlib import Path

from harness.assignment.files.small_files import load_expectation
from harness.cli.commands.validate import accept_samples
from harness.grading.observing.answer_key import Problem
from harness.grading.validation.checks import SampleOutcome, ValidationReport
from harness.model.specification import ExpectedCause, SampleExpectation

FOUND = SampleExpectation(causes=(ExpectedCause(function="f", rule="wrong_value"),))
WRITTEN = "causes: {f: returned_none}\n"


def sample(folder: Path, name: str) -> SampleOutcome:
    """One whose causes are other than stated, and nothing else."""
    (folder / name).mkdir()
    (folder / name / "expect.yaml").write_text(WRITTEN, encoding="utf-8")
    return SampleOutcome(
        name=name, mark="1.00", failed=1, parts=(), accepted=FOUND, other_causes="causes are others"
    )


def report(samples: list[SampleOutcome], *problems: Problem) -> ValidationReport:
    return ValidationReport(
        assignment="a1", scenarios=1, groups=1, stimuli=1, goldens=0, clauses=(), functions=(),
        mutants=(), samples=tuple(samples), trivial=(), problems=problems,
    )  # fmt: skip


def test_causes_that_are_a_problem_are_written(tmp_path: Path) -> None:
    samples = [sample(tmp_path, name) for name in ("ada", "ben")]
    problem = Problem("causes", "ada/expect.yaml", "causes are others")
    accepted = accept_samples(report(samples, problem), tmp_path)
    assert accepted.sound
    assert [each.other_causes for each in accepted.samples] == ["", "causes are others"]
    assert load_expectation(tmp_path / "ada" / "expect.yaml") == FOUND
    assert (tmp_path / "ben" / "expect.yaml").read_text(encoding="utf-8") == WRITTEN


def test_other_problems_stay(tmp_path: Path) -> None:
    problem = Problem("coverage", "", "no scenario tests clause 2")
    accepted = accept_samples(report([sample(tmp_path, "ada")], problem), tmp_path)
    assert accepted.problems == (problem,)
    assert (tmp_path / "ada" / "expect.yaml").read_text(encoding="utf-8") == WRITTEN
