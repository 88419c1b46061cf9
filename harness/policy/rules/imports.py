"""Checks import statements against the allowed modules, and finds ways around them.

Code that reaches modules or built-ins without an import statement is a finding for manual review.
The actual protection is the confinement in which programs run.
"""

import ast
import builtins
import re
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from harness.model.policy import ImportPolicy, PolicyGroup
from harness.policy.index import FUNCTIONS, ModuleNames, Origin, ScopeKind, Visit, node_kinds
from harness.policy.rule import Breach, CheckedFile, FindingKind, policy_rule, short
from harness.policy.standard import NAMES, is_part, is_value, module_named

_Import = ast.Import | ast.ImportFrom


@policy_rule(10, FindingKind(name="import", title="Imports", group=PolicyGroup.IMPORTS))
def check_imports(file: CheckedFile) -> Iterable[Breach]:
    """Yield every import, at any level, that `imports:` does not allow."""
    rule = file.policy.imports
    if rule is None:
        return ()
    visits: Iterator[Visit[_Import]] = file.index.of(ast.Import, ast.ImportFrom)
    extra_modules = file.extra - sys.stdlib_module_names
    nodes: list[_Import] = []
    for visit in visits:
        if not extra_modules.issuperset(_modules(visit.node)):
            nodes.append(visit.node)
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    if rule.exactly is not None and file.is_extra:
        rule = _allowing_the_given(rule.exactly)
    if rule.exactly is not None:
        return _exactly(nodes, file.index.tree.body, rule.exactly)
    return _listed(nodes, rule, extra_modules)


def _listed(
    nodes: Sequence[_Import], rule: ImportPolicy, extra_modules: frozenset[str]
) -> Iterator[Breach]:
    for node in nodes:
        for module in _modules(node):
            if module in extra_modules:
                continue
            why = _why_not(node, module, rule)
            if why:
                yield Breach(node, f"imports {why}")


def _allowing_the_given(exactly: Sequence[str]) -> ImportPolicy:
    """Return the imports allowed in a file that has no list of its own: the modules listed for
    other files.
    """
    allowed: list[str] = []
    for text in exactly:
        statement = ast.parse(text).body[0]
        if isinstance(statement, ast.Import | ast.ImportFrom):
            allowed += _modules(statement)
    return ImportPolicy(allow=tuple(allowed))


def _why_not(node: _Import, module: str, rule: ImportPolicy) -> str:
    """Return why a module may not be imported; "" if it may."""
    if rule.forbid is None:
        allowed = rule.allow or ()
        if _is_of(module, allowed):
            return ""
        others = "nothing"
        if allowed:
            others = f"only {', '.join(allowed)}"
        return f"{short(module)}, but {others} may be imported"
    names = [module]
    if isinstance(node, ast.ImportFrom):
        # `from os import path` imports os.path, too.
        for alias in node.names:
            names.append(f"{module}.{alias.name}")
    for name in names:
        if _is_of(name, rule.forbid):
            return f"{short(name)}, which may not be imported"
    return ""


def _is_of(module: str, names: tuple[str, ...]) -> bool:
    """Return whether a module is one of these or a submodule of one."""
    return any(module == name or module.startswith(f"{name}.") for name in names)


def _modules(node: _Import) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    dots = "." * node.level
    name = node.module or ""
    return (dots + name,)


def _exactly(
    nodes: Sequence[_Import], body: Sequence[ast.stmt], exactly: Sequence[str]
) -> Iterator[Breach]:
    trees = map(ast.parse, exactly)
    given = [ast.unparse(tree) for tree in trees]
    top = set(body)
    at_home: set[str] = set()
    for node in nodes:
        if node in top:
            at_home.add(ast.unparse(node))
    missing = [text for text in given if text not in at_home]
    earlier_texts: list[str] = []
    last = 0  # highest position in the required order so far
    for node in nodes:
        text = ast.unparse(node)
        shown = f"`{short(text)}`"
        at_top = node in top
        original = ""
        if at_top:
            original = _original(node, missing)
        if at_top and text in given:
            place = given.index(text)
            if text in earlier_texts:
                yield Breach(node, f"{shown} appears twice")
            elif place < last:
                yield Breach(node, f"{shown} is not in the given order")
            last = max(last, place)
            earlier_texts.append(text)
        elif text in missing:
            missing.remove(text)
            last = max(last, given.index(text))
            earlier_texts.append(text)
            yield Breach(node, f"{shown} was moved; leave it at the top of the file")
        elif text in given:
            yield Breach(node, f"{shown} appears twice")
        elif original:
            missing.remove(original)
            yield Breach(node, f"the given import `{short(original)}` was changed to {shown}")
        else:
            added = "was added"
            if not at_top:
                added = "was added inside other code"
            yield Breach(node, f"{shown} {added}; only the given imports are allowed")
    for text in missing:
        yield Breach(None, f"the given import `{short(text)}` was removed")


def _original(node: _Import, missing: Sequence[str]) -> str:
    """Return the first missing import that is from the same module."""
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
    "globals": "globals gives access to names that do not appear in the code",
    "locals": "locals gives access to names that do not appear in the code",
    "breakpoint": "breakpoint starts a debugger",
    "__builtins__": "__builtins__ gives access to built-ins that do not appear in the code",
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


def _names_of_python() -> frozenset[str]:
    """Return the attribute names of Python's built-in types.

    If a program defines another name, it means its own.
    """
    names = {*dir(builtins), "__loader__", "__spec__", "__path__", "__file__", "__cached__"}
    names.add("__wrapped__")
    for kind in (*vars(types).values(), object, BaseException, property, super):
        if isinstance(kind, type):
            names.update(dir(kind))
    return frozenset(names)


_OF_PYTHON = _names_of_python()
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
# Uses of a whole module that do not pass it on under another name.
_HARMLESS_CALLS = frozenset(
    """
    print help dir repr str type id isinstance issubclass hash bool callable len format
    """.split()  # noqa: SIM905
)
_PASSES_ON = node_kinds(
    """
    Call keyword Return Yield List Tuple Set Dict arguments Lambda IfExp BoolOp Starred Subscript
    Assign AnnAssign NamedExpr For comprehension Match withitem ListComp SetComp DictComp
    GeneratorExp Await YieldFrom
    """
)
_PRETENDS = frozenset({"__instancecheck__", "__subclasscheck__"})
_JUDGED = node_kinds("Name Attribute Constant MatchClass ImportFrom FunctionDef AsyncFunctionDef")


@policy_rule(
    20,
    FindingKind(name="import_evasion", title="Evades the import rule", group=PolicyGroup.IMPORTS),
)
def check_evasion(file: CheckedFile) -> Iterator[Breach]:
    """Yield every place that works around the import rules, including annotations, because they
    are evaluated.
    """
    if file.policy.imports is None:
        return
    check = _NodeJudge(file)
    for visit in file.index.of(*_JUDGED):
        for message in check.messages(visit.node, visit):
            yield Breach(visit.node, message)


class _NodeJudge:
    """Checks the nodes of one file for ways around the import rules."""

    def __init__(self, file: CheckedFile) -> None:
        self._index = file.index
        self._provided = file.provided
        self._defined = file.defined
        self._modules = ModuleNames(file.index)
        self._forbidden = frozenset[str]()  # built-ins, whose use is a finding of that rule
        listed = file.policy.names("builtins")
        if listed is not None:
            self._forbidden = frozenset(listed.forbid)

    def messages(self, node: ast.AST, visit: Visit[ast.AST]) -> Iterator[str]:
        match node:
            case ast.Name(ctx=ast.Load()):
                yield from self._name(node, visit)
                yield from self._as_value(node, visit)
            case ast.Name() if visit.scope.kind is ScopeKind.CLASS:
                # `__match_args__` and the fields of a class name what its patterns reach.
                is_walk = node.id == "__match_args__" and not _are_plain(visit)
                if node.id in _FRAME_WALK or is_walk:
                    yield f"{node.id} lets a pattern of this class use the parts of other values"
            case ast.Attribute():
                yield from self._attribute(node, visit)
                yield from self._as_value(node, visit)
            case ast.Constant(value=str(text)):
                step = _STEPS.search(text)  # for `getattr`, `format` or a dictionary
                if step is not None and not isinstance(visit.holder, ast.Expr):
                    yield f"a text contains {step[0]}, which gives access to modules"
            case ast.MatchClass():
                for name in filter(_is_walk, node.kwd_attrs):
                    yield f"the pattern uses .{short(name)}"
            case ast.ImportFrom(module=str(module), level=0):
                # `from a1_support import os`: a module by way of one that imported it.
                for alias in node.names:
                    reached = self._other_module(module, alias.name)
                    if reached is not None:
                        yield f"takes the module {reached} from {short(module)}"
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name in _PRETENDS:
                yield f"{name} lets a pattern treat other values as objects of this class"

    def _name(self, node: ast.Name, visit: Visit[ast.AST]) -> Iterator[str]:
        name = node.id
        origin = self._index.origin(name, visit, self._provided)
        if name in self._forbidden:
            return
        if origin is Origin.BUILTIN and name in EVASIVE_NAMES:
            yield EVASIVE_NAMES[name]
        elif origin is Origin.BUILTIN and name in _REACHING and self._reaches(node, visit):
            yield f"{name} is used to reach a module that the program did not import"
        elif origin is Origin.UNKNOWN and self._came_by_star(name, visit):
            yield f"uses the module {name}, which this file does not import"

    def _came_by_star(self, name: str, visit: Visit[ast.AST]) -> bool:
        """Return whether `name` is a module that was imported by a `from … import *`."""
        stars = self._index.stars
        if name not in NAMES or not stars:
            return False
        for module in stars:
            if name in self._defined.get(module, ()) or is_value(module, name):
                return False
        holder = visit.holder
        if isinstance(holder, ast.Call):
            return visit.node in holder.args and _calls_any(holder, _REACHING)
        return isinstance(holder, ast.Attribute) or any(visit.new_names())

    def _as_value(self, node: ast.Name | ast.Attribute, visit: Visit[ast.AST]) -> Iterator[str]:
        """Yield a message for each module that is stored under another name."""
        holder = visit.holder
        if not isinstance(holder, _PASSES_ON) or id(node) in self._index.annotations:
            return
        if isinstance(holder, ast.Call):
            is_called = holder.func is node
            if is_called or _calls_any(holder, _HARMLESS_CALLS | _REACHING):
                return
        if isinstance(holder, ast.Subscript) and holder.value is node:
            return
        if not isinstance(node.ctx, ast.Load) or any(visit.new_names()):
            return
        modules = self._modules.of(node, visit)
        for module in sorted(modules):
            yield f"the module {short(module)} is used as a value; use only its functions and names"

    def _reaches(self, node: ast.Name, visit: Visit[ast.AST]) -> bool:
        """Return whether `getattr` or a similar function is used on anything but a variable with a
        plain attribute name.
        """
        call = visit.holder
        if not isinstance(call, ast.Call) or call.func is not node or not call.args:
            return True
        target, *others = call.args
        if isinstance(target, ast.Starred) or self._is_module_or_builtin(target, visit):
            return True
        if node.id == "vars":
            return False
        match others:
            case [ast.Constant(value=str(name)), *_]:
                return _is_walk(name)
        return True

    def _is_module_or_builtin(self, target: ast.expr, visit: Visit[ast.AST]) -> bool:
        base: ast.expr = target
        while isinstance(base, ast.Attribute | ast.Call):
            base = base.value if isinstance(base, ast.Attribute) else base.func
        if not isinstance(base, ast.Name):
            return False
        name = base.id
        if name in self._index.imported or self._modules.at(name, visit):
            return True
        is_own_value = base is not target and not isinstance(target, ast.Attribute)
        origin = self._index.origin(name, visit, self._provided)
        return origin is Origin.BUILTIN and not is_own_value

    def _attribute(self, node: ast.Attribute, visit: Visit[ast.AST]) -> Iterator[str]:
        name = node.attr
        if _is_walk(name):
            if not self._stays(node, visit):
                yield f".{short(name)} gives access to modules"
            return
        modules = self._modules.of(node.value, visit)
        for module in sorted(modules):
            reached = self._other_module(module, name)
            if module == "sys" and name in {"modules", "meta_path", "path_hooks"}:
                yield f"sys.{name} gives access to modules without an import"
            elif reached is not None:
                value = short(ast.unparse(node.value))
                yield f"{value}.{name} uses the module {reached} through another module"

    def _stays(self, node: ast.Attribute, visit: Visit[ast.AST]) -> bool:
        """Return whether an attribute access only leads to the program's own classes and
        attributes.
        """
        if node.attr not in _OF_AN_OBJECT:
            return node.attr in self._own_attributes
        if not isinstance(node.ctx, ast.Load):
            return False
        holder = visit.holder
        if isinstance(holder, ast.Attribute) and holder.attr in {"__name__", "__qualname__"}:
            return True
        return _is_of_a_method(node.value, visit)

    @cached_property
    def _own_attributes(self) -> frozenset[str]:
        """Return the attribute names that the file itself assigns and that built-in types do not
        have.
        """
        names = set(self._index.own_methods)
        for visit in self._index.of(ast.Attribute):
            if isinstance(visit.node.ctx, ast.Store):
                names.add(visit.node.attr)
        return frozenset(names - _OF_PYTHON)

    def _other_module(self, module: str, name: str) -> str | None:
        """Return the standard module that `module.name` refers to, if it is a different one;
        otherwise None.
        """
        reached = module_named(module, name)
        if reached is None or f"{module}.{name}" in self._modules.dotted:
            return None
        if module in self._defined:
            is_known = name in self._defined[module]
        else:
            is_known = is_part(module, name) or is_value(module, name)
        if is_known:
            return None
        return reached


def _is_of_a_method(node: ast.expr, visit: Visit[ast.AST]) -> bool:
    """Return whether a value is a parameter of the enclosing method, such as `self` or `other`."""
    if not isinstance(node, ast.Name):
        return False
    for holder in visit.holders():
        function = holder.node
        if isinstance(function, FUNCTIONS):
            parameters = (*function.args.posonlyargs, *function.args.args)
            names = {parameter.arg for parameter in parameters}
            return node.id in names and isinstance(holder.holder, ast.ClassDef)
    return False


def _calls_any(call: ast.Call, names: frozenset[str]) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in names


def _are_plain(visit: Visit[ast.AST]) -> bool:
    """Return whether `__match_args__` is a tuple of strings, none of which could lead to
    modules.
    """
    holder = visit.holder
    if not isinstance(holder, ast.Assign | ast.AnnAssign):
        return False
    if not isinstance(holder.value, ast.Tuple):
        return False
    for part in holder.value.elts:
        if not isinstance(part, ast.Constant) or not isinstance(part.value, str):
            return False
        if _is_walk(part.value):
            return False
    return True


def _is_walk(name: str) -> bool:
    """Return whether an attribute with this name may lead from a value to modules."""
    if name in _FRAME_WALK:
        return True
    if name in _ORDINARY_DUNDERS or len(name) <= len("____"):
        return False
    return name.startswith("__") and name.endswith("__")
