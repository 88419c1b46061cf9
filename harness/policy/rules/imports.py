"""Checks a file's import statements against those that the sheet allows, and the ways around them:
what reaches modules or built-ins without an import statement.

A finding of the second kind asks a person to look. It does not protect anything: what a program can
do is limited by its confinement when it runs.
"""

from __future__ import annotations

import ast
import re

from harness.model.policy import PolicyGroup
from harness.policy.index import ModuleNames, Origin, ScopeKind, Visit
from harness.policy.rule import CheckedFile, FindingCollector, FindingKind, policy_rule, short
from harness.policy.standard import NAMES, is_part, is_value, module_named

_Import = ast.Import | ast.ImportFrom
_KIND = FindingKind(name="import", title="Imports", group=PolicyGroup.IMPORTS)


@policy_rule(10, _KIND)
def check_imports(file: CheckedFile, collector: FindingCollector) -> None:
    """Every import statement, at any level, against `imports:`."""
    index, rule = file.index, file.policy.imports
    if rule is None:
        return
    statements: list[tuple[_Import, bool]] = []
    for visit in index.of(ast.Import, ast.ImportFrom):
        if isinstance(visit.node, ast.Import | ast.ImportFrom):
            statements.append((visit.node, visit.holder is index.tree))
    statements.sort(key=lambda entry: (entry[0].lineno, entry[0].col_offset))
    if rule.exactly is not None:
        _exactly(statements, rule.exactly, collector)
    elif rule.forbid is not None:
        _all_but(statements, rule.forbid, collector)
    else:
        _only(statements, rule.allow or (), collector)


def _only(
    statements: list[tuple[_Import, bool]], allowed: tuple[str, ...], collector: FindingCollector
) -> None:
    for node, _ in statements:
        for module in _modules(node):
            if _is_of(module, allowed):
                continue
            others = f"only {', '.join(allowed)}" if allowed else "nothing"
            collector.add(_KIND, node, f"imports {short(module)}, but {others} may be imported")


def _all_but(
    statements: list[tuple[_Import, bool]], forbidden: tuple[str, ...], collector: FindingCollector
) -> None:
    for node, _ in statements:
        for module in _modules(node):
            # `from os import path` imports os.path, too.
            parts = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            named = (module, *(f"{module}.{part}" for part in parts))
            refused = next((name for name in named if _is_of(name, forbidden)), None)
            if refused is not None:
                what = f"imports {short(refused)}, which may not be imported"
                collector.add(_KIND, node, what)


def _is_of(module: str, names: tuple[str, ...]) -> bool:
    """Whether it is one of these modules or a part of one."""
    return any(module == name or module.startswith(name + ".") for name in names)


def _modules(node: _Import) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    return ("." * node.level + (node.module or ""),)


def _exactly(
    statements: list[tuple[_Import, bool]], exactly: tuple[str, ...], collector: FindingCollector
) -> None:
    given = [_normal(text) for text in exactly]
    written = [(node, at_top, ast.unparse(node)) for node, at_top in statements]
    at_home = [text for _, at_top, text in written if at_top and text in given]
    missing = [text for text in given if text not in at_home]
    earlier_texts: list[str] = []
    for node, at_top, text in written:
        if at_top and text in given:
            if text in earlier_texts:
                collector.add(_KIND, node, f"`{short(text)}` is here a second time")
            elif any(given.index(text) < given.index(earlier) for earlier in earlier_texts):
                collector.add(_KIND, node, f"`{short(text)}` is not in the given order")
            earlier_texts.append(text)
        elif text in missing:
            missing.remove(text)
            earlier_texts.append(text)
            what = f"`{short(text)}` was moved; it is at the top of the file as given"
            collector.add(_KIND, node, what)
        elif text in given:
            collector.add(_KIND, node, f"`{short(text)}` is here a second time")
        else:
            _add_unknown(node, at_top, text, missing, collector)
    for text in missing:
        collector.add(_KIND, None, f"the given import `{short(text)}` was removed")


def _add_unknown(
    node: _Import, at_top: bool, text: str, missing: list[str], collector: FindingCollector
) -> None:
    original = next((m for m in missing if _same_module(m, node)), None) if at_top else None
    if original is not None:
        missing.remove(original)
        what = f"the given import `{short(original)}` was changed to `{short(text)}`"
    else:
        where = "" if at_top else " inside other code"
        what = f"`{short(text)}` was added{where}; only the given imports are permitted"
    collector.add(_KIND, node, what)


def _same_module(text: str, node: _Import) -> bool:
    original = ast.parse(text).body[0]
    if not isinstance(original, ast.Import | ast.ImportFrom):
        return False
    return bool(set(_modules(original)) & set(_modules(node)))


def _normal(text: str) -> str:
    return ast.unparse(ast.parse(text))


_EVASION = FindingKind(
    name="import_evasion", title="Evades the import rule", group=PolicyGroup.IMPORTS
)

_NAMES = {
    "__import__": "__import__ imports a module without an import statement",
    "exec": "exec runs text as code",
    "eval": "eval runs text as code",
    "compile": "compile turns text into code",
    "globals": "globals reaches names without naming them",
    "locals": "locals reaches names without naming them",
    "breakpoint": "breakpoint starts a debugger",
    "__builtins__": "__builtins__ reaches the built-ins without naming them",
    "__loader__": "__loader__ reaches the import machinery",
    "__spec__": "__spec__ reaches the import machinery",
    "__build_class__": "__build_class__ reaches the interpreter's own machinery",
}
_REACHING = frozenset({"getattr", "setattr", "delattr", "vars"})

# Calling these on an object of the program's own class is ordinary; every other double-underscore
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


# A text that spells one of these may reach it by `getattr`, `format`, a dictionary or a pattern.
_STEPS = re.compile(
    "__(?:class|globals|subclasses|builtins|import|mro|bases?|dict|code|closure|match_args"
    r"|traceback)__|\b(?:" + "|".join(sorted(_FRAME_WALK)) + r")\b"
)
# What may be done with a module as a whole and does not pass it on under another name.
_HARMLESS_CALLS = frozenset(
    """
    print help dir repr str type id isinstance issubclass hash bool callable len format
    """.split()  # noqa: SIM905
)
_PASSES_ON = (
    *(ast.Call, ast.keyword, ast.Return, ast.Yield, ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.arguments, ast.Lambda, ast.IfExp, ast.BoolOp, ast.Starred, ast.Subscript, ast.Assign),
    *(ast.AnnAssign, ast.NamedExpr, ast.For, ast.comprehension, ast.Match, ast.withitem),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Await, ast.YieldFrom),
)


_PRETENDS = {
    "__instancecheck__": "__instancecheck__ lets a pattern take other values for this class's own",
    "__subclasscheck__": "__subclasscheck__ lets a pattern take other values for this class's own",
}


@policy_rule(20, _EVASION)
def check_evasion(file: CheckedFile, collector: FindingCollector) -> None:
    """Every place that reaches around the imports, annotations included (they are evaluated)."""
    if file.policy.imports is None:
        return
    check = _Check(file, collector)
    for visit in file.index.of(*_JUDGED):
        check.visit(visit)


_JUDGED = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.MatchClass, ast.ImportFrom),
    *(ast.FunctionDef, ast.AsyncFunctionDef),
)


class _Check:
    def __init__(self, file: CheckedFile, collector: FindingCollector) -> None:
        self._index = file.index
        self._provided = file.provided
        self._defined = file.defined
        self._collector = collector
        self._modules = ModuleNames(file.index)
        self._annotations = file.index.annotations

    def visit(self, visit: Visit) -> None:
        node = visit.node
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self._name(node, visit)
            self._module_as_value(node, visit)
        elif isinstance(node, ast.Name):
            self._binding(node, visit)
        elif isinstance(node, ast.Attribute):
            self._attribute(node, visit)
            self._module_as_value(node, visit)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            self._text(node, node.value, visit)
        elif isinstance(node, ast.MatchClass):
            for name in node.kwd_attrs:
                if _is_walk(name):
                    self._collector.add(_EVASION, node, f"the pattern reaches .{short(name)}")
        elif isinstance(node, ast.ImportFrom):
            self._import_from(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in _PRETENDS:
            self._collector.add(_EVASION, node, _PRETENDS[node.name])

    def _name(self, node: ast.Name, visit: Visit) -> None:
        origin = self._index.origin(node.id, visit, self._provided)
        if origin is Origin.BUILTIN and node.id in _NAMES:
            self._collector.add(_EVASION, node, _NAMES[node.id])
        elif origin is Origin.BUILTIN and node.id in _REACHING:
            if self._reaches(node, visit):
                message = f"{node.id} is used to reach what the program did not import"
                self._collector.add(_EVASION, node, message)
        elif origin is Origin.UNKNOWN and self._came_by_star(node.id, visit):
            message = f"uses the module {node.id}, which no import of this file names"
            self._collector.add(_EVASION, node, message)

    def _came_by_star(self, name: str, visit: Visit) -> bool:
        """Whether `name` is a module that a module imported with `*` has imported."""
        if name not in NAMES or not self._index.stars or visit.parent is None:
            return False
        for module in self._index.stars:
            if name in self._defined.get(module, ()) or is_value(module, name):
                return False
        holder = visit.parent.node
        if isinstance(holder, ast.Call):
            return visit.node in holder.args and _calls_any(holder, _REACHING)
        return isinstance(holder, ast.Attribute) or any(visit.new_names())

    def _module_as_value(self, node: ast.Name | ast.Attribute, visit: Visit) -> None:
        """A module put where it can be reached under another name."""
        holder = visit.holder
        if not isinstance(holder, _PASSES_ON) or id(node) in self._annotations:
            return
        if isinstance(holder, ast.Call) and (
            holder.func is node or _calls_any(holder, _HARMLESS_CALLS | _REACHING)
        ):
            return
        if isinstance(holder, ast.Subscript) and holder.value is node:
            return
        if not isinstance(node.ctx, ast.Load) or any(visit.new_names()):
            return
        for module in sorted(self._modules.of(node, visit)):
            message = f"the module {short(module)} is used as a value; only its parts may be"
            self._collector.add(_EVASION, node, message)

    def _binding(self, node: ast.Name, visit: Visit) -> None:
        """`__match_args__` and the fields of a class name what its patterns reach."""
        if visit.scope.kind is not ScopeKind.CLASS:
            return
        if node.id in _FRAME_WALK or (node.id == "__match_args__" and not _are_plain(visit)):
            message = f"{node.id} lets a pattern of this class reach the parts of other values"
            self._collector.add(_EVASION, node, message)

    def _reaches(self, node: ast.Name, visit: Visit) -> bool:
        """Whether getattr and its kin are used on more than a variable's plain attribute."""
        call = visit.holder
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
        if base.id in self._index.imported or self._modules.at(base.id, visit):
            return True
        own_value = base is not target and not isinstance(target, ast.Attribute)
        origin = self._index.origin(base.id, visit, self._provided)
        return origin is Origin.BUILTIN and not own_value

    def _attribute(self, node: ast.Attribute, visit: Visit) -> None:
        name = node.attr
        if _is_walk(name):
            self._collector.add(_EVASION, node, f".{short(name)} leads from a value to modules")
            return
        for module in sorted(self._modules.of(node.value, visit)):
            reached = self._other_module(module, name)
            if module == "sys" and name in {"modules", "meta_path", "path_hooks"}:
                message = f"sys.{name} reaches modules without an import"
                self._collector.add(_EVASION, node, message)
            elif reached is not None:
                what = f"{short(ast.unparse(node.value))}.{name} reaches the module {reached}"
                self._collector.add(_EVASION, node, f"{what} through another module")

    def _other_module(self, module: str, name: str) -> str | None:
        """The module that `module.name` is, where it is another module of the standard library."""
        reached = module_named(module, name)
        if reached is None or f"{module}.{name}" in self._modules.dotted:
            return None
        if module in self._defined:
            return None if name in self._defined[module] else reached
        if module in NAMES and is_value(module, name):
            return None
        return None if is_part(module, name) else reached

    def _import_from(self, node: ast.ImportFrom) -> None:
        """`from a1_support import os`: a module by way of one that imported it."""
        module = node.module or ""
        if node.level:
            return
        for alias in node.names:
            reached = self._other_module(module, alias.name)
            if reached is not None:
                message = f"takes the module {reached} out of {short(module)}"
                self._collector.add(_EVASION, node, message)

    def _text(self, node: ast.Constant, text: str, visit: Visit) -> None:
        """A text that spells a step of the walk, for `getattr`, `format` or a dictionary."""
        if visit.parent and isinstance(visit.parent.node, ast.Expr):
            return
        step = _STEPS.search(text)
        if step is not None:
            what = f"a text spells {step[0]}, a step towards modules"
            self._collector.add(_EVASION, node, what)


def _calls_any(call: ast.Call, names: frozenset[str]) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in names


def _are_plain(visit: Visit) -> bool:
    """Whether `__match_args__` is given a tuple of texts, none of them a step towards modules."""
    holder = visit.holder
    value = holder.value if isinstance(holder, ast.Assign | ast.AnnAssign) else None
    if not isinstance(value, ast.Tuple):
        return False
    texts = [part.value if isinstance(part, ast.Constant) else None for part in value.elts]
    return all(isinstance(text, str) and not _is_walk(text) for text in texts)


def _is_walk(name: str) -> bool:
    if name in _FRAME_WALK:
        return True
    dunder = len(name) > 4 and name.startswith("__") and name.endswith("__")
    return dunder and name not in _ORDINARY_DUNDERS
