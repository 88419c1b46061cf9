"""Rules for expressions, names and what may be assigned to; `rules` has those for statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from string import Formatter
from typing import Any

from harness.policy.nodes import children
from harness.policy.statelessness import allowed
from harness.policy.statelessness.bindings import (
    COMPREHENSIONS,
    Binding,
    Kind,
    Module,
    bound_in,
    parameters,
)


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """A part of the program that is not allowed; `why` goes after its source in a sentence."""

    def __init__(self, node: ast.AST, why: str = "") -> None:
        self.node = node
        self.why = why
        super().__init__(why)


@dataclass(slots=True, kw_only=True, eq=False)
class Scope:
    """A function, class or comprehension. `instance` is a method's first parameter, the one
    name whose attributes may be set, empty where it is bound again."""

    kind: str
    names: frozenset[str]
    outer: Scope | None
    instance: str = ""
    in_try: int = 0


class ExpressionRules:
    """Holds expressions of one module to the rules, one method for each kind of expression;
    `attributes` are those of the program's own classes."""

    def __init__(
        self, module: Module, modules: Mapping[str, Module], attributes: Iterable[str]
    ) -> None:
        self._module = module
        self._modules = modules
        self._attributes = frozenset(attributes)
        self._scope = Scope(kind="module", names=frozenset(), outer=None)

    # Targets

    def _target(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            metadata = self._scope.kind == "module" and node.id in allowed.METADATA
            if allowed.is_dunder(node.id) and not metadata:
                raise Refused(node, "is bound")
        elif isinstance(node, ast.Tuple | ast.List):
            for part in node.elts:
                self._target(part)
        elif isinstance(node, ast.Starred):
            self._target(node.value)
        elif isinstance(node, ast.Subscript):
            self._expression(node.value)
            self._expression(node.slice)
        elif isinstance(node, ast.Attribute):
            self._attribute_target(node)
        else:
            raise Refused(node)

    def _attribute_target(self, node: ast.Attribute) -> None:
        instance = self._scope.instance
        if not instance or not isinstance(node.value, ast.Name) or node.value.id != instance:
            raise Refused(node, "is set")
        self._own_attribute(node)

    def _own_attribute(self, node: ast.Attribute) -> None:
        if allowed.is_dunder(node.attr) or node.attr in allowed.INTERNAL:
            raise Refused(node)

    # Expressions

    def _expression(self, node: ast.expr) -> None:
        rule: Callable[[Any], None] | None = getattr(self, f"_of_{type(node).__name__}", None)
        if rule is None:
            raise Refused(node)
        rule(node)

    def _children(self, node: ast.expr) -> None:
        """Every expression directly inside one that is harmless by itself."""
        for child in children(node):
            if isinstance(child, ast.expr):
                self._expression(child)
            elif isinstance(child, ast.keyword):
                self._expression(child.value)

    def _of_Constant(self, node: ast.Constant) -> None:  # noqa: N802
        pass

    _of_BinOp = _of_UnaryOp = _of_BoolOp = _of_IfExp = _children  # noqa: N815
    _of_Dict = _of_Set = _of_List = _of_Tuple = _of_Starred = _children  # noqa: N815
    _of_Subscript = _of_Slice = _of_JoinedStr = _of_FormattedValue = _children  # noqa: N815

    def _of_NamedExpr(self, node: ast.NamedExpr) -> None:  # noqa: N802
        self._target(node.target)
        self._expression(node.value)

    def _of_Yield(self, node: ast.Yield | ast.YieldFrom) -> None:  # noqa: N802
        if self._scope.in_try:
            raise Refused(node, "is inside try")
        self._children(node)

    _of_YieldFrom = _of_Yield  # noqa: N815

    def _of_Lambda(self, node: ast.Lambda) -> None:  # noqa: N802
        names = {*parameters(node.args), *bound_in([node.body])}
        self._signature(node.args)
        with self._inside("function", names):
            self._expression(node.body)

    def _comprehension(self, node: ast.expr) -> None:
        assert isinstance(node, COMPREHENSIONS)
        self._expression(node.generators[0].iter)  # evaluated outside
        targets = bound_in([generator.target for generator in node.generators])
        with self._inside("comprehension", targets):
            for number, generator in enumerate(node.generators):
                if generator.is_async:
                    raise Refused(node)
                self._target(generator.target)
                if number:
                    self._expression(generator.iter)
                for test in generator.ifs:
                    self._expression(test)
            if isinstance(node, ast.DictComp):
                self._expression(node.key)
                self._expression(node.value)
            else:
                self._expression(node.elt)

    _of_ListComp = _of_SetComp = _of_DictComp = _of_GeneratorExp = _comprehension  # noqa: N815

    def _of_Compare(self, node: ast.Compare) -> None:  # noqa: N802
        sides = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if isinstance(operator, ast.Is | ast.IsNot) and not any(
                _is_single(side) or self._is_type_of(side) for side in (left, right)
            ):
                raise Refused(node, "compares identities")
        for side in sides:
            if self._is_type_of(side):
                assert isinstance(side, ast.Call)
                self._expression(side.args[0])
            else:
                self._expression(side)

    def _is_type_of(self, node: ast.expr) -> bool:
        """Whether this is `type(value)`, which is allowed in a comparison."""
        if not isinstance(node, ast.Call) or not self._is_builtin(node.func, "type"):
            return False
        return len(node.args) == 1 and not node.keywords

    def _is_builtin(self, node: ast.expr, name: str) -> bool:
        return isinstance(node, ast.Name) and node.id == name and self._binding(name) is None

    def _of_Name(self, node: ast.Name) -> None:  # noqa: N802
        name = node.id
        if self._is_local(name) or name == "__name__":
            return
        if allowed.is_dunder(name):
            raise Refused(node)
        if name in allowed.ALL_BUILTINS and name not in allowed.BUILTINS:
            raise Refused(node)
        binding = self._module.names.get(name)
        if binding is not None and binding.kind not in (Kind.VALUE, Kind.TEXT):
            raise Refused(node, _WHY[binding.kind])

    def _is_local(self, name: str) -> bool:
        """Whether it is surely a name of a function around, which no built-in shines through."""
        scope: Scope | None = self._scope
        while scope is not None:
            if scope.kind in ("function", "comprehension") and name in scope.names:
                return True
            scope = scope.outer
        return False

    def _binding(self, name: str) -> Binding | None:
        """What a name that is loaded here refers to; None for a built-in or for nothing."""
        if self._is_local(name) or self._is_of_class(name):
            return Binding(kind=Kind.VALUE)
        return self._module.names.get(name)

    def _is_of_class(self, name: str) -> bool:
        """Whether the body of the class that is looked at may have bound it, before or after."""
        return self._scope.kind == "class" and name in self._scope.names

    def _of_Call(self, node: ast.Call) -> None:  # noqa: N802
        self._children(node)

    def _of_Attribute(self, node: ast.Attribute) -> None:  # noqa: N802
        value = node.value
        if isinstance(value, ast.Name):
            binding = self._binding(value.id)
            if binding is not None and binding.kind is Kind.MODULE:
                self._of_module(node, binding.module)
                return
        if node.attr == "format":
            self._format(node)
            return
        if isinstance(value, ast.Call) and self._is_builtin(value.func, "super"):
            if value.args or value.keywords:
                raise Refused(node)
            if node.attr != "__init__":
                self._named_attribute(node)
            return
        self._expression(value)
        self._named_attribute(node)

    def _named_attribute(self, node: ast.Attribute) -> None:
        known = (allowed.METHODS, allowed.EXCEPTION_ATTRIBUTES)
        if any(node.attr in names for names in known):
            return
        self._own_attribute(node)
        if node.attr not in self._attributes:
            raise Refused(node)

    def _of_module(self, node: ast.Attribute, module: str) -> None:
        if module in allowed.MODULE_FUNCTIONS:
            if node.attr not in allowed.MODULE_FUNCTIONS[module]:
                raise Refused(node)
            return
        other = self._modules.get(module)
        if other is None or allowed.is_dunder(node.attr):
            raise Refused(node)
        binding = other.names.get(node.attr)  # None: there is none, which is an AttributeError
        if binding is not None and binding.kind not in (Kind.VALUE, Kind.TEXT):
            raise Refused(node)

    def _format(self, node: ast.Attribute) -> None:
        """`format` of a text that is known and looks into none of its arguments."""
        value = node.value
        text = value.value if isinstance(value, ast.Constant) else None
        if isinstance(value, ast.Name):
            binding = self._binding(value.id)
            if binding is not None and binding.kind is Kind.TEXT:
                text = binding.text
        if not isinstance(text, str):
            raise Refused(node, "formats a text that is not a constant")
        if _looks_into_arguments(text):
            raise Refused(node, "looks into its arguments")

    # Annotations

    def _annotation(self, node: ast.expr) -> None:
        """An expression that does nothing but name types, evaluated when a function is made."""
        if isinstance(node, ast.Constant | ast.Name):
            return
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            binding = self._module.names.get(node.value.id)
            if binding is not None and binding.kind is Kind.MODULE:
                return
        elif isinstance(node, ast.Tuple | ast.List):
            for part in node.elts:
                self._annotation(part)
            return
        elif isinstance(node, ast.Subscript):
            self._annotation(node.value)
            self._annotation(node.slice)
            return
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self._annotation(node.left)
            self._annotation(node.right)
            return
        raise Refused(node, "is an annotation")

    # Functions

    def _signature(self, arguments: ast.arguments) -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None and not _is_constant(default):
                raise Refused(default, "is a default that is not a constant")
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for one in (*every, arguments.vararg, arguments.kwarg):
            if one is not None and one.annotation is not None:
                self._annotation(one.annotation)
            if one is not None and allowed.is_dunder(one.arg):
                raise Refused(one)

    @contextmanager
    def _inside(self, kind: str, names: Iterable[str], instance: str = "") -> Iterator[None]:
        """Within a scope of its own, which a refusal leaves open: nothing is looked at after."""
        outer = self._scope
        self._scope = Scope(kind=kind, names=frozenset(names), outer=outer, instance=instance)
        yield
        self._scope = outer

    def _no_type_parameters(self, node: ast.AST) -> None:
        if getattr(node, "type_params", None):  # from Python 3.12 on
            raise Refused(node)


_WHY = {
    Kind.TYPE: "is used outside an annotation",
    Kind.MODULE: "is a module used as a value",
    Kind.REFUSED: "",
}


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand)
    if isinstance(node, ast.Tuple):
        return all(_is_constant(part) for part in node.elts)
    return isinstance(node, ast.Constant)


def _is_single(node: ast.expr) -> bool:
    """A constant that there is only one of."""
    return isinstance(node, ast.Constant) and (node.value is None or type(node.value) is bool)


def _looks_into_arguments(text: str) -> bool:
    try:
        fields = list(Formatter().parse(text))
    except ValueError:  # the code that formats it gets the error
        return False
    return any(
        (name is not None and ("." in name or "[" in name))
        or (bool(spec) and _looks_into_arguments(spec or ""))
        for _, name, spec, _ in fields
    )
