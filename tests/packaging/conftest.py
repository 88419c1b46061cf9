from __future__ import annotations

from pathlib import Path

import pytest
from autograder_tree import Autograder
from tiny_course import FIXTURE, Course


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """autograder.zip of the tiny course."""
    folder = tmp_path_factory.mktemp("package")
    course = Course.copy(FIXTURE, folder / "course")
    path = folder / "autograder.zip"
    outcome = course.run("gradescope", "tiny", "-o", path)
    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith(f"{path}: tiny for Python 3.12, ")
    return path


@pytest.fixture(scope="session")
def image(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Autograder:
    """The platform's image, its answer key made; not to be changed."""
    found = Autograder.built(package, tmp_path_factory.mktemp("image") / "autograder")
    found.hand_in((FIXTURE / "reference" / "tiny" / "a1.py").read_text("utf-8"))
    assert found.run()["score"] == 6
    (found.root / "submission" / "a1.py").unlink()
    return found


@pytest.fixture
def autograder(image: Autograder, tmp_path: Path) -> Autograder:
    """A container of one's own."""
    return image.copy(tmp_path / "autograder")
