"""An expected value as written in YAML, as a matcher of the model."""

from __future__ import annotations

import re
from typing import Any

from harness.assignment.scenarios.settings import Context
from harness.assignment.schema.validators import describe, listed
from harness.assignment.yaml.document import Loc
from harness.assignment.yaml.errors import nearest
from harness.model.expectation import (
    AllOf,
    AnyValue,
    Approximately,
    Contains,
    Exactly,
    Matcher,
    Matches,
    NoneOf,
    OfType,
    OneOf,
    PythonValue,
)
from harness.model.values import Value, ValueKind

COMBINING = ("all_of", "none_of")
TEXT_KEYS = ("python", "any", "matches", "shows", "contains", "one_of", *COMBINING)
KEYS = (*TEXT_KEYS, "type", "approx")
DEEPEST = 2
_OUTSIDE = (ValueKind.FOREIGN, ValueKind.FUNCTION, ValueKind.CYCLE, ValueKind.TOO_LARGE)
TYPES = tuple(str(kind) for kind in ValueKind if kind not in _OUTSIDE)


def value_matcher(context: Context, loc: Loc, data: Any) -> Matcher | None:
    """What a value is expected to be; None, with a mistake noted, if it says nothing sensible."""
    if isinstance(data, dict):
        return _mapping(context, loc, data, KEYS)
    value = _value(context, loc, data)
    return None if value is None else Exactly(value=value)


def text_matcher(context: Context, loc: Loc, data: Any) -> Matcher | None:
    """What a printed text is expected to be."""
    if isinstance(data, dict):
        return _mapping(context, loc, data, TEXT_KEYS)
    if not isinstance(data, str):
        hint = "quote it" if isinstance(data, int | float) else ""
        context.add(loc, f"expected text, got {describe(data)}", hint)
        return None
    value = _value(context, loc, data)
    return None if value is None else Exactly(value=value)


def _value(context: Context, loc: Loc, data: Any) -> Value | None:
    if isinstance(data, dict):
        hint = 'write the whole value as {python: "…"}'
        context.add(loc, "expected a value, got a mapping", hint)
        return None
    if isinstance(data, list):
        parts = [_value(context, (*loc, index), item) for index, item in enumerate(data)]
        whole = tuple(part for part in parts if part is not None)
        return Value(ValueKind.LIST, items=whole) if len(whole) == len(parts) else None
    if isinstance(data, str):
        if not context.uncut(loc):
            return None
        return Value(ValueKind.STR, context.render(data, loc))
    return Value.of(data)


def _mapping(
    context: Context, loc: Loc, data: dict[Any, Any], keys: tuple[str, ...]
) -> Matcher | None:
    names = [name for name in data if name != "within"]
    unknown = [name for name in names if name not in KEYS]
    if unknown:
        hint = nearest(str(unknown[0]), KEYS) or f"matchers are {listed(keys)}"
        context.add((*loc, unknown[0]), "unknown matcher", hint, key=True)
        return None
    if len(names) != 1:
        context.add(loc, f"expected one matcher, got {len(names)}", f"matchers are {listed(keys)}")
        return None
    (name,) = names
    if name not in keys:
        context.add((*loc, name), "this matcher is not for text", key=True)
        return None
    if "within" in data and name != "approx":
        context.add((*loc, "within"), "only approx takes a within", key=True)
        return None
    if name in COMBINING:
        return _combining(context, (*loc, name), data[name], keys)
    return _READERS[name](context, (*loc, name), data)


def _combining(context: Context, loc: Loc, parts: Any, keys: tuple[str, ...]) -> Matcher | None:
    if not isinstance(parts, list) or not parts:
        got = "an empty list" if parts == [] else describe(parts)
        context.add(loc, f"expected a list of matchers, got {got}")
        return None
    if sum(part in COMBINING for part in loc) > DEEPEST:
        context.add(loc, "all_of and none_of go no deeper than one inside another", key=True)
        return None
    found: list[Matcher] = []
    for index, part in enumerate(parts):
        if not isinstance(part, dict):
            hint = "write {contains: …} for a part of a text, {one_of: […]} for a whole value"
            context.add((*loc, index), f"expected a matcher, got {describe(part)}", hint)
            continue
        matcher = _mapping(context, (*loc, index), part, keys)
        if matcher is not None:
            found.append(matcher)
    if len(found) < len(parts):
        return None
    combination = AllOf if loc[-1] == "all_of" else NoneOf
    return combination(matchers=tuple(found))


def _string(context: Context, loc: Loc, value: Any) -> str | None:
    if isinstance(value, str):
        # Code that a comment cuts short does not parse, which says so there.
        return value if loc[-1] == "python" or context.uncut(loc) else None
    hint = "quote it" if isinstance(value, int | float) else ""
    context.add(loc, f"expected text, got {describe(value)}", hint)
    return None


def _python(context: Context, loc: Loc, data: dict[str, Any]) -> Matcher | None:
    text = _string(context, loc, data["python"])
    if text is None or context.expression(text, loc) is None:
        return None
    return PythonValue(expression=text.strip())


def _any(context: Context, loc: Loc, data: dict[str, Any]) -> Matcher | None:
    if data["any"] is True:
        return AnyValue()
    context.add(loc, f"expected true, got {describe(data['any'])}")
    return None


def _type(context: Context, loc: Loc, data: dict[str, Any]) -> Matcher | None:
    name = data["type"]
    if name in TYPES:
        return OfType(name=name)
    hint = nearest(str(name), TYPES) or f"types are {listed(TYPES)}"
    context.add(loc, f"expected the name of a built-in type, got {describe(name)}", hint)
    return None


def _approx(context: Context, loc: Loc, data: dict[str, Any]) -> Matcher | None:
    if "within" not in data:
        context.add(loc[:-1], "approx needs a within", "write {approx: 3.14, within: 0.01}")
        return None
    for key in ("approx", "within"):
        if isinstance(data[key], bool) or not isinstance(data[key], int | float):
            context.add((*loc[:-1], key), f"expected a number, got {describe(data[key])}")
            return None
    if data["within"] < 0:
        context.add((*loc[:-1], "within"), "expected a number that is not negative")
        return None
    return Approximately(number=float(data["approx"]), within=float(data["within"]))


def _matches(context: Context, loc: Loc, data: dict[str, Any]) -> Matcher | None:
    text = _string(context, loc, data["matches"])
    return None if text is None else _pattern(context, loc, text, "")


def _shows(context: Context, loc: Loc, data: dict[str, Any]) -> Matcher | None:
    words, known = data["shows"], context.vocabulary.patterns
    if words in known:
        return _pattern(context, loc, known[words], words)
    hint = nearest(str(words), known) or "describe it there: patterns: {a parting message: …}"
    context.add(loc, f"assignment.yaml has no pattern for {describe(words)}", hint)
    return None


def _pattern(context: Context, loc: Loc, text: str, words: str) -> Matcher | None:
    pattern = context.render(text, loc, re.escape)
    try:
        re.compile(pattern)
    except re.error as error:
        context.add(loc, f"not a regular expression ({error})")
        return None
    return Matches(pattern=pattern, words=words)


def _contains(context: Context, loc: Loc, data: dict[str, Any]) -> Matcher | None:
    text = _string(context, loc, data["contains"])
    return None if text is None else Contains(text=context.render(text, loc))


def _one_of(context: Context, loc: Loc, data: dict[str, Any]) -> Matcher | None:
    options = data["one_of"]
    if not isinstance(options, list) or not options:
        context.add(loc, f"expected a list of values, got {describe(options)}")
        return None
    values = [_value(context, (*loc, index), option) for index, option in enumerate(options)]
    whole = tuple(value for value in values if value is not None)
    return OneOf(values=whole) if len(whole) == len(values) else None


_READERS = {
    "python": _python,
    "any": _any,
    "type": _type,
    "approx": _approx,
    "matches": _matches,
    "shows": _shows,
    "contains": _contains,
    "one_of": _one_of,
}
