"""`results.json`: a run for other programs to read. Keys are added, never renamed.

The lecturer's: it names hidden scenarios. Described by `docs/results.schema.json`. What a scenario
is written once; a scenario that a submission passed is only counted.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from harness.common.rounding import rounded
from harness.model.observation import Isolation
from harness.model.plan import Plan, Scenario
from harness.model.result import (
    RESULTS_VERSION,
    RunFacts,
    RunResult,
    ScenarioResult,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.verdict import Cause
from harness.results.plain import (
    json_text,
    number,
    plain_run,
    plain_scenario,
    plain_submission,
)


def results_json(run: RunResult, plan: Plan) -> str:
    """The run as JSON text, submissions by id and scenarios in the plan's order.

    Two runs of the same inputs differ in `run.started` and `run.finished` alone.
    """
    submissions = run.submissions
    if isinstance(submissions, tuple):  # what is read from the store comes by id
        submissions = sorted(submissions, key=lambda result: result.id)
    text = ResultsText(run.facts, plan)
    return "".join([text.begin(), *map(text.submission, submissions), text.end()])


class ResultsText:
    """`results.json` in pieces, for runs too large to be held: `begin`, each `submission` in the
    order of their ids, `end`."""

    def __init__(self, facts: RunFacts, plan: Plan) -> None:
        self._facts = facts
        self._scenarios = {scenario.id: scenario for scenario in plan.scenarios}
        self._isolation = "all" if plan.assignment.isolate_all else "proved"
        self._ran = dict.fromkeys(Isolation, 0)
        self._between = "\n  "

    def begin(self) -> str:
        """Everything before the first submission."""
        run = plain_run(self._facts) | {"isolation": self._isolation}
        plain = {"schema_version": RESULTS_VERSION, "run": run}
        rows = [_line(_with_points(scenario)) for scenario in self._scenarios.values()]
        top = json_text(plain, 0).removesuffix("\n}")
        return f'{top},\n "scenarios": {_lines(rows, "[]", 1)},\n "submissions": ['

    def submission(self, result: SubmissionResult) -> str:
        """One submission, after the first with a comma before it."""
        known = [each for each in result.scenarios if each.scenario_id in self._scenarios]
        if result.status is SubmissionStatus.UNREADABLE:
            known = []  # none was run, which the status says
        failed = [each for each in known if not each.verdict.passed]
        cause_of: dict[str, int] = {}
        for index, cause in enumerate(result.causes, 1):
            for name in cause.scenarios:
                cause_of.setdefault(name, index)
        failures = [
            f"{_line(each.scenario_id)}: {_line(_failure(each, cause_of.get(each.scenario_id)))}"
            for each in failed
        ]
        causes = [_line(_cause(index, cause)) for index, cause in enumerate(result.causes, 1)]
        self._ran[result.isolation] += bool(known)
        plain = {**plain_submission(result), "passed": len(known) - len(failed)}
        entry = json_text(plain, 2).removesuffix("\n  }")
        between, self._between = self._between, ",\n  "
        return (
            f'{between}{entry},\n   "failed": {_lines(failures, "{}", 3)},'
            f'\n   "causes": {_lines(causes, "[]", 3)}\n  }}'
        )

    def end(self) -> str:
        """Everything after the last submission."""
        bracket = "]" if self._between == "\n  " else "\n ]"
        return f'{bracket},\n "ran": {_line(self._ran)}\n}}\n'


def mark_string(result: SubmissionResult) -> str:
    """The mark with two decimals, rounded half up; "-" where there is none."""
    return "-" if result.mark is None else rounded(result.mark)


def _with_points(scenario: Scenario) -> dict[str, Any]:
    points = Fraction(0) if scenario.informational else scenario.points
    return {**plain_scenario(scenario), "points": number(points)}


def _failure(result: ScenarioResult, cause: int | None) -> dict[str, Any]:
    verdict = result.verdict
    entry: dict[str, Any] = {
        "verdict": verdict.kind.value,
        "points": number(result.points),
        "explanation": verdict.explanation.rule if verdict.explanation else None,
        "message": verdict.message,
        "cause": cause,
    }
    return entry if verdict.stand_in is None else entry | {"stand_in": verdict.stand_in.value}


def _cause(number_: int, cause: Cause) -> dict[str, Any]:
    """A cause. Its place is without the student's text, which is in the submission."""
    place = cause.place
    return {
        "id": number_,
        "function": cause.function,
        "blamed": cause.blamed,
        "file": None if place is None else place.file,
        "lines": None if place is None else [place.first, place.last],
        "line": cause.line,
        "rule": cause.rule or None,
        "message": cause.message,
        "example": cause.example or None,
        "scenarios": list(cause.scenarios),
        "symptoms": [
            {"rule": each.rule, "scenarios": each.scenarios, "line": each.line}
            for each in cause.symptoms
        ],
        "clauses": list(cause.clauses),
        "hint": cause.hint,
        "together_with": list(cause.together_with),
        "marks_at_stake": number(cause.marks_at_stake),
    }


def _line(plain: Any) -> str:
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":"))


def _lines(rows: Sequence[str], brackets: str, depth: int) -> str:
    """A list or an object of rows, one a line."""
    if not rows:
        return brackets
    around = "\n" + " " * depth
    return f"{brackets[0]}{around} " + f",{around} ".join(rows) + f"{around}{brackets[1]}"
