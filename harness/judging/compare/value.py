"""Compares the returned value, and the values of parameters and variables after the call."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from harness.common.escaping import plain
from harness.judging.compare.mismatch import ValueMismatch, accepts_value
from harness.matchers.comparison import same
from harness.matchers.kinds.values import AnyValue, Exactly
from harness.model.expectation import Expectation, Matcher
from harness.model.observation import Observation
from harness.model.values import KEYED, SEQUENCES, Value, ValueKind
from harness.model.verdict import Channel


def value_mismatches(observation: Observation, expectation: Expectation) -> Iterator[ValueMismatch]:
    """Yield a wrong returned value, then arguments and variables with wrong values after
    the call.
    """
    if observation.raised is None:
        yield from _returned(observation, expectation)
    if not expectation.stated.leaves_any:
        yield from _afterwards(observation, expectation)


def _returned(observation: Observation, expectation: Expectation) -> Iterator[ValueMismatch]:
    """Yield the returned value if it is not the stated one or, if none is stated, the
    reference's.
    """
    expected, value = expectation.stated.returns, observation.value
    reference = expectation.reference
    if expected is None and reference is not None and reference.value is not None:
        expected = Exactly(value=reference.value, floats=expectation.floats)
    if expected is None:
        return
    if value is None or not accepts_value(expected, value, expectation.stated.rules):
        yield ValueMismatch(channel=Channel.RETURNS, expected=expected, actual=value)


def _afterwards(observation: Observation, expectation: Expectation) -> Iterator[ValueMismatch]:
    """Yield positional arguments (or a case's variables) with wrong values after the call.

    There must be as many arguments as in the reference; otherwise a program could raise an
    exception to hide that it changed one.
    """
    stated = {leave.name: leave.value for leave in expectation.stated.leaves}
    of_reference: tuple[Value, ...] = ()
    if expectation.reference is not None:
        of_reference = expectation.reference.arguments
    # As many as either side has.
    pairs = zip_longest(observation.arguments, of_reference)
    for position, (after, _) in enumerate(pairs):
        name = argument_name(expectation, position)
        expected = stated.pop(name, None)
        if expected is None:
            expected = _unstated(observation, expectation, position)
        if expected is None:
            continue
        if after is None or not expected.accepts(after):
            yield ValueMismatch(channel=Channel.LEAVES, expected=expected, actual=after, name=name)
    # Then the stated variables that are not arguments.
    yield from variable_mismatches(observation, stated)


def argument_name(expectation: Expectation, position: int) -> str:
    """Return a positional argument's name in the reference; its position in words if it has no
    name.
    """
    if position < len(expectation.parameters):
        return expectation.parameters[position]
    return f"argument {position + 1}"


def _unstated(observation: Observation, expectation: Expectation, position: int) -> Matcher | None:
    """Return the matcher for an argument that the scenario does not mention: it must stay
    unchanged, or change as the reference changes it. None if neither is known.
    """
    reference = expectation.reference
    if expectation.stated.leaves_unchanged:
        before = observation.arguments_before
        if position >= len(before) and reference is not None:
            before = reference.arguments_before
        if position >= len(before):
            return None
        return Exactly(value=before[position])
    if reference is None or position >= len(reference.arguments):
        return None
    return Exactly(value=reference.arguments[position], floats=expectation.floats)


def variable_mismatches(
    observation: Observation, matchers: Mapping[str, Matcher]
) -> Iterator[ValueMismatch]:
    """Yield the variables that are missing after the call or have wrong values."""
    values = {variable.name: variable.value for variable in observation.variables}
    for name, matcher in matchers.items():
        value = values.get(name)
        if value is None and isinstance(matcher, AnyValue):
            continue  # values of functions, for example, are never recorded
        if value is None or not matcher.accepts(value):
            yield ValueMismatch(channel=Channel.LEAVES, expected=matcher, actual=value, name=name)


MAX_DEPTH = 12  # longer paths are unreadable, and a hostile value may be nested endlessly


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDifference:
    """The first place where two values differ."""

    path: str  # as in "[3].owner"
    expected: Value | None  # None: this side has no such item
    actual: Value | None
    holder: ValueKind | None = None  # type of the dictionary or object that lacks the item

    @property
    def named(self) -> str:
        """Return the place of the difference for use in a sentence: "item [3].owner", or
        "attribute owner".
        """
        if self.path.startswith("."):
            return f"attribute {self.path[1:]}"
        return f"item {self.path}"


def first_difference(expected: Value, actual: Value) -> FirstDifference:
    """Return the first place where two different values differ, as deep inside them as possible."""
    path = ""
    for _ in range(MAX_DEPTH):
        inner = _step_inside(expected, actual)
        if inner is None:
            break
        path += inner.path
        if inner.expected is None or inner.actual is None:
            return replace(inner, path=path)
        expected, actual = inner.expected, inner.actual
    return FirstDifference(path=path, expected=expected, actual=actual)


def _step_inside(expected: Value, actual: Value) -> FirstDifference | None:
    """Return the first differing items of two values, with the path to them.

    None if the values cannot be divided or differ as a whole, for example in type.
    """
    kind = expected.kind
    if kind is not actual.kind or expected.text != actual.text:
        return None
    if kind in SEQUENCES:
        index = first_differing(expected.items, actual.items)
        left, right = _item(expected, index), _item(actual, index)
        return FirstDifference(path=f"[{index}]", expected=left, actual=right)
    key: Value | None = None
    if kind in KEYED:
        key = _first_key(expected, actual)
    if key is None:
        return None
    left, right = _at(expected, key), _at(actual, key)
    step = ""  # an object's content other than attributes has no path
    if kind is ValueKind.DICT:
        step = f"[{key.source(60)}]"
    elif key.text:
        step = f".{plain(key.text, limit=60)}"
    elif left is None or right is None:
        return None
    return FirstDifference(path=step, expected=left, actual=right, holder=kind)


def _item(value: Value, index: int) -> Value | None:
    if index < len(value.items):
        return value.items[index]
    return None


def _first_key(expected: Value, actual: Value) -> Value | None:
    """Return the first attribute or key that differs; None if the keys are equal."""
    for key in (*expected.items[::2], *actual.items[::2]):
        left, right = _at(expected, key), _at(actual, key)
        if left is None or right is None or not same(left, right):
            return key
    return None


def _at(value: Value, key: Value) -> Value | None:
    for name, part in zip(value.items[::2], value.items[1::2], strict=False):
        if same(name, key):
            return part
    return None


def first_differing(expected: tuple[Value, ...], actual: tuple[Value, ...]) -> int:
    """Return the index of the first items that differ, or of the first item that only one side
    has.
    """
    for index, (item, other) in enumerate(zip(expected, actual, strict=False)):
        if not same(item, other):
            return index
    return min(len(expected), len(actual))
