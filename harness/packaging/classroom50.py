"""What `grader.pyz` runs in a student's checkout, with nothing but the standard library. It ends
with 0 whatever the marks are, with 1 only when the grader itself failed.

Scores in `result.json` (schema classroom50/result/v1) are whole numbers: a hundred for each mark,
shared out among the tests by largest remainder so that they add up."""

import html
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from harness.common.errors import HarnessError
from harness.common.escaping import encoded, visible
from harness.intake.submissions import read_one
from harness.model.plan import Plan, Scenario, Visibility
from harness.model.result import SubmissionResult, SubmissionStatus
from harness.packaging.program_file import graded, packed, this_interpreter
from harness.reporting.github import markdown_summary
from harness.reporting.terminal.cards import explain_failures
from harness.results.student_view import student_view

ASSETS = "classroom50-release-assets"
_FAILURES = 10
_COLUMNS = 100
_AGAIN = (
    "_This ran in your own repository and is feedback. The course grades again, with other "
    "scenarios too._\n"
)
_PAGE = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    "<title>{title}</title></head><body><h1>{title}</h1><pre>{text}</pre></body></html>\n"
)
SCHEMA = "classroom50/result/v1"
POINTS_PER_MARK = 100
# Its fields, and the variables of the job that they are taken from.
_FACTS = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "assignment_type": "ASSIGNMENT_TYPE",
    "owner": "OWNER",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}


def main() -> int:
    """Grade the current folder; the exit status."""
    try:
        summary, status = _grade(Path.cwd())
    except Exception as failure:  # whatever it is, the job's page must say so
        sys.stderr.write(visible(f"{type(failure).__name__}: {failure}") + "\n")
        _tell(output_lines("error", f"the autograder failed: {failure}"))
        return 1
    sys.stdout.write(f"{summary}\n")
    _tell(output_lines(status, summary))
    return 0


def _grade(folder: Path) -> tuple[str, str]:
    plan, key = packed()
    submission = read_one(folder, plan.assignment, os.environ.get("USERNAME") or folder.name)
    (result,) = graded(plan, key, this_interpreter(plan), [submission])
    if result.status is SubmissionStatus.HARNESS_ERROR:
        raise HarnessError("some scenarios could not be run")
    view = student_view(result, plan)
    _write(folder / "result.json", result_json(result, plan, os.environ, datetime.now(UTC)))
    _write(folder / "release-body.md", markdown_summary(view, _FAILURES) + "\n" + _AGAIN)
    title = html.escape(plan.assignment.title)
    text = html.escape(explain_failures(view, len(plan.scenarios), width=_COLUMNS).strip())
    (folder / ASSETS).mkdir(exist_ok=True)
    _write(folder / ASSETS / "feedback.html", _PAGE.format(title=title, text=text))
    counted = {scenario.id for scenario in plan.scenarios if not scenario.informational}
    passed = sum(e.verdict.passed for e in result.scenarios if e.scenario_id in counted)
    summary = f"{passed} of {len(counted)} checks passed"
    return summary, "success" if result.all_passed else "failure"


def _write(path: Path, text: str) -> None:
    """Replace the file, whatever the checkout has there: a link is not followed."""
    path.unlink(missing_ok=True)
    path.write_bytes(encoded(text))


def _tell(lines: str) -> None:
    if output := os.environ.get("GITHUB_OUTPUT"):
        with Path(output).open("ab") as file:
            file.write(encoded(lines))


def result_json(result: SubmissionResult, plan: Plan, job: Mapping[str, str], now: datetime) -> str:
    """The file's text; a test for each scenario that is graded. `job` has the environment."""
    scenarios = [each for each in plan.scenarios if not each.informational]
    passed = {e.scenario_id for e in result.scenarios if e.verdict.passed}
    weights = [Fraction(0) if each.extra_credit else each.points for each in scenarios]
    most = shared_out(weights, round(plan.assignment.functionality_marks * POINTS_PER_MARK))
    tests = [
        {
            "test-name": _name(scenario),
            "passed": scenario.id in passed,
            "score": points if scenario.id in passed else 0,
            "max-score": points,
        }
        for scenario, points in zip(scenarios, most, strict=True)
    ]
    plain = {
        "schema": SCHEMA,
        **{field: job.get(name, "") for field, name in _FACTS.items()},
        "datetime": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(points for e, points in zip(scenarios, most, strict=True) if e.id in passed),
        "max-score": sum(most),
        "tests": tests,
    }
    return json.dumps(plain, indent=1, ensure_ascii=True) + "\n"


def shared_out(weights: Sequence[Fraction], total: int) -> list[int]:
    """Whole numbers in proportion to the weights that add up to `total`; zeros for no weight."""
    whole = sum(weights, Fraction(0))
    if not whole:
        return [0] * len(weights)
    exact = [total * weight / whole for weight in weights]
    shares = [each.numerator // each.denominator for each in exact]
    by_remainder = sorted(range(len(exact)), key=lambda i: (shares[i] - exact[i], i))
    for index in by_remainder[: total - sum(shares)]:
        shares[index] += 1
    return shares


def output_lines(status: str, summary: str) -> str:
    """Return the two lines to append to the job's output, whatever the summary contains."""
    return f"status={status}\nsummary={' '.join(visible(summary).split())}\n"


def _name(scenario: Scenario) -> str:
    """Of a hidden one without the swept constants that its id has."""
    shown = scenario.id.partition("/")[2] if scenario.visibility is Visibility.VISIBLE else ""
    return visible(f"{scenario.function}: {shown or scenario.name}")
