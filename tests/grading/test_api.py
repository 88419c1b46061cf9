"""The commands' jobs from Python, and nothing else from there; which files a student means who
names one of several that belong together; a program that runs and cannot be checked keeps its
marks, and a person is asked to read it.
"""

import dataclasses
import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, get_type_hints

import pytest

import harness
from harness import api, load_assignment
from harness.common.errors import UserError
from harness.execution.trusted_function import TOOL_LIMITS
from harness.grading import grader as grader_module
from harness.grading.batch import Interrupted
from harness.grading.check import notes, submitted
from harness.grading.context import prepare
from harness.grading.grader import Grader
from harness.model import result
from harness.model.plan import Specification
from harness.model.policy import MAX_SOURCE_BYTES, Severity
from harness.model.result import Event, RunResult, RunStarted, SubmissionGraded, SubmissionResult
from tests.inline import grader_of, handed_in, inline_engine
from tests.intake.cohorts import A1
from tests.reporting.report_samples import FACTS
from tests.tiny_course import FIXTURE, Course, ran, results

NAMES = ["check", "grade", "load_assignment"]


def test_the_public_names_are_the_documented_ones() -> None:
    assert harness.__all__ == ["__version__", *NAMES]
    assert dir(harness) == harness.__all__
    described = importlib.import_module("harness.api").__doc__ or ""
    package = harness.__doc__ or ""
    for name in NAMES:
        assert name in described
        assert name in package
        assert (getattr(harness, name).__doc__ or "").strip()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        harness.nothing  # noqa: B018


def test_every_public_function_states_its_types() -> None:
    returned = [get_type_hints(getattr(harness, name))["return"] for name in NAMES]
    assert returned == [tuple[SubmissionResult, ...], RunResult, Specification]


def test_importing_the_package_loads_nothing_else() -> None:
    loaded = "[name for name in sys.modules if name.startswith('harness.')]"
    code = f"import sys, harness; print({loaded}, harness.__version__)"
    assert ran([sys.executable, "-c", code], check=True).stdout == f"[] {harness.__version__}\n"


def test_grades_as_the_command_does(graded_once: Course, course: Course, tmp_path: Path) -> None:
    heard: list[Event] = []
    written: list[dict[str, int]] = []

    def pages() -> dict[str, int]:
        return {str(path): path.stat().st_ino for path in tmp_path.glob("out/*/*.html")}

    def hear(event: Event) -> None:
        if not isinstance(event, result.WorstLeft):  # which comes after each mark
            heard.append(event)
            written.append(pages())

    assignment = harness.load_assignment(course.root, "tiny")
    paths = [course.path("submissions/tiny")]
    run = harness.grade(assignment, paths, tmp_path / "out", jobs=2, listener=hear)
    assert run.facts.complete
    assert results(tmp_path / "out") == results(graded_once.report)
    assert (tmp_path / "out" / "index.html").is_file()
    kinds = [type(event) for event in heard]
    looked_at = [each for each in run.submissions if each.causes and not each.problem]
    failing = sum(each.unparsable is None for each in looked_at)
    marks, causes = [SubmissionGraded] * 5, [result.CausesFound] * failing
    assert kinds == [RunStarted, *marks, result.CausesBegun, *causes, result.RunFinished]
    assert all(len(now) >= 2 * done for done, now in enumerate(written[:6]))
    assert written[-1] == pages()  # the workers' pages, and none was written again
    assert len(pages()) == 10


def test_an_earlier_report_is_marked_as_replaced_before_its_pages(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = harness.load_assignment(course.root, "tiny")
    page = tmp_path / "index.html"
    page.write_text('<main id="content">\n', "utf-8")

    def run(kept: int) -> str:
        def stopped(*arguments: Any) -> NoReturn:
            arguments[-1](RunStarted(facts=FACTS, total=2, kept=kept))
            raise UserError("enough")

        monkeypatch.setattr(api, "grade_batch", stopped)
        with pytest.raises(UserError, match="enough"):
            harness.grade(assignment, [course.path("submissions/tiny")], tmp_path)
        return page.read_text("utf-8")

    monkeypatch.setattr(api, "prepare", lambda of, **_: SimpleNamespace(specification=of))
    assert "not complete" not in run(kept=2)
    assert "not complete" in run(kept=1)


def test_an_interrupt_while_listening_keeps_what_is_done(course: Course, tmp_path: Path) -> None:
    assignment = harness.load_assignment(str(course.root), "tiny")
    paths = [str(course.path("submissions/tiny"))]

    def impatient(event: Event) -> None:
        if isinstance(event, SubmissionGraded):
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="interrupted after 1 of 5") as stopped:
        harness.grade(assignment, paths, str(tmp_path), jobs=1, listener=impatient)
    assert not stopped.value.run.facts.complete
    assert len(results(tmp_path)["submissions"]) == 1
    heard: list[Event] = []
    with inline_engine():
        whole = harness.grade(assignment, paths, tmp_path, listener=heard.append)
    assert isinstance(heard[0], RunStarted)
    assert heard[0].kept == 1
    assert len(whole.submissions) == 5


def test_only_visible_scenarios_are_checked(course: Course) -> None:
    assignment = harness.load_assignment(course.root, "tiny")
    (found,) = harness.check(assignment, [course.path("submissions/tiny/prints_total/a1.py")])
    assert len(found.scenarios) == 7
    assert [s.scenario_id for s in found.scenarios if not s.verdict.passed] == [
        "main/two-amounts",
        "total/an-empty-basket",
    ]


def test_a_mistake_that_a_user_can_fix_is_a_user_error(course: Course, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match="did you mean tiny"):
        harness.load_assignment(course.root, "tinny")
    assignment = harness.load_assignment(course.root, "tiny")
    with pytest.raises(UserError, match="no such file or folder"):
        harness.grade(assignment, ["nowhere"], tmp_path)
    with pytest.raises(UserError, match=r"this folder has no a1\.py"):
        harness.check(assignment, [empty])


def test_support_files_take_the_place_of_ours(course: Course, tmp_path: Path) -> None:
    theirs = course.path("reference/tiny/till.py").read_text(encoding="utf-8")
    (tmp_path / "till.py").write_text(theirs.replace("LIMIT = 5", "LIMIT = 7"), encoding="utf-8")
    assignment = harness.load_assignment(course.root, "tiny", support=tmp_path)
    (perfect,) = harness.check(assignment, [course.path("submissions/tiny/perfect")])
    assert all(entry.verdict.passed for entry in perfect.scenarios)
    (hard,) = harness.check(assignment, [course.path("submissions/tiny/hard_coded_5")])
    failed = {entry.scenario_id for entry in hard.scenarios if not entry.verdict.passed}
    assert "is_valid/the-limit-and-one-more[LIMIT=9]" in failed


TWO = dataclasses.replace(A1, submission_files=("game.py", "play.py"))


def lay(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).write_text(f"# {name}\n")
    return folder


@pytest.mark.parametrize("named", [["game (1).py"], ["play.py"], ["play.py", "game (1).py"]])
def test_a_copy_is_checked_with_the_others(named: list[str], tmp_path: Path) -> None:
    lay(tmp_path, "game (1).py", "play.py", "notes.py")
    paths = [tmp_path / name for name in named]
    (one,) = submitted(paths, TWO)
    assert {file.name: file.data for file in one.files} == {
        "game.py": b"# game (1).py\n",
        "play.py": b"# play.py\n",
    }
    assert one.notes == ("game (1).py was graded as game.py",)
    advice = "hand it in as game.py: another name may cost all marks"
    assert (advice in notes(paths, [one], TWO)) == ("game (1).py" in named)


def test_a_copy_beside_its_original_is_not_guessed(tmp_path: Path) -> None:
    lay(tmp_path, "game (1).py", "game.py", "play.py")
    with pytest.raises(UserError) as caught:
        submitted([tmp_path / "game (1).py"], TWO)
    assert str(caught.value) == (
        f"{tmp_path / 'game (1).py'}: game.py is beside it, but only one of them can be checked. "
        "Hint: keep one of them, named game.py"
    )
    (one,) = submitted([tmp_path / "game.py"], TWO)
    assert one.notes == ()  # both are the same, byte for byte


RIGHT = (FIXTURE / "reference" / "tiny" / "a1.py").read_text("utf-8")
# The check shows the name of what a module calls, and gives up on one this deep.
DEEP = f"\n\ndef nothing():\n    pass\n\n\nnothing.b = nothing\nnothing{'.b' * 1500}()\n"
LARGE = f"\n\nif 0:\n    {'a;' * 12_000}\n"  # which Python leaves out
LITTLE = replace(TOOL_LIMITS, cpu_seconds=0.1)


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with grader_of(prepare(load_assignment(FIXTURE, "tiny"))) as grader:
        yield grader


def graded(grader: Grader, program: str) -> SubmissionResult:
    return grader.grade(handed_in(program)).result


def test_one_that_is_nested_too_deep(grader: Grader) -> None:
    asks_for_a_person(graded(grader, RIGHT + DEEP), "the code is nested too deeply to be read")


def test_one_too_large_to_check_in_time(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "unchecked" not in rules(graded(grader, RIGHT + LARGE))
    monkeypatch.setattr(grader_module, "TOOL_LIMITS", LITTLE)
    asks_for_a_person(graded(grader, RIGHT + LARGE), "the limits of the check were reached")


def test_one_over_the_limit_of_size_is_not_run(grader: Grader) -> None:
    padding = "#" * (MAX_SOURCE_BYTES - len(RIGHT))
    assert graded(grader, RIGHT + padding).mark == 6
    refused = graded(grader, RIGHT + padding + "#")
    assert refused.status == "unreadable"
    assert refused.scenarios[0].verdict.kind == "unreadable"


def asks_for_a_person(result: SubmissionResult, reason: str) -> None:
    assert result.flagged
    (found,) = [each for each in result.findings if each.rule == "unchecked"]
    assert found.consequence.severity is Severity.REVIEW
    assert reason in found.message
    assert {each.verdict.kind for each in result.scenarios} == {"passed"}


def rules(result: SubmissionResult) -> set[str]:
    return {each.rule for each in result.findings}
