"""`test_writing:` in assignment.yaml: what the tests are worth that students hand in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from harness.assignment.files.tests import Visible
from harness.assignment.shapes import LimitsShape, OneOrMore, Points, Shape, Words

_Names = Annotated[list[str], OneOrMore()]


class TestWritingShape(Shape):
    """What the tests that students hand in are worth. They run in a process beside that of the
    reference, and of each program of the mutants' file: each of these has one fault."""

    __test__ = False  # no test of ours

    program: _Names = []
    """The files of the reference that the tests are about, the main one first (left out:
    submission's files)."""
    runs: Points | None = None
    """Points if there are tests that can be run."""
    accepts: Points | None = None
    """Points if all tests pass on the reference."""
    accepts_own: Points | None = None
    """Points if all tests pass on the program that is handed in beside them."""
    notices: dict[str, Points] = Field(min_length=1, examples=[{"2.1": 2}])
    """Clauses, and the points for noticing the faults against each: its mutants share them."""
    visible: Visible = True
    """What students see of each fault: true, false, hint, after_due_date, after_published. What is
    wrong in the program is never shown, but the clause is."""
    clause: Words = []
    """The clause or clauses of the sheet that ask for the tests themselves."""
    hints: dict[str, str] = {}
    """Clauses, and what students read if they notice no fault against one."""
    limits: LimitsShape = LimitsShape()
    """Limits of the program in each run of the tests that differ from the assignment's."""
