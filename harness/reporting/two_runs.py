"""Shows the changes between two runs as a table for terminals, CSV or a page."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from rich.console import Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from harness.common.csv_tables import csv_text
from harness.common.escaping import visible
from harness.common.words import rounded
from harness.model.result import SubmissionStatus
from harness.reporting.html.environment import render
from harness.reporting.view import words
from harness.results import comparing

_MAX_REASONS = 4
_MAX_ROWS = 60
_NOISE = Fraction(1, 50)  # smallest difference that rounding does not explain
HEADER = ("submission", "before", "now", "change", "files", "through")


def comparison_table(comparison: comparing.RunComparison) -> RenderableType:
    """Return the comparison as a table for a terminal."""
    parts: list[RenderableType] = [Text(line, "bold red") for line in _incomplete(comparison)]
    if comparison.changes:
        parts.append(_table(comparison.changes[:_MAX_ROWS]))
    more = len(comparison.changes) - _MAX_ROWS
    if more > 0:
        parts.append(Text(f"… and {more} more: see --to csv or --to html.", "dim"))
    parts += map(Text, _summary(comparison))
    return Group(*parts)


def _table(changes: Iterable[comparing.MarkChange]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in HEADER:
        justify: JustifyMethod = "right" if name in HEADER[1:4] else "left"
        table.add_column(name, justify=justify, overflow="fold")
    for change in changes:
        cells = _cells(change, _MAX_REASONS)
        table.add_row(*map(Text, map(visible, cells)))
    return table


def comparison_csv(comparison: comparing.RunComparison) -> str:
    """Return the comparison as CSV, with all reasons for each submission."""
    return csv_text([HEADER, *map(_cells, comparison.changes)])


def comparison_page(comparison: comparing.RunComparison) -> str:
    """Return the comparison as an HTML page."""
    return render(
        "comparison.html.j2",
        comparison=comparison,
        header=HEADER,
        rows=list(map(_cells, comparison.changes)),
        incomplete=_incomplete(comparison),
        summary=_summary(comparison),
    )


def signed(marks: Fraction) -> str:
    """Return a change of marks with its sign: +0.50."""
    text = rounded(marks)
    if marks < 0 or text == "0.00":
        return text
    return f"+{text}"


def _cells(change: comparing.MarkChange, most: int | None = None) -> tuple[str, ...]:
    reasons = list(_reasons(change, most))
    if change.marks and not reasons:
        reasons = ["small changes of points, or rounding"]
    marks = ""
    if change.marks is not None:
        marks = signed(change.marks)
    before = _state(change.before)
    after = _state(change.after)
    return (change.id, before, after, marks, _files(change), "; ".join(reasons))


def _state(entry: comparing.SnapshotEntry | None) -> str:
    if entry is None:
        return ""
    if entry.mark is not None:
        return rounded(entry.mark)
    if entry.status in set(SubmissionStatus):
        return words.STATUS[SubmissionStatus(entry.status)]
    return entry.status


def _files(change: comparing.MarkChange) -> str:
    if change.before is None:
        return "new"
    if change.after is None:
        return "gone"
    if change.before.source_digest == change.after.source_digest:
        return "same"
    return "changed"


def _reasons(change: comparing.MarkChange, most: int | None) -> Iterable[str]:
    """Yield the reasons for a change, if it is larger than rounding explains."""
    before, after = change.before, change.after
    if before is None or after is None:
        return
    if before.status != after.status:
        yield f"{before.status} before, {after.status} now"
    by_weight = sorted(change.scenarios, key=lambda scenario: (-abs(scenario.marks), scenario.id))
    for scenario in by_weight[:most]:
        yield _scenario(scenario)
    if most is not None and len(by_weight) > most:
        yield f"{words.counted(len(by_weight) - most, 'more scenario')}"
    if before.findings != after.findings:
        yield "other code issues"
    if before.out_of != after.out_of:
        yield f"out of {words.number(before.out_of)} before, {words.number(after.out_of)} now"
    if abs(change.weights) >= _NOISE:
        yield f"{signed(change.weights)} because scenarios have other points"
    if abs(change.rest) >= _NOISE:
        yield f"{signed(change.rest)} from deductions"
    others: list[str] = []
    if before.by_hand != after.by_hand:
        others.append("marked by hand")
    if before.late != after.late:
        others.append("late")
    if others:
        yield f"{', '.join(others)}: total {_total(before)} before, {_total(after)} now"


def _scenario(scenario: comparing.ScenarioChange) -> str:
    if scenario.before is None:
        what = f"new, {scenario.after}"
    elif scenario.after is None:
        what = f"no longer there, was {scenario.before}"
    else:
        what = f"{scenario.before} before, {scenario.after} now"
    return f"{scenario.id}: {what} ({signed(scenario.marks)})"


def _total(entry: comparing.SnapshotEntry) -> str:
    if entry.total is None:
        return "none"
    return rounded(entry.total)


def _incomplete(comparison: comparing.RunComparison) -> list[str]:
    lines: list[str] = []
    for name, run in (("old", comparison.old), ("new", comparison.new)):
        if not run.complete:
            lines.append(
                f"The {name} run ({visible(run.path)}) is not complete, so its marks are not final."
            )
    return lines


def _other_scenarios(comparison: comparing.RunComparison) -> Iterable[str]:
    """Yield the changes of the scenarios: added, removed, with other points."""
    for names, what in ((comparison.added, "new"), (comparison.removed, "no longer there")):
        if names:
            are = "is" if len(names) == 1 else "are"
            yield f"{words.counted(len(names), 'scenario')} {are} {what}: {_first(names)}."
    changed: list[str] = []
    for name in comparison.reweighted:
        before = words.number(comparison.old.worth[name])
        now = words.number(comparison.new.worth[name])
        changed.append(f"{name} ({before} before, {now} now)")
    if changed:
        have = "has" if len(changed) == 1 else "have"
        yield f"{words.counted(len(changed), 'scenario')} {have} other points: {_first(changed)}."


def _first(names: Sequence[str]) -> str:
    shown = list(map(visible, names[:_MAX_REASONS]))
    more = len(names) - _MAX_REASONS
    if more > 0:
        shown.append(f"{more} more")
    return ", ".join(shown)


def _summary(comparison: comparing.RunComparison) -> list[str]:
    lines: list[str] = []
    if comparison.made_with:
        lines.append(f"Different in the two runs: {', '.join(comparison.made_with)}.")
    lines += _other_scenarios(comparison)
    for tally in comparison.scenarios[:_MAX_REASONS]:
        passes = f"{tally.now_pass} pass it now, {tally.now_fail} no longer (files unchanged)."
        lines.append(f"{visible(tally.id)}: {passes}")
    more = len(comparison.scenarios) - _MAX_REASONS
    if more > 0:
        lines.append(f"{words.counted(more, 'more scenario')} with other verdicts.")
    new = sum(change.before is None for change in comparison.changes)
    gone = sum(change.after is None for change in comparison.changes)
    changed = len(comparison.changes) - new - gone
    same = words.counted(comparison.same, "submission")
    how = _breakdown(comparison)
    lines.append(f"{same} as before, {changed} changed{how}, {new} new, {gone} gone.")
    return lines


def _breakdown(comparison: comparing.RunComparison) -> str:
    """Return in brackets how many changed marks went up or down; "" if none changed."""
    counts: Counter[str] = Counter()
    for change in comparison.changes:
        if change.before is not None and change.after is not None:
            counts[_direction(change, change.before, change.after)] += 1
    named = [f"{counts[what]} {what}" for what in _DIRECTIONS if counts[what]]
    if not named:
        return ""
    return f" ({', '.join(named)})"


_DIRECTIONS = ("up", "down", "now marked", "no longer marked", "with the same functionality mark")


def _direction(
    change: comparing.MarkChange, before: comparing.SnapshotEntry, after: comparing.SnapshotEntry
) -> str:
    if change.marks:
        return "up" if change.marks > 0 else "down"
    if before.mark is None and after.mark is not None:
        return "now marked"
    if before.mark is not None and after.mark is None:
        return "no longer marked"
    return "with the same functionality mark"
