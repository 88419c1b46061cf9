"""The parts of `results.json` that are equal in both of its versions, as dicts and lists."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from harness.common.rounding import rounded
from harness.common.serial import to_plain
from harness.model.plan import Scenario
from harness.model.policy import Finding
from harness.model.result import (
    Adjustment,
    CohortFacts,
    Contents,
    ManualMark,
    RunFacts,
    StrengthFigures,
    SubmissionResult,
)


def json_text(plain: Any, depth: int) -> str:
    """JSON text of one key a line, for a place that many levels deep."""
    text = json.dumps(plain, indent=1, ensure_ascii=True)
    return text.replace("\n", "\n" + " " * depth) if depth else text


def mark_string(result: SubmissionResult) -> str:
    """The mark with two decimals, rounded half up; "-" where there is none."""
    return "-" if result.mark is None else rounded(result.mark)


def number(exact: Fraction) -> float:
    """A mark or points as a JSON number, rounded half up to 0.01 before it becomes binary."""
    return float(rounded(exact))


def plain_run(facts: RunFacts) -> dict[str, Any]:
    """The facts of a run."""
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
        **({} if facts.cohort is None else {"cohort": _cohort(facts.cohort)}),
        **({} if facts.strength is None else {"strength": _strength(facts.strength)}),
    }


def _strength(strength: StrengthFigures) -> dict[str, int]:
    return {"changes": strength.changes, "noticed": strength.noticed}


def _cohort(cohort: CohortFacts) -> dict[str, Any]:
    return {
        "layouts": list(cohort.layouts),
        "submissions": cohort.submissions,
        "students": cohort.students,
        "due": cohort.due,
        "time_zone": cohort.time_zone,
        **({} if cohort.contents is None else {"contents": _contents(cohort.contents)}),
    }


def _contents(contents: Contents) -> dict[str, Any]:
    return {
        "what": contents.what,
        "total": contents.total,
        "students": contents.students,
        "of_students": contents.of_students,
        "review": list(contents.review),
        "ignored": list(contents.ignored),
        "metadata": list(contents.metadata),
    }


def plain_submission(result: SubmissionResult) -> dict[str, Any]:
    """A submission without its scenarios."""
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
        "rule": finding.rule,
        "clause": finding.clause,
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "source": finding.source,
        "message": finding.message,
        "severity": finding.consequence.severity.value,
    }


def plain_scenario(scenario: Scenario) -> dict[str, Any]:
    """What a scenario is, independent of the submission."""
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
        **({"needs": list(scenario.needs)} if scenario.needs else {}),
        **({"faster_than": scenario.faster_than} if scenario.faster_than else {}),
    }
