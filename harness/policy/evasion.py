"""Ways around the import rule: what reaches modules or built-ins without an import statement.

A finding here asks a person to look. It is no wall: what a program may do is settled by how it is
confined when it runs.
"""

from __future__ import annotations

import ast
import sys

from harness.model.policy import PolicyRule
from harness.policy.findings import FindingCollector
from harness.policy.survey import Origin, Survey, Visit
from harness.policy.words import short

_RULE = PolicyRule.IMPORT_EVASION

_NAMES = {
    "__import__": "__import__ imports a module without an import statement",
    "exec": "exec runs text as code",
    "eval": "eval runs text as code",
    "compile": "compile turns text into code",
    "globals": "globals reaches names behind the program's back",
    "locals": "locals reaches names behind the program's back",
    "breakpoint": "breakpoint starts a debugger",
    "__builtins__": "__builtins__ reaches the built-ins behind the program's back",
    "__loader__": "__loader__ reaches the import machinery",
    "__spec__": "__spec__ reaches the import machinery",
    "__build_class__": "__build_class__ reaches the interpreter's own machinery",
}
_REACHING = frozenset({"getattr", "setattr", "delattr", "vars"})

# Calling these on an object of one's own class is ordinary; every other double-underscore
# attribute is a step of a walk from a value to the modules.
_ORDINARY_DUNDERS = frozenset(
    """
    __init__ __str__ __repr__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __len__ __iter__ __next__
    __contains__ __getitem__ __setitem__ __delitem__ __add__ __sub__ __mul__ __hash__ __bool__
    __call__ __enter__ __exit__ __name__ __doc__ __post_init__
    """.split()  # noqa: SIM905
)
_FRAME_WALK = frozenset(
    """
    f_globals f_locals f_builtins f_back f_code gi_frame gi_code cr_frame ag_frame tb_frame tb_next
    func_globals import_module load_module exec_module find_spec _getframe
    """.split()  # noqa: SIM905
)


def check_evasion(survey: Survey, provided: frozenset[str], collector: FindingCollector) -> None:
    """Every place that reaches around the imports, annotations included (they are evaluated)."""
    check = _Check(survey, provided, collector)
    for visit in survey.of(*_JUDGED):
        check.visit(visit)


_JUDGED = (ast.Name, ast.Attribute, ast.Constant, ast.MatchClass, ast.ImportFrom)


class _Check:
    def __init__(
        self, survey: Survey, provided: frozenset[str], collector: FindingCollector
    ) -> None:
        self._survey = survey
        self._provided = provided
        self._ledger = collector
        self._star = any(
            isinstance(v.node, ast.alias) and v.node.name == "*" for v in survey.of(ast.alias)
        )

    def visit(self, visit: Visit) -> None:
        node = visit.node
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self._name(node, visit)
        elif isinstance(node, ast.Attribute):
            self._attribute(node, visit)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            self._text(node, node.value, visit)
        elif isinstance(node, ast.MatchClass):
            for name in node.kwd_attrs:
                if _is_walk(name):
                    self._ledger.add(_RULE, node, f"the pattern reaches .{short(name)}")
        elif isinstance(node, ast.ImportFrom):
            self._import_from(node)

    def _name(self, node: ast.Name, visit: Visit) -> None:
        origin = self._survey.origin(node.id, visit, self._provided)
        if origin is Origin.BUILTIN and node.id in _NAMES:
            self._ledger.add(_RULE, node, _NAMES[node.id])
        elif origin is Origin.BUILTIN and node.id in _REACHING:
            if self._reaches(node, visit):
                message = f"{node.id} is used to reach what the program did not import"
                self._ledger.add(_RULE, node, message)
        elif origin is Origin.UNKNOWN and self._star and node.id in sys.stdlib_module_names:
            holder = visit.parent.node if visit.parent else None
            if isinstance(holder, ast.Attribute):
                message = f"uses the module {node.id}, which no import of this file names"
                self._ledger.add(_RULE, node, message)

    def _reaches(self, node: ast.Name, visit: Visit) -> bool:
        """Whether getattr and its kin are used on more than a variable's plain attribute."""
        call = visit.parent.node if visit.parent else None
        if not isinstance(call, ast.Call) or call.func is not node:
            return True
        if not call.args or isinstance(call.args[0], ast.Starred):
            return True
        if self._is_module_or_builtin(call.args[0], visit):
            return True
        if node.id == "vars":
            return False
        name = call.args[1] if len(call.args) > 1 else None
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            return True
        return _is_walk(name.value)

    def _is_module_or_builtin(self, target: ast.expr, visit: Visit) -> bool:
        base: ast.expr = target
        while isinstance(base, ast.Attribute | ast.Call):
            base = base.value if isinstance(base, ast.Attribute) else base.func
        if not isinstance(base, ast.Name):
            return False
        if base.id in self._survey.imported:
            return True
        own_value = base is not target and not isinstance(target, ast.Attribute)
        origin = self._survey.origin(base.id, visit, self._provided)
        return origin is Origin.BUILTIN and not own_value

    def _attribute(self, node: ast.Attribute, visit: Visit) -> None:
        name = node.attr
        if _is_walk(name):
            self._ledger.add(_RULE, node, f".{short(name)} leads from a value to modules")
            return
        if not isinstance(node.value, ast.Name) or node.value.id not in self._survey.imported:
            return
        base = node.value.id
        if base == "sys" and name in {"modules", "meta_path", "path_hooks"}:
            self._ledger.add(_RULE, node, f"sys.{name} reaches modules without an import")
        elif (
            base in self._survey.modules
            and name in sys.stdlib_module_names
            and name not in self._provided
            and (base, name) != ("os", "path")
        ):
            message = f"{short(base)}.{name} reaches the module {name} through another module"
            self._ledger.add(_RULE, node, message)

    def _import_from(self, node: ast.ImportFrom) -> None:
        """`from a1_support import os`: a module by way of one that imported it."""
        module = (node.module or "").partition(".")[0]
        if node.level or module in sys.stdlib_module_names:
            return
        for alias in node.names:
            if alias.name in sys.stdlib_module_names and alias.name not in self._provided:
                message = f"takes the module {alias.name} out of {short(node.module or '.')}"
                self._ledger.add(_RULE, node, message)

    def _text(self, node: ast.Constant, text: str, visit: Visit) -> None:
        """A text that spells a step of the walk, for `getattr`, `format` or a dictionary."""
        if "__" not in text or (visit.parent and isinstance(visit.parent.node, ast.Expr)):
            return
        for step in (
            "__class__",
            "__globals__",
            "__subclasses__",
            "__builtins__",
            "__import__",
            "__mro__",
            "__bases__",
            "__base__",
            "__dict__",
            "__code__",
            "__closure__",
        ):
            if step in text:
                self._ledger.add(_RULE, node, f"a text spells {step}, a step towards modules")
                return


def _is_walk(name: str) -> bool:
    if name in _FRAME_WALK:
        return True
    dunder = len(name) > 4 and name.startswith("__") and name.endswith("__")
    return dunder and name not in _ORDINARY_DUNDERS
