"""Write `results.json`: a run for other programs to read, in the format of
`docs/results.schema.json`.

Keys are added, never renamed. The file is only for lecturers: it names hidden scenarios.
"""

import json
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

from harness.common import serial
from harness.common.words import rounded
from harness.model.explanation.facts import Stated
from harness.model.observation import Isolation
from harness.model.plan import Plan, Scenario
from harness.model.policy import Finding, Unparsable
from harness.model.result import (
    RESULTS_VERSION,
    CohortFacts,
    LineComment,
    ManualMark,
    RunFacts,
    RunResult,
    ScenarioResult,
    SubmissionResult,
    SubmissionStatus,
)
from harness.model.submission import Lateness
from harness.model.verdict import Cause, Explanation


def results_json(run: RunResult, plan: Plan) -> str:
    """Return the run as JSON text, with submissions sorted by id and scenarios in the plan's
    order.

    Two runs of the same inputs differ only in `run.started` and `run.finished`.
    """
    submissions = run.submissions
    # Results from the store are in this order already.
    if isinstance(submissions, tuple):
        submissions = sorted(submissions, key=lambda result: result.id)
    text = ResultsText(run.facts, plan)
    return "".join([text.begin(), *map(text.submission, submissions), text.end()])


class ResultsText:
    """Writes `results.json` in pieces, for runs that are too large for memory.

    Call `begin`, then `submission` for each submission in the order of their ids, then `end`.
    """

    def __init__(self, facts: RunFacts, plan: Plan) -> None:
        self._facts = facts
        self._scenarios = {scenario.id: scenario for scenario in plan.scenarios}
        self._isolation = "all" if plan.assignment.isolate_all else "auto"
        self._ran = dict.fromkeys(Isolation, 0)
        self._between = "\n  "

    def begin(self) -> str:
        """Return the text before the submissions."""
        run = _run(self._facts)
        run["isolation"] = self._isolation
        plain = {"schema_version": RESULTS_VERSION, "run": run}
        rows = [_line(_scenario(scenario)) for scenario in self._scenarios.values()]
        top = _text(plain, 0).removesuffix("\n}")
        return f'{top},\n "scenarios": {_lines(rows, "[]", 1)},\n "submissions": ['

    def submission(self, result: SubmissionResult) -> str:
        """Return the JSON text of one submission. All except the first begin with a comma."""
        known: list[ScenarioResult] = []
        if result.status is not SubmissionStatus.UNREADABLE:
            known = [entry for entry in result.scenarios if entry.scenario_id in self._scenarios]
        causes: list[str] = []
        # The first cause of a scenario counts.
        cause_of: dict[str, int] = {}
        for number, cause in enumerate(result.causes, 1):
            causes.append(_line(_cause(number, cause)))
            for scenario_id in cause.scenarios:
                cause_of.setdefault(scenario_id, number)
        failures: list[str] = []
        for entry in known:
            if not entry.verdict.passed:
                failure = _failure(entry, cause_of.get(entry.scenario_id))
                failures.append(f"{_line(entry.scenario_id)}: {_line(failure)}")
        self._ran[result.isolation] += bool(known)
        plain = _submission(result)
        plain["passed"] = len(known) - len(failures)
        text = _text(plain, 2).removesuffix("\n  }")
        before = self._between
        self._between = ",\n  "
        rows = f'"failed": {_lines(failures, "{}", 3)},\n   "causes": {_lines(causes, "[]", 3)}'
        return f"{before}{text},\n   {rows}\n  }}"

    def end(self) -> str:
        """Return the text after the submissions."""
        has_submissions = self._between != "\n  "
        bracket = "\n ]" if has_submissions else "]"
        return f'{bracket},\n "ran": {_line(self._ran)}\n}}\n'


def _fields(value: object, *names: str) -> dict[str, Any]:
    """Return the named fields of an object as a dict."""
    return {name: getattr(value, name) for name in names}


def _failure(result: ScenarioResult, cause: int | None) -> dict[str, Any]:
    verdict = result.verdict
    rule = None
    if verdict.explanation is not None:
        rule = verdict.explanation.rule
    entry: dict[str, Any] = {
        "verdict": verdict.kind,
        "points": result.points,
        "explanation": rule,
        "message": verdict.message,
        "cause": cause,
    }
    if verdict.differs_by:
        sources = [_fields(source, "file", "line", "call") for source in verdict.differs_by]
        entry["differs_from_run_to_run"] = sources
    if verdict.time is not None:
        bounds = ("allowed", "waiting", "less_than", "reference_less_than")
        entry["time"] = _fields(verdict.time, *bounds)
    if verdict.stand_in is not None:
        entry["stand_in"] = verdict.stand_in
    entry |= _facts(verdict.explanation)
    return entry


def _cause(number: int, cause: Cause) -> dict[str, Any]:
    """Return a cause of failures as JSON data.

    It does not repeat the student's code, which is in the submission.
    """
    plain: dict[str, Any] = {"id": number}
    plain |= _fields(cause, "function", "blamed")
    plain["file"] = None
    plain["lines"] = None
    if cause.place is not None:
        plain["file"] = cause.place.file
        plain["lines"] = [cause.place.first, cause.place.last]
    plain["line"] = cause.line
    plain["rule"] = cause.rule or None
    plain["message"] = cause.message
    plain["example"] = cause.example or None
    plain["scenarios"] = cause.scenarios
    names = ("rule", "scenarios", "line")
    plain["symptoms"] = [_fields(symptom, *names) for symptom in cause.symptoms]
    plain |= _fields(cause, "clauses", "hint", "together_with", "marks_at_stake")
    plain |= _facts(cause.explanation)
    return plain


def _facts(explanation: Explanation | None) -> dict[str, Any]:
    """Return the facts from which a message was made; empty if its sentences already contain all
    of them.
    """
    if explanation is None:
        return {}
    known = {"facts": explanation.facts, "reason": explanation.reason, "lead": explanation.lead}
    plain: dict[str, Any] = {}
    for name, fact in known.items():
        if fact is not None and not isinstance(fact, Stated):
            plain[name] = {"is": type(fact).__name__, **serial.to_plain(fact)}
    return plain


def _line(plain: Any) -> str:
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":"), default=_number)


def _lines(rows: Sequence[str], brackets: str, depth: int) -> str:
    """Return the JSON text of a list or an object, with one row a line.

    `brackets` is `[]` or `{}`.
    """
    if not rows:
        return brackets
    line_end = "\n" + " " * depth
    content = f",{line_end} ".join(rows)
    return f"{brackets[0]}{line_end} {content}{line_end}{brackets[1]}"


def _text(plain: Any, depth: int) -> str:
    """Return JSON text with one key a line, indented by `depth` levels."""
    text = json.dumps(plain, indent=1, ensure_ascii=True, default=_number)
    return text.replace("\n", "\n" + " " * depth)


def _number(exact: Fraction) -> float:
    """Round marks or points half up to 0.01, and return a JSON number."""
    return float(rounded(exact))


def _run(facts: RunFacts) -> dict[str, Any]:
    plain = _fields(facts, "assignment", "started", "finished", "complete", "harness", "python")
    names = ("python_wanted", "interpreter", "tier", "spec_digest", "reference_digest")
    plain |= _fields(facts, *names)
    plain["limits"] = _fields(facts.limits, *(limit.name for limit in fields(facts.limits)))
    plain["slowness"] = facts.slowness
    plain["input_mechanism"] = facts.input_mechanism
    plain["probes"] = [_fields(probe, "name", "prevented", "detail") for probe in facts.probes]
    plain |= _fields(facts, "not_prevented", "notices")
    if facts.cohort is not None:
        plain["cohort"] = _cohort(facts.cohort)
    if facts.strength is not None:
        plain["strength"] = _fields(facts.strength, "changes", "noticed")
    return plain


def _cohort(cohort: CohortFacts) -> dict[str, Any]:
    plain = _fields(cohort, "layouts", "submissions", "students", "due", "time_zone")
    if cohort.contents is None:
        return plain
    names = ("what", "total", "students", "of_students", "review", "ignored", "metadata")
    contents = _fields(cohort.contents, *names)
    if cohort.contents.left_out:
        contents["left_out"] = cohort.contents.left_out
    plain["contents"] = contents
    return plain


def _unparsable(broken: Unparsable) -> dict[str, Any]:
    plain = _fields(broken, "file", "reason", "line", "source")
    if broken.needs is not None:
        plain["needs_python"] = str(broken.needs)
    return plain


def _submission(result: SubmissionResult) -> dict[str, Any]:
    names = ("id", "status", "mark", "out_of", "flagged", "source_digest", "problem")
    plain = _fields(result, *names)
    plain["unparsable"] = result.unparsable and _unparsable(result.unparsable)
    plain["notes"] = result.notes
    plain["findings"] = list(map(_finding, result.findings))
    plain["manual"] = list(map(_manual, result.manual))
    if result.late is not None:
        plain["late"] = _late(result, result.late)
    plain["adjustment"] = result.adjustment and _fields(result.adjustment, "marks", "reason")
    plain |= _fields(result, "comment", "total", "total_out_of", "earlier", "isolation")
    if result.pending is not None:
        plain["causes_pending"] = True
    if result.over_budget is not None:
        parts = ("seconds", "undecided", "mark", "most")
        plain["over_budget"] = _fields(result.over_budget, *parts)
    if result.override is not None:
        plain["override"] = _fields(result.override, "mark", "reason")
    if result.line_comments:
        plain["line_comments"] = list(map(_line_comment, result.line_comments))
    if result.decisions:
        plain["decisions"] = {decision.kind: decision.value for decision in result.decisions}
    if result.isolation_reason:
        plain["isolation_reason"] = result.isolation_reason
    if result.student is not None:
        plain["student_id"] = result.student.id
        plain |= _fields(result.student, "name", "email")
    if result.source:
        plain["source"] = result.source
    if result.handed_in:
        plain["handed_in_at"] = result.handed_in
    if result.attempt is not None:
        plain |= _fields(result, "attempt", "attempts")
    return plain


def _line_comment(comment: LineComment) -> dict[str, Any]:
    return _fields(comment, "file", "line", "text", "quoted", "moved_from", "outdated")


def _finding(finding: Finding) -> dict[str, Any]:
    names = ("rule", "clause", "file", "line", "column", "source", "message")
    plain = _fields(finding, *names)
    plain["severity"] = finding.consequence.severity
    return plain


def _manual(given: ManualMark) -> dict[str, Any]:
    """Return marks that a person gave as JSON data, with their rubric items if there are any."""
    plain = _fields(given.slot, "id", "title", "out_of")
    plain["mark"] = given.mark
    if given.items:
        plain["items"] = [_fields(item, "title", "level", "points") for item in given.items]
    return plain


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
    plain = _fields(scenario, "id", "name", "function")
    plain["clause"] = scenario.clauses[0] if scenario.clauses else ""
    names = ("clauses", "visibility", "tags", "informational", "extra_credit")
    plain |= _fields(scenario, *names)
    if scenario.needs:
        plain["needs"] = scenario.needs
    if scenario.cost is not None:
        plain["cost"] = scenario.cost.growth.value
    if scenario.faster_than:
        plain["faster_than"] = scenario.faster_than
    plain["points"] = Fraction(0) if scenario.informational else scenario.points
    return plain
