"""Matches the object named by `exists:` or `class:`: a function or class with certain parameters
and attributes.

YAML has no key for it: the scenario's keys `parameters` and `attributes` make it. The compared
value is the report made by `inside.stimuli.exists`.
"""

import ast
from dataclasses import dataclass

from harness.common.escaping import plain
from harness.common.words import listed
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind

FUNCTION, CLASS, NOTHING = "function", "class", "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundName:
    """What a program defines under a name."""

    what: str  # "function", "class", "value" or "nothing"
    parameters: tuple[str, ...] | None  # parameters as written; None if unknown
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HasSignature(Matcher):
    """A defined name with these parameters and at least these attributes."""

    what: str = ""  # "function" or "class"; empty for any kind
    parameters: tuple[str, ...] | None = None  # None if parameters are not compared
    attributes: tuple[str, ...] = ()

    def accepts(self, value: Value) -> bool:
        found = found_name(value)
        if found is None or found.what == NOTHING or self.what not in ("", found.what):
            return False
        return self.has_parameters(found) and not self.missing_attributes(found)

    def has_parameters(self, found: FoundName) -> bool:
        """Return whether the parameters have these names in this order.

        A default value only counts if one is stated.
        """
        if self.parameters is None:
            return True
        if found.parameters is None or len(found.parameters) != len(self.parameters):
            return False
        for wanted, has in zip(self.parameters, found.parameters, strict=True):
            name, _, _ = has.partition("=")
            if wanted not in (has, name):
                return False
        return True

    def missing_attributes(self, found: FoundName) -> list[str]:
        return [name for name in self.attributes if name not in found.attributes]

    def in_words(self, *, whole: bool = False) -> str:
        words = _with_article(self.what)
        if self.parameters is not None:
            words += f" with {parameters_in_words(self.parameters)}"
        if self.attributes:
            joint = "and" if self.parameters is not None else "with"
            words += f" {joint} the attributes {listed(self.attributes)}"
        return words

    def value_in_words(self, value: Value) -> str:
        found = found_name(value)
        if found is None or found.what == NOTHING:
            return "nothing of this name"
        words = _with_article(found.what)
        if found.parameters is not None and self.parameters is not None:
            words += f" with {parameters_in_words(found.parameters)}"
        if self.attributes:
            names = ", ".join(plain(name, limit=40) for name in found.attributes)
            words += f", attributes: {names or 'none'}"
        return words


def _with_article(what: str) -> str:
    return f"a {what or 'definition'}"


def parameters_in_words(parameters: tuple[str, ...]) -> str:
    """Return a phrase such as "the parameters (name, age=0)"."""
    if not parameters:
        return "no parameters"
    named = ", ".join(plain(text, limit=80) for text in parameters)
    return f"the parameters ({named})"


def found_name(value: Value) -> FoundName | None:
    """Return the program's report about a name; None for other values."""
    if value.kind is not ValueKind.DICT:
        return None
    parts = value.by_name()
    if parts.keys() != {"is", "parameters", "attributes"}:
        return None
    parameters: tuple[str, ...] | None = None
    if parts["parameters"].kind is ValueKind.LIST:
        parameters = _texts(parts["parameters"])
    return FoundName(
        what=parts["is"].text, parameters=parameters, attributes=_texts(parts["attributes"])
    )


def _texts(value: Value) -> tuple[str, ...]:
    return tuple(item.text for item in value.items)


def read_parameters(written: list[str]) -> tuple[str, ...]:
    """Return stated parameters in the form in which `exists` reports them.

    Raise ValueError if they are invalid.
    """
    try:
        (node,) = ast.parse(f"def f({', '.join(written)}): pass").body
    except SyntaxError as error:
        raise ValueError(str(error)) from None
    assert isinstance(node, ast.FunctionDef)
    arguments = node.args
    names = [part.arg for part in (*arguments.posonlyargs, *arguments.args)]
    texts = list(names)
    for at, default in enumerate(arguments.defaults, len(names) - len(arguments.defaults)):
        texts[at] += f"={_default(default)}"
    if arguments.vararg is not None:
        texts.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        texts.append("*")
    for part, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        texts.append(part.arg if value is None else f"{part.arg}={_default(value)}")
    if arguments.kwarg is not None:
        texts.append(f"**{arguments.kwarg.arg}")
    return tuple(texts)


def _default(node: ast.expr) -> str:
    """Return a default value as Python displays it. Raise ValueError if it is not plain data."""
    return repr(ast.literal_eval(node))
