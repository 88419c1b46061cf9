"""Decides whether two values or texts are equal, and formats values for sentences.

Types matter: a bool is not an int, an int is not a float, a list is not a tuple. `nan` equals
`nan`; otherwise a reference that returns it could never be matched. `0.0` equals `-0.0`, as in
Python. Dicts and sets are unordered. Objects are equal if their type names and attributes are.
`TOO_LARGE` and unreadable attributes equal nothing. `floats` states how much floats may differ.
"""

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from harness.common.escaping import plain, shortened, visible
from harness.matchers.numbers import contains_near, line_difference, without_floats
from harness.model.expectation import Floats, Ignore, TextRules
from harness.model.values import KEYED, NAMED_CONTAINERS, Value, ValueKind

SOURCE_LIMIT = 90  # characters
WHOLE_LIMIT = 2000  # characters of a value that is not part of a sentence
_MAX_COMPARED = 1_000_000  # characters, looking for lines that are the same but for their floats
_BLANKS = re.compile(r"[^\S\n]+")
# A punctuation mark, but not one before a digit, which may belong to a number or time.
# By their numbers: an ellipsis, dashes, quotation marks of several languages.
_MARK = re.compile(
    r"[!?;()\[\]{}\"'\u2026\u2013\u2014\u2018-\u201f\u00ab\u00bb\u00bf\u00a1]"
    r"|[.,:](?![0-9])|-(?!\.?[0-9])"
)
_UNORDERED = frozenset({ValueKind.SET, ValueKind.FROZENSET})
_NUMBERS = frozenset({ValueKind.FLOAT, ValueKind.COMPLEX})
_READ_NUMBER: dict[ValueKind, Callable[[str], complex]] = {
    ValueKind.INT: int,
    ValueKind.FLOAT: float,
    ValueKind.COMPLEX: complex,
}
_NEVER_SAME = frozenset({ValueKind.TOO_LARGE, ValueKind.UNREADABLE})


def same(expected: Value, actual: Value, floats: Floats | None = None) -> bool:
    """Return whether two values are equal by the rules above."""
    pending = [(expected, actual)]
    while pending:
        left, right = pending.pop()
        if left.kind is not right.kind or left.kind in _NEVER_SAME:
            return False
        if left.kind in NAMED_CONTAINERS:
            if left.text != right.text:
                return False
        elif not left.is_container:
            if not _same_scalar(left, right, floats):
                return False
            continue
        if len(left.items) != len(right.items):
            return False
        pending.extend(zip(_in_order(left), _in_order(right), strict=True))
    return True


def _same_scalar(left: Value, right: Value, floats: Floats | None) -> bool:
    if left.text == right.text:
        return True
    if left.kind is ValueKind.STR and floats is not None and floats.in_text:
        return same_text(left.text, right.text, TextRules(within=floats.within))
    if left.kind not in _NUMBERS:
        return False
    return same_number(left, right, floats)


def number_of(value: Value) -> complex | None:
    """Return the number in an int, float or complex value.

    Return None for other values, and for an int with more digits than Python converts.
    """
    read = _READ_NUMBER.get(value.kind)
    if read is None:
        return None
    try:
        return read(value.text)
    except (ValueError, OverflowError):
        return None


def same_number(expected: Value, actual: Value, floats: Floats | None) -> bool:
    """Return whether two numbers, possibly of different types, are equal within the tolerance."""
    number, other = number_of(expected), number_of(actual)
    if number is None or other is None:
        return False
    if number == other:
        return True
    return floats is not None and is_near(number, other, floats.within)


def same_in_any_order(
    expected: Sequence[Value], actual: Sequence[Value], is_same: Callable[[Value, Value], bool]
) -> bool:
    """Return whether both sides contain the same items equally often, in any order."""
    if len(expected) != len(actual):
        return False
    missing = list(expected)
    for item in actual:
        for index, candidate in enumerate(missing):
            if is_same(candidate, item):
                del missing[index]
                break
        else:
            return False
    return True


def is_near(number: complex, other: complex, within: float) -> bool:
    """Return whether two numbers differ by at most `within`.

    `nan` is near nothing, and an infinite distance is never near.
    """
    try:
        return abs(number - other) <= within
    except OverflowError:  # overflow with complex numbers, or with an int and a float
        return False


def same_shown(expected: str, actual: str, floats: Floats | None = None) -> bool:
    """Return whether two displayed values are equal, except for floats within the tolerance."""
    if expected == actual or floats is None:
        return expected == actual
    return same_text(expected, actual, TextRules(within=floats.within))


def with_tolerated(expected: Value, actual: Value, floats: Floats | None) -> Value:
    """Return `actual` with each number within the tolerance replaced by the expected one, so that
    only real differences remain.

    It goes no deeper than `expected`, so a hostile `actual` cannot make it run forever.
    """
    if floats is None or expected.kind is not actual.kind or expected.kind in _UNORDERED:
        return actual
    if expected.kind in _NUMBERS or expected.kind is ValueKind.STR:
        if _same_scalar(expected, actual, floats):
            return expected
        return actual
    opposite = _opposite_parts(expected, actual)
    items: list[Value] = []
    for index, part in enumerate(actual.items):
        if index in opposite:
            items.append(with_tolerated(opposite[index], part, floats))
        else:
            items.append(part)
    return Value(actual.kind, actual.text, tuple(items))


def _opposite_parts(expected: Value, actual: Value) -> dict[int, Value]:
    """Return the expected part for each part of the actual value, keyed by its index: the one with
    the same dictionary key, or at the same position.
    """
    if expected.kind not in KEYED:
        return dict(enumerate(expected.items))
    keys = map(Value.source, expected.items[::2])
    values = dict(zip(keys, expected.items[1::2], strict=False))
    opposite: dict[int, Value] = {}
    for index, key in enumerate(actual.items[::2]):
        source_of_key = key.source()
        if source_of_key in values:
            opposite[2 * index + 1] = values[source_of_key]
    return opposite


def _in_order(value: Value) -> tuple[Value, ...]:
    if value.kind in _UNORDERED:
        return tuple(sorted(value.items, key=Value.source))
    if value.kind is ValueKind.DICT:
        pairs = zip(value.items[::2], value.items[1::2], strict=False)
        ordered = sorted(pairs, key=lambda pair: pair[0].source())
        return tuple(chain.from_iterable(ordered))
    return value.items


def normalised(text: str, rules: TextRules) -> str:
    """Return `text` without the differences that `rules` ignore.

    Use the result only for comparing.
    """
    ignore = rules.ignore
    if Ignore.PUNCTUATION in ignore:
        text = _MARK.sub("", text)
    if Ignore.WHITESPACE in ignore:
        lines = [_BLANKS.sub(" ", line).strip(" ") for line in text.split("\n")]
        text = "\n".join(lines).strip("\n")
    if Ignore.TRAILING_SPACE in ignore:
        text = "\n".join(line.rstrip(" \t\r") for line in text.split("\n"))
    if Ignore.BLANK_LINES in ignore:
        *lines, rest = text.split("\n")
        with_text = [line for line in lines if line.strip()]
        text = "\n".join([*with_text, rest])
    if Ignore.CASE in ignore:
        text = text.casefold()
    return text


def without(rules: TextRules, forgiven: Ignore) -> TextRules:
    """Return the rules without the option `forgiven`; unchanged if they do not have it."""
    others = tuple(each for each in rules.ignore if each is not forgiven)
    return replace(rules, ignore=others)


def same_text(expected: str, actual: str, rules: TextRules) -> bool:
    """Return whether two texts are equal, except for differences that `rules` ignore."""
    expected, actual = normalised(expected, rules), normalised(actual, rules)
    if expected == actual or rules.within is None:
        return expected == actual
    lines, others = expected.split("\n"), actual.split("\n")
    if len(lines) != len(others):
        return False
    return all(same_line(*pair, rules) for pair in zip(lines, others, strict=True))


def same_line(expected: str, actual: str, rules: TextRules) -> bool:
    """Return the same as `same_text`, for lines that are already `normalised`."""
    if expected == actual or rules.within is None:
        return expected == actual
    return line_difference(expected, actual, rules.within) is None


def contains_text(part: str, text: str, rules: TextRules) -> bool:
    """Return whether the text contains the part, except for differences that `rules` ignore.

    A part that is only punctuation must occur exactly.
    """
    if not normalised(part, rules):
        rules = without(rules, Ignore.PUNCTUATION)
    part, text = normalised(part, rules), normalised(text, rules)
    if rules.within is None:
        return part in text
    return contains_near(part, text, rules.within)


def shown_lines(text: str, rules: TextRules) -> list[str]:
    """Return a text's lines unchanged, without the lines that `rules` ignore."""
    lines = text.split("\n")
    if Ignore.BLANK_LINES in rules.ignore:
        last = lines.pop()
        with_text = [line for line in lines if line.strip()]
        return [*with_text, last]
    if Ignore.WHITESPACE in rules.ignore:
        if not text.strip():
            return [""]
        while len(lines) > 1 and not lines[-1].strip():
            del lines[-1]
        first = 0
        while first < len(lines) - 1 and not lines[first].strip():
            first += 1
        return [*lines[first:], ""]
    return lines


def difference_of(expected: str, actual: str, rules: TextRules) -> tuple[int, int]:
    """Return the indexes, one for each line, at which two lines first differ in a way that `rules`
    do not ignore.
    """
    left, right = _kept_text(expected, rules), _kept_text(actual, rules)
    found = None
    if rules.within is not None:
        found = line_difference(left, right, rules.within)
    if found is None:
        shared = shared_length(left, right)
        found = shared, shared
    at, other_at = found
    return _place(expected, rules, at), _place(actual, rules, other_at)


def shared_length(left: str, right: str) -> int:
    """Return the length of the longest common beginning of two texts."""
    for index, (character, other) in enumerate(zip(left, right, strict=False)):
        if character != other:
            return index
    return min(len(left), len(right))


def _kept_text(line: str, rules: TextRules) -> str:
    """Return the part of a line that is compared."""
    if not rules.ignore:
        return line
    return "".join(character for character, _ in _kept(line, rules))


def _place(line: str, rules: TextRules, at: int) -> int:
    """Return the position in the original line of the compared character with index `at`."""
    if not rules.ignore:
        return at
    places = (place for _, place in _kept(line, rules))
    return next(islice(places, at, None), len(line))


def _places_without_marks(line: str) -> Iterator[int]:
    start = 0
    for mark in _MARK.finditer(line):
        yield from range(start, mark.start())
        start = mark.end()
    yield from range(start, len(line))


def _kept(line: str, rules: TextRules) -> Iterator[tuple[str, int]]:
    """Yield each compared character of a line with its position, as `normalised` would keep it.

    It is a generator because a line may be a megabyte long.
    """
    places: Sequence[int] = range(len(line))
    if Ignore.PUNCTUATION in rules.ignore:
        places = array("L", _places_without_marks(line))
        line = _MARK.sub("", line)
    start, kept = 0, line
    if Ignore.WHITESPACE in rules.ignore:
        kept = line.strip()
        start = len(line) - len(line.lstrip())
    elif Ignore.TRAILING_SPACE in rules.ignore:
        kept = line.rstrip(" \t\r")
    was_blank = False
    for place, character in zip(places[start:], kept, strict=False):
        compared = character
        if Ignore.WHITESPACE in rules.ignore and character.isspace():
            if was_blank:
                continue
            compared = " "
        was_blank = compared == " "
        if Ignore.CASE in rules.ignore:
            compared = compared.casefold()
        for part in compared:
            yield part, place


def with_equal_lines(expected: list[str], actual: list[str], rules: TextRules) -> list[str]:
    """Return the actual lines, with each line that equals an expected one within the float
    tolerance replaced by it.

    Both sides must be `normalised`. Only real differences remain, unless the texts are very large:
    then each line is compared only with the one at the same position.
    """
    if rules.within is None:
        return actual
    by_text: dict[str, list[str]] = {}
    for line in dict.fromkeys(expected):
        by_text.setdefault(without_floats(line), []).append(line)
    left = _MAX_COMPARED
    lines = list(actual)
    for at, line in enumerate(actual):
        candidates = expected[at : at + 1]
        if left > 0:
            candidates += by_text.get(without_floats(line), ())
        for candidate in candidates:
            left -= len(candidate) + len(line)
            if same_line(candidate, line, rules):
                lines[at] = candidate
                break
            if left <= 0:
                break
    return lines


def source(value: Value, *, at: int = 0, limit: int = SOURCE_LIMIT, whole: bool = False) -> str:
    """Return a value as Python source for display, shortened to the part around character `at`;
    longer with `whole`.
    """
    if whole:
        limit = WHOLE_LIMIT
    return visible(shortened(value.source(at + 2 * limit), limit, at))


def type_with_article(name: str) -> str:
    """Return a type name with its article: "an int", "a list"."""
    shown = plain(name, limit=40)
    if name[:1].lower() in "aeiou":
        return f"an {shown}"
    return f"a {shown}"
