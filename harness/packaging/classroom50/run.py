"""What `grader.pyz` runs in a student's checkout, with nothing but the standard library.

It writes `result.json`, `release-body.md` and the feedback page, and ends with 0 whatever the marks
are; with 1 only when the grader itself failed.
"""

from __future__ import annotations

import html
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from harness.common.errors import HarnessError
from harness.execution import create_driver
from harness.execution.driver import pick_cpu
from harness.grading.check import one_handed_in
from harness.grading.grader import Grader
from harness.model.observation import Tier
from harness.model.plan import Plan
from harness.model.result import SubmissionResult, SubmissionStatus
from harness.packaging.classroom50.result import output_lines, result_json
from harness.packaging.packed import packed_key, packed_plan, this_interpreter
from harness.reporting.markdown import markdown_summary
from harness.reporting.terminal.cards import explain_failures
from harness.results.student_view import student_view

ASSETS = "classroom50-release-assets"
_FAILURES = 10
_COLUMNS = 100
_AGAIN = (
    "_This ran in your own repository and is feedback. The course grades again, with other "
    "scenarios too._\n"
)


def main() -> int:
    """Grade the current folder; the exit status."""
    try:
        summary, status = _grade(Path.cwd())
    except Exception as failure:  # whatever it is, the job's page must say so
        sys.stderr.write(f"{type(failure).__name__}: {failure}\n")
        _tell(output_lines("error", f"the autograder failed: {failure}"))
        return 1
    sys.stdout.write(f"{summary}\n")
    _tell(output_lines(status, summary))
    return 0


def _grade(folder: Path) -> tuple[str, str]:
    plan, key = packed_plan(), packed_key()
    submission = one_handed_in(folder, plan.assignment, os.environ.get("USERNAME") or folder.name)
    with (
        create_driver(this_interpreter(plan), Tier.PORTABLE, cpu=pick_cpu()) as driver,
        Grader(plan, key, driver) as grader,
    ):
        result = grader.grade(submission).result
    if result.status is SubmissionStatus.HARNESS_ERROR:
        raise HarnessError("some scenarios could not be run")
    view = student_view(result, plan)
    _write(folder / "result.json", result_json(result, plan, os.environ, datetime.now(UTC)))
    _write(folder / "release-body.md", markdown_summary(view, plan, _FAILURES) + "\n" + _AGAIN)
    text = explain_failures(view, plan, len(plan.scenarios), width=_COLUMNS)
    (folder / ASSETS).mkdir(exist_ok=True)
    _write(folder / ASSETS / "feedback.html", _page(plan.assignment.title, text))
    return _summary(result, plan), "success" if result.all_passed else "failure"


def _summary(result: SubmissionResult, plan: Plan) -> str:
    graded = {scenario.id for scenario in plan.scenarios if not scenario.informational}
    passed = sum(e.verdict.passed for e in result.scenarios if e.scenario_id in graded)
    return f"{passed} of {len(graded)} checks passed"


def _page(title: str, text: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
        f"<title>{html.escape(title)}</title></head><body><h1>{html.escape(title)}</h1>"
        f"<pre>{html.escape(text.strip())}</pre></body></html>\n"
    )


def _write(path: Path, text: str) -> None:
    """Replace the file, whatever the checkout has there: a link is not followed."""
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def _tell(lines: str) -> None:
    if output := os.environ.get("GITHUB_OUTPUT"):
        with Path(output).open("a", encoding="utf-8") as file:
            file.write(lines)
