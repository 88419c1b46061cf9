"""The example assignments: sound, and each of their wrong programs fails where it should."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from pathlib import Path

import pytest

from harness.assignment.files.small_files import load_expectation
from harness.cli.commands.validate import read_samples
from harness.grading.check import check_submissions
from harness.grading.validation.validate import compare
from tests.per_commit import per_commit
from tests.shipped import context_of, shipped
from tests.tiny_course import Course, ran

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/sheet.md"))
FEWEST_SCENARIOS = 40
FEWEST_SAMPLES = 12
# Each scenario has a process of its own, which imports a package.
SLOW = {"csv-report"}


@pytest.mark.parametrize("name", per_commit(NAMES, *(each for each in NAMES if each not in SLOW)))
def test_every_fourth_sample_of_an_example_is_as_expected(name: str) -> None:
    context = context_of(name)
    plan = context.specification.plan
    samples = read_samples(EXAMPLES / name / "submissions", plan.assignment)[1::4]
    results = check_submissions(context, [sample.submission for sample in samples])
    found = [
        compare(result, sample.expected, plan)
        for sample, result in zip(samples, results, strict=True)
    ]
    assert len(found) >= 3
    assert [(each.name, each.parts) for each in found if each.parts] == []


@pytest.mark.release
@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_sound(name: str, tmp_path: Path) -> None:
    context_of(name)  # the copy has its packages then
    outcome = Course.copy(EXAMPLES / name, tmp_path / name).run("validate")
    assert (outcome.status, outcome.out.splitlines()[-1]) == (0, f"{name}: sound")


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_large_enough_to_learn_from(name: str) -> None:
    """What the programs pass and fail is compared when the example is validated."""
    samples = sorted((EXAMPLES / name / "submissions").iterdir())
    right = [each for each in samples if each.name.startswith("right-")]
    assert len(samples) >= FEWEST_SAMPLES
    assert len(right) >= 2
    for each in samples:
        fails = load_expectation(each / "expect.yaml").fails
        assert bool(fails) == (each not in right), each.name
    assert len(shipped(name).plan.scenarios) >= FEWEST_SCENARIOS


def test_an_example_is_graded_from_outside_its_folder(tmp_path: Path) -> None:
    """As the guide says."""
    course = Course.copy(EXAMPLES / "bank", tmp_path / "bank")
    right = sorted((course.root / "submissions").glob("right-*"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    course.ok("grade", *right, cwd=elsewhere)
    run = json.loads((course.root / "reports" / "bank" / "results.json").read_text("utf-8"))
    assert len(run["submissions"]) == len(right)
    assert all(each["mark"] == each["out_of"] for each in run["submissions"])


def test_the_folders_hold_nothing_that_was_generated() -> None:
    for name in NAMES:
        shown = {path.name for path in (EXAMPLES / name).iterdir()}
        generated = {"reports", ".harness-cache"}
        assert shown - generated == {"reference", "sheet.md", "specs", "submissions"}


def test_the_guide_shows_lines_of_the_examples() -> None:
    """Whatever the guide prints of classes, files, values and chance is validated above."""
    guide = (EXAMPLES.parent / "docs" / "writing-scenarios.md").read_text("utf-8")
    section = guide.partition("## Classes, files, values, chance\n")[2].partition("\n## ")[0]
    known: set[str] = set()
    for kind in ("yaml", "py"):
        for path in EXAMPLES.glob(f"*/specs/*/*.{kind}"):
            known |= {line.strip() for line in path.read_text("utf-8").splitlines()}
    blocks = section.split("```")[1::2]
    assert len(blocks) == 6
    for block in blocks:
        missing = [line for line in block.splitlines()[1:] if line.strip() not in known]
        assert missing == []


@pytest.mark.parametrize("name", per_commit(NAMES, "text-stats"))
def test_the_self_check_of_an_example_passes_a_right_program(name: str, tmp_path: Path) -> None:
    library = context_of(name).interpreter.library
    course = Course.copy(EXAMPLES / name, tmp_path / name)
    course.ok("handout", name, "--output", tmp_path / "handout.zip")
    home = tmp_path / "home"
    with zipfile.ZipFile(tmp_path / "handout.zip") as archive:
        archive.extractall(home)
    right = next((course.root / "submissions").glob("right-*"))
    programs = [path.name for path in right.glob("*.py")]
    for program in programs:
        (home / program).write_bytes((right / program).read_bytes())
    installed = {**os.environ, "PYTHONPATH": str(library)} if library else os.environ
    check = [sys.executable, "selfcheck.pyz", programs[0]]
    done = ran(check, cwd=home, timeout=120, env=installed)
    assert done.returncode == 0, done.stdout + done.stderr
