"""The rules that fire when no other does: they say what differs, and not why."""

from __future__ import annotations

from harness.judging.case import Case
from harness.judging.matching import in_words
from harness.judging.mismatches import ExitMismatch, ValueMismatch
from harness.judging.sameness import Parting, parting
from harness.judging.visible import SOURCE_LIMIT, count, quoted, source
from harness.model.expectation import Exactly, Matches
from harness.model.values import Value, ValueKind


def wrong_value(case: Case) -> str | None:
    """Another value is returned."""
    mismatch = case.returns
    if mismatch is None:
        return None
    if mismatch.actual is None:
        return case.says("gave no value where there should be one")
    if case.texts is not None and not case.texts.printed and "\n" in case.texts.expected:
        return None  # the rules about lines say more
    pair, place = case.exact_return, case.parting
    if pair is None or place is None:
        wanted = in_words(mismatch.expected) if mismatch.expected else "no value"
        return case.says(f"returned {source(mismatch.actual)}, expected {wanted}")
    if not place.path:
        got, expected = _around(pair[1], pair[0])
        return case.says(f"returned {got} instead of {expected}")
    return case.says(f"returned another {pair[0].type_name} than expected: {_item(pair, place)}")


def wrong_value_afterwards(case: Case) -> str | None:
    """A parameter or a variable has another value afterwards."""
    mismatch = case.leaves
    if mismatch is None:
        return None
    name = mismatch.name
    if mismatch.actual is None:
        return case.says("does not exist afterwards", who=f"the variable {name}")
    if not isinstance(mismatch.expected, Exactly):
        wanted = in_words(mismatch.expected) if mismatch.expected else "no value"
        return case.says(f"is {source(mismatch.actual)} afterwards, expected {wanted}", who=name)
    pair = mismatch.expected.value, mismatch.actual
    place = parting(*pair)
    if not place.path:
        got, expected = _around(pair[1], pair[0])
        return case.says(f"is {got} afterwards, it should be {expected}", who=name)
    return case.says(f"is not as expected afterwards: {_item(pair, place)}", who=name)


def _item(pair: tuple[Value, Value], place: Parting) -> str:
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


def text_not_matched(case: Case) -> str | None:
    """Printed text that is not what a matcher asks for."""
    text = case.text
    if text is None:
        return None
    wanted = in_words(text.expected)
    named = isinstance(text.expected, Matches) and text.expected.words
    if named and text.turn is None and case.stimulus.inputs:
        # Of many turns the beginning tells nothing.
        return case.says(f"prints no such thing as {wanted}")
    shown = quoted(text.actual) if text.actual else "nothing"
    return case.says(f"prints {shown}, expected {wanted}", place=case.place(text.turn))


def wrong_exit_status(case: Case) -> str | None:
    """The program ends with another exit status."""
    for mismatch in case.mismatches:
        if isinstance(mismatch, ExitMismatch):
            actual = "no exit status" if mismatch.actual is None else f"status {mismatch.actual}"
            return case.says(f"ended with {actual} instead of {mismatch.expected}")
    return None


def differs(case: Case) -> str | None:
    """The last resort."""
    kinds = {type(mismatch) for mismatch in case.mismatches}
    what = "returned" if ValueMismatch in kinds else "did"
    return f"What it {what} is not what is expected."
