"""What the nodes of a syntax tree hold and bind, and one walk over it: every node by its kind, with
its parent and scope.

The walk keeps its own stack, since a student's file may nest as deeply as the parser lets it, and
sorts the nodes once, so that no rule has to look at those it has nothing to say about.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from harness.policy.standard import hidden_by_star

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BINDERS: tuple[type[ast.AST], ...] = (
    ast.Name,
    *FUNCTIONS,
    ast.ClassDef,
    ast.alias,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
    ast.MatchMapping,
)

_KEPT = "_held"  # on the node itself, so that it goes with its tree


def children(node: ast.AST) -> tuple[ast.AST, ...]:
    """The nodes that a node holds, as `ast.iter_child_nodes` gives them, but for `Load` and its
    kin."""
    kept: tuple[ast.AST, ...] | None = node.__dict__.get(_KEPT)
    if kept is not None:
        return kept
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            found.append(value)
    kept = tuple(found)
    node.__dict__[_KEPT] = kept
    return kept


def walk(node: ast.AST) -> list[ast.AST]:
    """The node and all below it, in the order of `ast.walk`."""
    found = [node]
    for each in found:
        found += children(each)
    return found


def parameters(arguments: ast.arguments) -> Iterator[str]:
    """The names of all parameters of a function."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in (*named, arguments.vararg, arguments.kwarg):
        if argument is not None:
            yield argument.arg


def bound_by(alias: ast.AST) -> str:
    """The name that one part of an import statement binds; "" for any other node."""
    if not isinstance(alias, ast.alias):
        return ""
    return alias.asname or alias.name.partition(".")[0]


def names_bound(node: ast.AST) -> Iterator[str]:
    """The names that this node by itself (not what it holds) binds in its scope."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Store):
            yield node.id
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        if node.name != "*":
            yield bound_by(node)
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        if node.name:
            yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


# What `site` adds; the interpreter that reads a submission may have been started without it.
_SITE_NAMES = frozenset({"exit", "quit", "help", "copyright", "credits", "license"})
BUILTIN_NAMES = frozenset(dir(builtins)) | _SITE_NAMES | {"__builtins__"}


class ScopeKind(StrEnum):
    """What opened a scope."""

    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    COMPREHENSION = "comprehension"


class Origin(StrEnum):
    """Where a name that is used gets its value from."""

    OWN = "own"
    PROVIDED = "provided"
    BUILTIN = "builtin"
    UNKNOWN = "unknown"


@dataclass(slots=True, kw_only=True, eq=False)
class Scope:
    """The names bound in one scope. `firm` are those that a module surely has, with the line."""

    kind: ScopeKind
    outer: Scope | None
    bound: set[str] = field(default_factory=set)
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    firm: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True, eq=False)  # not frozen: there is one a node, and freezing triples the cost
class Visit:
    """A node, what holds it, and the scope its names belong to."""

    node: ast.AST
    parent: Visit | None
    scope: Scope

    def holders(self) -> Iterator[Visit]:
        """What holds this node, innermost first."""
        holder = self.parent
        while holder is not None:
            yield holder
            holder = holder.parent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Survey:
    """A whole file. `imported` are the names its import statements bind, anywhere in it;
    `stars` the modules of its `from … import *`, with the line of each; `own_modules` the other
    files of the submission. Contexts (Load, Store) are left out."""

    tree: ast.Module
    module: Scope
    kinds: dict[type[ast.AST], list[Visit]]
    imported: frozenset[str]
    stars: dict[str, int]
    own_modules: frozenset[str]
    own_methods: frozenset[str]

    def of(self, *kinds: type[ast.AST]) -> Iterator[Visit]:
        """The nodes of exactly these kinds, each kind in the order of the file."""
        for kind in kinds:
            yield from self.kinds.get(kind, ())

    def origin(self, name: str, visit: Visit, provided: frozenset[str]) -> Origin:
        """Where `name` comes from when it is read at `visit`.

        A module's binding hides a built-in only if it is surely there: `if False: exec = 1` and
        `del exec` leave the built-in in force.
        """
        scope: Scope | None = visit.scope
        in_function = False
        while scope is not None and scope.kind is not ScopeKind.MODULE:
            in_function = in_function or scope.kind is ScopeKind.FUNCTION
            if name in scope.declared_global:
                break
            if name in scope.bound and scope.kind is not ScopeKind.CLASS:
                return Origin.OWN
            scope = scope.outer
        line = self.module.firm.get(name)
        is_firm = line is not None and name not in self.module.deleted
        if is_firm and (in_function or (line or 0) < getattr(visit.node, "lineno", 0)):
            return Origin.OWN
        if name in provided:
            return Origin.PROVIDED
        if name not in self.module.deleted and self._comes_by_star(name, visit, in_function):
            return Origin.OWN
        if name in BUILTIN_NAMES:
            return Origin.BUILTIN
        return Origin.OWN if name in self.module.bound else Origin.UNKNOWN

    def _comes_by_star(self, name: str, visit: Visit, in_function: bool) -> bool:
        """Whether `from math import *` has put a `pow` of its own in the place of the built-in."""
        here = getattr(visit.node, "lineno", 0)
        return any(
            name in hidden_by_star(module) and (in_function or line < here)
            for module, line in self.stars.items()
            if module not in self.own_modules
        )

    def defined(self) -> frozenset[str]:
        """The names that the file surely binds to something of its own: no imported one."""
        return frozenset(self.module.firm) - self.imported - self.module.deleted


def survey(tree: ast.Module, own_modules: frozenset[str] = frozenset()) -> Survey:
    """Walk the whole tree once. `own_modules` are the other files of the submission."""
    module = Scope(kind=ScopeKind.MODULE, outer=None)
    kinds: dict[type[ast.AST], list[Visit]] = {}
    stack = [Visit(tree, None, module)]
    while stack:
        visit = stack.pop()
        kind = type(visit.node)
        kinds.setdefault(kind, []).append(visit)
        if kind in _BINDING:
            _bind(visit, module)
        if kind not in _LEAVES:
            stack.extend(reversed(_children(visit)))
    aliases = kinds.get(ast.alias, ())
    methods = (v for kind in FUNCTIONS for v in kinds.get(kind, ()))
    return Survey(
        tree=tree,
        module=module,
        kinds=kinds,
        imported=frozenset(bound_by(v.node) for v in aliases),
        stars=_stars(tree),
        own_modules=own_modules,
        own_methods=frozenset(
            getattr(v.node, "name", "") for v in methods if v.scope.kind is ScopeKind.CLASS
        ),
    )


def _stars(tree: ast.Module) -> dict[str, int]:
    return {
        statement.module: statement.lineno
        for statement in reversed(tree.body)
        if isinstance(statement, ast.ImportFrom)
        and statement.module
        and not statement.level
        and statement.names[0].name == "*"
    }


_LEAVES = frozenset({ast.Name, ast.Constant, ast.alias, ast.Pass, ast.Break, ast.Continue})
_BINDING = frozenset({*BINDERS, ast.Global, ast.Nonlocal})


def _children(visit: Visit) -> list[Visit]:
    node, scope = visit.node, visit.scope
    kind = type(node)
    inner: Scope | None = None
    inside: tuple[str, ...] = ()
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        inner, inside = Scope(kind=ScopeKind.FUNCTION, outer=scope), ("body",)
        inner.bound.update(parameters(node.args))
    elif kind is ast.ClassDef:
        inner, inside = Scope(kind=ScopeKind.CLASS, outer=scope), ("body",)
    elif kind in COMPREHENSIONS:
        inner, inside = Scope(kind=ScopeKind.COMPREHENSION, outer=scope), node._fields
    children: list[Visit] = []
    for name in node._fields:
        value = getattr(node, name, None)
        at = inner if inner is not None and name in inside else scope
        if kind is ast.comprehension and name == "iter" and _is_first(visit) and scope.outer:
            at = scope.outer  # `[f for f in f]`: evaluated outside the comprehension
        for part in value if isinstance(value, list) else (value,):
            if isinstance(part, ast.AST) and not isinstance(part, ast.expr_context):
                children.append(Visit(part, visit, at))
    return children


def _is_first(visit: Visit) -> bool:
    holder = visit.parent.node if visit.parent else None
    return isinstance(holder, COMPREHENSIONS) and holder.generators[0] is visit.node


def _bind(visit: Visit, module: Scope) -> None:
    node, scope = visit.node, visit.scope
    if isinstance(node, ast.Global):
        scope.declared_global.update(node.names)
        return
    if isinstance(node, ast.Nonlocal):
        scope.declared_nonlocal.update(node.names)
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
        owner = module if node.id in scope.declared_global else scope
        owner.deleted.add(node.id)
        owner.bound.add(node.id)
        return
    for name in names_bound(node):
        target = binding_scope(name, visit, module)
        target.bound.add(name)
        if target is module and _is_firm(visit):
            module.firm.setdefault(name, getattr(node, "lineno", 0))


def binding_scope(name: str, visit: Visit, module: Scope) -> Scope:
    """The scope in which `visit` binds `name`."""
    target = visit.scope
    if visit.parent is not None and isinstance(visit.parent.node, ast.NamedExpr):
        while target.kind is ScopeKind.COMPREHENSION and target.outer is not None:
            target = target.outer
    return module if name in target.declared_global else target


def _is_firm(visit: Visit) -> bool:
    """Whether a binding happens for sure when the module's body runs to its end."""
    holder: Visit | None = visit
    if isinstance(visit.node, ast.Name | ast.alias):
        holder = visit.parent
        while holder is not None and isinstance(holder.node, ast.Tuple | ast.List | ast.Starred):
            holder = holder.parent
    if holder is None or holder.parent is None or not isinstance(holder.parent.node, ast.Module):
        return False
    if isinstance(holder.node, ast.AnnAssign):
        return holder.node.value is not None
    firm = (*FUNCTIONS, ast.ClassDef, ast.Assign, ast.Import, ast.ImportFrom)
    return isinstance(holder.node, firm)


# What an annotation is spelled with. An annotation that holds anything else is judged as code,
# since Python evaluates it.
_ANNOTATION_PARTS = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Constant,
    ast.Tuple,
    ast.List,
    ast.BinOp,
    ast.BitOr,
    ast.expr_context,
)


def plain_annotations(survey: Survey) -> frozenset[int]:
    """The ids of the nodes of all annotations that do nothing but name types."""
    plain: set[int] = set()
    for visit in survey.of(ast.arg, ast.AnnAssign, ast.FunctionDef, ast.AsyncFunctionDef):
        field = "returns" if isinstance(visit.node, FUNCTIONS) else "annotation"
        annotation = getattr(visit.node, field, None)
        if isinstance(annotation, ast.AST):
            nodes = list(walk(annotation))
            if all(isinstance(node, _ANNOTATION_PARTS) for node in nodes):
                plain.update(id(node) for node in nodes)
    return frozenset(plain)
