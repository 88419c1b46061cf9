"""A cohort from a download, for tests of what a class is held to."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from harness.common.errors import UserError
from harness.intake.pipeline import Cohort, read_cohort
from harness.intake.terms import ClassOptions
from harness.model.plan import Assignment
from harness.model.submission import Submission, Withheld
from tests import plans

A1 = plans.assignment(id="a1")

Tree = Mapping[str, str | None]  # path: text, or None for a folder


def lay(root: Path, tree: Tree) -> Path:
    """The folder `root` with these files and folders in it."""
    root.mkdir(exist_ok=True)
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if text is None else path.write_text(text)
    return root


def table(folder: Path, text: str, name: str = "table.csv") -> Path:
    """A file with this table: a roster, extensions, slip days."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def told(problems: Mapping[str, object]) -> list[ParameterSet]:
    """A case for what is wrong, or each of a list in its place, with what is said of it."""
    return [
        pytest.param(what, problem, id=problem)
        for problem, whats in problems.items()
        for what in (whats if isinstance(whats, list) else [whats])
    ]


def cohort(path: Path, assignment: Assignment = A1, **asked: object) -> Cohort:
    """What is read of one path when this is asked for."""
    return read_cohort((path,), assignment, ClassOptions(**asked))  # type: ignore[arg-type]


def by_id(found: Cohort) -> dict[str, Submission]:
    """The submissions by their ids, which are all different."""
    assert len({one.id for one in found.submissions}) == len(found.submissions)
    return {one.id: one for one in found.submissions}


def withheld(found: Mapping[str, Submission]) -> dict[str, Withheld | None]:
    """Why each is not graded, by its id."""
    return {name: each.withheld for name, each in found.items()}


def refusal(path: Path, assignment: Assignment = A1, **asked: object) -> str:
    """The line that a user gets who asks for this."""
    with pytest.raises(UserError) as caught:
        cohort(path, assignment, **asked)
    return str(caught.value)


def source_of(submission: Submission) -> str:
    """The text of its only file."""
    assert len(submission.files) == 1, submission
    return submission.files[0].data.decode()
