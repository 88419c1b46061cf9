"""Checks syntax, built-ins and methods against the permitted or forbidden lists."""

import _ast
import ast
import builtins
from collections import ChainMap
from collections.abc import Iterator
from typing import TypeVar

from harness.model.policy import NameList, PolicyGroup
from harness.policy.index import Origin, Visit, base_of
from harness.policy.rule import Breach, CheckedFile, FindingKind, ListSetting, policy_rule, short
from harness.policy.rules.imports import EVASIVE_NAMES

Node = TypeVar("Node", bound=ast.AST)

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


def _table(rows: str) -> dict[str, str]:
    """Return descriptions of syntax nodes from text with one node and its description on each
    line.
    """
    words: dict[str, str] = {}
    for row in rows.strip().splitlines():
        name, text = row.split(maxsplit=1)
        words[name] = text
    return words


# Operators are judged only if the policy names one of their family; otherwise a policy that permits
# `BinOp` permits every `+`, `@` and `<<`.
_OPERATOR_FAMILIES: tuple[dict[str, str], ...] = (
    _table(
        """
        Add       the operator +
        Sub       the operator -
        Mult      the operator *
        MatMult   the operator @
        Div       the operator /
        Mod       the operator %
        Pow       the operator **
        LShift    the operator <<
        RShift    the operator >>
        BitOr     the operator |
        BitXor    the operator ^
        BitAnd    the operator &
        FloorDiv  the operator //
        """
    ),
    _table(
        """
        Invert  the operator ~
        Not     the operator not
        UAdd    the sign +
        USub    the sign -
        """
    ),
    _table(
        """
        And  the operator and
        Or   the operator or
        """
    ),
    _table(
        """
        Eq     the comparison ==
        NotEq  the comparison !=
        Lt     the comparison <
        LtE    the comparison <=
        Gt     the comparison >
        GtE    the comparison >=
        Is     the comparison is
        IsNot  the comparison is not
        In     the operator in
        NotIn  the operator not in
        """
    ),
)
_OPERATORS = dict(ChainMap(*_OPERATOR_FAMILIES))

_FRIENDLY = _table(
    """
    FunctionDef       a function definition
    AsyncFunctionDef  an async function
    ClassDef          a class
    Return            return
    Delete            del
    AugAssign         an assignment such as +=
    TypeAlias         a type statement
    For               a for loop
    AsyncFor          an async for loop
    While             a while loop
    If                an if statement
    With              with
    AsyncWith         async with
    Match             match
    Raise             raise
    Try               try/except
    TryStar           try/except*
    Assert            assert
    Global            global
    Nonlocal          nonlocal
    Break             break
    Continue          continue
    BoolOp            and/or
    NamedExpr         an assignment expression (:=)
    BinOp             arithmetic
    UnaryOp           a sign or not
    Lambda            a lambda
    IfExp             a conditional expression (… if … else …)
    Dict              a dictionary
    Set               a set
    ListComp          a list comprehension
    SetComp           a set comprehension
    DictComp          a dictionary comprehension
    GeneratorExp      a generator expression
    Await             await
    Yield             yield
    YieldFrom         yield from
    Compare           a comparison
    JoinedStr         an f-string
    TemplateStr       a template string
    Subscript         indexing with [ ]
    Starred           unpacking with *
    List              a list
    Tuple             a tuple
    Slice             a slice
    """
)

# Names every module has; reading them is not a use of a built-in function.
_MODULE_NAMES = frozenset({"__name__", "__doc__", "__file__", "__debug__", "__package__"})
_BUILTIN_TYPES = (str, bytes, list, tuple, dict, set, frozenset, int, float, complex, range)


def _methods_of_builtins() -> frozenset[str]:
    names: set[str] = set()
    for kind in _BUILTIN_TYPES:
        names.update(dir(kind))
    return frozenset(name for name in names if not name.startswith("_"))


_METHODS_OF_BUILTINS = _methods_of_builtins()


def _node_names() -> tuple[str, ...]:
    """Return the names of all syntax node types, sorted."""
    names: list[str] = []
    for name, kind in sorted(vars(ast).items()):
        if isinstance(kind, type) and issubclass(kind, ast.AST) and name != "AST":
            names.append(name)
    return tuple(names)


def _forbidden_nodes() -> tuple[str, ...]:
    """Return the names of the node types that actually occur in trees.

    Forbidding another one would have no effect.
    """
    names: list[str] = []
    for name in _node_names():
        if name[0].isupper() and hasattr(_ast, name):
            names.append(name)
    return tuple(names)


def _outside_annotations(file: CheckedFile, kind: type[Node]) -> Iterator[Visit[Node]]:
    annotations = file.index.annotations
    for visit in file.index.of(kind):
        if id(visit.node) not in annotations:
            yield visit


@policy_rule(
    30,
    FindingKind(name="syntax", title="Technique", group=PolicyGroup.TECHNIQUES),
    ListSetting(
        key="syntax",
        description="Names of syntax tree nodes.",
        noun="syntax node",
        names=_node_names,
        forbidden=_forbidden_nodes,
    ),
)
def check_syntax(file: CheckedFile) -> Iterator[Breach]:
    """Yield every part of the syntax that is not allowed."""
    names = file.policy.names("syntax")
    if names is None:
        return
    for kind in file.index.kinds:
        name = kind.__name__
        if not _is_judged(name, names):
            continue
        message = f"{technique(name)} is not one of the allowed techniques"
        for visit in _outside_annotations(file, kind):
            if _is_reported_elsewhere(name, visit.holder, names):
                continue
            where: ast.AST | None = visit.node
            if not hasattr(where, "lineno"):
                where = visit.holder
            yield Breach(where, message, name)


def technique(name: str) -> str:
    """Return the description of a syntax node type."""
    return _OPERATORS.get(name) or _FRIENDLY.get(name, f"the syntax {name}")


def _is_judged(name: str, names: NameList) -> bool:
    if names.allow is None:
        return name in names.forbid
    if name in names.allow:
        return False
    for family in _OPERATOR_FAMILIES:
        if name in family:
            return not family.keys().isdisjoint(names.allow)
    return name not in _ALWAYS_ALLOWED


def _is_reported_elsewhere(name: str, holder: ast.AST | None, names: NameList) -> bool:
    """Return whether the enclosing node is reported instead.

    An operator is reported with its operation if that is not allowed. An f-string that formats a
    field of another f-string is reported with the outer one.
    """
    if names.allow is not None and name in _OPERATORS:
        holder_name = type(holder).__name__
        return holder_name not in names.allow
    return name == "JoinedStr" and isinstance(holder, ast.FormattedValue)


def _builtin_names() -> tuple[str, ...]:
    names = {*dir(builtins), "exit", "quit"}
    return tuple(sorted(names))


@policy_rule(
    40,
    FindingKind(name="builtin", title="Built-in function", group=PolicyGroup.TECHNIQUES),
    ListSetting(
        key="builtins",
        description="Built-in functions and types.",
        noun="built-in",
        forbidden=_builtin_names,
    ),
)
def check_builtins(file: CheckedFile) -> Iterator[Breach]:
    """Yield every use of a built-in that is not allowed."""
    names = file.policy.names("builtins")
    if names is None:
        return
    not_judged = set(_MODULE_NAMES)
    if file.policy.imports is not None:
        # The rule on imports judges these names.
        not_judged |= EVASIVE_NAMES.keys() - names.forbid
    for visit in _outside_annotations(file, ast.Name):
        node = visit.node
        name = node.id
        if name in not_judged or names.permits(name):
            continue
        if not isinstance(node.ctx, ast.Load):
            continue
        origin = file.index.origin(name, visit, file.provided)
        if origin is Origin.BUILTIN and not _names_error(visit):
            yield Breach(node, f"the built-in {name} is not one of the allowed functions")


def _names_error(visit: Visit[ast.Name]) -> bool:
    """Return whether the name is an exception in `except` or `raise`, which belongs to that
    technique.
    """
    kind = getattr(builtins, visit.node.id, None)
    if not isinstance(kind, type) or not issubclass(kind, BaseException):
        return False
    for holder in visit.holders():
        if not isinstance(holder.node, ast.Call | ast.Tuple):
            return isinstance(holder.node, ast.ExceptHandler | ast.Raise)
    return False


_NO_METHOD = "the method .{} is not one of the allowed methods"


@policy_rule(
    50,
    FindingKind(name="method", title="Method", group=PolicyGroup.TECHNIQUES),
    ListSetting(key="methods", description="Methods.", noun="method"),
)
def check_methods(file: CheckedFile) -> Iterator[Breach]:
    """Yield every use of a method that is not permitted."""
    names = file.policy.names("methods")
    if names is None:
        return
    methods = file.index.own_methods
    modules = {*file.index.imported, *file.policy.provided_modules}
    for visit in _outside_annotations(file, ast.Attribute):
        node = visit.node
        name = node.attr
        if name in methods or names.permits(name) or not isinstance(node.ctx, ast.Load):
            continue
        base = base_of(node)
        if isinstance(base, ast.Name) and base.id in modules:
            continue
        holder = visit.holder
        is_called = isinstance(holder, ast.Call) and holder.func is node
        if is_called or name in _METHODS_OF_BUILTINS or name in names.forbid:
            yield Breach(node, _NO_METHOD.format(short(name)))
    for call in _outside_annotations(file, ast.Call):
        match call.node:
            case ast.Call(ast.Name("getattr"), [_, ast.Constant(str(name)), *_]):
                if name in names.forbid:
                    yield Breach(call.node, _NO_METHOD.format(name))
