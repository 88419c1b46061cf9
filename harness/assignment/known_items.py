"""Finds the items of a list or range from source code without running it: the parameter sets of a
test, and the rounds of a loop.
"""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

MAX_ITEMS = 200
_MAX_ITEM_LENGTH = 60  # maximum length of an item in a test's name
_MAX_DEPTH = 10  # maximum nesting of calls and of names that refer to names
# Methods that change a list, a dictionary or a set.
_CHANGING = frozenset(
    """
    add append clear discard extend insert pop popitem remove reverse setdefault sort update
    """.split()  # noqa: SIM905
)
Values = Mapping[str, ast.expr]


def values_of_names(body: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """Return the values of names that these statements assign once and never change.

    Changes made by called functions are not detected.
    """
    values: dict[str, ast.expr] = {}
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                values[name] = value
    bound: Counter[str] = Counter()
    for statement in body:
        bound.update(_bound_or_changed(statement))
    unchanged: dict[str, ast.expr] = {}
    for name, value in values.items():
        if bound[name] == 1:
            unchanged[name] = value
    return unchanged


def _bound_or_changed(statement: ast.stmt) -> Iterator[str]:
    """Yield a name for every place that assigns it or changes its value."""
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                yield name
            case ast.Attribute(value=ast.Name(id=name), attr=method) if method in _CHANGING:
                yield name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names


def known_items(node: ast.expr, values: Values, depth: int = 0) -> list[str] | None:
    """Return the items of a list, tuple, dictionary or range as source texts, in order.

    Return None if they are only known at run time, or if there are more than `MAX_ITEMS`. `values`
    gives the values of names. The calls `list`, `tuple`, `enumerate`, `zip`, `.items()`, and
    `sorted` of literals are understood.
    """
    if depth > _MAX_DEPTH:
        return None
    items = _items(node, values, depth + 1)
    if items is None or len(items) > MAX_ITEMS:
        return None
    return items


def _items(node: ast.expr, values: Values, depth: int) -> list[str] | None:
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return _all_written(parts)
        case ast.Dict(keys=keys):
            return _all_written(keys)
        case ast.Name(id=name) if name in values:
            return known_items(values[name], values, depth)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _of_call(name, arguments, values, depth)
        case ast.Call(func=ast.Attribute(value=owner, attr="items"), args=[], keywords=[]):
            return _pairs(owner, values)
    return None


def _all_written(parts: Sequence[ast.expr | None]) -> list[str] | None:
    """Return the parts as they are written; None if one stands for several (`*a`, `**a`)."""
    written: list[str] = []
    for part in parts:
        if part is None or isinstance(part, ast.Starred):
            return None
        written.append(_written(part))
    return written


def _of_call(
    name: str, arguments: Sequence[ast.expr], values: Values, depth: int
) -> list[str] | None:
    if name == "range":
        return _numbers(arguments)
    if name == "sorted" and len(arguments) == 1:
        return _sorted(arguments[0])
    lists: list[list[str]] = []
    for argument in arguments:
        items = known_items(argument, values, depth)
        if items is None:
            return None
        lists.append(items)
    if name in ("list", "tuple") and len(lists) == 1:
        return lists[0]
    if name == "enumerate" and len(lists) == 1:
        numbered = enumerate(lists[0])
        return [f"{number}, {item}" for number, item in numbered]
    if name == "zip" and lists:
        rounds = zip(*lists, strict=False)
        return list(map(", ".join, rounds))
    return None


def _numbers(arguments: Sequence[ast.expr]) -> list[str] | None:
    bounds: list[object] = []
    for argument in arguments:
        try:
            bound = ast.literal_eval(argument)
        except ValueError:
            return None
        bounds.append(bound)
    numbers = range_of(bounds, MAX_ITEMS)
    if numbers is None:
        return None
    return list(map(str, numbers))


def range_of(bounds: Sequence[object], max_length: int) -> range | None:
    """Return the range with these arguments; None if they are invalid or it has more than
    `max_length` numbers.
    """
    numbers = [bound for bound in bounds if type(bound) is int]
    are_all_numbers = len(numbers) == len(bounds)
    if not are_all_numbers or not 1 <= len(numbers) <= 3:
        return None
    step = numbers[2:]
    if step == [0]:
        return None
    found = range(*numbers)
    if len(found) > max_length:
        return None
    return found


def _sorted(node: ast.expr) -> list[str] | None:
    try:
        items = sorted(ast.literal_eval(node))
    except (TypeError, ValueError):
        return None
    return [_shortened(repr(item)) for item in items]


def _pairs(owner: ast.expr, values: Values) -> list[str] | None:
    """Return the (key, value) items of a dictionary as source texts."""
    if isinstance(owner, ast.Name):
        owner = values.get(owner.id, owner)
    if not isinstance(owner, ast.Dict) or None in owner.keys:
        return None
    texts: list[str] = []
    for key, value in zip(owner.keys, owner.values, strict=True):
        assert key is not None
        pair = f"{ast.unparse(key)}, {ast.unparse(value)}"
        texts.append(_shortened(pair))
    return texts


def _written(node: ast.expr) -> str:
    """Return an item's source, without the parentheses of a tuple."""
    text = ast.unparse(node)
    if isinstance(node, ast.Tuple) and node.elts:
        text = text[1:-1].rstrip(",")
    return _shortened(text)


def _shortened(text: str) -> str:
    return textwrap.shorten(text, _MAX_ITEM_LENGTH, placeholder="…")
