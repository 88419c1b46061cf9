"""An expected value as written in YAML, as a matcher of `harness.matchers`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness import matchers
from harness.assignment.scenarios.settings import Context
from harness.assignment.schema.validators import describe
from harness.assignment.yaml.document import Loc
from harness.assignment.yaml.errors import nearest
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind


def value_matcher(context: Context, loc: Loc, data: Any) -> Matcher | None:
    """What a value is expected to be; None, with a mistake noted, if the data is no such thing."""
    field = _Field(context, loc, data, for_text=False)
    if isinstance(data, dict):
        return matchers.read(field)
    value = field.value()
    return None if value is None else matchers.Exactly(value=value, within=field.within)


def plain_value(context: Context, loc: Loc, data: Any) -> Value | None:
    """The value given here; None, with a mistake noted, if it is none."""
    return _Field(context, loc, data, for_text=False).value()


def text_matcher(context: Context, loc: Loc, data: Any) -> Matcher | None:
    """What a printed text is expected to be; None, with a mistake noted, as above."""
    field = _Field(context, loc, data, for_text=True)
    if isinstance(data, dict):
        return matchers.read(field)
    if not isinstance(data, str):
        field.refuse_text()
        return None
    value = field.value()
    return None if value is None else matchers.Exactly(value=value)


@dataclass(frozen=True, slots=True)
class _Field(matchers.Field):
    """A place in a scenario, its mistakes noted in the scenario's document."""

    context: Context
    path: Loc
    data: Any
    for_text: bool

    def at(self, key: str | int) -> _Field:
        return _Field(self.context, (*self.path, key), self.data[key], self.for_text)

    def refuse(self, what: str, hint: str = "", *, of_key: bool = False) -> None:
        self.context.add(self.path, what, hint, key=of_key)

    def refuse_text(self) -> None:
        """Note that a text is expected here."""
        hint = "quote it" if isinstance(self.data, int | float) else ""
        self.refuse(f"expected text, got {describe(self.data)}", hint)

    def described(self) -> str:
        return describe(self.data)

    def nearest(self, names: Iterable[str], name: str | None = None) -> str:
        return nearest(str(self.data) if name is None else name, names)

    def text(self) -> str | None:
        if isinstance(self.data, str):
            return self.data if self.context.uncut(self.path) else None
        self.refuse_text()
        return None

    def value(self) -> Value | None:
        data = self.data
        if isinstance(data, dict):
            hint = 'write the whole value as {python: "…"}'
            self.refuse("expected a value, got a mapping", hint)
            return None
        if isinstance(data, list):
            parts = [self.at(index).value() for index in range(len(data))]
            known = tuple(part for part in parts if part is not None)
            return Value(ValueKind.LIST, items=known) if len(known) == len(parts) else None
        if isinstance(data, str):
            text = self.text()
            return None if text is None else Value(ValueKind.STR, self.render(text))
        return Value.of(data)

    def render(self, text: str, quote: Callable[[str], str] = str) -> str:
        return self.context.render(text, self.path, quote)

    def expression(self) -> str | None:
        if not isinstance(self.data, str):
            self.refuse_text()
            return None
        # Code that a comment cuts short does not parse, and the mistake says so.
        parsed = self.context.expression(self.data, self.path)
        return None if parsed is None else self.data.strip()

    @property
    def within(self) -> float | None:
        return self.context.vocabulary.floats_within

    @property
    def patterns(self) -> Mapping[str, str]:
        return self.context.vocabulary.patterns
