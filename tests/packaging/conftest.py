import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from harness.packaging import selfcheck
from tests.packaging.autograder_tree import Autograder
from tests.packaging.given_away import Check, Handout, handed_out, of_program, packed
from tests.shipped import root_of
from tests.tiny_course import FIXTURE, Course, Outcome, python_here


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """autograder.zip of the tiny course."""
    folder = tmp_path_factory.mktemp("package")
    course = Course.copy(FIXTURE, folder / "course")
    path = folder / "autograder.zip"
    outcome = course.ok("gradescope", "tiny", "-o", path)
    assert outcome.out.startswith(f"{path}: tiny for Python {python_here()}, ")
    return path


@pytest.fixture(scope="session")
def image(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Autograder:
    """The platform's image, its answer key made; not to be changed."""
    found = Autograder.built(package, tmp_path_factory.mktemp("image") / "autograder")
    found.step("prepare")
    return found


@pytest.fixture
def autograder(image: Autograder, tmp_path: Path) -> Autograder:
    """A container of one's own."""
    return image.copy(tmp_path / "autograder")


@pytest.fixture(scope="session")
def tiny_course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A copy of the tiny course, not to be changed. It has a time zone: not every system on which
    students check knows any."""
    course = Course.copy(FIXTURE, tmp_path_factory.mktemp("tiny") / "course")
    course.edit("specs/tiny/assignment.yaml", "policy:", "time_zone: Europe/Berlin\npolicy:")
    return course


@pytest.fixture(scope="session")
def tiny_handout(tiny_course: Course) -> dict[str, bytes]:
    return packed(handed_out(tiny_course.root, "tiny", tiny_course.path("a1.zip")))


@pytest.fixture(scope="session")
def handout(tmp_path_factory: pytest.TempPathFactory) -> Handout:
    """Makes that of an assignment shipped here, by its id, once."""
    folder = tmp_path_factory.mktemp("handouts")
    return cache(lambda each: packed(handed_out(root_of(each), each, folder / f"{each}.zip")))


@pytest.fixture
def selfcheck_here(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Check:
    """Runs what lies in a `selfcheck.pyz` in this process, with its plan and key."""

    def run(*arguments: str, cwd: Path, program: Path | None = None, python: str = "") -> Outcome:
        plan, key = of_program((program or cwd / "selfcheck.pyz").read_bytes())
        if python:
            plan = replace(plan, assignment=replace(plan.assignment, python=python))
        monkeypatch.setattr(sys, "argv", ["selfcheck.pyz", *arguments])
        monkeypatch.chdir(cwd)
        capfd.readouterr()
        return Outcome(selfcheck.main(packed_here=lambda: (plan, key)), *capfd.readouterr())

    return run
