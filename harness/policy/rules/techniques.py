"""Checks syntax, built-ins and methods against the lists that the sheet permits."""

from __future__ import annotations

import _ast
import ast
import builtins

from harness.model.policy import NameList, PolicyGroup
from harness.policy.index import Origin, Visit
from harness.policy.rule import (
    CheckedFile,
    FindingCollector,
    FindingKind,
    ListSetting,
    policy_rule,
    short,
)

_SYNTAX = FindingKind(name="syntax", title="Technique", group=PolicyGroup.TECHNIQUES)
_BUILTIN = FindingKind(name="builtin", title="Built-in function", group=PolicyGroup.TECHNIQUES)
_METHOD = FindingKind(name="method", title="Method", group=PolicyGroup.TECHNIQUES)

# Parts that a file cannot be written without, or that are judged by another rule (names and calls
# as built-ins, attributes as methods, imports as imports), or that only occur inside a part
# that is judged itself (a `comprehension` inside a ListComp, an `ExceptHandler` inside a Try).
_ALWAYS_ALLOWED = frozenset(
    """
    Module Expr Load Store Del Name Constant Call Attribute Assign AnnAssign Pass Import ImportFrom
    alias arguments arg keyword comprehension ExceptHandler withitem match_case FormattedValue
    MatchValue MatchSingleton MatchSequence MatchMapping MatchClass MatchStar MatchAs MatchOr
    TypeIgnore TypeVar ParamSpec TypeVarTuple Interpolation
    """.split()  # noqa: SIM905
)

# Operators are judged only by a policy that names one of their family; otherwise whoever permits
# `BinOp` permits every `+`, `@` and `<<`.
_OPERATOR_FAMILIES = (
    frozenset(
        """
        Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv
        """.split()  # noqa: SIM905
    ),
    frozenset({"Invert", "Not", "UAdd", "USub"}),
    frozenset({"And", "Or"}),
    frozenset({"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"}),
)
_OPERATORS = frozenset().union(*_OPERATOR_FAMILIES)

_FRIENDLY = {
    "FunctionDef": "a function of one's own",
    "AsyncFunctionDef": "an async function",
    "ClassDef": "a class",
    "Return": "return",
    "Delete": "del",
    "AugAssign": "an assignment such as +=",
    "TypeAlias": "a type statement",
    "For": "a for loop",
    "AsyncFor": "an async for loop",
    "While": "a while loop",
    "If": "an if statement",
    "With": "with",
    "AsyncWith": "async with",
    "Match": "match",
    "Raise": "raise",
    "Try": "try/except",
    "TryStar": "try/except*",
    "Assert": "assert",
    "Global": "global",
    "Nonlocal": "nonlocal",
    "Break": "break",
    "Continue": "continue",
    "BoolOp": "and/or",
    "NamedExpr": "an assignment expression (:=)",
    "BinOp": "arithmetic",
    "UnaryOp": "a sign or not",
    "Lambda": "a lambda",
    "IfExp": "a conditional expression (… if … else …)",
    "Dict": "a dictionary",
    "Set": "a set",
    "ListComp": "a list comprehension",
    "SetComp": "a set comprehension",
    "DictComp": "a dictionary comprehension",
    "GeneratorExp": "a generator expression",
    "Await": "await",
    "Yield": "yield",
    "YieldFrom": "yield from",
    "Compare": "a comparison",
    "JoinedStr": "an f-string",
    "TemplateStr": "a template string",
    "Subscript": "indexing with [ ]",
    "Starred": "unpacking with *",
    "List": "a list",
    "Tuple": "a tuple",
    "Slice": "a slice",
    "Add": "the operator +",
    "Sub": "the operator -",
    "Mult": "the operator *",
    "MatMult": "the operator @",
    "Div": "the operator /",
    "Mod": "the operator %",
    "Pow": "the operator **",
    "LShift": "the operator <<",
    "RShift": "the operator >>",
    "BitOr": "the operator |",
    "BitXor": "the operator ^",
    "BitAnd": "the operator &",
    "FloorDiv": "the operator //",
    "Invert": "the operator ~",
    "Not": "the operator not",
    "UAdd": "the sign +",
    "USub": "the sign -",
    "And": "the operator and",
    "Or": "the operator or",
    "Eq": "the comparison ==",
    "NotEq": "the comparison !=",
    "Lt": "the comparison <",
    "LtE": "the comparison <=",
    "Gt": "the comparison >",
    "GtE": "the comparison >=",
    "Is": "the comparison is",
    "IsNot": "the comparison is not",
    "In": "the operator in",
    "NotIn": "the operator not in",
}

# Names every module has; reading them is no use of a built-in function.
_MODULE_NAMES = frozenset({"__name__", "__doc__", "__file__", "__debug__", "__package__"})

_METHODS_OF_BUILTINS = frozenset(
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


def _node_names() -> tuple[str, ...]:
    kinds = sorted(vars(ast).items())
    return tuple(
        name
        for name, kind in kinds
        if isinstance(kind, type) and issubclass(kind, ast.AST) and name != "AST"
    )


def _judged_names() -> tuple[str, ...]:
    """Those that occur in a tree by themselves: others would forbid nothing, unnoticed."""
    return tuple(name for name in _node_names() if name[0].isupper() and hasattr(_ast, name))


def _builtin_names() -> tuple[str, ...]:
    return tuple(sorted({*dir(builtins), "exit", "quit"}))


@policy_rule(
    30,
    _SYNTAX,
    setting=ListSetting(
        key="syntax",
        description="Names of syntax tree nodes.",
        noun="syntax node",
        names=_node_names,
        forbidden=_judged_names,
    ),
)
def check_syntax(file: CheckedFile, collector: FindingCollector) -> None:
    """Every part of the syntax that is not permitted."""
    names = file.policy.names("syntax")
    for kind in file.index.kinds if names is not None else ():
        if names is not None and _is_judged(kind.__name__, names):
            for visit in file.index.of(kind):
                if id(visit.node) not in file.index.annotations:
                    _check_node(visit, names, collector)


@policy_rule(
    40,
    _BUILTIN,
    setting=ListSetting(
        key="builtins",
        description="Built-in functions and types.",
        noun="built-in",
        forbidden=_builtin_names,
    ),
)
def check_builtins(file: CheckedFile, collector: FindingCollector) -> None:
    """Every use of a built-in that is not permitted."""
    names = file.policy.names("builtins")
    for visit in file.index.of(ast.Name) if names is not None else ():
        if names is not None and id(visit.node) not in file.index.annotations:
            _check_builtin(visit, file, names, collector)


@policy_rule(50, _METHOD, setting=ListSetting(key="methods", description="Methods.", noun="method"))
def check_methods(file: CheckedFile, collector: FindingCollector) -> None:
    """Every use of a method that is not permitted."""
    names = file.policy.names("methods")
    for visit in file.index.of(ast.Attribute) if names is not None else ():
        if names is not None and id(visit.node) not in file.index.annotations:
            _check_method(visit, file, names, collector)


def _is_judged(name: str, names: NameList) -> bool:
    if names.allow is None:
        return name in names.forbid
    if name in _OPERATORS:
        family = next(family for family in _OPERATOR_FAMILIES if name in family)
        return name not in names.allow and any(member in names.allow for member in family)
    return name not in _ALWAYS_ALLOWED and name not in names.allow


def _check_node(visit: Visit, names: NameList, collector: FindingCollector) -> None:
    node = visit.node
    name = type(node).__name__
    holder = visit.holder
    if names.allow is not None and name in _OPERATORS and type(holder).__name__ not in names.allow:
        return  # what holds it is the finding
    if name == "JoinedStr" and isinstance(holder, ast.FormattedValue):
        return  # the format after the colon: part of an f-string that is judged itself
    where = node if hasattr(node, "lineno") else holder
    collector.add(_SYNTAX, where, _not_permitted(_FRIENDLY.get(name, f"the syntax {name}")), name)


def _not_permitted(what: str) -> str:
    return f"{what} is not one of the permitted techniques"


def _check_builtin(
    visit: Visit, file: CheckedFile, names: NameList, collector: FindingCollector
) -> None:
    node = visit.node
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    if names.permits(node.id) or node.id in _MODULE_NAMES:
        return
    if file.policy.imports is not None and node.id in _EVASIVE:
        return
    origin = file.index.origin(node.id, visit, file.provided)
    if origin is not Origin.BUILTIN or _names_error(visit):
        return
    message = f"the built-in {node.id} is not one of the permitted functions"
    collector.add(_BUILTIN, node, message)


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


def _check_method(
    visit: Visit, file: CheckedFile, names: NameList, collector: FindingCollector
) -> None:
    node = visit.node
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        return
    if names.permits(node.attr) or node.attr in file.index.own_methods:
        return
    base: ast.expr = node.value
    while isinstance(base, ast.Attribute):
        base = base.value
    modules = {*file.index.imported, *file.policy.provided_modules}
    if isinstance(base, ast.Name) and base.id in modules:
        return
    holder = visit.holder
    called = isinstance(holder, ast.Call) and holder.func is node
    if called or node.attr in _METHODS_OF_BUILTINS:
        message = f"the method .{short(node.attr)} is not one of the permitted methods"
        collector.add(_METHOD, node, message)
