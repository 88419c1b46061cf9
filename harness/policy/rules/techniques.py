"""Checks syntax, built-ins and methods against the lists that the sheet permits."""

from __future__ import annotations

import ast
import builtins

from harness.model.policy import Policy, PolicyRule
from harness.policy.findings import FindingCollector
from harness.policy.survey import Origin, Survey, Visit, plain_annotations
from harness.policy.words import ALWAYS_ALLOWED, OPERATOR_FAMILIES, OPERATORS, friendly, short

# Names every module has; reading them is no use of a built-in function.
_MODULE_NAMES = frozenset({"__name__", "__doc__", "__file__", "__debug__", "__package__"})

_BUILTIN_METHODS = frozenset(
    name
    for kind in (str, bytes, list, tuple, dict, set, frozenset, int, float, complex, range)
    for name in dir(kind)
    if not name.startswith("_")
)

# Judged by the rule on ways around the imports instead, wherever imports are restricted.
_EVASIVE = frozenset(
    """
    __import__ exec eval compile globals locals breakpoint __builtins__ __loader__ __spec__
    __build_class__
    """.split()  # noqa: SIM905
)


def check_techniques(
    survey: Survey, policy: Policy, provided: frozenset[str], collector: FindingCollector
) -> None:
    """Every part of the file that the policy's lists do not permit."""
    spared = plain_annotations(survey)
    for kind in survey.kinds:
        for visit in survey.of(kind) if _is_judged(kind.__name__, policy) else ():
            if id(visit.node) not in spared:
                _syntax(visit, policy.syntax, collector)
    if policy.builtins is not None or policy.forbid_builtins is not None:
        for visit in survey.of(ast.Name):
            if id(visit.node) not in spared:
                _builtin(visit, survey, policy, provided, collector)
    if policy.methods is not None or policy.forbid_methods is not None:
        for visit in survey.of(ast.Attribute):
            if id(visit.node) not in spared:
                _method(visit, survey, policy, collector)


def _is_judged(name: str, policy: Policy) -> bool:
    allow = policy.syntax
    if allow is None:
        return name in (policy.forbid_syntax or ())
    if name in OPERATORS:
        family = next(family for family in OPERATOR_FAMILIES if name in family)
        return name not in allow and any(member in allow for member in family)
    return name not in ALWAYS_ALLOWED and name not in allow


def _is_permitted(name: str, allow: tuple[str, ...] | None, forbid: tuple[str, ...] | None) -> bool:
    return name in allow if allow is not None else name not in (forbid or ())


def _syntax(visit: Visit, allow: tuple[str, ...] | None, collector: FindingCollector) -> None:
    node = visit.node
    name = type(node).__name__
    holder = visit.parent.node if visit.parent else None
    if allow is not None and name in OPERATORS and type(holder).__name__ not in allow:
        return  # what holds it is the finding
    if name == "JoinedStr" and isinstance(holder, ast.FormattedValue):
        return  # the format after the colon: part of an f-string that is judged itself
    where = node if hasattr(node, "lineno") else holder
    collector.add(PolicyRule.SYNTAX, where, _not_permitted(friendly(name)), name)


def _not_permitted(what: str) -> str:
    return f"{what} is not one of the permitted techniques"


def _builtin(
    visit: Visit,
    survey: Survey,
    policy: Policy,
    provided: frozenset[str],
    collector: FindingCollector,
) -> None:
    node = visit.node
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    permitted = _is_permitted(node.id, policy.builtins, policy.forbid_builtins)
    if permitted or node.id in _MODULE_NAMES:
        return
    if policy.imports is not None and node.id in _EVASIVE:
        return
    if survey.origin(node.id, visit, provided) is not Origin.BUILTIN or _names_error(visit):
        return
    message = f"the built-in {node.id} is not one of the permitted functions"
    collector.add(PolicyRule.BUILTIN, node, message)


def _names_error(visit: Visit) -> bool:
    """The ValueError of `except ValueError` and `raise ValueError(…)`: part of that technique."""
    for holder in visit.holders():
        if isinstance(holder.node, ast.ExceptHandler | ast.Raise):
            name = visit.node.id if isinstance(visit.node, ast.Name) else ""
            kind = getattr(builtins, name, None)
            return isinstance(kind, type) and issubclass(kind, BaseException)
        if not isinstance(holder.node, ast.Call | ast.Tuple):
            return False
    return False


def _method(visit: Visit, survey: Survey, policy: Policy, collector: FindingCollector) -> None:
    node = visit.node
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    permitted = _is_permitted(node.attr, policy.methods, policy.forbid_methods)
    if permitted or node.attr in survey.own_methods:
        return
    base: ast.expr = node.value
    while isinstance(base, ast.Attribute):
        base = base.value
    if isinstance(base, ast.Name) and base.id in {*survey.imported, *policy.provided_modules}:
        return
    holder = visit.parent.node if visit.parent else None
    called = isinstance(holder, ast.Call) and holder.func is node
    if called or node.attr in _BUILTIN_METHODS:
        message = f"the method .{short(node.attr)} is not one of the permitted methods"
        collector.add(PolicyRule.METHOD, node, message)
