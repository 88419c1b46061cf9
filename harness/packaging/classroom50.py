"""Grade a student's checkout on Classroom 50. This is the program inside `grader.pyz`.

It needs only the standard library. Its exit status is 0 for any marks, and 1 only if the grader
itself failed. Scores in `result.json` (schema classroom50/result/v1) are whole numbers: each mark
is worth a hundred. They are divided among the tests by largest remainder, so that they add up.
"""

import html
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from harness.common.errors import HarnessError
from harness.common.escaping import encoded, visible
from harness.grading.check import passed_all
from harness.intake.submissions import read_one
from harness.model.plan import Plan, Scenario, Visibility
from harness.model.result import SubmissionResult, SubmissionStatus
from harness.packaging.program_file import Packed, graded, packed, this_interpreter
from harness.reporting.github import markdown_summary
from harness.reporting.terminal.cards import explain_failures
from harness.results.student_view import student_view

ASSETS = "classroom50-release-assets"
_FAILURES = 10
_COLUMNS = 100
_AGAIN = (
    "_This ran in your own repository and is feedback. The course grades again, and also with "
    "other checks._\n"
)
_PAGE = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    "<title>{title}</title></head><body><h1>{title}</h1><pre>{text}</pre></body></html>\n"
)
SCHEMA = "classroom50/result/v1"
POINTS_PER_MARK = 100
# The fields of `result.json` that come from variables of the job.
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


def main(packed_here: Callable[[], Packed] = packed) -> int:
    """Grade the current folder, and return the exit status.

    `packed_here` returns the plan and the answer key that are stored in `grader.pyz`.
    """
    try:
        summary, status = _grade(Path.cwd(), packed_here)
    # The job's page must report any failure.
    except Exception as failure:
        message = visible(f"{type(failure).__name__}: {failure}")
        sys.stderr.write(f"{message}\n")
        _tell(output_lines("error", f"the autograder failed: {failure}"))
        return 1
    sys.stdout.write(f"{summary}\n")
    _tell(output_lines(status, summary))
    return 0


RESULT, BODY = "result.json", "release-body.md"


def _grade(folder: Path, packed_here: Callable[[], Packed]) -> tuple[str, str]:
    """Grade a folder and write the result files.

    Return the summary and the status, which become outputs of the job.
    """
    for name in (RESULT, BODY, ASSETS):
        _remove(folder / name)
    plan, key = packed_here()
    name = os.environ.get("USERNAME") or folder.name
    submission = read_one(folder, plan.assignment, name)
    (result,) = graded(plan, key, this_interpreter(plan), [submission])
    if result.status is SubmissionStatus.HARNESS_ERROR:
        raise HarnessError("some checks could not be run")
    view = student_view(result, plan)
    now = datetime.now(UTC)
    _write(folder / RESULT, result_json(result, plan, os.environ, now))
    body = markdown_summary(view, _FAILURES)
    _write(folder / BODY, f"{body}\n{_AGAIN}")
    explained = explain_failures(view, len(plan.scenarios), width=_COLUMNS)
    title = html.escape(plan.assignment.title)
    text = html.escape(explained.strip())
    assets = folder / ASSETS
    assets.mkdir()
    _write(assets / "feedback.html", _PAGE.format(title=title, text=text))
    status = "success" if passed_all(result, plan) else "failure"
    return _summary(result, plan), status


def _summary(result: SubmissionResult, plan: Plan) -> str:
    counted = {scenario.id for scenario in plan.scenarios if not scenario.informational}
    passed = 0
    for entry in result.scenarios:
        if entry.scenario_id in counted and entry.verdict.passed:
            passed += 1
    return f"{passed} of {len(counted)} checks passed"


def _remove(path: Path) -> None:
    """Remove a file of the student's checkout.

    Otherwise it could be mistaken for our result if the grader fails. If the path is a link, remove
    the link and not its target.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    """Write the file and replace any file of the checkout at this path. Do not follow a link."""
    path.unlink(missing_ok=True)
    path.write_bytes(encoded(text))


def _tell(lines: str) -> None:
    """Append lines to the CI job's output file, if the program runs in a CI job."""
    output = os.environ.get("GITHUB_OUTPUT")
    if output:
        with Path(output).open("ab") as file:
            file.write(encoded(lines))


def result_json(result: SubmissionResult, plan: Plan, job: Mapping[str, str], now: datetime) -> str:
    """Return the text of `result.json`, with one test for each scenario that has points.

    `job` has the environment variables of the CI job.
    """
    scenarios = [scenario for scenario in plan.scenarios if not scenario.informational]
    passed = {entry.scenario_id for entry in result.scenarios if entry.verdict.passed}
    total = round(plan.assignment.functionality_marks * POINTS_PER_MARK)
    max_scores = shared_out(list(map(_weight, scenarios)), total)
    tests = []
    score = 0
    for scenario, max_score in zip(scenarios, max_scores, strict=True):
        has_passed = scenario.id in passed
        points = max_score if has_passed else 0
        score += points
        tests.append(
            {
                "test-name": _name(scenario),
                "passed": has_passed,
                "score": points,
                "max-score": max_score,
            }
        )
    plain: dict[str, object] = {"schema": SCHEMA}
    for field, variable in _FACTS.items():
        plain[field] = job.get(variable, "")
    plain["datetime"] = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    plain["score"] = score
    plain["max-score"] = sum(max_scores)
    plain["tests"] = tests
    return json.dumps(plain, indent=1, ensure_ascii=True) + "\n"


def _weight(scenario: Scenario) -> Fraction:
    if scenario.extra_credit:
        return Fraction(0)
    return scenario.points


def shared_out(weights: Sequence[Fraction], total: int) -> list[int]:
    """Divide `total` into whole numbers in proportion to the weights.

    `shared_out([1, 2], 100)` returns `[33, 67]`. If all weights are zero, so are all numbers.
    """
    whole = sum(weights, Fraction(0))
    if not whole:
        return [0] * len(weights)
    exact = [total * weight / whole for weight in weights]
    shares = [math.floor(share) for share in exact]
    by_remainder = sorted(
        range(len(exact)), key=lambda index: (shares[index] - exact[index], index)
    )
    for index in by_remainder[: total - sum(shares)]:
        shares[index] += 1
    return shares


def output_lines(status: str, summary: str) -> str:
    """Return the two lines to append to the CI job's output file, escaped for any summary."""
    return f"status={status}\nsummary={' '.join(visible(summary).split())}\n"


def _name(scenario: Scenario) -> str:
    """Return the name of a scenario's test.

    For a visible scenario, the name includes the values that replace constants of the program. For
    a hidden one, they would reveal too much.
    """
    name = ""
    if scenario.visibility is Visibility.VISIBLE:
        name = scenario.id.partition("/")[2]
    return visible(f"{scenario.function}: {name or scenario.name}")
