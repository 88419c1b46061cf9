"""What changed between two runs: a table for terminals, CSV, and a page."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.common.csv_tables import csv_text
from harness.common.escaping import visible
from harness.common.words import rounded
from harness.model.result import SubmissionStatus
from harness.reporting.html.environment import render
from harness.reporting.view import words
from harness.results import comparing

_MOST_REASONS = 4
_MOST_ROWS = 60
_NOISE = Fraction(1, 50)  # marks and points come rounded
HEADER = ("submission", "before", "now", "change", "files", "through")


def comparison_table(comparison: comparing.RunComparison) -> RenderableType:
    """Return the comparison for a terminal."""
    parts: list[RenderableType] = [Text(line, "bold red") for line in _incomplete(comparison)]
    if comparison.changes:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in HEADER:
            right = name in HEADER[1:4]
            table.add_column(name, justify="right" if right else "left", overflow="fold")
        for change in comparison.changes[:_MOST_ROWS]:
            table.add_row(*(Text(visible(cell)) for cell in _cells(change, _MOST_REASONS)))
        parts.append(table)
        if (more := len(comparison.changes) - _MOST_ROWS) > 0:
            parts.append(Text(f"… and {more} more: see --to csv or --to html.", "dim"))
    return Group(*parts, *map(Text, _summary(comparison)))


def comparison_csv(comparison: comparing.RunComparison) -> str:
    """Return the comparison as CSV, with every reason of every submission."""
    return csv_text([HEADER, *(_cells(change) for change in comparison.changes)])


def comparison_page(comparison: comparing.RunComparison) -> str:
    """Return the comparison as HTML."""
    rows = [_cells(change) for change in comparison.changes]
    said = {"incomplete": _incomplete(comparison), "summary": _summary(comparison)}
    return render("comparison.html.j2", comparison=comparison, header=HEADER, rows=rows, **said)


def signed(marks: Fraction) -> str:
    """Return a change of marks with its sign: +0.50."""
    text = rounded(marks)
    return text if marks < 0 or text == "0.00" else f"+{text}"


def _cells(change: comparing.MarkChange, most: int | None = None) -> tuple[str, ...]:
    reasons = list(_reasons(change, most))
    if change.marks and not reasons:
        reasons = ["scenarios count for a little more or less, or rounding"]
    return (
        change.id,
        _state(change.before),
        _state(change.after),
        "" if change.marks is None else signed(change.marks),
        _files(change),
        "; ".join(reasons),
    )


def _state(entry: comparing.SnapshotEntry | None) -> str:
    if entry is None:
        return ""
    if entry.mark is None:
        is_ours = entry.status in set(SubmissionStatus)
        return words.STATUS[SubmissionStatus(entry.status)] if is_ours else entry.status
    return rounded(entry.mark)


def _files(change: comparing.MarkChange) -> str:
    if change.before is None:
        return "new"
    if change.after is None:
        return "gone"
    return "same" if change.before.source_digest == change.after.source_digest else "changed"


def _reasons(change: comparing.MarkChange, most: int | None) -> Iterable[str]:
    """Return what changed it by more than rounding may."""
    before, after = change.before, change.after
    if before is None or after is None:
        return
    if before.status != after.status:
        yield f"{before.status} before, {after.status} now"
    by_weight = sorted(change.scenarios, key=lambda each: (-abs(each.marks), each.id))
    for scenario in by_weight[:most]:
        yield _scenario(scenario)
    if most is not None and len(by_weight) > most:
        yield f"{words.counted(len(by_weight) - most, 'more scenario')}"
    if before.findings != after.findings:
        yield "other code issues"
    if before.out_of != after.out_of:
        yield f"out of {words.number(before.out_of)} before, {words.number(after.out_of)} now"
    if abs(change.weights) >= _NOISE:
        yield f"{signed(change.weights)} because scenarios count for more or less"
    if abs(change.rest) >= _NOISE:
        yield f"{signed(change.rest)} from deductions"
    others = {"marked by hand": before.by_hand != after.by_hand, "late": before.late != after.late}
    if whys := [why for why, is_other in others.items() if is_other]:
        yield f"{', '.join(whys)}: total {_total(before)} before, {_total(after)} now"


def _scenario(scenario: comparing.ScenarioChange) -> str:
    if scenario.before is None:
        what = f"new, {scenario.after}"
    elif scenario.after is None:
        what = f"no longer there, was {scenario.before}"
    else:
        what = f"{scenario.before} before, {scenario.after} now"
    return f"{scenario.id}: {what} ({signed(scenario.marks)})"


def _total(entry: comparing.SnapshotEntry) -> str:
    return "none" if entry.total is None else rounded(entry.total)


def _incomplete(comparison: comparing.RunComparison) -> list[str]:
    return [
        f"The {name} run ({visible(run.path)}) is not complete: it is not a result."
        for name, run in (("old", comparison.old), ("new", comparison.new))
        if not run.complete
    ]


def _other_scenarios(comparison: comparing.RunComparison) -> Iterable[str]:
    """Return the differences of the scenarios themselves: new ones, removed ones, other points."""
    for names, what in ((comparison.added, "new"), (comparison.removed, "no longer there")):
        if names:
            are = "is" if len(names) == 1 else "are"
            yield f"{words.counted(len(names), 'scenario')} {are} {what}: {_first(names)}."
    old, new = comparison.old.worth, comparison.new.worth
    changed = [
        f"{name} ({words.number(old[name])} before, {words.number(new[name])} now)"
        for name in comparison.reweighted
    ]
    if changed:
        have = "has" if len(changed) == 1 else "have"
        yield f"{words.counted(len(changed), 'scenario')} {have} other points: {_first(changed)}."


def _first(names: Sequence[str]) -> str:
    more = len(names) - _MOST_REASONS
    shown = [visible(name) for name in names[:_MOST_REASONS]]
    return ", ".join([*shown, *([f"{more} more"] if more > 0 else [])])


def _summary(comparison: comparing.RunComparison) -> list[str]:
    lines: list[str] = []
    if comparison.made_with:
        lines.append(f"Different in the two runs: {', '.join(comparison.made_with)}.")
    lines += _other_scenarios(comparison)
    for tally in comparison.scenarios[:_MOST_REASONS]:
        passes = f"{tally.now_pass} pass it now, {tally.now_fail} no longer (files unchanged)."
        lines.append(f"{visible(tally.id)}: {passes}")
    if (more := len(comparison.scenarios) - _MOST_REASONS) > 0:
        lines.append(f"{words.counted(more, 'more scenario')} with other verdicts.")
    new = sum(change.before is None for change in comparison.changes)
    gone = sum(change.after is None for change in comparison.changes)
    changed = len(comparison.changes) - new - gone
    same = words.counted(comparison.same, "submission")
    how = _breakdown(comparison)
    return [*lines, f"{same} as before, {changed} changed{how}, {new} new, {gone} gone."]


def _breakdown(comparison: comparing.RunComparison) -> str:
    """Return how the marks of changed submissions differ, in brackets; empty if none changed."""
    counts: Counter[str] = Counter()
    for change in comparison.changes:
        if change.before is not None and change.after is not None:
            counts[_direction(change, change.before, change.after)] += 1
    named = [f"{counts[what]} {what}" for what in _DIRECTIONS if counts[what]]
    return f" ({', '.join(named)})" if named else ""


_DIRECTIONS = ("up", "down", "now marked", "no longer marked", "with the same mark")


def _direction(
    change: comparing.MarkChange, before: comparing.SnapshotEntry, after: comparing.SnapshotEntry
) -> str:
    if change.marks:
        return "up" if change.marks > 0 else "down"
    if before.mark is None and after.mark is not None:
        return "now marked"
    if before.mark is not None and after.mark is None:
        return "no longer marked"
    return "with the same mark"
