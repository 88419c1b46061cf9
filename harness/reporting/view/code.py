"""The student's own lines beside a cause: those that a reader needs, with their numbers."""

from __future__ import annotations

from harness.model.causes import CodePlace

MOST_LINES = 12
_QUOTES = ('"""', "'''")


def own_lines(place: CodePlace, line: int | None) -> list[tuple[int, str]]:
    """Numbered lines of a function without its docstring, the first few or, where the very `line`
    is known, those around it."""
    numbered = list(enumerate(place.text, place.first))
    begin = next((i for i, (_, text) in enumerate(numbered) if _opens(text)), None)
    if begin is not None and begin < MOST_LINES:
        numbered[begin:] = numbered[_after_docstring(numbered, begin) :]
    if line is not None:
        at = next((i for i, (number, _) in enumerate(numbered) if number == line), 0)
        start = max(0, at - MOST_LINES // 2)
        return numbered[start : start + MOST_LINES]
    return numbered[:MOST_LINES]


def _opens(text: str) -> bool:
    return text.strip().lstrip("rRuU").startswith(_QUOTES)


def _after_docstring(numbered: list[tuple[int, str]], begin: int) -> int:
    first = numbered[begin][1].strip().lstrip("rRuU")
    quotes = first[:3]
    if first.count(quotes) > 1:
        return begin + 1
    for index in range(begin + 1, len(numbered)):
        if quotes in numbered[index][1]:
            return index + 1
    return len(numbered)
