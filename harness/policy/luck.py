"""Finds what may differ from run to run: randomness without a seed, clocks, addresses,
hash order.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence

from harness.model.policy import LuckyCall
from harness.policy.hash_order import Place, hash_order
from harness.policy.index import is_stored, walk
from harness.policy.reading import PythonSource

MAX_CALLS = 20
_ALWAYS = {
    "": {"id"},
    "os": {"getpid", "getrandom", "urandom"},
    "random": {"SystemRandom"},
    "uuid": {"uuid1", "uuid4"},
    "secrets": {
        "choice",
        "randbelow",
        "randbits",
        "token_bytes",
        "token_hex",
        "token_urlsafe",
        "SystemRandom",
    },
    "time": {
        "time",
        "time_ns",
        "monotonic",
        "monotonic_ns",
        "perf_counter",
        "perf_counter_ns",
        "process_time",
        "process_time_ns",
        "thread_time",
    },
    "datetime.datetime": {"now", "today", "utcnow"},
    "datetime.date": {"today"},
}
# Only if called without an argument: with one, they are repeatable.
_WITHOUT_ARGUMENT = {
    "random": {"seed", "Random"},
    "time": {"ctime", "gmtime", "localtime", "asctime"},
}


def lucky_calls(sources: Iterable[PythonSource]) -> tuple[LuckyCall, ...]:
    """Return the places in these files whose result may differ from run to run, in order."""
    calls: list[LuckyCall] = []
    for source in sources:
        calls += _of_file(source)
    return tuple(calls[:MAX_CALLS])


def _of_file(source: PythonSource) -> list[LuckyCall]:
    tree = source.index.tree
    nodes = list(walk(tree))
    places = [*_lucky_names(nodes), *hash_order(tree)]
    places.sort(key=lambda place: place[:2])
    calls: list[LuckyCall] = []
    for line, _, called in places:
        call = LuckyCall(file=source.name, line=line, call=called)
        calls.append(call)
    return calls


def _lucky_names(nodes: Sequence[ast.AST]) -> Iterator[Place]:
    """Yield the places where such functions are called, or passed on as in `key=id`."""
    known = _imported(nodes)
    defined: set[str] = set()
    variables: set[str] = set()
    calls: dict[int, ast.Call] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif is_stored(node):
            variables.add(node.id)
        elif isinstance(node, ast.arg):
            variables.add(node.arg)
        elif isinstance(node, ast.Call):
            calls[id(node.func)] = node
    for node in nodes:
        if not isinstance(node, ast.Name | ast.Attribute):
            continue
        if not isinstance(node.ctx, ast.Load):
            continue
        written = _dotted(node)
        first, dot, rest = written.partition(".")
        call = calls.get(id(node))
        if not written or first in defined:
            continue
        # `id = 3` elsewhere makes no other call.
        if call is None and first in variables:
            continue
        name = known.get(first, first) + dot + rest
        if _is_lucky(name, call):
            yield node.lineno, node.col_offset, f"{written}()"


def _is_lucky(name: str, call: ast.Call | None) -> bool:
    """Return whether this Python function returns something different in every run.

    `call` is its call; None if the function is passed on.
    """
    module, _, function = name.rpartition(".")
    if function in _ALWAYS.get(module, ()):
        return True
    if call is None or call.args or call.keywords:
        return False
    return function in _WITHOUT_ARGUMENT.get(module, ())


def _imported(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Return the full name of each imported name:

    `now` is `time.time` after `from time import time as now`.
    """
    known: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    known[alias.asname] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return known


def _dotted(node: ast.AST) -> str:
    """Return `a.b.c` as written; "" for anything else that is called."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join((node.id, *reversed(names)))
