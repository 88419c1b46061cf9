"""The same results in a terminal, as rich renderables. Foreign text enters as `Text` after
`visible`, never as rich markup, so that it can neither colour nor move anything."""

from collections.abc import Iterable
from itertools import islice

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Column, Table
from rich.text import Text

from harness.common.escaping import visible
from harness.model.assignment import Surroundings
from harness.model.plan import Plan, Scenario
from harness.model.result import RunResult, ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.verdict import VerdictKind
from harness.policy.rules import finding_kind
from harness.reporting.holding import held
from harness.reporting.terminal.cards import (
    Line,
    all_missing,
    as_text,
    cause,
    explained,
    unreadable,
    wrapped,
)
from harness.reporting.view import figures, words
from harness.reporting.view.shown_causes import written_first
from harness.results.redaction import ShownCheck
from harness.results.student_view import EVERYTHING, FunctionTally, student_view

_MOST_ROWS_OF_A_CLASS = 60
_MOST_CAUSES = 20


def summary_table(run: RunResult, plan: Plan) -> RenderableType:
    """Return a run as a table, a submission a row, with the notes that a reader must know below
    it.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    shown = list(islice(run.submissions, _MOST_ROWS_OF_A_CLASS))
    longest = max((len(visible(result.id)) for result in shown), default=0)
    table.add_column("submission", overflow="fold", min_width=min(longest, 34))
    table.add_column("state")
    table.add_column("mark", justify="right")
    if totals := any(map(words.has_total, shown)):
        table.add_column("total", justify="right")
    table.add_column("passed", justify="right")
    table.add_column("loses most in", overflow="fold")
    for result in shown:
        table.add_row(*_row(result, plan, totals=totals))
    return Group(table, *_remarks(run))


def _row(result: SubmissionResult, plan: Plan, *, totals: bool) -> list[Text]:
    """Return a submission's cells; of one that cannot be shown those of one that is held."""
    try:
        return _cells(result, plan, totals=totals)
    except Exception as error:
        return _cells(held(result, "its row", error), plan, totals=totals)


def _cells(result: SubmissionResult, plan: Plan, *, totals: bool) -> list[Text]:
    tallies = figures.tallies(result, plan)
    passed, total = sum(t.passed for t in tallies), sum(t.total for t in tallies)
    losing = [tally for tally in tallies if tally.points < tally.out_of]
    worst = sorted(losing, key=lambda tally: tally.points - tally.out_of)[:3]
    loses = ", ".join(f"{each.function} {each.passed}/{each.total}" for each in worst)
    cells = [_plain(result.id), _state(result), _mark(result)]
    if totals:
        cells.append(Text(words.mark_text(result.total)))
    return [*cells, Text(f"{passed}/{total}" if total else ""), _plain(loses)]


def show_submission(result: SubmissionResult, plan: Plan) -> RenderableType:
    """Return one submission with all its scenarios, hidden ones too, for its lecturer."""
    view = student_view(result, plan, visible=EVERYTHING)
    head = Text.assemble((visible(result.id), "bold"), "  ", _state(result), "  ", _mark(result))
    head.append(words.extra(view))
    parts: list[RenderableType] = [head]
    if troubles := list(unreadable(result.problem, result.unparsable)):
        parts.append(_Printed(troubles))
    if (over := result.over_budget) is not None:
        parts.append(Text(visible(f"{over}; {over.go_on(result.id)}"), "yellow"))
    parts += [_plain(note) for note in result.notes]
    if isolation := words.isolation(result):
        parts.append(Text(visible(isolation), "dim"))
    parts.append(Text(""))
    if tallies := figures.tallies(result, plan):
        parts.append(_functions(tallies))
    said = [*words.account(result), *map(words.on_line, result.line_comments)]
    parts += [Text(visible(line), "dim") for line in said]
    if stood_in := words.stood_in(outcome.verdict for outcome in result.scenarios):
        parts.append(Text(f"{stood_in} of the submission's", "yellow"))
    for finding in result.findings:
        line = f"{finding.file}:{finding.line}: {finding.message}"
        kind = (f"{finding_kind(finding.rule).title} ", "yellow")
        parts.append(Text.assemble(kind, visible(line)))
    causes, missing = written_first(view.causes)
    for number, shown in enumerate(causes[:_MOST_CAUSES], start=1):
        parts += [Text(""), _Printed(cause(number, shown, view.surroundings))]
    if (more := len(causes) - _MOST_CAUSES) > 0:
        parts.append(Text(f"… and {words.counted(more, 'more cause')}.", "dim"))
    if missing:
        parts += [Text(""), _Printed([all_missing(missing)])]
    seen = [c for c in view.shown if c.verdict.kind is not VerdictKind.UNREADABLE]
    ungraded = [check for check in seen if check.informational and not check.verdict.passed]
    parts += [Text("")] * bool(ungraded)
    parts += [_plain(f"costs no marks, but differs: {c.function}: {c.name}") for c in ungraded]
    return Group(*parts)


def explain_scenario(outcome: ScenarioResult, scenario: Scenario) -> str:
    """Return one scenario's failure as plain text, hidden or not, for people who may see all of
    it.
    """
    check = ShownCheck.of(scenario, outcome)
    return as_text(explained(check, Surroundings(submitted=())), 100).rstrip("\n")


def _functions(tallies: Iterable[FunctionTally]) -> Table:
    counted = (Column(each, justify="right") for each in ("passed", "points"))
    table = Table("function", *counted, box=None, pad_edge=False, header_style="bold")
    for tally in tallies:
        points = f"{words.number(tally.points)}/{words.number(tally.out_of)}"
        table.add_row(_plain(tally.function), f"{tally.passed}/{tally.total}", points)
    return table


class _Printed:
    """Lines of ours, as wide as the console is."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = tuple(lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for row in wrapped(self._lines, options.max_width):
            yield Text.assemble(" " * row.indent, *row.spans, no_wrap=True, overflow="ignore")


def _state(result: SubmissionResult) -> Text:
    styles = {SubmissionStatus.GRADED: "", SubmissionStatus.UNREADABLE: "red"}
    text = Text(words.STATUS[result.status], styles.get(result.status, "yellow"))
    return text.append(" ⚑", "yellow") if result.flagged else text


def _mark(result: SubmissionResult) -> Text:
    out_of = "" if result.mark is None else f"/{words.number(result.out_of)}"
    return Text(f"{words.mark_text(result.mark)}{out_of}")


def _remarks(run: RunResult) -> list[RenderableType]:
    lines: list[RenderableType] = []
    if (left_out := len(run.submissions) - _MOST_ROWS_OF_A_CLASS) > 0:
        lines.append(Text(f"… and {left_out} more: see the report.", "dim"))
    facts = run.facts
    if not facts.complete:
        said = "This run is not complete: it is not a result. Run it again."
        lines.append(Text(said, "bold red"))
    if words.is_other_python(facts.python, facts.python_wanted):
        said = f"Graded with Python {facts.python}; the assignment names {facts.python_wanted}."
        lines.append(Text(said, "bold yellow"))
    lines += [Text(visible(notice), "yellow") for notice in facts.notices]
    return lines


def _plain(text: str) -> Text:
    return Text(visible(text))
