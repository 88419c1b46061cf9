"""Rules about what a function returns in place of what it should."""

from __future__ import annotations

from dataclasses import replace

from harness.common.escaping import plain
from harness.judging.explain.failure import Failure
from harness.judging.explain.rule import Stage, a_type, rule
from harness.judging.mismatches import first_difference
from harness.matchers import GENERATOR, Exactly, OfType, Yields, source
from harness.model.values import Value, ValueKind

_SEQUENCES = frozenset({ValueKind.LIST, ValueKind.TUPLE})
_TABLE = frozenset({ValueKind.DICT})
_ITEMS = _SEQUENCES | {ValueKind.SET}
# Types of the standard library, and of what they can be made by one call.
_MADE_FROM = {
    **dict.fromkeys(("Counter", "OrderedDict", "defaultdict"), _TABLE),
    **dict.fromkeys(("deque", "dict_keys", "dict_values"), _ITEMS),
    "dict_items": _ITEMS | _TABLE,
}


@rule(Stage.KNOWN_MISTAKE, 20, "prints instead of returning")
def printed_instead_of_returned(failure: Failure) -> str | None:
    """The answer is printed, and None is returned."""
    pair = failure.exact_return
    if pair is None or pair[1].kind is not ValueKind.NONE or pair[0].kind is ValueKind.NONE:
        return None
    printed = failure.actual_printed.strip("\n")
    expected = (failure.expected_printed or "").strip("\n")
    for spelling in (*_spellings(pair[0]), failure.expected_shown):
        if spelling and _has_lines(printed, spelling) and not _has_lines(expected, spelling):
            said = failure.says(f"printed {source(pair[0])} instead of returning it")
            return said if failure.step is None else f"{said} In a session both look alike."
    return None


def _spellings(value: Value) -> list[str]:
    """How `print` would show a value, its repr included."""
    spellings = [value.source()]
    if value.kind is ValueKind.STR:
        spellings.insert(0, value.text.strip("\n"))
    if value.items and all(item.kind is ValueKind.STR for item in value.items):
        spellings.append("\n".join(item.text for item in value.items))
    return [spelling for spelling in spellings if spelling.strip()]


def _has_lines(text: str, lines: str) -> bool:
    return f"\n{lines}\n" in f"\n{text}\n"


@rule(Stage.KNOWN_MISTAKE, 30, "returns instead of printing")
def returned_instead_of_printed(failure: Failure) -> str | None:
    """The text came back, and the screen stayed empty."""
    pair, expected = failure.exact_return, failure.expected_printed
    if pair is None or pair[1].kind is not ValueKind.STR or not expected:
        return None
    if failure.actual_printed.strip() or not expected.strip():
        return None
    if pair[1].text.strip("\n") == expected.strip("\n"):
        return failure.says("returned the text instead of printing it")
    return None


@rule(Stage.KNOWN_MISTAKE, 88, "returns a generator instead of a list")
def generator_instead_of_list(failure: Failure) -> str | None:
    """What should be a list comes one by one."""
    pair = failure.exact_return
    if pair is None or pair[1].kind is not ValueKind.ITERATOR or pair[0].kind is ValueKind.ITERATOR:
        return None
    made, wanted = a_type(pair[1]), a_type(pair[0])
    hint = ""
    if pair[0].kind in (ValueKind.LIST, ValueKind.TUPLE, ValueKind.SET):
        hint = f": {pair[0].kind}(…) makes {wanted} of it"
    return failure.says(f"returned {made} instead of {wanted}{hint}")


@rule(Stage.KNOWN_MISTAKE, 89, "returns another iterator instead of a generator")
def iterator_instead_of_generator(failure: Failure) -> str | None:
    """The right values come one by one, and not from a generator."""
    mismatch = failure.returns
    if mismatch is None or mismatch.actual is None:
        return None
    expected, made = mismatch.expected, mismatch.actual
    if isinstance(expected, Yields):
        is_right = expected.accepts_of_any_iterator(made)
    elif isinstance(expected, Exactly) and made.kind is ValueKind.ITERATOR:
        is_right = expected.accepts(replace(made, text=GENERATOR))
    else:
        return None
    if not is_right:
        return None
    return failure.says(f"returned {a_type(made)} object instead of a generator: write yield")


@rule(Stage.KNOWN_MISTAKE, 90, "returns None")
def returned_none(failure: Failure) -> str | None:
    """None came back: a `return` is missing."""
    pair = failure.exact_return
    if pair is not None:
        if pair[1].kind is not ValueKind.NONE or pair[0].kind is ValueKind.NONE:
            return None
        # Where a text or a number is expected, None may be an answer of its own (no winner).
        is_plain = pair[0].kind is not ValueKind.BOOL and not pair[0].is_container
        hint = "" if is_plain else ": is a return missing?"
        return failure.says(f"returned None instead of {source(pair[0])}{hint}")
    mismatch = failure.returns
    if mismatch is None or mismatch.expected is None or mismatch.actual is None:
        return None
    if mismatch.actual.kind is not ValueKind.NONE:
        return None
    wanted = mismatch.expected.in_words()
    return failure.says(f"returned None instead of {wanted}: is a return missing?")


@rule(Stage.KNOWN_MISTAKE, 10, "makes a value that is too large")
def too_large(failure: Failure) -> str | None:
    """A value that is beyond comparing."""
    returned = failure.first_difference.actual if failure.first_difference else None
    candidates = ((returned, "returned a value"), (_left_behind(failure), "leaves a value"))
    for value, what in candidates:
        if value is not None and value.kind is ValueKind.TOO_LARGE:
            return failure.says(
                f"{what} that is too large to compare ({plain(value.text, limit=60)})"
            )
    return None


def _left_behind(failure: Failure) -> Value | None:
    mismatch = failure.leaves
    if mismatch is None or mismatch.actual is None or not isinstance(mismatch.expected, Exactly):
        return mismatch.actual if mismatch else None
    return first_difference(*mismatch.expected.pair(mismatch.actual)).actual


@rule(Stage.KNOWN_MISTAKE, 40, "returns a function without calling it")
def returned_a_function(failure: Failure) -> str | None:
    """A function came back, not what it would return."""
    mismatch = failure.returns
    if mismatch is None or mismatch.actual is None:
        return None
    if mismatch.actual.kind is not ValueKind.FUNCTION:
        return None
    name = plain(mismatch.actual.text, limit=40)
    return failure.says(f"returned the function {name} itself: are its parentheses missing?")


@rule(Stage.KNOWN_MISTAKE, 100, "returns a value of another type")
def wrong_type(failure: Failure) -> str | None:
    """The right value of the wrong type, or something of another type altogether."""
    place = failure.first_difference
    if place is None:
        return _not_of_type(failure)
    expected, actual = place.expected, place.actual
    if expected is None or actual is None or expected.kind is actual.kind:
        return None
    if ValueKind.NONE in (expected.kind, actual.kind):
        return None
    got, wanted = source(actual, limit=60), source(expected, limit=60)
    if actual.kind is ValueKind.UNREADABLE:
        name = plain(actual.text, limit=60)
        clause = f"raises {name} when it is read, it should be {wanted}"
        return failure.says(clause, who=f"{place.named} of the result")
    what = a_type(actual)
    if actual.content is not None:
        what += f", derived from {actual.content.type_name}"
    if actual.type_name == expected.type_name:  # and yet of another kind
        what = f"an object of the program's own class {expected.type_name}"
    clause = (
        f"{got} ({what}) instead of {wanted} ({a_type(expected)}){_conversion(expected, actual)}"
    )
    if place.path:
        return failure.says(f"is {clause}", who=f"{place.named} of the result")
    return failure.says(f"returned {clause}")


def _conversion(expected: Value, actual: Value) -> str:
    """How to make the expected type of what came, where one call does."""
    made = expected.kind
    if actual.content is None:
        if made not in _MADE_FROM.get(actual.type_name, ()) or actual.kind is not ValueKind.FOREIGN:
            return ""
    elif actual.content.kind is not made and not {actual.content.kind, made} <= _SEQUENCES:
        return ""
    elif [part.text for part in actual.items[::2]] == ["", "name", "value"]:  # of an Enum
        return f": its attribute value is {a_type(expected)}"
    return f": {made}(…) makes {a_type(expected)} of it"


def _not_of_type(failure: Failure) -> str | None:
    mismatch = failure.returns
    if mismatch is None or mismatch.actual is None or not isinstance(mismatch.expected, OfType):
        return None
    got = f"{source(mismatch.actual, limit=60)} ({a_type(mismatch.actual)})"
    return failure.says(f"returned {got} instead of {mismatch.expected.in_words()}")
