"""The text above the tests, as HTML that passes the platform's sanitiser: no styles, no scripts.

Students see it at once, so it has no count of hidden checks and no mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from markupsafe import Markup

from harness.common.escaping import shorten, visible
from harness.model.plan import Plan, Visibility
from harness.model.result import SubmissionResult
from harness.model.verdict import VerdictKind
from harness.packaging.gradescope.grading import NoMark, PlatformRun
from harness.packaging.gradescope.settings import Metadata
from harness.reporting.view import words
from harness.results import student_view

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
        parts.append(_paragraph(REASONS[run.no_mark], strong=True))
    if run.result is not None:
        parts += _found(run.result, plan)
    parts.append(_list("About the mark", _about(run, plan, metadata)))
    return str(Markup("\n").join(part for part in parts if part))


def _found(result: SubmissionResult, plan: Plan) -> list[Markup]:
    found: list[Markup] = []
    trouble = [result.problem] if result.problem else []
    if result.unparsable is not None:
        broken = result.unparsable
        place = broken.file if broken.line is None else f"{broken.file}:{broken.line}"
        trouble.append(f"{place}: {broken.reason}")
    for line in trouble:
        found.append(_paragraph(line, strong=True))
    if not trouble and result.scenarios:
        found.append(_list("To fix, most marks first", _to_fix(result, plan)))
        found.append(_by_function(result, plan))
    findings = (
        f"{f.file}:{f.line}: {f.message} ({words.consequence(f.consequence)})"
        for f in result.findings
    )
    found.append(_list("Code issues", findings))
    found.append(_list("Notes", result.notes))
    return found


def _to_fix(result: SubmissionResult, plan: Plan) -> Iterator[str]:
    """The causes that visible checks show."""
    for cause in student_view(result, plan).causes:
        if not cause.checks or cause.checks[0].verdict.kind is VerdictKind.HARNESS_ERROR:
            continue
        place = cause.place
        where = cause.function or "the file"
        if place is not None:
            first = cause.line or place.first
            lines = "" if cause.line or place.last == place.first else f" to {place.last}"
            where += f" ({place.file}, line{'s' if lines else ''} {first}{lines})"
        hint = f" Hint: {cause.hint}" if cause.hint else ""
        yield f"{where}: {shorten(cause.message, 600)}{hint}"


def _by_function(result: SubmissionResult, plan: Plan) -> Markup:
    """Checks that may be seen at once, function by function."""
    shown = {
        scenario.id: scenario.function
        for scenario in plan.scenarios
        if scenario.visibility is Visibility.VISIBLE and not scenario.informational
    }
    tallies: dict[str, list[bool]] = {}
    for entry in result.scenarios:
        if entry.scenario_id in shown:
            tallies.setdefault(shown[entry.scenario_id], []).append(entry.verdict.passed)
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
    lines: list[str] = []
    for slot in plan.assignment.manual:
        of = words.number(slot.out_of)
        lines.append(f"Marked by hand, not in this score: {slot.title}, out of {of}.")
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
    parts = (
        (minutes // 1440, "day"),
        (minutes % 1440 // 60, "hour"),
        (minutes % 60, "minute"),
    )
    return " ".join(words.counted(count, noun) for count, noun in parts if count)


def _paragraph(text: str, *, strong: bool = False) -> Markup:
    form = "<p><strong>{}</strong></p>" if strong else "<p>{}</p>"
    return Markup(form).format(visible(text))


def _list(title: str, lines: Iterable[str]) -> Markup:
    items = Markup("").join(Markup("<li>{}</li>").format(visible(line)) for line in lines)
    return Markup("<p>{}</p><ul>{}</ul>").format(title, items) if items else Markup("")
