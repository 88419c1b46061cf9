"""What the names of each module refer to, as far as the text shows."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from harness.policy.nodes import children, walk
from harness.policy.statelessness.allowed import MODULE_FUNCTIONS

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LIBRARY = frozenset({*MODULE_FUNCTIONS, "typing", "__future__"})


class Kind(StrEnum):
    """What a module-level name may be used for."""

    VALUE = "value"  # anything a program may hold
    TEXT = "text"  # bound once, to a constant text
    TYPE = "type"  # of `typing`: in annotations alone
    MODULE = "module"  # for its attributes alone
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A name's kind; the `module` it refers to, or its constant `text`."""

    kind: Kind
    module: str = ""
    text: str = ""


VALUE = Binding(kind=Kind.VALUE)
TYPE = Binding(kind=Kind.TYPE)
REFUSED = Binding(kind=Kind.REFUSED)


@dataclass(slots=True, kw_only=True)
class Module:
    """A file's bytes, syntax tree and names."""

    file: str
    data: bytes
    tree: ast.Module
    names: dict[str, Binding] = field(default_factory=dict)

    def bind(self, name: str, binding: Binding) -> None:
        """Bind a name; one that refers to two things is refused where it is used, unless both
        are plain values."""
        earlier = self.names.get(name)
        plain = {Kind.VALUE, Kind.TEXT}
        if earlier is None or earlier == binding:
            self.names[name] = binding
        elif earlier.kind in plain and binding.kind in plain:
            self.names[name] = VALUE
        else:
            self.names[name] = REFUSED


def resolve(modules: Mapping[str, Module]) -> None:
    """Fill in every module's names, those imported from other modules of the program too."""
    for module in modules.values():
        _own_names(module, modules)
    for _ in modules:  # a chain of imports is no longer than there are modules
        for module in modules.values():
            _imported_names(module, modules)


def own_attributes(modules: Iterable[Module]) -> set[str]:
    """Every attribute that the classes of the program define or set."""
    found: set[str] = set()
    for module in modules:
        for node in walk(module.tree):
            if isinstance(node, ast.ClassDef):
                found |= bound_in(node.body)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
    return found


def bound_in(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that these nodes bind in their own scope, not in scopes inside it."""
    return {name for name, _ in _bindings(nodes)}


def parameters(arguments: ast.arguments) -> list[str]:
    """The names of all parameters, positional ones first, in order."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [arguments.vararg, arguments.kwarg]
    return [one.arg for one in (*every, *rest) if one is not None]


def _own_names(module: Module, modules: Mapping[str, Module]) -> None:
    for node in module.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            _import(module, node, modules)
    typing_names = {n for n, b in module.names.items() if b == TYPE or b.module == "typing"}
    for name, statement in _bindings(module.tree.body):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        binding = VALUE
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            value = statement.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                binding = Binding(kind=Kind.TEXT, text=value.value)
            elif is_alias(statement, typing_names):
                binding = TYPE
                typing_names.add(name)
        module.bind(name, binding)


def is_alias(statement: ast.Assign, typing_names: Iterable[str]) -> bool:
    """Whether an assignment names a type: `Board = List[List[str]]`."""
    names = set(typing_names)
    named = (node.id for node in walk(statement.value) if isinstance(node, ast.Name))
    return isinstance(statement.targets[0], ast.Name) and any(name in names for name in named)


def _import(
    module: Module, node: ast.Import | ast.ImportFrom, modules: Mapping[str, Module]
) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            known = alias.name in modules or alias.name in LIBRARY
            binding = Binding(kind=Kind.MODULE, module=alias.name) if known else REFUSED
            module.bind(alias.asname or alias.name.partition(".")[0], binding)
        return
    source = node.module or ""
    for alias in node.names:
        if source in modules:  # `_imported_names` binds these
            continue
        if source == "typing":
            module.bind(alias.asname or alias.name, TYPE)
        elif source in MODULE_FUNCTIONS and alias.name == "*":
            for name in _star(source):
                allowed = name in MODULE_FUNCTIONS[source]
                module.bind(name, VALUE if allowed else REFUSED)
        elif source in MODULE_FUNCTIONS and alias.name in MODULE_FUNCTIONS[source]:
            module.bind(alias.asname or alias.name, VALUE)
        else:
            module.bind(alias.asname or alias.name, REFUSED)


def _star(source: str) -> list[str]:
    loaded = __import__(source)
    return list(getattr(loaded, "__all__", [n for n in dir(loaded) if not n.startswith("_")]))


def _imported_names(module: Module, modules: Mapping[str, Module]) -> None:
    for node in module.tree.body:
        if not isinstance(node, ast.ImportFrom) or (node.module or "") not in modules:
            continue
        other = modules[node.module or ""].names
        for alias in node.names:
            if alias.name == "*":
                for name, binding in list(other.items()):
                    if not name.startswith("_"):
                        module.bind(name, binding)
            elif alias.name in other:
                module.bind(alias.asname or alias.name, other[alias.name])


def _bindings(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    """Each name that is bound in this scope, with what binds it."""
    pending: list[tuple[ast.AST, ast.AST]] = [(node, node) for node in nodes]
    while pending:
        node, statement = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, COMPREHENSIONS):
            for inner in _outside_lambdas(node):  # `:=` binds outside the comprehension
                if isinstance(inner, ast.NamedExpr):
                    yield inner.target.id, inner
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, statement
        elif isinstance(node, ast.ExceptHandler | ast.MatchStar | ast.MatchAs) and node.name:
            yield node.name, node
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest, node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], node
            continue
        within = node if isinstance(node, ast.stmt) else statement
        pending += [(child, within) for child in children(node)]


def _outside_lambdas(node: ast.AST) -> Iterator[ast.AST]:
    pending = [node]
    while pending:
        one = pending.pop()
        if not isinstance(one, ast.Lambda):
            yield one
            pending += children(one)
