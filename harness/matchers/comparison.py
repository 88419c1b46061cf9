"""When two values or texts are the same, and a value's source as part of a sentence.

A bool is not an int, an int is not a float, a list is not a tuple. `nan` is the same as `nan`, or
a reference that returns it could never be matched. `0.0` and `-0.0` are the same, as by Python's
`==`: no sheet asks for the sign of a zero (where it is printed, the text differs). Dicts and sets
have no order. Objects are the same when their type's name and their attributes are. `TOO_LARGE`,
and an attribute that cannot be read, never equals anything. `within` is how far off floats may be.
"""

import re
from collections.abc import Collection

from harness.common.escaping import plain, shortened, visible
from harness.model.expectation import Ignore
from harness.model.values import KEYED, NAMED_CONTAINERS, Value, ValueKind

SOURCE_LIMIT = 90  # characters
WHOLE_LIMIT = 2000  # characters, where a value is not part of a sentence
_FLOAT = re.compile(r"(?<![\w.])-?\d++(?:\.\d++(?:e[-+]?\d++)?|e[-+]?\d++)")
_UNORDERED = frozenset({ValueKind.SET, ValueKind.FROZENSET})
_NUMBERS = frozenset({ValueKind.FLOAT, ValueKind.COMPLEX})
_NEVER_SAME = frozenset({ValueKind.TOO_LARGE, ValueKind.UNREADABLE})


def same(expected: Value, actual: Value, within: float | None = None) -> bool:
    """Whether two described values are the same by the rules above."""
    pending = [(expected, actual)]
    while pending:
        left, right = pending.pop()
        if left.kind is not right.kind or left.kind in _NEVER_SAME:
            return False
        if left.kind in NAMED_CONTAINERS:
            if left.text != right.text:
                return False
        elif not left.is_container:
            if not _same_scalar(left, right, within):
                return False
            continue
        if len(left.items) != len(right.items):
            return False
        pending.extend(zip(_in_order(left), _in_order(right), strict=True))
    return True


def _same_scalar(left: Value, right: Value, within: float | None) -> bool:
    if left.text == right.text:
        return True
    if left.kind not in _NUMBERS:
        return False
    number = float if left.kind is ValueKind.FLOAT else complex
    try:
        one, other = number(left.text), number(right.text)
    except ValueError:
        return False
    return one == other or (within is not None and abs(one - other) <= within)


def same_shown(expected: str, actual: str, within: float | None = None) -> bool:
    """Whether two texts of values are the same, but for floats that are near enough."""
    if expected == actual or within is None:
        return expected == actual
    pairs = zip(_FLOAT.findall(expected), _FLOAT.findall(actual), strict=False)
    near = (abs(float(number) - float(other)) <= within for number, other in pairs)
    return _FLOAT.split(expected) == _FLOAT.split(actual) and all(near)


def with_tolerated(expected: Value, actual: Value, within: float | None) -> Value:
    """`actual` with the expected number in place of each one that is as near as `within` allows, so
    that what differs still is what is wrong. No deeper than `expected`, which is not hostile."""
    if within is None or expected.kind is not actual.kind or expected.kind in _UNORDERED:
        return actual
    if expected.kind in _NUMBERS:
        return expected if _same_scalar(expected, actual, within) else actual
    places: dict[int, Value] = dict(enumerate(expected.items))
    if expected.kind in KEYED:
        names = map(Value.source, expected.items[::2])
        values = dict(zip(names, expected.items[1::2], strict=False))
        keys = enumerate(actual.items[::2])
        places = {2 * at + 1: values[name] for at, key in keys if (name := key.source()) in values}
    parts = enumerate(actual.items)
    items = (
        with_tolerated(places[at], part, within) if at in places else part for at, part in parts
    )
    return Value(actual.kind, actual.text, tuple(items))


def _in_order(value: Value) -> tuple[Value, ...]:
    if value.kind in _UNORDERED:
        return tuple(sorted(value.items, key=Value.source))
    if value.kind is ValueKind.DICT:
        pairs = zip(value.items[::2], value.items[1::2], strict=False)
        ordered = sorted(pairs, key=lambda pair: pair[0].source())
        return tuple(part for pair in ordered for part in pair)
    return value.items


def normalised(text: str, ignore: Collection[Ignore]) -> str:
    """`text` without what `ignore` forgives, to be compared and not to be shown."""
    if Ignore.TRAILING_SPACE in ignore:
        text = "\n".join(line.rstrip(" \t\r") for line in text.split("\n"))
    if Ignore.BLANK_LINES in ignore:
        *lines, rest = text.split("\n")
        text = "".join(f"{line}\n" for line in lines if line.strip()) + rest
    if Ignore.CASE in ignore:
        text = text.casefold()
    return text


def source(value: Value, *, at: int = 0, limit: int = SOURCE_LIMIT, whole: bool = False) -> str:
    """A value as Python source, made visible, shortened around character `at`; more of it
    if `whole`."""
    limit = WHOLE_LIMIT if whole else limit
    return visible(shortened(value.source(at + 2 * limit), limit, at))


def type_with_article(name: str) -> str:
    """A type's name with its article: "an int", "a list"."""
    article = "an" if name[:1].lower() in "aeiou" else "a"
    return f"{article} {plain(name, limit=40)}"
