"""Convert assertions of a test to matchers, the YAML values that describe expected results."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, TypeGuard

from harness.packaging.scaffold.recording.expressions import (
    NotRecordedError,
    shortened,
    value_of,
)
from harness.packaging.scaffold.syntax import options_of

_USUAL_PLACES = 7  # of assertAlmostEqual
_RELATIVE, _ABSOLUTE = 1e-6, 1e-12  # of pytest.approx
# The patterns before and after a text whose blanks are cut.
EDGES = {"strip": (r"\s*", r"\s*"), "rstrip": ("", r"\s*"), "lstrip": (r"\s*", "")}


def equal_to(value: object) -> Any:
    """Return the matcher for `result == value`. As in Python, 2.0 matches 2."""
    if value is None or isinstance(value, str):
        return value
    return {"equals": repr(value)}


def identical_to(node: ast.expr) -> Any:
    """Return the matcher for `result is …`."""
    if isinstance(node, ast.Constant):
        value = node.value
        if value is None or isinstance(value, bool):
            return value
    raise NotRecordedError(f"it checks the identity of {shortened(node)}")


def near(number: object, within: float) -> dict[str, Any]:
    """Return the matcher for a number that differs from `number` by at most `within`."""
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    if not is_number:
        raise NotRecordedError("it compares approximately with something other than a number")
    return {"approx": number, "within": within}


def almost_equal(number: object, options: Mapping[str, object]) -> dict[str, Any]:
    """Return the matcher for unittest's `assertAlmostEqual`."""
    delta = options.get("delta")
    if isinstance(delta, int | float):
        return near(number, delta)
    places = options.get("places", _USUAL_PLACES)
    if type(places) is not int:
        raise NotRecordedError("its places are not a number")
    return near(number, 0.5 * 10**-places)


def is_approx(node: ast.expr) -> TypeGuard[ast.Call]:
    """Return whether the expression is a call of `pytest.approx`."""
    if not isinstance(node, ast.Call):
        return False
    return ast.unparse(node.func) in ("approx", "pytest.approx")


def approximately(node: ast.Call, literals: Mapping[str, object]) -> dict[str, Any]:
    """Return the matcher for `pytest.approx(number, rel=…, abs=…)`."""
    names = ("expected", "rel", "abs")
    stated = {name: value_of(arg, literals) for name, arg in zip(names, node.args, strict=False)}
    for name, option in options_of(node).items():
        stated[name] = value_of(option, literals)
    number = stated.get("expected")
    if not isinstance(number, int | float) or not stated.keys() <= set(names):
        raise NotRecordedError("it compares more than one number approximately")
    relative = stated.get("rel", 0.0 if "abs" in stated else _RELATIVE)
    absolute = stated.get("abs", _ABSOLUTE)
    if not isinstance(relative, int | float) or not isinstance(absolute, int | float):
        raise NotRecordedError("its tolerance is not a number")
    return near(number, max(relative * abs(number), absolute))


def text_equal_to(value: object, edges: str) -> Any:
    """Return the matcher for text that equals `value` after spaces at its `edges` are removed."""
    if not isinstance(value, str):
        raise NotRecordedError("it compares text with something else")
    if not edges:
        return value
    before, after = EDGES[edges]
    return {"matches": rf"\A{before}{re.escape(value)}{after}\Z"}


def containing(value: object, *, is_wanted: bool) -> dict[str, Any]:
    """Return the matcher for text that contains `value` or, unless `is_wanted`, does not contain
    it.
    """
    if not isinstance(value, str) or not value:
        raise NotRecordedError("it searches in something other than text")
    part = {"contains": value}
    return part if is_wanted else {"none_of": [part]}


def both(first: Any, second: Any) -> Any:
    """Return the matcher for text that must match two matchers."""
    parts: list[Any] = []
    for matcher in (first, second):
        if isinstance(matcher, dict):
            parts += matcher.get("all_of", [matcher])
        else:
            parts.append(matcher)
    whole = next((part for part in parts if isinstance(part, str)), None)
    if whole is None:
        return {"all_of": parts}
    if all(part == whole or _holds(whole, part) for part in parts):
        return whole
    raise NotRecordedError("it compares one text in several ways")


def _holds(whole: str, matcher: Any) -> bool:
    """Return whether the text `whole` certainly matches, so that the matcher need not be written
    beside it.
    """
    match matcher:
        case {"contains": str(part)}:
            return part in whole
        case {"none_of": [{"contains": str(part)}]}:
            return part not in whole
        case {"matches": str(pattern)}:
            return re.search(pattern, whole) is not None
    return False


def raised(kind: str, pattern: object) -> Any:
    """Return the value of `raises:` for `pytest.raises` or `assertRaises`.

    Derived classes match too.
    """
    stated: dict[str, Any] = {"any": True, "is_a": kind}
    if pattern is not None:
        if not isinstance(pattern, str):
            raise NotRecordedError("its pattern is not a text")
        stated["message"] = {"matches": pattern}
    return stated
