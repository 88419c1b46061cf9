"""Whether a program may notice how deep it recurses.

At which depth Python gives up depends on what ran before: the interpreter speeds code up while it
runs, and calls that it has sped up count otherwise. A program that recurses and catches every
exception can turn that into another result. Recursion is guessed from above: a function is taken to
call everything whose name it holds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from harness.policy.nodes import walk
from harness.policy.statelessness.bindings import Module

_CATCHES = frozenset({"Exception", "BaseException", "RuntimeError", "RecursionError"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def catches_its_depth(modules: Mapping[str, Module]) -> tuple[Module, ast.AST] | None:
    """The first place that would catch a recursion that is too deep; None where there is none, or
    no recursion."""
    places = [(module, node) for module in modules.values() for node in _catching(module.tree)]
    return places[0] if places and _recurses(modules.values()) else None


def _catching(tree: ast.Module) -> Iterator[ast.AST]:
    exceptions = {
        node.name for node in walk(tree) if isinstance(node, ast.ClassDef)
    }  # a class of its own catches no exception of Python's
    for node in walk(tree):
        if isinstance(node, ast.ExceptHandler):
            caught = node.type
            named = caught.elts if isinstance(caught, ast.Tuple) else [caught]
            for one in named:
                if not isinstance(one, ast.Name) or one.id in _CATCHES:
                    yield node
                    break
                if one.id not in exceptions and not one.id.endswith(_ENDINGS):
                    yield node
                    break
        elif isinstance(node, ast.Try) and any(map(_leaves, node.finalbody)):
            yield node


_ENDINGS = ("Error", "StopIteration", "KeyboardInterrupt", "SystemExit", "Warning")


def _leaves(node: ast.AST) -> bool:
    """Whether a part of a `finally` may drop the exception that it was entered with."""
    return any(isinstance(part, ast.Return | ast.Break | ast.Continue) for part in walk(node))


def _recurses(modules: Iterable[Module]) -> bool:
    bodies: dict[str, list[ast.AST]] = {}
    for module in modules:
        for name, function in _functions(module.tree):
            bodies.setdefault(name, []).append(function)
    held = {name: _names(nodes) & bodies.keys() for name, nodes in bodies.items()}
    # What is called by a name of no function may be any function that some place holds as a value,
    # and an operator may be any method that Python calls by itself.
    values = {name for module in modules for name in _values(module.tree)} & bodies.keys()
    inner = {name for name, nodes in bodies.items() if any(map(_makes_functions, nodes))}
    implicit = {name for name in bodies if name.startswith("__") and name != "__init__"}
    for name, nodes in bodies.items():
        held[name] |= implicit
        if any(_calls_unknown(node, bodies.keys()) for node in nodes):
            held[name] |= values | inner
    return any(_reaches_itself(name, held) for name in held)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Functions, methods and named lambdas by name; the `__init__` of a class by the class's."""
    for part in walk(tree):
        if isinstance(part, _Function):
            yield part.name, part
        elif isinstance(part, ast.ClassDef):
            for method in part.body:
                if isinstance(method, _Function) and method.name == "__init__":
                    yield part.name, method
        elif isinstance(part, ast.Assign) and isinstance(part.value, ast.Lambda):
            for target in part.targets:
                if isinstance(target, ast.Name):
                    yield target.id, part.value


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        for part in walk(node):
            if isinstance(part, ast.Name):
                found.add(part.id)
            elif isinstance(part, ast.Attribute):
                found.add(part.attr)
    return found


def _values(tree: ast.Module) -> set[str]:
    """Names used anywhere but as the function of a call."""
    called = {id(node.func) for node in walk(tree) if isinstance(node, ast.Call)}
    found: set[str] = set()
    for node in walk(tree):
        if id(node) not in called:
            found |= {node.id} if isinstance(node, ast.Name) else set()
            found |= {node.attr} if isinstance(node, ast.Attribute) else set()
    return found


def _makes_functions(node: ast.AST) -> bool:
    inside = (part for part in walk(node) if part is not node)
    return any(isinstance(part, ast.Lambda | ast.FunctionDef) for part in inside)


def _calls_unknown(node: ast.AST, known: Iterable[str]) -> bool:
    """Whether it calls what is neither a function of the program, by name, nor anything of
    Python's: a parameter, an element, the result of a call."""
    names = set(known)
    bound = {part.arg for part in walk(node) if isinstance(part, ast.arg)} | {
        part.id
        for part in walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    for part in walk(node):
        if isinstance(part, ast.Call):
            head = part.func
            if isinstance(head, ast.Name) and (head.id not in bound or head.id in names):
                continue
            if not isinstance(head, ast.Attribute):
                return True
    return False


def _reaches_itself(start: str, held: Mapping[str, set[str]]) -> bool:
    seen: set[str] = set()
    pending = list(held[start])
    while pending:
        name = pending.pop()
        if name == start:
            return True
        if name not in seen:
            seen.add(name)
            pending += held.get(name, ())
    return False
