"""`selfcheck.pyz` as a student runs it: alone, under any Python, where there are no terminals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from given_away import HOST, IDS, ROOT, handed_out, packed, run_selfcheck
from tiny_course import FIXTURE, Course

from harness.assignment import load
from harness.execution import AnyDriver, Interpreter, a_driver, find_interpreter
from harness.execution.piped_driver import PipedDriver
from harness.grading import Grader, check_submissions, handed_in, prepare, visible_only
from harness.model import serial
from harness.model.answer_key import AnswerKey
from harness.model.plan import Plan
from harness.model.result import SubmissionResult, Tier

NO_TERMINALS = ROOT / "tests" / "execution" / "no_terminals.py"
ALL = "1000"
FAULTY = {
    "comp1005-a3": "negative_columns_wrap",
    "connect4ish": "off_by_one_column",
    "cs112-p4": "pops_any_color",
    "naughts-crosses": "hard_coded_3",
}
RIGHT = {
    "comp1005-a3": "right_plain",
    "connect4ish": "perfect",
    "cs112-p4": "perfect_from_the_sheet",
    "naughts-crosses": "perfect_from_the_sheet",
}


def pythons() -> list[Interpreter]:
    """One of each version from 3.11 on that is here; the host's at least."""
    found = [find_interpreter(version) for version in ("3.11", "3.12", "3.13")]
    return list({each.version: each for each in [find_interpreter("3.11", HOST), *found]}.values())


PYTHONS = pythons()
SAMPLES = sorted(path.name for path in (FIXTURE / "submissions" / "tiny").iterdir())


@pytest.fixture(scope="module")
def tiny(tiny_handout: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handout of the tiny course, laid out."""
    return laid_out(tiny_handout, tmp_path_factory.mktemp("tiny"))


def laid_out(files: dict[str, bytes], folder: Path) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return folder


@pytest.mark.parametrize("python", PYTHONS, ids=lambda each: each.version)
@pytest.mark.parametrize("sample", SAMPLES)
def test_says_what_harness_check_says(
    python: Interpreter, sample: str, tiny: Path, tiny_course: Course
) -> None:
    file = tiny_course.path(f"submissions/tiny/{sample}/a1.py")
    expected = tiny_course.run("check", file, "--failures", ALL, "--python", python.path)
    done = run_selfcheck(python.path, "selfcheck.pyz", file, "--failures", ALL, cwd=tiny)
    assert (done.returncode, done.stdout) == (expected.status, expected.out)
    assert done.stderr.startswith("Self-check of ")


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_same_without_terminals_and_forks(sample: str, tiny: Path) -> None:
    file = FIXTURE / "submissions" / "tiny" / sample / "a1.py"
    on_a_terminal = run_selfcheck(HOST, "selfcheck.pyz", file, "--failures", ALL, cwd=tiny)
    over_pipes = run_selfcheck(
        HOST, "selfcheck.pyz", file, "--failures", ALL, cwd=tiny, before=(NO_TERMINALS,)
    )
    assert (over_pipes.returncode, over_pipes.stdout) == (
        on_a_terminal.returncode,
        on_a_terminal.stdout,
    )


@pytest.mark.slow
def test_each_verdict_and_message_is_that_of_harness_check(
    handouts: dict[str, dict[str, bytes]],
) -> None:
    """Every sample on the first visible scenario of each function, on terminals in the portable
    tier and over pipes."""
    inner = packed(handouts["connect4ish"]["selfcheck.pyz"])
    plan = serial.loads(Plan, inner["harness/packaging/plan.json"])
    key = serial.loads(AnswerKey, inner["harness/packaging/key.json"])
    first = {scenario.function: scenario.id for scenario in reversed(plan.scenarios)}
    chosen = set(first.values())
    bench = prepare(visible_only(load(ROOT, "connect4ish")))
    small = bench.specification.plan.subset(lambda scenario: scenario.id in chosen)
    bench = replace(bench, specification=replace(bench.specification, plan=small))
    submissions = handed_in([ROOT / "submissions" / "connect4ish"], plan.assignment)
    expected = [_verdicts(result) for result in check_submissions(bench, submissions)]
    assert len(expected) > 40
    assert len(expected[0]) == len(chosen) > 10
    plan = plan.subset(lambda scenario: scenario.id in chosen)
    drivers: list[AnyDriver] = [
        a_driver(bench.interpreter, Tier.PORTABLE),
        PipedDriver(bench.interpreter),
    ]
    for opened in drivers:
        with opened as driver, Grader(plan, key, driver) as grader:
            found = [_verdicts(grader.grade(submission).result) for submission in submissions]
        assert found == expected


def _verdicts(result: SubmissionResult) -> dict[str, tuple[str, str]]:
    return {s.scenario_id: (s.verdict.kind.value, s.verdict.message) for s in result.scenarios}


@pytest.mark.parametrize("assignment_id", IDS)
def test_right_and_faulty_programs_of_every_assignment(
    assignment_id: str, handouts: dict[str, dict[str, bytes]], tmp_path: Path
) -> None:
    folder = laid_out(handouts[assignment_id], tmp_path)
    for name, status in ((RIGHT[assignment_id], 0), (FAULTY[assignment_id], 1)):
        sample = ROOT / "submissions" / assignment_id / name
        files = [path for path in sample.iterdir() if path.name != "expect.yaml"]
        handed = files[0] if len(files) == 1 else sample
        expected = Course(ROOT).run(
            "check", handed, "--assignment", assignment_id, "--failures", ALL
        )
        python = find_interpreter(load(ROOT, assignment_id).plan.assignment.python)
        done = run_selfcheck(python.path, "selfcheck.pyz", handed, "--failures", ALL, cwd=folder)
        assert (done.returncode, done.stdout) == (expected.status, expected.out)
        assert done.returncode == status


def test_the_stub_compiles_and_fails(tiny: Path) -> None:
    done = run_selfcheck(HOST, "selfcheck.pyz", "a1.py", cwd=tiny)
    assert done.returncode == 1
    assert "visible checks passed" in done.stdout


def test_says_what_it_is_and_what_it_has(tiny: Path) -> None:
    done = run_selfcheck(HOST, "selfcheck.pyz", "a1.py", cwd=tiny)
    first = done.stderr.splitlines()[0]
    assert "protected from nothing" in first
    assert "7 visible scenarios" in first
    assert "\x1b" not in done.stdout


def test_another_version_of_python_is_told_loudly(course: Course, tmp_path: Path) -> None:
    course.edit("specs/tiny/assignment.yaml", 'python: "3.12"', 'python: "3.99"')
    files = packed(handed_out(course.root, "tiny", tmp_path / "a1.zip"))
    folder = laid_out(files, tmp_path)
    file = course.path("submissions/tiny/perfect/a1.py")
    done = run_selfcheck(HOST, "selfcheck.pyz", file, cwd=folder)
    assert done.returncode == 0
    warning = done.stderr.splitlines()[1]
    assert warning.startswith("WARNING Python 3.99 is what the assignment names: running under 3.")


def test_a_python_that_is_too_old_is_told_so(tiny: Path, tmp_path: Path) -> None:
    main = packed((tiny / "selfcheck.pyz").read_bytes())["__main__.py"]
    program = tmp_path / "old.py"
    program.write_bytes(b"import sys\nsys.version_info = (3, 8, 1)\n" + main)
    done = run_selfcheck(HOST, program, cwd=tiny)
    assert done.returncode == 2
    assert done.stderr == "This check needs Python 3.11 or later; this is 3.8.\n"


WRONG = {
    "no such file": ("nowhere.py", "nowhere.py: there is no such file or folder"),
    "a count of none": ("--failures=0", "--failures takes a number from 1 on"),
    "nothing": ("", "the following arguments are required: FILE"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_run_is_told_without_a_traceback(name: str, tiny: Path) -> None:
    argument, said = WRONG[name]
    arguments = [argument, "a1.py"] if argument.startswith("-") else [argument] if argument else []
    done = run_selfcheck(HOST, "selfcheck.pyz", *arguments, cwd=tiny)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
