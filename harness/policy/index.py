"""An index of a file's syntax tree, so that no rule goes through nodes of other kinds, and which
names refer to modules. The walk keeps its own stack, because a student's file may nest as deeply as
the parser lets it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Generic, TypeVar

from harness.policy.standard import hides, is_part

Node_co = TypeVar("Node_co", bound=ast.AST, covariant=True)
Kind = TypeVar("Kind", bound=ast.AST)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BINDERS: tuple[type[ast.AST], ...] = (
    *(ast.Name, *DEFINITIONS, ast.alias, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar, ast.MatchMapping),
)
_BINDING = frozenset({*BINDERS, ast.Global, ast.Nonlocal})
_SURELY_BINDING = (*DEFINITIONS, ast.Assign, ast.Import, ast.ImportFrom)

# What `site` adds; the interpreter that reads a submission may have been started without it.
_SITE_NAMES = frozenset({"exit", "quit", "help", "copyright", "credits", "license"})
BUILTIN_NAMES = frozenset(dir(builtins)) | _SITE_NAMES | {"__builtins__"}

# What an annotation is usually made of. One with anything else is judged as code, because Python
# evaluates it.
_ANNOTATION_PARTS = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Tuple, ast.List),
    *(ast.BinOp, ast.BitOr),
)
_CHILDREN = "_children"  # an attribute of the node, in which its children are remembered
_DEEPEST = 8  # attributes: longer dotted module names are not followed
_NONE: frozenset[str] = frozenset()


def children(node: ast.AST) -> tuple[ast.AST, ...]:
    """What `ast.iter_child_nodes` gives, without contexts (`Load`, `Store`, `Del`)."""
    known: tuple[ast.AST, ...] | None = node.__dict__.get(_CHILDREN)
    if known is not None:
        return known
    parts: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            parts += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            parts.append(value)
    node.__dict__[_CHILDREN] = known = tuple(parts)
    return known


def walk(node: ast.AST) -> list[ast.AST]:
    """The node and all below it, in the order of `ast.walk`."""
    nodes = [node]
    for each in nodes:
        nodes += children(each)
    return nodes


def base_of(
    node: ast.AST, steps: tuple[type[ast.Attribute | ast.Subscript], ...] = (ast.Attribute,)
) -> ast.AST:
    """`player` of `player.score.total`; `steps` are the kinds of nodes to go through."""
    while isinstance(node, steps):
        node = node.value
    return node


def name_bound(node: ast.AST) -> str:
    """The name that this node itself binds in its scope, not the nodes in it; "" for none."""
    name: str | None = None
    if isinstance(node, ast.Name):
        name = node.id if isinstance(node.ctx, ast.Store) else None
    elif isinstance(node, ast.alias):
        name = _imported_as(node) if node.name != "*" else None
    elif isinstance(node, (*DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        name = node.name
    elif isinstance(node, ast.MatchMapping):
        name = node.rest
    return name or ""


def is_main_guard(test: ast.expr) -> bool:
    """`__name__ == "__main__"`, either way round."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            name, text = (left, right) if isinstance(left, ast.Name) else (right, left)
            is_name = isinstance(name, ast.Name) and name.id == "__name__"
            return is_name and isinstance(text, ast.Constant) and text.value == "__main__"
    return False


class ScopeKind(StrEnum):
    """What opened a scope."""

    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    COMPREHENSION = "comprehension"


class Origin(StrEnum):
    """Where a name that is used gets its value from."""

    OWN = "own"  # the program's, or the course's
    BUILTIN = "builtin"
    UNKNOWN = "unknown"


@dataclass(slots=True, kw_only=True, eq=False)
class Scope:
    """The names bound in one scope."""

    kind: ScopeKind
    outer: Scope | None
    bound: set[str] = field(default_factory=set)
    declared_global: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    # The names that a module surely binds, with the line and column after which they are bound.
    surely_bound: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)  # not frozen: there is one a node, and freezing triples the cost
class Visit(Generic[Node_co]):
    """A node, what holds it, and the scope its names belong to."""

    node: Node_co
    parent: Visit[ast.AST] | None
    scope: Scope

    @property
    def holder(self) -> ast.AST | None:
        """The node that holds this one; None for the module."""
        return self.parent.node if self.parent is not None else None

    def holders(self) -> Iterator[Visit[ast.AST]]:
        """What holds this node, innermost first."""
        holder = self.parent
        while holder is not None:
            yield holder
            holder = holder.parent

    def new_names(self) -> Iterator[tuple[str, Visit[ast.AST]]]:
        """The names that are assigned this node's value (`m` in `m = random`), each as a visit."""
        visit: Visit[ast.AST] = self
        for holder in self.holders():
            statement = holder.node
            targets: list[ast.expr] = []
            if isinstance(statement, ast.Assign):
                targets = statement.targets
            elif isinstance(statement, ast.AnnAssign | ast.NamedExpr):
                targets = [statement.target] if statement.value is visit.node else []
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, Visit(target, holder, visit.scope)
            if not isinstance(statement, ast.NamedExpr):
                return
            visit = holder  # in `n = (m := random)` there is another one


class Index:
    """All nodes of a file but contexts (Load, Store). `imported` are the names that its import
    statements bind, anywhere in it; `stars` the modules of its `from … import *`, each with the
    line and column after it."""

    def __init__(self, tree: ast.Module, own_modules: frozenset[str] = _NONE) -> None:
        self.tree = tree
        self.module = Scope(kind=ScopeKind.MODULE, outer=None)
        self.kinds: dict[type[ast.AST], list[Visit[Any]]] = {}
        self._own_modules = own_modules
        stack: list[Visit[ast.AST]] = [Visit(tree, None, self.module)]
        while stack:
            visit = stack.pop()
            kind = type(visit.node)
            self.kinds.setdefault(kind, []).append(visit)
            if kind in _BINDING:
                self._bind(visit)
            stack.extend(reversed(_visits_below(visit)))
        self.imported = frozenset(_imported_as(visit.node) for visit in self.of(ast.alias))
        self.stars = {
            statement.module: _after(statement)
            for statement in reversed(tree.body)
            if isinstance(statement, ast.ImportFrom)
            and statement.module
            and not statement.level
            and statement.names[0].name == "*"
        }

    def of(self, *kinds: type[Kind]) -> Iterator[Visit[Kind]]:
        """The nodes of exactly these kinds, each kind in the order of the file."""
        for kind in kinds:
            yield from self.kinds.get(kind, ())

    @cached_property
    def own_methods(self) -> frozenset[str]:
        functions: Iterator[Visit[ast.FunctionDef | ast.AsyncFunctionDef]] = self.of(*FUNCTIONS)
        return frozenset(v.node.name for v in functions if v.scope.kind is ScopeKind.CLASS)

    @cached_property
    def annotations(self) -> frozenset[int]:
        """The ids of the nodes of all annotations that do nothing but name types."""
        ids: set[int] = set()
        for visit in self.of(ast.arg, ast.AnnAssign, *FUNCTIONS):
            name = "returns" if isinstance(visit.node, FUNCTIONS) else "annotation"
            annotation = getattr(visit.node, name, None)
            nodes = walk(annotation) if isinstance(annotation, ast.AST) else []
            if all(isinstance(node, _ANNOTATION_PARTS) for node in nodes):
                ids.update(map(id, nodes))
        return frozenset(ids)

    def defined(self) -> frozenset[str]:
        """The names that the file surely binds to something that is not imported."""
        return frozenset(self.module.surely_bound) - self.imported - self.module.deleted

    def origin(self, name: str, visit: Visit[ast.AST], provided: frozenset[str]) -> Origin:
        """Where the value of `name` comes from when it is read at `visit`. A module's name hides a
        built-in only if it is surely bound, and not after `if False: exec = 1` or `del exec`."""
        scope: Scope | None = visit.scope
        in_function = False
        while scope is not None and scope.kind is not ScopeKind.MODULE:
            in_function = in_function or scope.kind is ScopeKind.FUNCTION
            if name in scope.declared_global:
                break
            if name in scope.bound and scope.kind is not ScopeKind.CLASS:
                return Origin.OWN
            scope = scope.outer
        here = (getattr(visit.node, "lineno", 0), getattr(visit.node, "col_offset", 0))
        is_deleted = name in self.module.deleted
        since = self.module.surely_bound.get(name)
        is_bound = since is not None and not is_deleted and (in_function or since <= here)
        if is_bound or name in provided:
            return Origin.OWN
        # After `from math import *`, `pow` is not the built-in.
        is_hidden = not is_deleted and any(
            hides(module, name) and (in_function or since <= here)
            for module, since in self.stars.items()
            if module not in self._own_modules
        )
        if name in BUILTIN_NAMES and not is_hidden:
            return Origin.BUILTIN
        return Origin.OWN if is_hidden or name in self.module.bound else Origin.UNKNOWN

    def binding_scope(self, name: str, visit: Visit[ast.AST]) -> Scope:
        target = visit.scope
        if isinstance(visit.holder, ast.NamedExpr):
            while target.kind is ScopeKind.COMPREHENSION and target.outer is not None:
                target = target.outer
        return self.module if name in target.declared_global else target

    def _bind(self, visit: Visit[ast.AST]) -> None:
        node, scope = visit.node, visit.scope
        if isinstance(node, ast.Global):
            scope.declared_global.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            owner = self.module if node.id in scope.declared_global else scope
            owner.deleted.add(node.id)
            owner.bound.add(node.id)
        if name := name_bound(node):
            target = self.binding_scope(name, visit)
            target.bound.add(name)
            statement = _surely_binding(visit)
            if target is self.module and statement is not None:
                target.surely_bound.setdefault(name, _after(statement))


_Name = tuple[Scope | None, str]  # the scope is None for all scopes that share a `nonlocal` name


class ModuleNames:
    """The modules that each name of a file may refer to: because it is imported, or assigned from
    another such name (`m = random`)."""

    def __init__(self, index: Index) -> None:
        self.dotted: set[str] = set()  # by `import xml.dom`: xml and xml.dom
        self._index = index
        self._modules: dict[_Name, set[str]] = {}
        nonlocals = (visit.node.names for visit in index.of(ast.Nonlocal))
        self._nonlocal = frozenset(name for names in nonlocals for name in names)
        for visit in index.of(ast.alias):
            self._import(visit)
        if self._modules:
            self._follow_assignments()

    def at(self, name: str, visit: Visit[ast.AST]) -> frozenset[str]:
        """The dotted names of the modules that `name` may refer to at `visit`."""
        if not self._modules:
            return _NONE
        places = ((scope, name) for scope in self._scopes(name, visit))
        return frozenset().union(*(self._modules.get(place, _NONE) for place in places))

    def of(self, node: ast.expr, visit: Visit[ast.AST]) -> frozenset[str]:
        """The same for an expression like `random` or `os.path`; `visit` is in the same scope."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute) and len(attributes) < _DEEPEST:
            attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return _NONE
        modules = self.at(node.id, visit)
        for attribute in reversed(attributes):
            modules = frozenset(
                f"{module}.{attribute}"
                for module in modules
                if is_part(module, attribute) or f"{module}.{attribute}" in self.dotted
            )
        return modules

    def _import(self, visit: Visit[ast.alias]) -> None:
        alias, statement = visit.node, visit.holder
        name = _imported_as(alias)
        module = ""
        if isinstance(statement, ast.Import):
            parts = alias.name.split(".")
            self.dotted.update(".".join(parts[: n + 1]) for n in range(1, len(parts)))
            module = alias.name if alias.asname else name
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            package = statement.module or ""
            module = f"{package}.{alias.name}" if is_part(package, alias.name) else ""
        if module:
            self._modules.setdefault((self._bound_in(name, visit), name), set()).add(module)

    def _follow_assignments(self) -> None:
        assigned_to: dict[_Name, set[_Name]] = {}
        loads = (v for v in self._index.of(ast.Name) if isinstance(v.node.ctx, ast.Load))
        for visit in loads:
            name = visit.node.id
            for new_name, target in visit.new_names():
                for scope in self._scopes(name, visit):
                    to = (self._bound_in(new_name, target), new_name)
                    assigned_to.setdefault((scope, name), set()).add(to)
        pending = list(self._modules)
        while pending:
            source = pending.pop()
            for to in assigned_to.get(source, ()):
                modules = self._modules.setdefault(to, set())
                if not self._modules[source] <= modules:
                    modules |= self._modules[source]
                    pending.append(to)

    def _bound_in(self, name: str, visit: Visit[ast.AST]) -> Scope | None:
        """The scope in which `visit` binds the name; None if any scope has it as `nonlocal`."""
        return None if name in self._nonlocal else self._index.binding_scope(name, visit)

    def _scopes(self, name: str, visit: Visit[ast.AST]) -> Iterator[Scope | None]:
        """The scopes in which `name` may be found: several, if a class may not have bound it yet.
        None as for `_bound_in`."""
        if name in self._nonlocal:
            yield None
            return
        scope = visit.scope
        while scope.outer is not None and name not in scope.declared_global:
            if name in scope.bound and scope.kind is not ScopeKind.CLASS:
                yield scope
                return
            if name in scope.bound and scope is visit.scope:
                yield scope
            scope = scope.outer
        yield self._index.module


def _visits_below(visit: Visit[ast.AST]) -> Sequence[Visit[ast.AST]]:
    """What a node holds, each with the scope that it belongs to."""
    node, scope = visit.node, visit.scope
    # `inner` is the scope of the parts whose ids are `inside`; all others are in `scope`.
    inner, inside = scope, frozenset[int]()
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        named = [each for each in children(node.args) if isinstance(each, ast.arg)]
        inner = Scope(kind=ScopeKind.FUNCTION, outer=scope, bound={each.arg for each in named})
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        inside = frozenset(map(id, body))
    elif isinstance(node, ast.ClassDef):
        inner, inside = Scope(kind=ScopeKind.CLASS, outer=scope), frozenset(map(id, node.body))
    elif isinstance(node, COMPREHENSIONS):
        # all parts of it, the first iterable excepted (see below)
        scope = Scope(kind=ScopeKind.COMPREHENSION, outer=scope)
    elif isinstance(node, ast.comprehension) and scope.outer is not None:
        holder = visit.holder
        if isinstance(holder, COMPREHENSIONS) and holder.generators[0] is node:
            # `[f for f in f]`: evaluated outside the comprehension
            inner, inside = scope.outer, frozenset({id(node.iter)})
    return [Visit(part, visit, inner if id(part) in inside else scope) for part in children(node)]


def _imported_as(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _after(statement: ast.stmt) -> tuple[int, int]:
    """The line and column after it."""
    return statement.end_lineno or 0, statement.end_col_offset or 0


def _surely_binding(visit: Visit[ast.AST]) -> ast.stmt | None:
    """The module's statement that binds this name whenever the module's body runs to its end; None
    if it may not."""
    holder: Visit[ast.AST] | None = visit
    if isinstance(visit.node, ast.Name | ast.alias):
        holder = visit.parent
        while holder is not None and isinstance(holder.node, ast.Tuple | ast.List | ast.Starred):
            holder = holder.parent
    if holder is None or not isinstance(holder.holder, ast.Module):
        return None
    if isinstance(holder.node, ast.AnnAssign):
        return holder.node if holder.node.value is not None else None
    return holder.node if isinstance(holder.node, _SURELY_BINDING) else None
