"""Rules about arguments that a function changes, or should leave alone."""

from __future__ import annotations

from harness.judging.boards import Cells, cells
from harness.judging.explain.failure import ArgumentChange, Failure
from harness.judging.explain.rule import Stage, count, rule
from harness.judging.mismatches import first_difference
from harness.matchers import same, source
from harness.model.values import ValueKind

_MOST_DIGITS = 10


@rule(Stage.KNOWN_MISTAKE, 50, "does not change its argument")
def argument_not_changed(failure: Failure) -> str | None:
    """The function should have changed its argument and did not."""
    for change in failure.changes:
        if not change.should_change or change.did_change:
            continue
        if _is_returned(change):
            kind, pair = _kind(change), failure.exact_return
            said = failure.says(f"is not changed: a new {kind} is returned", who=change.name)
            after = "" if pair is None else f", and return {source(pair[0], limit=60)}"
            return f"{said} Change the {kind} that is given{after}."
        said = failure.says(f"is not changed: {_first(change, 'it should be')}", who=change.name)
        if _is_rounded(change):
            return f"{said} Is the result rounded, or is a copy changed in its place?"
        return f"{said} Is a copy changed in its place?"
    return None


def _is_returned(change: ArgumentChange) -> bool:
    """Whether what the argument should be is returned, alone or among other things."""
    returned = change.returned
    if returned is None:
        return False
    parts = returned.items if returned.kind is ValueKind.TUPLE else ()
    return any(same(change.expected, value) for value in (returned, *parts))


def _is_rounded(change: ArgumentChange) -> bool:
    """Whether the first number that is not as it should be is what rounding makes of it."""
    place = first_difference(change.expected, change.actual)
    sides = [side for side in (place.expected, place.actual) if side is not None]
    if len(sides) < 2 or any(side.kind is not ValueKind.FLOAT for side in sides):
        return False
    wanted, got = (float(side.text) for side in sides)
    return any(round(wanted, digits) == got for digits in range(_MOST_DIGITS))


def _also_returned(failure: Failure) -> str:
    """That the returned value is wrong too, where that is soon said."""
    pair = failure.exact_return
    if pair is None or any(value.is_container for value in pair):
        return ""
    got, wanted = (source(value, limit=60) for value in reversed(pair))
    return f" It also returned {got} instead of {wanted}."


@rule(Stage.KNOWN_MISTAKE, 80, "changes its argument")
def argument_changed(failure: Failure) -> str | None:
    """The function should have left its argument alone."""
    for change in failure.changes:
        if not change.should_change and change.did_change:
            clause = f"is changed and should not be: {_first(change, 'it should stay')}"
            return failure.says(clause, who=change.name) + _also_returned(failure)
    return None


def _first(change: ArgumentChange, should: str) -> str:
    """The first item that is not as it should be."""
    place = first_difference(change.expected, change.actual)
    when = "in the end " if change.later else ""
    if place.expected is None or place.actual is None:
        sizes = len(change.actual.items), len(change.expected.items)
        return f"{when}it has {count(sizes[0], 'item')}, {should} {sizes[1]}"
    item = place.named if place.path else "it"
    got, wanted = source(place.actual, limit=60), source(place.expected, limit=60)
    return f"{when}{item} is {got}, {should} {wanted}"


def _kind(change: ArgumentChange) -> str:
    return change.expected.type_name if change.expected.kind is not ValueKind.FOREIGN else "value"


@rule(Stage.KNOWN_MISTAKE, 70, "changes the column beside the right one")
def changed_off_by_one_column(failure: Failure) -> str | None:
    """The change is the right one, in a neighbouring column."""
    for change in failure.changes:
        grids = [cells(v) for v in (change.before, change.expected, change.actual)]
        before, expected, actual = grids
        if before is None or expected is None or actual is None:
            continue
        wanted, got = _changed(before, expected), _changed(before, actual)
        places = _neighbours(change, wanted, got, len(before))
        if places is not None:
            clause = f"is changed one column off: at index {places[1]} instead of {places[0]}"
            return failure.says(clause, who=change.name)
    return None


def _changed(before: Cells, after: Cells) -> set[tuple[int, int]]:
    """The places that differ; none when the shapes do."""
    if [len(line) for line in before] != [len(line) for line in after]:
        return set()
    return {
        (outer, inner)
        for outer, line in enumerate(before)
        for inner, cell in enumerate(line)
        if after[outer][inner] != cell
    }


def _neighbours(
    change: ArgumentChange, wanted: set[tuple[int, int]], got: set[tuple[int, int]], size: int
) -> tuple[int, int] | None:
    """The expected and the actual index of the one column that changed, if they are neighbours.

    A list of texts holds columns (or rows that a column cuts); a list of lists holds rows.
    """
    in_texts = all(item.kind is ValueKind.STR for item in change.before.items)
    axis = 0 if in_texts else 1
    should, did = _one({place[axis] for place in wanted}), _one({place[axis] for place in got})
    if should is None or did is None:
        return None
    return (should, did) if _beside(should, did, size if in_texts else 0) else None


def _one(places: set[int]) -> int | None:
    return next(iter(places)) if len(places) == 1 else None


def _beside(wanted: int, got: int, size: int) -> bool:
    """Side by side; with a size also first and last (index -1 is Python's last)."""
    return abs(wanted - got) == 1 or (size > 2 and wanted == 0 and got == size - 1)
