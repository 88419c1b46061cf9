"""When two values are the same, type-exact, and where they first are not.

The rules: a bool is not an int, an int is not a float, a list is not a tuple. `nan` is the same
as `nan`, or a reference that answers it could never be matched. `0.0` and `-0.0` are the same,
because Python's own `==` says so and no sheet asks for the sign of a zero (where it is printed,
the text differs). Dicts and sets have no order. Of a type outside the vocabulary nothing but its
name is known: two such values are the same when the names are. What was too large to tell is
the same as nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.judging.explain.wording import spelled
from harness.model.values import Value, ValueKind

DEEPEST = 12  # no reader follows a path further in, and a hostile value may be a tower of lists
_SEQUENCES = frozenset({ValueKind.LIST, ValueKind.TUPLE})
_UNORDERED = frozenset({ValueKind.SET, ValueKind.FROZENSET})
_NUMBERS = frozenset({ValueKind.FLOAT, ValueKind.COMPLEX})


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDifference:
    """The first place where two values differ. `path` is "[3][0]"; None is a missing item."""

    path: str
    expected: Value | None
    actual: Value | None


def same(expected: Value, actual: Value) -> bool:
    """Whether two described values are the same by the rules above."""
    pending = [(expected, actual)]
    while pending:
        left, right = pending.pop()
        if left.kind is not right.kind or left.kind is ValueKind.TOO_LARGE:
            return False
        if not left.is_container:
            if not _same_scalar(left, right):
                return False
            continue
        if len(left.items) != len(right.items):
            return False
        pending.extend(zip(_in_order(left), _in_order(right), strict=True))
    return True


def _same_scalar(left: Value, right: Value) -> bool:
    if left.text == right.text:
        return True
    if left.kind not in _NUMBERS:
        return False
    number = float if left.kind is ValueKind.FLOAT else complex
    try:
        return number(left.text) == number(right.text)
    except ValueError:
        return False


def _in_order(value: Value) -> tuple[Value, ...]:
    if value.kind in _UNORDERED:
        return tuple(sorted(value.items, key=spelled))
    if value.kind is ValueKind.DICT:
        pairs = zip(value.items[::2], value.items[1::2], strict=False)
        ordered = sorted(pairs, key=lambda pair: spelled(pair[0]))
        return tuple(part for pair in ordered for part in pair)
    return value.items


def first_difference(expected: Value, actual: Value) -> FirstDifference:
    """The innermost first place where two values that are not the same part."""
    path = ""
    for _ in range(DEEPEST):
        if expected.kind is not actual.kind or expected.kind not in _SEQUENCES:
            break
        index = _first_differing(expected.items, actual.items)
        path += f"[{index}]"
        left = expected.items[index] if index < len(expected.items) else None
        right = actual.items[index] if index < len(actual.items) else None
        if left is None or right is None:
            return FirstDifference(path=path, expected=left, actual=right)
        expected, actual = left, right
    return FirstDifference(path=path, expected=expected, actual=actual)


def _first_differing(expected: tuple[Value, ...], actual: tuple[Value, ...]) -> int:
    for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
        if not same(left, right):
            return index
    return min(len(expected), len(actual))
