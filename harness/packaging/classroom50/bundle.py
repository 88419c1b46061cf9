"""The bundle: `autograder.py`, which the platform starts, and `grader.pyz` beside it."""

from __future__ import annotations

from harness.common.errors import UserError
from harness.grading import GradingContext
from harness.packaging.handout import student_key, student_plan
from harness.packaging.program_file import program_file

MOST_BYTES = 10_000_000  # the platform's limit for a bundle
GRADER = "grader.pyz"
_RUN = "harness.packaging.classroom50.run"
_AUTOGRADER = f"""\
#!/usr/bin/env python3
\"\"\"Grades the checkout that it is started in. Needs Python 3.11 or later and nothing else.\"\"\"

import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.exit(subprocess.call([sys.executable, "-I", os.path.join(here, "{GRADER}")]))
"""


def bundle(context: GradingContext) -> dict[str, bytes]:
    """The files by name, the same for the same specification, harness and interpreter.

    `context` was prepared from the scenarios that are to be in it: whoever has the bundle can read
    them and their answers. UserError when it is more than the platform takes.
    """
    plan = student_plan(context.specification)
    grader = program_file(plan, student_key(context, plan), _RUN)
    if len(grader) + len(_AUTOGRADER) > MOST_BYTES:
        raise UserError(
            f"the bundle has {len(grader) / 1e6:.1f} MB, and the platform takes 10",
            place=plan.assignment.id,
            hint="make fewer scenarios with large boards or many draws visible",
        )
    return {"autograder.py": _AUTOGRADER.encode(), GRADER: grader}
