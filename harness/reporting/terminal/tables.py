"""Shows results in a terminal, as rich renderables.

Untrusted text becomes a `Text` after `visible`, never rich markup, so that it cannot change colors
or move the cursor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
from harness.reporting.holding import hold_back
from harness.reporting.terminal.cards import (
    CardLine,
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
from harness.results.student_view import EVERYTHING, FunctionTally, StudentView, student_view

_MAX_ROWS_OF_A_CLASS = 60
_MAX_CAUSES = 20


def summary_table(run: RunResult, plan: Plan) -> RenderableType:
    """Return a run as a table with a row for each submission, and important notes below it."""
    rows = [_row(result, plan) for result in islice(run.submissions, _MAX_ROWS_OF_A_CLASS)]
    has_totals = any(row.has_total for row in rows)
    columns = [
        TableColumn(title="submission", cells=_cells(rows, "id"), narrowest=10),
        TableColumn(title="name", cells=_cells(rows, "name"), narrowest=12),
        TableColumn(title="state", cells=_cells(rows, "state"), narrowest=12),
    ]
    functionality = _cells(rows, "functionality")
    if has_totals:
        columns.append(TableColumn(title="mark", cells=_cells(rows, "mark"), is_number=True))
        detail = TableColumn(
            title="functionality", cells=functionality, is_number=True, is_detail=True
        )
        columns.append(detail)
    else:
        name = "functionality" if plan.assignment.manual else "mark"
        columns.append(TableColumn(title=name, cells=functionality, is_number=True))
    columns += [
        TableColumn(title="late", cells=_cells(rows, "late"), is_detail=True),
        TableColumn(title="passed", cells=_cells(rows, "passed"), is_number=True),
    ]
    worst = [row.loses for row in rows]
    table = ClassTable(shared(columns, " so far"), "loses most in", worst)
    return Group(table, *_remarks(run))


def _cells(rows: Sequence[_ClassRow], name: str) -> tuple[Text, ...]:
    """Return one attribute of all rows."""
    return tuple(getattr(row, name) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClassRow:
    """A submission's row in the table."""

    id: Text
    name: Text
    state: Text
    mark: Text  # the final mark
    functionality: Text
    has_total: bool  # may differ from the final mark
    late: Text
    passed: Text
    loses: list[str]


def _row(result: SubmissionResult, plan: Plan) -> _ClassRow:
    """Return a submission's row.

    If the submission cannot be displayed, the row says that it is held for review.
    """
    try:
        return _row_of(result, plan)
    except Exception as error:
        return _row_of(hold_back(result, "its row", error), plan)


def _row_of(result: SubmissionResult, plan: Plan) -> _ClassRow:
    tallies = figures.tallies(result, plan)
    passed = sum(tally.passed for tally in tallies)
    total = sum(tally.total for tally in tallies)
    passed_text = Text()
    if total:
        passed_text = Text(f"{passed}/{total}")
    losing = [tally for tally in tallies if tally.points < tally.out_of]
    losing.sort(key=lambda tally: tally.points - tally.out_of)
    worst = losing[:3]
    name = Text()
    if result.student is not None:
        name = _plain(result.student.name)
    return _ClassRow(
        id=_plain(result.id),
        name=name,
        state=_state(result),
        mark=_mark(result),
        functionality=_functionality(result),
        has_total=words.has_total(result),
        late=_plain(words.late_in_short(result)),
        passed=passed_text,
        loses=[visible(f"{tally.function} {tally.passed}/{tally.total}") for tally in worst],
    )


def show_submission(result: SubmissionResult, plan: Plan) -> RenderableType:
    """Return a submission with all its scenarios, including hidden ones, for lecturers."""
    view = student_view(result, plan, visible=EVERYTHING)
    parts = _head(result, view)
    parts.append(Text(""))
    tallies = figures.tallies(result, plan)
    if tallies:
        parts.append(_functions(tallies))
    for line in (*words.account(result), *words.comments_on_lines(result)):
        parts.append(Text(visible(line), "dim"))
    stood_in = words.stood_in(outcome.verdict for outcome in result.scenarios)
    if stood_in:
        parts.append(Text(f"{stood_in} of the submission's", "yellow"))
    for finding in result.findings:
        place = result.line_names.at(finding.file, finding.line)
        line = f"{place}: {finding.message}"
        kind = (f"{finding_kind(finding.rule).title} ", "yellow")
        parts.append(Text.assemble(kind, visible(line)))
    if view.causes_pending:
        pending = "the causes of these failures are not found yet: run harness grade again"
        parts.append(Text(pending, "yellow"))
    parts.append(_Printed(things_to_fix(view, _MAX_CAUSES)))
    ungraded = [_plain(line) for line in _lines_of_ungraded(view)]
    if ungraded:
        parts += [Text(""), *ungraded]
    return Group(*parts)


def _head(result: SubmissionResult, view: StudentView) -> list[RenderableType]:
    """Return the submission's mark, and what to know before reading its failures."""
    title = visible(result.id)
    if view.name:
        title += f" {visible(view.name)}"
    head = Text.assemble((title, "bold"), "  ", _state(result), "  ")
    head.append(_mark(result))
    head.append(words.extra(view))
    parts: list[RenderableType] = [head]
    counting = counting_mark(result)
    if counting.sum:
        parts.append(_plain(counting.sum))
    handing_in = words.handing_in(result)
    if handing_in:
        parts.append(Text(visible(", ".join(handing_in)), "dim"))
    troubles = list(unreadable(result.problem, result.unparsable, result.line_names))
    if troubles:
        parts.append(_Printed(troubles))
    over = result.over_budget
    if over is not None:
        parts.append(Text(visible(f"{over}; {over.go_on(result.id)}"), "yellow"))
    for note in result.notes:
        parts.append(_plain(note))
    isolation = words.isolation(result)
    if isolation:
        parts.append(Text(visible(isolation), "dim"))
    return parts


def _lines_of_ungraded(view: StudentView) -> Iterator[str]:
    """Yield a line for each failing check that costs no marks."""
    for check in view.shown:
        is_read = check.verdict.kind is not VerdictKind.UNREADABLE
        if is_read and check.informational and not check.verdict.passed:
            yield f"no marks lost: {check.function}: {check.name}"


def explain_scenario(outcome: ScenarioResult, scenario: Scenario) -> str:
    """Return the failure of one scenario, visible or hidden, as plain text for lecturers."""
    check = ShownCheck.of(scenario, outcome)
    return as_text(explained(check, Surroundings(submitted=())), 100).rstrip("\n")


def _functions(tallies: Iterable[FunctionTally]) -> Table:
    passed = Column("passed", justify="right")
    of_points = Column("points", justify="right")
    table = Table("function", passed, of_points, box=None, pad_edge=False, header_style="bold")
    for tally in tallies:
        points = f"{words.number(tally.points)}/{words.number(tally.out_of)}"
        table.add_row(_plain(tally.function), f"{tally.passed}/{tally.total}", points)
    return table


class _Printed:
    """Lines of text that are as wide as the console."""

    def __init__(self, lines: Iterable[CardLine]) -> None:
        self._lines = tuple(lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for row in wrapped(self._lines, options.max_width):
            yield Text.assemble(" " * row.indent, *row.spans, no_wrap=True, overflow="ignore")


def _state(result: SubmissionResult) -> Text:
    styles = {SubmissionStatus.GRADED: "", SubmissionStatus.UNREADABLE: "red"}
    text = Text(words.STATUS[result.status], styles.get(result.status, "yellow"))
    if result.flagged:
        text.append(" ⚑", "yellow")
    return text


def _mark(result: SubmissionResult) -> Text:
    """Return the final mark as a table cell."""
    mark = counting_mark(result)
    text = Text(words.mark_text(mark.value))
    if mark.value is None:
        return text
    text.append(f"/{words.number(mark.out_of)}")
    if not mark.is_final:
        text.append(" so far")
    return text


def _functionality(result: SubmissionResult) -> Text:
    text = Text(words.mark_text(result.mark))
    if result.mark is not None:
        text.append(f"/{words.number(result.out_of)}")
    return text


def _remarks(run: RunResult) -> list[RenderableType]:
    lines: list[RenderableType] = []
    left_out = len(run.submissions) - _MAX_ROWS_OF_A_CLASS
    if left_out > 0:
        lines.append(Text(f"… and {left_out} more: see the report.", "dim"))
    facts = run.facts
    if not facts.complete:
        said = "This run is not complete, so its marks are not final. Run it again."
        lines.append(Text(said, "bold red"))
    if words.is_other_python(facts.python, facts.python_wanted):
        said = (
            f"Graded with Python {facts.python}, but the assignment states {facts.python_wanted}."
        )
        lines.append(Text(said, "bold yellow"))
    for notice in facts.notices:
        lines.append(Text(visible(notice), "yellow"))
    return lines


def _plain(text: str) -> Text:
    return Text(visible(text))
