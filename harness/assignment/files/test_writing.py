"""Reads `test_writing:` in assignment.yaml: how tests submitted by students earn points."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import Field, model_validator

from harness.assignment.files.tests import Visible
from harness.assignment.shapes import LimitsShape, OneOrMore, Percent, Points, Shape, Words, wrong

_Names = Annotated[list[str], OneOrMore()]


class CoverageShape(Shape):
    """How much of the reference the tests have to run."""

    statements: Percent | None = None
    """The share of its statements, like 80%."""
    branches: Percent | None = None
    """The share of branches: the body of each if, while and for, and the way past it."""
    points: Points = Fraction(1)
    """Points if both are reached."""

    @model_validator(mode="after")
    def _states_one(self) -> CoverageShape:
        if self.statements is None and self.branches is None:
            raise wrong("expected statements or branches", "write {statements: 80%}")
        return self


class TestWritingShape(Shape):
    """The points of tests that students hand in. The tests run on the reference and on each mutant,
    which has one fault. The program has its own process beside theirs."""

    __test__ = False  # file names that the course's own tests do not use

    program: _Names = []
    """The files of the reference that the tests are about, the main one first (left out:
    submission's files)."""
    names: _Names = []
    """The names in the program that tests may use (left out: all that do not begin with an
    underscore)."""
    runs: Points | None = None
    """Points if at least one test can be run."""
    accepts: Points | None = None
    """Points if all tests pass on the reference."""
    accepts_own: Points | None = None
    """Points if all tests pass on the program that is handed in with them."""
    coverage: CoverageShape | None = None
    """Points if the tests run enough of the reference."""
    doctests: bool = False
    """Whether examples in the docstrings of the program that is handed in are tests, too."""
    notices: dict[str, Points] = Field(min_length=1, examples=[{"2.1": 2}])
    """Points for noticing the faults against each clause; the clause's mutants share them."""
    visible: Visible = True
    """What students see of each fault: true, false, hint, after_due_date, after_published. The page
    names the clause, but never shows the fault itself."""
    clause: Words = []
    """The clauses of the sheet that ask for tests."""
    hints: dict[str, str] = {}
    """Hints for each clause: students read them if their tests notice no fault against it."""
    limits: LimitsShape = LimitsShape()
    """Limits of the program in each run of the tests that differ from the assignment's."""
