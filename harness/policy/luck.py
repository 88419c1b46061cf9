"""What differs from run to run: chance that no seed governs, clocks, addresses, hash order."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from harness.model.policy import LuckyCall
from harness.policy.hash_order import Place, hash_order
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
    """Return what these files do that differs from run to run, in their order."""
    calls = [call for source in sources for call in _of_file(source)]
    return tuple(calls[:MAX_CALLS])


def _of_file(source: Source) -> list[LuckyCall]:
    nodes = list(walk(source.index.tree))
    places = [*_lucky_names(nodes), *hash_order(source.index.tree)]
    places.sort(key=lambda place: place[:2])
    return [LuckyCall(file=source.name, line=line, call=call) for line, _, call in places]


def _lucky_names(nodes: Sequence[ast.AST]) -> Iterator[Place]:
    """Yield the functions that are called, or passed on as `key=id` does."""
    known = _imported(nodes)
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own = defined | stored | {node.arg for node in nodes if isinstance(node, ast.arg)}
    calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        written = _dotted(node)
        first, dot, rest = written.partition(".")
        call = calls.get(id(node))
        hidden = own if call is None else defined  # `id = 3` elsewhere makes no other call
        if not written or first in hidden:
            continue
        name = known.get(first, first) + dot + rest
        module, _, function = name.rpartition(".")
        is_lucky = function in _ALWAYS.get(module, ())
        if call is not None and not (call.args or call.keywords):
            is_lucky = is_lucky or function in _WITHOUT_ARGUMENT.get(module, ())
        if is_lucky:
            yield node.lineno, node.col_offset, f"{written}()"


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
