"""Names in sentences: about files that somebody else named."""

from __future__ import annotations

from collections.abc import Sequence

from harness.intake.entries import Entry, EntryKind, Refused
from harness.intake.recognising import ARCHIVES, HEAD_BYTES, recognise

_NAMES_SHOWN = 5


def listed(names: Sequence[str]) -> str:
    """`a, b and c`, of many the first few."""
    shown = list(names[:_NAMES_SHOWN])
    if len(names) > _NAMES_SHOWN:
        shown.append(f"{len(names) - _NAMES_SHOWN} more")
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]


def described(entries: Sequence[Entry]) -> str:
    """The names listed; of an archive also what kind it really is."""
    shown = [_described(entry) for entry in entries[:_NAMES_SHOWN]]
    return listed(shown + [entry.shown for entry in entries[_NAMES_SHOWN:]])


def _described(entry: Entry) -> str:
    if entry.is_python or entry.kind is not EntryKind.FILE:
        return entry.shown
    try:
        kind = recognise(entry.start(HEAD_BYTES))
    except Refused:
        return entry.shown
    return f"{entry.shown} ({kind})" if kind in ARCHIVES else entry.shown
