"""`{python: expression}`: the value that a Python expression has beside the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.common.errors import HarnessError
from harness.common.escaping import quoted
from harness.matchers.field import Field
from harness.matchers.kinds.exactly import Exactly
from harness.matchers.registry import matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import Value


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class PythonValue(Matcher):
    """The value of an expression. The answer key has it; `resolved` puts it in place."""

    expression: str
    within: float | None = None  # how far off floats may be, anywhere in the value

    def accepts(self, value: Value) -> bool:
        """Raises HarnessError: it has to be resolved before it is compared."""
        raise HarnessError(f"{{python: {self.expression}}} was not evaluated")

    def in_words(self, *, whole: bool = False) -> str:
        """The expression, quoted."""
        return f"the value of {quoted(self.expression)}"

    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        """The plain value; raises HarnessError if the answer key does not have it."""
        if self.expression not in python_values:
            raise HarnessError(f"the answer key has no value for {{python: {self.expression}}}")
        return Exactly(value=python_values[self.expression], within=self.within)


@matcher_key(
    "python",
    lambda _: {"python": {"type": "string"}},
    order=10,
    optional={"approx": {"type": "number", "exclusiveMinimum": 0}},
)
def _read(field: Field) -> Matcher | None:
    expression = field.at("python").expression()
    within = field.within
    if "approx" in field.data:
        within = field.data["approx"]
        if isinstance(within, bool) or not isinstance(within, int | float) or within <= 0:
            far = field.at("approx")
            far.refuse(f"expected a positive number, got {far.described()}")
            return None
    return None if expression is None else PythonValue(expression=expression, within=within)
