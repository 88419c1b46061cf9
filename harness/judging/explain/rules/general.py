"""The rules that fire when no other does: they say what differs, and not why."""

from harness.common.escaping import quoted
from harness.common.words import counted
from harness.judging.boards import holds_board, is_board
from harness.judging.compare.mismatch import ExitMismatch, TextMismatch, ValueMismatch
from harness.judging.compare.value import FirstDifference, first_difference, first_differing
from harness.judging.comparison import shared_start
from harness.judging.explain.failure import Failure, shown_name
from harness.judging.explain.rules import LEAVES, RETURNS, TEXT, Stage, rule, rule_about
from harness.matchers.comparison import SOURCE_LIMIT, same, source
from harness.matchers.kinds.combinations import ALine, AllOf, LastLine, last_line_of, lines_of
from harness.matchers.kinds.contains import Contains
from harness.matchers.kinds.texts import Matches
from harness.model.expectation import TextRules
from harness.model.values import SEQUENCES, Value, ValueKind

_LINES_NAMED = 3
_LINES_SEARCHED = 100


@rule_about(Stage.DIFFERENCE, 10, "returns another value", RETURNS)
def wrong_value(failure: Failure, mismatch: ValueMismatch) -> str | None:
    if mismatch.actual is None:
        return failure.says("gave no value, although one is expected")
    if failure.texts is not None and not failure.texts.printed and len(failure.texts.expected) > 1:
        return None  # the rules about lines say more
    pair, place = failure.exact_return, failure.first_difference
    name = shown_name(failure.step_source)
    at = None if name is None or failure.step is None else f"in step {failure.step + 1}"
    does = "returned" if name is None else "is then"
    if pair is None or place is None:
        clause = f"{does} {source(mismatch.actual)}, expected {mismatch.words}"
    elif not place.path:
        got, expected = _around(pair[1], pair[0])
        clause = f"{does} {got} instead of {expected}"
    elif _in_another_order(*pair):
        at_item = first_differing(pair[0].items, pair[1].items)
        wanted, got = (source(value.items[at_item], limit=60) for value in pair)
        moved = f"item [{at_item}] is {got}, it should be {wanted}"
        has = "returned" if name is None else "then has"
        clause = f"{has} the right items in another order: {moved}"
    else:
        clause = f"{does} a different {pair[0].type_name}: {_item(pair, place)}"
    return failure.says(clause, place=at, who=name)


@rule_about(Stage.DIFFERENCE, 20, "leaves another value behind", LEAVES)
def wrong_value_afterwards(failure: Failure, mismatch: ValueMismatch) -> str:
    name, pair = mismatch.name, mismatch.pair
    if mismatch.actual is None:
        return failure.says("does not exist afterwards", who=f"the variable {name}")
    if pair is None:
        clause = f"is {source(mismatch.actual)} afterwards, expected {mismatch.words}"
        return failure.says(clause, who=name)
    place = first_difference(*pair)
    if not place.path:
        got, expected = _around(pair[1], pair[0])
        return failure.says(f"is {got} afterwards, it should be {expected}", who=name)
    return failure.says(f"is not as expected afterwards: {_item(pair, place)}", who=name)


_MOST_ITEMS = 1000  # looked at


def _in_another_order(expected: Value, actual: Value) -> bool:
    """Return whether two sequences have the same items, and not all in their places."""
    sides, kinds = (expected.items, actual.items), {item.kind for item in expected.items}
    if expected.kind is not actual.kind or expected.kind not in SEQUENCES:
        return False
    # On a board, a row elsewhere is another fault than a wrong order.
    widths = {len(item.text) for item in expected.items}
    has_texts = kinds == {ValueKind.STR} and len(widths) == 1 and widths != {1}
    has_rows = has_texts or kinds == {ValueKind.LIST}
    if has_rows or not 1 < len(sides[0]) == len(sides[1]) <= _MOST_ITEMS:
        return False
    left, right = (sorted(item.source(200) for item in items) for items in sides)
    return left == right and not same(expected, actual)


def _wrong_items(expected: Value, actual: Value, depth: int = 4) -> int:
    """Return how many items differ, counting those of inner sequences of one length one by one."""
    if same(expected, actual):
        return 0
    alike = expected.kind is actual.kind and expected.kind in SEQUENCES
    if not alike or len(expected.items) != len(actual.items) or not depth:
        return 1
    sides = zip(expected.items[:_MOST_ITEMS], actual.items, strict=False)
    return sum(_wrong_items(*items, depth - 1) for items in sides)


def _shape(value: Value) -> tuple[int, int] | None:
    """Return the number of rows, and of items in each, of a list of equally long lists."""
    widths: set[int] = set()
    for row in value.items:
        if row.kind not in SEQUENCES:
            return None
        widths.add(len(row.items))
    return (len(value.items), widths.pop()) if len(widths) == 1 else None


def _item(pair: tuple[Value, Value], place: FirstDifference) -> str:
    if place.holder is not None:
        noun = "attribute" if place.holder is ValueKind.OBJECT else "item"
        missing = "is missing" if place.actual is None else "should not be there"
        return f"{noun} {place.path} {missing}"
    shape, own = _shape(pair[0]), _shape(pair[1])
    if shape and own and all(a != b for a, b in zip(shape, own, strict=True)):
        wanted, got = (f"{counted(n, 'row')} of {counted(m, 'item')}" for n, m in (shape, own))
        return f"it has {got} instead of {wanted}"
    if place.expected is None or place.actual is None:
        lengths = [counted(len(value.items), "item") for value in pair]
        if place.path.count("[") == 1:
            return f"it has {lengths[1]} instead of {lengths[0]}"
        outer = place.path[: place.path.rindex("[")]
        return f"item {outer} has {'too few' if place.actual is None else 'too many'} items"
    got, wanted = _around(place.actual, place.expected)
    others = _wrong_items(*pair) - 1
    more = f", and {counted(others, 'more item')} {'is' if others == 1 else 'are'} wrong"
    return f"{place.named} is {got}, it should be {wanted}{more if others > 0 else ''}"


def _around(actual: Value, expected: Value) -> tuple[str, str]:
    """Both values' source, shortened around the first character that differs."""
    at = 0
    if actual.kind is expected.kind is ValueKind.STR:
        at = shared_start(actual.text, expected.text)
        lengths = len(actual.text), len(expected.text)
        at = 0 if at == min(lengths) and max(lengths) <= SOURCE_LIMIT else at
        at += 1
    return source(actual, at=at, limit=60), source(expected, at=at, limit=60)


@rule_about(Stage.DIFFERENCE, 100, "does not print what is asked for", TEXT)
def text_not_matched(failure: Failure, text: TextMismatch) -> str:
    if isinstance(text.expected, Contains):
        lines = text.expected.text.strip("\n").split("\n")
        if len(lines) > 1:
            return _lines_not_there(failure, text, lines)
    if isinstance(text.expected, ALine) and text.actual.strip():
        return _no_such_line(failure, text, text.expected)
    wanted = text.expected.in_words()
    if isinstance(text.expected, Matches) and text.expected.words:
        # The text printed in its place is shown whole elsewhere, and its beginning tells little.
        return failure.says(f"does not print {wanted}", place=failure.place(text.turn))
    shown = quoted(text.actual) if text.actual else "nothing"
    if isinstance(text.expected, LastLine) and text.actual:
        shown = f"{quoted(last_line_of(text.actual))} as its last line"
    return failure.says(f"prints {shown}, expected {wanted}", place=failure.place(text.turn))


def _no_such_line(failure: Failure, text: TextMismatch, expected: ALine) -> str:
    wanted = expected.in_words().replace("a line", "no line", 1)
    lines = [line for line in lines_of(text.actual) if line.strip()]
    shown = _nearest(lines, expected, failure.expectation.stated.rules)
    *before, last = map(quoted, shown)
    named = f"{', '.join(before)} and {last}" if before else last
    if len(shown) < len(lines):
        there = f"among its {len(lines)} lines {'are' if before else 'is'} {named}"
    else:
        there = f"its {len(lines)} lines are {named}" if before else f"its only line is {named}"
    return failure.says(f"prints {wanted}: {there}", place=failure.place(text.turn))


def _nearest(lines: list[str], expected: ALine, rules: TextRules) -> list[str]:
    """Return a few of the lines in their order: those with most of the expected parts, preferably
    the last.
    """
    inner = expected.matcher
    parts = inner.matchers if isinstance(inner, AllOf) else (inner,)
    searched = lines[-_LINES_SEARCHED:]
    has: list[int] = []
    for line in searched:
        has.append(sum(part.accepts_text(line, rules) for part in parts))
    best = sorted(range(len(searched)), key=lambda at: (has[at], at))[-_LINES_NAMED:]
    return [searched[at] for at in sorted(best)]


def _lines_not_there(failure: Failure, text: TextMismatch, lines: list[str]) -> str:
    place = failure.place(text.turn)
    those = f"the {len(lines)} lines from {quoted(lines[0])} to {quoted(lines[-1])}"
    if not is_board(lines):
        return failure.says(f"does not print {those}", place=place)
    printed = text.actual.split("\n", _MOST_ITEMS)
    clause, what = "is not shown", f"{those} are missing"
    if holds_board(printed):
        clause = "is not the one that it should be"
        absent = [line for line in lines if line not in printed]
        what = f"it has no line {quoted(absent[0])}" if absent else what
    return failure.says(f"{clause}: {what}", place=place, who="the board")


@rule(Stage.DIFFERENCE, 110, "ends with another exit status")
def wrong_exit_status(failure: Failure) -> str | None:
    for mismatch in failure.mismatches:
        if isinstance(mismatch, ExitMismatch):
            actual = "no exit status" if mismatch.actual is None else f"status {mismatch.actual}"
            return failure.says(f"ended with {actual} instead of {mismatch.expected}")
    return None


@rule(Stage.LAST, 10, "differs from what is expected")
def differs(failure: Failure) -> str | None:
    has_value = any(isinstance(mismatch, ValueMismatch) for mismatch in failure.mismatches)
    return f"What it {'returned' if has_value else 'did'} is not what is expected."
