"""The differences in printed text that a scenario may forgive (`ignore:`)."""

from __future__ import annotations

from collections.abc import Collection

from harness.model.expectation import Ignore


def normalised(text: str, ignore: Collection[Ignore]) -> str:
    """`text` without what `ignore` forgives, to be compared and not to be shown."""
    if not ignore:
        return text
    if Ignore.TRAILING_SPACE in ignore:
        text = "\n".join(line.rstrip(" \t\r") for line in text.split("\n"))
    if Ignore.BLANK_LINES in ignore:
        text = _without_blank_lines(text)
    if Ignore.CASE in ignore:
        text = text.casefold()
    return text


def _without_blank_lines(text: str) -> str:
    *whole, rest = text.split("\n")
    return "".join(f"{line}\n" for line in whole if line.strip()) + rest
