"""Calls whose result differs from run to run: chance that no seed governs, clocks, addresses."""

import ast
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from harness.model.policy import LuckyCall
from harness.policy.index import walk
from harness.policy.reading import Source

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
# Only without an argument: with one they do the same again.
_WITHOUT_ARGUMENT = {
    "random": {"seed", "Random"},
    "time": {"ctime", "gmtime", "localtime", "asctime"},
}


def lucky_calls(sources: Iterable[Source]) -> tuple[LuckyCall, ...]:
    """Return the calls of these files whose result differs from run to run, in their order."""
    calls = chain.from_iterable(map(_of_file, sources))
    return tuple(islice(calls, MAX_CALLS))


def _of_file(source: Source) -> Iterator[LuckyCall]:
    nodes = list(walk(source.index.tree))
    known = _imported(nodes)
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        written = _dotted(call.func)
        first, dot, rest = written.partition(".")
        if not written or first in own:
            continue
        name = known.get(first, first) + dot + rest
        module, _, function = name.rpartition(".")
        is_lucky = function in _ALWAYS.get(module, ())
        if not (call.args or call.keywords):
            is_lucky = is_lucky or function in _WITHOUT_ARGUMENT.get(module, ())
        if is_lucky:
            yield LuckyCall(file=source.name, line=call.lineno, call=f"{written}()")


def _imported(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """Return the meaning of each imported name: `time.time` for `from time import time as now`."""
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
    """Return `a.b.c` as it is written; an empty text for anything else that is called."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join((node.id, *reversed(names)))
