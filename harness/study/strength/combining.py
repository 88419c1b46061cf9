"""Two changes of one function at once: faults that may hide each other."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from harness.model.assignment import SourceFile
from harness.study.strength.generating import Change

Pair = tuple[int, int]


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
    for found in by_function.values():
        found.sort(key=lambda pair: _lot(changes, pair), reverse=True)
    chosen: list[Pair] = []
    while len(chosen) < most and any(by_function.values()):
        chosen += [found.pop() for found in by_function.values() if found]
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
