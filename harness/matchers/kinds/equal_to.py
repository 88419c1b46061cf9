"""The matcher `{equals: expression}`: a value that is equal to the value of the expression.

If the expression evaluates to plain data with the reference, values are compared here. Objects of
the program's own classes are compared by the submission's own `==`, while it runs.
"""

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.common.errors import HarnessError
from harness.common.escaping import plain
from harness.matchers.comparison import number_of, same, source, with_tolerated
from harness.matchers.reading import Part, YamlNode, matcher_key
from harness.model.expectation import Floats, Matcher, OfExpression
from harness.model.values import Value, ValueKind

_BUILTINS = frozenset(vars(builtins))
_EMPTY = frozenset({"set()", "frozenset()"})  # values without a literal in Python
_DATA = frozenset(
    {ValueKind.NONE, ValueKind.BOOL, ValueKind.INT, ValueKind.FLOAT, ValueKind.COMPLEX,
     ValueKind.STR, ValueKind.BYTES, ValueKind.LIST, ValueKind.TUPLE, ValueKind.DICT,
     ValueKind.SET, ValueKind.FROZENSET}
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualTo(OfExpression):
    """A value that is equal to the value of the expression.

    `is_object` comes from the answer key: the expression's value is not plain data. `resolved`
    replaces this matcher by one with the value.
    """

    expression: str
    floats: Floats | None = None
    is_object: bool = False

    def accepts(self, value: Value) -> bool:
        """Return whether `==` returned True.

        Raise HarnessError if the expression was not resolved.
        """
        if value.kind is ValueKind.OBJECT and len(value.items) > 1:
            name, answer = value.items[-2:]
            if name.text == f"== {self.expression}":
                return answer == Value(ValueKind.BOOL, "True")
        if not self.is_object:
            raise HarnessError(f"{{equals: {self.expression}}} was not evaluated")
        return False

    def tells_answer(self, value: Value) -> bool:
        """Return whether evaluating the expression (which gives `value`) next to a submission
        would reveal the answer to it.

        It would unless the value contains an object of the submission's classes: otherwise it is
        the answer itself, or uses `==` of a Python class that a program can change.
        """
        if _literal(self.expression) is not None or self.expression in _EMPTY:
            return False
        return all(part.kind is not ValueKind.OBJECT for part in value.parts())

    def in_words(self, *, whole: bool = False) -> str:
        return f"an object that is equal (==) to {plain(self.expression)}"

    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        """Return a matcher with the expression's value.

        Without a reference, this is only possible for a literal.
        """
        value = python_values.get(self.expression) or _literal(self.expression)
        if value is None:
            return self
        if all(part.kind in _DATA for part in value.parts()):
            return EqualData(value=value, floats=self.floats)
        return replace(self, is_object=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualData(Matcher):
    """Data equal to this value: the same types, except that 2.0 equals 2 and True equals 1.

    An object of a class derived from a built-in type counts as that type.
    """

    value: Value
    floats: Floats | None = None  # tolerance for floats anywhere in the value

    def accepts(self, value: Value) -> bool:
        """Return whether the value is equal, without using the submission's own `==`."""
        return same(*self.pair(value), self.floats)

    def in_words(self, *, whole: bool = False) -> str:
        return source(self.value)

    def pair(self, value: Value) -> tuple[Value, Value]:
        """Return (expected, actual) prepared for display: equal numbers get the same type, and
        floats within the tolerance are replaced by the expected ones.
        """
        by_number: dict[complex, Value] = {}
        for part in self.value.parts():
            number = _number(part)
            if number is not None:
                by_number[number] = part
        expected = _with_numbers(self.value, by_number)
        actual = _with_numbers(value, by_number)
        return expected, with_tolerated(expected, actual, self.floats)


def _literal(expression: str) -> Value | None:
    try:
        return Value.parse(expression)
    except (ValueError, SyntaxError, TypeError):
        return None


def _number(value: Value) -> complex | None:
    """Return the number that `==` treats the value as: True counts as 1."""
    if value.kind is ValueKind.BOOL:
        return value.text == "True"
    return number_of(value)


def _with_numbers(value: Value, by_number: Mapping[complex, Value]) -> Value:
    if value.is_container:
        items = [_with_numbers(part, by_number) for part in value.items]
        return replace(value, items=tuple(items))
    number = _number(value)
    if number is None:
        return value
    return by_number.get(number, value)


def _expression(field: YamlNode) -> str:
    is_of_step = "steps" in field.path
    is_literal = isinstance(field.data, str) and _literal(field.data) is not None
    if field.path[-2:] != ("returns", "equals") or (is_of_step and not is_literal):
        hint = "write the value itself, or {python: …}"
        field.refuse("equals is only for returns: of a call", hint, key=True)
    expression = field.expression()
    names = {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}
    if names <= _BUILTINS and expression not in _EMPTY and _literal(expression) is None:
        # If it were evaluated next to the submission, the program could read the answer.
        field.refuse(
            "this expression does not use the program", "write the value itself, as a literal"
        )
    return expression


EQUALS = matcher_key(
    "equals",
    EqualTo,
    for_text=False,
    expression=Part(read=_expression, schema={"type": "string"}),
)
