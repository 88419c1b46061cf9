"""`{{ NAME }}` in a text, and texts with the constants' values put back to names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from harness.assignment.files.provided import constants_of
from harness.model.plan import ProvidedVariant

_TEMPLATE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_MESSAGE = re.compile(r"[A-Za-z].*\s|\s.*[A-Za-z]", re.DOTALL)


class TemplateError(ValueError):
    """A template that names no constant. `position` is its index in the text."""

    def __init__(self, what: str, name: str, position: int) -> None:
        self.name = name
        self.position = position
        super().__init__(what)


def spelled(value: object) -> str:
    """How a constant is written in a text: a str as it is, anything else as Python shows it."""
    return value if isinstance(value, str) else repr(value)


def names_in(text: str) -> set[str]:
    """The names that a text's templates use."""
    return {match[1].strip() for match in _TEMPLATE.finditer(text)}


def render(text: str, constants: Mapping[str, object], quote: Callable[[str], str] = str) -> str:
    """`text` with every `{{ NAME }}` replaced by the constant's (quoted) value.

    Raises TemplateError for anything between the braces that is not a constant's name.
    """
    if "{{" not in text:
        return text

    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name in constants:
            return quote(spelled(constants[name]))
        if name.isidentifier():
            raise TemplateError(f"unknown constant {name}", name, match.start())
        what = f"{match[0]} is not the name of a constant"
        raise TemplateError(what, name, match.start())

    return _TEMPLATE.sub(value, text)


def as_template(
    text: str,
    constants: Mapping[str, object] | ProvidedVariant,
    submitted: Iterable[str] = (),
) -> str:
    """`text` with the values of message constants written as `{{ NAME }}`, longest first.

    A message is a str constant that holds a letter and white space, so that no piece or
    separator is taken for one. The result always renders to `text` again. `submitted` are the
    files handed in: a provided file that imports one is a driver and has no constants.
    """
    if isinstance(constants, ProvidedVariant):
        constants = constants_of(constants.files, submitted)
    names: dict[str, str] = {}
    for name, value in constants.items():
        if isinstance(value, str) and _MESSAGE.search(value):
            names.setdefault(value, name)
    if not names:
        return text
    by_length = sorted(names, key=len, reverse=True)
    pattern = re.compile("|".join(re.escape(value) for value in by_length))
    template = pattern.sub(lambda match: "{{ " + names[match[0]] + " }}", text)
    try:
        return template if render(template, constants) == text else text
    except TemplateError:
        return text
