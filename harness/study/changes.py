"""Single-fault changes of a reference, by the operators of cosmic-ray; and two of one function
at once: faults that may hide each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from types import ModuleType
from typing import Any

from harness.common.errors import UserError
from harness.model.assignment import SourceFile

# Operators that need arguments of their own, or that change nothing.
_LEFT_OUT = frozenset({"NoOp", "VariableReplacer", "VariableInserter", "RemoveDecorator"})
_BY_IDENTITY = ("_Is", "_IsNot")  # whether equal values are the same object is the interpreter's
OUTSIDE = "(module)"
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A fault in one place of a file: the line `before` and `after` it, in a function (or method,
    as `Account.deposit`) of the reference, `line` counted from 1."""

    file: str
    operator: str
    function: str
    line: int
    before: str
    after: str
    text: bytes


def changes(files: tuple[SourceFile, ...]) -> tuple[Change, ...]:
    """Every change that the operators can make, by file and line, each text once.

    What changes nothing but an annotation is left out. UserError where cosmic-ray is not installed.
    """
    operators, mutating, trees = _cosmic_ray()
    made: list[Change] = []
    for file in files:
        if not file.name.endswith(".py"):
            continue
        source = file.data.decode("utf-8-sig")
        lines = source.splitlines(keepends=True)
        for node in ast.parse(source).body:
            decorated = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(each.lineno for each in decorated)]) - 1
            last = node.end_lineno or node.lineno
            part = "".join(lines[first:last])
            meanings = {_meaning(part)}
            nodes = list(trees.ast_nodes(trees.get_ast(part)))
            for name, operator in operators.items():
                for text in _applied(mutating, operator, part, nodes):
                    meaning = _meaning(text)
                    if meaning and meaning not in meanings:
                        meanings.add(meaning)
                        changed = "".join([*lines[:first], text, *lines[last:]])
                        made.append(_change(file.name, name, source, changed))
    return tuple(sorted(made, key=lambda one: (one.file, one.line, one.operator, one.after)))


def with_change(files: tuple[SourceFile, ...], change: Change) -> tuple[SourceFile, ...]:
    """The reference with the change in it."""
    return tuple(
        replace(file, data=change.text) if file.name == change.file else file for file in files
    )


def _cosmic_ray() -> tuple[dict[str, type], ModuleType, ModuleType]:
    try:
        from cosmic_ray import ast as trees  # noqa: PLC0415  (an extra)
        from cosmic_ray import mutating  # noqa: PLC0415
        from cosmic_ray.operators.provider import OperatorProvider  # noqa: PLC0415
    except ImportError:
        raise UserError(
            "the generator of changes is not installed",
            hint="pip install 'a1-harness[study]'",
        ) from None
    provider = OperatorProvider()
    names = [n for n in sorted(set(provider) - _LEFT_OUT) if not n.endswith(_BY_IDENTITY)]
    return {name: provider[name] for name in names}, mutating, trees


def _applied(mutating: ModuleType, operator: type, source: str, nodes: list[Any]) -> Iterator[str]:
    """The source with each occurrence of what the operator changes changed; `nodes` are those of
    its syntax tree."""
    made = operator()
    for occurrence in range(sum(1 for node in nodes for _ in made.mutation_positions(node))):
        try:
            text = mutating.MutationVisitor.mutate_code(source, made, occurrence)
        except (ValueError, ArithmeticError):  # a number that cannot be changed so
            continue
        if text is not None:
            yield text


def _meaning(source: str) -> str:
    """The program without annotations and layout; empty where it is none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(value=None)
    return ast.dump(tree)


def _change(file: str, operator: str, before: str, after: str) -> Change:
    old, new = before.splitlines(), after.splitlines()
    same = next((n for n, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), 0)
    return Change(
        file=file,
        operator=operator,
        function=_function(before, same + 1),
        line=same + 1,
        before=old[same].strip(),
        after=new[same].strip(),
        text=after.encode(),
    )


def _function(source: str, line: int) -> str:
    """The innermost function or method of the module that has the line."""
    name = OUTSIDE
    body, prefix = ast.parse(source).body, ""
    while body:
        inside = [
            node
            for node in body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and node.lineno <= line <= (node.end_lineno or node.lineno)
        ]
        if not inside:
            break
        name = prefix + inside[0].name
        body, prefix = (
            (inside[0].body, f"{name}.") if isinstance(inside[0], ast.ClassDef) else ([], "")
        )
    return name


def pairs(changes: Sequence[Change], among: Sequence[int], most: int) -> tuple[Pair, ...]:
    """At most `most` pairs of the changes numbered `among`, always the same for the same changes.

    The two are in one function and on different lines; functions take turns, so that a long one
    does not have all.
    """
    by_function: dict[tuple[str, str], list[Pair]] = {}
    for place, first in enumerate(among):
        for second in among[place + 1 :]:
            one, other = changes[first], changes[second]
            if (one.file, one.function) == (other.file, other.function) and one.line != other.line:
                by_function.setdefault((one.file, one.function), []).append((first, second))
    for group in by_function.values():
        group.sort(key=lambda pair: _lot(changes, pair), reverse=True)
    chosen: list[Pair] = []
    while len(chosen) < most and any(by_function.values()):
        chosen += [group.pop() for group in by_function.values() if group]
    return tuple(sorted(chosen[:most]))


def _lot(changes: Sequence[Change], pair: Pair) -> bytes:
    return sha256(changes[pair[0]].text + b"\0" + changes[pair[1]].text).digest()


def combined(original: SourceFile, first: Change, second: Change) -> bytes | None:
    """The file with both changes; None where they touch the same lines."""
    lines = original.data.splitlines(keepends=True)
    one, other = (change.text.splitlines(keepends=True) for change in (first, second))
    if not len(lines) == len(one) == len(other):
        return None
    both = []
    for before, by_first, by_second in zip(lines, one, other, strict=True):
        if by_first not in (before, by_second) and by_second != before:
            return None
        both.append(by_first if by_first != before else by_second)
    return b"".join(both)
