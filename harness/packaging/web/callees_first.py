"""Order the causes of failures if the reference cannot be run, as in a browser.

Elsewhere, functions are replaced by the reference's to find out which ones are wrong. Without such
runs, a program's `main` seems wrong if any function that it calls is wrong.

So a function comes after the failing functions that it calls, and a program as a whole after its
functions. For 220 of 243 failing samples of all assignments and examples the first card on the page
is then the same as in `harness check`. For the others the replaced functions are needed: the wrong
one fails only inside another. `python -m benchmarks.first_card` measures it.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.model.assignment import SourceFile
from harness.results.redaction import ShownCause


@dataclass(frozen=True, slots=True)
class CallGraph:
    """The functions and classes of a program that each of them uses, directly or through others.

    A name in the code counts as a use.
    """

    reached: Mapping[str, frozenset[str]]

    def uses(self, function: str, other: str) -> bool:
        """Return whether `function` uses `other`, and `other` does not use `function`."""
        return other in self.reached.get(function, ()) and function not in self.reached.get(
            other, ()
        )


def call_graph(files: Iterable[SourceFile]) -> CallGraph:
    """Return the call graph of these files. Files that Python cannot read are left out."""
    mentioned: dict[str, set[str]] = {}
    for file in files:
        try:
            tree = ast.parse(file.data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        # A program that is run as a whole is named by its file.
        mentioned[file.name] = _names_in(tree)
        for part in tree.body:
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                mentioned[part.name] = _names_in(part)
    reached: dict[str, frozenset[str]] = {}
    for name in mentioned:
        reached[name] = _reached(name, mentioned)
    return CallGraph(reached)


def _names_in(part: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(part):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
    return names


def _reached(start: str, mentioned: Mapping[str, set[str]]) -> frozenset[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for name in mentioned[waiting.pop()]:
            if name in mentioned and name not in reached:
                reached.add(name)
                waiting.append(name)
    return frozenset(reached)


def callees_first(
    causes: Sequence[ShownCause], files: Iterable[SourceFile]
) -> tuple[ShownCause, ...]:
    """Sort the causes so that each comes after the causes of functions that its function uses.

    Otherwise the given order stays.
    """
    graph = call_graph(files)
    waiting = list(causes)
    ordered: list[ShownCause] = []
    while waiting:
        # There is always one, because no two functions use each other in this sense.
        chosen = next(name for name in waiting if not _waits_for(name, waiting, graph))
        waiting.remove(chosen)
        ordered.append(chosen)
    return tuple(ordered)


def _waits_for(cause: ShownCause, others: Iterable[ShownCause], graph: CallGraph) -> bool:
    return any(graph.uses(cause.function, other.function) for other in others)
