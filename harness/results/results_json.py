"""`results.json`: a run for other programs to read, as `docs/results.schema.json` describes. Keys
are added, never renamed. It is the lecturer's: it names hidden scenarios."""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from harness.common.words import rounded
from harness.model.observation import Isolation
from harness.model.plan import Plan, Scenario
from harness.model.policy import Unparsable
from harness.model.result import (
    RESULTS_VERSION,
    CohortFacts,
    ManualMark,
    RunFacts,
    RunResult,
    ScenarioResult,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.submission import Lateness
from harness.model.verdict import Cause


def results_json(run: RunResult, plan: Plan) -> str:
    """Return the run as JSON text, submissions by id and scenarios in the plan's order.

    Two runs of the same inputs differ only in `run.started` and `run.finished`."""
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
        self._isolation = "all" if plan.assignment.isolate_all else "auto"
        self._ran = dict.fromkeys(Isolation, 0)
        self._between = "\n  "

    def begin(self) -> str:
        run = _run(self._facts) | {"isolation": self._isolation}
        plain = {"schema_version": RESULTS_VERSION, "run": run}
        rows = [_line(_scenario(scenario)) for scenario in self._scenarios.values()]
        top = _text(plain, 0).removesuffix("\n}")
        return f'{top},\n "scenarios": {_lines(rows, "[]", 1)},\n "submissions": ['

    def submission(self, result: SubmissionResult) -> str:
        """One submission, after the first with a comma before it."""
        ran = result.status is not SubmissionStatus.UNREADABLE
        known = [each for each in result.scenarios if ran and each.scenario_id in self._scenarios]
        failed = [each for each in known if not each.verdict.passed]
        by_number = [*enumerate(result.causes, 1)]  # the first cause of a scenario counts
        cause_of = {name: index for index, each in by_number[::-1] for name in each.scenarios}
        failures = [
            f"{_line(each.scenario_id)}: {_line(_failure(each, cause_of.get(each.scenario_id)))}"
            for each in failed
        ]
        causes = [_line(_cause(index, cause)) for index, cause in by_number]
        self._ran[result.isolation] += bool(known)
        plain = {**_submission(result), "passed": len(known) - len(failed)}
        entry = _text(plain, 2).removesuffix("\n  }")
        between, self._between = self._between, ",\n  "
        rows = f'"failed": {_lines(failures, "{}", 3)},\n   "causes": {_lines(causes, "[]", 3)}'
        return f"{between}{entry},\n   {rows}\n  }}"

    def end(self) -> str:
        bracket = "]" if self._between == "\n  " else "\n ]"
        return f'{bracket},\n "ran": {_line(self._ran)}\n}}\n'


def _fields(value: object, *names: str) -> dict[str, Any]:
    """These fields of a value, each under its name."""
    return {name: getattr(value, name) for name in names}


def _failure(result: ScenarioResult, cause: int | None) -> dict[str, Any]:
    verdict = result.verdict
    entry: dict[str, Any] = {
        "verdict": verdict.kind,
        "points": result.points,
        "explanation": verdict.explanation.rule if verdict.explanation else None,
        "message": verdict.message,
        "cause": cause,
    }
    if verdict.differs_by:
        names = ("file", "line", "call")
        entry["differs_from_run_to_run"] = [_fields(each, *names) for each in verdict.differs_by]
    if verdict.time is not None:
        bounds = ("allowed", "waiting", "less_than", "reference_less_than")
        entry["time"] = _fields(verdict.time, *bounds)
    return entry if verdict.stand_in is None else entry | {"stand_in": verdict.stand_in}


def _cause(number: int, cause: Cause) -> dict[str, Any]:
    """A cause. Its place is without the student's text, which is in the submission."""
    place = cause.place
    return {
        "id": number,
        **_fields(cause, "function", "blamed"),
        "file": None if place is None else place.file,
        "lines": None if place is None else [place.first, place.last],
        "line": cause.line,
        "rule": cause.rule or None,
        "message": cause.message,
        "example": cause.example or None,
        "scenarios": cause.scenarios,
        "symptoms": [_fields(each, "rule", "scenarios", "line") for each in cause.symptoms],
        **_fields(cause, "clauses", "hint", "together_with", "marks_at_stake"),
    }


def _line(plain: Any) -> str:
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":"), default=_number)


def _lines(rows: Sequence[str], brackets: str, depth: int) -> str:
    """A list or an object of rows, one a line."""
    if not rows:
        return brackets
    around = "\n" + " " * depth
    return f"{brackets[0]}{around} " + f",{around} ".join(rows) + f"{around}{brackets[1]}"


def _text(plain: Any, depth: int) -> str:
    """JSON text of one key a line, for a place that many levels deep."""
    text = json.dumps(plain, indent=1, ensure_ascii=True, default=_number)
    return text.replace("\n", "\n" + " " * depth) if depth else text


def _number(exact: Fraction) -> float:
    """A mark or points as a JSON number, rounded half up to 0.01 before it becomes binary."""
    return float(rounded(exact))


def _run(facts: RunFacts) -> dict[str, Any]:
    cohort, strength = facts.cohort, facts.strength
    return {
        **_fields(facts, "assignment", "started", "finished", "complete", "harness", "python"),
        **_fields(facts, "python_wanted", "interpreter", "tier", "spec_digest", "reference_digest"),
        "limits": _fields(facts.limits, "cpu_seconds", "wall_seconds", "memory_mib", "output_kib"),
        "slowness": facts.slowness,
        "input_mechanism": facts.input_mechanism,
        "probes": [_fields(probe, "name", "prevented", "detail") for probe in facts.probes],
        **_fields(facts, "not_prevented", "notices"),
        **({} if cohort is None else {"cohort": _cohort(cohort)}),
        **({} if strength is None else {"strength": _fields(strength, "changes", "noticed")}),
    }


def _cohort(cohort: CohortFacts) -> dict[str, Any]:
    plain = _fields(cohort, "layouts", "submissions", "students", "due", "time_zone")
    names = ("what", "total", "students", "of_students", "review", "ignored", "metadata")
    if cohort.contents is None:
        return plain
    contents = _fields(cohort.contents, *names)
    if cohort.contents.left_out:
        contents["left_out"] = cohort.contents.left_out
    return plain | {"contents": contents}


def _unparsable(broken: Unparsable) -> dict[str, Any]:
    fields = _fields(broken, "file", "reason", "line", "source")
    return fields if broken.needs is None else fields | {"needs_python": str(broken.needs)}


def _submission(result: SubmissionResult) -> dict[str, Any]:
    entry: dict[str, Any] = {
        **_fields(result, "id", "status", "mark", "out_of", "flagged", "source_digest", "problem"),
        "unparsable": result.unparsable and _unparsable(result.unparsable),
        "notes": result.notes,
        "findings": [
            {
                **_fields(finding, "rule", "clause", "file", "line", "column", "source", "message"),
                "severity": finding.consequence.severity,
            }
            for finding in result.findings
        ],
        "manual": [_manual(given) for given in result.manual],
        **({} if result.late is None else {"late": _late(result, result.late)}),
        "adjustment": result.adjustment and _fields(result.adjustment, "marks", "reason"),
        **_fields(result, "comment", "total", "total_out_of", "earlier", "isolation"),
    }
    if (over := result.over_budget) is not None:
        numbers = _fields(over, "seconds", "undecided")
        entry["over_budget"] = {**numbers, "mark": over.mark, "most": over.most}
    if result.override is not None:
        entry["override"] = _fields(result.override, "mark", "reason")
    if result.line_comments:
        names = ("file", "line", "text", "quoted", "moved_from", "outdated")
        entry["line_comments"] = [_fields(each, *names) for each in result.line_comments]
    if result.decisions:
        entry["decisions"] = {decision.kind: decision.value for decision in result.decisions}
    if result.isolation_reason:
        entry["isolation_reason"] = result.isolation_reason
    if result.student is not None:
        entry |= {"student_id": result.student.id, **_fields(result.student, "name", "email")}
    if result.source:
        entry["source"] = result.source
    if result.handed_in:
        entry["handed_in_at"] = result.handed_in
    if result.attempt is not None:
        entry |= _fields(result, "attempt", "attempts")
    return entry


def _manual(given: ManualMark) -> dict[str, Any]:
    """A mark by hand, and what it is made up of, where a rubric says."""
    entry = {**_fields(given.slot, "id", "title", "out_of"), "mark": given.mark}
    items = [_fields(item, "title", "level", "points") for item in given.items]
    return entry | {"items": items} if items else entry


def _late(result: SubmissionResult, late: Lateness) -> dict[str, Any]:
    return {
        "due": late.due,
        "begun": late.begun and _fields(late.begun, "count", "unit"),
        **_fields(late, "slip_days", "of"),
        "percent": late.share * 100,
        "before": result.reached,
        "marks": result.late_marks,
    }


def _scenario(scenario: Scenario) -> dict[str, Any]:
    return {
        **_fields(scenario, "id", "name", "function"),
        "clause": scenario.clauses[0] if scenario.clauses else "",
        **_fields(scenario, "clauses", "visibility", "tags", "informational", "extra_credit"),
        **({"needs": scenario.needs} if scenario.needs else {}),
        **({"faster_than": scenario.faster_than} if scenario.faster_than else {}),
        "points": Fraction(0) if scenario.informational else scenario.points,
    }
