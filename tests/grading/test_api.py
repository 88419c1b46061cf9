"""The commands' jobs from Python, and nothing else from there."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, get_type_hints

import pytest

import harness
from harness import api
from harness.common.errors import UserError
from harness.grading.batch import Interrupted
from harness.model import result
from harness.model.plan import Specification
from harness.model.result import Event, RunResult, RunStarted, SubmissionGraded, SubmissionResult
from tests.inline import inline_engine
from tests.reporting.report_samples import FACTS
from tests.tiny_course import Course, ran, results

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


def test_every_public_function_says_its_types() -> None:
    returned = [get_type_hints(getattr(harness, name))["return"] for name in NAMES]
    assert returned == [tuple[SubmissionResult, ...], RunResult, Specification]


def test_importing_the_package_loads_nothing_else() -> None:
    loaded = "[name for name in sys.modules if name.startswith('harness.')]"
    code = f"import sys, harness; print({loaded}, harness.__version__)"
    done = ran([sys.executable, "-c", code], check=True)
    assert done.stdout == f"[] {harness.__version__}\n"


def test_grades_as_the_command_does(graded_once: Course, course: Course, tmp_path: Path) -> None:
    heard: list[Event] = []
    written: list[dict[str, int]] = []

    def pages() -> dict[str, int]:
        return {str(path): path.stat().st_ino for path in tmp_path.glob("out/*/*.html")}

    def hear(event: Event) -> None:
        heard.append(event)
        written.append(pages())

    assignment = harness.load_assignment(course.root, "tiny")
    paths = [course.path("submissions/tiny")]
    run = harness.grade(assignment, paths, tmp_path / "out", jobs=2, listener=hear)
    assert run.facts.complete
    assert results(tmp_path / "out") == results(graded_once.report)
    assert (tmp_path / "out" / "index.html").is_file()
    kinds = [type(event) for event in heard]
    assert kinds == [RunStarted, *[SubmissionGraded] * 5, result.RunFinished]
    assert all(len(now) >= 2 * done for done, now in enumerate(written[:6]))
    assert written[-1] == pages()  # the workers' pages, and none was written again
    assert len(pages()) == 10


def test_an_earlier_report_is_said_to_be_replaced_before_a_page_is(
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


def test_checks_the_visible_scenarios_alone(course: Course) -> None:
    assignment = harness.load_assignment(course.root, "tiny")
    (found,) = harness.check(assignment, [course.path("submissions/tiny/prints_total/a1.py")])
    assert len(found.scenarios) == 7
    assert [s.scenario_id for s in found.scenarios if not s.verdict.passed] == [
        "main/two-amounts",
        "total/an-empty-basket",
    ]


def test_what_a_user_can_fix_is_a_user_error(course: Course, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match="did you mean tiny"):
        harness.load_assignment(course.root, "tinny")
    assignment = harness.load_assignment(course.root, "tiny")
    with pytest.raises(UserError, match="no such file or folder"):
        harness.grade(assignment, ["nowhere"], tmp_path)
    with pytest.raises(UserError, match=r"no a1\.py in this folder"):
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
