"""Indexes a file's syntax tree by node type, and finds out which names refer to modules.

The walk uses its own stack instead of recursion, because a student's file may be nested very
deeply.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Generic, TypeGuard, TypeVar

from harness.policy.standard import hides, is_part

Node_co = TypeVar("Node_co", bound=ast.AST, covariant=True)
Kind = TypeVar("Kind", bound=ast.AST)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


def node_kinds(names: str) -> tuple[type[ast.AST], ...]:
    """Return the kinds of nodes with these names, which have spaces between them."""
    return tuple(getattr(ast, name) for name in names.split())


def is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    """Return whether a node is a name that gets a value."""
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BINDERS: tuple[type[ast.AST], ...] = (
    *(ast.Name, *DEFINITIONS, ast.alias, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar, ast.MatchMapping),
)
_BINDING = frozenset({*BINDERS, ast.Global, ast.Nonlocal})
_SURELY_BINDING = (*DEFINITIONS, ast.Assign, ast.Import, ast.ImportFrom)

# Added by `site`; the interpreter that reads a submission may have been started without it.
_SITE_NAMES = frozenset({"exit", "quit", "help", "copyright", "credits", "license"})
BUILTIN_NAMES = frozenset(dir(builtins)) | _SITE_NAMES | {"__builtins__"}

# The usual parts of an annotation. One with anything else is judged as code, because Python
# evaluates it.
_ANNOTATION_PARTS = node_kinds("Name Attribute Subscript Constant Tuple List BinOp BitOr")
_CHILDREN = "_children"  # attribute of a node that caches its children
_MAX_ATTRIBUTES = 8  # longer dotted module names are not followed
_NONE: frozenset[str] = frozenset()


def children(node: ast.AST) -> tuple[ast.AST, ...]:
    """Return the same nodes as `ast.iter_child_nodes`, without contexts (`Load`, `Store`,
    `Del`).
    """
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
    """Return the node and all nodes below it, in the order of `ast.walk`."""
    nodes = [node]
    for reached in nodes:
        nodes += children(reached)
    return nodes


def base_of(
    node: ast.AST, steps: tuple[type[ast.Attribute | ast.Subscript], ...] = (ast.Attribute,)
) -> ast.AST:
    """Return the node `player` for `player.score.total`.

    `steps` are the node types to pass through.
    """
    while isinstance(node, steps):
        node = node.value
    return node


def name_bound(node: ast.AST) -> str:
    """Return the name that this node itself assigns in its scope; "" for none."""
    if isinstance(node, ast.Name):
        return node.id if is_stored(node) else ""
    if isinstance(node, ast.alias):
        return "" if node.name == "*" else _imported_as(node)
    if isinstance(node, (*DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return node.name or ""
    if isinstance(node, ast.MatchMapping):
        return node.rest or ""
    return ""


def is_main_guard(test: ast.expr) -> bool:
    """Return whether a condition is `__name__ == "__main__"`, in either order."""
    match test:
        case ast.Compare(
            left=ast.Name(id="__name__"),
            ops=[ast.Eq()],
            comparators=[ast.Constant(value="__main__")],
        ):
            return True
        case ast.Compare(
            left=ast.Constant(value="__main__"),
            ops=[ast.Eq()],
            comparators=[ast.Name(id="__name__")],
        ):
            return True
    return False


_UNDERSCORES = re.compile(r"[_\s]")
_GUARD_WORDS = ("name", "main", "init")
_ALIKE = 0.75  # words with one typo: mian, mainn, man


def misspelt_guard(test: ast.expr) -> str:
    """Return the source of a condition that was meant as the main guard but is never true; "" for
    other conditions.

    Examples: `__name__ == "__main"`, `__name__ == __main__`, `_name_ == "__main__"`.
    """
    if is_main_guard(test):
        return ""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() as operator], comparators=[right]):
            sides = [_spelling(left), _spelling(right)]
        case _:
            return ""
    names = {side for side in sides if side in ("__name__", '"__main__"')}
    # Python keeps one object of "__main__", so that `is` works for it.
    is_right = isinstance(operator, ast.Is) and set(sides) == {"__name__", '"__main__"'}
    if is_right or not names or not all(map(_is_like_a_guard, sides)):
        return ""
    sign = "is" if isinstance(operator, ast.Is) else "=="
    return f" {sign} ".join(sides)


def _spelling(side: ast.expr) -> str:
    match side:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=str(text)):
            return f'"{text}"'
    return ""


def _is_like_a_guard(side: str) -> bool:
    letters = _UNDERSCORES.sub("", side.strip('"').lower())
    return bool(difflib.get_close_matches(letters, _GUARD_WORDS, cutoff=_ALIKE))


class ScopeKind(StrEnum):
    """The kind of node that opens a scope."""

    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    COMPREHENSION = "comprehension"


class Origin(StrEnum):
    """Where the value of a name comes from."""

    OWN = "own"  # defined by the program or the course
    BUILTIN = "builtin"
    UNKNOWN = "unknown"


@dataclass(slots=True, kw_only=True, eq=False)
class Scope:
    """The names assigned in one scope."""

    kind: ScopeKind
    outer: Scope | None
    bound: set[str] = field(default_factory=set)
    declared_global: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    # The names that a module surely binds, with the line and column after which they are bound.
    surely_bound: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)  # not frozen: every node has one, and freezing triples the cost
class Visit(Generic[Node_co]):
    """A node of the tree, with its parent's visit and the scope of its names."""

    node: Node_co
    parent: Visit[ast.AST] | None
    scope: Scope

    @property
    def holder(self) -> ast.AST | None:
        """Return the parent node; None for the module."""
        if self.parent is None:
            return None
        return self.parent.node

    def holders(self) -> Iterator[Visit[ast.AST]]:
        """Yield the enclosing nodes, innermost first."""
        holder = self.parent
        while holder is not None:
            yield holder
            holder = holder.parent

    def new_names(self) -> Iterator[tuple[str, Visit[ast.AST]]]:
        """Yield the names that this node's value is assigned to, such as `m` in `m = random`, each
        with its visit.
        """
        visit: Visit[ast.AST] = self
        for holder in self.holders():
            statement = holder.node
            targets: list[ast.expr] = []
            if isinstance(statement, ast.Assign):
                targets = statement.targets
            elif (
                isinstance(statement, ast.AnnAssign | ast.NamedExpr)
                and statement.value is visit.node
            ):
                targets = [statement.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, Visit(target, holder, visit.scope)
            if not isinstance(statement, ast.NamedExpr):
                return
            visit = holder  # in `n = (m := random)` there is another one


class Index:
    """All nodes of a file except contexts (Load, Store, Del).

    `imported` has the names that import statements define anywhere in the file. `stars` has the
    modules imported by `from … import *`, each with the line and column after the statement.
    """

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
        self.stars: dict[str, tuple[int, int]] = {}
        for statement in reversed(tree.body):
            match statement:
                case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")], level=0):
                    self.stars[module] = _after(statement)

    def of(self, *kinds: type[Kind]) -> Iterator[Visit[Kind]]:
        """Yield the nodes of exactly these types; for each type, in the order of the file."""
        for kind in kinds:
            yield from self.kinds.get(kind, ())

    @cached_property
    def own_methods(self) -> frozenset[str]:
        functions: Iterator[Visit[ast.FunctionDef | ast.AsyncFunctionDef]] = self.of(*FUNCTIONS)
        names: set[str] = set()
        for visit in functions:
            if visit.scope.kind is ScopeKind.CLASS:
                names.add(visit.node.name)
        return frozenset(names)

    @cached_property
    def annotations(self) -> frozenset[int]:
        """Return the ids of all nodes inside annotations that only name types."""
        ids: set[int] = set()
        for visit in self.of(ast.arg, ast.AnnAssign, *FUNCTIONS):
            is_function = isinstance(visit.node, FUNCTIONS)
            name = "returns" if is_function else "annotation"
            annotation = getattr(visit.node, name, None)
            if not isinstance(annotation, ast.AST):
                continue
            nodes = walk(annotation)
            if all(isinstance(node, _ANNOTATION_PARTS) for node in nodes):
                ids.update(map(id, nodes))
        return frozenset(ids)

    def defined(self) -> frozenset[str]:
        """Return the names that the file certainly assigns to something that is not imported."""
        return frozenset(self.module.surely_bound) - self.imported - self.module.deleted

    def origin(self, name: str, visit: Visit[ast.AST], provided: frozenset[str]) -> Origin:
        """Return where the value of `name` comes from if it is read at `visit`.

        A module-level name hides a built-in only if it is certainly assigned: not after `if False:
        exec = 1` or `del exec`.
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
        line = getattr(visit.node, "lineno", 0)
        column = getattr(visit.node, "col_offset", 0)
        # A function may be called after everything in the module has run.
        here = None if in_function else (line, column)
        is_deleted = name in self.module.deleted
        since = self.module.surely_bound.get(name)
        is_bound = since is not None and (here is None or since <= here)
        if name in provided or (is_bound and not is_deleted):
            return Origin.OWN
        is_hidden = not is_deleted and self._is_hidden(name, here)
        if name in BUILTIN_NAMES and not is_hidden:
            return Origin.BUILTIN
        if is_hidden or name in self.module.bound:
            return Origin.OWN
        return Origin.UNKNOWN

    def _is_hidden(self, name: str, place: tuple[int, int] | None) -> bool:
        """Return whether `from … import *` before `place` (None: anywhere) hides a built-in, as
        `from math import *` hides `pow`.
        """
        for module, since in self.stars.items():
            is_before = place is None or since <= place
            if is_before and module not in self._own_modules and hides(module, name):
                return True
        return False

    def binding_scope(self, name: str, visit: Visit[ast.AST]) -> Scope:
        target = visit.scope
        if isinstance(visit.holder, ast.NamedExpr):
            while target.kind is ScopeKind.COMPREHENSION and target.outer is not None:
                target = target.outer
        if name in target.declared_global:
            return self.module
        return target

    def _bind(self, visit: Visit[ast.AST]) -> None:
        node = visit.node
        scope = visit.scope
        if isinstance(node, ast.Global):
            scope.declared_global.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
            owner = self.module if node.id in scope.declared_global else scope
            owner.deleted.add(node.id)
            owner.bound.add(node.id)
        name = name_bound(node)
        if name:
            target = self.binding_scope(name, visit)
            target.bound.add(name)
            statement = _surely_binding(visit)
            if target is self.module and statement is not None:
                target.surely_bound.setdefault(name, _after(statement))


_Name = tuple[Scope | None, str]  # the scope is None for all scopes that share a `nonlocal` name


class ModuleNames:
    """The modules that each name in a file may refer to, through imports or assignments such as `m
    = random`.
    """

    def __init__(self, index: Index) -> None:
        self.dotted: set[str] = set()  # by `import xml.dom`: xml and xml.dom
        self._index = index
        self._modules: dict[_Name, set[str]] = {}
        self._nonlocal: set[str] = set()
        for declaration in index.of(ast.Nonlocal):
            self._nonlocal.update(declaration.node.names)
        for visit in index.of(ast.alias):
            self._import(visit)
        if self._modules:
            self._follow_assignments()

    def at(self, name: str, visit: Visit[ast.AST]) -> frozenset[str]:
        """Return the full names of the modules that `name` may refer to at `visit`."""
        if not self._modules:
            return _NONE
        modules: set[str] = set()
        for scope in self._scopes(name, visit):
            modules |= self._modules.get((scope, name), _NONE)
        return frozenset(modules)

    def of(self, node: ast.expr, visit: Visit[ast.AST]) -> frozenset[str]:
        """Return the full names of the modules that an expression such as `random` or `os.path`
        may refer to.
        """
        attributes: list[str] = []
        while isinstance(node, ast.Attribute) and len(attributes) < _MAX_ATTRIBUTES:
            attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return _NONE
        modules = self.at(node.id, visit)
        for attribute in reversed(attributes):
            modules = self._parts_named(attribute, modules)
        return modules

    def _parts_named(self, attribute: str, modules: frozenset[str]) -> frozenset[str]:
        """Return the submodules of these modules that have this name."""
        parts: set[str] = set()
        for module in modules:
            part = f"{module}.{attribute}"
            if is_part(module, attribute) or part in self.dotted:
                parts.add(part)
        return frozenset(parts)

    def _import(self, visit: Visit[ast.alias]) -> None:
        alias = visit.node
        statement = visit.holder
        name = _imported_as(alias)
        module = ""
        if isinstance(statement, ast.Import):
            parts = alias.name.split(".")
            for size in range(2, len(parts) + 1):
                self.dotted.add(".".join(parts[:size]))
            module = alias.name if alias.asname else name
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            package = statement.module or ""
            if is_part(package, alias.name):
                module = f"{package}.{alias.name}"
        if module:
            place = (self._bound_in(name, visit), name)
            self._modules.setdefault(place, set()).add(module)

    def _follow_assignments(self) -> None:
        assigned_to: dict[_Name, set[_Name]] = {}
        for visit in self._index.of(ast.Name):
            if not isinstance(visit.node.ctx, ast.Load):
                continue
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
        """Return the scope in which `visit` assigns the name; None if some scope declares it
        `nonlocal`.
        """
        if name in self._nonlocal:
            return None
        return self._index.binding_scope(name, visit)

    def _scopes(self, name: str, visit: Visit[ast.AST]) -> Iterator[Scope | None]:
        """Yield the scopes in which `name` may be found: more than one if a class may not have
        assigned it yet. None has the same meaning as in `_bound_in`.
        """
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
    """Return the child nodes, each with its scope."""
    node = visit.node
    scope = visit.scope
    # `inner` is the scope of the parts whose ids are `inside`; all others are in `scope`.
    inner = scope
    inside = frozenset[int]()
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        bound: set[str] = set()
        for part in children(node.args):
            if isinstance(part, ast.arg):
                bound.add(part.arg)
        inner = Scope(kind=ScopeKind.FUNCTION, outer=scope, bound=bound)
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        inside = frozenset(map(id, body))
    elif isinstance(node, ast.ClassDef):
        inner = Scope(kind=ScopeKind.CLASS, outer=scope)
        inside = frozenset(map(id, node.body))
    elif isinstance(node, COMPREHENSIONS):
        # All parts of it except the first iterable (see below).
        scope = Scope(kind=ScopeKind.COMPREHENSION, outer=scope)
    elif isinstance(node, ast.comprehension) and scope.outer is not None:
        holder = visit.holder
        if isinstance(holder, COMPREHENSIONS) and holder.generators[0] is node:
            # The last f of `[f for f in f]` is evaluated outside the comprehension.
            inner = scope.outer
            inside = frozenset({id(node.iter)})
    visits: list[Visit[ast.AST]] = []
    for part in children(node):
        is_inside = id(part) in inside
        visits.append(Visit(part, visit, inner if is_inside else scope))
    return visits


def _imported_as(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _after(statement: ast.stmt) -> tuple[int, int]:
    """Return the line and column directly after the statement."""
    return statement.end_lineno or 0, statement.end_col_offset or 0


def _surely_binding(visit: Visit[ast.AST]) -> ast.stmt | None:
    """Return the module-level statement that always assigns this name when the module runs to its
    end; None if there is none.
    """
    holder: Visit[ast.AST] | None = visit
    if isinstance(visit.node, ast.Name | ast.alias):
        holder = visit.parent
        while holder is not None and isinstance(holder.node, ast.Tuple | ast.List | ast.Starred):
            holder = holder.parent
    if holder is None or not isinstance(holder.holder, ast.Module):
        return None
    statement = holder.node
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return statement
    if isinstance(statement, _SURELY_BINDING):
        return statement
    return None
