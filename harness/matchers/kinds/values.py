"""Matchers for values: the value itself, `any`, `type`, `approx`, `unordered`, `yields`,
`python`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from harness.common.errors import HarnessError
from harness.common.escaping import quoted
from harness.common.words import listed
from harness.matchers.comparison import (
    is_near,
    number_of,
    same,
    same_in_any_order,
    same_text,
    source,
    type_with_article,
    with_tolerated,
)
from harness.matchers.reading import (
    DISTANCE,
    EXPRESSION,
    FLAG,
    NUMBER,
    VALUES,
    Part,
    YamlNode,
    as_read,
    matcher_key,
    nearest,
    number_hint,
)
from harness.model.expectation import EXACT, Floats, Matcher, OfExpression, TextRules
from harness.model.values import NAMED_CONTAINERS, Value, ValueKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Exactly(Matcher):
    """Only this value.

    It has no key: everything in YAML that is not a mapping is read as this matcher.
    """

    value: Value
    floats: Floats | None = None  # tolerance for floats anywhere in the value

    def accepts(self, value: Value) -> bool:
        return same(self.value, value, self.floats)

    def pair(self, value: Value) -> tuple[Value, Value]:
        """Return (expected, actual) prepared for display: floats of `value` within the tolerance
        are replaced by the expected ones.
        """
        return self.value, with_tolerated(self.value, value, self.floats)

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        stated = self.exact_text
        return stated is not None and same_text(stated, text, rules)

    def in_words(self, *, whole: bool = False) -> str:
        return source(self.value, whole=whole) + self._tolerance()

    def in_words_at(self, at: int) -> str:
        """Return the value as text; a long value is shortened to the part around this character."""
        return source(self.value, at=at) + self._tolerance()

    def _tolerance(self) -> str:
        return "" if self.floats is None else f" (floats within {self.floats.within:g})"

    @property
    def exact_text(self) -> str | None:
        if self.value.kind is not ValueKind.STR:
            return None
        return self.value.text


def exactly(text: str) -> Exactly:
    """Return the matcher for exactly this text."""
    return Exactly(value=Value(ValueKind.STR, text))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyValue(Matcher):
    """Any value, even one that is too large to compare."""

    def accepts(self, value: Value) -> bool:
        return True

    def in_words(self, *, whole: bool = False) -> str:
        return "any value"


def _any(field: YamlNode) -> AnyValue:
    if field.data is not True:
        field.expected("true")
    return AnyValue()


ANY = matcher_key("any", as_read, matcher=Part(read=_any, schema={"const": True}))


_NOT_BUILT_IN = (
    *NAMED_CONTAINERS, ValueKind.FUNCTION, ValueKind.CYCLE, ValueKind.TOO_LARGE,
    ValueKind.UNREADABLE,
)  # fmt: skip
TYPES = (*(str(kind) for kind in ValueKind if kind not in _NOT_BUILT_IN), "generator")


@dataclass(frozen=True, slots=True, kw_only=True)
class OfType(Matcher):
    """Any value of exactly this type: a built-in type or one of the program's classes."""

    name: str

    def accepts(self, value: Value) -> bool:
        return value.kind is not ValueKind.TOO_LARGE and value.type_name == self.name

    def in_words(self, *, whole: bool = False) -> str:
        return type_with_article(self.name)


def _type(field: YamlNode) -> str:
    name, of_program = field.data, field.source.class_names()
    if not isinstance(name, str) or not name.isidentifier():
        hint = f"types are {listed(TYPES, 'or')}"
        if isinstance(name, str) and "." in name:
            _, _, last = name.rpartition(".")
            hint = f"write only the last name, {last}"
        elif not isinstance(name, str) or "|" in name:
            hint = "write {one_of: [{type: int}, {type: float}]} for several"
        field.expected("the name of a type", hint)
    # Without a reference, the program's classes are unknown.
    if name not in TYPES and of_program is not None and name not in of_program:
        types = (*TYPES, *of_program)
        hint = nearest(name, types) or f"types are {listed(types, 'or')}"
        field.expected("the name of a type, or of a class of the reference", hint)
    return name


TYPE = matcher_key("type", OfType, for_text=False, name=Part(read=_type, schema={"type": "string"}))


_NUMBERS = frozenset({ValueKind.INT, ValueKind.FLOAT})
# NumPy types of single numbers, as returned by `np.mean`.
NUMPY_NUMBERS = frozenset(
    {"float16", "float32", "float64", "int8", "int16", "int32", "int64"}
    | {"uint8", "uint16", "uint32", "uint64"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Approximately(Matcher):
    """An int or float that differs from `number` by at most `within`; never `nan`."""

    number: float
    within: float

    def accepts(self, value: Value) -> bool:
        if value.text in NUMPY_NUMBERS and value.content is not None:
            value = value.content
        if value.kind not in _NUMBERS:
            return False
        number = number_of(value)
        return number is not None and is_near(number, self.number, self.within)

    def in_words(self, *, whole: bool = False) -> str:
        return f"a number no more than {self.within!r} away from {self.number!r}"


APPROX = matcher_key(
    "approx",
    Approximately,
    for_text=False,
    example="{approx: 3.14, within: 0.01}",
    number=NUMBER,
    within=DISTANCE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unordered(Matcher):
    """A list with these items in any order, each as often as stated."""

    items: tuple[Value, ...]
    floats: Floats | None = None

    def accepts(self, value: Value) -> bool:
        is_same = partial(same, floats=self.floats)
        return value.kind is ValueKind.LIST and same_in_any_order(self.items, value.items, is_same)

    def in_words(self, *, whole: bool = False) -> str:
        return f"{source(Value(ValueKind.LIST, items=self.items), whole=whole)} in any order"


UNORDERED = matcher_key("unordered", Unordered, for_text=False, items=VALUES)


GENERATOR = "generator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Yields(Matcher):
    """A generator that yields these values; with `and_more`, further values may follow."""

    values: tuple[Value, ...]
    and_more: bool = False
    any_iterator: bool = False
    floats: Floats | None = None

    def accepts(self, value: Value) -> bool:
        is_right_type = self.any_iterator or value.text == GENERATOR
        if value.kind is not ValueKind.ITERATOR or not is_right_type:
            return False
        items = value.items
        if self.and_more:
            items = items[: len(self.values)]
        if len(items) != len(self.values):
            return False
        for expected, item in zip(self.values, items, strict=True):
            if not same(expected, item, self.floats):
                return False
        return True

    def in_words(self, *, whole: bool = False) -> str:
        kind = "a generator"
        if self.any_iterator:
            kind = "an iterator"
        values = source(Value(ValueKind.LIST, items=self.values), whole=whole)
        words = f"{kind} that yields {values}"
        if self.and_more:
            words += " and then more"
        return words


YIELDS = matcher_key(
    "yields", Yields, for_text=False, values=VALUES, and_more=FLAG, any_iterator=FLAG
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonValue(OfExpression):
    """The value of an expression, or (depending on the key) a list with its items in any order, or
    a generator of its items.

    The answer key contains the value; `resolved` fills it in.
    """

    expression: str
    floats: Floats | None = None  # tolerance for floats anywhere in the value
    unordered: bool = False
    yields: bool = False

    def accepts(self, value: Value) -> bool:
        """Raise HarnessError, because the matcher must be resolved first."""
        raise HarnessError(f"{{python: {self.expression}}} was not evaluated")

    def in_words(self, *, whole: bool = False) -> str:
        return f"the value of {quoted(self.expression)}"

    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        if self.expression not in python_values:
            raise HarnessError(f"the answer key has no value for {{python: {self.expression}}}")
        value = python_values[self.expression]
        if self.unordered:
            return Unordered(items=value.items, floats=self.floats)
        if self.yields:
            return Yields(values=value.items, floats=self.floats)
        return Exactly(value=value, floats=self.floats)


def _floats(field: YamlNode) -> Floats:
    within = field.data
    if isinstance(within, bool) or not isinstance(within, int | float) or within <= 0:
        field.expected("a positive number", number_hint(within))
    in_text = field.floats is not None and field.floats.in_text
    return Floats(within=within, in_text=in_text)


PYTHON = matcher_key(
    "python",
    PythonValue,
    expression=EXPRESSION,
    floats=Part(
        read=_floats,
        schema={"type": "number", "exclusiveMinimum": 0},
        key="approx",
        optional=True,
    ),
    unordered=FLAG,
    yields=FLAG,
)
