"""The context in which the parts of a scenario are read: its texts and its expected values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from harness import matchers
from harness.assignment.document import Document, Loc
from harness.assignment.problems import nearest
from harness.assignment.scenarios.python_text import (
    BUILTINS,
    PythonError,
    names_of,
    parse_expression,
)
from harness.assignment.scenarios.templates import TemplateError, render
from harness.assignment.shapes import describe
from harness.assignment.vocabulary import Vocabulary
from harness.matchers import Refused
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind


@dataclass(slots=True)
class Context:
    """Renders and checks the texts of one scenario under one set of overrides."""

    document: Document
    vocabulary: Vocabulary
    constants: Mapping[str, object]
    names: set[str] = field(default_factory=set)  # bound by given:, a session or a draw
    names_known: bool = True  # False where draws are still to be recorded

    def add(self, loc: Loc, what: str, hint: str = "", *, key: bool = False, line: int = 0) -> None:
        """Note a mistake at `loc`, or at a line (from 1) of the text there."""
        if line:
            self.document.add_inside(loc, line, what, hint)
        else:
            self.document.add(loc, what, hint, key=key)

    def refuse(
        self, loc: Loc, what: str, hint: str = "", *, key: bool = False, line: int = 0
    ) -> NoReturn:
        """Note a mistake as `add` does, and raise Refused."""
        self.add(loc, what, hint, key=key, line=line)
        raise Refused

    def render(
        self, text: str, loc: Loc, quote: Callable[[str], str] = str, *, line: int = 0
    ) -> str:
        """The text with its templates filled in; a mistake if a name is unknown."""
        try:
            return render(text, self.constants, quote)
        except TemplateError as error:
            if self.names_known:
                self.add(loc, str(error), nearest(error.name, self.constants), line=line)
            return text

    def uncut(self, loc: Loc) -> bool:
        """Whether a plain text is whole; a mistake if a comment cuts it short."""
        if self.document.follows(loc, "#"):
            self.add(loc, "a # comment cuts the text short", "quote it")
            return False
        return True

    def expression(self, text: str, loc: Loc) -> ast.Expression:
        """One Python expression, names that nothing defines noted; Refused if it is none."""
        try:
            tree = parse_expression(text)
        except PythonError as error:
            if self.uncut(loc):
                cut = self.document.follows(loc, ",")
                hint = "a comma ends a text inside { }: put it in quotes" if cut else ""
                self.add(loc, f"{text.strip()!r} is not a Python expression ({error})", hint)
            raise Refused from None
        self.check_names(tree, loc)
        return tree

    def check_names(self, tree: ast.AST, loc: Loc, *, line: int = 0) -> None:
        """A mistake for every name of the code that nothing defines."""
        if not self.vocabulary.has_reference or not self.names_known:
            return
        functions = self.vocabulary.function_names
        known = {*self.names, *self.constants, *functions}
        for name in sorted(names_of(tree).needed - known - BUILTINS):
            what = (
                f"{name} is not a function of the reference, a provided constant "
                "or a name bound by the scenario"
            )
            self.add(loc, what, nearest(name, known | BUILTINS), line=line)


def value_matcher(context: Context, loc: Loc, data: Any) -> Matcher:
    """What a value is expected to be; Refused, with the mistake noted, if the data is no such
    thing."""
    field = _field(context, loc, data, for_text=False)
    if isinstance(data, dict):
        return matchers.read(field)
    return matchers.Exactly(value=field.value(), within=field.within)


def plain_value(context: Context, loc: Loc, data: Any) -> Value:
    """The value given here; Refused as above."""
    return _field(context, loc, data, for_text=False).value()


def text_matcher(context: Context, loc: Loc, data: Any) -> Matcher:
    """What a printed text is expected to be; Refused as above."""
    field = _field(context, loc, data, for_text=True)
    if isinstance(data, dict):
        return matchers.read(field)
    return matchers.Exactly(value=Value(ValueKind.STR, field.render(field.text())))


def _field(context: Context, loc: Loc, data: Any, *, for_text: bool) -> _Field:
    vocabulary = context.vocabulary
    return _Field(
        context, loc, data, for_text, within=vocabulary.floats_within, patterns=vocabulary.patterns
    )


@dataclass(frozen=True, slots=True)
class _Field(matchers.Field):
    """A place in a scenario, its mistakes noted in the scenario's document."""

    context: Context
    path: Loc
    data: Any
    for_text: bool
    within: float | None
    patterns: Mapping[str, str]

    def at(self, key: str | int) -> _Field:
        return replace(self, path=(*self.path, key), data=self.data[key])

    def refuse(self, what: str, hint: str = "", *, of_key: bool = False) -> NoReturn:
        self.context.refuse(self.path, what, hint, key=of_key)

    def expected(self, what: str, hint: str = "") -> NoReturn:
        self.refuse(f"expected {what}, got {describe(self.data)}", hint)

    def described(self) -> str:
        return describe(self.data)

    def nearest(self, names: Iterable[str], name: str | None = None) -> str:
        return nearest(str(self.data) if name is None else name, names)

    def text(self) -> str:
        if not isinstance(self.data, str):
            self.expected("text", "quote it" if isinstance(self.data, int | float) else "")
        if not self.context.uncut(self.path):
            raise Refused
        return self.data

    def value(self) -> Value:
        if isinstance(self.data, dict):
            hint = 'write the whole value as {python: "…"}'
            self.refuse("expected a value, got a mapping", hint)
        if isinstance(self.data, list):
            items = matchers.read_all(self.items(), lambda item: item.value())
            return Value(ValueKind.LIST, items=items)
        if isinstance(self.data, str):
            return Value(ValueKind.STR, self.render(self.text()))
        return Value.of(self.data)

    def render(self, text: str, quote: Callable[[str], str] = str) -> str:
        return self.context.render(text, self.path, quote)

    def expression(self) -> str:
        # Code that a comment cuts short does not parse, and the mistake says so.
        text = self.data if isinstance(self.data, str) else self.text()
        self.context.expression(text, self.path)
        return text.strip()
