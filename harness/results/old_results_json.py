"""`results.json` as version 0.1 wrote it: every submission repeats what each scenario is.

For programs that read it still: `harness export RUN --to json --schema 1`.
"""

from __future__ import annotations

import functools
from fractions import Fraction

from harness.model.plan import Plan, Scenario
from harness.model.result import RunResult, ScenarioResult, SubmissionResult
from harness.model.verdict import StandInOutcome, VerdictKind
from harness.results.plain import (
    json_text,
    number,
    plain_run,
    plain_scenario,
    plain_submission,
)


def results_json_v1(run: RunResult, plan: Plan) -> str:
    """The run as JSON text of schema version 1, submissions by id."""
    heads = {scenario.id: _Head(scenario) for scenario in plan.scenarios}
    top = json_text({"schema_version": 1, "run": plain_run(run.facts)}, 0).removesuffix("\n}")
    found = sorted((result.id, _submission(result, heads)) for result in run.submissions)
    entries = ",\n  ".join(text for _, text in found)
    submissions = f"[\n  {entries}\n ]" if entries else "[]"
    return f'{top},\n "submissions": {submissions}\n}}\n'


def _submission(result: SubmissionResult, heads: dict[str, _Head]) -> str:
    known = [(heads[r.scenario_id], r) for r in result.scenarios if r.scenario_id in heads]
    entry = json_text(plain_submission(result), 2).removesuffix("\n  }")
    rows = ",\n    ".join(head.row(scored) for head, scored in known)
    scenarios = f"[\n    {rows}\n   ]" if rows else "[]"
    return f'{entry},\n   "scenarios": {scenarios}\n  }}'


class _Head:
    """What is the same of a scenario in every submission, written once: a class has it thousands
    of times."""

    def __init__(self, scenario: Scenario) -> None:
        self._text = json_text(plain_scenario(scenario), 4).removesuffix("\n    }")

    def row(self, scored: ScenarioResult) -> str:
        """The scenario as a submission lists it."""
        verdict = scored.verdict
        rule = verdict.explanation.rule if verdict.explanation else None
        rest = _scored(
            kind=verdict.kind,
            points=scored.points,
            out_of=scored.out_of,
            rule=rule,
            message=verdict.message,
            stand_in=verdict.stand_in,
        )
        return self._text + rest


@functools.lru_cache(maxsize=1024)  # passed and worth a point: most rows of a class end alike
def _scored(
    *,
    kind: VerdictKind,
    points: Fraction,
    out_of: Fraction,
    rule: str | None,
    message: str,
    stand_in: StandInOutcome | None,
) -> str:
    entry = {
        "verdict": kind.value,
        "points": number(points),
        "out_of": number(out_of),
        "explanation": rule,
        "message": message,
    }
    if stand_in is not None:
        entry["stand_in"] = stand_in.value
    return "," + json_text(entry, 4)[1:]
