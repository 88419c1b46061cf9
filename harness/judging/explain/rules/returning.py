"""Rules about what a function returns, and about arguments that it changes or should change."""

from dataclasses import replace

from harness.common.escaping import plain
from harness.common.words import counted
from harness.judging.boards import Cells, cells
from harness.judging.compare.mismatch import ValueMismatch
from harness.judging.compare.value import first_difference
from harness.judging.explain.failure import ArgumentChange, Failure
from harness.judging.explain.rules import EXACT_RETURN, RETURNS, Stage, a_type, rule, rule_about
from harness.matchers.comparison import same, source
from harness.matchers.kinds.values import GENERATOR, Exactly, OfType, Yields
from harness.model.explanation.facts import ArgumentNotChanged, Guess, ReturnedNone
from harness.model.explanation.sentences import finished
from harness.model.values import NONE, SEQUENCES, Value, ValueKind

_TABLE = frozenset({ValueKind.DICT})
_ITEMS = SEQUENCES | {ValueKind.SET}
# Types of the standard library, and of what they can be made by one call.
_MADE_FROM = {
    **dict.fromkeys(("Counter", "OrderedDict", "defaultdict"), _TABLE),
    **dict.fromkeys(("deque", "dict_keys", "dict_values"), _ITEMS),
    "dict_items": _ITEMS | _TABLE,
}


@rule_about(Stage.KNOWN_MISTAKE, 20, "prints instead of returning", EXACT_RETURN)
def printed_instead_of_returned(failure: Failure, pair: tuple[Value, Value]) -> str | None:
    if pair[1].kind is not ValueKind.NONE or pair[0].kind is ValueKind.NONE:
        return None
    printed = failure.actual_printed.strip("\n")
    expected = (failure.expected_printed or "").strip("\n")
    shown = failure.expected_step.shown if failure.expected_step else ""
    for spelling in (*_spellings(pair[0]), shown):
        if spelling and _has_lines(printed, spelling) and not _has_lines(expected, spelling):
            said = failure.says(f"printed {source(pair[0])} instead of returning it")
            return said if failure.step is None else f"{said} In a session both look alike."
    return None


def _spellings(value: Value) -> list[str]:
    """Return how `print` would show a value, its repr included."""
    spellings = [value.source()]
    if value.kind is ValueKind.STR:
        spellings.insert(0, value.text.strip("\n"))
    if value.items and all(item.kind is ValueKind.STR for item in value.items):
        spellings.append("\n".join(item.text for item in value.items))
    return [spelling for spelling in spellings if spelling.strip()]


def _has_lines(text: str, lines: str) -> bool:
    """Return whether a text has these lines, ignoring blanks at the end of each."""
    shown, wanted = ("\n".join(line.rstrip() for line in s.split("\n")) for s in (text, lines))
    return f"\n{wanted}\n" in f"\n{shown}\n"


@rule_about(Stage.KNOWN_MISTAKE, 30, "returns instead of printing", EXACT_RETURN)
def returned_instead_of_printed(failure: Failure, pair: tuple[Value, Value]) -> str | None:
    expected = failure.expected_printed or ""
    if pair[1].kind is not ValueKind.STR or failure.actual_printed.strip() or not expected.strip():
        return None
    if pair[1].text.strip("\n") == expected.strip("\n"):
        return failure.says("returned the text instead of printing it")
    return None


@rule_about(Stage.KNOWN_MISTAKE, 88, "returns a generator instead of a list", EXACT_RETURN)
def generator_instead_of_list(failure: Failure, pair: tuple[Value, Value]) -> str | None:
    if pair[1].kind is not ValueKind.ITERATOR or pair[0].kind is ValueKind.ITERATOR:
        return None
    made, wanted = a_type(pair[1]), a_type(pair[0])
    hint = f": {pair[0].kind}(…) makes {wanted} of it" if pair[0].kind in _ITEMS else ""
    return failure.says(f"returned {made} instead of {wanted}{hint}")


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
    """None came back. Only the program's text can say whether a `return` is missing."""
    pair, expected = mismatch.pair, mismatch.expected
    is_expected = pair is not None and pair[0].kind is ValueKind.NONE
    if expected is None or mismatch.actual != NONE or is_expected:
        return None
    wanted = source(pair[0]) if pair else expected.in_words()
    return ReturnedNone(where=failure.place(), function=failure.who, wanted=wanted)


@rule(Stage.KNOWN_MISTAKE, 10, "makes a value that is too large")
def too_large(failure: Failure) -> str | None:
    returned = failure.first_difference.actual if failure.first_difference else None
    left = failure.leaves.actual if failure.leaves else None
    if failure.leaves and failure.leaves.pair:
        left = first_difference(*failure.leaves.pair).actual
    for value, does in ((returned, "returned"), (left, "leaves")):
        if value is not None and value.kind is ValueKind.TOO_LARGE:
            what = plain(value.text, limit=60)
            return failure.says(f"{does} a value that is too large to compare ({what})")
    return None


@rule_about(Stage.KNOWN_MISTAKE, 40, "returns a function without calling it", RETURNS)
def returned_a_function(failure: Failure, mismatch: ValueMismatch) -> str | None:
    """A function came back, not what it would return; another function than expected is none."""
    if mismatch.actual is None or mismatch.actual.kind is not ValueKind.FUNCTION:
        return None
    if mismatch.pair is not None and mismatch.pair[0].kind is ValueKind.FUNCTION:
        return None
    name = plain(mismatch.actual.text, limit=40)
    return failure.says(f"returned the function {name} itself: are its parentheses missing?")


@rule_about(Stage.KNOWN_MISTAKE, 100, "returns a value of another type", RETURNS)
def wrong_type(failure: Failure, mismatch: ValueMismatch) -> str | None:
    """The right value of the wrong type, or something of another type altogether."""
    if isinstance(mismatch.expected, OfType) and mismatch.actual is not None:
        got = f"{source(mismatch.actual, limit=60)} ({a_type(mismatch.actual)})"
        return failure.says(f"returned {got} instead of {mismatch.expected.in_words()}")
    place = failure.first_difference
    if place is None or place.expected is None or place.actual is None:
        return None
    expected, actual = place.expected, place.actual
    if expected.kind is actual.kind or ValueKind.NONE in (expected.kind, actual.kind):
        return None
    got, wanted = source(actual, limit=60), source(expected, limit=60)
    if actual.kind is ValueKind.UNREADABLE:
        clause = f"raises {plain(actual.text, limit=60)} when it is read, it should be {wanted}"
        return failure.says(clause, who=f"{place.named} of the result")
    what = a_type(actual)
    if actual.content is not None:
        what += f", derived from {actual.content.type_name}"
    if actual.type_name == expected.type_name:  # and yet of another kind
        what = f"an object of the program's own class {expected.type_name}"
    how = _conversion(expected, actual)
    clause = f"{got} ({what}) instead of {wanted} ({a_type(expected)}){how}"
    if place.path:
        return failure.says(f"is {clause}", who=f"{place.named} of the result")
    return failure.says(f"returned {clause}")


def _conversion(expected: Value, actual: Value) -> str:
    """Return how to make the expected type of the returned value, if one call does."""
    made = expected.kind
    if actual.content is None:
        if made not in _MADE_FROM.get(actual.type_name, ()) or actual.kind is not ValueKind.FOREIGN:
            return ""
    elif actual.content.kind is not made and not {actual.content.kind, made} <= SEQUENCES:
        return ""
    elif [part.text for part in actual.items[::2]] == ["", "name", "value"]:  # of an Enum
        return f": its attribute value is {a_type(expected)}"
    return f": {made}(…) makes {a_type(expected)} of it"


_MOST_DIGITS = 10


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
    is_foreign = change.expected.kind is ValueKind.FOREIGN
    kind = "value" if is_foreign else change.expected.type_name
    said = failure.says(f"is not changed: a new {kind} is returned", who=change.name)
    pair = failure.exact_return
    after = "" if pair is None else f", and return {source(pair[0], limit=60)}"
    return f"{said} Change the {kind} that is given{after}."


def _left_as_it_was(failure: Failure, change: ArgumentChange) -> tuple[str, Guess | None]:
    """Return what is said of an argument that stayed as it was, and the question to ask."""
    first = _first(change, "it should be")
    said = failure.says(f"is not changed: {first}", who=change.name)
    pair = failure.exact_return
    if pair is None or pair[1].kind is not ValueKind.BOOL:
        return said, Guess.ROUNDED_OR_COPY if _is_rounded(change) else Guess.COPY
    # It returned whether it changed something: a copy is not likely then.
    changes_none = not any(each.did_change for each in failure.changes)
    if changes_none and [value.text for value in pair] == ["True", "False"]:
        refuses = "refuses a valid call: it returned False and left"
        return failure.says(f"{refuses} {change.name} as it was ({first})"), None
    return said + _also_returned(failure), None


def _is_returned(change: ArgumentChange) -> bool:
    """Return whether the expected value of the argument is returned, by itself or among others."""
    returned = change.returned
    if returned is None:
        return False
    parts = returned.items if returned.kind is ValueKind.TUPLE else ()
    return any(same(change.expected, value) for value in (returned, *parts))


def _is_rounded(change: ArgumentChange) -> bool:
    """Return whether rounding explains the first number that is wrong."""
    place = first_difference(change.expected, change.actual)
    sides = [side for side in (place.expected, place.actual) if side is not None]
    if len(sides) < 2 or any(side.kind is not ValueKind.FLOAT for side in sides):
        return False
    wanted, got = (float(side.text) for side in sides)
    return any(round(wanted, digits) == got for digits in range(_MOST_DIGITS))


def _also_returned(failure: Failure) -> str:
    """Return that the returned value is wrong too, if that is short."""
    pair = failure.exact_return
    if pair is None or any(value.is_container for value in pair):
        return ""
    got, wanted = (source(value, limit=60) for value in reversed(pair))
    return f" It also returned {got} instead of {wanted}."


@rule(Stage.KNOWN_MISTAKE, 80, "changes its argument")
def argument_changed(failure: Failure) -> str | None:
    for change in failure.changes:
        if not change.should_change and change.did_change:
            clause = f"is changed and should not be: {_first(change, 'it should stay')}"
            return failure.says(clause, who=change.name) + _also_returned(failure)
    return None


def _first(change: ArgumentChange, should: str) -> str:
    """Return the first item that is wrong."""
    place = first_difference(change.expected, change.actual)
    when = "in the end " if change.later else ""
    if place.expected is None or place.actual is None:
        sizes = len(change.actual.items), len(change.expected.items)
        return f"{when}it has {counted(sizes[0], 'item')}, {should} {sizes[1]}"
    item = place.named if place.path else "it"
    got, wanted = source(place.actual, limit=60), source(place.expected, limit=60)
    return f"{when}{item} is {got}, {should} {wanted}"


@rule(Stage.KNOWN_MISTAKE, 70, "changes the column beside the right one")
def changed_off_by_one_column(failure: Failure) -> str | None:
    for change in failure.changes:
        before, expected, actual = map(cells, (change.before, change.expected, change.actual))
        if before is None or expected is None or actual is None:
            continue
        # A list of texts holds columns (or rows that a column cuts); a list of lists holds rows.
        in_texts = all(item.kind is ValueKind.STR for item in change.before.items)
        should = {place[not in_texts] for place in _changed(before, expected)}
        did = {place[not in_texts] for place in _changed(before, actual)}
        if len(should) != 1 or len(did) != 1:
            continue
        wanted, got = should.pop(), did.pop()
        is_last = in_texts and wanted == 0 and got == len(before) - 1 > 1  # index -1 is the last
        if abs(wanted - got) == 1 or is_last:
            clause = f"is changed one column off: at index {got} instead of {wanted}"
            return failure.says(clause, who=change.name)
    return None


def _changed(before: Cells, after: Cells) -> set[tuple[int, int]]:
    """Return the places that differ; none if the shapes do."""
    if [len(line) for line in before] != [len(line) for line in after]:
        return set()
    return {
        (outer, inner)
        for outer, line in enumerate(before)
        for inner, cell in enumerate(line)
        if after[outer][inner] != cell
    }
