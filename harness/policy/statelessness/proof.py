"""Proves of a whole program, its provided modules included, that it keeps nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from harness.model.policy import MAX_SOURCE_BYTES, Statelessness
from harness.policy.request import NamedBytes
from harness.policy.statelessness.addresses import sees_an_address
from harness.policy.statelessness.bindings import (
    LIBRARY,
    Module,
    own_attributes,
    resolve,
)
from harness.policy.statelessness.expressions import Refused
from harness.policy.statelessness.recursion import catches_its_depth
from harness.policy.statelessness.rules import Rules
from harness.policy.statelessness.scopes import forbidden_name
from harness.policy.words import short


def prove(submitted: Sequence[NamedBytes], provided: Sequence[NamedBytes]) -> Statelessness:
    """Whether the program may run its scenarios in one process, else the first reason against it.

    `submitted` are the files under the names they are imported by; a `provided` one of the same
    name takes their place. What Python cannot read keeps nothing, but is not proved either.
    """
    files = {file.name: file for file in (*submitted, *provided) if file.name.endswith(".py")}
    own = [name for name in files if name not in {file.name for file in provided}]
    modules: dict[str, Module] = {}
    try:
        for name, file in files.items():
            if len(file.data) > MAX_SOURCE_BYTES:
                return _no(f"{name} is larger than {MAX_SOURCE_BYTES // 1024} KiB")
            tree = ast.parse(file.data, filename="<submission>")
            modules[name[:-3]] = Module(file=name, data=file.data, tree=tree)
        for name in modules:
            if name in LIBRARY:
                return _no(f"{name}.py has the name of a module of Python")
        resolve(modules)
        attributes = own_attributes(modules.values())
        for module in modules.values():
            reason = _reason(module, Rules(module, modules, attributes))
            if reason:
                return _no(reason if own == [module.file] else f"{module.file}, {reason}")
            name = forbidden_name(module.data)
            if name:
                return _no(f"{module.file}: `{short(name)}` may be what Python calls so")
        for what, found in (
            ("may catch a recursion that is too deep", catches_its_depth(modules)),
            ("may show where it lies in memory", sees_an_address(modules)),
        ):
            if found is not None:
                module, node = found
                reason = _sentence(module, Refused(node, what))
                return _no(reason if own == [module.file] else f"{module.file}, {reason}")
    except (SyntaxError, ValueError):
        return _no("a file cannot be read as Python")
    except (RecursionError, MemoryError):
        return _no("the code is nested too deeply to be read")
    return Statelessness(proved=True)


def _no(reason: str) -> Statelessness:
    return Statelessness(proved=False, reason=reason)


def _reason(module: Module, rules: Rules) -> str:
    try:
        rules.check(module.tree)
    except Refused as refused:
        return _sentence(module, refused)
    return ""


def _sentence(module: Module, refused: Refused) -> str:
    shown = _source(module, refused.node)
    line = getattr(refused.node, "lineno", 1)
    return f"line {line}: `{shown}`" + (f" {refused.why}" if refused.why else "")


def _source(module: Module, node: ast.AST) -> str:
    """The first line of what was refused."""
    text = module.data.decode("utf-8", "replace").removeprefix("\ufeff")
    found = ast.get_source_segment(text, node) or type(node).__name__
    first, _, rest = found.partition("\n")
    return short(first) + (" …" if rest else "")
