"""What Python's own compiler says that names refer to: a second look, which shares nothing with the
rules over the syntax tree.

A name that a scope may share with a built-in is where those rules are easily wrong: the first
iterable of a comprehension is evaluated outside it, `:=` binds further out than it is written, a
class's names are read before and after they are bound.
"""

from __future__ import annotations

import symtable
from collections.abc import Iterator

from harness.policy.statelessness import allowed

# `type` and `super` are allowed in places, which the rules look at.
_FORBIDDEN = allowed.ALL_BUILTINS - allowed.BUILTINS - {"type", "super", "__name__"}


def forbidden_name(data: bytes) -> str:
    """A name in a file that refers to a built-in which is not allowed, or that is bound though
    Python itself gives it a meaning; empty where there is none."""
    top = symtable.symtable(data, "<submission>", "exec")  # type: ignore[arg-type]  # bytes will do
    tables = list(_tables(top))
    # As an annotation and as a base it is harmless; the rules refuse it elsewhere, and no scope of
    # a program that never binds it can mislead them.
    harmless = {"object"} - {name for table in tables for name in _names_bound(table)}
    for table in tables:
        for name in sorted(table.get_identifiers() - harmless):
            if name in _FORBIDDEN:
                symbol = table.lookup(name)
                if symbol.is_referenced() and not _is_local(table, symbol):
                    return name
            reserved = allowed.is_dunder(name) and name not in _bindable(table)
            if reserved and _is_bound(table.lookup(name)):
                return name
    return ""


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    pending = [table]
    while pending:
        one = pending.pop()
        yield one
        pending += one.get_children()


def _is_local(table: symtable.SymbolTable, symbol: symtable.Symbol) -> bool:
    """Whether it is surely a function's own name, which no built-in shines through."""
    return table.get_type() == "function" and (symbol.is_local() or symbol.is_free())


def _names_bound(table: symtable.SymbolTable) -> Iterator[str]:
    return (symbol.get_name() for symbol in table.get_symbols() if _is_bound(symbol))


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_parameter()


def _bindable(table: symtable.SymbolTable) -> frozenset[str]:
    by_type = {"class": allowed.DUNDER_METHODS, "module": allowed.METADATA}
    return by_type.get(table.get_type(), frozenset())
