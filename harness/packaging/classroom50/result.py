"""`result.json` (schema classroom50/result/v1) and what is appended to the job's output. Pure.

Scores there are whole numbers: a hundred for each mark, shared out among the tests by largest
remainder so that they add up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction

from harness.common.escaping import visible
from harness.model.plan import Plan, Scenario
from harness.model.result import SubmissionResult

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


def result_json(result: SubmissionResult, plan: Plan, job: Mapping[str, str], now: datetime) -> str:
    """The file's text; a test for each scenario that is graded. `job` has the environment."""
    scenarios = [each for each in plan.scenarios if not each.informational]
    passed = {e.scenario_id for e in result.scenarios if e.verdict.passed}
    most = shared_out(
        [Fraction(0) if each.extra_credit else each.points for each in scenarios],
        round(plan.assignment.functionality_marks * POINTS_PER_MARK),
    )
    tests = [
        {
            "test-name": _name(scenario),
            "passed": scenario.id in passed,
            "score": points if scenario.id in passed else 0,
            "max-score": points,
        }
        for scenario, points in zip(scenarios, most, strict=True)
    ]
    scores = [points for each, points in zip(scenarios, most, strict=True) if each.id in passed]
    plain = {
        "schema": SCHEMA,
        **{field: job.get(name, "") for field, name in _FACTS.items()},
        "datetime": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(scores),
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
    """What is appended to the job's output: two lines, whatever the summary holds."""
    line = re.sub(r"\s+", " ", visible(summary)).strip()
    return f"status={status}\nsummary={line}\n"


def _name(scenario: Scenario) -> str:
    return visible(f"{scenario.function}: {scenario.id.partition('/')[2] or scenario.name}")
