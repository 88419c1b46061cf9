"""What a student reads in a terminal: the first things to mend, and how many checks passed."""

from __future__ import annotations

from harness.model.plan import Plan
from harness.model.result import SubmissionResult
from harness.model.student import StudentView
from harness.reporting import cards, words
from harness.reporting.lines import Line, line
from harness.reporting.seen import visible
from harness.reporting.terminal_cards import cause
from harness.results import student_view


def explanation(result: SubmissionResult | StudentView, plan: Plan, limit: int = 3) -> list[Line]:
    """The first `limit` things to mend, explained; visible scenarios alone, terse."""
    view = result if isinstance(result, StudentView) else student_view(result, plan)
    lines: list[Line] = []
    if view.problem or view.unparsable:
        lines += _unreadable(view)
    graded = [check for check in view.shown if not check.informational]
    found = cards.causes(graded, view.surroundings, [tally.function for tally in view.functions])
    for number, one in enumerate(found[:limit], start=1):
        lines += [Line(), *cause(number, one)]
    left = len(found) - limit
    if left > 0:
        lines += [Line(), line((f"… and {words.counted(left, 'more thing')} to mend.", "dim"))]
    for finding in view.findings:
        place = f"{finding.file}:{finding.line}:{finding.column}"
        lines.append(line(("note ", "yellow"), visible(f"{place}: {finding.message}")))
    return [*lines, Line(), _tally(view)]


def _tally(view: StudentView) -> Line:
    graded = [check for check in view.shown if not check.informational]
    passed = sum(check.verdict.passed for check in graded)
    style = "bold green" if passed == len(graded) else "bold red"
    return line((f"{passed} of {words.counted(len(graded), 'visible check')} passed", style))


def _unreadable(view: StudentView) -> list[Line]:
    broken = view.unparsable
    if broken is None:
        return [line((visible(view.problem), "red"))]
    place = broken.file if broken.line is None else f"{broken.file}:{broken.line}"
    lines = [line((visible(f"{place}: {broken.reason}"), "red"))]
    if broken.source.strip():
        lines.append(line("   " + visible(broken.source.rstrip("\n"))))
    return lines
