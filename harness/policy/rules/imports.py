"""Checks a file's import statements against those that the sheet allows, and the ways around them:
what reaches modules or built-ins without an import statement. That asks a person to look; what
protects is the confinement in which a program runs."""

import ast
import builtins
import re
import types
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from harness.model.policy import ImportPolicy, PolicyGroup
from harness.policy.index import FUNCTIONS, ModuleNames, Origin, ScopeKind, Visit
from harness.policy.rule import Breach, CheckedFile, FindingKind, policy_rule, short
from harness.policy.standard import NAMES, is_part, is_value, module_named

_Import = ast.Import | ast.ImportFrom


@policy_rule(10, FindingKind(name="import", title="Imports", group=PolicyGroup.IMPORTS))
def check_imports(file: CheckedFile) -> Iterable[Breach]:
    """Every import statement, at any level, against `imports:`."""
    rule = file.policy.imports
    if rule is None:
        return ()
    visits: Iterator[Visit[_Import]] = file.index.of(ast.Import, ast.ImportFrom)
    nodes = sorted((visit.node for visit in visits), key=lambda n: (n.lineno, n.col_offset))
    if rule.exactly is not None:
        return _exactly(nodes, file.index.tree.body, rule.exactly)
    return (
        Breach(node, f"imports {why}")
        for node in nodes
        for module in _modules(node)
        if (why := _why_not(node, module, rule))
    )


def _why_not(node: _Import, module: str, rule: ImportPolicy) -> str:
    """Return why a module may not be imported; "" if it may."""
    if rule.forbid is None:
        allowed = rule.allow or ()
        others = f"only {', '.join(allowed)}" if allowed else "nothing"
        why = f"{short(module)}, but {others} may be imported"
        return "" if _is_of(module, allowed) else why
    # `from os import path` imports os.path, too.
    parts = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
    names = (module, *(f"{module}.{part}" for part in parts))
    refused = next((name for name in names if _is_of(name, rule.forbid)), None)
    return "" if refused is None else f"{short(refused)}, which may not be imported"


def _is_of(module: str, names: tuple[str, ...]) -> bool:
    """Whether it is one of these modules or a part of one."""
    return any(module == name or module.startswith(name + ".") for name in names)


def _modules(node: _Import) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    return ("." * node.level + (node.module or ""),)


def _exactly(
    nodes: Sequence[_Import], body: Sequence[ast.stmt], exactly: Sequence[str]
) -> Iterator[Breach]:
    given = [ast.unparse(ast.parse(text)) for text in exactly]
    top = set(body)
    written = [(node, node in top, ast.unparse(node)) for node in nodes]
    at_home = [text for _, at_top, text in written if at_top and text in given]
    missing = [text for text in given if text not in at_home]
    earlier_texts: list[str] = []
    for node, at_top, text in written:
        if at_top and text in given:
            if text in earlier_texts:
                yield Breach(node, f"`{short(text)}` is here a second time")
            elif any(given.index(text) < given.index(earlier) for earlier in earlier_texts):
                yield Breach(node, f"`{short(text)}` is not in the given order")
            earlier_texts.append(text)
        elif text in missing:
            missing.remove(text)
            earlier_texts.append(text)
            yield Breach(node, f"`{short(text)}` was moved; it is at the top of the file as given")
        elif text in given:
            yield Breach(node, f"`{short(text)}` is here a second time")
        elif at_top and (original := _original(node, missing)):
            missing.remove(original)
            what = f"the given import `{short(original)}` was changed to `{short(text)}`"
            yield Breach(node, what)
        else:
            where = "" if at_top else " inside other code"
            what = f"`{short(text)}` was added{where}; only the given imports are permitted"
            yield Breach(node, what)
    for text in missing:
        yield Breach(None, f"the given import `{short(text)}` was removed")


def _original(node: _Import, missing: Sequence[str]) -> str:
    """The first of the missing imports that was of the same module."""
    for text in missing:
        original = ast.parse(text).body[0]
        assert isinstance(original, ast.Import | ast.ImportFrom)  # as policy.yaml was checked
        if not set(_modules(original)).isdisjoint(_modules(node)):
            return text
    return ""


EVASIVE_NAMES = {
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
    __truediv__ __floordiv__ __mod__ __divmod__ __pow__ __and__ __or__ __xor__ __neg__ __abs__
    __radd__ __rsub__ __rmul__ __iadd__ __isub__ __imul__ __int__ __float__ __round__ __reversed__
    __matmul__ __lshift__ __rshift__ __pos__ __invert__ __index__ __complex__ __format__
    __rtruediv__ __rfloordiv__ __rmod__ __rdivmod__ __rpow__ __rand__ __ror__ __rxor__
    __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__
    __new__ __setattr__ __delattr__ __qualname__ __missing__ __del__ __init_subclass__ __set_name__
    """.split()  # noqa: SIM905
)
# As `type` and `vars`, which may be used: what leads on from there is a step of its own.
_OF_AN_OBJECT = frozenset({"__class__", "__dict__"})
# What Python gives values of its own types; a program that defines another name means its own.
_PYTHONS = frozenset(dir(builtins)).union(
    *(
        dir(kind)
        for kind in (*vars(types).values(), object, BaseException, property, super)
        if isinstance(kind, type)
    ),
    ("__loader__", "__spec__", "__path__", "__file__", "__cached__", "__wrapped__"),
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


_PRETENDS = frozenset({"__instancecheck__", "__subclasscheck__"})
_JUDGED = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.MatchClass, ast.ImportFrom),
    *(ast.FunctionDef, ast.AsyncFunctionDef),
)


@policy_rule(
    20,
    FindingKind(name="import_evasion", title="Evades the import rule", group=PolicyGroup.IMPORTS),
)
def check_evasion(file: CheckedFile) -> Iterator[Breach]:
    """Every place that reaches around the imports, annotations included (they are evaluated)."""
    if file.policy.imports is not None:
        check = _Check(file)
        for visit in file.index.of(*_JUDGED):
            for message in check.messages(visit.node, visit):
                yield Breach(visit.node, message)


class _Check:
    def __init__(self, file: CheckedFile) -> None:
        self._index = file.index
        self._provided = file.provided
        self._defined = file.defined
        self._modules = ModuleNames(file.index)
        listed = file.policy.names("builtins")
        self._forbidden = frozenset() if listed is None else frozenset(listed.forbid)

    def messages(self, node: ast.AST, visit: Visit[ast.AST]) -> Iterator[str]:
        match node:
            case ast.Name(ctx=ast.Load()):
                yield from self._name(node, visit)
                yield from self._as_value(node, visit)
            case ast.Name() if visit.scope.kind is ScopeKind.CLASS:
                # `__match_args__` and the fields of a class name what its patterns reach.
                is_walk = node.id == "__match_args__" and not _are_plain(visit)
                if node.id in _FRAME_WALK or is_walk:
                    yield f"{node.id} lets a pattern of this class reach the parts of other values"
            case ast.Attribute():
                yield from self._attribute(node, visit)
                yield from self._as_value(node, visit)
            case ast.Constant(value=str(text)):
                step = _STEPS.search(text)  # for `getattr`, `format` or a dictionary
                if step is not None and not isinstance(visit.holder, ast.Expr):
                    yield f"a text spells {step[0]}, a step towards modules"
            case ast.MatchClass():
                for name in filter(_is_walk, node.kwd_attrs):
                    yield f"the pattern reaches .{short(name)}"
            case ast.ImportFrom(module=str(module), level=0):
                # `from a1_support import os`: a module by way of one that imported it.
                for alias in node.names:
                    if (reached := self._other_module(module, alias.name)) is not None:
                        yield f"takes the module {reached} out of {short(module)}"
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name in _PRETENDS:
                yield f"{name} lets a pattern take other values for this class's own"

    def _name(self, node: ast.Name, visit: Visit[ast.AST]) -> Iterator[str]:
        origin = self._index.origin(node.id, visit, self._provided)
        if node.id in self._forbidden:  # a finding of that rule
            return
        if origin is Origin.BUILTIN and node.id in EVASIVE_NAMES:
            yield EVASIVE_NAMES[node.id]
        elif origin is Origin.BUILTIN and node.id in _REACHING and self._reaches(node, visit):
            yield f"{node.id} is used to reach what the program did not import"
        elif origin is Origin.UNKNOWN and self._came_by_star(node.id, visit):
            yield f"uses the module {node.id}, which no import of this file names"

    def _came_by_star(self, name: str, visit: Visit[ast.AST]) -> bool:
        """Whether `name` is a module that a module imported with `*` has imported."""
        stars = self._index.stars
        known = (name in self._defined.get(each, ()) or is_value(each, name) for each in stars)
        if name not in NAMES or not stars or any(known):
            return False
        holder = visit.holder
        if isinstance(holder, ast.Call):
            return visit.node in holder.args and _calls_any(holder, _REACHING)
        return isinstance(holder, ast.Attribute) or any(visit.new_names())

    def _as_value(self, node: ast.Name | ast.Attribute, visit: Visit[ast.AST]) -> Iterator[str]:
        """Find modules that are stored under another name."""
        holder = visit.holder
        if not isinstance(holder, _PASSES_ON) or id(node) in self._index.annotations:
            return
        if isinstance(holder, ast.Call) and (
            holder.func is node or _calls_any(holder, _HARMLESS_CALLS | _REACHING)
        ):
            return
        is_indexed = isinstance(holder, ast.Subscript) and holder.value is node
        if is_indexed or not isinstance(node.ctx, ast.Load) or any(visit.new_names()):
            return
        for module in sorted(self._modules.of(node, visit)):
            yield f"the module {short(module)} is used as a value; only its parts may be"

    def _reaches(self, node: ast.Name, visit: Visit[ast.AST]) -> bool:
        """Whether getattr and its kin are used on more than a variable's plain attribute."""
        call = visit.holder
        if not isinstance(call, ast.Call) or call.func is not node or not call.args:
            return True
        target = call.args[0]
        if isinstance(target, ast.Starred) or self._is_module_or_builtin(target, visit):
            return True
        if node.id == "vars":
            return False
        name = call.args[1] if len(call.args) > 1 else None
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            return True
        return _is_walk(name.value)

    def _is_module_or_builtin(self, target: ast.expr, visit: Visit[ast.AST]) -> bool:
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

    def _attribute(self, node: ast.Attribute, visit: Visit[ast.AST]) -> Iterator[str]:
        name = node.attr
        if _is_walk(name):
            if not self._stays(node, visit):
                yield f".{short(name)} leads from a value to modules"
            return
        for module in sorted(self._modules.of(node.value, visit)):
            reached = self._other_module(module, name)
            if module == "sys" and name in {"modules", "meta_path", "path_hooks"}:
                yield f"sys.{name} reaches modules without an import"
            elif reached is not None:
                what = f"{short(ast.unparse(node.value))}.{name} reaches the module {reached}"
                yield f"{what} through another module"

    def _stays(self, node: ast.Attribute, visit: Visit[ast.AST]) -> bool:
        """Return whether a step leads only to the program's own classes and attributes."""
        if node.attr not in _OF_AN_OBJECT:
            return node.attr in self._own_attributes
        holder = visit.holder
        named = isinstance(holder, ast.Attribute) and holder.attr in {"__name__", "__qualname__"}
        return isinstance(node.ctx, ast.Load) and (named or _is_of_a_method(node.value, visit))

    @cached_property
    def _own_attributes(self) -> frozenset[str]:
        """The names of attributes that the file itself gives, which are none of Python's."""
        nodes = (visit.node for visit in self._index.of(ast.Attribute))
        stored = (node.attr for node in nodes if isinstance(node.ctx, ast.Store))
        return self._index.own_methods.union(stored) - _PYTHONS

    def _other_module(self, module: str, name: str) -> str | None:
        """Return the module that `module.name` is, if it is another module of the standard
        library."""
        reached = module_named(module, name)
        if reached is None or f"{module}.{name}" in self._modules.dotted:
            return None
        if module in self._defined:
            return None if name in self._defined[module] else reached
        is_known = is_part(module, name) or (module in NAMES and is_value(module, name))
        return None if is_known else reached


def _is_of_a_method(node: ast.expr, visit: Visit[ast.AST]) -> bool:
    """Whether it is a parameter of the method around it, such as `self` and `other`."""
    for each in visit.holders():
        if isinstance(each.node, FUNCTIONS):
            names = {part.arg for part in (*each.node.args.posonlyargs, *each.node.args.args)}
            is_parameter = isinstance(node, ast.Name) and node.id in names
            return is_parameter and isinstance(each.holder, ast.ClassDef)
    return False


def _calls_any(call: ast.Call, names: frozenset[str]) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in names


def _are_plain(visit: Visit[ast.AST]) -> bool:
    """Whether `__match_args__` is given a tuple of texts, none of them a step towards modules."""
    holder = visit.holder
    value = holder.value if isinstance(holder, ast.Assign | ast.AnnAssign) else None
    if not isinstance(value, ast.Tuple):
        return False
    texts = [part.value if isinstance(part, ast.Constant) else None for part in value.elts]
    return all(isinstance(text, str) and not _is_walk(text) for text in texts)


def _is_walk(name: str) -> bool:
    dunder = len(name) > 4 and name.startswith("__") and name.endswith("__")
    return name in _FRAME_WALK or (dunder and name not in _ORDINARY_DUNDERS)
