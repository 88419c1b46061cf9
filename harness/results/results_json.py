"""`results.json`: a run for other programs to read. Keys are added, never renamed.

The lecturer's: it names hidden scenarios. Described by `docs/results.schema.json`. What a scenario
is stands once; a scenario that a submission passed is only counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from harness.common.rounding import rounded
from harness.model.causes import FailureFacts, group_by_cause
from harness.model.plan import Plan, Scenario
from harness.model.result import (
    RESULTS_VERSION,
    Isolation,
    RunFacts,
    RunResult,
    ScenarioResult,
    SubmissionResult,
    SubmissionStatus,
)
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
        """All that stands before the first submission."""
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
        causes = group_by_cause(failed, lambda each: _facts(each, self._scenarios))
        cause_of = {
            each.scenario_id: number for number, cause in enumerate(causes, 1) for each in cause
        }
        failures = [
            f"{_line(each.scenario_id)}: {_line(_failure(each, cause_of[each.scenario_id]))}"
            for each in failed
        ]
        counted = (e for e in known if not self._scenarios[e.scenario_id].extra_credit)
        points = sum((each.out_of for each in counted), Fraction(0))
        a_point = result.out_of / points if points else Fraction(0)
        stakes = [
            _line(_cause(index, cause, self._scenarios, a_point))
            for index, cause in enumerate(causes, 1)
        ]
        self._ran[result.isolation] += bool(known)
        plain = {**plain_submission(result), "passed": len(known) - len(failed)}
        entry = json_text(plain, 2).removesuffix("\n  }")
        between, self._between = self._between, ",\n  "
        return (
            f'{between}{entry},\n   "failed": {_lines(failures, "{}", 3)},'
            f'\n   "causes": {_lines(stakes, "[]", 3)}\n  }}'
        )

    def end(self) -> str:
        """All that stands after the last submission."""
        bracket = "]" if self._between == "\n  " else "\n ]"
        return f'{bracket},\n "ran": {_line(self._ran)}\n}}\n'


def mark_string(result: SubmissionResult) -> str:
    """The mark with two decimals, rounded half up; "-" where there is none."""
    return "-" if result.mark is None else rounded(result.mark)


def _with_points(scenario: Scenario) -> dict[str, Any]:
    points = Fraction(0) if scenario.informational else scenario.points
    return {**plain_scenario(scenario), "points": number(points)}


def _facts(result: ScenarioResult, scenarios: Mapping[str, Scenario]) -> FailureFacts:
    scenario, verdict = scenarios[result.scenario_id], result.verdict
    return FailureFacts(
        function=scenario.function,
        clauses=scenario.clauses,
        kind=verdict.kind,
        rule=verdict.explanation.rule if verdict.explanation else "",
        message=verdict.message,
    )


def _failure(result: ScenarioResult, cause: int) -> dict[str, Any]:
    verdict = result.verdict
    entry: dict[str, Any] = {
        "verdict": verdict.kind.value,
        "points": number(result.points),
        "explanation": verdict.explanation.rule if verdict.explanation else None,
        "message": verdict.message,
        "cause": cause,
    }
    return entry if verdict.stand_in is None else entry | {"stand_in": verdict.stand_in.value}


def _cause(
    number_: int,
    members: Sequence[ScenarioResult],
    scenarios: Mapping[str, Scenario],
    a_point: Fraction,
) -> dict[str, Any]:
    """A cause; `a_point` is what a point is worth in marks."""
    first = members[0].verdict
    lost = sum((each.out_of - each.points for each in members), Fraction(0))
    return {
        "id": number_,
        "function": scenarios[members[0].scenario_id].function,
        "rule": first.explanation.rule if first.explanation else None,
        "message": first.message,
        "scenarios": [each.scenario_id for each in members],
        "marks_at_stake": number(a_point * lost),
    }


def _line(plain: Any) -> str:
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":"))


def _lines(rows: Sequence[str], brackets: str, depth: int) -> str:
    """A list or an object of rows, one a line."""
    if not rows:
        return brackets
    around = "\n" + " " * depth
    return f"{brackets[0]}{around} " + f",{around} ".join(rows) + f"{around}{brackets[1]}"
