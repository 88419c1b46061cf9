"""The rules that fire when no other does: they say what differs, and not why."""

from __future__ import annotations

from harness.common.escaping import quoted
from harness.judging.compare.mismatches import ExitMismatch, ValueMismatch
from harness.judging.compare.values import FirstDifference, first_difference
from harness.judging.explain.failure import Failure
from harness.judging.explain.rule import Stage, rule
from harness.judging.explain.wording import count
from harness.matchers import SOURCE_LIMIT, Exactly, Matches, source
from harness.model.values import Value, ValueKind


@rule(Stage.DIFFERENCE, 10)
def wrong_value(failure: Failure) -> str | None:
    """Another value is returned."""
    mismatch = failure.returns
    if mismatch is None:
        return None
    if mismatch.actual is None:
        return failure.says("gave no value, although one is expected")
    if failure.texts is not None and not failure.texts.printed and "\n" in failure.texts.expected:
        return None  # the rules about lines say more
    pair, place = failure.exact_return, failure.first_difference
    if pair is None or place is None:
        wanted = mismatch.expected.in_words() if mismatch.expected else "no value"
        return failure.says(f"returned {source(mismatch.actual)}, expected {wanted}")
    if not place.path:
        got, expected = _around(pair[1], pair[0])
        return failure.says(f"returned {got} instead of {expected}")
    return failure.says(f"returned a different {pair[0].type_name}: {_item(pair, place)}")


@rule(Stage.DIFFERENCE, 20)
def wrong_value_afterwards(failure: Failure) -> str | None:
    """A parameter or a variable has another value afterwards."""
    mismatch = failure.leaves
    if mismatch is None:
        return None
    name = mismatch.name
    if mismatch.actual is None:
        return failure.says("does not exist afterwards", who=f"the variable {name}")
    if not isinstance(mismatch.expected, Exactly):
        wanted = mismatch.expected.in_words() if mismatch.expected else "no value"
        return failure.says(f"is {source(mismatch.actual)} afterwards, expected {wanted}", who=name)
    pair = mismatch.expected.value, mismatch.actual
    place = first_difference(*pair)
    if not place.path:
        got, expected = _around(pair[1], pair[0])
        return failure.says(f"is {got} afterwards, it should be {expected}", who=name)
    return failure.says(f"is not as expected afterwards: {_item(pair, place)}", who=name)


def _item(pair: tuple[Value, Value], place: FirstDifference) -> str:
    if place.holder is not None:
        noun = "attribute" if place.holder is ValueKind.OBJECT else "item"
        missing = "is missing" if place.actual is None else "should not be there"
        return f"{noun} {place.path} {missing}"
    if place.expected is None or place.actual is None:
        lengths = [count(len(value.items), "item") for value in pair]
        if place.path.count("[") == 1:
            return f"it has {lengths[1]} instead of {lengths[0]}"
        outer = place.path[: place.path.rindex("[")]
        return f"item {outer} has {'too few' if place.actual is None else 'too many'} items"
    got, wanted = _around(place.actual, place.expected)
    return f"item {place.path} is {got}, it should be {wanted}"


def _around(actual: Value, expected: Value) -> tuple[str, str]:
    """Both values' source, shortened around the first character that differs."""
    at = 0
    if actual.kind is expected.kind is ValueKind.STR:
        limit = max(len(actual.text), len(expected.text))
        at = 1 + next(
            (
                i
                for i, (left, right) in enumerate(zip(actual.text, expected.text, strict=False))
                if left != right
            ),
            min(len(actual.text), len(expected.text)) if limit > SOURCE_LIMIT else 0,
        )
    return source(actual, at=at, limit=60), source(expected, at=at, limit=60)


@rule(Stage.DIFFERENCE, 100)
def text_not_matched(failure: Failure) -> str | None:
    """Printed text that is not what a matcher asks for."""
    text = failure.text
    if text is None:
        return None
    wanted = text.expected.in_words()
    if isinstance(text.expected, Matches) and text.expected.words:
        # What is printed in its place is shown whole elsewhere, and its beginning tells little.
        return failure.says(f"does not print {wanted}", place=failure.place(text.turn))
    shown = quoted(text.actual) if text.actual else "nothing"
    return failure.says(f"prints {shown}, expected {wanted}", place=failure.place(text.turn))


@rule(Stage.DIFFERENCE, 110)
def wrong_exit_status(failure: Failure) -> str | None:
    """The program ends with another exit status."""
    for mismatch in failure.mismatches:
        if isinstance(mismatch, ExitMismatch):
            actual = "no exit status" if mismatch.actual is None else f"status {mismatch.actual}"
            return failure.says(f"ended with {actual} instead of {mismatch.expected}")
    return None


@rule(Stage.LAST, 10)
def differs(failure: Failure) -> str | None:
    """The last resort."""
    kinds = {type(mismatch) for mismatch in failure.mismatches}
    what = "returned" if ValueMismatch in kinds else "did"
    return f"What it {what} is not what is expected."
