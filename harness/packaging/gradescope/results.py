"""`results.json` as the platform reads it; described by `docs/gradescope-results.schema.json`.

The whole mark comes first, rounded once. Tests carry a status and no points: five hundred
hundredths would add up to another mark, and deductions and extra credit belong to no test. Where
there is no mark, no score is given.

The text above the tests is HTML that passes the platform's sanitiser: no styles, no scripts.
Students see it at once, so it has no count of hidden checks and no mark.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from markupsafe import Markup

from harness.common.escaping import shorten, visible
from harness.common.words import rounded
from harness.model.plan import Plan, Scenario, Visibility
from harness.model.result import ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.student_view import ShownCheck, StudentView, Surroundings
from harness.model.verdict import VerdictKind
from harness.packaging.gradescope.settings import Metadata, NoMark, PackageSettings, PlatformRun
from harness.reporting.terminal.cards import as_text, explained
from harness.reporting.view import paste, words
from harness.results.student_view import hidden_kind, student_view

_COLUMNS = 100
_UNFINISHED = (
    "The autograder did not come to an end, so there is no mark. This says nothing about the "
    "program. The staff must run it again."
)


def fallback_json() -> str:
    """The first results, written before grading starts and replaced afterwards."""
    return _text(
        {
            "output": _UNFINISHED,
            "output_format": "text",
            "stdout_visibility": "hidden",
            "extra_data": {"marked": False, "no_mark": "did not finish"},
            "tests": [_no_mark(_UNFINISHED)],
        }
    )


def results_json(
    run: PlatformRun, plan: Plan, settings: PackageSettings, metadata: Metadata, seconds: float
) -> str:
    """The results of a run that took `seconds`; `plan` is the whole assignment's."""
    mark = run.result.mark if run.result is not None and run.no_mark is None else None
    return _text(
        {
            **({} if mark is None else {"score": float(rounded(mark))}),
            "execution_time": round(seconds, 1),
            "output": page(run, plan, metadata),
            "output_format": "html",
            "test_output_format": "text",
            "test_name_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "extra_data": _facts(run, settings, metadata),
            "tests": list(_tests(run, plan, settings)),
        }
    )


def _tests(run: PlatformRun, plan: Plan, settings: PackageSettings) -> Iterator[dict[str, Any]]:
    if run.no_mark is not None:
        yield _no_mark(REASONS[run.no_mark])
    result = run.result
    if result is None:
        return
    if result.status is SubmissionStatus.UNREADABLE:
        reason = result.problem or (result.unparsable.reason if result.unparsable else "")
        yield {
            "name": "The submission can be graded",
            "status": "failed",
            "output": visible(reason),
            "visibility": "visible",
        }
        return
    entries = {entry.scenario_id: entry for entry in result.scenarios}
    surroundings = Surroundings.of(plan.assignment)
    functions: Counter[str] = Counter()  # in the order of the plan
    for scenario in plan.scenarios:
        functions[scenario.function] += 1
        place = list(functions).index(scenario.function) + 1
        if entry := entries.get(scenario.id):
            number = f"{place}.{functions[scenario.function]}"
            yield {"number": number, **_test(scenario, entry, surroundings, run, settings)}


def _test(
    scenario: Scenario,
    entry: ScenarioResult,
    surroundings: Surroundings,
    run: PlatformRun,
    settings: PackageSettings,
) -> dict[str, Any]:
    """What went wrong; of a hidden scenario only the kind of verdict."""
    hidden = scenario.visibility is Visibility.HIDDEN
    name = f"{scenario.function}: {scenario.name}"
    values = paste.settings(scenario.stimuli[0].constants)
    if values and not hidden:
        name = f"{name} [{values}]"
    kind = entry.verdict.kind
    test: dict[str, Any] = {
        "name": visible(name),
        "visibility": (settings.hidden if hidden else scenario.visibility).value,
    }
    if kind is VerdictKind.HARNESS_ERROR:
        late = run.no_mark is NoMark.OUT_OF_TIME
        reason = "Not run: out of time" if late else words.VERDICT[kind].capitalize()
        return test | {"output": f"{reason}."}
    lines = ["Not graded."] if scenario.informational else []
    if not scenario.informational:
        test["status"] = "passed" if entry.verdict.passed else "failed"
    if hidden:
        lines.append(f"A hidden check: {words.VERDICT[hidden_kind(entry.verdict)]}.")
    elif not entry.verdict.passed or entry.verdict.message:
        explanation = explained(ShownCheck.of(scenario, entry), surroundings)
        lines.append(as_text(explanation, _COLUMNS).rstrip("\n"))
    return test | {"output": "\n".join(lines)}


def _no_mark(reason: str) -> dict[str, Any]:
    return {"name": "No mark", "output": reason, "visibility": "visible"}


def _facts(run: PlatformRun, settings: PackageSettings, metadata: Metadata) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "assignment": settings.assignment,
        "harness": settings.harness,
        "marked": run.no_mark is None,
        "attempt": metadata.attempt,
    }
    if run.no_mark is not None:
        facts["no_mark"] = run.no_mark.value
    if run.context is not None:
        plan, tier = run.context.specification.plan, run.context.tier
        facts |= {
            "python": run.context.interpreter.version,
            "tier": tier.tier.value,
            "acts_tried": len(tier.probes),
            "acts_prevented": sum(probe.prevented for probe in tier.probes),
            "input_mechanism": tier.input_mechanism,
            "spec_digest": plan.spec_digest,
            "reference_digest": plan.reference_digest,
        }
    if run.result is not None:
        facts |= {
            "status": run.result.status.value,
            "flagged": run.result.flagged,
            "source_digest": run.result.source_digest,
        }
    return facts


def _text(plain: dict[str, Any]) -> str:
    return json.dumps(plain, indent=1, ensure_ascii=True) + "\n"


REASONS = {
    NoMark.OUT_OF_TIME: (
        "The time for this run was used up before every check was done, so there is no mark. "
        "What was not run is not counted as wrong. Look for loops that never end and hand in "
        "again, or ask the staff to run it again."
    ),
    NoMark.NOT_CONFINED: (
        "This machine did not let the autograder confine programs, so hidden checks were not run "
        "and there is no mark. Nothing is counted as wrong. The staff must run it again."
    ),
    NoMark.FAILED: (
        "The autograder itself failed, so there is no mark. Your program is not the cause. "
        "The staff must run it again."
    ),
    NoMark.NEEDS_REVIEW: "There is no mark yet: a teacher has to review this submission.",
}


def page(run: PlatformRun, plan: Plan, metadata: Metadata) -> str:
    """HTML for students and staff alike. `plan` is the whole assignment's."""
    parts = [Markup("<h3>{}</h3>").format(visible(plan.assignment.title))]
    if run.no_mark is not None:
        parts.append(_strong(REASONS[run.no_mark]))
    if run.result is not None:
        parts += _outcome(run.result, plan)
    parts.append(_list("About the mark", _about(run, plan, metadata)))
    return str(Markup("\n").join(part for part in parts if part))


def _outcome(result: SubmissionResult, plan: Plan) -> list[Markup]:
    trouble = [result.problem] if result.problem else []
    if result.unparsable is not None:
        broken = result.unparsable
        place = broken.file if broken.line is None else f"{broken.file}:{broken.line}"
        trouble.append(f"{place}: {broken.reason}")
    parts = [_strong(line) for line in trouble]
    if not trouble and result.scenarios:
        view = student_view(result, plan)
        parts.append(_list("To fix, most marks first", _to_fix(view)))
        parts.append(_by_function(view))
    findings = (
        f"{f.file}:{f.line}: {f.message} ({words.consequence(f.consequence)})"
        for f in result.findings
    )
    parts.append(_list("Code issues", findings))
    parts.append(_list("Notes", result.notes))
    return parts


def _to_fix(view: StudentView) -> Iterator[str]:
    """The causes that visible checks show."""
    for cause in view.causes:
        if not cause.checks or cause.checks[0].verdict.kind is VerdictKind.HARNESS_ERROR:
            continue
        where = cause.function or "the file"
        if (place := cause.place) is not None:
            first = cause.line or place.first
            lines = "" if cause.line or place.last == place.first else f" to {place.last}"
            where += f" ({place.file}, line{'s' if lines else ''} {first}{lines})"
        hint = f" Hint: {cause.hint}" if cause.hint else ""
        yield f"{where}: {shorten(cause.message, 600)}{hint}"


def _by_function(view: StudentView) -> Markup:
    """Checks that may be seen at once, function by function."""
    tallies: dict[str, list[bool]] = {}
    for check in view.shown:
        if not check.informational:
            tallies.setdefault(check.function, []).append(check.verdict.passed)
    if not tallies:
        return Markup("")
    rows = Markup("").join(
        Markup("<tr><td><code>{}</code></td><td>{} of {}</td></tr>").format(
            visible(function), sum(passed), len(passed)
        )
        for function, passed in tallies.items()
    )
    head = Markup("<tr><th>Function</th><th>Visible checks passed</th></tr>")
    return Markup("<table>{}{}</table>").format(head, rows)


def _about(run: PlatformRun, plan: Plan, metadata: Metadata) -> list[str]:
    lines = [
        f"Marked by hand, not in this score: {slot.title}, out of {words.number(slot.out_of)}."
        for slot in plan.assignment.manual
    ]
    if metadata.late_by is not None:
        late = _in_words(metadata.late_by)
        lines.append(f"Submitted {late} after the due date. The score does not depend on that.")
    if run.context is not None:
        tier = run.context.tier.tier
        lines.append(f"Run with Python {run.context.interpreter.version}, {tier} confinement.")
        if run.no_mark is NoMark.NOT_CONFINED:
            lines.append(run.context.tier.not_prevented)
    if metadata.notice:
        lines.append(f"{metadata.notice}.")
    return lines


def _in_words(span: timedelta) -> str:
    minutes = max(1, round(span.total_seconds() / 60))
    parts = ((minutes // 1440, "day"), (minutes % 1440 // 60, "hour"), (minutes % 60, "minute"))
    return " ".join(words.counted(count, noun) for count, noun in parts if count)


def _strong(text: str) -> Markup:
    return Markup("<p><strong>{}</strong></p>").format(visible(text))


def _list(title: str, lines: Iterable[str]) -> Markup:
    items = Markup("").join(Markup("<li>{}</li>").format(visible(line)) for line in lines)
    return Markup("<p>{}</p><ul>{}</ul>").format(title, items) if items else Markup("")
