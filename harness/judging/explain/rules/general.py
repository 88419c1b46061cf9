"""Fallback rules, which say what differs but not why. They are tried after all others."""

from collections.abc import Sequence
from operator import ne

from harness.common.escaping import quoted
from harness.common.words import counted, listed
from harness.judging.compare.mismatch import ExitMismatch, TextMismatch, ValueMismatch
from harness.judging.compare.value import FirstDifference, first_difference, first_differing
from harness.judging.explain.failure import Failure, shown_name
from harness.judging.explain.rules import LEAVES, RETURNS, TEXT, Stage, rule, rule_about
from harness.judging.side_by_side.boards import holds_board, is_board
from harness.judging.side_by_side.comparison import shared_start
from harness.matchers.comparison import SOURCE_LIMIT, same, source
from harness.matchers.kinds.combinations import ALine, AllOf, LastLine, last_line_of, lines_of
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import Matches
from harness.model.expectation import Matcher, TextRules
from harness.model.values import SEQUENCES, Value, ValueKind

_LINES_NAMED = 3
_LINES_SEARCHED = 100


@rule_about(Stage.DIFFERENCE, 10, "returns a wrong value", RETURNS)
def wrong_value(failure: Failure, mismatch: ValueMismatch) -> str | None:
    if mismatch.actual is None:
        return failure.says("gave no value, although one is expected")
    if failure.texts is not None and not failure.texts.printed and len(failure.texts.expected) > 1:
        return None  # rules in `lines.py` explain these better
    does = has = "returned"
    name = shown_name(failure.step_source)
    at: str | None = None
    if name is not None:
        does, has = "is then", "then has"
        if failure.step is not None:
            at = f"in step {failure.step + 1}"
    place = failure.first_difference
    if failure.exact_return is None or place is None:
        clause = f"{does} {source(mismatch.actual)}, expected {mismatch.words}"
        return failure.says(clause, place=at, who=name)
    expected, actual = failure.exact_return
    if not place.path:
        got, wanted = _around(actual, expected)
        clause = f"{does} {got} instead of {wanted}"
    elif _in_another_order(expected, actual):
        clause = f"{has} the right items in another order: {_first_moved(expected, actual)}"
    else:
        differs = _differing_item(expected, actual, place)
        clause = f"{does} a different {expected.type_name}: {differs}"
    return failure.says(clause, place=at, who=name)


@rule_about(Stage.DIFFERENCE, 20, "leaves a wrong value behind", LEAVES)
def wrong_value_afterwards(failure: Failure, mismatch: ValueMismatch) -> str:
    name, pair = mismatch.name, mismatch.pair
    if mismatch.actual is None:
        return failure.says("does not exist afterwards", who=f"the variable {name}")
    if pair is None:
        clause = f"is {source(mismatch.actual)} afterwards, expected {mismatch.words}"
        return failure.says(clause, who=name)
    expected, actual = pair
    place = first_difference(expected, actual)
    if not place.path:
        got, wanted = _around(actual, expected)
        return failure.says(f"is {got} afterwards, it should be {wanted}", who=name)
    differs = _differing_item(expected, actual, place)
    return failure.says(f"is not as expected afterwards: {differs}", who=name)


_MAX_ITEMS = 1000  # only this many items are compared


def _in_another_order(expected: Value, actual: Value) -> bool:
    """Return whether two sequences have the same items in a different order."""
    items, others = expected.items, actual.items
    if expected.kind is not actual.kind or expected.kind not in SEQUENCES:
        return False
    if not 1 < len(items) == len(others) <= _MAX_ITEMS or _are_rows(items):
        return False
    left = sorted(item.source(200) for item in items)
    right = sorted(item.source(200) for item in others)
    return left == right and not same(expected, actual)


def _are_rows(items: Sequence[Value]) -> bool:
    """Return whether the items could be rows of a board.

    For a board, a row in a wrong place is not just a wrong order.
    """
    kinds = {item.kind for item in items}
    if kinds == {ValueKind.LIST}:
        return True
    widths = {len(item.text) for item in items}
    return kinds == {ValueKind.STR} and len(widths) == 1 and widths != {1}


def _first_moved(expected: Value, actual: Value) -> str:
    index = first_differing(expected.items, actual.items)
    wanted = source(expected.items[index], limit=60)
    got = source(actual.items[index], limit=60)
    return f"item [{index}] is {got}, it should be {wanted}"


def _wrong_items(expected: Value, actual: Value, depth: int = 4) -> int:
    """Return how many items differ.

    Items of inner sequences of the same length are counted one by one.
    """
    if same(expected, actual):
        return 0
    are_alike = expected.kind is actual.kind and expected.kind in SEQUENCES
    if not are_alike or len(expected.items) != len(actual.items) or not depth:
        return 1
    wrong = 0
    for item, other in zip(expected.items[:_MAX_ITEMS], actual.items, strict=False):
        wrong += _wrong_items(item, other, depth - 1)
    return wrong


def _shape(value: Value) -> tuple[int, int] | None:
    """Return (rows, items in each row) for a list of equally long lists; None for other values."""
    widths: set[int] = set()
    for row in value.items:
        if row.kind not in SEQUENCES:
            return None
        widths.add(len(row.items))
    if len(widths) != 1:
        return None
    return len(value.items), widths.pop()


def _differing_item(expected: Value, actual: Value, place: FirstDifference) -> str:
    """Return a phrase about the first difference inside two values, or about their different
    lengths.
    """
    if place.holder is not None:
        return _key_in_words(place, place.holder)
    shape, actual_shape = _shape(expected), _shape(actual)
    if shape and actual_shape and all(map(ne, shape, actual_shape)):
        wanted, got = _shape_in_words(shape), _shape_in_words(actual_shape)
        return f"it has {got} instead of {wanted}"
    if place.expected is None or place.actual is None:
        return _length_in_words(expected, actual, place)
    got, wanted = _around(place.actual, place.expected)
    first = f"{place.named} is {got}, it should be {wanted}"
    others = _wrong_items(expected, actual) - 1
    if others <= 0:
        return first
    if others == 1:
        return f"{first}, and 1 more item is wrong"
    return f"{first}, and {counted(others, 'more item')} are wrong"


def _key_in_words(place: FirstDifference, holder: ValueKind) -> str:
    noun = "item"
    if holder is ValueKind.OBJECT:
        noun = "attribute"
    if place.actual is None:
        return f"{noun} {place.path} is missing"
    return f"{noun} {place.path} should not be there"


def _shape_in_words(shape: tuple[int, int]) -> str:
    rows, columns = shape
    return f"{counted(rows, 'row')} of {counted(columns, 'item')}"


def _length_in_words(expected: Value, actual: Value, place: FirstDifference) -> str:
    if place.path.count("[") == 1:
        wanted, got = counted(len(expected.items), "item"), counted(len(actual.items), "item")
        return f"it has {got} instead of {wanted}"
    outer = place.path[: place.path.rindex("[")]
    if place.actual is None:
        return f"item {outer} has too few items"
    return f"item {outer} has too many items"


def _around(actual: Value, expected: Value) -> tuple[str, str]:
    """Return the source of both values, shortened to the text around the first differing
    character.
    """
    at = 0
    if actual.kind is expected.kind is ValueKind.STR:
        lengths = len(actual.text), len(expected.text)
        at = shared_start(actual.text, expected.text)
        if at == min(lengths) and max(lengths) <= SOURCE_LIMIT:
            at = 0
        at += 1
    return source(actual, at=at, limit=60), source(expected, at=at, limit=60)


@rule_about(Stage.DIFFERENCE, 100, "does not print the expected text", TEXT)
def text_not_matched(failure: Failure, text: TextMismatch) -> str:
    if isinstance(text.expected, Contains):
        lines = text.expected.text.strip("\n").split("\n")
        if len(lines) > 1:
            return _lines_not_there(failure, text, lines)
    if isinstance(text.expected, ALine) and text.actual.strip():
        return _no_such_line(failure, text, text.expected)
    wanted = text.expected.in_words()
    if isinstance(text.expected, Matches) and text.expected.words:
        # The page shows the printed text in full below; its beginning would not help here.
        return failure.says(f"does not print {wanted}", place=failure.place(text.turn))
    shown = "nothing"
    if text.actual and isinstance(text.expected, LastLine):
        shown = f"{quoted(last_line_of(text.actual))} as its last line"
    elif text.actual:
        shown = quoted(text.actual)
    return failure.says(f"prints {shown}, expected {wanted}", place=failure.place(text.turn))


def _no_such_line(failure: Failure, text: TextMismatch, expected: ALine) -> str:
    wanted = expected.in_words().replace("a line", "no line", 1)
    lines = [line for line in lines_of(text.actual) if line.strip()]
    shown = _nearest(lines, expected, failure.expectation.stated.rules)
    named = listed([quoted(line) for line in shown])
    if len(lines) == 1:
        there = f"its only line is {named}"
    elif len(shown) == len(lines):
        there = f"its {len(lines)} lines are {named}"
    else:
        there = f"among its {len(lines)} lines are {named}"
    return failure.says(f"prints {wanted}: {there}", place=failure.place(text.turn))


def _nearest(lines: list[str], expected: ALine, rules: TextRules) -> list[str]:
    """Return the few lines that contain most of the expected parts, in their order; later lines
    are preferred.
    """
    parts: tuple[Matcher, ...] = (expected.matcher,)
    if isinstance(expected.matcher, AllOf):
        parts = expected.matcher.matchers
    searched = lines[-_LINES_SEARCHED:]
    by_quality: list[tuple[int, int]] = []  # (number of expected parts in the line, line index)
    for place, line in enumerate(searched):
        parts_found = sum(part.accepts_text(line, rules) for part in parts)
        by_quality.append((parts_found, place))
    best = sorted(by_quality)[-_LINES_NAMED:]
    return [searched[place] for place in sorted(place for _, place in best)]


def _lines_not_there(failure: Failure, text: TextMismatch, lines: list[str]) -> str:
    place = failure.place(text.turn)
    those = f"the {len(lines)} lines from {quoted(lines[0])} to {quoted(lines[-1])}"
    if not is_board(lines):
        return failure.says(f"does not print {those}", place=place)
    printed = text.actual.split("\n", _MAX_ITEMS)
    clause, what = "is not shown", f"{those} are missing"
    if holds_board(printed):
        clause = "is wrong"
        absent = [line for line in lines if line not in printed]
        if absent:
            what = f"it has no line {quoted(absent[0])}"
    return failure.says(f"{clause}: {what}", place=place, who="the board")


@rule(Stage.DIFFERENCE, 110, "ends with the wrong exit status")
def wrong_exit_status(failure: Failure) -> str | None:
    for mismatch in failure.mismatches:
        if isinstance(mismatch, ExitMismatch):
            actual = "no exit status"
            if mismatch.actual is not None:
                actual = f"status {mismatch.actual}"
            return failure.says(f"ended with {actual} instead of {mismatch.expected}")
    return None


@rule(Stage.LAST, 10, "differs from the expected result")
def differs(failure: Failure) -> str | None:
    for mismatch in failure.mismatches:
        if isinstance(mismatch, ValueMismatch):
            return "The returned value is not the expected one."
    return "The result is not the expected one."
