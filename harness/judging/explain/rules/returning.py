"""Rules about a function's result, and about arguments that it wrongly changes or leaves
unchanged.
"""

from dataclasses import replace

from harness.common.escaping import plain
from harness.common.words import counted
from harness.judging.compare.mismatch import ValueMismatch
from harness.judging.compare.value import first_difference
from harness.judging.explain.failure import ArgumentChange, Failure
from harness.judging.explain.rules import EXACT_RETURN, RETURNS, Stage, a_type, rule, rule_about
from harness.matchers.comparison import same, source
from harness.matchers.kinds.chance import ByChance
from harness.matchers.kinds.values import GENERATOR, Exactly, OfType, Yields
from harness.model.explanation.facts import ArgumentNotChanged, Guess, ReturnedNone
from harness.model.explanation.sentences import finished
from harness.model.values import NONE, SEQUENCES, Value, ValueKind

_TABLE = frozenset({ValueKind.DICT})
_ITEMS = SEQUENCES | {ValueKind.SET}
# Standard types, each with the types that one call such as `int(x)` converts to it.
_MADE_FROM = {
    **dict.fromkeys(("Counter", "OrderedDict", "defaultdict"), _TABLE),
    **dict.fromkeys(("deque", "dict_keys", "dict_values"), _ITEMS),
    "dict_items": _ITEMS | _TABLE,
}


@rule_about(Stage.KNOWN_MISTAKE, 6, "many calls together give wrong results", RETURNS)
def unlikely_results(failure: Failure, mismatch: ValueMismatch) -> str | None:
    expected, actual = mismatch.expected, mismatch.actual
    if not isinstance(expected, ByChance) or actual is None:
        return None
    fault = expected.fault(actual.items)
    return None if fault is None else failure.says(fault)


@rule_about(Stage.KNOWN_MISTAKE, 20, "prints instead of returning", EXACT_RETURN)
def printed_instead_of_returned(failure: Failure, pair: tuple[Value, Value]) -> str | None:
    wanted, got = pair
    if got.kind is not ValueKind.NONE or wanted.kind is ValueKind.NONE:
        return None
    printed = failure.actual_printed.strip("\n")
    expected = (failure.expected_printed or "").strip("\n")
    spellings = _spellings(wanted)
    if failure.expected_step is not None and failure.expected_step.shown:
        spellings.append(failure.expected_step.shown)
    for spelling in spellings:
        if not _has_lines(printed, spelling) or _has_lines(expected, spelling):
            continue
        said = failure.says(f"printed {source(wanted)} instead of returning it")
        if failure.step is not None:
            said += " At the >>> prompt, a printed value and a returned value can look the same."
        return said
    return None


def _spellings(value: Value) -> list[str]:
    """Return the texts that `print` could show for a value: its str and its repr."""
    spellings = [value.source()]
    if value.kind is ValueKind.STR:
        spellings.insert(0, value.text.strip("\n"))
    if value.items and all(item.kind is ValueKind.STR for item in value.items):
        spellings.append("\n".join(item.text for item in value.items))
    return [spelling for spelling in spellings if spelling.strip()]


def _has_lines(text: str, lines: str) -> bool:
    """Return whether `text` contains all lines of `lines`, ignoring blanks at line ends."""
    shown, wanted = _without_blank_ends(text), _without_blank_ends(lines)
    return f"\n{wanted}\n" in f"\n{shown}\n"


def _without_blank_ends(text: str) -> str:
    return "\n".join(map(str.rstrip, text.split("\n")))


@rule_about(Stage.KNOWN_MISTAKE, 30, "returns instead of printing", EXACT_RETURN)
def returned_instead_of_printed(failure: Failure, pair: tuple[Value, Value]) -> str | None:
    _, returned = pair
    expected = failure.expected_printed or ""
    if returned.kind is not ValueKind.STR:
        return None
    if failure.actual_printed.strip() or not expected.strip():
        return None
    if returned.text.strip("\n") == expected.strip("\n"):
        return failure.says("returned the text instead of printing it")
    return None


@rule_about(Stage.KNOWN_MISTAKE, 88, "returns a generator instead of a list", EXACT_RETURN)
def generator_instead_of_list(failure: Failure, pair: tuple[Value, Value]) -> str | None:
    expected, actual = pair
    if actual.kind is not ValueKind.ITERATOR or expected.kind is ValueKind.ITERATOR:
        return None
    wanted = a_type(expected)
    clause = f"returned {a_type(actual)} instead of {wanted}"
    if expected.kind in _ITEMS:
        clause += f": {expected.kind}(…) turns it into {wanted}"
    return failure.says(clause)


@rule_about(Stage.KNOWN_MISTAKE, 89, "returns another iterator instead of a generator", RETURNS)
def iterator_instead_of_generator(failure: Failure, mismatch: ValueMismatch) -> str | None:
    expected, made = mismatch.expected, mismatch.actual
    if made is None or made.kind is not ValueKind.ITERATOR:
        return None
    is_yielded = isinstance(expected, Yields | Exactly)
    if expected is None or not is_yielded or not expected.accepts(replace(made, text=GENERATOR)):
        return None
    return failure.says(f"returned {a_type(made)} object instead of a generator: write yield")


@rule_about(Stage.KNOWN_MISTAKE, 90, "returns None", RETURNS)
def returned_none(failure: Failure, mismatch: ValueMismatch) -> ReturnedNone | None:
    """Notice that None was returned.

    Whether a `return` is missing is found out later, from the source.
    """
    if mismatch.expected is None or mismatch.actual != NONE:
        return None
    if mismatch.pair is None:
        wanted = mismatch.expected.in_words()
    else:
        value, _ = mismatch.pair
        if value.kind is ValueKind.NONE:
            return None
        wanted = source(value)
    return ReturnedNone(where=failure.place(), function=failure.who, wanted=wanted)


@rule(Stage.KNOWN_MISTAKE, 10, "makes a value that is too large")
def too_large(failure: Failure) -> str | None:
    returned: Value | None = None
    if failure.first_difference is not None:
        returned = failure.first_difference.actual
    left: Value | None = None
    if failure.leaves is not None:
        left = failure.leaves.actual
        if failure.leaves.pair is not None:
            left = first_difference(*failure.leaves.pair).actual
    for value, does in ((returned, "returned"), (left, "leaves")):
        if value is not None and value.kind is ValueKind.TOO_LARGE:
            size = plain(value.text, limit=60)
            return failure.says(f"{does} a value that is too large to compare ({size})")
    return None


@rule_about(Stage.KNOWN_MISTAKE, 40, "returns a function without calling it", RETURNS)
def returned_a_function(failure: Failure, mismatch: ValueMismatch) -> str | None:
    """Notice that a function was returned instead of its result."""
    if mismatch.actual is None or mismatch.actual.kind is not ValueKind.FUNCTION:
        return None
    if mismatch.pair is not None and mismatch.pair[0].kind is ValueKind.FUNCTION:
        return None
    name = plain(mismatch.actual.text, limit=40)
    return failure.says(f"returned the function {name} itself: are its parentheses missing?")


@rule_about(Stage.KNOWN_MISTAKE, 100, "returns a value of the wrong type", RETURNS)
def wrong_type(failure: Failure, mismatch: ValueMismatch) -> str | None:
    """Notice a result of the wrong type, with or without the right value."""
    if isinstance(mismatch.expected, OfType) and mismatch.actual is not None:
        got = f"{source(mismatch.actual, limit=60)} ({a_type(mismatch.actual)})"
        return failure.says(f"returned {got} instead of {mismatch.expected.in_words()}")
    place = failure.first_difference
    if place is None or place.expected is None or place.actual is None:
        return None
    expected, actual = place.expected, place.actual
    if expected.kind is actual.kind or ValueKind.NONE in (expected.kind, actual.kind):
        return None
    wanted = source(expected, limit=60)
    item = f"{place.named} of the result"
    if actual.kind is ValueKind.UNREADABLE:
        raised = plain(actual.text, limit=60)
        clause = f"raises {raised} when it is read; the expected value is {wanted}"
        return failure.says(clause, who=item)
    got = f"{source(actual, limit=60)} ({_own_type(expected, actual)})"
    how = _conversion(expected, actual)
    clause = f"{got} instead of {wanted} ({a_type(expected)}){how}"
    if place.path:
        return failure.says(f"is {clause}", who=item)
    return failure.says(f"returned {clause}")


def _own_type(expected: Value, actual: Value) -> str:
    """Return a phrase with the type of the actual value, if it is not the expected type."""
    if actual.type_name == expected.type_name:
        return f"an object of the program's own class {expected.type_name}"
    if actual.content is not None:
        return f"{a_type(actual)}, derived from {actual.content.type_name}"
    return a_type(actual)


def _conversion(expected: Value, actual: Value) -> str:
    """Return a hint such as "use int(…)" if one call converts the returned value to the expected
    type.
    """
    made = expected.kind
    if actual.content is None:
        if made not in _MADE_FROM.get(actual.type_name, ()) or actual.kind is not ValueKind.FOREIGN:
            return ""
    elif actual.content.kind is not made and not {actual.content.kind, made} <= SEQUENCES:
        return ""
    elif [part.text for part in actual.items[::2]] == [
        "",
        "name",
        "value",
    ]:  # the value is an Enum member
        return f": its attribute value is {a_type(expected)}"
    return f": {made}(…) turns it into {a_type(expected)}"


_MAX_DIGITS = 10


@rule(Stage.KNOWN_MISTAKE, 50, "does not change its argument")
def argument_not_changed(failure: Failure) -> ArgumentNotChanged | None:
    for change in failure.changes:
        if change.should_change and not change.did_change:
            if _is_returned(change):
                sentence = _new_one_returned(failure, change)
                return ArgumentNotChanged(sentence=finished(sentence), returned_new=True)
            sentence, guess = _left_as_it_was(failure, change)
            return ArgumentNotChanged(sentence=finished(sentence), guess=guess)
    return None


def _new_one_returned(failure: Failure, change: ArgumentChange) -> str:
    kind = change.expected.type_name
    if change.expected.kind is ValueKind.FOREIGN:
        kind = "value"
    said = failure.says(f"is not changed: a new {kind} is returned", who=change.name)
    advice = f"Change the {kind} that is given"
    if failure.exact_return is not None:
        expected, _ = failure.exact_return
        advice += f", and return {source(expected, limit=60)}"
    return f"{said} {advice}."


def _left_as_it_was(failure: Failure, change: ArgumentChange) -> tuple[str, Guess | None]:
    """Return a sentence about an argument that should have changed, and a question about the
    likely mistake.
    """
    first = _first(change, "it should be")
    said = failure.says(f"is not changed: {first}", who=change.name)
    if failure.exact_return is None:
        return said, _likely_mistake(change)
    expected, returned = failure.exact_return
    if returned.kind is not ValueKind.BOOL:
        return said, _likely_mistake(change)
    # The function returns True or False, so it probably did not return a changed copy.
    changes_some = any(other.did_change for other in failure.changes)
    if not changes_some and expected.text == "True" and returned.text == "False":
        refuses = "refuses a valid call: it returned False and left"
        return failure.says(f"{refuses} {change.name} as it was ({first})"), None
    return said + _also_returned(failure), None


def _likely_mistake(change: ArgumentChange) -> Guess:
    if _is_rounded(change):
        return Guess.ROUNDED_OR_COPY
    return Guess.COPY


def _is_returned(change: ArgumentChange) -> bool:
    """Return whether the argument's expected value was returned instead, possibly inside another
    value.
    """
    returned = change.returned
    if returned is None:
        return False
    if same(change.expected, returned):
        return True
    if returned.kind is not ValueKind.TUPLE:
        return False
    return any(same(change.expected, item) for item in returned.items)


def _is_rounded(change: ArgumentChange) -> bool:
    """Return whether the first wrong number differs only by rounding."""
    place = first_difference(change.expected, change.actual)
    if place.expected is None or place.actual is None:
        return False
    if place.expected.kind is not ValueKind.FLOAT or place.actual.kind is not ValueKind.FLOAT:
        return False
    wanted, got = float(place.expected.text), float(place.actual.text)
    return any(round(wanted, digits) == got for digits in range(_MAX_DIGITS))


def _also_returned(failure: Failure) -> str:
    """Return a sentence that the return value is wrong too, if that value is short;
    otherwise "".
    """
    if failure.exact_return is None:
        return ""
    expected, actual = failure.exact_return
    if expected.is_container or actual.is_container:
        return ""
    got, wanted = source(actual, limit=60), source(expected, limit=60)
    return f" It also returned {got} instead of {wanted}."


@rule(Stage.KNOWN_MISTAKE, 80, "changes its argument")
def argument_changed(failure: Failure) -> str | None:
    for change in failure.changes:
        if not change.should_change and change.did_change:
            clause = f"is changed and should not be: {_first(change, 'it should stay')}"
            return failure.says(clause, who=change.name) + _also_returned(failure)
    return None


def _first(change: ArgumentChange, should: str) -> str:
    """Return a phrase about the first wrong item of an argument."""
    place = first_difference(change.expected, change.actual)
    when = ""
    if change.later:
        when = "in the end "
    if place.expected is None or place.actual is None:
        sizes = len(change.actual.items), len(change.expected.items)
        return f"{when}it has {counted(sizes[0], 'item')}, {should} {sizes[1]}"
    item = "it"
    if place.path:
        item = place.named
    got, wanted = source(place.actual, limit=60), source(place.expected, limit=60)
    return f"{when}{item} is {got}, {should} {wanted}"
