"""`test_writing:` in assignment.yaml: the points of tests that students hand in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from harness.assignment.files.tests import Visible
from harness.assignment.shapes import LimitsShape, OneOrMore, Points, Shape, Words

_Names = Annotated[list[str], OneOrMore()]


class TestWritingShape(Shape):
    """The points of tests that students hand in. The tests run on the reference and on each mutant,
    which has one fault. The program has its own process beside theirs."""

    __test__ = False  # no test of ours

    program: _Names = []
    """The files of the reference that the tests are about, the main one first (left out:
    submission's files)."""
    runs: Points | None = None
    """Points if at least one test can be run."""
    accepts: Points | None = None
    """Points if all tests pass on the reference."""
    accepts_own: Points | None = None
    """Points if all tests pass on the program that is handed in beside them."""
    notices: dict[str, Points] = Field(min_length=1, examples=[{"2.1": 2}])
    """Clauses, and the points for noticing the faults against each: its mutants share them."""
    visible: Visible = True
    """What students see of each fault: true, false, hint, after_due_date, after_published. The page
    names the clause, but never shows the fault itself."""
    clause: Words = []
    """The clause or clauses of the sheet that ask for the tests themselves."""
    hints: dict[str, str] = {}
    """Clauses, and the hint that students read if their tests notice no fault against one."""
    limits: LimitsShape = LimitsShape()
    """Limits of the program in each run of the tests that differ from the assignment's."""
