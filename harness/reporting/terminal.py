"""The same results in a terminal, as rich renderables.

Foreign text enters as `Text` after `visible`, never as rich markup, so that it can neither colour
nor move anything.
"""

from __future__ import annotations

import io

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from harness.model.plan import Plan, Scenario
from harness.model.result import RunResult, ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.student import ShownCheck, StudentView, Surroundings
from harness.reporting import cards, figures, words
from harness.reporting.cards import Cause
from harness.reporting.inert import visible
from harness.reporting.pages import is_other_python, mark_text, shown_checks
from harness.reporting.terminal_cards import explained
from harness.results import student_view

_MOST_ROWS_OF_A_CLASS = 60


def summary_table(run: RunResult, plan: Plan) -> RenderableType:
    """A run as a table, a submission a row, with what a reader must know under it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    longest = max((len(visible(result.id)) for result in run.submissions), default=0)
    table.add_column("submission", overflow="fold", min_width=min(longest, 34))
    table.add_column("state")
    table.add_column("mark", justify="right")
    totals = any(words.is_by_hand(result) for result in run.submissions)
    if totals:
        table.add_column("total", justify="right")
    table.add_column("passed", justify="right")
    table.add_column("loses most in", overflow="fold")
    for result in run.submissions[:_MOST_ROWS_OF_A_CLASS]:
        tallies = figures.tallies(result, plan)
        passed, total = sum(t.passed for t in tallies), sum(t.total for t in tallies)
        table.add_row(
            _plain(result.id),
            _state(result),
            _mark(result),
            *([Text(mark_text(result.total))] if totals else []),
            f"{passed}/{total}" if total else "",
            _plain(_weakest(result, plan)),
        )
    return Group(table, *_remarks(run))


def explain_failures(
    result: SubmissionResult | StudentView, plan: Plan, limit: int = 3
) -> RenderableType:
    """The first `limit` things to mend, explained; visible scenarios alone, terse."""
    view = result if isinstance(result, StudentView) else student_view(result, plan)
    parts: list[RenderableType] = []
    if view.problem or view.unparsable:
        parts.append(_unreadable(view.problem, view))
    graded = [check for check in view.shown if not check.informational]
    found = cards.causes(graded, view.surroundings, [tally.function for tally in view.functions])
    for number, cause in enumerate(found[:limit], start=1):
        parts += [Text(""), *_cause(number, cause)]
    left = len(found) - limit
    if left > 0:
        parts += [Text(""), Text(f"… and {words.counted(left, 'more thing')} to mend.", "dim")]
    for finding in view.findings:
        line = f"{finding.file}:{finding.line}:{finding.column}: {finding.message}"
        parts.append(Text.assemble(("note ", "yellow"), visible(line)))
    parts += [Text(""), _tally(view)]
    return Group(*parts)


def show_submission(result: SubmissionResult, plan: Plan, limit: int = 20) -> RenderableType:
    """One submission with all its scenarios, hidden ones too: for its lecturer."""
    head = Text.assemble((visible(result.id), "bold"), "  ", _state(result), "  ", _mark(result))
    parts: list[RenderableType] = [head]
    for line in (result.problem, result.unparsable.reason if result.unparsable else ""):
        if line:
            parts.append(Text(visible(line), "red"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("function")
    table.add_column("passed", justify="right")
    table.add_column("points", justify="right")
    for tally in figures.tallies(result, plan):
        points = f"{words.number(tally.points)}/{words.number(tally.out_of)}"
        table.add_row(_plain(tally.function), f"{tally.passed}/{tally.total}", points)
    parts += [Text(""), table]
    parts += [Text(visible(line), "dim") for line in words.by_hand(result)]
    stood_in = words.stood_in(outcome.verdict for outcome in result.scenarios)
    if stood_in:
        parts.append(Text(f"{stood_in} that was handed in", "yellow"))
    for finding in result.findings:
        line = f"{finding.file}:{finding.line}: {finding.message}"
        parts.append(Text.assemble((f"{words.RULE[finding.rule]} ", "yellow"), visible(line)))
    found = cards.causes(
        shown_checks(result, plan), Surroundings.of(plan.assignment), figures.function_names(plan)
    )
    for number, cause in enumerate(found[:limit], start=1):
        parts += [Text(""), *_cause(number, cause)]
    if len(found) > limit:
        parts.append(Text(f"… and {words.counted(len(found) - limit, 'more cause')}.", "dim"))
    return Group(*parts)


def explain_scenario(outcome: ScenarioResult, scenario: Scenario) -> str:
    """One scenario's failure as plain text, hidden or not: for those who may see all of it."""
    check = ShownCheck.of(scenario, outcome)
    shown = cards.card(check, Surroundings(submitted=()))
    text = io.StringIO()
    console = Console(file=text, width=100, color_system=None, highlight=False)
    console.print(Group(*explained(shown)))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _cause(number: int, cause: Cause) -> list[RenderableType]:
    first = cause.first
    check = first.check
    title = Text.assemble(
        (f"{number}. ", "bold"),
        (f"{words.sign(check.verdict.kind)} ", "red"),
        (visible(f"{check.function}: {check.name}"), "bold"),
        (visible(f"  [{first.settings}]") if first.settings else "", "dim"),
    )
    inside = explained(first)
    if cause.others:
        others = words.counted(len(cause.others), "other check")
        inside.append(
            Text(f"{others} {'fails' if len(cause.others) == 1 else 'fail'} in a like way", "dim")
        )
    return [title, Padding(Group(*inside), (0, 0, 0, 3))]


def _tally(view: StudentView) -> Text:
    graded = [check for check in view.shown if not check.informational]
    passed = sum(check.verdict.passed for check in graded)
    style = "green" if passed == len(graded) else "red"
    return Text(
        f"{passed} of {words.counted(len(graded), 'visible check')} passed", f"bold {style}"
    )


def _unreadable(problem: str, view: StudentView) -> Text:
    if view.unparsable is None:
        return Text(visible(problem), "red")
    broken = view.unparsable
    place = broken.file if broken.line is None else f"{broken.file}:{broken.line}"
    text = Text(visible(f"{place}: {broken.reason}"), "red")
    if broken.source.strip():
        text.append("\n   " + visible(broken.source.rstrip("\n")), "default")
    return text


def _state(result: SubmissionResult) -> Text:
    style = {
        SubmissionStatus.GRADED: "",
        SubmissionStatus.HARNESS_ERROR: "yellow",
        SubmissionStatus.UNREADABLE: "red",
    }.get(result.status, "yellow")
    text = Text(words.STATUS[result.status], style)
    return text.append(" ⚑", "yellow") if result.flagged else text


def _mark(result: SubmissionResult) -> Text:
    if result.mark is None:
        return Text(mark_text(None))
    return Text(f"{mark_text(result.mark)}/{words.number(result.out_of)}")


def _weakest(result: SubmissionResult, plan: Plan) -> str:
    lost = [(t.out_of - t.points, t) for t in figures.tallies(result, plan)]
    worst = [t for lack, t in sorted(lost, key=lambda pair: -pair[0]) if lack > 0][:3]
    return ", ".join(f"{t.function} {t.passed}/{t.total}" for t in worst)


def _remarks(run: RunResult) -> list[RenderableType]:
    lines: list[RenderableType] = []
    left_out = len(run.submissions) - _MOST_ROWS_OF_A_CLASS
    if left_out > 0:
        lines.append(Text(f"… and {left_out} more: see the report.", "dim"))
    facts = run.facts
    if not facts.complete:
        lines.append(
            Text("This run is not complete: it is not a result. Run it again.", "bold red")
        )
    if is_other_python(facts):
        said = f"Graded with Python {facts.python}; the assignment names {facts.python_wanted}."
        lines.append(Text(said, "bold yellow"))
    lines += [Text(visible(notice), "yellow") for notice in facts.notices]
    return lines


def _plain(text: str) -> Text:
    return Text(visible(text))
