"""Which names of a file are modules, and which other modules could be reached through them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from harness.policy.standard import NAMES, is_part, is_value, module_named
from harness.policy.survey import ScopeKind, Survey, Visit, binding_scope

_Key = tuple[int, str]
_NONE: frozenset[str] = frozenset()
_DEEPEST = 8  # no module's dotted name has more parts


class ModuleNames:
    """The modules that each name of a file may refer to, by scope: imported under it, or assigned
    from another such name (`m = random`).

    `defined` are, by module, the names that another file of the submission or a provided one
    defines itself, so that they are no modules.
    """

    def __init__(self, survey: Survey, defined: Mapping[str, frozenset[str]]) -> None:
        self._survey = survey
        self._defined = defined
        self._modules: dict[_Key, set[str]] = {}
        self._dotted: set[str] = set()  # by `import xml.dom`: xml and xml.dom
        self._nonlocal = frozenset(
            name
            for visit in survey.of(ast.Nonlocal)
            if isinstance(visit.node, ast.Nonlocal)
            for name in visit.node.names
        )
        for visit in survey.of(ast.alias):
            self._imported(visit)
        self._follow_assignments()

    def at(self, name: str, visit: Visit) -> frozenset[str]:
        """The modules, by their dotted names, that `name` may refer to at `visit`."""
        if not self._modules:
            return _NONE
        return frozenset().union(
            *(self._modules.get(key, _NONE) for key in self._keys(name, visit))
        )

    def of(self, node: ast.expr, visit: Visit) -> frozenset[str]:
        """The same for `random`, `os.path` and the like; `visit` is in the same scope."""
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
                if is_part(module, attribute) or f"{module}.{attribute}" in self._dotted
            )
        return modules

    def reached(self, module: str, name: str) -> str | None:
        """The module that `module.name` is, where it is another module of the standard library."""
        found = module_named(module, name)
        if found is None or f"{module}.{name}" in self._dotted:
            return None
        if module in self._defined:
            return None if name in self._defined[module] else found
        if module in NAMES and is_value(module, name):
            return None
        return None if is_part(module, name) else found

    def _imported(self, visit: Visit) -> None:
        alias, statement = visit.node, visit.parent.node if visit.parent else None
        if not isinstance(alias, ast.alias):
            return
        bound = alias.asname or alias.name.partition(".")[0]
        if isinstance(statement, ast.Import):
            parts = alias.name.split(".")
            self._dotted.update(".".join(parts[: n + 1]) for n in range(1, len(parts)))
            self._add(bound, visit, alias.name if alias.asname else bound)
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            module = statement.module or ""
            if is_part(module, alias.name):
                self._add(bound, visit, f"{module}.{alias.name}")

    def _add(self, name: str, visit: Visit, module: str) -> None:
        self._modules.setdefault(self._bound(name, visit), set()).add(module)

    def _follow_assignments(self) -> None:
        given: dict[_Key, set[_Key]] = {}
        for visit in self._survey.of(ast.Name) if self._modules else ():
            node = visit.node
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                for name, target in renamed(visit):
                    to = self._bound(name, target)
                    for key in self._keys(node.id, visit):
                        given.setdefault(key, set()).add(to)
        pending = list(self._modules)
        while pending:
            key = pending.pop()
            for to in given.get(key, ()):
                known = self._modules.setdefault(to, set())
                if not self._modules[key] <= known:
                    known |= self._modules[key]
                    pending.append(to)

    def _bound(self, name: str, visit: Visit) -> _Key:
        if name in self._nonlocal:
            return 0, name
        return id(binding_scope(name, visit, self._survey.module)), name

    def _keys(self, name: str, visit: Visit) -> Iterator[_Key]:
        """Where `name` may be looked up: a class's binding may be missing when it is read."""
        if name in self._nonlocal:
            yield 0, name
            return
        scope = visit.scope
        while scope.outer is not None:
            if name in scope.declared_global:
                break
            if name in scope.bound:
                if scope.kind is not ScopeKind.CLASS:
                    yield id(scope), name
                    return
                if scope is visit.scope:
                    yield id(scope), name
            scope = scope.outer
        yield id(self._survey.module), name


def renamed(visit: Visit) -> Iterator[tuple[str, Visit]]:
    """The names that the whole value at `visit` is given (`m = random`), each as a visit."""
    holder = visit.parent
    while holder is not None:
        statement = holder.node
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign | ast.NamedExpr) and statement.value is visit.node:
            targets = [statement.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield target.id, Visit(target, holder, visit.scope)
        if not isinstance(statement, ast.NamedExpr):
            return
        visit, holder = holder, holder.parent  # `n = (m := random)`
