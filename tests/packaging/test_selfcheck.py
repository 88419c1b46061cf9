"""`selfcheck.pyz` as a student runs it: alone, under any Python, where there are no terminals."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from harness.execution import AnyDriver, create_driver, find_interpreter
from harness.execution.piped import PipedDriver
from harness.grading.check import check_submissions, cohort_of, setup_of
from harness.grading.context import GradingContext, prepare, visible_only
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.observation import Tier
from harness.model.result import SubmissionResult
from tests.downloads import laid, zipped_class
from tests.execution.conftest import installed
from tests.packaging.given_away import HOST, IDS, Check, Handout, of_program, packed, run_selfcheck
from tests.shipped import ROOT, shipped
from tests.tiny_course import FIXTURE, Course, Outcome

NO_TERMINALS = ROOT / "tests" / "execution" / "no_terminals.py"
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


@pytest.fixture(autouse=True)
def without_reference() -> Iterator[None]:
    """The self-check holds no reference: it says what `harness check` says without one."""

    def setup(context: GradingContext) -> GraderSetup:
        return replace(setup_of.original(context), reference=())

    with setup_of.replaced_by(setup):
        yield


SAMPLES = sorted(FIXTURE.glob("submissions/tiny/*/a1.py"))
PERFECT = FIXTURE / "submissions" / "tiny" / "perfect" / "a1.py"


@pytest.fixture(scope="module")
def tiny(tiny_handout: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return laid(tiny_handout, tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize(
    ("version", "before"),
    [
        ("3.11", ()),
        ("3.12", (NO_TERMINALS,)),
        *(
            pytest.param(*case, marks=pytest.mark.release)
            for case in [("3.11", (NO_TERMINALS,)), ("3.12", ()), ("3.13", ())]
        ),
    ],
    ids=lambda value: ("pipes" if value else "terminals") if isinstance(value, tuple) else value,
)
def test_it_gives_the_same_results_as_harness_check(
    version: str, before: tuple[Path, ...], tiny: Path, tiny_course: Course
) -> None:
    """Of all samples at once: each one's failures follow one another."""
    python = installed(version)
    expected = tiny_course.run("check", *SAMPLES, "--all", "--python", python.path)
    assert expected.out.count("visible checks passed") == len(SAMPLES)
    command = ("selfcheck.pyz", *SAMPLES, "--all")
    done = run_selfcheck(python.path, *command, cwd=tiny, before=before)
    assert (done.returncode, done.stdout) == (expected.status, expected.out)
    assert done.stderr.startswith("Self-check of ")


# One of each way to go wrong; `make test-all` takes every sample.
SOME = (
    *("asks_for_more", "crlf_and_bom", "int_crash_on_ax", "line_missing", "missing_function"),
    *("perfect", "print_instead_of_return", "syntax_error"),
)


@pytest.mark.parametrize(
    "names", [SOME, pytest.param(("*",), marks=pytest.mark.release)], ids=["some", "all"]
)
def test_verdict_and_message_are_those_of_a_check(names: tuple[str, ...], handout: Handout) -> None:
    """These samples on the first visible scenario of each function, on terminals in the portable
    tier and over pipes."""
    plan, key = of_program(handout("connect4ish")["selfcheck.pyz"])
    chosen = {scenario.function: scenario.id for scenario in reversed(plan.scenarios)}.values()
    whole = visible_only(shipped("connect4ish"))
    small = whole.plan.subset(lambda scenario: scenario.id in chosen)
    context = prepare(replace(whole, plan=small))
    folders = [each for name in names for each in (ROOT / "submissions/connect4ish").glob(name)]
    submissions = cohort_of(folders, plan.assignment).submissions
    assert len(submissions) == len(folders) >= len(names)
    expected = [_verdicts(result) for result in check_submissions(context, submissions)]
    assert len(expected[0]) == len(chosen) > 10
    plan = plan.subset(lambda scenario: scenario.id in chosen)
    terminals: AnyDriver = create_driver(context.interpreter, Tier.PORTABLE)
    for opened in (terminals, PipedDriver(context.interpreter)):
        with opened as driver, Grader(GraderSetup(plan=plan, key=key), driver) as grader:
            found = [_verdicts(grader.grade(submission).result) for submission in submissions]
        assert found == expected


def _verdicts(result: SubmissionResult) -> dict[str, tuple[str, str]]:
    return {s.scenario_id: (s.verdict.kind.value, s.verdict.message) for s in result.scenarios}


# What these show of whole assignments is shown above of the tiny course, and of verdicts.
CASES = [
    pytest.param(each, before, id=f"{each}-{way}")
    for way, before in (("terminals", ()), ("pipes", (NO_TERMINALS,)))
    for each in IDS
]


@pytest.fixture(scope="module")
def checked_once() -> Callable[[str, Path], Outcome]:
    """Checks each program once for all tests of this module."""

    @cache
    def checked(assignment_id: str, handed: Path) -> Outcome:
        return Course(ROOT).run("check", handed, "--assignment", assignment_id, "--all")

    return checked


@pytest.mark.release
@pytest.mark.parametrize(("assignment_id", "before"), CASES)
def test_right_and_faulty_programs_of_every_assignment(
    assignment_id: str,
    before: tuple[Path, ...],
    handout: Handout,
    checked_once: Callable[[str, Path], Outcome],
    tmp_path: Path,
) -> None:
    folder = laid(handout(assignment_id), tmp_path)
    for name, status in ((RIGHT[assignment_id], 0), (FAULTY[assignment_id], 1)):
        sample = ROOT / "submissions" / assignment_id / name
        files = [path for path in sample.iterdir() if path.name != "expect.yaml"]
        handed = files[0] if len(files) == 1 else sample
        expected = checked_once(assignment_id, handed)
        python = find_interpreter(shipped(assignment_id).plan.assignment.python)
        command = ("selfcheck.pyz", handed, "--all")
        done = run_selfcheck(python.path, *command, cwd=folder, before=before)
        assert (done.returncode, done.stdout) == (expected.status, expected.out)
        assert done.returncode == status


def test_the_stub_fails_and_the_program_names_itself(tiny: Path, selfcheck_here: Check) -> None:
    done = selfcheck_here("a1.py", cwd=tiny)
    assert done.status == 1
    assert "visible checks passed" in done.out
    first = done.err.splitlines()[0]
    assert "without protection" in first
    assert "7 visible checks" in first
    assert "\x1b" not in done.out


def test_other_versions_of_python_are_told(
    tiny: Path, selfcheck_here: Check, tmp_path: Path
) -> None:
    done = selfcheck_here(str(PERFECT), cwd=tiny, python="3.99")
    assert done.status == 0
    warning = done.err.splitlines()[1]
    assert warning.startswith("warning: Python 3.99 is the assignment's version: using 3.")
    main = packed((tiny / "selfcheck.pyz").read_bytes())["__main__.py"]
    program = tmp_path / "old.py"
    program.write_bytes(b"import sys\nsys.version_info = (3, 8, 1)\n" + main)
    done = run_selfcheck(HOST, program, cwd=tiny)
    assert done.returncode == 2
    assert done.stderr == "This check needs Python 3.11 or later; this is 3.8.\n"


WRONG = {
    "nothing": ("", "no file is named. Hint: python3 selfcheck.pyz a1.py (Windows: py "),
    "a count of none": ("--failures=0", "--failures needs a number of 1 or more"),
    "another folder": ("x/prog.py", "x/prog.py: no such file or folder. Hint: write "),
    "a letter too many": ("a11.py", "a11.py: no such file or folder. Hint: is it a1.py?"),
    "no ending": ("a1", "a1: no such file or folder. Hint: is it a1.py?"),
    "an ending unseen": ("words", "words: no such file or folder. Hint: is it words.txt?"),
    "nothing inside": ("Übung 1", "Übung 1: this folder has no a1.py. Hint: write the file's"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_run_that_is_impossible_is_one_line(name: str, tiny: Path, selfcheck_here: Check) -> None:
    (tiny / "Übung 1").mkdir(exist_ok=True)
    (tiny / "words.txt").touch()
    argument, said = WRONG[name]
    done = selfcheck_here(*filter(None, [argument]), cwd=tiny)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"error: {said}")
    assert len(done.err.splitlines()) == 1
    if name == "a letter too many":  # also as a program, whose exit status it is
        program = run_selfcheck(HOST, "selfcheck.pyz", argument, cwd=tiny)
        assert (program.returncode, program.stdout, program.stderr) == (2, "", done.err)


def test_another_name_is_shown(tiny: Path, tmp_path: Path, selfcheck_here: Check) -> None:
    """In a folder as one system of cloud storage names it."""
    folder = tmp_path / "OneDrive - Universität" / "Übung 1"
    folder.mkdir(parents=True)
    file = "meine Lösung.py"
    (folder / file).write_bytes(PERFECT.read_bytes())
    program = tiny / "selfcheck.pyz"
    piped = run_selfcheck(HOST, program, file, cwd=folder, before=(NO_TERMINALS,))
    for done in (
        selfcheck_here(file, cwd=folder, program=program),
        Outcome(piped.returncode, piped.stdout, piped.stderr),
    ):
        assert (done.status, done.out.strip()) == (0, "7 of 7 visible checks passed")
        assert done.err.splitlines()[-2:] == [
            "note: meine Lösung.py was graded as a1.py",
            "note: hand it in as a1.py: another name may cost all marks",
        ]


def test_a_file_with_any_name_is_checked_without_a_note(
    handout: Handout, tmp_path: Path, selfcheck_here: Check
) -> None:
    folder = laid(handout("cs112-p4"), tmp_path)
    (folder / "p4.py").rename(folder / "mine.py")
    done = selfcheck_here("mine.py", cwd=folder)
    assert done.status == 1
    assert "note" not in done.err


@pytest.fixture(scope="module")
def two_files(handout: Handout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A student's folder where two files belong together, and an archive of earlier ones lies."""
    folder = laid(handout("comp1005-a3"), tmp_path_factory.mktemp("two"))
    names = ("connect4.py", "c4game.py")
    zipped_class(dict.fromkeys(names, b"x = 1\n"), folder / "A3.zip")
    for name in names:
        shutil.copy(ROOT / "submissions/comp1005-a3" / RIGHT["comp1005-a3"] / name, folder)
    return folder


@pytest.mark.parametrize("named", [["connect4.py"], ["c4game.py", "connect4.py"]])
def test_files_belong_together(named: list[str], two_files: Path, selfcheck_here: Check) -> None:
    done = selfcheck_here(*named, cwd=two_files)
    assert done.status == 0, done.out
    assert "note" not in done.err


def test_an_archive_beside_newer_files_is_told(two_files: Path, selfcheck_here: Check) -> None:
    done = selfcheck_here(".", cwd=two_files)
    assert done.status == 1
    assert "note: c4game.py and connect4.py beside A3.zip were not read\n" in done.err
