"""Where two values first differ."""

from __future__ import annotations

from dataclasses import dataclass

from harness.common.escaping import plain
from harness.matchers import same
from harness.model.values import Value, ValueKind

DEEPEST = 12  # no reader follows a path further in, and a hostile value may be a tower of lists
_SEQUENCES = frozenset({ValueKind.LIST, ValueKind.TUPLE})
_KEYED = frozenset({ValueKind.DICT, ValueKind.OBJECT})


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDifference:
    """The first place where two values differ. `path` is "[3].owner"; None is a missing item, of a
    `holder` of this kind."""

    path: str
    expected: Value | None
    actual: Value | None
    holder: ValueKind | None = None

    @property
    def named(self) -> str:
        """What differs in words: "item [3].owner", of an object itself "attribute owner"."""
        return f"attribute {self.path[1:]}" if self.path[:1] == "." else f"item {self.path}"


def first_difference(expected: Value, actual: Value) -> FirstDifference:
    """The innermost first place where two values that are not the same differ."""
    path = ""
    for _ in range(DEEPEST):
        if expected.kind is not actual.kind or expected.text != actual.text:
            break
        if expected.kind in _KEYED:
            key = _first_key(expected, actual)
            if key is None:
                break
            named = expected.kind is ValueKind.OBJECT
            left, right = _at(expected, key), _at(actual, key)
            has_name = not named or key.text  # else it is the object's content
            if has_name:
                path += f".{plain(key.text, limit=60)}" if named else f"[{key.source(60)}]"
            if left is None or right is None:
                if not has_name:
                    break
                return FirstDifference(path=path, expected=left, actual=right, holder=expected.kind)
            expected, actual = left, right
            continue
        if expected.kind not in _SEQUENCES:
            break
        index = _first_differing(expected.items, actual.items)
        path += f"[{index}]"
        left = expected.items[index] if index < len(expected.items) else None
        right = actual.items[index] if index < len(actual.items) else None
        if left is None or right is None:
            return FirstDifference(path=path, expected=left, actual=right)
        expected, actual = left, right
    return FirstDifference(path=path, expected=expected, actual=actual)


def _first_key(expected: Value, actual: Value) -> Value | None:
    """The first attribute or key that differs; None where the keys are the same."""
    for key in (*expected.items[::2], *actual.items[::2]):
        left, right = _at(expected, key), _at(actual, key)
        if left is None or right is None or not same(left, right):
            return key
    return None


def _at(value: Value, key: Value) -> Value | None:
    pairs = zip(value.items[::2], value.items[1::2], strict=False)
    return next((part for name, part in pairs if same(name, key)), None)


def _first_differing(expected: tuple[Value, ...], actual: tuple[Value, ...]) -> int:
    for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
        if not same(left, right):
            return index
    return min(len(expected), len(actual))
