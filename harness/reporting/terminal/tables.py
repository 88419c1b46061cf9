"""The same results in a terminal, as rich renderables. Foreign text enters as `Text` after
`visible`, never as rich markup, so that it can neither colour nor move anything."""

from collections.abc import Iterable
from dataclasses import dataclass
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
    as_text,
    explained,
    things_to_fix,
    unreadable,
    wrapped,
)
from harness.reporting.terminal.class_table import ClassTable, TableColumn, shared
from harness.reporting.view import figures, words
from harness.reporting.view.marks import counting_mark
from harness.results.redaction import ShownCheck
from harness.results.student_view import EVERYTHING, FunctionTally, student_view

_MOST_ROWS_OF_A_CLASS = 60
_MOST_CAUSES = 20


def summary_table(run: RunResult, plan: Plan) -> RenderableType:
    """Return a run as a table, a submission a row, with the notes that a reader must know below
    it.
    """
    rows = [_row(result, plan) for result in islice(run.submissions, _MOST_ROWS_OF_A_CLASS)]
    has_totals = any(row.has_total for row in rows)
    marks = tuple(row.mark if has_totals else row.functionality for row in rows)
    name = "mark" if has_totals or not plan.assignment.manual else "functionality"
    functionality = tuple(row.functionality for row in rows) if has_totals else ()
    columns = [
        TableColumn(title="submission", cells=tuple(row.id for row in rows), narrowest=10),
        TableColumn(title="name", cells=tuple(row.name for row in rows), narrowest=12),
        TableColumn(title="state", cells=tuple(row.state for row in rows), narrowest=12),
        TableColumn(title=name, cells=marks, is_number=True),
        TableColumn(title="functionality", cells=functionality, is_number=True, is_detail=True),
        TableColumn(title="late", cells=tuple(row.late for row in rows), is_detail=True),
        TableColumn(title="passed", cells=tuple(row.passed for row in rows), is_number=True),
    ]
    table = ClassTable(shared(columns, " so far"), "loses most in", [row.loses for row in rows])
    return Group(table, *_remarks(run))


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClassRow:
    """What the table says of a submission."""

    id: Text
    name: Text
    state: Text
    mark: Text  # the mark that counts
    functionality: Text
    has_total: bool  # the two may differ
    late: Text
    passed: Text
    loses: list[str]


def _row(result: SubmissionResult, plan: Plan) -> _ClassRow:
    """Return a submission's row; of one that cannot be shown that of one that is held."""
    try:
        return _row_of(result, plan)
    except Exception as error:
        return _row_of(held(result, "its row", error), plan)


def _row_of(result: SubmissionResult, plan: Plan) -> _ClassRow:
    tallies = figures.tallies(result, plan)
    passed, total = sum(t.passed for t in tallies), sum(t.total for t in tallies)
    losing = [tally for tally in tallies if tally.points < tally.out_of]
    worst = sorted(losing, key=lambda tally: tally.points - tally.out_of)[:3]
    return _ClassRow(
        id=_plain(result.id),
        name=_plain(result.student.name if result.student else ""),
        state=_state(result),
        mark=_mark(result),
        functionality=_functionality(result),
        has_total=words.has_total(result),
        late=_plain(words.late_in_short(result)),
        passed=Text(f"{passed}/{total}" if total else ""),
        loses=[visible(f"{each.function} {each.passed}/{each.total}") for each in worst],
    )


def show_submission(result: SubmissionResult, plan: Plan) -> RenderableType:
    """Return one submission with all its scenarios, hidden ones too, for its lecturer."""
    view = student_view(result, plan, visible=EVERYTHING)
    name = f" {visible(view.name)}" if view.name else ""
    head = Text.assemble((f"{visible(result.id)}{name}", "bold"), "  ", _state(result), "  ")
    head.append(_mark(result)).append(words.extra(view))
    parts: list[RenderableType] = [head]
    if (counting := counting_mark(result)).sum:
        parts.append(_plain(counting.sum))
    if handing_in := words.handing_in(result):
        parts.append(Text(visible(", ".join(handing_in)), "dim"))
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
    if view.causes_pending:
        pending = "the causes of these failures are still to be found: run harness grade again"
        parts.append(Text(pending, "yellow"))
    parts.append(_Printed(things_to_fix(view, _MOST_CAUSES)))
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
    """Return the mark that counts."""
    mark = counting_mark(result)
    out_of = "" if mark.value is None else f"/{words.number(mark.out_of)}"
    so_far = "" if mark.value is None or mark.is_final else " so far"
    return Text(f"{words.mark_text(mark.value)}{out_of}{so_far}")


def _functionality(result: SubmissionResult) -> Text:
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
