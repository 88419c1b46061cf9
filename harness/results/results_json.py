"""`results.json`: a run for other programs to read. Keys are added, never renamed.

The lecturer's: it names hidden scenarios. Described by `docs/results.schema.json`.
"""

from __future__ import annotations

import functools
import json
from fractions import Fraction
from typing import Any

from harness.common.rounding import rounded
from harness.common.serial import to_plain
from harness.model.plan import Plan, Scenario
from harness.model.policy import Finding
from harness.model.result import (
    RESULTS_VERSION,
    Adjustment,
    CohortFacts,
    ManualMark,
    RunFacts,
    RunResult,
    ScenarioResult,
    SubmissionResult,
)
from harness.model.verdict import StandInOutcome, VerdictKind


def results_json(run: RunResult, plan: Plan) -> str:
    """The run as JSON text, submissions by id and scenarios in the plan's order.

    Two runs of the same inputs differ in `run.started` and `run.finished` alone.
    """
    held = run.submissions
    # What is not held comes from the store, by id.
    ordered = sorted(held, key=lambda result: result.id) if isinstance(held, tuple) else held
    text = ResultsText(run.facts, plan)
    return "".join([text.begin(), *map(text.submission, ordered), text.end()])


class ResultsText:
    """`results.json` in pieces, for runs too large to be held: `begin`, each `submission` in the
    order of their ids, `end`."""

    def __init__(self, facts: RunFacts, plan: Plan) -> None:
        self._facts = facts
        self._heads = {scenario.id: _Head(scenario) for scenario in plan.scenarios}
        self._between = "\n  "

    def begin(self) -> str:
        """All that stands before the first submission."""
        plain = {"schema_version": RESULTS_VERSION, "run": _run(self._facts)}
        return _json(plain, 0).removesuffix("\n}") + ',\n "submissions": ['

    def submission(self, result: SubmissionResult) -> str:
        """One submission, with what parts it from the one before."""
        known = [
            (self._heads[r.scenario_id], r)
            for r in result.scenarios
            if r.scenario_id in self._heads
        ]
        entry = _json(_submission(result), 2).removesuffix("\n  }")
        rows = ",\n    ".join(head.row(scored) for head, scored in known)
        scenarios = f"[\n    {rows}\n   ]" if rows else "[]"
        between, self._between = self._between, ",\n  "
        return f'{between}{entry},\n   "scenarios": {scenarios}\n  }}'

    def end(self) -> str:
        """All that stands after the last submission."""
        return "]\n}\n" if self._between == "\n  " else "\n ]\n}\n"


class _Head:
    """What is the same of a scenario in every submission, written once: a class has it thousands
    of times."""

    def __init__(self, scenario: Scenario) -> None:
        self._text = _json(_scenario(scenario), 4).removesuffix("\n    }")

    def row(self, scored: ScenarioResult) -> str:
        """The scenario as it stands in a submission."""
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


def _json(plain: Any, depth: int) -> str:
    text = json.dumps(plain, indent=1, ensure_ascii=True)
    return text.replace("\n", "\n" + " " * depth) if depth else text


def mark_string(result: SubmissionResult) -> str:
    """The mark with two decimals, rounded half up; "-" where there is none."""
    return "-" if result.mark is None else rounded(result.mark)


def number(exact: Fraction) -> float:
    """A mark or points as a JSON number, rounded half up to 0.01 before it becomes binary."""
    return float(rounded(exact))


def _run(facts: RunFacts) -> dict[str, Any]:
    return {
        "assignment": facts.assignment,
        "started": facts.started,
        "finished": facts.finished,
        "complete": facts.complete,
        "harness": facts.harness,
        "python": facts.python,
        "python_wanted": facts.python_wanted,
        "interpreter": facts.interpreter,
        "tier": facts.tier.value,
        "spec_digest": facts.spec_digest,
        "reference_digest": facts.reference_digest,
        "limits": {
            "cpu_seconds": facts.limits.cpu_seconds,
            "wall_seconds": facts.limits.wall_seconds,
            "memory_mib": facts.limits.memory_mib,
            "output_kib": facts.limits.output_kib,
        },
        "input_mechanism": facts.input_mechanism,
        "probes": [
            {"name": probe.name, "prevented": probe.prevented, "detail": probe.detail}
            for probe in facts.probes
        ],
        "not_prevented": facts.not_prevented,
        "notices": list(facts.notices),
    } | ({} if facts.cohort is None else {"cohort": _cohort(facts.cohort)})


def _cohort(cohort: CohortFacts) -> dict[str, Any]:
    return {
        "layouts": list(cohort.layouts),
        "submissions": cohort.submissions,
        "students": cohort.students,
        "due": cohort.due,
        "time_zone": cohort.time_zone,
    }


def _submission(result: SubmissionResult) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": result.id,
        "status": result.status.value,
        "mark": None if result.mark is None else number(result.mark),
        "out_of": number(result.out_of),
        "flagged": result.flagged,
        "source_digest": result.source_digest,
        "problem": result.problem,
        "unparsable": None if result.unparsable is None else _whole(to_plain(result.unparsable)),
        "notes": list(result.notes),
        "findings": [_finding(finding) for finding in result.findings],
        "manual": [_manual(given) for given in result.manual],
        "adjustment": _adjustment(result.adjustment),
        "comment": result.comment,
        "total": None if result.total is None else number(result.total),
        "total_out_of": number(result.total_out_of),
        "earlier": result.earlier,
        "isolation": result.isolation.value,
    }
    if result.isolation_reason:
        entry["isolation_reason"] = result.isolation_reason
    if result.student is not None:
        entry["student_id"] = result.student.id
        entry["name"] = result.student.name
        entry["email"] = result.student.email
    if result.source:
        entry["source"] = result.source
    if result.handed_in:
        entry["handed_in_at"] = result.handed_in
    if result.attempt is not None:
        entry["attempt"] = result.attempt
        entry["attempts"] = result.attempts
    return entry


def _manual(given: ManualMark) -> dict[str, Any]:
    return {
        "id": given.slot.id,
        "title": given.slot.title,
        "out_of": number(given.slot.out_of),
        "mark": None if given.mark is None else number(given.mark),
    }


def _adjustment(given: Adjustment | None) -> dict[str, Any] | None:
    return None if given is None else {"marks": number(given.marks), "reason": given.reason}


def _whole(unparsable: dict[str, Any]) -> dict[str, Any]:
    return {"line": None, "source": "", **unparsable}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule.value,
        "clause": finding.clause,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "source": finding.source,
        "message": finding.message,
        "severity": finding.consequence.severity.value,
    }


def _scenario(scenario: Scenario) -> dict[str, Any]:
    return {
        "id": scenario.id,
        "name": scenario.name,
        "function": scenario.function,
        "clause": scenario.clauses[0] if scenario.clauses else "",
        "clauses": list(scenario.clauses),
        "visibility": scenario.visibility.value,
        "tags": list(scenario.tags),
        "informational": scenario.informational,
        "extra_credit": scenario.extra_credit,
    }


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
    return "," + _json(entry, 4)[1:]
