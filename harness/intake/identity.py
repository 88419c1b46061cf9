"""Names of folders, files and people: as ids, as texts that can be printed, in a sentence."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

MAX_ID = 100


def safe_id(name: str) -> str:
    """The name without what does not print (controls, bidi marks, undecodable bytes), shortened."""
    shown = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in name)
    shown = shown.strip(" ")[:MAX_ID]
    if shown.startswith("."):
        shown = "_" + shown[1:]
    return shown or "submission"


def unique_ids(names: Iterable[str]) -> tuple[str, ...]:
    """A safe id for each name, in their order; the second of the same gets `-2`, and so on.

    Names that look the same, with their letters composed in another way, are the same here.
    """
    safe = [safe_id(name) for name in names]
    taken = set(map(_composed, safe))
    given: set[str] = set()
    ids: list[str] = []
    for name in safe:
        chosen, count = name, 1
        while _composed(chosen) in given or (count > 1 and _composed(chosen) in taken):
            count += 1
            chosen = f"{name}-{count}"
        given.add(_composed(chosen))
        ids.append(chosen)
    return tuple(ids)


def clean_name(name: str) -> str:
    """A name or email that can be printed, with its letters composed and single spaces."""
    shown = "".join(c if c.isprintable() else " " for c in unicodedata.normalize("NFC", name))
    return " ".join(shown.split())[:MAX_ID]


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def shown_path(path: str) -> str:
    """A path inside an archive as it can be printed: no controls, no bidi marks, shortened."""
    shown = "".join(c if c.isprintable() else "_" for c in path)
    return shown if len(shown) <= MAX_ID else shown[: MAX_ID - 1] + "…"


_NAMES_SHOWN = 5


def listed(names: Sequence[T], shown_as: Callable[[T], str] = str) -> str:
    """`a, b and c`, of many the first few; `shown_as` gives the text of each that is shown."""
    shown = [shown_as(name) for name in names[:_NAMES_SHOWN]]
    if len(names) > _NAMES_SHOWN:
        shown.append(f"{len(names) - _NAMES_SHOWN} more")
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]
