"""`{python: expression}`: the value that a Python expression has beside the reference."""

from __future__ import annotations

from collections.abc import Mapping

from harness.common.errors import HarnessError
from harness.common.escaping import quoted
from harness.matchers.field import Field
from harness.matchers.kinds.exactly import Exactly
from harness.matchers.registry import EXPRESSION, Part, matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import Value


@matcher_class
class PythonValue(Matcher):
    """The value of an expression. The answer key has it; `resolved` puts it in place."""

    expression: str
    within: float | None = None  # how far off floats may be, anywhere in the value

    def accepts(self, value: Value) -> bool:
        """Raises HarnessError: it has to be resolved before it is compared."""
        raise HarnessError(f"{{python: {self.expression}}} was not evaluated")

    def in_words(self, *, whole: bool = False) -> str:
        return f"the value of {quoted(self.expression)}"

    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        """The plain value; raises HarnessError if the answer key does not have it."""
        if self.expression not in python_values:
            raise HarnessError(f"the answer key has no value for {{python: {self.expression}}}")
        return Exactly(value=python_values[self.expression], within=self.within)


def _within(field: Field) -> float:
    far = field.data
    if isinstance(far, bool) or not isinstance(far, int | float) or far <= 0:
        field.expected("a positive number")
    return far


matcher_key(
    "python",
    PythonValue,
    order=10,
    expression=EXPRESSION,
    within=Part(
        read=_within,
        schema={"type": "number", "exclusiveMinimum": 0},
        key="approx",
        optional=True,
    ),
)
