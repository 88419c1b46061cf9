"""`results.json` as the platform reads it; described by `docs/gradescope-results.schema.json`.

The whole mark comes first, rounded once. Tests carry a status and no points: five hundred
hundredths would add up to another mark, and deductions and extra credit belong to no test. Where
there is no mark, no score is given.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.common.escaping import visible
from harness.common.rounding import rounded
from harness.model.plan import Plan, Scenario, Visibility
from harness.model.result import ScenarioResult, SubmissionStatus
from harness.model.student_view import ShownCheck, Surroundings
from harness.model.verdict import VerdictKind
from harness.packaging.gradescope.grading import NoMark, PlatformRun
from harness.packaging.gradescope.page import REASONS, page
from harness.packaging.gradescope.settings import Metadata, PackageSettings
from harness.reporting.terminal.cards import explained
from harness.reporting.terminal.lines import as_text
from harness.reporting.view import paste, words
from harness.results import hidden_kind

_COLUMNS = 100
_UNFINISHED = (
    "The autograder did not come to an end, so there is no mark. This says nothing about the "
    "program. The staff must run it again."
)


def fallback_json() -> str:
    """The first results, written before grading starts and replaced afterwards."""
    plain = {
        "output": _UNFINISHED,
        "output_format": "text",
        "stdout_visibility": "hidden",
        "extra_data": {"marked": False, "no_mark": "did not finish"},
        "tests": [_no_mark(_UNFINISHED)],
    }
    return _text(plain)


def results_json(
    run: PlatformRun, plan: Plan, settings: PackageSettings, metadata: Metadata, seconds: float
) -> str:
    """The results of a run that took `seconds`; `plan` is the whole assignment's."""
    plain: dict[str, Any] = {}
    result = run.result
    if run.no_mark is None and result is not None and result.mark is not None:
        plain["score"] = float(rounded(result.mark))
    plain |= {
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
    return _text(plain)


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
    functions: dict[str, int] = {}
    for scenario in plan.scenarios:
        function = functions.setdefault(scenario.function, 0) + 1
        functions[scenario.function] = function
        number = f"{list(functions).index(scenario.function) + 1}.{function}"
        entry = entries.get(scenario.id)
        if entry is not None:
            yield {"number": number, **_test(scenario, entry, surroundings, run, settings)}


def _test(
    scenario: Scenario,
    entry: ScenarioResult,
    surroundings: Surroundings,
    run: PlatformRun,
    settings: PackageSettings,
) -> dict[str, Any]:
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
        test["output"] = "Not run: out of time." if late else words.VERDICT[kind].capitalize() + "."
        return test
    if not scenario.informational:
        test["status"] = "passed" if entry.verdict.passed else "failed"
    test["output"] = _output(scenario, entry, surroundings, hidden=hidden)
    return test


def _output(
    scenario: Scenario, entry: ScenarioResult, surroundings: Surroundings, *, hidden: bool
) -> str:
    """What went wrong; of a hidden scenario only the kind of verdict."""
    passed = entry.verdict.passed
    lines = ["Not graded."] if scenario.informational else []
    if hidden:
        lines.append(f"A hidden check: {words.VERDICT[hidden_kind(entry.verdict)]}.")
    elif not passed or entry.verdict.message:
        found = explained(ShownCheck.of(scenario, entry), surroundings)
        lines.append(as_text(found, _COLUMNS).rstrip("\n"))
    return "\n".join(lines)


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
