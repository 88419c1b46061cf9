"""The guide's example of what is printed at import and to stderr."""

from __future__ import annotations

from pathlib import Path

from harness.assignment.loading import load
from harness.grading.check import check_submissions, handed_in
from harness.grading.context import prepare
from tests.tiny_course import Course

GUIDE = Path(__file__).parents[2] / "docs" / "writing-scenarios.md"
ASSIGNMENT = """\
title: Shout
course: C
python: "3.12"
submission: {files: [shout.py]}
functionality_marks: 2
"""


def test_what_is_printed_at_import_and_to_stderr(tmp_path: Path) -> None:
    example = GUIDE.read_text("utf-8").partition("What is printed while a file is imported")[2]
    program, scenarios = (block.partition("\n")[2] for block in example.split("```")[1:4:2])
    course = Course(tmp_path)
    course.write("reference/shout/shout.py", program)
    course.write("specs/shout/assignment.yaml", ASSIGNMENT)
    course.write("specs/shout/all.yaml", f"clause: []\nscenarios:\n{scenarios}")
    quiet = program.replace('print("Loading")', "")
    assert quiet != program
    course.write("others/quiet/shout.py", quiet)
    course.write("others/stdout/shout.py", program.replace(", file=sys.stderr", ""))
    course.write(
        "others/without/shout.py", program.replace('    print("done", file=sys.stderr)', "")
    )
    context = prepare(load(course.root, "shout"))  # refuses what the reference does not do
    assignment = context.specification.plan.assignment
    submissions = handed_in([course.path("others")], assignment)
    failed = {
        result.id: [each.scenario_id for each in result.scenarios if not each.verdict.passed]
        for result in check_submissions(context, submissions)
    }
    assert failed == {"quiet": ["all/run"], "stdout": [], "without": ["all/called"]}
