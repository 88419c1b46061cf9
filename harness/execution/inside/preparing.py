"""Imports ahead of a scenario what the files in it are going to import."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .modules import Source

_USEFUL = frozenset({
    "bisect", "collections", "copy", "datetime", "dataclasses", "decimal", "enum", "fractions",
    "functools", "heapq", "itertools", "json", "math", "operator", "random", "re", "statistics",
    "string", "textwrap", "time", "typing",
})  # fmt: skip


def import_useful(submitted: dict[str, Source], setup: dict[str, Any]) -> None:
    """Import those modules of the standard library that a submission or a provided file may name
    and that do nothing by being imported."""
    sources = [source.data for source in submitted.values()]
    sources += [data for files in setup["variants"][:1] for _, data in files]
    for name in sorted(_USEFUL & _imported(sources)):
        __import__(name)


def _imported(sources: list[bytes]) -> set[str]:
    """Names that some line may import; a guess, since it only saves time."""
    found: set[str] = set()
    for data in sources:
        for line in data.splitlines():
            words = line.replace(b",", b" ").replace(b".", b" ").split()
            if words and words[0] in (b"import", b"from"):
                found.update(word.decode("ascii", "replace") for word in words)
    return found
